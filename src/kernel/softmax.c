#include "softmax.h"

#include <assert.h>
#include <stdbool.h>

#include "simd.h"
#include "vecmath.h"

static float row_largest(const float *x, size_t N) {
    v4 a = v4_splat(-INFINITY), b = a, c = a,
       d = a; /* four independent accumulators hide the latency of max */
    size_t i = 0;
    for (; i + 16 <= N; i += 16) {
        a = v4_max(a, v4_load(x + i));
        b = v4_max(b, v4_load(x + i + 4));
        c = v4_max(c, v4_load(x + i + 8));
        d = v4_max(d, v4_load(x + i + 12));
    }
    for (; i + 4 <= N; i += 4) {
        a = v4_max(a, v4_load(x + i));
    }
    if (i < N) {
        b = v4_max(b, v4_load_part(x + i, N - i, -INFINITY));
    }
    return v4_largest(v4_max(v4_max(a, b), v4_max(c, d)));
}

/* Whether all are -Infinity; the maximum does not tell, as it skips NaN. */
static bool row_masked(const float *x, size_t N) {
    size_t i = 0;
    while (i < N && x[i] == -INFINITY) {
        i++;
    }
    return i == N;
}

/* Sixteen y = exp(x - shift); returns sum plus theirs, which are added up in float first, so that
 * one conversion to double serves sixteen. */
SIMD_INLINE v4_total exp_group(v4_total sum, float *y, const float *x, v4 shift) {
    v4 a = v4_exp_below(v4_sub(v4_load(x), shift)), b = v4_exp_below(v4_sub(v4_load(x + 4), shift));
    v4_store(y, a);
    v4_store(y + 4, b);
    v4 c = v4_exp_below(v4_sub(v4_load(x + 8), shift)),
       d = v4_exp_below(v4_sub(v4_load(x + 12), shift));
    v4_store(y + 8, c);
    v4_store(y + 12, d);
    return v4_total_add(sum, v4_add(v4_add(a, b), v4_add(c, d)));
}

/* y = exp(x - m); returns the sum. Masked entries at the end change none of its bits. */
static float row_exp(float *y, const float *x, float m, size_t N) {
    v4_total sum = v4_total_zero();
    v4 shift = v4_splat(m);
    size_t i = 0;
    for (; i + 16 <= N; i += 16) {
        sum = exp_group(sum, y + i, x + i, shift);
    }
    if (i < N) {
        float rest[16];
        for (size_t k = 0; k < 16; k++) {
            rest[k] = i + k < N ? x[i + k] : -INFINITY;
        }
        sum = exp_group(sum, rest, rest, shift);
        memcpy(y + i, rest, (N - i) * sizeof *y);
    }
    return (float)v4_total_sum(sum);
}

static void row_scale(float *y, float factor, size_t N) {
    v4 f = v4_splat(factor);
    size_t i = 0;
    for (; i + 8 <= N; i += 8) {
        v4 a = v4_mul(v4_load(y + i), f), b = v4_mul(v4_load(y + i + 4), f);
        v4_store(y + i, a);
        v4_store(y + i + 4, b);
    }
    for (; i < N; i++) {
        y[i] *= factor;
    }
}

void softmax_forward(float *y, size_t y_row, const float *x, size_t x_row, size_t R, size_t N) {
    assert(y_row >= N && x_row >= N);
    for (size_t r = 0; r < R; r++, x += x_row, y += y_row) {
        float m = row_largest(x, N);
        if (m == -INFINITY && row_masked(x, N)) {
            memset(y, 0, N * sizeof *y);
            continue;
        }
        row_scale(y, 1 / row_exp(y, x, m, N), N);
    }
}

void softmax_backward(float *dx, size_t dx_row, const float *dy, size_t dy_row, const float *y,
                      size_t y_row, float factor, size_t R, size_t N) {
    v4 f = v4_splat(factor);
    for (size_t r = 0; r < R; r++, dx += dx_row, dy += dy_row, y += y_row) {
        v4 sum = v4_splat(0);
        size_t i = 0;
        for (; i + 4 <= N; i += 4) {
            sum = v4_fma(v4_load(dy + i), v4_load(y + i), sum);
        }
        if (i < N) {
            sum = v4_fma(v4_load_part(dy + i, N - i, 0), v4_load_part(y + i, N - i, 0), sum);
        }
        float dot = v4_sum(sum);
        v4 shift = v4_splat(dot);
        for (i = 0; i + 4 <= N; i += 4) {
            v4 share = v4_mul(v4_load(y + i), v4_sub(v4_load(dy + i), shift));
            v4_store(dx + i, v4_mul(share, f));
        }
        for (; i < N; i++) {
            dx[i] = y[i] * (dy[i] - dot) * factor;
        }
    }
}

double softmax_log_sum_exp(const float *x, size_t N) {
    float m = row_largest(x, N);
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        double d = (double)x[i] - m;
        sum += d <= -700 ? 0 : d <= 700 ? math_exp(d) : d; /* a NaN goes on */
    }
    return m + math_log(sum);
}
