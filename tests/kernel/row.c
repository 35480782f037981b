/* Dot products, norms, log-softmax and divergences of rows against long double. */
#include "../../src/kernel/row.h"
#include "../../src/kernel/softmax.h"
#include "../check.h"

enum { DOT, NORM, LOG_SOFTMAX, DIVERGENCE, BOUNDS };
static bound bounds[BOUNDS] = {
    [DOT] = {.what = "dot, ulp / 2 + C 2^-53 sum |a b|", .allowed = 1},
    [NORM] = {.what = "norm, ulp / 2 + C 2^-53 norm", .allowed = 1},
    [LOG_SOFTMAX] = {.what = "log_softmax, ulp / 2 + (N + 10) 2^-53 (1 + |log sum|)", .allowed = 1},
    [DIVERGENCE] = {.what = "divergence, ulp / 2 + (N + 10) 2^-52 (1 + M)", .allowed = 1},
};

static void products(size_t R, size_t C, float scale) {
    float *a = random_floats(R * C, scale), *b = random_floats(R * C, 3), *y = blank(R);
    float *length = blank(R);
    row_dot(y, a, b, R, C);
    row_norm(length, a, R, C);
    for (size_t r = 0; r < R; r++) {
        long double wanted = 0, absolute = 0, square = 0;
        for (size_t c = 0; c < C; c++) {
            long double term = (long double)a[r * C + c] * b[r * C + c];
            wanted += term;
            absolute += fabsl(term);
            square += (long double)a[r * C + c] * a[r * C + c];
        }
        double each = (double)C * 0x1p-53, norm = (double)sqrtl(square);
        CHECK_WITHIN(bounds + DOT, y[r], (double)wanted,
                     ulp((double)wanted) / 2 + each * (double)absolute, "dot R%zu C%zu row %zu", R,
                     C, r);
        CHECK_WITHIN(bounds + NORM, length[r], norm, ulp(norm) / 2 + each * norm,
                     "norm R%zu C%zu row %zu", R, C, r);
        CHECK(length[r] >= 0, "norm %g", (double)length[r]);
    }
    float *copy = memcpy(hold(R * C * sizeof *a), a, R * C * sizeof *a);
    row_dot(copy, copy, b, R, C);
    CHECK(same_bits(copy, y, R), "R%zu C%zu: dot in place of a", R, C);
    row_dot(b, a, b, R, C);
    CHECK(same_bits(b, y, R), "R%zu C%zu: dot in place of b", R, C);
    row_norm(a, a, R, C);
    CHECK(same_bits(a, length, R), "R%zu C%zu: norm in place", R, C);
    release();
}

/* log sum exp of a row in long double; -Infinity when all is masked. */
static long double log_sum(const float *x, size_t N) {
    long double m = -INFINITY, sum = 0;
    for (size_t i = 0; i < N; i++) {
        m = fmaxl(m, x[i]);
    }
    for (size_t i = 0; i < N && m > -INFINITY; i++) {
        sum += expl(x[i] - m);
    }
    return m + logl(sum);
}

/* R rows of logits in shift-scale..shift+scale; one in `hide` entries masked, never a row's first. */
static float *logits(size_t R, size_t N, float scale, float shift, size_t hide) {
    float *x = random_floats(R * N, scale);
    for (size_t i = 0; i < R * N; i++) {
        x[i] = hide && i % N && random_below(hide) == 0 ? -INFINITY : x[i] + shift;
    }
    return x;
}

static void distributions(size_t R, size_t N, float scale, float shift, size_t hide) {
    float *p = logits(R, N, scale, shift, hide), *q = logits(R, N, scale, shift, 0);
    float *log_p = blank(R * N), *weights = blank(R * N), *y = blank(R);
    row_log_softmax(log_p, p, R, N);
    row_kl_divergence(y, p, q, R, N);
    softmax_forward(weights, N, p, N, R, N);
    for (size_t r = 0; r < R; r++) {
        long double p_sum = log_sum(p + r * N, N), q_sum = log_sum(q + r * N, N), wanted = 0;
        double size = 0;
        for (size_t i = r * N; i < (r + 1) * N; i++) {
            if (p[i] == -INFINITY) {
                CHECK(log_p[i] == -INFINITY, "masked: %g", (double)log_p[i]);
                continue;
            }
            long double value = p[i] - p_sum, other = q[i] - q_sum;
            double unit =
                ulp((double)value) / 2 + (double)(N + 10) * 0x1p-53 * (1 + fabs((double)p_sum));
            CHECK_WITHIN(bounds + LOG_SOFTMAX, log_p[i], (double)value, unit,
                         "log_softmax R%zu N%zu entry %zu", R, N, i);
            CHECK(log_p[i] <= 0, "a probability above 1: %g", (double)log_p[i]);
            CHECK(fabs(exp(log_p[i]) - weights[i]) < 1e-6 * (1 + fabs(log_p[i])),
                  "softmax has %g, log_softmax %g", (double)weights[i], (double)log_p[i]);
            wanted += expl(value) * (value - other);
            size = fmax(size, fmax(fabs((double)value), fabs((double)other)));
        }
        size = fmax(size, fmax(fabs((double)p_sum), fabs((double)q_sum)));
        double unit = ulp((double)wanted) / 2 + (double)(N + 10) * 0x1p-52 * (1 + size);
        CHECK_WITHIN(bounds + DIVERGENCE, y[r], (double)wanted, unit,
                     "divergence R%zu N%zu row %zu", R, N, r);
        CHECK(y[r] >= 0, "a negative divergence: %g", (double)y[r]);
    }
    float *copy = memcpy(hold(R * N * sizeof *p), p, R * N * sizeof *p);
    row_log_softmax(copy, copy, R, N);
    CHECK(same_bits(copy, log_p, R * N), "R%zu N%zu: log_softmax in place", R, N);
    row_kl_divergence(q, p, q, R, N);
    CHECK(same_bits(q, y, R), "R%zu N%zu: divergence in place of q", R, N);
    row_kl_divergence(y, p, p, R, N);
    for (size_t r = 0; r < R; r++) {
        CHECK(y[r] == 0, "a distribution is %g from itself", (double)y[r]);
    }
    release();
}

static void edges(void) {
    const float huge[] = {3e38f, 3e38f, -3e38f, 3e38f}, ones[] = {1, 1, 1, -1};
    float y[4];
    row_dot(y, huge, ones, 2, 2);
    CHECK(y[0] == INFINITY && y[1] == -INFINITY, "overflow: %g %g", (double)y[0], (double)y[1]);
    row_norm(y, huge, 1, 1);
    CHECK(y[0] == 3e38f, "the square is no float, the norm is: %g", (double)y[0]);
    float dead[] = {-INFINITY, -INFINITY}, half[] = {0, 0}, first[] = {0, -INFINITY};
    float nan[] = {0, NAN};
    row_log_softmax(y, dead, 1, 2);
    CHECK(y[0] == -INFINITY && y[1] == -INFINITY, "dead: %g %g", (double)y[0], (double)y[1]);
    row_log_softmax(y, nan, 1, 2);
    CHECK(isnan(y[0]) && isnan(y[1]), "NaN: %g %g", (double)y[0], (double)y[1]);
    row_kl_divergence(y, first, half, 1, 2);
    CHECK(y[0] == (float)log(2), "one bit: %g", (double)y[0]);
    row_kl_divergence(y, half, first, 1, 2);
    CHECK(y[0] == INFINITY, "Q lacks what P has: %g", (double)y[0]);
    row_kl_divergence(y, first, first, 1, 2);
    CHECK(y[0] == 0, "both lack it: %g", (double)y[0]);
    float far[] = {0, -2000}; /* P is 0 in double, its logit finite */
    row_kl_divergence(y, far, half, 1, 2);
    CHECK(y[0] == (float)log(2), "an underflow: %g", (double)y[0]);
    float *const broken[] = {dead, nan};
    for (int i = 0; i < 2; i++) {
        row_kl_divergence(y, broken[i], half, 1, 2);
        row_kl_divergence(y + 1, half, broken[i], 1, 2);
        CHECK(isnan(y[0]) && isnan(y[1]), "no distribution: %g %g", (double)y[0], (double)y[1]);
    }
}

int main(void) {
    for (size_t C = 1; C <= 70; C += C < 10 ? 1 : 13) {
        for (size_t R = 0; R <= 5; R++) {
            products(R, C, 1);
            products(R, C, 1e18f);
            for (size_t hide = 0; hide <= 3; hide += 3) {
                distributions(R, C, 1, 0, hide);
                distributions(R, C, 30, -2, hide);
                distributions(R, C, 900, 0, hide);
                distributions(R, C, 1e-3f, 1e4f, hide);
            }
        }
    }
    products(3, 5000, 2);
    distributions(3, 5000, 8, 1, 5);
    edges();
    return check_done("kernel/row", bounds, BOUNDS);
}
