#include "row.h"

#include <math.h>
#include <stdbool.h>

#include "softmax.h"
#include "vecmath.h"

/* sum_c a[c] b[c] in double, from the first to the last. */
static double dot(const float *a, const float *b, size_t C) {
    double sum = 0;
    for (size_t c = 0; c < C; c++) {
        sum += (double)a[c] * b[c];
    }
    return sum;
}

void row_dot(float *y, const float *a, const float *b, size_t R, size_t C) {
    for (size_t r = 0; r < R; r++) {
        y[r] = (float)dot(a + r * C, b + r * C, C);
    }
}

void row_norm(float *y, const float *x, size_t R, size_t C) {
    for (size_t r = 0; r < R; r++) {
        y[r] = (float)sqrt(dot(x + r * C, x + r * C, C));
    }
}

static bool masked(const float *x, size_t N) {
    size_t i = 0;
    while (i < N && x[i] == -INFINITY) {
        i++;
    }
    return i == N;
}

void row_log_softmax(float *y, const float *x, size_t R, size_t N) {
    for (size_t r = 0; r < R; r++, x += N, y += N) {
        double normaliser = masked(x, N) ? 0 : softmax_log_sum_exp(x, N);
        for (size_t i = 0; i < N; i++) {
            double value = (double)x[i] - normaliser;
            y[i] = (float)(value > 0 ? 0 : value); /* the normaliser is rounded */
        }
    }
}

/* The divergence of one row, given the normalisers of both. */
static double divergence(const float *p, const float *q, double p_sum, double q_sum, size_t N) {
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        double log_p = (double)p[i] - p_sum, log_q = (double)q[i] - q_sum;
        if (p[i] == -INFINITY) {
            continue;
        }
        if (q[i] == -INFINITY) {
            return INFINITY;
        }
        sum += log_p < -700 ? 0 : math_exp(log_p) * (log_p - log_q); /* exp(-700) is 1e-304 */
    }
    return sum < 0 ? 0 : sum; /* by rounding alone: Gibbs' inequality */
}

void row_kl_divergence(float *y, const float *p, const float *q, size_t R, size_t N) {
    for (size_t r = 0; r < R; r++, p += N, q += N) {
        double p_sum = softmax_log_sum_exp(p, N), q_sum = softmax_log_sum_exp(q, N);
        bool defined = !isnan(p_sum) && !isnan(q_sum);
        y[r] = defined ? (float)divergence(p, q, p_sum, q_sum, N) : NAN;
    }
}
