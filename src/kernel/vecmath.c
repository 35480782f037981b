#include "vecmath.h"

#include <assert.h>

const struct vecmath_constants vecmath = {
    .exp_low = -104,
    .exp_high = 89,
    .exp_normal = -88,
    .log2_e = 1.44269504f,
    .shift = 12582912, /* 1.5 * 2^23 */
    .biased_shift = 12582912 + 127,
    .power_terms = {1.32647275e-3f, 9.67151397e-3f, 5.55073375e-2f, 2.40222421e-1f, 6.93146978e-1f},
    .minus_ln2 = {-0.693145752f, -1.42860677e-6f}, /* 15 bits, and the rest */
    .exp_terms = {1.98412698e-4f, 1.38888889e-3f, 8.33333333e-3f, 4.16666667e-2f, 1.66666667e-1f,
                  0.5f}, /* 1/7! ... 1/2! */
    .one = 1,
    .half = 0.5f,
    .root_half = 0.707106781f,
    .cdf_far = {-1.72853470e-5f, 3.83197126e-4f, -3.88396438e-3f, 2.42546219e-2f, -1.06777877e-1f,
                -6.34846687e-1f, -1.28717512e-1f},
    .cdf_near = {-5.96761703e-4f, 4.99119423e-3f, -2.67681349e-2f, 1.12819925e-1f, -3.76125336e-1f,
                 1.28379166e-1f},
    .cdf_border = 0.927734375f,
    .zero = 0,
};

/* x = m 2^e with m in [sqrt(1/2), sqrt 2); log m = 2 atanh(s), s = (m-1)/(m+1) by its series. */
double math_log(double x) {
    if (!(x > 0)) {
        return x == 0 ? -(double)INFINITY : (double)NAN;
    }
    int exponent = 0;
    while (x < 0x1p-32) {
        x *= 0x1p32;
        exponent -= 32;
    }
    while (x >= 0x1p32) {
        x *= 0x1p-32;
        exponent += 32;
    }
    while (x < 0.70710678118654752) {
        x *= 2;
        exponent--;
    }
    while (x >= 1.4142135623730951) {
        x *= 0.5;
        exponent++;
    }
    double s = (x - 1) / (x + 1), z = s * s, sum = 0;
    for (int k = 21; k >= 3; k -= 2) { /* z < 0.0295: z^11/23 is 6e-19 */
        sum = (sum + 1.0 / k) * z;
    }
    double low = exponent * 1.90821492927058770e-10;
    return exponent * 6.93147180369123816e-1 + (2 * s * (1 + sum) + low);
}

/* x = n ln2 + r; Taylor to degree 13 (r^14/14! < 5e-18), then 2^n by squaring. */
double math_exp(double x) {
    assert(fabs(x) <= 700);
    double n = rint(x * 1.4426950408889634);
    double r = (x - n * 6.93147180369123816e-1) - n * 1.90821492927058770e-10;
    static const double TERMS[] = {
        1.6059043836821613e-10, 2.08767569878681e-09,   2.505210838544172e-08,
        2.755731922398589e-07,  2.7557319223985893e-06, 2.48015873015873e-05,
        0.0001984126984126984,  0.001388888888888889,   0.008333333333333333,
        0.041666666666666664,   0.16666666666666666,    0.5}; /* 1/13! ... 1/2! */
    double y = TERMS[0];
    for (size_t k = 1; k < sizeof TERMS / sizeof *TERMS; k++) {
        y = y * r + TERMS[k];
    }
    uint64_t exponent = (uint64_t)(int64_t)(n + 1023) << 52; /* 2^n, a normal number */
    double power;
    memcpy(&power, &exponent, sizeof power);
    return (1 + (r + r * r * y)) * power;
}

double math_tanh(double x) {
    if (!(fabs(x) < 20)) {
        return x > 0 ? 1 : x < 0 ? -1 : x;
    }
    return 1 - 2 / (1 + math_exp(2 * x));
}

/* x = n pi/2 + r, pi/2 in three parts (33 bits each: n * part is exact for n < 2^20), |r| <= pi/4;
 * Taylor to r^17 and r^16 (errors below 1e-17). */
void math_sincos(double x, double *sine, double *cosine) {
    assert(fabs(x) <= 0x1p20);
    double n = rint(x * 0.63661977236758134);
    double r = x - n * 1.57079632673412561417e+00;
    r -= n * 6.07710050630396597660e-11;
    r -= n * 2.02226624879595063154e-21;
    double z = r * r, s = 1, c = 1;
    for (int k = 16; k >= 2; k -= 2) {
        s = 1 - s * z / (k * (k + 1));
        c = 1 - c * z / (k * (k - 1));
    }
    s *= r;
    switch ((int64_t)n & 3) {
    case 0:
        *sine = s;
        *cosine = c;
        break;
    case 1:
        *sine = c;
        *cosine = -s;
        break;
    case 2:
        *sine = -s;
        *cosine = -c;
        break;
    default:
        *sine = -c;
        *cosine = s;
        break;
    }
}
