#include "norm.h"

#include <assert.h>

#include "simd.h"

/* Both sums run in double: in float32 the mean and variance of a long row would be off by more than
 * their last bit. sum_i x[i]: */
static double row_sum(const float *x, size_t C) {
    v4_total sum = v4_total_zero(), other = sum; /* two, for each waits for itself */
    size_t i = 0;
    for (; i + 8 <= C; i += 8) {
        sum = v4_total_add_from(sum, x + i);
        other = v4_total_add_from(other, x + i + 4);
    }
    for (; i + 4 <= C; i += 4) {
        sum = v4_total_add(sum, v4_load(x + i));
    }
    if (i < C) {
        sum = v4_total_add(sum, v4_load_part(x + i, C - i, 0));
    }
    return v4_total_sum(sum) + v4_total_sum(other);
}

/* sum_i (x[i] - mean)^2. The mean comes in two parts, for their sum need not be a float: first,
 * then second, is subtracted. */
static double row_squares(const float *x, float first, float second, size_t C) {
    v4_total sum = v4_total_zero(), other = sum;
    v4 s = v4_splat(first), t = v4_splat(second);
    size_t i = 0;
    for (; i + 8 <= C; i += 8) {
        v4 d = v4_sub(v4_sub(v4_load(x + i), s), t);
        v4 e = v4_sub(v4_sub(v4_load(x + i + 4), s), t);
        sum = v4_total_add(sum, v4_mul(d, d));
        other = v4_total_add(other, v4_mul(e, e));
    }
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
    return v4_total_sum(sum) + v4_total_sum(other);
}

static v4 affine(v4 x, v4 first, v4 second, v4 rstd, v4 weight, v4 bias) {
    v4 centred = v4_sub(v4_sub(x, first), second);
    return v4_fma(v4_mul(centred, rstd), weight, bias);
}

/* The statistics of one row: its mean in two parts and 1 / sqrt(variance + epsilon). */
typedef struct row_statistics {
    float first, second, variance, rstd;
} row_statistics;

static row_statistics statistics(const float *x, float epsilon, size_t C) {
    double exact = row_sum(x, C) / (double)C;
    float first = (float)exact, second = (float)(exact - first);
    float variance = (float)(row_squares(x, first, second, C) / (double)C);
    float deviation = sqrtf(variance + epsilon);
    /* deviation 0: a constant row with epsilon 0 */
    return (row_statistics){first, second, variance, deviation > 0 ? 1.0f / deviation : 0};
}

void norm_forward(float *y, float *mean, float *variance, const float *x, const float *weight,
                  const float *bias, float epsilon, size_t R, size_t C) {
    assert(C > 0 && epsilon >= 0);
    v4 one = v4_splat(1), zero = v4_splat(0);
    for (size_t r = 0; r < R; r++, x += C, y += C) {
        row_statistics row = statistics(x, epsilon, C);
        if (mean) {
            mean[r] = row.first;
        }
        if (variance) {
            variance[r] = row.variance;
        }
        v4 f = v4_splat(row.first), s = v4_splat(row.second), k = v4_splat(row.rstd);
        size_t i = 0;
        for (; weight && bias && i + 8 <= C; i += 8) { /* the usual case, two at a time */
            v4 a = affine(v4_load(x + i), f, s, k, v4_load(weight + i), v4_load(bias + i));
            v4 b =
                affine(v4_load(x + i + 4), f, s, k, v4_load(weight + i + 4), v4_load(bias + i + 4));
            v4_store(y + i, a);
            v4_store(y + i + 4, b);
        }
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

/* Four columns (or n of them, the rest filled so that they add nothing) of one row. */
typedef struct quad {
    v4 h, g, dy;
} quad;

SIMD_INLINE quad load_quad(const float *dy, const float *x, const float *weight, row_statistics row,
                           size_t n) {
    v4 centred =
        v4_sub(v4_sub(v4_load_some(x, n, row.first), v4_splat(row.first)), v4_splat(row.second));
    v4 d = v4_load_some(dy, n, 0);
    return (quad){v4_mul(centred, v4_splat(row.rstd)),
                  weight ? v4_mul(d, v4_load_some(weight, n, 0)) : d, d};
}

void norm_backward(float *dx, float *dweight, float *dbias, const float *dy, const float *x,
                   const float *weight, float epsilon, size_t R, size_t C) {
    assert(C > 0 && epsilon >= 0);
    for (size_t r = 0; r < R; r++, x += C, dy += C, dx += C) {
        row_statistics row = statistics(x, epsilon, C);
        v4 sum = v4_splat(0), product = v4_splat(0);
        for (size_t i = 0; i < C; i += 4) {
            size_t n = C - i;
            quad q = load_quad(dy + i, x + i, weight ? weight + i : NULL, row, n);
            sum = v4_add(sum, q.g);
            product = v4_fma(q.g, q.h, product);
            if (dweight) {
                v4_store_some(dweight + i, v4_fma(q.dy, q.h, v4_load_some(dweight + i, n, 0)), n);
            }
            if (dbias) {
                v4_store_some(dbias + i, v4_add(q.dy, v4_load_some(dbias + i, n, 0)), n);
            }
        }
        v4 mean_g = v4_splat(v4_sum(sum) / (float)C),
           mean_gh = v4_splat(v4_sum(product) / (float)C);
        for (size_t i = 0; i < C; i += 4) {
            size_t n = C - i;
            quad q = load_quad(dy + i, x + i, weight ? weight + i : NULL, row, n);
            v4 inner = v4_sub(v4_sub(q.g, mean_g), v4_mul(q.h, mean_gh));
            v4_store_some(dx + i, v4_mul(inner, v4_splat(row.rstd)), n);
        }
    }
}
