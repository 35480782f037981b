#include "norm.h"

#include <assert.h>

#include "simd.h"

/* Both sums run in double: in float32 the mean and variance of a long row would be off by more than
 * their last bit. sum_i x[i]: */
static double row_sum(const float *x, size_t C) {
    v4_total sum = v4_total_zero();
    size_t i = 0;
    for (; i + 4 <= C; i += 4) {
        sum = v4_total_add(sum, v4_load(x + i));
    }
    if (i < C) {
        sum = v4_total_add(sum, v4_load_part(x + i, C - i, 0));
    }
    return v4_total_sum(sum);
}

/* sum_i (x[i] - mean)^2. The mean comes in two parts, for their sum need not be a float: first,
 * then second, is subtracted. */
static double row_squares(const float *x, float first, float second, size_t C) {
    v4_total sum = v4_total_zero();
    v4 s = v4_splat(first), t = v4_splat(second);
    size_t i = 0;
    for (; i + 4 <= C; i += 4) {
        v4 d = v4_sub(v4_sub(v4_load(x + i), s), t);
        sum = v4_total_add(sum, v4_mul(d, d));
    }
    if (i < C) {
        v4 d = v4_sub(v4_sub(v4_load_part(x + i, C - i, first), s), t);
        float rest[4] = {0};
        v4_store_part(rest, v4_mul(d, d), C - i);
        sum = v4_total_add(sum, v4_load(rest));
    }
    return v4_total_sum(sum);
}

static v4 affine(v4 x, v4 first, v4 second, v4 rstd, v4 weight, v4 bias) {
    v4 centred = v4_sub(v4_sub(x, first), second);
    return v4_fma(v4_mul(centred, rstd), weight, bias);
}

void norm_forward(float *y, float *mean, float *variance, const float *x, const float *weight,
                  const float *bias, float epsilon, size_t R, size_t C) {
    assert(C > 0 && epsilon >= 0);
    v4 one = v4_splat(1), zero = v4_splat(0);
    for (size_t r = 0; r < R; r++, x += C, y += C) {
        double exact = row_sum(x, C) / (double)C;
        float first = (float)exact, second = (float)(exact - first);
        float var = (float)(row_squares(x, first, second, C) / (double)C);
        float deviation = sqrtf(var + epsilon);
        float rstd = deviation > 0 ? 1.0f / deviation : 0; /* a constant row with epsilon 0 */
        if (mean) {
            mean[r] = first;
        }
        if (variance) {
            variance[r] = var;
        }
        v4 f = v4_splat(first), s = v4_splat(second), k = v4_splat(rstd);
        size_t i = 0;
        for (; i + 4 <= C; i += 4) {
            v4_store(y + i, affine(v4_load(x + i), f, s, k, weight ? v4_load(weight + i) : one,
                                   bias ? v4_load(bias + i) : zero));
        }
        if (i < C) {
            size_t n = C - i;
            v4 w = weight ? v4_load_part(weight + i, n, 1) : one;
            v4 b = bias ? v4_load_part(bias + i, n, 0) : zero;
            v4_store_part(y + i, affine(v4_load_part(x + i, n, 0), f, s, k, w, b), n);
        }
    }
}
