/* RMSNorm and its gradients against double. */
#include "../../src/kernel/norm.h"
#include "../check.h"

enum { ERROR, SQUARE, GRADIENT, GAIN, BOUNDS };
static bound bounds[BOUNDS] = {
    [ERROR] = {.what = "error, the value", .allowed = 3 * 0x1p-24},
    [SQUARE] = {.what = "mean square, relative", .allowed = 0x1p-24},
    [GRADIENT] = {.what = "dx, (C / 10 + 16) (1 + 2 |h|) 2^-24 of the largest |g| r", .allowed = 1},
    [GAIN] = {.what = "dweight, R 2^-22 of sum |dy h|", .allowed = 1},
};

/* Rows of a spread around a mean, whose first may be all zeros. */
static void rows(size_t R, size_t C, float mean, float spread, float epsilon, bool gained) {
    size_t n = R * C;
    float *x = blank(n), *y = blank(n), *square = blank(R), *dx = blank(n),
          *dy = random_floats(n, 1);
    float *weight = gained ? random_floats(C, 2) : NULL, *dweight = random_floats(C, 1);
    float *before = memcpy(blank(C), dweight, C * sizeof *before);
    double *gain = hold(C * sizeof *gain), *size = hold(C * sizeof *size);
    memset(gain, 0, C * sizeof *gain), memset(size, 0, C * sizeof *size);
    for (size_t i = 0; i < n; i++) {
        x[i] = epsilon > 0 && i < C && spread < 1 ? 0 : mean + spread * random_float(-1, 1);
    }
    rms_norm_forward(y, square, x, weight, epsilon, R, C);
    rms_norm_backward(dx, dweight, dy, x, weight, epsilon, R, C);
    for (size_t r = 0; r < R; r++) {
        const float *row = x + r * C;
        double sum = 0, top = 0, high = 0, product = 0;
        for (size_t i = 0; i < C; i++) {
            sum += (double)row[i] * row[i];
        }
        double k = 1 / sqrt(sum / (double)C + (double)epsilon);
        CHECK_WITHIN(bounds + SQUARE, square[r], sum / (double)C, sum / (double)C + 1e-300,
                     "mean square of C%zu", C);
        for (size_t i = 0; i < C; i++) {
            double w = weight ? weight[i] : 1, wanted = row[i] * k * w, g = dy[r * C + i] * w;
            CHECK_WITHIN(bounds + ERROR, y[r * C + i], wanted, fabs(wanted) + 1e-37,
                         "y[%zu] of C%zu", i, C);
            product += g * row[i] * k / (double)C;
            top = fmax(top, fabs(g) * k);
            high = fmax(high, fabs(row[i] * k));
            gain[i] += dy[r * C + i] * row[i] * k;
            size[i] += fabs(dy[r * C + i] * row[i] * k);
        }
        for (size_t i = 0; i < C; i++) {
            double g = dy[r * C + i] * (weight ? weight[i] : 1),
                   wanted = k * (g - row[i] * k * product);
            CHECK_WITHIN(bounds + GRADIENT, dx[r * C + i], wanted,
                         ((double)C / 10 + 16) * (1 + 2 * high) * 0x1p-24 * top, "dx[%zu] of C%zu",
                         i, C);
        }
    }
    for (size_t i = 0; i < C; i++) {
        CHECK_WITHIN(bounds + GAIN, dweight[i], before[i] + gain[i],
                     (double)R * 0x1p-22 * (size[i] + fabs(before[i])), "dweight[%zu] of C%zu", i,
                     C);
    }
    float *again = blank(n), *gradient = memcpy(blank(n), dy, n * sizeof *gradient);
    rms_norm_forward(again, NULL, x, weight, epsilon, R, C);
    CHECK(same_bits(y, again, n), "C%zu: bits depend on the mean square being asked for", C);
    rms_norm_backward(gradient, NULL, gradient, x, weight, epsilon, R, C);
    CHECK(same_bits(dx, gradient, n), "C%zu: the gradient in place, without the gain's, differs",
          C);
    float *row = memcpy(blank(n), x, n * sizeof *row);
    rms_norm_backward(row, NULL, dy, row, weight, epsilon, R, C);
    CHECK(same_bits(dx, row, n), "C%zu: the gradient in place of x differs", C);
    rms_norm_forward(x, NULL, x, weight, epsilon, R, C);
    CHECK(same_bits(y, x, n), "C%zu: in place differs", C);
    release();
}

/* Rows without a length: zeros stay zeros, and pass nothing back, with epsilon 0. */
static void zeros(size_t C) {
    float *x = memset(blank(C), 0, C * sizeof *x), *y = blank(C), *dy = random_floats(C, 1);
    float *dx = blank(C), *dweight = random_floats(C, 1), square;
    float *before = memcpy(blank(C), dweight, C * sizeof *before);
    rms_norm_forward(y, &square, x, NULL, 0, 1, C);
    rms_norm_backward(dx, dweight, dy, x, NULL, 0, 1, C);
    for (size_t i = 0; i < C; i++) {
        CHECK(y[i] == 0 && square == 0 && dx[i] == 0, "zeros of C%zu: %g, back %g", C, (double)y[i],
              (double)dx[i]);
    }
    CHECK(same_bits(dweight, before, C), "zeros of C%zu change the gain's gradient", C);
    rms_norm_forward(y, NULL, x, NULL, 0, 0, C);
    rms_norm_backward(dx, dweight, dy, x, NULL, 0, 0, C);
    CHECK(y[0] == 0 && same_bits(dweight, before, C), "no row of C%zu writes something", C);
    release();
}

/* Squares beyond the range of floats are kept in double: a row's length has no part in its error. */
static void lengths(size_t C) {
    static const float scales[] = {3e38f, 1e30f, 1e20f, 1e-20f, 1e-30f, 0x1p-125f};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        float *x = random_floats(C, scales[s]), *y = blank(C);
        x[C / 2] = scales[s];
        double sum = 0;
        for (size_t i = 0; i < C; i++) {
            sum += (double)x[i] * x[i];
        }
        rms_norm_forward(y, NULL, x, NULL, 0, 1, C);
        for (size_t i = 0; i < C; i++) {
            double wanted = x[i] / sqrt(sum / (double)C);
            CHECK_WITHIN(bounds + ERROR, y[i], wanted, fabs(wanted) + 1e-37, "%g, y[%zu] of C%zu",
                         (double)scales[s], i, C);
        }
        release();
    }
}

/* A NaN makes its row NaN, an infinity itself NaN and the others 0; the row after is as before. */
static void bad(size_t C) {
    float values[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * C; i++) {
        size_t at = i / 3;
        float *x = random_floats(2 * C, 1), *y = blank(2 * C), *alone = blank(C), square[2];
        float *dy = random_floats(2 * C, 1), *dx = blank(2 * C);
        x[at] = values[i % 3];
        rms_norm_forward(y, square, x, NULL, 1e-5f, 2, C);
        rms_norm_forward(alone, NULL, x + C, NULL, 1e-5f, 1, C);
        CHECK(same_bits(y + C, alone, C), "C%zu: the row after a bad number differs", C);
        CHECK(i % 3 ? square[0] == INFINITY : isnan(square[0]), "C%zu: a bad number is lost", C);
        rms_norm_backward(dx, NULL, dy, x, NULL, 1e-5f, 2, C);
        for (size_t j = 0; j < C; j++) {
            CHECK(i % 3 && j != at ? y[j] == 0 : isnan(y[j]), "%g at %zu of C%zu: y[%zu] is %g",
                  (double)x[at], at, C, j, (double)y[j]);
            CHECK(isfinite(dx[C + j]), "C%zu: a bad number reaches the next row's gradient", C);
        }
        CHECK(isnan(dx[at]), "C%zu: the gradient of a bad number is %g", C, (double)dx[at]);
        release();
    }
}

int main(void) {
    for (size_t C = 1; C < 14; C++) {
        zeros(C);
        lengths(C);
        bad(C);
    }
    for (size_t C = 1; C <= 513; C += C < 70 ? 1 : 63) {
        for (int gained = 0; gained <= 1; gained++) {
            rows(3, C, 0, 1, 1e-5f, gained);
            rows(2, C, 0, 1e-4f, 1e-12f, gained);
            rows(2, C, 0.5f, 1, 0, gained);
            rows(2, C, 1e4f, 1, 1e-6f, gained);
            rows(2, C, 0, 1e-15f, 1e-6f, gained);
            rows(2, C, 0, 1, 1000, gained); /* epsilon outweighs the row */
        }
    }
    return check_done("kernel/rms_norm", bounds, BOUNDS);
}
