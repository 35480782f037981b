#include "block.h"

#include <math.h>

#include "../kernel/activation.h"
#include "../kernel/dropout.h"
#include "../kernel/elementwise.h"
#include "../kernel/matmul.h"
#include "../kernel/norm.h"
#include "../kernel/packed.h"
#include "../op/attention.h"

void pass_patch(const pass *p, float *x, size_t n) { patches_apply(p->patches, x, n); }

/* Part 0, 1 or 2 (q, k, v) of the input projection of R rows. */
static void project(float *out, const attention_tensors *t, size_t part, const float *x, size_t R,
                    const pass *p) {
    size_t C = p->n.C;
    const float *bias = t->in_proj_bias ? t->in_proj_bias + part * C : NULL;
    weight_type type = (weight_type)p->n.c->weights;
    packed_unit row = packed_row(C, type);
    const char *weight = (const char *)t->in_proj_weight + part * C * row.count * row.bytes;
    linear_forward(out, x, weight, type, (matmul_epilogue){.bias = bias}, R, C, C);
    pass_patch(p, out, R * C);
}

attention_shape pass_attention(const pass *p, size_t S) {
    const model_dims *n = &p->n;
    return (attention_shape){
        .B = n->B,
        .T = n->T,
        .S = S,
        .H = n->H,
        .D = n->D,
        .E = n->D,
        .query_stride = p->stride,
        .key_stride = n->K,
        .past = p->past,
        .scale = (n->c->score_scale ? 1 / sqrtf((float)n->D) : 1) / p->temperature,
        .causal = p->causal,
        .window = p->window,
    };
}

void multihead_forward(attention_tensors *t, sublayer_target out, const float *x,
                       const float *memory, const pass *p) {
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
    if (p->resumed && maps.scores && !memory) {
        attention_widen(maps, t->query, t->key, pass_attention(p, S));
    }
    attention_forward(t->concat, maps, p->scratch, t->query, t->key, t->value, masks,
                      pass_attention(p, S));
    pass_patch(p, t->concat, B * T * C);
    matmul_epilogue epilogue = {.bias = t->out_proj_bias, .residual = out.residual};
    linear_forward(out.to, t->concat, t->out_proj_weight, (weight_type)n->c->weights, epilogue,
                   B * T, C, C);
    pass_patch(p, out.to, B * T * C);
}

void ffn_forward(ffn_tensors *t, sublayer_target out, const float *x, size_t R, const pass *p) {
    const model_config *c = p->n.c;
    size_t C = (size_t)c->d_model, F = (size_t)c->d_ff;
    float *active = t->activation ? t->activation : t->pre_activation;
    weight_type type = (weight_type)c->weights;
    /* where the pre-activation is not captured, ReLU is part of the product's epilogue */
    bool relu = c->activation == ACTIVATION_RELU && !t->activation;
    matmul_epilogue epilogue = {.bias = t->linear1_bias, .relu = relu};
    linear_forward(t->pre_activation, x, t->linear1_weight, type, epilogue, R, C, F);
    pass_patch(p, t->pre_activation, R * F);
    if (!relu) {
        activation_forward(active, t->pre_activation, R * F, (activation)c->activation);
        pass_patch(p, active, R * F);
    }
    epilogue = (matmul_epilogue){.bias = t->linear2_bias, .residual = out.residual};
    linear_forward(out.to, active, t->linear2_weight, type, epilogue, R, F, C);
    pass_patch(p, out.to, R * C);
}

void layer_norm_forward(norm_tensors *t, const float *x, size_t R, const model_config *c) {
    norm_forward(t->out, t->mean, t->variance, x, t->weight, t->bias, c->epsilon, R,
                 (size_t)c->d_model);
}

/* The input of a sublayer: x, under pre-LN normalised. */
static const float *sublayer_input_forward(norm_tensors *norm, const float *x, const pass *p) {
    if (p->n.c->norm != NORM_PRE) {
        return x;
    }
    layer_norm_forward(norm, x, p->n.B * p->n.T, p->n.c);
    pass_patch(p, norm->out, p->n.B * p->n.T * p->n.C);
    return norm->out;
}

uint32_t pass_dropout(const pass *p, size_t site) {
    uint32_t key = dropout_key(p->dropout_key, 0, (uint32_t)site);
    return dropout_from(key, (uint32_t)(p->first * p->n.T * p->n.C));
}

/* The residual is added in the epilogue of a sublayer's last product, unless its output is kept on
 * its own as well, for capture or for the backward pass. */
static bool fuses_residual(const pass *p) {
    return p->n.c->residual && !p->n.capture && !p->n.train;
}
static sublayer_target target_of(float *branch, float *sum, const float *x, const pass *p) {
    return fuses_residual(p) ? (sublayer_target){sum, x} : (sublayer_target){branch, NULL};
}

/* From a sublayer's output (branch) to the stream: dropout, x + branch (already in sum where it was
 * fused), under post-LN the norm of that. Returns where the new state of the stream is. */
static const float *add_norm_forward(norm_tensors *norm, float *sum, const float *x, float *branch,
                                     const pass *p, size_t site) {
    size_t R = p->n.B * p->n.T;
    const float *y = branch;
    if (p->dropout > 0) {
        dropout_apply(branch, branch, R * p->n.C, p->dropout, pass_dropout(p, site + 1));
    }
    if (p->n.c->residual) {
        y = sum;
        if (!fuses_residual(p)) {
            add_forward(sum, x, branch, R * p->n.C);
            pass_patch(p, sum, R * p->n.C);
        }
    }
    if (p->n.c->norm != NORM_POST) {
        return y;
    }
    layer_norm_forward(norm, y, R, p->n.c);
    pass_patch(p, norm->out, R * p->n.C);
    return norm->out;
}

pass pass_cross(const pass *p) {
    pass cross = *p;
    cross.n = dims_cross(p->n);
    cross.padding = p->memory_padding;
    cross.mask = NULL;
    cross.causal = false;
    return cross;
}

pass pass_self(const pass *p, size_t index) {
    pass self = *p;
    self.window = config_window(p->n.c, index);
    return self;
}

const float *block_forward(layer_tensors *t, const float *x, const pass *p, size_t index) {
    size_t site = 3 * index;
    sublayer_target out;
    if (p->n.H > 0) {
        pass self = pass_self(p, index);
        out = target_of(t->self_attn.out, t->residual1, x, p);
        multihead_forward(&t->self_attn, out, sublayer_input_forward(&t->norm1, x, p), NULL, &self);
        x = add_norm_forward(&t->norm1, t->residual1, x, t->self_attn.out, p, site);
    }
    if (p->n.cross) {
        pass cross = pass_cross(p);
        out = target_of(t->cross_attn.out, t->residual2, x, p);
        multihead_forward(&t->cross_attn, out, sublayer_input_forward(&t->norm2, x, p), p->memory,
                          &cross);
        x = add_norm_forward(&t->norm2, t->residual2, x, t->cross_attn.out, p, site + 1);
    }
    if (p->n.F > 0) {
        out = target_of(t->ffn.out, t->residual3, x, p);
        ffn_forward(&t->ffn, out, sublayer_input_forward(&t->norm3, x, p), p->n.B * p->n.T, p);
        x = add_norm_forward(&t->norm3, t->residual3, x, t->ffn.out, p, site + 2);
    }
    return x;
}
