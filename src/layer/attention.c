#include "attention.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "../kernel/add.h"
#include "../kernel/matmul.h"
#include "../kernel/softmax.h"

/* Queries whose scores are held at once when nobody looks: a multiple of the product's tile,
 * few enough that the block stays in cache, many enough to share the packing of k. */
enum { QUERY_BLOCK = 32 };

size_t attention_scratch(size_t S) { return QUERY_BLOCK * S; }

/* Puts -Infinity where a key is hidden from query row t; x has visible entries only up to keys. */
static void hide(float *x, size_t t, const uint8_t *padding, const float *additive, size_t keys,
                 attention_shape shape) {
    if (additive) {
        add_forward(x, x, additive + t * shape.S, keys);
    }
    for (size_t s = 0; padding && s < keys; s++) {
        if (padding[s]) {
            x[s] = -INFINITY;
        }
    }
    for (size_t s = shape.past + t + 1; shape.causal && s < keys; s++) {
        x[s] = -INFINITY;
    }
}

/* Queries first .. first+rows of one head. The maps point at the block's first row; weights is
 * never NULL here. */
static void attend(float *output, attention_maps maps, const float *query, const float *key,
                   const float *value, const uint8_t *padding, const float *additive, size_t first,
                   size_t rows, size_t keys, attention_shape shape) {
    size_t C = shape.H * shape.D, row = shape.key_room;
    float *weights = maps.weights, *masked = maps.masked ? maps.masked : weights;
    float *scores = maps.scores ? maps.scores : masked;
    matmul_shape product = {
        .M = rows, .K = shape.D, .N = keys, .a_row = C, .b_row = C, .c_row = row, .trans_b = true};
    matmul_forward(scores, query, key, NULL, product);
    for (size_t r = 0; r < rows; r++) {
        float *to = masked + r * row;
        scale_forward(to, scores + r * row, shape.scale, keys);
        if (maps.scaled) {
            memcpy(maps.scaled + r * row, to, keys * sizeof *to);
        }
        hide(to, first + r, padding, additive, keys, shape);
    }
    softmax_forward(weights, row, masked, row, rows, keys);
    product =
        (matmul_shape){.M = rows, .K = keys, .N = shape.D, .a_row = row, .b_row = C, .c_row = C};
    matmul_forward(output, weights, value, NULL, product);
}

static float *at(float *base, size_t offset) { return base ? base + offset : NULL; }

void attention_forward(float *output, attention_maps maps, float *scratch, const float *query,
                       const float *key, const float *value, attention_masks masks,
                       attention_shape shape) {
    size_t T = shape.T, S = shape.S, D = shape.D, C = shape.H * D;
    assert(shape.query_room >= T && shape.key_room >= S);
    assert(maps.weights || scratch);
    for (size_t b = 0; b < shape.B; b++) {
        const uint8_t *padding = masks.key_padding ? masks.key_padding + b * S : NULL;
        for (size_t h = 0; h < shape.H; h++) {
            size_t q = b * shape.query_room * C + h * D, k = b * shape.key_room * C + h * D;
            size_t map = (b * shape.H + h) * shape.query_room * shape.key_room;
            if (maps.weights) {
                attention_maps here = {at(maps.scores, map), at(maps.scaled, map),
                                       at(maps.masked, map), maps.weights + map};
                attend(output + q, here, query + q, key + k, value + k, padding, masks.additive, 0,
                       T, S, shape);
                continue;
            }
            for (size_t t = 0; t < T; t += QUERY_BLOCK) {
                size_t rows = T - t < QUERY_BLOCK ? T - t : QUERY_BLOCK;
                size_t seen = shape.past + t + rows; /* no query of the block sees beyond */
                size_t keys = shape.causal && seen < S ? seen : S;
                attention_shape narrow = shape;
                narrow.key_room = keys;
                attend(output + q + t * C, (attention_maps){.weights = scratch}, query + q + t * C,
                       key + k, value + k, padding, masks.additive, t, rows, keys, narrow);
            }
        }
    }
}

size_t attention_backward_scratch(size_t T, size_t key_room) { return T * key_room; }

void attention_backward(float *dquery, float *dkey, float *dvalue, float *dweights, float *scratch,
                        const float *doutput, const float *query, const float *key,
                        const float *value, const float *weights, attention_shape shape) {
    size_t T = shape.T, S = shape.S, D = shape.D, C = shape.H * D;
    assert(shape.past == 0 && shape.query_room == T && shape.key_room == S);
    matmul_shape to_values = {
        .M = S, .K = T, .N = D, .a_row = S, .b_row = C, .c_row = C, .trans_a = true};
    matmul_shape to_weights = {
        .M = T, .K = D, .N = S, .a_row = C, .b_row = C, .c_row = S, .trans_b = true};
    matmul_shape to_queries = {.M = T, .K = S, .N = D, .a_row = S, .b_row = C, .c_row = C};
    for (size_t b = 0; b < shape.B; b++) {
        for (size_t h = 0; h < shape.H; h++) {
            size_t q = b * T * C + h * D, k = b * S * C + h * D, map = (b * shape.H + h) * T * S;
            matmul_forward(dvalue + k, weights + map, doutput + q, NULL, to_values);
            matmul_forward(scratch, doutput + q, value + k, NULL, to_weights);
            if (dweights) {
                memcpy(dweights + map, scratch, T * S * sizeof *scratch);
            }
            softmax_backward(scratch, S, scratch, S, weights + map, S, shape.scale, T, S);
            matmul_forward(dquery + q, scratch, key + k, NULL, to_queries);
            matmul_forward(dkey + k, scratch, query + q, NULL, to_values);
        }
    }
}
