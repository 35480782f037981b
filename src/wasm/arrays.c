/* The exports that work on arrays alone; api.c has those of models. */
#include <math.h>
#include <string.h>

#include "../kernel/activation.h"
#include "../kernel/matmul.h"
#include "../kernel/norm.h"
#include "../kernel/optimizer.h"
#include "../kernel/packed.h"
#include "../kernel/row.h"
#include "../kernel/softmax.h"
#include "../model/model.h"
#include "../model/sample.h"
#include "../op/attention.h"
#include "../op/embed.h"
#include "../op/loss.h"
#include "../op/position.h"
#include "api.h"

int32_t gf_matmul(float *y, const float *a, const float *b, size_t batch, size_t M, size_t K,
                  size_t N, int32_t trans_a, int32_t trans_b) {
    matmul_shape shape = matmul_dense(M, K, N, trans_a != 0, trans_b != 0);
    for (size_t n = 0; n < batch; n++) {
        matmul_forward(y + n * M * N, a + n * M * K, b + n * K * N, (matmul_epilogue){0}, shape);
    }
    return 0;
}

int32_t gf_linear(float *y, size_t y_row, const float *x, const void *weight, int32_t type,
                  const float *bias, const float *residual, int32_t relu, size_t R, size_t in,
                  size_t out) {
    if (type < 0 || type > WEIGHT_PANELS || y_row < out) {
        return GF_ERROR_ARGUMENT;
    }
    matmul_epilogue epilogue = {.bias = bias, .residual = residual, .relu = relu != 0};
    linear_into(y, y_row, x, weight, (weight_type)type, epilogue, R, in, out);
    return 0;
}

/* 0, or what is wrong with a packed matrix. */
static int32_t packed_error(size_t columns, int32_t type, int32_t last) {
    return columns > 0 && type > WEIGHT_F32 && type <= last ? 0 : GF_ERROR_ARGUMENT;
}

int32_t gf_packed_get(float *out, const void *packed, size_t columns, size_t first, size_t n,
                      int32_t type) {
    int32_t error = packed_error(columns, type, WEIGHT_PANELS);
    if (error == 0) {
        packed_get(out, packed, columns, first, n, (weight_type)type);
    }
    return error;
}

int32_t gf_packed_put(void *packed, size_t columns, size_t first, const float *from, size_t n,
                      int32_t type) {
    int32_t error = packed_error(columns, type, WEIGHT_INT8);
    if (error == 0 && !packed_put(packed, columns, first, from, n, (weight_type)type)) {
        error = GF_ERROR_NUMBER;
    }
    return error;
}

int32_t gf_softmax(float *y, const float *x, size_t R, size_t N) {
    softmax_forward(y, N, x, N, R, N);
    return 0;
}

int32_t gf_log_softmax(float *y, const float *x, size_t R, size_t N) {
    row_log_softmax(y, x, R, N);
    return 0;
}

int32_t gf_kl_divergence(float *y, const float *p, const float *q, size_t R, size_t N) {
    row_kl_divergence(y, p, q, R, N);
    return 0;
}

int32_t gf_row_dot(float *y, const float *a, const float *b, size_t R, size_t C) {
    row_dot(y, a, b, R, C);
    return 0;
}

int32_t gf_row_norm(float *y, const float *x, size_t R, size_t C) {
    row_norm(y, x, R, C);
    return 0;
}

int32_t gf_layer_norm(float *y, float *mean, float *variance, const float *x, const float *weight,
                      const float *bias, float epsilon, size_t R, size_t C) {
    if (C == 0 || !(epsilon >= 0)) {
        return GF_ERROR_ARGUMENT;
    }
    norm_forward(y, mean, variance, x, weight, bias, epsilon, R, C);
    return 0;
}

int32_t gf_rms_norm(float *y, float *mean_square, const float *x, const float *weight,
                    float epsilon, size_t R, size_t C) {
    if (C == 0 || !(epsilon >= 0)) {
        return GF_ERROR_ARGUMENT;
    }
    rms_norm_forward(y, mean_square, x, weight, epsilon, R, C);
    return 0;
}

/* Whether it is a function of one number. */
static bool is_activation(int32_t kind) {
    return kind >= 0 && kind < ACTIVATION_COUNT && kind != ACTIVATION_TOP_K;
}

int32_t gf_activation(float *y, const float *x, size_t n, int32_t kind) {
    if (!is_activation(kind)) {
        return GF_ERROR_ARGUMENT;
    }
    activation_forward(y, x, n, (activation)kind);
    return 0;
}

int32_t gf_top_k(float *y, const float *x, size_t rows, size_t width, size_t k) {
    if (k == 0) {
        return GF_ERROR_ARGUMENT;
    }
    top_k_forward(y, x, rows, width, k);
    return 0;
}

int32_t gf_embedding(float *y, const int32_t *ids, const float *table, float scale, size_t n,
                     size_t V, size_t C) {
    if (!embed_valid(ids, n, V)) {
        return GF_ERROR_TOKEN;
    }
    embed_forward(y, ids, table, WEIGHT_F32, scale, n, V, C);
    return 0;
}

int32_t gf_positions(float *y, const int32_t *positions, size_t n, size_t C) {
    for (size_t i = 0; i < n; i++) {
        if (positions[i] < 0 || positions[i] > CONFIG_MAX_SIZE) {
            return GF_ERROR_TOKEN;
        }
    }
    position_forward(y, positions, n, C);
    return 0;
}

int32_t gf_rotation(float *y, const int32_t *positions, size_t n, size_t D, double theta,
                    int32_t scaling, double factor, double low, double high, double original) {
    bool fits = theta >= 1 && theta < INFINITY && factor >= 1 && factor < INFINITY && low < high;
    if (D % 2 != 0 || scaling < 0 || scaling >= ROTATION_SCALING_COUNT || !fits ||
        !(original > 0)) {
        return GF_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < n; i++) {
        if (positions[i] < 0 || positions[i] > CONFIG_MAX_SIZE) {
            return GF_ERROR_TOKEN;
        }
    }
    rotation r = {theta, factor, low, high, original, (rotation_scaling)scaling};
    rotation_table(y, positions, n, D, r);
    return 0;
}

int32_t gf_rotate(float *y, const float *x, const float *table, size_t T, size_t H, size_t D,
                  size_t N, int32_t interleaved, int32_t back) {
    if (N % 2 != 0 || N > D) {
        return GF_ERROR_ARGUMENT;
    }
    (back ? rotation_backward : rotation_forward)(y, x, table, T, H, D, N, interleaved);
    return 0;
}

/* Rows that follow each other without gaps; not causal. */
static attention_shape dense_shape(size_t B, size_t T, size_t S, size_t H, size_t D, size_t E,
                                   float scale) {
    return (attention_shape){.B = B,
                             .T = T,
                             .S = S,
                             .H = H,
                             .G = H,
                             .D = D,
                             .E = E,
                             .query_stride = T,
                             .key_stride = S,
                             .scale = scale};
}

int32_t gf_attention(float *output, float *scores, float *weights, const float *query,
                     const float *key, const float *value, const uint8_t *key_padding,
                     const float *mask, float scale, int32_t causal, size_t B, size_t T, size_t S,
                     size_t H, size_t D, size_t E) {
    attention_shape shape = dense_shape(B, T, S, H, D, E, scale);
    shape.causal = causal != 0;
    attention_maps maps = {.scaled = scores, .weights = weights};
    attention_masks masks = {key_padding, mask};
    attention_forward(output, maps, NULL, query, key, value, masks, shape);
    return 0;
}

/* 0, or what is wrong with the arguments that both directions share. */
static int32_t cross_entropy_error(const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                                   float smoothing, int32_t reduction) {
    if (!loss_targets_valid(targets, R, V, ignore_index)) {
        return GF_ERROR_TOKEN;
    }
    bool fits = V > 0 && smoothing >= 0 && smoothing <= 1 && (reduction == 0 || reduction == 1);
    return fits ? 0 : GF_ERROR_ARGUMENT;
}

int32_t gf_cross_entropy(float *loss, float *log_probability, const float *logits,
                         const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                         float smoothing, int32_t reduction) {
    int32_t error = cross_entropy_error(targets, R, V, ignore_index, smoothing, reduction);
    if (error) {
        return error;
    }
    return (int32_t)loss_cross_entropy(loss, log_probability, logits, targets, R, V, ignore_index,
                                       smoothing, reduction == 0);
}

int32_t gf_sample(const float *logits, size_t V, float temperature, size_t top_k, uint32_t *state,
                  float *scratch) {
    if (V == 0 || !(temperature >= 0 && temperature < INFINITY) || top_k > V) {
        return GF_ERROR_ARGUMENT;
    }
    rng r;
    memcpy(&r, state, sizeof r);
    int32_t token = sample_token(logits, V, temperature, top_k, &r, scratch);
    memcpy(state, &r, sizeof r);
    return token < 0 ? GF_ERROR_ARGUMENT : token;
}

void gf_seed(uint32_t *state, uint32_t seed) {
    rng r = rng_seed(seed, 0);
    memcpy(state, &r, sizeof r);
}

int32_t gf_optimize(float *parameters, float *moment1, float *moment2, const float *gradients,
                    size_t n, const trainer_settings *settings, int32_t t) {
    int invalid = settings_invalid(settings);
    if (invalid >= 0) {
        return GF_ERROR_CONFIG - invalid;
    }
    if (t < 1) {
        return GF_ERROR_ARGUMENT;
    }
    optimizer_rates r = settings_rates(settings, settings->learning_rate);
    optimizer_step((int)settings->optimizer, parameters, moment1, moment2, gradients, n, r,
                   (size_t)t);
    return 0;
}

int32_t gf_softmax_backward(float *dx, const float *dy, const float *y, size_t R, size_t N) {
    softmax_backward(dx, N, dy, N, y, N, 1, R, N);
    return 0;
}

int32_t gf_layer_norm_backward(float *dx, float *dweight, float *dbias, const float *dy,
                               const float *x, const float *weight, float epsilon, size_t R,
                               size_t C) {
    if (C == 0 || !(epsilon >= 0)) {
        return GF_ERROR_ARGUMENT;
    }
    memset(dweight, 0, C * sizeof *dweight);
    memset(dbias, 0, C * sizeof *dbias);
    norm_backward(dx, dweight, dbias, dy, x, weight, epsilon, R, C);
    return 0;
}

int32_t gf_rms_norm_backward(float *dx, float *dweight, const float *dy, const float *x,
                             const float *weight, float epsilon, size_t R, size_t C) {
    if (C == 0 || !(epsilon >= 0)) {
        return GF_ERROR_ARGUMENT;
    }
    memset(dweight, 0, C * sizeof *dweight);
    rms_norm_backward(dx, dweight, dy, x, weight, epsilon, R, C);
    return 0;
}

int32_t gf_activation_backward(float *dx, const float *dy, const float *x, size_t n, int32_t kind) {
    if (!is_activation(kind)) {
        return GF_ERROR_ARGUMENT;
    }
    activation_backward(dx, dy, x, n, (activation)kind);
    return 0;
}

int32_t gf_top_k_backward(float *dx, const float *dy, const float *x, size_t rows, size_t width,
                          size_t k) {
    if (k == 0) {
        return GF_ERROR_ARGUMENT;
    }
    top_k_backward(dx, dy, x, rows, width, k);
    return 0;
}

int32_t gf_attention_backward(float *dquery, float *dkey, float *dvalue, float *scratch,
                              const float *doutput, const float *query, const float *key,
                              const float *value, float *weights, float scale, size_t B, size_t T,
                              size_t S, size_t H, size_t D, size_t E) {
    attention_shape shape = dense_shape(B, T, S, H, D, E, scale);
    attention_backward(dquery, dkey, dvalue, (attention_maps){0}, scratch, doutput, query, key,
                       value, (attention_maps){.weights = weights}, shape);
    return 0;
}

int32_t gf_cross_entropy_backward(float *dlogits, const float *log_probability,
                                  const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                                  float smoothing, int32_t reduction) {
    int32_t error = cross_entropy_error(targets, R, V, ignore_index, smoothing, reduction);
    if (error) {
        return error;
    }
    size_t counted = 0;
    for (size_t r = 0; r < R; r++) {
        counted += targets[r] != ignore_index;
    }
    loss_cross_entropy_backward(dlogits, log_probability, targets, R, V, ignore_index, smoothing,
                                reduction == 0 ? counted : 1);
    return 0;
}
