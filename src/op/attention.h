/* attention.h: scaled dot-product attention. */
#ifndef GLASSFORMER_OP_ATTENTION_H
#define GLASSFORMER_OP_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "patch.h"

/* attention_shape: B rows, T queries, S keys, H heads of D columns, G heads of keys and values, a divisor of H. Query
 * is (B,T,H D), key (B,S,G D); head h is the columns h D .. (h+1) D - 1. Value (B,S,G E) and output (B,T,H E) likewise
 * have E columns a head. Query head h reads key head floor(h G / H). Below C = H D, CE = H E where G = H. */
typedef struct attention_shape {
    size_t B, T, S, H, G, D, E;
    size_t query_stride; /* rows from one batch item's queries (and outputs) to the next, >= T */
    size_t key_stride; /* likewise of keys and values, >= S; maps: (B,H,query_stride,key_stride) */
    size_t past;       /* queries that came before the first: query t stands at past + t */
    float scale;       /* 1/sqrt(D), or 1 to leave the scores as they are */
    bool causal;       /* key s is visible to query t iff s <= past + t */
    size_t window;     /* unless 0, only if |past + t - s| < window */
    size_t output_row; /* floats from one row of the output to the next; 0: H E */
} attention_shape;

/* attention_masks: what is hidden beside the future; either may be NULL. */
typedef struct attention_masks {
    const uint8_t *key_padding; /* (B,S): 1 hides the key from every query */
    const float *additive;      /* (T,S): added to the scaled scores, -Infinity hides */
} attention_masks;

/* attention_bias: what each head adds to the scaled scores by how far a key is from its query: (H,row) floats for the
 * keys before it and for the query's own, whose distance is 0, or NULL; `after` floats on those for the keys after it,
 * 0: none. */
typedef struct attention_bias {
    float *before;
    size_t row, after;
} attention_bias;

/* attention_maps: the (B,H,query_stride,key_stride) intermediates. Each may be NULL, and is
 * then not captured; weights must not be NULL when another is not. */
typedef struct attention_maps {
    float *scores;          /* q k^T */
    float *scaled;          /* scores * scale */
    float *masked;          /* scaled + bias + masks */
    float *weights;         /* softmax of masked */
    const patches *patches; /* or NULL; applied to the maps as they are computed */
    attention_bias bias;    /* is read; of gradients: is added to */
} attention_maps;

/* attention_scratch: floats of scratch that attention_forward needs where no map is captured. */
size_t attention_scratch(size_t S);

/* attention_forward: output = softmax(q k^T scale + bias + masks) v, head by head
 * out   output (B,T,CE); the maps that are not NULL
 * in    query (B,T,C), key (B,S,C), value (B,S,CE), masks; scratch as above, or NULL with maps
 *       A query whose keys are all hidden has weights 0 and output 0.
 * alias none
 * order a row's bits depend on its own visible keys only, so a cached step equals the full pass
 * error of up to 65 keys 2^-22 of the largest |value|, beside what the scores' own rounding (2^-23 of
 *       their size) makes of the weights (tests/op/attention.c, golden cases sdpa_*); of more, those of
 *       softmax_forward and of a product over S
 * source Vaswani et al. 2017, section 3.2.1 */
void attention_forward(float *output, attention_maps maps, float *scratch, const float *query,
                       const float *key, const float *value, attention_masks masks,
                       attention_shape shape);

/* attention_widen: the columns of keys past .. S-1 in the maps of the queries before past, all of which are captured:
 *   scores and scaled of what the causal mask hides, -Infinity in masked, 0 in weights
 * out   maps, which point at query past, as attention_forward is given them
 * in    query (T,C) from query past on, after the others; key (S,C); B = 1, causal */
void attention_widen(attention_maps maps, const float *query, const float *key,
                     attention_shape shape);

/* attention_backward_scratch: floats of scratch that attention_backward needs. */
size_t attention_backward_scratch(size_t T, size_t key_stride);

/* attention_backward: the gradients of attention_forward, given doutput (B,T,CE)
 *   dV = W^T dO,  dW = dO V^T,  dZ = W (dW - rowsum(dW W)) * scale,  dQ = dZ K,  dK = dZ^T Q
 * out   dquery (B,T,C), dkey (B,S,C), dvalue (B,S,CE): written, not added to; gradients of
 *       the maps (B,H,T,S), each or NULL; scores, scaled and masked all or none, with weights only; to that of the
 *       bias all queries' slopes of it are added, which keeps (B T + 1) 2^-24 of the sum of their sizes
 * in    query, key, value as forward had them; maps: its weights (B,H,T,S), with patches or the
 *       gradients of scores all four, with the same patches; scratch as above
 *       shape: past 0, query_stride T, key_stride S
 * alias none */
void attention_backward(float *dquery, float *dkey, float *dvalue, attention_maps gradients,
                        float *scratch, const float *doutput, const float *query, const float *key,
                        const float *value, attention_maps maps, attention_shape shape);

#endif
