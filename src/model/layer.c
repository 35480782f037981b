#include "layer.h"

#include <math.h>

#include "../kernel/activation.h"
#include "../kernel/add.h"
#include "../kernel/matmul.h"
#include "../kernel/norm.h"
#include "../layer/attention.h"

/* Part 0, 1 or 2 (q, k, v) of the input projection of R rows. */
static void project(float *out, const attention_tensors *t, size_t part, const float *x, size_t R,
                    size_t C) {
    const float *bias = t->in_proj_bias ? t->in_proj_bias + part * C : NULL;
    linear_forward(out, x, t->in_proj_weight + part * C * C, bias, R, C, C);
}

void multihead_forward(attention_tensors *t, const float *x, const float *memory, const pass *p) {
    const dims *n = &p->n;
    size_t B = n->B, T = n->T, C = n->C, S = memory ? n->S : p->past + T;
    project(t->query, t, 0, x, B * T, C);
    if (!memory) { /* a cache has B = 1, so a run of rows is contiguous */
        project(t->key + p->past * C, t, 1, x, B * T, C);
        project(t->value + p->past * C, t, 2, x, B * T, C);
    } else if (p->past == 0) {
        project(t->key, t, 1, memory, B * S, C);
        project(t->value, t, 2, memory, B * S, C);
    }
    attention_maps maps = {t->scores, t->scaled, t->masked, t->weights};
    attention_masks masks = {p->padding, p->mask};
    attention_shape shape = {
        .B = B,
        .T = T,
        .S = S,
        .H = n->H,
        .D = n->D,
        .query_room = p->room,
        .key_room = n->K,
        .past = p->past,
        .scale = n->c->score_scale ? 1 / sqrtf((float)n->D) : 1,
        .causal = p->causal,
    };
    attention_forward(t->concat, maps, p->scratch, t->query, t->key, t->value, masks, shape);
    linear_forward(t->out, t->concat, t->out_proj_weight, t->out_proj_bias, B * T, C, C);
}

void ffn_forward(ffn_tensors *t, const float *x, size_t R, const config *c) {
    size_t C = (size_t)c->d_model, F = (size_t)c->d_ff;
    linear_forward(t->pre_activation, x, t->linear1_weight, t->linear1_bias, R, C, F);
    float *active = t->activation ? t->activation : t->pre_activation;
    activation_forward(active, t->pre_activation, R * F, (activation)c->activation);
    linear_forward(t->out, active, t->linear2_weight, t->linear2_bias, R, F, C);
}

void layer_norm_forward(norm_tensors *t, const float *x, size_t R, const config *c) {
    norm_forward(t->out, t->mean, t->variance, x, t->weight, t->bias, c->epsilon, R,
                 (size_t)c->d_model);
}

/* What a sublayer reads: x, under pre-LN normalised. */
static const float *enter(norm_tensors *norm, const float *x, const pass *p) {
    if (p->n.c->norm != NORM_PRE) {
        return x;
    }
    layer_norm_forward(norm, x, p->n.B * p->n.T, p->n.c);
    return norm->out;
}

/* What it hands on: the residual sum, under post-LN normalised. */
static const float *leave(norm_tensors *norm, float *sum, const float *x, const float *branch,
                          const pass *p) {
    size_t R = p->n.B * p->n.T;
    const float *y = branch;
    if (p->n.c->residual) {
        add_forward(sum, x, branch, R * p->n.C);
        y = sum;
    }
    if (p->n.c->norm != NORM_POST) {
        return y;
    }
    layer_norm_forward(norm, y, R, p->n.c);
    return norm->out;
}

const float *layer_forward(layer_tensors *t, const float *x, const pass *p) {
    multihead_forward(&t->self_attn, enter(&t->norm1, x, p), NULL, p);
    x = leave(&t->norm1, t->residual1, x, t->self_attn.out, p);
    if (p->n.cross) {
        pass cross = *p;
        cross.n = dims_cross(p->n);
        cross.padding = p->memory_padding;
        cross.mask = NULL;
        cross.causal = false;
        multihead_forward(&t->cross_attn, enter(&t->norm2, x, p), p->memory, &cross);
        x = leave(&t->norm2, t->residual2, x, t->cross_attn.out, p);
    }
    if (p->n.F > 0) {
        ffn_forward(&t->ffn, enter(&t->norm3, x, p), p->n.B * p->n.T, p->n.c);
        x = leave(&t->norm3, t->residual3, x, t->ffn.out, p);
    }
    return x;
}
