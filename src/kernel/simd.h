/* simd.h: the vector vocabulary that every kernel is written in: four float lanes.
 *
 * Two bodies: WebAssembly's simd128 (with relaxed multiply-add where compiled for it), and the
 * compiler's own vector extensions for native sanitizer builds. Both round alike, lane by lane,
 * so a kernel has the same bits in either (the relaxed variant aside).
 */
#ifndef GLASSFORMER_KERNEL_SIMD_H
#define GLASSFORMER_KERNEL_SIMD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SIMD_INLINE static inline __attribute__((always_inline))

#ifdef __wasm_simd128__
#include <wasm_simd128.h>

typedef v128_t v4;

SIMD_INLINE v4 v4_load(const float *p) { return wasm_v128_load(p); }
SIMD_INLINE void v4_store(float *p, v4 a) { wasm_v128_store(p, a); }
SIMD_INLINE v4 v4_splat(float x) { return wasm_f32x4_splat(x); }
SIMD_INLINE v4 v4_load_splat(const float *p) { return wasm_v128_load32_splat(p); }
/* The same by two instructions, which the compiler is kept from making one: JavaScriptCore takes long
 * to load and splat at an offset. */
SIMD_INLINE v4 v4_load_then_splat(const float *p) {
    float x = *p;
    __asm__("" : "+r"(x));
    return wasm_f32x4_splat(x);
}
SIMD_INLINE v4 v4_add(v4 a, v4 b) { return wasm_f32x4_add(a, b); }
SIMD_INLINE v4 v4_sub(v4 a, v4 b) { return wasm_f32x4_sub(a, b); }
SIMD_INLINE v4 v4_mul(v4 a, v4 b) { return wasm_f32x4_mul(a, b); }
SIMD_INLINE v4 v4_div(v4 a, v4 b) { return wasm_f32x4_div(a, b); }
SIMD_INLINE v4 v4_abs(v4 a) { return wasm_f32x4_abs(a); }
SIMD_INLINE v4 v4_sqrt(v4 a) { return wasm_f32x4_sqrt(a); }
/* b < a ? b : a and a < b ? b : a: one instruction on x86, and a when either is NaN */
SIMD_INLINE v4 v4_min(v4 a, v4 b) { return wasm_f32x4_pmin(a, b); }
SIMD_INLINE v4 v4_max(v4 a, v4 b) { return wasm_f32x4_pmax(a, b); }
/* all bits set where a < b */
SIMD_INLINE v4 v4_less(v4 a, v4 b) { return wasm_f32x4_lt(a, b); }
/* mask ? a : b, mask from v4_less */
SIMD_INLINE v4 v4_select(v4 mask, v4 a, v4 b) { return wasm_v128_bitselect(a, b, mask); }
/* On the bits of vectors as integers: the larger; difference; half (arithmetic shift right by 1);
 * shift left by 23, into the exponent; and 2^n for n in -126..127, which is n shifted so and added to
 * the bits of one, a vector of 1.0f. */
SIMD_INLINE v4 v4_bits_max(v4 a, v4 b) { return wasm_i32x4_max(a, b); }
SIMD_INLINE v4 v4_bits_sub(v4 a, v4 b) { return wasm_i32x4_sub(a, b); }
SIMD_INLINE v4 v4_bits_half(v4 a) { return wasm_i32x4_shr(a, 1); }
SIMD_INLINE v4 v4_bits_left(v4 n) { return wasm_i32x4_shl(n, 23); }
SIMD_INLINE v4 v4_bits_power(v4 n, v4 one) { return wasm_i32x4_add(v4_bits_left(n), one); }
/* a * b + c; the relaxed variant rounds once where the machine has a fused multiply-add */
SIMD_INLINE v4 v4_fma(v4 a, v4 b, v4 c) {
#ifdef __wasm_relaxed_simd__
    return wasm_f32x4_relaxed_madd(a, b, c);
#else
    return wasm_f32x4_add(wasm_f32x4_mul(a, b), c);
#endif
}
/* a sum in double, lane by lane; start from v4_total_zero() */
typedef struct v4_total {
    v128_t low, high;
} v4_total;
SIMD_INLINE v4_total v4_total_add(v4_total t, v4 a) {
    v128_t high = wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(a, a, 2, 3, 2, 3));
    return (v4_total){wasm_f64x2_add(t.low, wasm_f64x2_promote_low_f32x4(a)),
                      wasm_f64x2_add(t.high, high)};
}
/* the same of the squares, exact in double */
SIMD_INLINE v4_total v4_total_add_square(v4_total t, v4 a) {
    v128_t low = wasm_f64x2_promote_low_f32x4(a);
    v128_t high = wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(a, a, 2, 3, 2, 3));
    return (v4_total){wasm_f64x2_add(t.low, wasm_f64x2_mul(low, low)),
                      wasm_f64x2_add(t.high, wasm_f64x2_mul(high, high))};
}
SIMD_INLINE double v4_total_sum(v4_total t) {
    v128_t sum = wasm_f64x2_add(t.low, t.high);
    return wasm_f64x2_extract_lane(sum, 0) + wasm_f64x2_extract_lane(sum, 1);
}
#define V4_SHUFFLE(a, b, i, j, k, l) wasm_i32x4_shuffle(a, b, i, j, k, l)
#define V4_LANE(a, i) wasm_f32x4_extract_lane(a, i)

#else

typedef float v4 __attribute__((vector_size(16)));
typedef int32_t v4_bits __attribute__((vector_size(16)));
typedef uint32_t v4_unsigned __attribute__((vector_size(16)));

SIMD_INLINE v4 v4_load(const float *p) {
    v4 a;
    memcpy(&a, p, sizeof a);
    return a;
}
SIMD_INLINE void v4_store(float *p, v4 a) { memcpy(p, &a, sizeof a); }
SIMD_INLINE v4 v4_splat(float x) { return (v4){x, x, x, x}; }
SIMD_INLINE v4 v4_load_splat(const float *p) { return v4_splat(*p); }
SIMD_INLINE v4 v4_load_then_splat(const float *p) { return v4_splat(*p); }
SIMD_INLINE v4 v4_add(v4 a, v4 b) { return a + b; }
SIMD_INLINE v4 v4_sub(v4 a, v4 b) { return a - b; }
SIMD_INLINE v4 v4_mul(v4 a, v4 b) { return a * b; }
SIMD_INLINE v4 v4_div(v4 a, v4 b) { return a / b; }
SIMD_INLINE v4 v4_abs(v4 a) { return (v4)((v4_bits)a & 0x7fffffff); }
SIMD_INLINE v4 v4_sqrt(v4 a) { return (v4){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])}; }
SIMD_INLINE v4 v4_less(v4 a, v4 b) { return (v4)(a < b); }
SIMD_INLINE v4 v4_select(v4 mask, v4 a, v4 b) {
    return (v4)(((v4_bits)a & (v4_bits)mask) | ((v4_bits)b & ~(v4_bits)mask));
}
SIMD_INLINE v4 v4_min(v4 a, v4 b) { return v4_select(v4_less(b, a), b, a); }
SIMD_INLINE v4 v4_max(v4 a, v4 b) { return v4_select(v4_less(a, b), b, a); }
SIMD_INLINE v4 v4_bits_max(v4 a, v4 b) { return v4_select((v4)((v4_bits)a < (v4_bits)b), b, a); }
SIMD_INLINE v4 v4_bits_sub(v4 a, v4 b) { return (v4)((v4_unsigned)a - (v4_unsigned)b); }
SIMD_INLINE v4 v4_bits_half(v4 a) { return (v4)((v4_bits)a >> 1); }
SIMD_INLINE v4 v4_bits_left(v4 n) { return (v4)((v4_unsigned)n << 23); }
SIMD_INLINE v4 v4_bits_power(v4 n, v4 one) {
    return (v4)((v4_unsigned)v4_bits_left(n) + (v4_unsigned)one);
}
SIMD_INLINE v4 v4_fma(v4 a, v4 b, v4 c) { return a * b + c; }
typedef struct v4_total {
    double lane[4];
} v4_total;
SIMD_INLINE v4_total v4_total_add(v4_total t, v4 a) {
    return (v4_total){{t.lane[0] + (double)a[0], t.lane[1] + (double)a[1], t.lane[2] + (double)a[2],
                       t.lane[3] + (double)a[3]}};
}
SIMD_INLINE v4_total v4_total_add_square(v4_total t, v4 a) {
    for (int i = 0; i < 4; i++) {
        t.lane[i] += (double)a[i] * (double)a[i];
    }
    return t;
}
SIMD_INLINE double v4_total_sum(v4_total t) {
    return (t.lane[0] + t.lane[2]) + (t.lane[1] + t.lane[3]);
}
#define V4_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#define V4_LANE(a, i) ((a)[i])

#endif

/* The rest is the same for both bodies. */

SIMD_INLINE v4_total v4_total_zero(void) {
    v4_total zero;
    memset(&zero, 0, sizeof zero);
    return zero;
}

/* Sum and largest of the lanes, in one fixed order. */
SIMD_INLINE float v4_sum(v4 a) {
    return (V4_LANE(a, 0) + V4_LANE(a, 2)) + (V4_LANE(a, 1) + V4_LANE(a, 3));
}
SIMD_INLINE float v4_largest(v4 a) {
    v4 b = v4_max(a, V4_SHUFFLE(a, a, 2, 3, 0, 1));
    v4 c = v4_max(b, V4_SHUFFLE(b, b, 1, 0, 3, 2));
    return V4_LANE(c, 0);
}

/* Loads n (1..3) floats into the first lanes and fill into the others, without reading past the end
 * of a row; and stores the first n lanes. */
SIMD_INLINE v4 v4_load_part(const float *p, size_t n, float fill) {
    float lanes[4] = {p[0], n > 1 ? p[1] : fill, n > 2 ? p[2] : fill, fill};
    return v4_load(lanes);
}
SIMD_INLINE void v4_store_part(float *p, v4 a, size_t n) {
    float lanes[4];
    v4_store(lanes, a);
    for (size_t i = 0; i < n; i++) {
        p[i] = lanes[i];
    }
}

/* n lanes, all four from 4 on. */
SIMD_INLINE v4 v4_load_some(const float *p, size_t n, float fill) {
    return n >= 4 ? v4_load(p) : v4_load_part(p, n, fill);
}
SIMD_INLINE void v4_store_some(float *p, v4 a, size_t n) {
    if (n >= 4) {
        v4_store(p, a);
    } else {
        v4_store_part(p, a, n);
    }
}

/* Transposes a 4x4 block. */
SIMD_INLINE void v4_transpose(v4 r[4]) {
    v4 a = V4_SHUFFLE(r[0], r[1], 0, 4, 1, 5);
    v4 b = V4_SHUFFLE(r[2], r[3], 0, 4, 1, 5);
    v4 c = V4_SHUFFLE(r[0], r[1], 2, 6, 3, 7);
    v4 d = V4_SHUFFLE(r[2], r[3], 2, 6, 3, 7);
    r[0] = V4_SHUFFLE(a, b, 0, 1, 4, 5);
    r[1] = V4_SHUFFLE(a, b, 2, 3, 6, 7);
    r[2] = V4_SHUFFLE(c, d, 0, 1, 4, 5);
    r[3] = V4_SHUFFLE(c, d, 2, 3, 6, 7);
}

/* acc + x[0] r'[0] + ... + x[3] r'[3], in this order, r' the transposed block. Without a fused
 * multiply-add the products come first, which needs one load of x for four. */
SIMD_INLINE v4 v4_fma_transposed(const float *x, v4 r[4], v4 acc) {
#ifdef __wasm_relaxed_simd__
    v4_transpose(r);
    for (size_t i = 0; i < 4; i++) {
        acc = v4_fma(v4_load_splat(x + i), r[i], acc);
    }
#else
    v4 four = v4_load(x);
    for (size_t i = 0; i < 4; i++) {
        r[i] = v4_mul(four, r[i]);
    }
    v4_transpose(r);
    for (size_t i = 0; i < 4; i++) {
        acc = v4_add(acc, r[i]);
    }
#endif
    return acc;
}

#endif
