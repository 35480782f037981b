#include <string.h>

#include "../kernel/activation.h"
#include "../kernel/dropout.h"
#include "../kernel/elementwise.h"
#include "../kernel/matmul.h"
#include "../kernel/norm.h"
#include "../op/attention.h"
#include "block.h"

void pass_gradient(const pass *p, float *captured, float *g, const float *x, size_t n) {
    patches_backward(p->patches, captured, g, x, n);
}

void norm_of_backward(norm_tensors *t, norm_tensors *d, float *g, const float *x, size_t R,
                      const pass *p) {
    size_t C = p->n.C;
    pass_gradient(p, d->out, g, t->out, R * C);
    if (p->n.c->norm_kind == NORM_RMS) {
        rms_norm_backward(g, d->weight, g, x, t->weight, p->n.c->epsilon, R, C);
    } else {
        norm_backward(g, d->weight, d->bias, g, x, t->weight, p->n.c->epsilon, R, C);
    }
}

void ffn_backward(ffn_tensors *t, ffn_tensors *d, float *dx, float *hidden, float *dy,
                  const float *x, size_t R, const pass *p) {
    const model_config *c = p->n.c;
    size_t C = (size_t)c->d_model, F = (size_t)c->d_ff;
    pass_gradient(p, d->out, dy, t->out, R * C);
    bool gated = c->ffn_kind == FFN_GATED;
    float *up = p->workspace->up;
    linear_backward(hidden, false, d->linear2_weight, d->linear2_bias, dy,
                    gated ? t->product : t->activation, t->linear2_weight, R, F, C);
    if (gated) {
        pass_gradient(p, d->product, hidden, t->product, R * F);
        multiply_forward(up, hidden, t->activation, R * F);
        multiply_forward(hidden, hidden, t->up, R * F);
        pass_gradient(p, d->up, up, t->up, R * F);
    }
    pass_gradient(p, d->activation, hidden, t->activation, R * F);
    if (c->activation == ACTIVATION_TOP_K) {
        top_k_backward(hidden, hidden, t->pre_activation, R, F, (size_t)c->active);
    } else {
        activation_backward(hidden, hidden, t->pre_activation, R * F, (activation)c->activation);
    }
    pass_gradient(p, d->pre_activation, hidden, t->pre_activation, R * F);
    linear_backward(dx, false, d->linear1_weight, d->linear1_bias, hidden, x, t->linear1_weight, R,
                    C, F);
    if (gated) {
        linear_backward(dx, true, d->linear3_weight, d->linear3_bias, up, x, t->linear3_weight, R,
                        C, F);
    }
}

/* Rows from .. from + out of the input projection, backward: dx += dy W_part. */
static void project_backward(float *dx, bool add_dx, attention_tensors *t, attention_tensors *d,
                             size_t from, size_t out, const float *dy, const float *x, size_t R,
                             size_t C) {
    linear_backward(dx, add_dx, d->in_proj_weight + from * C,
                    d->in_proj_bias ? d->in_proj_bias + from : NULL, dy, x,
                    t->in_proj_weight + from * C, R, C, out);
}

/* position_heads, backward, of queries or keys: g, (R, heads D), in place. */
typedef struct heads_tensors {
    float *x, *normed, *rotated, *gain;
} heads_tensors;

static void position_heads_backward(heads_tensors t, heads_tensors d, float *g, size_t heads,
                                    size_t R, const pass *p) {
    size_t D = p->n.D, count = R * heads;
    if (t.rotated) {
        pass_gradient(p, d.rotated, g, t.rotated, count * D);
        pass_rotate(p, g, g, heads, true);
    }
    if (t.normed) {
        pass_gradient(p, d.normed, g, t.normed, count * D);
        rms_norm_backward(g, d.gain, g, t.x, t.gain, p->n.c->epsilon, count, D);
    }
    pass_gradient(p, d.x, g, t.x, count * D);
}

static heads_tensors queries_of(const attention_tensors *t) {
    return (heads_tensors){t->query, t->query_normed, t->query_rotated, t->query_norm};
}

static heads_tensors keys_of(const attention_tensors *t) {
    return (heads_tensors){t->key, t->key_normed, t->key_rotated, t->key_norm};
}

void multihead_backward(attention_tensors *t, attention_tensors *d, float *dx, float *dmemory,
                        float *dy, const float *x, const float *memory, const pass *p) {
    const model_dims *n = &p->n;
    const workspace_tensors *w = p->workspace;
    size_t B = n->B, T = n->T, C = n->C, A = n->A, E = n->E, S = memory ? n->S : T;
    attention_maps maps = {t->scores, t->scaled, t->masked, t->weights, p->patches, {0}};
    attention_maps gradients = {d->scores, d->scaled, d->masked, d->weights, p->patches, {0}};
    relative_positions r = config_relative(n->c, n->both_ways);
    size_t after = r.both ? n->H * T : 0;
    if (p->relative) {
        memset(w->by_distance, 0, 2 * n->H * T * sizeof(float));
        gradients.bias = (attention_bias){w->by_distance, T, after};
    }
    pass_gradient(p, d->out, dy, t->out, B * T * C);
    linear_backward(w->concat, false, d->out_proj_weight, d->out_proj_bias, dy, t->concat,
                    t->out_proj_weight, B * T, A, C);
    pass_gradient(p, d->concat, w->concat, t->concat, B * T * A);
    attention_backward(w->query, w->key, w->value, gradients, w->maps, w->concat,
                       attention_query(t), attention_key(t), t->value, maps, pass_attention(p, S));
    for (int later = 0; p->relative && later <= r.both; later++) {
        relative_backward(p->drelative->weight, w->by_distance + (later ? after : 0), n->H,
                          1 / p->temperature, n->H, T, later, r);
    }
    position_heads_backward(queries_of(t), queries_of(d), w->query, n->H, B * T, p);
    position_heads_backward(keys_of(t), keys_of(d), w->key, n->G, B * S, p);
    pass_gradient(p, d->value, w->value, t->value, B * S * E);
    project_backward(dx, false, t, d, 0, A, w->query, x, B * T, C);
    float *to = memory ? dmemory : dx;
    const float *from = memory ? memory : x;
    project_backward(to, true, t, d, A, E, w->key, from, B * S, C);
    project_backward(to, true, t, d, A + E, E, w->value, from, B * S, C);
}

/* Recovers the result of add_norm_forward: the state of the stream after a sublayer. */
static const float *sublayer_output(const norm_tensors *norm, const float *sum, const float *branch,
                                    const model_config *c) {
    return c->norm == NORM_POST ? norm->out : c->residual ? sum : branch;
}

/* Backward through add_norm_forward: g becomes the gradient of the sum; returns that of the
 * branch, which is g itself where nothing is to change in the branch alone. */
static float *add_norm_backward(norm_tensors *norm, norm_tensors *d, float *dsum, float *g,
                                const float *sum, const float *branch, const pass *p, size_t site) {
    size_t R = p->n.B * p->n.T;
    if (p->n.c->norm == NORM_POST) {
        norm_of_backward(norm, d, g, p->n.c->residual ? sum : branch, R, p);
    }
    pass_gradient(p, dsum, g, sum, R * p->n.C);
    if (p->dropout > 0) {
        dropout_apply(p->workspace->dropped, g, R * p->n.C, p->dropout, pass_dropout(p, site + 1));
        return p->workspace->dropped;
    }
    if (p->patches) {
        return memcpy(p->workspace->dropped, g, R * p->n.C * sizeof *g);
    }
    return g;
}

/* Backward through sublayer_input_forward: dx, the gradient of the sublayer's input, is added to g,
 * or without residual replaces it. */
static void sublayer_input_backward(norm_tensors *norm, norm_tensors *d, float *g, float *dx,
                                    const float *x, const pass *p) {
    size_t R = p->n.B * p->n.T;
    if (p->n.c->norm == NORM_PRE) {
        norm_of_backward(norm, d, dx, x, R, p);
    }
    if (p->n.c->residual) {
        add_forward(g, g, dx, R * p->n.C);
    } else {
        memcpy(g, dx, R * p->n.C * sizeof *g);
    }
}

/* Recovers the result of sublayer_input_forward. */
static const float *sublayer_input(const norm_tensors *norm, const float *x,
                                   const model_config *c) {
    return c->norm == NORM_PRE ? norm->out : x;
}

void block_backward(layer_tensors *t, layer_tensors *d, float *g, float *dmemory, const float *x,
                    const pass *p, size_t index) {
    const model_config *c = p->n.c;
    float *dx = p->workspace->branch, *beside = p->workspace->beside;
    size_t site = 3 * index;
    const float *x1 =
        p->n.H > 0 ? sublayer_output(&t->norm1, t->residual1, t->self_attn.out, c) : x;
    const float *x2 =
        p->n.cross ? sublayer_output(&t->norm2, t->residual2, t->cross_attn.out, c) : x1;
    if (p->n.F > 0) {
        float *dy = add_norm_backward(&t->norm3, &d->norm3, d->residual3, g, t->residual3,
                                      t->ffn.out, p, site + 2);
        ffn_backward(&t->ffn, &d->ffn, c->parallel ? beside : dx, p->workspace->hidden, dy,
                     sublayer_input(&t->norm3, x2, c), p->n.B * p->n.T, p);
        if (c->parallel) { /* added where attention has added its own */
            norm_of_backward(&t->norm3, &d->norm3, beside, x, p->n.B * p->n.T, p);
        } else {
            sublayer_input_backward(&t->norm3, &d->norm3, g, dx, x2, p);
        }
    }
    if (p->n.cross) {
        pass cross = pass_cross(p);
        float *dy = add_norm_backward(&t->norm2, &d->norm2, d->residual2, g, t->residual2,
                                      t->cross_attn.out, p, site + 1);
        multihead_backward(&t->cross_attn, &d->cross_attn, dx, dmemory, dy,
                           sublayer_input(&t->norm2, x1, c), p->memory, &cross);
        sublayer_input_backward(&t->norm2, &d->norm2, g, dx, x1, p);
    }
    if (p->n.H > 0) {
        pass self = pass_self(p, index);
        float *dy = add_norm_backward(&t->norm1, &d->norm1, d->residual1, g, t->residual1,
                                      t->self_attn.out, p, site);
        multihead_backward(&t->self_attn, &d->self_attn, dx, NULL, dy,
                           sublayer_input(&t->norm1, x, c), NULL, &self);
        sublayer_input_backward(&t->norm1, &d->norm1, g, dx, x, p);
    }
    if (c->parallel) {
        add_forward(g, g, beside, p->n.B * p->n.T * p->n.C);
    }
}
