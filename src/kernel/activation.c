#include "activation.h"

#include <assert.h>

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

SIMD_INLINE v4 identity(v4 x) { return x; }

/* Two at once share the loads of the constants. */
#define EACH(function)                                                                             \
    do {                                                                                           \
        size_t i = 0;                                                                              \
        for (; i + 8 <= n; i += 8) {                                                               \
            v4 a = function(v4_load(x + i)), b = function(v4_load(x + i + 4));                     \
            v4_store(y + i, a);                                                                    \
            v4_store(y + i + 4, b);                                                                \
        }                                                                                          \
        for (; i + 4 <= n; i += 4) {                                                               \
            v4_store(y + i, function(v4_load(x + i)));                                             \
        }                                                                                          \
        if (i < n) {                                                                               \
            v4_store_part(y + i, function(v4_load_part(x + i, n - i, 0)), n - i);                  \
        }                                                                                          \
    } while (0)

void activation_forward(float *y, const float *x, size_t n, activation f) {
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
            EACH(identity);
        }
        break;
    case ACTIVATION_SILU:
        EACH(silu);
        break;
    default:
        assert(!"an activation");
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
    do {                                                                                           \
        size_t i = 0;                                                                              \
        for (; i + 4 <= n; i += 4) {                                                               \
            v4_store(dx + i, v4_mul(v4_load(dy + i), slope(v4_load(x + i))));                      \
        }                                                                                          \
        if (i < n) {                                                                               \
            v4 d = v4_load_part(dy + i, n - i, 0);                                                 \
            v4_store_part(dx + i, v4_mul(d, slope(v4_load_part(x + i, n - i, 0))), n - i);         \
        }                                                                                          \
    } while (0)

void activation_backward(float *dx, const float *dy, const float *x, size_t n, activation f) {
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
            memcpy(dx, dy, n * sizeof *dx);
        }
        break;
    case ACTIVATION_SILU:
        EACH_SLOPE(silu_slope);
        break;
    default:
        assert(!"an activation");
    }
}
