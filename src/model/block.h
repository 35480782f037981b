/* block.h: the blocks of a Transformer: encoder and decoder layers, and their sublayers. */
#ifndef GLASSFORMER_MODEL_BLOCK_H
#define GLASSFORMER_MODEL_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "../op/attention.h"
#include "../op/patch.h"
#include "dims.h"
#include "tensors.h"

/* pass: what one run through a stack has in common in all its layers. */
typedef struct pass {
    model_dims n;           /* the letters of this stack; n.T is the length of this run */
    size_t stride;          /* rows from one batch item to the next, >= n.T */
    size_t past;            /* positions before this run (key/value cache), else 0 */
    bool resumed;           /* the rows of those positions stand before what the tensors point at */
    size_t window;          /* positions that a query sees to each side, 0 for all; of the layer at
                               hand, 0 in its cross-attention */
    bool causal;            /* a query sees no later key; never in a layer's cross-attention */
    const uint8_t *padding; /* (B,keys) hides keys, or NULL */
    const float *mask;      /* (T,keys) added to the scaled scores, or NULL */
    const float *input;     /* (B,T,C) of the layer at hand */
    const float *rotation;  /* (K,turned) see rotation_table; NULL where nothing is turned */
    relative_tensors *relative, *drelative; /* of self-attention, and gradients; or NULL */
    const float *memory;                    /* (B,S,C) what cross-attention reads, or NULL */
    const uint8_t *memory_padding;          /* (B,S) hides keys of cross-attention, or NULL */
    float *scratch;                         /* attention_scratch floats where nothing is captured */
    float dropout;                /* rate, 0 for none: on each sublayer's result and the input */
    uint32_t dropout_key;         /* of this step and stack; see dropout.h */
    size_t first;                 /* sequences of the batch before these */
    float temperature;            /* the scores are divided by it */
    const patches *patches;       /* values that replace computed ones */
    workspace_tensors *workspace; /* of the backward pass, else NULL */
} pass;

/* pass_dropout: the dropout key of a site: 0 the input of the stack, then three of each layer.
 * pass_self, pass_cross: the pass as the self- or cross-attention of layer index sees it.
 * pass_attention: the shape of an attention over S keys.
 * pass_relate: takes the biases of relative positions from their table, once a pass. */
uint32_t pass_dropout(const pass *p, size_t site);
pass pass_self(const pass *p, size_t index);
pass pass_cross(const pass *p);
attention_shape pass_attention(const pass *p, size_t S);
void pass_relate(const pass *p);

/* pass_rotate: the rows of this run, (B,T,heads D), turned by their positions, or back; y may equal x.
 * attention_query, attention_key: what the scores read: queries and keys as they are, or normalised, or turned. */
void pass_rotate(const pass *p, float *y, const float *x, size_t heads, bool back);
float *attention_query(const attention_tensors *t);
float *attention_key(const attention_tensors *t);

/* sublayer_target: where a sublayer writes its output, and what it adds to it, (B,T,C) or NULL. */
typedef struct sublayer_target {
    float *to;
    const float *residual;
} sublayer_target;

/* exchange: an array of rows, so many floats apart, of which slice i has computed the columns from begin[i] up to
 * begin[i+1]; before the next step each needs the others'. first: the first slice alone does, and the arrays of the
 * others begin with their own columns. */
enum { MOST_SLICES = 64 };
typedef struct exchange {
    float *to;
    size_t row, rows, first, begin[MOST_SLICES + 1];
} exchange;

/* multihead_forward: out.to = out.residual + concat(heads) W_o + b_o,
 *   head_h = attention(r(x W_q,h), r(m W_k,g), m W_v,g), m = memory or x, g = floor(h G / H)
 *   r normalises (c->qk_norm), then turns by the positions (p->rotation), or neither
 * out   out.to (B,T,C) and the intermediates that t has
 * in    x (B,T,C): queries; memory (B,S,C): keys and values, or NULL for self-attention, whose
 *       keys and values come after those of the p->past positions before
 *       p->past > 0 with a memory: its keys and values are taken from the first run
 * source Vaswani et al. 2017, section 3.2.2; Ainslie et al. 2023, section 2.2 (groups); in_proj_weight as in
 *       PyTorch: rows of q, k, v */
void multihead_forward(attention_tensors *t, sublayer_target out, const float *x,
                       const float *memory, const pass *p);

/* ffn_forward: out.to = out.residual + a W_2^T + b_2 for B T rows, each on its own, with
 *   plain   a = f(x W_1^T + b_1)                      (Vaswani et al. 2017, section 3.3)
 *   gated   a = f(x W_1^T + b_1) * (x W_3^T + b_3)    (Shazeer 2020, equation 6) */
void ffn_forward(ffn_tensors *t, sublayer_target out, const float *x, const pass *p);

/* norm_of_forward: t->out = LayerNorm(x), or RMSNorm(x), of R rows with t's parameters, if any. */
void norm_of_forward(norm_tensors *t, const float *x, size_t R, const model_config *c);

/* block_step: encoder or decoder layer number index, in the order that c->norm says:
 *   post  x = norm(x + sublayer(x))         (Vaswani et al. 2017, section 3.1)
 *   pre   x = x + sublayer(norm(x))         (Wang et al. 2019; analysed by Xiong et al. 2020)
 *   none  x = x + sublayer(x);  without residual the "x +" is left out
 * and where c->parallel  x = x + attention(norm1(x)) + ffn(norm2(x))   (Wang and Komatsuzaki 2021, GPT-J),
 * in BLOCK_STEPS steps, each given what the one before returned, the first x (B,T,C): of each sublayer, the input of
 * its last product, that product, and what comes after. The last returns the result, which stands in the layer's own
 * last tensor. Of a slice (p->n.slice) they compute its own columns, and fill in the exchange that is due before the
 * next step. pass_exchange: fills in one. */
enum { BLOCK_STEPS = 9 };
const float *block_step(layer_tensors *t, const float *x, const pass *p, size_t index, size_t step,
                        exchange *due);
void pass_exchange(const pass *p, exchange *due, float *to, size_t row, share what);

/* The backward passes (block_backward.c). d holds the gradients of t: those of weights are added to, those of
 * activations, where they exist (capture), written: of what later computations read, so that of a
 * patched number is that of the patch. p as in the forward pass, with a workspace.
 *
 * block_backward: g (B,T,C), the gradient of the layer's result, becomes that of its input x;
 *   dmemory (B,S,C) is added to, where there is cross-attention.
 * multihead_backward, ffn_backward: dx (B,T,C) is written, given dy, which may change, and of ffn_backward
 *   may be NULL; dmemory as above, or NULL for self-attention.
 * norm_of_backward: g in place; x as norm_of_forward had it. */
void block_backward(layer_tensors *t, layer_tensors *d, float *g, float *dmemory, const float *x,
                    const pass *p, size_t index);
void multihead_backward(attention_tensors *t, attention_tensors *d, float *dx, float *dmemory,
                        float *dy, const float *x, const float *memory, const pass *p);
void ffn_backward(ffn_tensors *t, ffn_tensors *d, float *dx, float *hidden, float *dy,
                  const float *x, size_t R, const pass *p);
void norm_of_backward(norm_tensors *t, norm_tensors *d, float *g, const float *x, size_t R,
                      const pass *p);

/* pass_patch: applies the pass's patches to n floats that were just computed; x may be NULL. */
void pass_patch(const pass *p, float *x, size_t n);

/* pass_gradient: patches_backward with the pass's patches, of n floats that stand in x. */
void pass_gradient(const pass *p, float *captured, float *g, const float *x, size_t n);

#endif
