/* half.h: matrices of weights in 16 bits, which products widen as they read.
 *
 * A packed matrix (N,K) lies in panels of 16 rows: element (n,k) is number (n / 16 K + k) 16 + n % 16,
 * so that a product of few rows reads it from beginning to end. N is rounded up to whole panels, of
 * zeros. Panels of 8 rows took a third longer, two of them at a time twice as long (Node 20).
 */
#ifndef GLASSFORMER_KERNEL_HALF_H
#define GLASSFORMER_KERNEL_HALF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simd.h"

enum { HALF_PANEL = 16, PANEL = 8 };

/* The order is that of config.h's setting `weights`. */
typedef enum weight_type {
    WEIGHT_F32,  /* not packed: rows of floats */
    WEIGHT_BF16, /* the upper half of a float */
    WEIGHT_F16,  /* IEEE binary16 */
    WEIGHT_INT8, /* 8 bits and a scale, see quant.h */
    WEIGHT_TYPE_COUNT,
    WEIGHT_PANELS = WEIGHT_TYPE_COUNT /* floats as matmul_arrange leaves them; not a setting */
} weight_type;

/* In memory and hidden from the compiler, one load each: see vecmath.h. */
extern const struct half_constants {
    float scale, mask; /* 2^112; the bits 0x8fffffff */
} half_constants;

/* v4_widen: 8 finite numbers, exactly. A half's exponent and fraction, shifted to where a float has
 * them, are its value times 2^-112, also where it is subnormal. */
SIMD_INLINE void v4_widen(v4 to[2], const uint16_t *from, weight_type type) {
#ifdef __wasm_simd128__
    v128_t zero = wasm_i32x4_const_splat(0), bits = wasm_v128_load(from);
    to[0] = wasm_i16x8_shuffle(zero, bits, 0, 8, 1, 9, 2, 10, 3, 11);
    to[1] = wasm_i16x8_shuffle(zero, bits, 4, 12, 5, 13, 6, 14, 7, 15);
    for (size_t i = 0; type == WEIGHT_F16 && i < 2; i++) {
        v128_t mask = v4_load_splat(&half_constants.mask);
        v128_t placed = wasm_v128_and(wasm_i32x4_shr(to[i], 3), mask);
        to[i] = v4_mul(placed, v4_load_splat(&half_constants.scale));
    }
#else
    for (size_t i = 0; i < 8; i++) {
        uint32_t bits = (uint32_t)from[i] << 16;
        float x;
        bits = type == WEIGHT_F16 ? (bits & 0x80000000) | (bits & 0x7fffffff) >> 3 : bits;
        memcpy(&x, &bits, sizeof x);
        to[i / 4][i % 4] = type == WEIGHT_F16 ? x * 0x1p112f : x;
    }
#endif
}

/* half_widen: a panel of so many k as two panels of 8 columns of floats: to[8 k + j] = from[16 k + j],
 * next[8 k + j] = from[16 k + 8 + j], j < 8. */
void half_widen(float *restrict to, float *restrict next, const uint16_t *from, size_t depth,
                weight_type type);

/* half_get: to[i] = element first + i in row-major order of a packed matrix of K columns, i < n.
 * half_put: the reverse, rounded to the nearest, ties to even. Returns whether every number is within
 * the type; one beyond it is not written. */
void half_get(float *restrict to, const uint16_t *packed, size_t K, size_t first, size_t n,
              weight_type type);
bool half_put(uint16_t *restrict packed, size_t K, size_t first, const float *from, size_t n,
              weight_type type);

/* panels_get: as half_get, of floats that matmul_arrange has arranged, but for the rows that it left. */
void panels_get(float *restrict to, const float *arranged, size_t K, size_t first, size_t n);

#endif
