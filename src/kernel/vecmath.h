/* vecmath.h: elementary functions with bits of their own, the same on every machine.
 *
 * Vector functions work on four float lanes; their bounds are tested in tests/kernel/vecmath.c.
 * Scalar functions are in double, for the few places where float32 angles or logarithms would
 * show (positions, loss, random numbers).
 */
#ifndef GLASSFORMER_KERNEL_VECMATH_H
#define GLASSFORMER_KERNEL_VECMATH_H

#include "simd.h"

/* v4_exp: e^x in each lane.
 * error 1.1 ulp for x up to 88.7; exactly 0 below -103.98 and at -Infinity, 1 at 0; gradual
 *       underflow between; +Infinity from 88.73 on; NaN stays NaN (min and max hand on their first
 *       argument then)
 * method x = n ln2 + r, |r| <= ln2/2, Taylor's polynomial of degree 7 for e^r, scaled by 2^n in
 *       two steps, so that neither factor leaves the normal range (Cody and Waite 1980, ch. 6) */
SIMD_INLINE v4 v4_exp(v4 x) {
    v4 bounded = v4_max(v4_min(x, v4_splat(89.0f)), v4_splat(-104.0f));
    v4 n = v4_nearest(v4_mul(bounded, v4_splat(1.44269504f)));
    v4 r = v4_fma(n, v4_splat(-0.693145752f), bounded); /* ln2 in two parts: 15 bits, then */
    r = v4_fma(n, v4_splat(-1.42860677e-6f), r);        /* the rest; n * part 1 is exact */
    v4 p = v4_splat(1.98412698e-4f);
    p = v4_fma(p, r, v4_splat(1.38888889e-3f));
    p = v4_fma(p, r, v4_splat(8.33333333e-3f));
    p = v4_fma(p, r, v4_splat(4.16666667e-2f));
    p = v4_fma(p, r, v4_splat(1.66666667e-1f));
    p = v4_fma(p, r, v4_splat(0.5f));
    v4 tail = v4_fma(v4_mul(r, r), p, r);
    v4 half = v4_nearest(v4_mul(n, v4_splat(0.5f)));
    v4 scale = v4_power_of_two(half);
    return v4_mul(v4_fma(tail, scale, scale), v4_power_of_two(v4_sub(n, half)));
}

/* v4_normal_cdf: Phi(x) = (1 + erf(x / sqrt 2)) / 2, the standard normal distribution function.
 * error 1e-7 absolute, and 1e-7 relative for x >= 0
 * method near 0 a polynomial of erf; beyond, the tail erfc(t) = exp(polynomial of t), without the
 *       cancellation of 1 - erf; coefficients of N. Juffa's erff (public post, 2 ulp) */
SIMD_INLINE v4 v4_normal_cdf(v4 x) {
    v4 t = v4_abs(v4_mul(x, v4_splat(0.707106781f)));
    v4 s = v4_mul(t, t);
    /* t > 0.9277: ln erfc(t) */
    v4 far = v4_fma(v4_splat(-1.72853470e-5f), t, v4_splat(3.83197126e-4f));
    v4 mid = v4_fma(v4_splat(-3.88396438e-3f), t, v4_splat(2.42546219e-2f));
    far = v4_fma(far, s, mid);
    far = v4_fma(far, t, v4_splat(-1.06777877e-1f));
    far = v4_fma(far, t, v4_splat(-6.34846687e-1f));
    far = v4_fma(far, t, v4_splat(-1.28717512e-1f));
    far = v4_fma(far, t, v4_sub(v4_splat(0.0f), t));
    v4 tail = v4_mul(v4_exp(v4_max(far, v4_splat(-104.0f))), v4_splat(0.5f));
    /* else: erf(t) / 2 */
    v4 near = v4_splat(-5.96761703e-4f);
    near = v4_fma(near, s, v4_splat(4.99119423e-3f));
    near = v4_fma(near, s, v4_splat(-2.67681349e-2f));
    near = v4_fma(near, s, v4_splat(1.12819925e-1f));
    near = v4_fma(near, s, v4_splat(-3.76125336e-1f));
    near = v4_fma(near, s, v4_splat(1.28379166e-1f));
    near = v4_mul(v4_fma(near, t, t), v4_splat(0.5f));
    v4 is_near = v4_less(t, v4_splat(0.927734375f));
    v4 lower = v4_select(is_near, v4_sub(v4_splat(0.5f), near), tail); /* Phi(-|x|) */
    v4 upper = v4_select(is_near, v4_add(v4_splat(0.5f), near), v4_sub(v4_splat(1.0f), tail));
    return v4_select(v4_less(x, v4_splat(0.0f)), lower, upper);
}

/* math_sincos: sine and cosine of x (radians) in double, |x| <= 2^20; error 1e-15.
 * math_exp: e^x in double, |x| <= 700, error 5e-16 relative. math_log: natural logarithm of a
 * finite x > 0, error 4e-16 * (1 + |log x|); log of 0 is -Infinity. */
void math_sincos(double x, double *sine, double *cosine);
double math_exp(double x);
double math_log(double x);

#endif
