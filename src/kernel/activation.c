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

SIMD_INLINE v4 identity(v4 x) { return x; }

#define EACH(function)                                                                             \
    do {                                                                                           \
        size_t i = 0;                                                                              \
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
    default:
        assert(!"an activation");
    }
}
