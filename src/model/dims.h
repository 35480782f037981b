/* dims.h: the sizes that one layout of tensors depends on; the letters of tensors.def. */
#ifndef GLASSFORMER_MODEL_DIMS_H
#define GLASSFORMER_MODEL_DIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"

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
} request;

typedef struct model_dims {
    const model_config *c;
    size_t B; /* batch */
    size_t T; /* length of the stack at hand: its queries */
    size_t S; /* source length: the keys of cross-attention; of the layer alone: its memory */
    size_t K; /* capacity for keys of the attention at hand */
    size_t C, H, D, F;
    size_t G;              /* heads of keys and values */
    size_t A, E;           /* columns of all queries: H D; of all keys, and of all values: G D */
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
    bool rotates;          /* the attention at hand turns queries and keys by their positions */
    bool tied;             /* the stack at hand uses the other stack's table */
    bool has_types, has_padding, has_memory_padding, has_mask;
    bool capture, cache, train, vector_targets, has_loss_mask;
    request ask;
} model_dims;

/* dims_of: the letters for the whole model. dims_reserved: those that say how much memory there is; the rows in use
 * are fewer. dims_encoder, dims_decoder: as they hold in one stack;
 * dims_layer: in a layer of it; dims_cross: in the cross-attention of a layer; dims_output: between the last stack and
 * the head. */
model_dims dims_of(const model_config *c, request ask);
model_dims dims_reserved(const model_config *c, request ask);
model_dims dims_encoder(model_dims n);
model_dims dims_decoder(model_dims n);
model_dims dims_layer(model_dims n, size_t index);
model_dims dims_cross(model_dims n);
model_dims dims_output(model_dims n);

/* dims_operations: what a forward pass costs, for sizes as in request (that may be means, so doubles): the
 * multiply-adds of its matrix products, and for softmax, activations, norms and short rows as many as take as
 * long in a large product. A causal mask does not count, though it spares up to half of attention. */
double dims_operations(const model_config *c, double B, double S, double T);

#endif
