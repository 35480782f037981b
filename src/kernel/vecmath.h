/* vecmath.h: elementary functions of our own, with the same bits on every machine.
 *
 * Vector functions work on four float lanes; their bounds are tested in tests/kernel/vecmath.c.
 * Scalar functions are in double, for the few places where float32 angles or logarithms would
 * show (positions, loss, random numbers).
 */
#ifndef GLASSFORMER_KERNEL_VECMATH_H
#define GLASSFORMER_KERNEL_VECMATH_H

#include "simd.h"

/* The constants of the vector functions are in memory and hidden from the compiler, one load each.
 * Vector constants that it sees become three instructions at each use in V8: with those the
 * exponential took twice the time. */
extern const struct vecmath_constants {
    float exp_low, exp_high, exp_normal, log2_e, shift, minus_ln2[2], exp_terms[6], one, half;
    float biased_shift, power_terms[5];
    float root_half, cdf_far[7], cdf_near[6], cdf_border, zero;
} vecmath;

/* A polynomial of n coefficients, highest first, by Horner's rule. */
SIMD_INLINE v4 v4_polynomial(const float *c, size_t n, v4 x) {
    v4 p = v4_load_splat(c);
    for (size_t i = 1; i < n; i++) {
        p = v4_fma(p, x, v4_load_splat(c + i));
    }
    return p;
}

/* e^x = (1 + *tail) 2^n for x = n ln2 + r, |r| <= ln2/2; returns n as the bits of an integer:
 * adding 1.5 * 2^23 rounds x / ln2 and leaves n in the low bits. Taylor's polynomial of degree 7. */
SIMD_INLINE v4 v4_exp_parts(v4 *tail, v4 x) {
    v4 shift = v4_load_splat(&vecmath.shift);
    v4 shifted = v4_add(v4_mul(x, v4_load_splat(&vecmath.log2_e)), shift),
       n = v4_sub(shifted, shift);
    v4 r = v4_fma(n, v4_load_splat(&vecmath.minus_ln2[0]), x); /* n * part 1 is exact */
    r = v4_fma(n, v4_load_splat(&vecmath.minus_ln2[1]), r);
    *tail = v4_fma(v4_mul(r, r), v4_polynomial(vecmath.exp_terms, 6, r), r);
    return v4_bits_sub(shifted, shift);
}

/* v4_exp: e^x in each lane.
 * error 1.1 ulp for x up to 88.7; exactly 0 below -103.98 and at -Infinity, 1 at 0; gradual
 *       underflow between; +Infinity from 88.73 on; NaN stays NaN (min and max return their first
 *       argument then)
 * method scaled by 2^n in two steps, so that neither factor leaves the normal range (Cody and Waite
 *       1980, ch. 6) */
SIMD_INLINE v4 v4_exp(v4 x) {
    v4 low = v4_load_splat(&vecmath.exp_low), one = v4_load_splat(&vecmath.one), tail;
    v4 whole = v4_exp_parts(&tail, v4_max(v4_min(x, v4_load_splat(&vecmath.exp_high)), low));
    v4 half = v4_bits_half(whole), scale = v4_bits_power(half, one);
    return v4_mul(v4_fma(tail, scale, scale), v4_bits_power(v4_bits_sub(whole, half), one));
}

/* v4_exp_below: e^x for x <= 0 (NaN stays NaN), exactly 1 at 0 and exactly 0 from -87.69 on.
 * error 2.1 ulp + 1.25 |x| 2^-24 relative: half a unit of the product t, and the constant's own rounding;
 *       over all floats 2.08 and 1.2245
 * method 2^t for t = x log2 e = n + f, |f| <= 1/2. The product is rounded, which v4_exp avoids by
 *       ln2 in two parts; a minimax polynomial of degree 5 for 2^f (Remez; 9.2e-8); n + 127 is in
 *       the low bits of the shifted sum and is shifted into the exponent. 20 instructions instead
 *       of 28: softmax spends two thirds of its time here */
SIMD_INLINE v4 v4_exp_below(v4 x) {
    v4 log2_e = v4_load_splat(&vecmath.log2_e), shift = v4_load_splat(&vecmath.biased_shift);
    v4 d = v4_max(x, v4_load_splat(&vecmath.exp_normal));
    v4 shifted = v4_fma(d, log2_e, shift), minus_n = v4_sub(shift, shifted);
    v4 f = v4_fma(d, log2_e, minus_n);
    v4 scale = v4_bits_left(shifted);
    return v4_fma(v4_mul(v4_polynomial(vecmath.power_terms, 5, f), f), scale, scale);
}

/* v4_normal_cdf: Phi(x) = (1 + erf(x / sqrt 2)) / 2, the standard normal distribution function.
 * error 1e-7 absolute, and 1e-7 relative for x >= 0
 * method near 0 a polynomial of erf; beyond, the tail erfc(t) = exp(polynomial of t), without the
 *       cancellation of 1 - erf; coefficients of N. Juffa's erff (public post, 2 ulp) */
SIMD_INLINE v4 v4_normal_cdf(v4 x) {
    v4 half = v4_load_splat(&vecmath.half), zero = v4_load_splat(&vecmath.zero);
    v4 t = v4_abs(v4_mul(x, v4_load_splat(&vecmath.root_half)));
    v4 s = v4_mul(t, t);
    const float *c = vecmath.cdf_far; /* t > 0.9277: ln erfc(t) */
    v4 far = v4_fma(v4_polynomial(c, 2, t), s, v4_polynomial(c + 2, 2, t));
    for (size_t i = 4; i < 7; i++) {
        far = v4_fma(far, t, v4_load_splat(c + i));
    }
    far = v4_fma(far, t, v4_sub(zero, t));
    v4 tail = v4_mul(v4_exp_below(far), half);
    v4 near = v4_polynomial(vecmath.cdf_near, 6, s); /* else: erf(t) / 2 */
    near = v4_mul(v4_fma(near, t, t), half);
    v4 is_near = v4_less(t, v4_load_splat(&vecmath.cdf_border));
    v4 lower = v4_select(is_near, v4_sub(half, near), tail); /* Phi(-|x|) */
    v4 one = v4_load_splat(&vecmath.one);
    v4 upper = v4_select(is_near, v4_add(half, near), v4_sub(one, tail));
    return v4_select(v4_less(x, zero), lower, upper);
}

/* math_sincos: sine and cosine of x (radians) in double, |x| <= 2^20; error 4e-16.
 * math_exp: e^x in double, |x| <= 700, error 4e-16 relative. math_log: natural logarithm of a
 * finite x > 0, error 4e-16 * (1 + |log x|); log of 0 is -Infinity. math_tanh: the hyperbolic
 * tangent of x, NaN of NaN, error 4e-16. */
void math_sincos(double x, double *sine, double *cosine);
double math_exp(double x);
double math_log(double x);
double math_tanh(double x);

#endif
