#include "attention.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "../kernel/elementwise.h"
#include "../kernel/matmul.h"
#include "../kernel/softmax.h"

/* Queries of one block, where scores are not captured: a few panels of the product, and few enough
 * that their scores stay in the second-level cache. Under a causal mask a block ends with the last
 * key that its last query sees, which halves the work of long sequences. */
enum { QUERY_BLOCK = 64 };

size_t attention_scratch(size_t S) { return QUERY_BLOCK * S; }

/* Writes -Infinity where a key is hidden from query t, in the first keys of its row x of scores. */
static void mask_row(float *x, size_t t, const uint8_t *padding, const float *additive, size_t keys,
                     attention_shape shape) {
    if (additive) {
        add_forward(x, x, additive + t * shape.S, keys);
    }
    for (size_t s = 0; padding && s < keys; s++) {
        if (padding[s]) {
            x[s] = -INFINITY;
        }
    }
    size_t at = shape.past + t,
           first = shape.window > 0 && at >= shape.window ? at + 1 - shape.window : 0;
    for (size_t s = 0; s < first && s < keys; s++) {
        x[s] = -INFINITY;
    }
    bool ends = shape.causal || shape.window > 0;
    for (size_t s = at + (shape.causal ? 1 : shape.window); ends && s < keys; s++) {
        x[s] = -INFINITY;
    }
}

/* Adds to the first keys of a row of scores, of the query at position `at`, what a head adds by distance; or backward,
 * to the gradient of that the row's. */
static void bias_row(float *x, size_t at, size_t keys, attention_bias bias, bool back) {
    keys = bias.after || keys < at + 1 ? keys : at + 1;
    for (size_t s = 0; bias.before && s < keys; s++) {
        float *by = bias.before + (s > at ? bias.after + s - at : at - s);
        *(back ? by : x + s) = *by + x[s];
    }
}

/* Queries first .. first+rows of one head, on the first keys of the sequence. The maps point at the
 * block's first row; weights is never NULL here. */
static void attend(float *output, attention_maps maps, const float *query, const float *key,
                   const float *value, const uint8_t *padding, const float *additive, size_t first,
                   size_t rows, size_t keys, attention_shape shape) {
    size_t A = shape.H * shape.D, C = shape.G * shape.D, row = shape.key_stride;
    float *weights = maps.weights, *masked = maps.masked ? maps.masked : weights;
    bool captured = maps.scores != NULL; /* raw: the scale is then no epilogue */
    matmul_shape product = {
        .M = rows, .K = shape.D, .N = keys, .a_row = A, .b_row = C, .c_row = row, .trans_b = true};
    matmul_epilogue epilogue = {.scale = captured ? NULL : &shape.scale};
    matmul_forward(captured ? maps.scores : masked, query, key, epilogue, product);
    if (captured) {
        patches_apply(maps.patches, maps.scores, rows * row);
    }
    for (size_t r = 0; r < rows; r++) {
        float *to = masked + r * row;
        if (captured) {
            scale_forward(to, maps.scores + r * row, shape.scale, keys);
        }
        if (maps.scaled) {
            memcpy(maps.scaled + r * row, to, keys * sizeof *to);
            patches_apply(maps.patches, maps.scaled + r * row, keys);
            memcpy(to, maps.scaled + r * row, keys * sizeof *to);
        }
        bias_row(to, shape.past + first + r, keys, maps.bias, false);
        mask_row(to, first + r, padding, additive, keys, shape);
    }
    patches_apply(maps.patches, masked, rows * row);
    softmax_forward(weights, row, masked, row, rows, keys);
    patches_apply(maps.patches, weights, rows * row);
    product = (matmul_shape){.M = rows,
                             .K = keys,
                             .N = shape.E,
                             .a_row = row,
                             .b_row = shape.G * shape.E,
                             .c_row = shape.output_row};
    matmul_forward(output, weights, value, (matmul_epilogue){0}, product);
}

static float *at(float *base, size_t offset) { return base ? base + offset : NULL; }

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

void attention_forward(float *output, attention_maps maps, float *scratch, const float *query,
                       const float *key, const float *value, attention_masks masks,
                       attention_shape shape) {
    size_t T = shape.T, S = shape.S, D = shape.D, A = shape.H * D, C = shape.G * D;
    size_t E = shape.E, CE = shape.G * E, stride = shape.key_stride;
    size_t AE = shape.output_row = shape.output_row ? shape.output_row : shape.H * E;
    /* captured maps are computed in full, also where the mask hides them */
    bool captured = maps.scores || maps.scaled || maps.masked;
    assert(shape.query_stride >= T && stride >= S);
    assert(maps.weights || (scratch && !captured));
    for (size_t b = 0; b < shape.B; b++) {
        const uint8_t *padding = masks.key_padding ? masks.key_padding + b * S : NULL;
        for (size_t h = 0; h < shape.H; h++) {
            size_t g = h * shape.G / shape.H;
            size_t q = b * shape.query_stride * A + h * D, k = b * shape.key_stride * C + g * D;
            size_t o = b * shape.query_stride * AE + h * E, v = b * shape.key_stride * CE + g * E;
            size_t map = (b * shape.H + h) * shape.query_stride * stride;
            size_t rows;
            for (size_t t = 0; t < T; t += rows) {
                rows = captured ? T : smaller(QUERY_BLOCK, T - t);
                size_t keys = shape.causal && !captured ? smaller(S, shape.past + t + rows) : S;
                size_t from = map + t * stride;
                attention_maps here = {at(maps.scores, from), at(maps.scaled, from),
                                       at(maps.masked, from), at(maps.weights, from),
                                       maps.patches,          maps.bias};
                here.bias.before = at(maps.bias.before, h * maps.bias.row);
                attention_shape block = shape;
                if (!maps.weights) {
                    here.weights = scratch;
                    block.key_stride = keys;
                }
                for (size_t r = 0; maps.weights && keys < S && r < rows; r++) {
                    memset(here.weights + r * stride + keys, 0, (S - keys) * sizeof *scratch);
                }
                attend(output + o + t * AE, here, query + q + t * A, key + k, value + v, padding,
                       masks.additive, t, rows, keys, block);
            }
        }
    }
}

void attention_widen(attention_maps maps, const float *query, const float *key,
                     attention_shape shape) {
    size_t past = shape.past, T = shape.T, A = shape.H * shape.D, C = shape.G * shape.D;
    size_t row = shape.key_stride;
    matmul_shape product = {
        .M = past, .K = shape.D, .N = T, .a_row = A, .b_row = C, .c_row = row, .trans_b = true};
    assert(shape.B == 1 && shape.causal && past > 0);
    for (size_t h = 0; h < shape.H; h++) {
        size_t map = h * shape.query_stride * row;
        float *scores = maps.scores + map - past * row + past;
        float *scaled = maps.scaled + map - past * row + past;
        float *masked = maps.masked + map - past * row + past;
        float *weights = maps.weights + map - past * row + past;
        matmul_forward(scores, query - past * A + h * shape.D,
                       key + past * C + h * shape.G / shape.H * shape.D, (matmul_epilogue){0},
                       product);
        for (size_t r = 0; r < past; r++) {
            scale_forward(scaled + r * row, scores + r * row, shape.scale, T);
            memset(weights + r * row, 0, T * sizeof *weights);
            for (size_t s = 0; s < T; s++) {
                masked[r * row + s] = -INFINITY;
            }
        }
    }
}

size_t attention_backward_scratch(size_t T, size_t key_stride) { return T * key_stride; }

/* In place: x (n floats), the gradient of the weights of a head's queries from `first` on, becomes that of the
 * scores, by way of captured maps, which begin at from. */
static void maps_backward(float *x, attention_maps gradients, attention_maps maps, size_t from,
                          size_t first, size_t rows, attention_shape shape) {
    size_t n = rows * shape.S;
    float *weights = maps.weights + from;
    bool replaced = patches_touch(maps.patches, weights, n);
    patches_backward(maps.patches, gradients.weights + from, x, weights, n);
    if (replaced) { /* the slope is that of what softmax gave */
        softmax_forward(weights, shape.S, maps.masked + from, shape.S, rows, shape.S);
    }
    bool apart = gradients.scores || gradients.bias.before;
    softmax_backward(x, shape.S, x, shape.S, weights, shape.S, apart ? 1 : shape.scale, rows,
                     shape.S);
    if (replaced) {
        patches_apply(maps.patches, weights, n);
    }
    if (gradients.scores) {
        patches_backward(maps.patches, gradients.masked + from, x, maps.masked + from, n);
        /* a hidden score depends on nothing; without cotangents its slope is 0 anyway */
        bool given = maps.patches && maps.patches->cotangent_count > 0;
        for (size_t i = 0; given && i < n; i++) {
            if (maps.masked[from + i] == -INFINITY && x[i] != 0) { /* -0 stays, as in training */
                x[i] = 0;
            }
        }
    }
    for (size_t r = 0; gradients.bias.before && r < rows; r++) {
        bias_row(x + r * shape.S, first + r, shape.S, gradients.bias, true);
    }
    if (gradients.scores) {
        patches_backward(maps.patches, gradients.scaled + from, x, maps.scaled + from, n);
    }
    if (apart) {
        scale_forward(x, x, shape.scale, n);
    }
    if (gradients.scores) {
        patches_backward(maps.patches, gradients.scores + from, x, maps.scores + from, n);
    }
}

void attention_backward(float *dquery, float *dkey, float *dvalue, attention_maps gradients,
                        float *scratch, const float *doutput, const float *query, const float *key,
                        const float *value, attention_maps maps, attention_shape shape) {
    const float *weights = maps.weights;
    size_t T = shape.T, S = shape.S, D = shape.D, A = shape.H * D, C = shape.G * D;
    size_t E = shape.E, AE = shape.H * E, CE = shape.G * E, group = shape.H / shape.G;
    assert(shape.past == 0 && shape.query_stride == T && shape.key_stride == S);
    /* captured tensors are computed in full, also where the weights are 0 */
    bool half = shape.causal && !gradients.weights;
    size_t block = half ? QUERY_BLOCK : T > S ? T : S;
    matmul_shape to_weights = {.K = E, .a_row = AE, .b_row = CE, .c_row = S, .trans_b = true};
    matmul_shape to_queries = {.N = D, .a_row = S, .b_row = C, .c_row = A};
    matmul_shape to_keys = {.N = D, .a_row = S, .b_row = A, .c_row = C, .trans_a = true};
    matmul_shape to_values = {.N = E, .a_row = S, .b_row = AE, .c_row = CE, .trans_a = true};
    for (size_t b = 0; b < shape.B; b++) {
        for (size_t h = 0; h < shape.H; h++) {
            size_t g = h / group, map = (b * shape.H + h) * T * S;
            size_t q = b * T * A + h * D, k = b * S * C + g * D;
            size_t o = b * T * AE + h * E, v = b * S * CE + g * E;
            for (size_t t = 0; t < T; t += block) { /* queries and the keys that they see */
                size_t rows = smaller(block, T - t), keys = half ? smaller(S, t + block) : S;
                float *dscores = scratch + t * S;
                attention_maps slopes = gradients;
                slopes.bias.before = at(gradients.bias.before, h * gradients.bias.row);
                to_weights.M = to_queries.M = rows;
                to_weights.N = to_queries.K = keys;
                matmul_forward(dscores, doutput + o + t * AE, value + v, (matmul_epilogue){0},
                               to_weights);
                if (gradients.weights) {
                    maps_backward(dscores, slopes, maps, map + t * S, t, rows, shape);
                } else {
                    bool biased = slopes.bias.before;
                    softmax_backward(dscores, S, dscores, S, weights + map + t * S, S,
                                     biased ? 1 : shape.scale, rows, keys);
                    for (size_t r = 0; biased && r < rows; r++) {
                        bias_row(dscores + r * S, t + r, keys, slopes.bias, true);
                        scale_forward(dscores + r * S, dscores + r * S, shape.scale, keys);
                    }
                }
                matmul_forward(dquery + q + t * A, dscores, key + k, (matmul_epilogue){0},
                               to_queries);
            }
            /* the heads of a group add to the same keys and values */
            to_keys.accumulate = to_values.accumulate = h % group > 0;
            for (size_t s = 0; s < S; s += block) { /* keys and the queries that see them */
                size_t t = half ? smaller(s, T) : 0;
                to_keys.M = to_values.M = smaller(block, S - s);
                to_keys.K = to_values.K = T - t;
                matmul_forward(dvalue + v + s * CE, weights + map + t * S + s, doutput + o + t * AE,
                               (matmul_epilogue){0}, to_values);
                matmul_forward(dkey + k + s * C, scratch + t * S + s, query + q + t * A,
                               (matmul_epilogue){0}, to_keys);
            }
        }
    }
}
