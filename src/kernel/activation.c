#include "activation.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "elementwise.h"
#include "simd.h"
#include "vecmath.h"

SIMD_INLINE v4 relu(v4 x) { return v4_max(x, v4_splat(0)); }

SIMD_INLINE v4 gelu(v4 x) { return v4_mul(x, v4_normal_cdf(x)); }

/* (1 + tanh u) / 2 = 1 / (1 + exp(-2u)): no cancellation for negative u. */
SIMD_INLINE v4 gelu_tanh(v4 x) {
    v4 cube = v4_mul(v4_mul(x, x), x);
    v4 u = v4_fma(cube, v4_splat(0.044715f), x);
    v4 e = v4_exp(v4_mul(u, v4_splat(-1.59576912f))); /* -2 sqrt(2/pi) */
    return v4_div(x, v4_add(v4_splat(1), e));         /* e may overflow: x / Infinity is 0 */
}

/* exp(-x) may overflow: x / Infinity is 0. */
SIMD_INLINE v4 silu(v4 x) {
    v4 one = v4_splat(1);
    return v4_div(x, v4_add(one, v4_exp(v4_sub(v4_splat(0), x))));
}

/* Two at once share the loads of the constants. */
#define EACH(function)                                                                             \
    for (size_t i = 0; i < whole; i += 8) {                                                        \
        v4 a = function(v4_load(x + i)), b = function(v4_load(x + i + 4));                         \
        v4_store(y + i, a);                                                                        \
        v4_store(y + i + 4, b);                                                                    \
    }

void activation_forward(float *y, const float *x, size_t n, activation f) {
    size_t whole = n & ~(size_t)7;
    switch (f) {
    case ACTIVATION_RELU:
        EACH(relu);
        break;
    case ACTIVATION_GELU:
        EACH(gelu);
        break;
    case ACTIVATION_GELU_TANH:
        EACH(gelu_tanh);
        break;
    case ACTIVATION_NONE:
        if (y != x) {
            memcpy(y, x, whole * sizeof *y);
        }
        break;
    case ACTIVATION_SILU:
        EACH(silu);
        break;
    default:
        assert(!"an activation");
    }
    if (whole < n) { /* the rest as a whole group: the code of each function stands here once */
        float rest[8] = {0};
        memcpy(rest, x + whole, (n - whole) * sizeof *x);
        activation_forward(rest, rest, 8, f);
        memcpy(y + whole, rest, (n - whole) * sizeof *y);
    }
}

void activation_gated(float *y, const float *x, const float *up, size_t n, activation f) {
    enum { BLOCK = 256 };
    float active[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t some = n - i < BLOCK ? n - i : BLOCK;
        activation_forward(active, x + i, some, f);
        multiply_forward(y + i, active, up + i, some);
    }
}

SIMD_INLINE v4 relu_slope(v4 x) {
    return v4_select(v4_less(v4_splat(0), x), v4_splat(1), v4_splat(0));
}

/* d/dx x Phi(x) = Phi(x) + x phi(x) */
SIMD_INLINE v4 gelu_slope(v4 x) {
    v4 density = v4_mul(v4_exp(v4_mul(v4_mul(x, x), v4_splat(-0.5f))), v4_splat(0.398942280f));
    return v4_fma(x, density, v4_normal_cdf(x));
}

/* With e = exp(-2u), s = 1 / (1 + e): d/dx x s = s + x s (1 - s) 2 du/dx, where 1 - s = e s. */
SIMD_INLINE v4 gelu_tanh_slope(v4 x) {
    v4 bounded = v4_max(v4_min(x, v4_splat(30)), v4_splat(-30)); /* s is 0 or 1 beyond */
    v4 square = v4_mul(bounded, bounded);
    v4 u = v4_fma(v4_mul(square, bounded), v4_splat(0.044715f), bounded);
    v4 e = v4_min(v4_exp(v4_mul(u, v4_splat(-1.59576912f))), v4_splat(1e18f)); /* e s is finite */
    v4 s = v4_div(v4_splat(1), v4_add(v4_splat(1), e));
    v4 du = v4_fma(square, v4_splat(0.134145f * 1.59576912f), v4_splat(1.59576912f));
    v4 rest = v4_mul(v4_mul(s, v4_mul(e, s)), du);
    return v4_fma(bounded, rest, s);
}

/* With e = exp(-x), s = 1 / (1 + e): d/dx x s = s + x s (1 - s), where 1 - s = e s. */
SIMD_INLINE v4 silu_slope(v4 x) {
    v4 bounded = v4_max(v4_min(x, v4_splat(30)), v4_splat(-30)); /* s is 0 or 1 beyond */
    v4 e = v4_exp(v4_sub(v4_splat(0), bounded));
    v4 s = v4_div(v4_splat(1), v4_add(v4_splat(1), e));
    return v4_fma(v4_mul(bounded, s), v4_mul(e, s), s);
}

#define EACH_SLOPE(slope)                                                                          \
    for (size_t i = 0; i < whole; i += 4) {                                                        \
        v4_store(dx + i, v4_mul(v4_load(dy + i), slope(v4_load(x + i))));                          \
    }

void activation_backward(float *dx, const float *dy, const float *x, size_t n, activation f) {
    size_t whole = n & ~(size_t)3;
    switch (f) {
    case ACTIVATION_RELU:
        EACH_SLOPE(relu_slope);
        break;
    case ACTIVATION_GELU:
        EACH_SLOPE(gelu_slope);
        break;
    case ACTIVATION_GELU_TANH:
        EACH_SLOPE(gelu_tanh_slope);
        break;
    case ACTIVATION_NONE:
        if (dx != dy) {
            memcpy(dx, dy, whole * sizeof *dx);
        }
        break;
    case ACTIVATION_SILU:
        EACH_SLOPE(silu_slope);
        break;
    default:
        assert(!"an activation");
    }
    if (whole < n) {
        float rest[4] = {0}, at[4] = {0};
        memcpy(rest, dy + whole, (n - whole) * sizeof *dy);
        memcpy(at, x + whole, (n - whole) * sizeof *x);
        activation_backward(rest, rest, at, 4, f);
        memcpy(dx + whole, rest, (n - whole) * sizeof *dx);
    }
}

/* How many numbers of a row are above a bound; NaN is not. */
static size_t count_above(const float *x, size_t n, float bound) {
    v4 low = v4_splat(bound), one = v4_splat(1), zero = v4_splat(0), sum = zero;
    size_t whole = n & ~(size_t)3, i = 0, count = 0;
    for (; i < whole; i += 4) {
        sum = v4_add(sum, v4_select(v4_less(low, v4_load(x + i)), one, zero));
    }
    for (; i < n; i++) {
        count += x[i] > bound;
    }
    return count + (size_t)v4_sum(sum);
}

/* A row keeps the numbers above `bound`, and the first `ties` of those that equal it. */
typedef struct kept {
    float bound;
    size_t ties;
} kept;

/* The float that is half-way between two, neither negative, in the order of floats; with itself, the one after it. */
static float between(float low, float high) {
    uint32_t a, b;
    memcpy(&a, &low, sizeof a);
    memcpy(&b, &high, sizeof b);
    a = a == b ? a + 1 : a + (b - a) / 2;
    memcpy(&low, &a, sizeof low);
    return low;
}

/* Halves an interval of bounds: more than k numbers are above `low`, fewer above `high`. Numbers that lie well apart
 * are parted soonest by a mean of bounds, close ones by a mean of their places in the order of floats. */
static kept top_of(const float *x, size_t n, size_t k) {
    enum { MEANS = 12 };
    float low = 0, high = 0;
    if (count_above(x, n, low) <= k) {
        return (kept){low, 0};
    }
    for (size_t i = 0; i < n; i++) {
        high = x[i] > high ? x[i] : high;
    }
    for (size_t turn = 0;; turn++) {
        float mean = low + (high - low) / 2;
        bool parts = turn < MEANS && mean > low && mean < high;
        float bound = parts ? mean : between(low, high);
        if (bound == low) { /* none lies between them: the number k is `high` */
            return (kept){high, k - count_above(x, n, high)};
        }
        size_t count = count_above(x, n, bound);
        if (count == k) {
            return (kept){bound, 0};
        }
        *(count > k ? &low : &high) = bound;
    }
}

/* y = from where x is kept, else 0; also where x is NaN, which no comparison refuses. */
static void keep(float *y, const float *from, const float *x, size_t n, kept top) {
    v4 after = v4_splat(between(top.bound, top.bound)), zero = v4_splat(0);
    size_t whole = top.ties ? 0 : n & ~(size_t)3, i = 0;
    for (; i < whole; i += 4) {
        v4_store(y + i, v4_select(v4_less(v4_load(x + i), after), zero, v4_load(from + i)));
    }
    for (; i < n; i++) {
        bool tied = x[i] == top.bound && top.ties > 0;
        top.ties -= tied;
        y[i] = tied || !(x[i] <= top.bound) ? from[i] : 0;
    }
}

void top_k_forward(float *y, const float *x, size_t rows, size_t width, size_t k) {
    top_k_backward(y, x, x, rows, width, k);
}

void top_k_backward(float *dx, const float *dy, const float *x, size_t rows, size_t width,
                    size_t k) {
    for (size_t r = 0; r < rows; r++, dx += width, dy += width, x += width) {
        keep(dx, dy, x, width, top_of(x, width, k));
    }
}
