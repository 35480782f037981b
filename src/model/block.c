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

/* Rows from .. from + out of the input projection (those of q, k or v), of R rows of x. */
static void project(float *to, const attention_tensors *t, size_t from, size_t out, const float *x,
                    size_t R, const pass *p) {
    size_t C = p->n.C;
    const float *bias = t->in_proj_bias ? t->in_proj_bias + from : NULL;
    weight_type type = (weight_type)p->n.c->weights;
    packed_unit row = packed_row(C, type);
    const char *weight = (const char *)t->in_proj_weight + from * row.count * row.bytes;
    linear_forward(to, x, weight, type, (matmul_epilogue){.bias = bias}, R, C, out);
    pass_patch(p, to, R * out);
}

/* The last product of a sublayer: the columns of the stream that are the slice's, of R rows of x (R,in). */
static void project_out(sublayer_target out, const float *x, size_t in, const float *weight,
                        const float *bias, const pass *p) {
    size_t C = p->n.C, R = p->n.B * p->n.T, from = p->n.own[SHARE_COLUMNS].from;
    matmul_epilogue epilogue = {.bias = bias,
                                .residual = out.residual ? out.residual + from : NULL};
    linear_into(out.to + from, C, x, weight, (weight_type)p->n.c->weights, epilogue, R, in,
                p->n.own[SHARE_COLUMNS].count);
    pass_patch(p, out.to, R * C);
}

void pass_rotate(const pass *p, float *y, const float *x, size_t heads, bool back) {
    size_t D = p->n.D, N = p->n.turned, T = p->n.T, row = heads * D;
    bool shifted = p->n.c->positions_from != POSITION_INDEX && p->padding;
    void (*rotate)(float *, const float *, const float *, size_t, size_t, size_t, size_t, bool) =
        back ? rotation_backward : rotation_forward;
    for (size_t b = 0; b < p->n.B; b++, x += T * row, y += T * row) {
        position_count count = {.from = (position_start)p->n.c->positions_from};
        if (!shifted) {
            rotate(y, x, p->rotation + p->past * N, T, heads, D, N, false);
        }
        for (size_t i = 0; shifted && i < p->past + T; i++) {
            size_t at = position_next(&count, i, p->padding[b * (p->past + T) + i]);
            if (i >= p->past) {
                size_t from = (i - p->past) * row;
                rotate(y + from, x + from, p->rotation + at * N, 1, heads, D, N, false);
            }
        }
    }
}

/* From row past on: what the scores read of queries or keys, R rows of so many heads, which stand in x: normalised into
 * normed and turned into rotated, where there are such tensors. */
static void position_heads(float *x, float *normed, float *rotated, const float *gain, size_t heads,
                           size_t past, size_t R, const pass *p) {
    size_t D = p->n.D, at = past * heads * D, count = R * heads;
    if (normed) {
        rms_norm_forward(normed + at, NULL, x + at, gain, p->n.c->epsilon, count, D);
        pass_patch(p, normed + at, count * D);
        x = normed;
    }
    if (rotated) {
        pass_rotate(p, rotated + at, x + at, heads, false);
        pass_patch(p, rotated + at, count * D);
    }
}

float *attention_query(const attention_tensors *t) {
    return t->query_rotated ? t->query_rotated : t->query_normed ? t->query_normed : t->query;
}

float *attention_key(const attention_tensors *t) {
    return t->key_rotated ? t->key_rotated : t->key_normed ? t->key_normed : t->key;
}

attention_shape pass_attention(const pass *p, size_t S) {
    const model_dims *n = &p->n;
    return (attention_shape){
        .B = n->B,
        .T = n->T,
        .S = S,
        .H = n->H,
        .G = n->G,
        .D = n->D,
        .E = n->D,
        .output_row = n->W,
        .query_stride = p->stride,
        .key_stride = n->K,
        .past = p->past,
        .scale = (n->c->score_scale ? 1 / sqrtf((float)n->D) : 1) / p->temperature,
        .causal = p->causal,
        .window = p->window,
    };
}

void pass_relate(const pass *p) {
    const model_dims *n = &p->n;
    const relative_tensors *t = p->relative;
    relative_positions r = config_relative(n->c, n->both_ways);
    for (int after = 0; t && after <= r.both; after++) {
        relative_forward(after ? t->after : t->before,
                         t->weight + n->own[SHARE_HEADS].from * n->group, (size_t)n->c->heads,
                         1 / p->temperature, n->H, n->K, after, r);
    }
}

/* Keys and values of R rows x, from row `at` on. */
static void keys_forward(attention_tensors *t, const float *x, size_t at, size_t R, const pass *p) {
    const model_dims *n = &p->n;
    project(t->key + at * n->E, t, n->in_A, n->E, x, R, p);
    position_heads(t->key, t->key_normed, t->key_rotated, t->key_norm, n->G, at, R, p);
    project(t->value + at * n->E, t, n->in_A + n->in_E, n->E, x, R, p);
}

/* The outputs of the slice's heads: its columns of t->concat. */
static void heads_forward(attention_tensors *t, const float *x, const float *memory,
                          const pass *p) {
    const model_dims *n = &p->n;
    size_t B = n->B, T = n->T, A = n->A, S = memory ? n->S : p->past + T;
    project(t->query, t, 0, A, x, B * T, p);
    position_heads(t->query, t->query_normed, t->query_rotated, t->query_norm, n->H, 0, B * T, p);
    if (memory) {
        if (p->past == 0) {
            keys_forward(t, memory, 0, B * S, p);
        }
    } else if (n->cache) { /* the next sequence's rows stand behind all that this one may get */
        pass one = *p;
        one.n.B = 1;
        for (size_t b = 0; b < B; b++) {
            keys_forward(t, x + b * T * n->C, b * n->K + p->past, T, &one);
        }
    } else {
        keys_forward(t, x, p->past, B * T, p);
    }
    const float *query = attention_query(t), *key = attention_key(t);
    attention_maps maps = {t->scores, t->scaled, t->masked, t->weights, p->patches, {0}};
    if (p->relative) {
        size_t after = n->both_ways ? (size_t)(p->relative->after - p->relative->before) : 0;
        maps.bias = (attention_bias){p->relative->before, n->K, after};
    }
    attention_masks masks = {p->padding, p->mask};
    if (p->resumed && maps.scores && !memory) {
        attention_widen(maps, query, key, pass_attention(p, S));
    }
    attention_forward(t->concat + n->own[SHARE_HEADS].from * n->group * n->D, maps, p->scratch,
                      query, key, t->value, masks, pass_attention(p, S));
    pass_patch(p, t->concat, B * T * n->W);
}

void multihead_forward(attention_tensors *t, sublayer_target out, const float *x,
                       const float *memory, const pass *p) {
    heads_forward(t, x, memory, p);
    project_out(out, t->concat, p->n.W, t->out_proj_weight, t->out_proj_bias, p);
}

static float *active_of(const ffn_tensors *t) {
    return t->product ? t->product : t->activation ? t->activation : t->pre_activation;
}

/* Whether a row is chosen from as a whole, once a slice has all of it. */
static bool chooses_later(const pass *p) {
    return p->n.c->activation == ACTIVATION_TOP_K && p->n.own[SHARE_NEURONS].count < p->n.F;
}

/* The activations of the slice's neurons: its columns of active_of(t). */
static void neurons_forward(ffn_tensors *t, const float *x, const pass *p) {
    const model_config *c = p->n.c;
    size_t R = p->n.B * p->n.T, C = p->n.C, F = p->n.F;
    float *active = t->activation ? t->activation : t->pre_activation;
    span own = p->n.own[SHARE_NEURONS];
    weight_type type = (weight_type)c->weights;
    bool gated = c->ffn_kind == FFN_GATED;
    /* where the pre-activation is not captured, ReLU is part of the product's epilogue, and a gate in one pass */
    bool relu = c->activation == ACTIVATION_RELU && !t->activation && !gated;
    matmul_epilogue epilogue = {.bias = t->linear1_bias, .relu = relu};
    linear_into(t->pre_activation + own.from, F, x, t->linear1_weight, type, epilogue, R, C,
                own.count);
    pass_patch(p, t->pre_activation, R * F);
    if (gated) {
        epilogue = (matmul_epilogue){.bias = t->linear3_bias};
        linear_into(t->up + own.from, F, x, t->linear3_weight, type, epilogue, R, C, own.count);
        pass_patch(p, t->up, R * F);
    }
    bool whole = own.count == F, top = c->activation == ACTIVATION_TOP_K;
    if (top && whole) {
        top_k_forward(active, t->pre_activation, R, F, (size_t)c->active);
    }
    size_t runs = relu || top ? 0 : whole ? 1 : R, run = whole ? R * F : own.count, at = own.from;
    for (size_t i = 0; i < runs; i++, at += F) {
        if (gated && !t->activation) {
            activation_gated(active + at, active + at, t->up + at, run, (activation)c->activation);
        } else {
            activation_forward(active + at, t->pre_activation + at, run, (activation)c->activation);
        }
    }
    pass_patch(p, t->activation, R * F);
    if (gated && t->product) {
        multiply_forward(t->product, active, t->up, R * F);
        pass_patch(p, t->product, R * F);
    }
}

void ffn_forward(ffn_tensors *t, sublayer_target out, const float *x, const pass *p) {
    neurons_forward(t, x, p);
    project_out(out, active_of(t), p->n.F, t->linear2_weight, t->linear2_bias, p);
}

void norm_of_forward(norm_tensors *t, const float *x, size_t R, const model_config *c) {
    size_t C = (size_t)c->d_model;
    if (c->norm_kind == NORM_RMS) {
        rms_norm_forward(t->out, t->mean_square, x, t->weight, c->epsilon, R, C);
    } else {
        norm_forward(t->out, t->mean, t->variance, x, t->weight, t->bias, c->epsilon, R, C);
    }
}

/* The input of a sublayer: x, under pre-LN normalised. */
static const float *sublayer_input_forward(norm_tensors *norm, const float *x, const pass *p) {
    if (p->n.c->norm != NORM_PRE) {
        return x;
    }
    norm_of_forward(norm, x, p->n.B * p->n.T, p->n.c);
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
    norm_of_forward(norm, y, R, p->n.c);
    pass_patch(p, norm->out, R * p->n.C);
    return norm->out;
}

pass pass_cross(const pass *p) {
    pass cross = *p;
    cross.n = dims_cross(p->n);
    cross.padding = p->memory_padding;
    cross.mask = NULL;
    cross.rotation = NULL;
    cross.relative = NULL;
    cross.causal = false;
    return cross;
}

pass pass_self(const pass *p, size_t index) {
    pass self = *p;
    self.window = config_window(p->n.c, index);
    return self;
}

void pass_exchange(const pass *p, exchange *due, float *to, size_t row, share what) {
    const model_dims *n = &p->n;
    size_t columns = what == SHARE_HEADS ? n->group * n->D : what == SHARE_INPUT ? n->C : 1;
    due->to = to;
    due->row = row;
    due->rows = n->B * n->T;
    due->first = what == SHARE_WORDS;
    for (size_t i = 0; i <= n->slice.others + 1; i++) {
        due->begin[i] = columns * dims_begin(n, what, i);
    }
}

const float *block_step(layer_tensors *t, const float *x, const pass *p, size_t index, size_t step,
                        exchange *due) {
    const model_dims *n = &p->n;
    size_t sublayer = step / 3;
    bool is_ffn = sublayer == 2, is_cross = sublayer == 1;
    norm_tensors *norm = is_ffn ? &t->norm3 : is_cross ? &t->norm2 : &t->norm1;
    float *sum = is_ffn ? t->residual3 : is_cross ? t->residual2 : t->residual1;
    ffn_tensors *ffn = &t->ffn;
    attention_tensors *attention = is_cross ? &t->cross_attn : &t->self_attn;
    float *branch = is_ffn ? ffn->out : attention->out;
    float *inner = is_ffn ? active_of(ffn) : attention->concat;
    size_t width = is_ffn ? n->F : n->W;
    if (is_ffn ? n->F == 0 : is_cross ? !n->cross : n->W == 0) {
        return x;
    }
    if (step % 3 == 2) {
        return add_norm_forward(norm, sum, x, branch, p, 3 * index + sublayer);
    }
    if (step % 3 == 1) {
        sublayer_target out = target_of(branch, sum, x, p);
        if (is_ffn && chooses_later(p)) {
            top_k_forward(inner, inner, n->B * n->T, n->F, (size_t)n->c->active);
        }
        project_out(out, inner, width, is_ffn ? ffn->linear2_weight : attention->out_proj_weight,
                    is_ffn ? ffn->linear2_bias : attention->out_proj_bias, p);
        pass_exchange(p, due, out.to, n->C, SHARE_COLUMNS);
        return x;
    }
    bool beside = is_ffn && n->c->parallel;
    const float *input = sublayer_input_forward(norm, beside ? p->input : x, p);
    if (is_ffn) {
        neurons_forward(ffn, input, p);
    } else {
        pass own = is_cross ? pass_cross(p) : pass_self(p, index);
        heads_forward(attention, input, is_cross ? p->memory : NULL, &own);
    }
    pass_exchange(p, due, inner, width, is_ffn ? SHARE_NEURONS : SHARE_HEADS);
    return x;
}
