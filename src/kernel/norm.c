#include "norm.h"

#include <assert.h>
#include <math.h>

#include "simd.h"

/* Sums are kept in float over 32 values and in double beyond them: each conversion to double costs
 * seven instructions. */
SIMD_INLINE v4 sum_16(const float *x) {
    return v4_add(v4_add(v4_load(x), v4_load(x + 4)), v4_add(v4_load(x + 8), v4_load(x + 12)));
}

/* sum_i x[i] */
static double row_sum(const float *x, size_t C) {
    v4_total sum = v4_total_zero();
    size_t i = 0;
    for (; i + 32 <= C; i += 32) {
        sum = v4_total_add(sum, v4_add(sum_16(x + i), sum_16(x + i + 16)));
    }
    for (; i < C; i += 4) {
        sum = v4_total_add(sum, v4_load_some(x + i, C - i, 0));
    }
    return v4_total_sum(sum);
}

/* Sums of x - mean and of its square, lane by lane. */
typedef struct moments {
    v4 first, second;
} moments;

SIMD_INLINE moments moments_16(const float *x, v4 mean) {
    v4 a = v4_sub(v4_load(x), mean), b = v4_sub(v4_load(x + 4), mean);
    v4 c = v4_sub(v4_load(x + 8), mean), d = v4_sub(v4_load(x + 12), mean);
    v4 ab = v4_fma(b, b, v4_mul(a, a)), cd = v4_fma(d, d, v4_mul(c, c));
    return (moments){v4_add(v4_add(a, b), v4_add(c, d)), v4_add(ab, cd)};
}

static void row_moments(double *first, double *second, const float *x, float mean, size_t C) {
    v4_total sum = v4_total_zero(), squares = sum;
    v4 m = v4_splat(mean);
    size_t i = 0;
    for (; i + 32 <= C; i += 32) {
        moments a = moments_16(x + i, m), b = moments_16(x + i + 16, m);
        sum = v4_total_add(sum, v4_add(a.first, b.first));
        squares = v4_total_add(squares, v4_add(a.second, b.second));
    }
    for (; i < C; i += 4) {
        v4 a = v4_sub(v4_load_some(x + i, C - i, mean), m);
        sum = v4_total_add(sum, a);
        squares = v4_total_add(squares, v4_mul(a, a));
    }
    *first = v4_total_sum(sum);
    *second = v4_total_sum(squares);
}

static v4 affine(v4 x, v4 first, v4 second, v4 rstd, v4 weight, v4 bias) {
    v4 centred = v4_sub(v4_sub(x, first), second);
    return v4_fma(v4_mul(centred, rstd), weight, bias);
}

/* The statistics of one row: its mean in two parts and 1 / sqrt(variance + epsilon). */
typedef struct row_statistics {
    float first, second, variance, rstd;
} row_statistics;

/* In two passes, of which the second corrects the rounding of the first one's mean: Chan, Golub and
 * LeVeque, "Algorithms for Computing the Sample Variance", 1983, eq. 1.7. The correction stays a
 * second part of the mean, as their sum need not be a float. */
static row_statistics statistics(const float *x, float epsilon, size_t C) {
    float first = (float)(row_sum(x, C) / (double)C);
    double sum, squares;
    row_moments(&sum, &squares, x, first, C);
    double rest = sum / (double)C;
    float variance = (float)((squares - sum * rest) / (double)C);
    variance = variance < 0 ? 0 : variance; /* by rounding; a NaN goes on */
    float deviation = sqrtf(variance + epsilon);
    /* deviation 0: a constant row with epsilon 0 */
    return (row_statistics){first, (float)rest, variance, deviation > 0 ? 1.0f / deviation : 0};
}

void norm_forward(float *y, float *mean, float *variance, const float *x, const float *weight,
                  const float *bias, float epsilon, size_t R, size_t C) {
    assert(C > 0 && epsilon >= 0);
    v4 one = v4_splat(1), zero = v4_splat(0);
    for (size_t r = 0; r < R; r++, x += C, y += C) {
        row_statistics row = statistics(x, epsilon, C);
        if (mean) {
            mean[r] = row.first + row.second;
        }
        if (variance) {
            variance[r] = row.variance;
        }
        v4 f = v4_splat(row.first), s = v4_splat(row.second), k = v4_splat(row.rstd);
        size_t i = 0;
        for (; weight && bias && i + 8 <= C; i += 8) { /* the usual case: two vectors at a time */
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

/* Four columns of one row: normalised, the gradient behind the weight, the gradient. */
typedef struct quad {
    v4 h, g, dy;
} quad;

/* Splats of a row's statistics. */
typedef struct row_lanes {
    v4 first, second, rstd;
} row_lanes;

SIMD_INLINE quad quad_of(v4 dy, v4 x, v4 weight, row_lanes row) {
    v4 centred = v4_sub(v4_sub(x, row.first), row.second);
    return (quad){v4_mul(centred, row.rstd), v4_mul(dy, weight), dy};
}

/* n columns at most; the other lanes hold values that add 0 to the sums. */
SIMD_INLINE quad load_quad(const float *dy, const float *x, const float *weight, row_lanes row,
                           float first, size_t n) {
    return quad_of(v4_load_some(dy, n, 0), v4_load_some(x, n, first),
                   weight ? v4_load_some(weight, n, 0) : v4_splat(1), row);
}

/* The usual case, whole quads with all gradients, has loops of its own: with the others' conditions
 * in the loop SpiderMonkey and JavaScriptCore took 1.55 times as long as V8. */
void norm_backward(float *dx, float *dweight, float *dbias, const float *dy, const float *x,
                   const float *weight, float epsilon, size_t R, size_t C) {
    assert(C > 0 && epsilon >= 0);
    size_t whole = weight && dweight && dbias ? C & ~(size_t)3 : 0;
    for (size_t r = 0; r < R; r++, x += C, dy += C, dx += C) {
        row_statistics of = statistics(x, epsilon, C);
        row_lanes row = {v4_splat(of.first), v4_splat(of.second), v4_splat(of.rstd)};
        v4 sum = v4_splat(0), product = v4_splat(0);
        size_t i = 0;
        for (; i < whole; i += 4) {
            quad q = quad_of(v4_load(dy + i), v4_load(x + i), v4_load(weight + i), row);
            sum = v4_add(sum, q.g);
            product = v4_fma(q.g, q.h, product);
            v4_store(dweight + i, v4_fma(q.dy, q.h, v4_load(dweight + i)));
            v4_store(dbias + i, v4_add(q.dy, v4_load(dbias + i)));
        }
        for (; i < C; i += 4) {
            size_t n = C - i;
            quad q = load_quad(dy + i, x + i, weight ? weight + i : NULL, row, of.first, n);
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
        for (i = 0; i < whole; i += 4) {
            quad q = quad_of(v4_load(dy + i), v4_load(x + i), v4_load(weight + i), row);
            v4 inner = v4_sub(v4_sub(q.g, mean_g), v4_mul(q.h, mean_gh));
            v4_store(dx + i, v4_mul(inner, row.rstd));
        }
        for (; i < C; i += 4) {
            size_t n = C - i;
            quad q = load_quad(dy + i, x + i, weight ? weight + i : NULL, row, of.first, n);
            v4 inner = v4_sub(v4_sub(q.g, mean_g), v4_mul(q.h, mean_gh));
            v4_store_some(dx + i, v4_mul(inner, row.rstd), n);
        }
    }
}

/* mean(x^2) of a row, and 1 / sqrt(of that + epsilon), 0 for a row of zeros with epsilon 0. */
static float root_mean_square(float *mean_square, const float *x, float epsilon, size_t C) {
    v4_total sum = v4_total_zero();
    for (size_t i = 0; i < C; i += 4) {
        sum = v4_total_add_square(sum, v4_load_some(x + i, C - i, 0));
    }
    double mean = v4_total_sum(sum) / (double)C, deviation = sqrt(mean + (double)epsilon);
    *mean_square = (float)mean;
    return deviation > 0 ? (float)(1 / deviation) : deviation != deviation ? NAN : 0;
}

void rms_norm_forward(float *y, float *mean_square, const float *x, const float *weight,
                      float epsilon, size_t R, size_t C) {
    assert(C > 0 && epsilon >= 0);
    v4 one = v4_splat(1);
    for (size_t r = 0; r < R; r++, x += C, y += C) {
        float square;
        v4 k = v4_splat(root_mean_square(&square, x, epsilon, C));
        if (mean_square) {
            mean_square[r] = square;
        }
        size_t i = 0;
        for (; i + 4 <= C; i += 4) {
            v4 h = v4_mul(v4_load(x + i), k);
            v4_store(y + i, weight ? v4_mul(h, v4_load(weight + i)) : h);
        }
        if (i < C) {
            v4 h = v4_mul(v4_load_part(x + i, C - i, 0), k);
            v4_store_part(y + i, v4_mul(h, weight ? v4_load_part(weight + i, C - i, 1) : one),
                          C - i);
        }
    }
}

void rms_norm_backward(float *dx, float *dweight, const float *dy, const float *x,
                       const float *weight, float epsilon, size_t R, size_t C) {
    assert(C > 0 && epsilon >= 0);
    for (size_t r = 0; r < R; r++, x += C, dy += C, dx += C) {
        float square, rms = root_mean_square(&square, x, epsilon, C);
        row_lanes row = {v4_splat(0), v4_splat(0), v4_splat(rms)};
        v4 product = v4_splat(0);
        for (size_t i = 0; i < C; i += 4) {
            size_t n = C - i;
            quad q = load_quad(dy + i, x + i, weight ? weight + i : NULL, row, 0, n);
            product = v4_fma(q.g, q.h, product);
            if (dweight) {
                v4_store_some(dweight + i, v4_fma(q.dy, q.h, v4_load_some(dweight + i, n, 0)), n);
            }
        }
        v4 mean_gh = v4_splat(v4_sum(product) / (float)C);
        for (size_t i = 0; i < C; i += 4) {
            size_t n = C - i;
            quad q = load_quad(dy + i, x + i, weight ? weight + i : NULL, row, 0, n);
            v4 inner = v4_sub(q.g, v4_mul(q.h, mean_gh));
            v4_store_some(dx + i, v4_mul(inner, row.rstd), n);
        }
    }
}
