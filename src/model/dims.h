/* dims.h: the sizes that one layout of tensors depends on; the letters of tensors.def. */
#ifndef GLASSFORMER_MODEL_DIMS_H
#define GLASSFORMER_MODEL_DIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"

/* slice: which of the threads that share a model this is, and how many others there are; all zero: the whole model.
 * share: what they share out, in rows of matrices and columns of what these compute: heads that have a key head in
 * common, columns of the stream, neurons, words of the vocabulary; and the input of a stack, which the first one has.
 * span: the rows, or columns, that are a slice's own. */
typedef struct slice {
    size_t index, others;
} slice;
typedef enum share { SHARE_HEADS, SHARE_COLUMNS, SHARE_NEURONS, SHARE_WORDS, SHARE_INPUT } share;
typedef struct span {
    size_t from, count;
} span;

/* request: the sizes and flags of a layout; see gf_model_prepare. */
typedef struct request {
    size_t B, S, T;
    size_t capacity; /* 0 without key/value cache */
    size_t reserved; /* target rows in memory, >= T, whose keys and values all stay: see
                        model_resume; 0: T, and they need not stay */
    bool capture;
    uint64_t
        omit; /* layers, a bit each, that capture leaves out: they share memory as without it */
    bool types, encoder_padding, decoder_padding, memory_padding, mask;
    bool train;          /* keep what the backward pass needs */
    bool vector_targets; /* train towards vectors, not tokens */
    bool loss_mask;      /* some rows of the loss do not count */
    bool one_row;        /* memory for the logits of one row, which model_logits computes */
    slice slice;         /* of the weights and what is computed of them */
} request;

typedef struct model_dims {
    const model_config *c;
    size_t B; /* batch */
    size_t T; /* length of the stack at hand: its queries */
    size_t S; /* source length: the keys of cross-attention; of the layer alone: its memory */
    size_t K; /* capacity for keys of the attention at hand */
    size_t C, H, D, F;
    size_t G;      /* heads of keys and values */
    size_t A, E;   /* columns of all queries: H D; of all keys, and of all values: G D */
    size_t turned; /* numbers of a head that rotary positions turn */
    size_t W;      /* columns of the outputs of all heads, those of other slices too */
    size_t shared[SHARE_INPUT + 1]; /* how much there is of each share */
    size_t group;                   /* heads that share a key head */
    size_t in_A, in_E; /* A and E of the weights: of all of them where a pass alone is a slice */
    slice slice;       /* which H, G, A, E and VO are of */
    span own[SHARE_INPUT]; /* and its share of each */
    size_t V, L;           /* vocabulary and layers of the stack at hand */
    size_t I;              /* columns of vectors that come in */
    size_t P;              /* rows of a learned position table */
    size_t types;          /* rows of the token-type table */
    size_t TO, VO;         /* length and vocabulary of the output */
    size_t BL, TL;         /* batch and length of the logits */
    size_t mask_columns;   /* keys that the additive mask spans */
    size_t keys;           /* most keys that any attention of the model has */
    size_t longest;        /* the longer of source and target */
    size_t O;              /* columns of what vector targets are compared with */
    bool encoder, decoder; /* which stacks the model has */
    bool both;             /* encoder-decoder */
    bool alone;            /* kinds attention and feed-forward */
    bool cross;            /* layers of the stack at hand have cross-attention */
    bool relates;          /* the attention at hand has a bias for each distance of its tokens */
    bool both_ways;        /* of keys after the query, too */
    bool rotates;          /* the attention at hand turns queries and keys by their positions */
    bool tied;             /* the stack at hand uses the other stack's table */
    bool has_types, has_padding, has_memory_padding, has_mask;
    bool capture, cache, train, vector_targets, has_loss_mask;
    request ask;
} model_dims;

/* dims_of: the letters for the whole model. dims_slice: as a pass over a slice has them.
 * dims_reserved: those that say how much memory there is; the rows in use are fewer. dims_encoder, dims_decoder: as
 * they hold in one stack; dims_layer: in a layer of it; dims_cross: in the cross-attention of a layer; dims_output:
 * between the last stack and the head. */
model_dims dims_of(const model_config *c, request ask);
void dims_slice(model_dims *n, slice s);
model_dims dims_reserved(const model_config *c, request ask);
model_dims dims_encoder(model_dims n);
model_dims dims_decoder(model_dims n);
model_dims dims_layer(model_dims n, size_t index);
model_dims dims_cross(model_dims n);
model_dims dims_output(model_dims n);

/* dims_has_table: whether the stack at hand has a table here. Of one that the output head uses, too, a slice has the
 * head's rows; of another the first slice has all. */
static inline bool dims_has_table(const model_dims *n) {
    bool of_head = n->c->head == HEAD_TIED && (!n->both || n->cross || n->c->tied_embeddings);
    return n->V > 0 && !n->tied && (n->slice.index == 0 || of_head);
}

/* slice_begin: the first of so many rows that is a thread's, in whole units: of the last one and 1, their number.
 * dims_begin: the same of a share. */
size_t slice_begin(size_t rows, size_t unit, slice s, size_t index);
size_t dims_begin(const model_dims *n, share what, size_t index);

/* dims_operations: what a forward pass costs, for sizes as in request (that may be means, so doubles): the
 * multiply-adds of its matrix products, and for softmax, activations, norms and short rows as many as take as
 * long in a large product. A causal mask does not count, though it spares up to half of attention. */
double dims_operations(const model_config *c, double B, double S, double T);

#endif
