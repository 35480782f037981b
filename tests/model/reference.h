/* reference.h: a Transformer in double, written from the papers, weights read by name. It knows
 * nothing of the code under test but names and shapes. */
#ifndef GLASSFORMER_TESTS_MODEL_REFERENCE_H
#define GLASSFORMER_TESTS_MODEL_REFERENCE_H

#include "../../src/kernel/dropout.h"
#include "fixture.h"

/* Dropout of the passes that follow: rate 0 for none, and the key of the step. */
static float ref_rate;
static uint32_t ref_dropout_key;

/* The kinks of the last pass: a hash of the ReLUs that were on, and the nearest distance to a kink. */
static uint64_t ref_kinks;
static double ref_nearest;

static inline double *zeros(size_t n) {
    return memset(hold(n * sizeof(double)), 0, n * sizeof(double));
}

static inline double *widen(const float *x, size_t n) {
    double *y = zeros(n);
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i];
    }
    return y;
}

static inline double *sum_of(const double *a, const double *b, size_t n) {
    double *y = zeros(n);
    for (size_t i = 0; i < n; i++) {
        y[i] = a[i] + b[i];
    }
    return y;
}

/* y = x w^T + bias */
static inline double *ref_linear(const double *x, size_t R, size_t in, const float *w,
                                 const float *bias, size_t out) {
    double *y = zeros(R * out);
    for (size_t i = 0; i < R * out; i++) {
        y[i] = bias ? bias[i % out] : 0;
        for (size_t k = 0; k < in; k++) {
            y[i] += x[i / out * in + k] * w[i % out * in + k];
        }
    }
    return y;
}

static inline double *ref_norm(fixture *f, const char *path, const double *x, size_t R) {
    size_t C = (size_t)f->m.config.d_model;
    const float *w = data_of(f, path, "weight"), *b = data_of(f, path, "bias");
    double *y = zeros(R * C);
    for (size_t r = 0; r < R; r++, x += C) {
        double mean = 0, variance = 0;
        bool centred = f->m.config.norm_kind == NORM_LAYER;
        for (size_t i = 0; i < C && centred; i++) {
            mean += x[i] / (double)C;
        }
        for (size_t i = 0; i < C; i++) {
            variance += (x[i] - mean) * (x[i] - mean) / (double)C;
        }
        for (size_t i = 0; i < C; i++) {
            double n = (x[i] - mean) / sqrt(variance + (double)f->m.config.epsilon);
            y[r * C + i] = n * (w ? w[i] : 1) + (b ? b[i] : 0);
        }
    }
    return y;
}

static inline void ref_drop(double *x, size_t n, uint32_t stack, uint32_t site) {
    float *kept = hold(n * sizeof *kept);
    uint32_t key = dropout_key(dropout_key(ref_dropout_key, 0, stack), 0, site);
    for (size_t i = 0; i < n; i++) {
        kept[i] = 1;
    }
    dropout_apply(kept, kept, n, ref_rate, key);
    for (size_t i = 0; i < n; i++) {
        x[i] *= kept[i];
    }
}

typedef struct ref_view { /* what may be seen */
    bool causal;
    const char *related; /* the name of the table of relative positions */
    const uint8_t *padding;
    const float *mask;
    size_t window;
    bool turned; /* queries and keys are, where the model does so */
} ref_view;

/* The position of a row of all tokens. */
static inline size_t ref_position(const fixture *f, const uint8_t *padding, size_t row, size_t T) {
    size_t t = row % T, visible = 0, first = T;
    int32_t from = f->m.config.positions_from;
    for (size_t i = 0; padding && i < t; i++) {
        bool seen = !padding[row - t + i];
        first = seen && first == T ? i : first;
        visible += seen;
    }
    if (!padding || padding[row] || from == POSITION_INDEX) {
        return t;
    }
    return from == POSITION_VISIBLE ? visible : visible ? t - first : 0;
}

/* RMSNorm of each head of q or k, and its pairs turned by the row's position, in place. */
static inline void ref_heads(fixture *f, double *x, const float *gain, size_t heads, size_t T,
                             ref_view see) {
    const model_config *c = &f->m.config;
    size_t D = config_head_width(c), rows = f->m.dims.B * T;
    size_t N = c->rope_width ? (size_t)c->rope_width : D;
    for (size_t i = 0; i < rows * heads; i++, x += D) {
        double square = 0, t = (double)ref_position(f, see.padding, i / heads, T);
        for (size_t d = 0; d < D; d++) {
            square += x[d] * x[d] / (double)D;
        }
        for (size_t d = 0; d < D && c->qk_norm; d++) {
            x[d] = x[d] / sqrt(square + (double)c->epsilon) * gain[d];
        }
        for (size_t d = 0; d < N / 2 && see.turned && c->positions == POSITIONS_ROTARY; d++) {
            double turn = pow((double)c->rope_theta, -2 * (double)d / (double)N);
            double turns = c->rope_original * turn / (2 * acos(-1));
            double kept = (turns - (double)c->rope_low) / (double)(c->rope_high - c->rope_low);
            kept = c->rope_scaling == ROTATION_LINEAR ? 0 : fmin(fmax(kept, 0), 1);
            kept = c->rope_scaling == ROTATION_PLAIN ? 1 : kept;
            double angle = t * turn * (kept + (1 - kept) / (double)c->rope_factor);
            double a = x[d], b = x[d + N / 2];
            x[d] = a * cos(angle) - b * sin(angle);
            x[d + N / 2] = b * cos(angle) + a * sin(angle);
        }
    }
}

/* The bucket of a key's position less that of the query, as Hugging Face's T5 has it. */
static inline size_t ref_bucket(const model_config *c, ptrdiff_t apart, bool both) {
    ptrdiff_t buckets = c->relative_buckets / (both ? 2 : 1),
              from = both && apart > 0 ? buckets : 0;
    ptrdiff_t distance = both ? (apart < 0 ? -apart : apart) : (apart < 0 ? -apart : 0);
    ptrdiff_t exact = buckets / 2, bucket = distance;
    if (distance >= exact) {
        double far = log((double)distance / (double)exact);
        double share = far / log((double)c->relative_distance / (double)exact);
        bucket = exact + (ptrdiff_t)(share * (double)(buckets - exact) + 1e-6);
        bucket = bucket < buckets ? bucket : buckets - 1;
    }
    return (size_t)(from + bucket);
}

static inline double *ref_attention(fixture *f, const char *path, const double *x, size_t T,
                                    const double *memory, size_t S, ref_view see) {
    size_t B = f->m.dims.B, C = (size_t)f->m.config.d_model, H = (size_t)f->m.config.heads;
    size_t D = config_head_width(&f->m.config), G = config_key_value_heads(&f->m.config);
    size_t A = H * D, E = G * D;
    const float *w = data_of(f, path, "in_proj_weight"), *bias = data_of(f, path, "in_proj_bias");
    double *q = ref_linear(x, B * T, C, w, bias, A);
    double *k = ref_linear(memory, B * S, C, w + A * C, bias ? bias + A : NULL, E);
    double *v = ref_linear(memory, B * S, C, w + (A + E) * C, bias ? bias + A + E : NULL, E);
    double *y = zeros(B * T * A), *e = zeros(S);
    const float *related = see.related ? data_of(f, see.related, "relative_bias.weight") : NULL;
    ref_heads(f, q, data_of(f, path, "q_norm.weight"), H, T, see);
    ref_heads(f, k, data_of(f, path, "k_norm.weight"), G, S, see);
    for (size_t row = 0; row < B * T * H; row++) {
        size_t b = row / (T * H), t = row / H % T, h = row % H, g = h / (H / G);
        double sum = 0, top = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            e[s] = 0;
            for (size_t d = 0; d < D; d++) {
                e[s] += q[(b * T + t) * A + h * D + d] * k[(b * S + s) * E + g * D + d];
            }
            e[s] = f->m.config.score_scale ? e[s] / sqrt((double)D) : e[s];
            size_t bucket =
                related ? ref_bucket(&f->m.config, (ptrdiff_t)s - (ptrdiff_t)t, !see.causal) : 0;
            e[s] += related ? related[bucket * H + h] : 0;
            e[s] += see.mask ? see.mask[t * S + s] : 0;
            e[s] =
                (see.causal && s > t) || (see.padding && see.padding[b * S + s]) ? -INFINITY : e[s];
            size_t apart = s > t ? s - t : t - s;
            e[s] = see.window && apart >= see.window ? -INFINITY : e[s];
            top = fmax(top, e[s]);
        }
        for (size_t s = 0; s < S; s++) {
            e[s] = top == -INFINITY ? 0 : exp(e[s] - top);
            sum += e[s];
        }
        for (size_t i = 0; i < S * D && sum > 0; i++) {
            size_t s = i / D, column = i % D;
            y[(b * T + t) * A + h * D + column] += e[s] / sum * v[(b * S + s) * E + g * D + column];
        }
    }
    return ref_linear(y, B * T, A, data_of(f, path, "out_proj.weight"),
                      data_of(f, path, "out_proj.bias"), C);
}

/* The activation of u, and how near a ReLU came to its kink. */
static inline double ref_activation(const model_config *c, double u) {
    double cube = u + 0.044715 * u * u * u;
    double value[] = {fmax(u, 0), u * erfc(-u / sqrt(2)) / 2,
                      u / 2 * (1 + tanh(sqrt(2 / acos(-1)) * cube)), u, u / (1 + exp(-u))};
    if (c->activation == 0) {
        ref_kinks = (ref_kinks ^ (u > 0)) * 0x100000001b3;
        ref_nearest = fmin(ref_nearest, fabs(u));
    }
    return value[c->activation];
}

/* Top-k of a row, in place: each number above 0 that fewer than k larger or earlier equal ones precede. */
static inline void ref_top_k(double *u, size_t n, size_t k) {
    double *own = memcpy(zeros(n), u, n * sizeof *u);
    for (size_t i = 0; i < n; i++) {
        size_t before = 0;
        for (size_t j = 0; j < n; j++) {
            before += own[j] > own[i] || (own[j] == own[i] && j < i);
            if (j != i && own[i] > 0 && own[j] > 0 && k < n) {
                ref_nearest = fmin(ref_nearest, fabs(own[i] - own[j]));
            }
        }
        bool stays = own[i] > 0 && before < k;
        ref_kinks = (ref_kinks ^ stays) * 0x100000001b3;
        ref_nearest = fmin(ref_nearest, fabs(own[i]));
        u[i] = stays ? own[i] : 0;
    }
}

static inline double *ref_ffn(fixture *f, const char *path, const double *x, size_t R) {
    size_t C = (size_t)f->m.config.d_model, F = (size_t)f->m.config.d_ff;
    double *y = ref_linear(x, R, C, data_of(f, path, "linear1.weight"),
                           data_of(f, path, "linear1.bias"), F);
    bool top = f->m.config.activation == ACTIVATION_TOP_K;
    for (size_t r = 0; r < R && top; r++) {
        ref_top_k(y + r * F, F, (size_t)f->m.config.active);
    }
    for (size_t i = 0; i < R * F && !top; i++) {
        y[i] = ref_activation(&f->m.config, y[i]);
    }
    if (f->m.config.ffn_kind == FFN_GATED) {
        double *up = ref_linear(x, R, C, data_of(f, path, "linear3.weight"),
                                data_of(f, path, "linear3.bias"), F);
        for (size_t i = 0; i < R * F; i++) {
            y[i] *= up[i];
        }
    }
    return ref_linear(y, R, F, data_of(f, path, "linear2.weight"), data_of(f, path, "linear2.bias"),
                      C);
}

typedef struct ref_stack { /* one stack: its names, sizes and what it sees */
    const char *path, *embed;
    size_t T, S, layers;
    uint32_t number, layer; /* encoder 1, decoder 2; the layer at hand */
    const double *memory;
    ref_view self, cross;
} ref_stack;

/* One sublayer (0 self-attention, 1 cross-attention, 2 FFN) of what it reads, with its residual and norm. */
static inline double *ref_sublayer(fixture *f, const ref_stack *k, const char *path, int which,
                                   int number, double *x, double *from) {
    const model_config *c = &f->m.config;
    size_t R = f->m.dims.B * k->T, n = R * (size_t)c->d_model;
    const char *name[] = {"self_attn.", "multihead_attn.", ""}, *sub = join(path, name[which]);
    char digit[] = {(char)('0' + number), '.', 0};
    const char *norm = join(path, join("norm", digit));
    double *in = c->norm == NORM_PRE ? ref_norm(f, norm, from, R) : from;
    ref_view self = k->self;
    self.turned = true;
    self.window = c->global_layers >> k->layer & 1 ? 0 : (size_t)c->window;
    double *out = which == 0   ? ref_attention(f, sub, in, k->T, in, k->T, self)
                  : which == 1 ? ref_attention(f, sub, in, k->T, k->memory, k->S, k->cross)
                               : ref_ffn(f, sub, in, R);
    ref_drop(out, n, k->number, 3 * k->layer + (uint32_t)which + 1);
    out = c->residual ? sum_of(x, out, n) : out;
    return c->norm == NORM_POST ? ref_norm(f, norm, out, R) : out;
}

static inline double *ref_run(fixture *f, ref_stack *k, const float *table) {
    const model_config *c = &f->m.config;
    size_t B = f->m.dims.B, C = (size_t)c->d_model, n = B * k->T * C;
    const int32_t *ids = data_of(f, k->path, "ids"), *types = data_of(f, k->path, "types");
    const float *vectors = data_of(f, k->path, "vectors");
    const float *projection = data_of(f, k->embed, "input_proj.weight");
    double *projected = NULL;
    if (projection) {
        size_t I = (size_t)c->input_width, R = B * k->T;
        projected = ref_linear(widen(vectors, R * I), R, I, projection,
                               data_of(f, k->embed, "input_proj.bias"), C);
    }
    const float *learned = data_of(f, k->embed, "pos_emb.weight");
    const float *type_table = data_of(f, k->embed, "type_emb.weight");
    double *x = zeros(n);
    for (size_t i = 0; i < n; i++) {
        size_t row = i / C, t = ref_position(f, k->self.padding, row, k->T), j = i % C;
        double scale = c->embedding_scale ? sqrt((double)C) : 1;
        x[i] = ids          ? table[(size_t)ids[row] * C + j] * scale
               : projection ? projected[i]
                            : vectors[i];
        double angle = (double)t / pow(10000, (double)(j / 2 * 2) / (double)C);
        double sinusoid = j % 2 ? cos(angle) : sin(angle);
        x[i] += !config_adds_positions(c) ? 0 : learned ? learned[t * C + j] : sinusoid;
        x[i] += types ? type_table[(size_t)types[row] * C + j] : 0;
    }
    if (c->embedding_norm) {
        x = ref_norm(f, join(k->embed, "emb_ln."), x, B * k->T);
    }
    ref_drop(x, n, k->number, 0);
    for (size_t i = 0; i < k->layers; i++) {
        char digit[] = {(char)('0' + i), '.', 0};
        k->layer = (uint32_t)i;
        const char *path = join(k->path, join("layers.", digit));
        double *from = x;
        x = c->heads ? ref_sublayer(f, k, path, 0, 1, x, x) : x;
        x = k->memory ? ref_sublayer(f, k, path, 1, 2, x, x) : x;
        from = c->parallel ? from : x;
        x = c->d_ff ? ref_sublayer(f, k, path, 2, k->memory ? 3 : 2, x, from) : x;
    }
    return c->final_norm ? ref_norm(f, join(k->path, "norm."), x, B * k->T) : x;
}

/* The output of a whole model, and its logits or values if it has a head. */
static inline double *ref_model(fixture *f, double **logits) {
    const model_config *c = &f->m.config;
    const request *ask = &f->m.dims.ask;
    size_t B = ask->B, C = (size_t)c->d_model;
    bool both = c->kind == KIND_ENCODER_DECODER, decoder = both || c->kind == KIND_DECODER;
    const float *mask = data_of(f, "", "mask");
    *logits = NULL;
    ref_kinks = 0xcbf29ce484222325;
    ref_nearest = INFINITY;
    if (c->kind == KIND_FEED_FORWARD) {
        return ref_ffn(f, "", widen(data_of(f, "", "input"), B * ask->T * C), B * ask->T);
    }
    if (c->kind == KIND_ATTENTION) {
        double *x = widen(data_of(f, "", "input"), B * ask->T * C);
        double *memory = ask->S ? widen(data_of(f, "", "memory"), B * ask->S * C) : x;
        return ref_attention(
            f, "", x, ask->T, memory, ask->S ? ask->S : ask->T,
            (ref_view){c->causal, ask->S ? NULL : "", data_of(f, "", "padding"), mask,
                       ask->S || (c->global_layers & 1) ? 0 : (size_t)c->window, ask->S == 0});
    }
    ref_stack encoder = {.path = "encoder.",
                         .embed = both ? "src_" : "",
                         .T = ask->S,
                         .number = 1,
                         .layers = (size_t)c->layers,
                         .self = {c->causal && !both, "encoder.", data_of(f, "encoder.", "padding"),
                                  both ? NULL : mask, 0, true}};
    ref_stack last = {
        .path = "decoder.",
        .embed = both ? "tgt_" : "",
        .T = ask->T,
        .S = ask->S,
        .number = 2,
        .layers = (size_t)(both ? c->decoder_layers : c->layers),
        .self = {c->causal, "decoder.", data_of(f, "decoder.", "padding"), mask, 0, true},
        .cross = {.padding = data_of(f, "memory.", "padding")}};
    const float *source = data_of(f, both ? "src_emb" : "tok_emb", ".weight");
    const float *table = both && !c->tied_embeddings ? data_of(f, "tgt_emb", ".weight") : source;
    last.memory = both ? ref_run(f, &encoder, source) : NULL;
    double *out = decoder ? ref_run(f, &last, table) : ref_run(f, &encoder, source);
    size_t R = B * (decoder ? ask->T : ask->S), V = (size_t)config_output_vocabulary(c);
    if (c->head != HEAD_NONE || c->output_width > 0) {
        const char *head = c->output_width > 0 ? "output_proj." : "generator.";
        const float *w = c->head == HEAD_TIED ? table : data_of(f, head, "weight");
        double *x = out;
        if (c->head_transform) {
            x = ref_linear(out, R, C, data_of(f, "", "transform.dense.weight"),
                           data_of(f, "", "transform.dense.bias"), C);
            for (size_t i = 0; i < R * C; i++) {
                x[i] = ref_activation(c, x[i]);
            }
            x = ref_norm(f, "transform.norm.", x, R);
        }
        if (c->head_pooler) {
            x = ref_linear(out, R, C, data_of(f, "", "transform.dense.weight"),
                           data_of(f, "", "transform.dense.bias"), C);
            for (size_t i = 0; i < R * C; i++) {
                x[i] = c->head_pooler == POOLER_TANH ? tanh(x[i]) : x[i] > 0 ? x[i] : 0;
            }
        }
        x = memcpy(zeros(R * C), x, R * C * sizeof *x);
        for (size_t i = 0; c->head_scale && i < R * C; i++) {
            x[i] /= sqrt((double)C);
        }
        *logits = ref_linear(x, R, C, w, data_of(f, head, "bias"), V);
    }
    return out;
}

#endif
