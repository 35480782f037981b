#include "block.h"

#include <math.h>
#include <string.h>

#include "../kernel/activation.h"
#include "../kernel/dropout.h"
#include "../kernel/elementwise.h"
#include "../kernel/matmul.h"
#include "../kernel/norm.h"
#include "../op/attention.h"

void layer_patch(const pass *p, float *x, size_t n) {
    if (x) {
        patches_apply(p->patches, x, n);
    }
}

/* Part 0, 1 or 2 (q, k, v) of the input projection of R rows. */
static void project(float *out, const attention_tensors *t, size_t part, const float *x, size_t R,
                    const pass *p) {
    size_t C = p->n.C;
    const float *bias = t->in_proj_bias ? t->in_proj_bias + part * C : NULL;
    linear_forward(out, x, t->in_proj_weight + part * C * C, (matmul_epilogue){.bias = bias}, R, C,
                   C);
    layer_patch(p, out, R * C);
}

static attention_shape multihead_shape(const pass *p, size_t S) {
    const model_dims *n = &p->n;
    return (attention_shape){
        .B = n->B,
        .T = n->T,
        .S = S,
        .H = n->H,
        .D = n->D,
        .query_room = p->room,
        .key_room = n->K,
        .past = p->past,
        .scale = (n->c->score_scale ? 1 / sqrtf((float)n->D) : 1) / p->temperature,
        .causal = p->causal,
    };
}

void multihead_forward(attention_tensors *t, outlet out, const float *x, const float *memory,
                       const pass *p) {
    const model_dims *n = &p->n;
    size_t B = n->B, T = n->T, C = n->C, S = memory ? n->S : p->past + T;
    project(t->query, t, 0, x, B * T, p);
    if (!memory) { /* a cache has B = 1, so a run of rows is contiguous */
        project(t->key + p->past * C, t, 1, x, B * T, p);
        project(t->value + p->past * C, t, 2, x, B * T, p);
    } else if (p->past == 0) {
        project(t->key, t, 1, memory, B * S, p);
        project(t->value, t, 2, memory, B * S, p);
    }
    attention_maps maps = {t->scores, t->scaled, t->masked, t->weights, p->patches};
    attention_masks masks = {p->padding, p->mask};
    attention_forward(t->concat, maps, p->scratch, t->query, t->key, t->value, masks,
                      multihead_shape(p, S));
    layer_patch(p, t->concat, B * T * C);
    matmul_epilogue epilogue = {.bias = t->out_proj_bias, .residual = out.residual};
    linear_forward(out.to, t->concat, t->out_proj_weight, epilogue, B * T, C, C);
    layer_patch(p, out.to, B * T * C);
}

void ffn_forward(ffn_tensors *t, outlet out, const float *x, size_t R, const pass *p) {
    const model_config *c = p->n.c;
    size_t C = (size_t)c->d_model, F = (size_t)c->d_ff;
    float *active = t->activation ? t->activation : t->pre_activation;
    /* ReLU costs nothing on the way, where nobody asks for what stood before it */
    bool relu = c->activation == ACTIVATION_RELU && !t->activation;
    matmul_epilogue epilogue = {.bias = t->linear1_bias, .relu = relu};
    linear_forward(t->pre_activation, x, t->linear1_weight, epilogue, R, C, F);
    layer_patch(p, t->pre_activation, R * F);
    if (!relu) {
        activation_forward(active, t->pre_activation, R * F, (activation)c->activation);
        layer_patch(p, active, R * F);
    }
    epilogue = (matmul_epilogue){.bias = t->linear2_bias, .residual = out.residual};
    linear_forward(out.to, active, t->linear2_weight, epilogue, R, F, C);
    layer_patch(p, out.to, R * C);
}

void layer_norm_forward(norm_tensors *t, const float *x, size_t R, const model_config *c) {
    norm_forward(t->out, t->mean, t->variance, x, t->weight, t->bias, c->epsilon, R,
                 (size_t)c->d_model);
}

/* What a sublayer reads: x, under pre-LN normalised. */
static const float *enter(norm_tensors *norm, const float *x, const pass *p) {
    if (p->n.c->norm != NORM_PRE) {
        return x;
    }
    layer_norm_forward(norm, x, p->n.B * p->n.T, p->n.c);
    layer_patch(p, norm->out, p->n.B * p->n.T * p->n.C);
    return norm->out;
}

/* Each layer has three places for dropout, one after each sublayer. */
static uint32_t site_key(const pass *p, size_t site) {
    return dropout_key(p->noise, 0, (uint32_t)site + 1);
}

/* A sublayer adds its input itself, unless its own contribution is wanted as well. */
static bool adds(const pass *p) { return p->n.c->residual && !p->n.capture && !p->n.train; }
static outlet outlet_of(float *branch, float *sum, const float *x, const pass *p) {
    return adds(p) ? (outlet){sum, x} : (outlet){branch, NULL};
}

/* What it hands on: the residual sum, under post-LN normalised. */
static const float *leave(norm_tensors *norm, float *sum, const float *x, float *branch,
                          const pass *p, size_t site) {
    size_t R = p->n.B * p->n.T;
    const float *y = branch;
    if (p->dropout > 0) {
        dropout_apply(branch, branch, R * p->n.C, p->dropout, site_key(p, site));
    }
    if (p->n.c->residual) {
        y = sum;
        if (!adds(p)) {
            add_forward(sum, x, branch, R * p->n.C);
            layer_patch(p, sum, R * p->n.C);
        }
    }
    if (p->n.c->norm != NORM_POST) {
        return y;
    }
    layer_norm_forward(norm, y, R, p->n.c);
    layer_patch(p, norm->out, R * p->n.C);
    return norm->out;
}

static pass cross_pass(const pass *p) {
    pass cross = *p;
    cross.n = dims_cross(p->n);
    cross.padding = p->memory_padding;
    cross.mask = NULL;
    cross.causal = false;
    return cross;
}

const float *layer_forward(layer_tensors *t, const float *x, const pass *p, size_t index) {
    size_t site = 3 * index;
    outlet out = outlet_of(t->self_attn.out, t->residual1, x, p);
    multihead_forward(&t->self_attn, out, enter(&t->norm1, x, p), NULL, p);
    x = leave(&t->norm1, t->residual1, x, t->self_attn.out, p, site);
    if (p->n.cross) {
        pass cross = cross_pass(p);
        out = outlet_of(t->cross_attn.out, t->residual2, x, p);
        multihead_forward(&t->cross_attn, out, enter(&t->norm2, x, p), p->memory, &cross);
        x = leave(&t->norm2, t->residual2, x, t->cross_attn.out, p, site + 1);
    }
    if (p->n.F > 0) {
        out = outlet_of(t->ffn.out, t->residual3, x, p);
        ffn_forward(&t->ffn, out, enter(&t->norm3, x, p), p->n.B * p->n.T, p);
        x = leave(&t->norm3, t->residual3, x, t->ffn.out, p, site + 2);
    }
    return x;
}

void layer_note(float *to, const float *from, size_t n) {
    if (to) {
        memcpy(to, from, n * sizeof *to);
    }
}

void layer_norm_backward(norm_tensors *t, norm_tensors *d, float *g, const float *x, size_t R,
                         const model_config *c) {
    size_t C = (size_t)c->d_model;
    layer_note(d->out, g, R * C);
    norm_backward(g, d->weight, d->bias, g, x, t->weight, c->epsilon, R, C);
}

void ffn_backward(ffn_tensors *t, ffn_tensors *d, float *dx, float *hidden, const float *dy,
                  const float *x, size_t R, const model_config *c) {
    size_t C = (size_t)c->d_model, F = (size_t)c->d_ff;
    layer_note(d->out, dy, R * C);
    linear_backward(hidden, false, d->linear2_weight, d->linear2_bias, dy, t->activation,
                    t->linear2_weight, R, F, C);
    layer_note(d->activation, hidden, R * F);
    activation_backward(hidden, hidden, t->pre_activation, R * F, (activation)c->activation);
    layer_note(d->pre_activation, hidden, R * F);
    linear_backward(dx, false, d->linear1_weight, d->linear1_bias, hidden, x, t->linear1_weight, R,
                    C, F);
}

/* Part 0, 1 or 2 (q, k, v) of the input projection, backward: dx += dy W_part. */
static void project_backward(float *dx, bool add_dx, attention_tensors *t, attention_tensors *d,
                             size_t part, const float *dy, const float *x, size_t R, size_t C) {
    size_t at = part * C * C;
    linear_backward(dx, add_dx, d->in_proj_weight + at,
                    d->in_proj_bias ? d->in_proj_bias + part * C : NULL, dy, x,
                    t->in_proj_weight + at, R, C, C);
}

void multihead_backward(attention_tensors *t, attention_tensors *d, float *dx, float *dmemory,
                        const float *dy, const float *x, const float *memory, const pass *p) {
    const model_dims *n = &p->n;
    const workspace_tensors *w = p->workspace;
    size_t B = n->B, T = n->T, C = n->C, S = memory ? n->S : T;
    layer_note(d->out, dy, B * T * C);
    linear_backward(w->concat, false, d->out_proj_weight, d->out_proj_bias, dy, t->concat,
                    t->out_proj_weight, B * T, C, C);
    layer_note(d->concat, w->concat, B * T * C);
    attention_backward(w->query, w->key, w->value, d->weights, w->maps, w->concat, t->query, t->key,
                       t->value, t->weights, multihead_shape(p, S));
    layer_note(d->query, w->query, B * T * C);
    layer_note(d->key, w->key, B * S * C);
    layer_note(d->value, w->value, B * S * C);
    project_backward(dx, false, t, d, 0, w->query, x, B * T, C);
    float *to = memory ? dmemory : dx;
    const float *from = memory ? memory : x;
    project_backward(to, true, t, d, 1, w->key, from, B * S, C);
    project_backward(to, true, t, d, 2, w->value, from, B * S, C);
}

/* What leave handed on: where a sublayer's contribution to the stream stands. */
static const float *left(const norm_tensors *norm, const float *sum, const float *branch,
                         const model_config *c) {
    return c->norm == NORM_POST ? norm->out : c->residual ? sum : branch;
}

/* Backward through leave: g becomes the gradient of the sum; returns that of the branch. */
static const float *leave_backward(norm_tensors *norm, norm_tensors *d, float *dsum, float *g,
                                   const float *sum, const float *branch, const pass *p,
                                   size_t site) {
    size_t R = p->n.B * p->n.T;
    if (p->n.c->norm == NORM_POST) {
        layer_norm_backward(norm, d, g, p->n.c->residual ? sum : branch, R, p->n.c);
    }
    layer_note(dsum, g, R * p->n.C);
    if (p->dropout == 0) {
        return g;
    }
    dropout_apply(p->workspace->dropped, g, R * p->n.C, p->dropout, site_key(p, site));
    return p->workspace->dropped;
}

/* Backward through enter: dx, the gradient of what the sublayer read, joins g. */
static void enter_backward(norm_tensors *norm, norm_tensors *d, float *g, float *dx, const float *x,
                           const pass *p) {
    size_t R = p->n.B * p->n.T;
    if (p->n.c->norm == NORM_PRE) {
        layer_norm_backward(norm, d, dx, x, R, p->n.c);
    }
    if (p->n.c->residual) {
        add_forward(g, g, dx, R * p->n.C);
    } else {
        memcpy(g, dx, R * p->n.C * sizeof *g);
    }
}

/* What the sublayer itself read. */
static const float *entered(const norm_tensors *norm, const float *x, const model_config *c) {
    return c->norm == NORM_PRE ? norm->out : x;
}

void layer_backward(layer_tensors *t, layer_tensors *d, float *g, float *dmemory, const float *x,
                    const pass *p, size_t index) {
    const model_config *c = p->n.c;
    float *dx = p->workspace->branch;
    size_t site = 3 * index;
    const float *x1 = left(&t->norm1, t->residual1, t->self_attn.out, c);
    const float *x2 = p->n.cross ? left(&t->norm2, t->residual2, t->cross_attn.out, c) : x1;
    if (p->n.F > 0) {
        const float *dy = leave_backward(&t->norm3, &d->norm3, d->residual3, g, t->residual3,
                                         t->ffn.out, p, site + 2);
        ffn_backward(&t->ffn, &d->ffn, dx, p->workspace->hidden, dy, entered(&t->norm3, x2, c),
                     p->n.B * p->n.T, c);
        enter_backward(&t->norm3, &d->norm3, g, dx, x2, p);
    }
    if (p->n.cross) {
        pass cross = cross_pass(p);
        const float *dy = leave_backward(&t->norm2, &d->norm2, d->residual2, g, t->residual2,
                                         t->cross_attn.out, p, site + 1);
        multihead_backward(&t->cross_attn, &d->cross_attn, dx, dmemory, dy,
                           entered(&t->norm2, x1, c), p->memory, &cross);
        enter_backward(&t->norm2, &d->norm2, g, dx, x1, p);
    }
    const float *dy = leave_backward(&t->norm1, &d->norm1, d->residual1, g, t->residual1,
                                     t->self_attn.out, p, site);
    multihead_backward(&t->self_attn, &d->self_attn, dx, NULL, dy, entered(&t->norm1, x, c), NULL,
                       p);
    enter_backward(&t->norm1, &d->norm1, g, dx, x, p);
}
