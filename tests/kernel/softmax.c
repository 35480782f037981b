/* Rows of weights against double, masks included. */
#include "../../src/kernel/softmax.h"
#include "../check.h"

enum { ERROR, SUM, LOG_SUM, BOUNDS };
static bound bounds[BOUNDS] = {
    [ERROR] = {.what = "error, (11 + 2.25 (d + D)) 2^-24", .allowed = 1},
    [SUM] = {.what = "sum - 1", .allowed = 5 * 0x1p-24},
    [LOG_SUM] = {.what = "log_sum_exp, (N + 10) 2^-53 (1 + |result|)", .allowed = 1},
};

static double largest(const float *x, size_t N) {
    double m = -INFINITY;
    for (size_t i = 0; i < N; i++) {
        m = fmax(m, x[i]);
    }
    return m;
}

/* Of rows whose entries are near each other, the largest error alone, in 2^-24. */
static double near_worst;

static void compare(const float *y, const float *x, size_t N, const char *what) {
    double m = largest(x, N), sum = 0, total = 0, mean = 0;
    for (size_t i = 0; i < N; i++) {
        double e = exp(x[i] - m);
        sum += e;
        mean += e > 0 ? e * (m - x[i]) : 0;
        total += y[i];
    }
    mean /= sum;
    for (size_t i = 0; i < N; i++) {
        if (x[i] == -INFINITY) {
            CHECK(y[i] == 0, "%s N%zu: masked entry %zu has %g", what, N, i, (double)y[i]);
        } else {
            double wanted = exp(x[i] - m) / sum;
            if (wanted < 0x1p-126 && y[i] == 0) {
                continue;
            }
            double apart = m - x[i] + mean;
            double unit =
                wanted * (11 + 2.25 * apart) * 0x1p-24 + (wanted < 0x1p-126 ? 0x1p-149 : 0);
            if (apart < 0.5) {
                near_worst = fmax(near_worst, fabs(y[i] / wanted - 1) * 0x1p24 - 2.25 * apart);
            }
            CHECK_WITHIN(bounds + ERROR, y[i], wanted, unit, "%s N%zu entry %zu", what, N, i);
        }
    }
    double wanted = m > -INFINITY;
    CHECK_WITHIN(bounds + SUM, total, wanted, 1, "%s N%zu: the sum", what, N);
}

/* R rows in arrays with gaps; then in place; then with masked entries appended. */
static void rows(size_t R, size_t N, float scale, float shift, int mask, const char *what) {
    size_t x_row = N + random_below(3), y_row = N + random_below(5), long_row = N + 1 + R;
    float *x = blank((R - 1) * x_row + N), *y = blank((R - 1) * y_row + N);
    float *same = blank((R - 1) * x_row + N), *longer = blank(R * long_row);
    for (size_t r = 0; r < R; r++) {
        for (size_t i = 0; i < N; i++) {
            float value = shift + random_float(-scale, scale);
            bool hide = mask == 2 || (mask == 1 && random_below(3) == 0);
            x[r * x_row + i] = hide ? -INFINITY : value;
        }
        memcpy(same + r * x_row, x + r * x_row, N * sizeof *x);
        memcpy(longer + r * long_row, x + r * x_row, N * sizeof *x);
        for (size_t i = N; i < long_row; i++) {
            longer[r * long_row + i] = -INFINITY;
        }
    }
    softmax_forward(y, y_row, x, x_row, R, N);
    softmax_forward(same, x_row, same, x_row, R, N);
    softmax_forward(longer, long_row, longer, long_row, R, long_row);
    for (size_t r = 0; r < R; r++) {
        compare(y + r * y_row, x + r * x_row, N, what);
        CHECK(same_bits(y + r * y_row, same + r * x_row, N), "%s N%zu: in place differs", what, N);
        CHECK(same_bits(y + r * y_row, longer + r * long_row, N),
              "%s N%zu: %zu masked entries more", what, N, long_row - N);
        for (size_t i = N; r + 1 < R && i < y_row; i++) {
            CHECK(isnan(y[r * y_row + i]), "%s N%zu: the gap is written", what, N);
        }
    }
    release();
}

/* One entry above many that are equal, whose errors are the same and add up: the longer the row, the further below. */
static void one_above(size_t N, float high, float apart) {
    float *x = blank(N), *y = blank(N);
    for (size_t i = 0; i < N; i++) {
        x[i] = high - (i == N / 2 ? 0 : apart);
    }
    softmax_forward(y, N, x, N, 1, N);
    compare(y, x, N, "one above");
    release();
}

/* From rows of few entries to those whose error is largest: any change that makes it larger is kept. */
static void climb(size_t N) {
    float x[40] = {0}, y[40], next[40];
    double best = 0;
    for (size_t i = 0; i < N; i++) {
        x[i] = random_float(-0.4f, 0);
    }
    for (int step = 0; step < 2500; step++) {
        memcpy(next, x, sizeof next);
        size_t at = random_below(N);
        next[at] = step % 3 == 0   ? next[random_below(N)]
                   : step % 3 == 1 ? next[at] + random_float(-0.1f, 0.1f)
                                   : nextafterf(next[at], random_below(2) ? 1 : -1);
        near_worst = 0;
        softmax_forward(y, N, next, N, 1, N);
        compare(y, next, N, "climbed");
        if (near_worst >= best) {
            best = near_worst;
            memcpy(x, next, sizeof x);
        }
    }
    near_worst = best;
}

/* Terms that each round up by half a unit of the sum. */
static void log_sum_of_halves(size_t N) {
    float *x = blank(N);
    for (size_t i = 0; i < N; i++) {
        x[i] = i ? -36.7368f : 0; /* exp: a little above 2^-53 */
    }
    double wanted = log1p((double)(N - 1) * exp(-36.7368f));
    CHECK_WITHIN(bounds + LOG_SUM, softmax_log_sum_exp(x, N), wanted,
                 (double)(N + 10) * 0x1p-53 * (1 + wanted), "log_sum_exp N%zu", N);
    release();
}

static void log_sums(void) {
    for (size_t N = 1; N <= 1 << 16; N *= 4) {
        log_sum_of_halves(N);
    }
    for (size_t N = 1; N <= 70; N++) {
        for (float scale = 1e-3f; scale < 1e5f; scale *= 10) {
            float *x = random_floats(N, scale);
            for (size_t i = 1; i < N; i += 7) {
                x[i] = -INFINITY;
            }
            long double m = largest(x, N), sum = 0;
            for (size_t i = 0; i < N; i++) {
                sum += expl(x[i] - m);
            }
            double wanted = (double)(m + logl(sum));
            CHECK_WITHIN(bounds + LOG_SUM, softmax_log_sum_exp(x, N), wanted,
                         (double)(N + 10) * 0x1p-53 * (1 + fabs(wanted)),
                         "log_sum_exp N%zu scale %g", N, (double)scale);
            release();
        }
    }
    float huge[] = {3e38f, -3e38f, -INFINITY, 3e38f}; /* x - m is no float */
    CHECK(softmax_log_sum_exp(huge, 4) == (double)3e38f + log(2), "log_sum_exp of huge logits");
}

/* A NaN anywhere makes its row NaN, also among masked entries: divergence must show. */
static void not_a_number(void) {
    for (size_t N = 1; N <= 9; N++) {
        for (size_t at = 0; at < N; at++) {
            for (int masked = 0; masked <= 1; masked++) {
                float x[9], y[9];
                for (size_t i = 0; i < N; i++) {
                    x[i] = i == at ? NAN : masked ? -INFINITY : (float)i;
                }
                softmax_forward(y, N, x, N, 1, N);
                for (size_t i = 0; i < N; i++) {
                    CHECK(isnan(y[i]), "N %zu, NaN at %zu: y[%zu] is %g", N, at, i, y[i]);
                }
                double sum = softmax_log_sum_exp(x, N);
                CHECK(isnan(sum), "N %zu, NaN at %zu: log sum is %g", N, at, sum);
            }
        }
    }
}

int main(void) {
    for (size_t N = 1; N <= 70; N++) {
        for (int mask = 0; mask <= 2; mask++) {
            rows(1 + N % 4, N, 3, 0, mask, "ordinary");
            rows(2, N, 60, 0, mask, "spread");
            rows(2, N, 500, 0, mask, "mostly underflown");
            rows(3, N, 1e-6f, 0, mask, "near equal");
            rows(3, N, 10, 1e6f, mask, "far up");
            rows(3, N, 10, -1e6f, mask, "far down");
            rows(2, N, 1.7e38f, 0, mask, "huge");
            rows(2, N, 1e-40f, 0, mask, "denormal");
        }
    }
    rows(2, 513, 4, 0, 1, "long");
    rows(2, 4099, 4, 0, 0, "long");
    rows(1, 65537, 0.1f, 0, 0, "long");
    for (int i = 0; i < 3000; i++) {
        size_t N = i % 100 ? 2 + random_below(60) : (size_t)1 << (8 + random_below(9));
        one_above(N, random_float(-4, 4), random_float(0, N > 60 ? 12 : 30));
    }
    double most = 0;
    for (int i = 0; i < 30; i++) {
        climb(8 + random_below(30));
        most = fmax(most, near_worst);
    }
    CHECK(most > 4, "rows without a distance are found with %g of 11 2^-24 at most", most);
    float untouched[2] = {7, 8};
    softmax_forward(untouched, 1, untouched, 1, 2, 0);
    softmax_forward(untouched, 1, untouched, 1, 0, 1);
    CHECK(untouched[0] == 7 && untouched[1] == 8, "N=0 or R=0 writes");
    log_sums();
    not_a_number();
    for (int i = 0; i < BOUNDS; i++) { /* what is stated is not far from what is found */
        CHECK(bounds[i].worst > bounds[i].allowed / 2, "%s: %g at most", bounds[i].what,
              bounds[i].worst);
    }
    return check_done("kernel/softmax", bounds, BOUNDS);
}
