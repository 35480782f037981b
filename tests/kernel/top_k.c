/* Top-k against a plain search for the largest number, one after the other. */
#include "../../src/kernel/activation.h"
#include "../check.h"

/* Marks what one row keeps: k times the first of the largest that are left, as long as it is above 0. */
static void search(bool *stays, const float *x, size_t n, size_t k) {
    memset(stays, 0, n * sizeof *stays);
    for (size_t turn = 0; turn < k; turn++) {
        size_t best = n;
        for (size_t i = 0; i < n; i++) {
            if (!stays[i] && x[i] > 0 && (best == n || x[i] > x[best])) {
                best = i;
            }
        }
        if (best == n) {
            return;
        }
        stays[best] = true;
    }
}

static void check_row(const float *x, const float *dy, const float *y, const float *dx, size_t n,
                      size_t k) {
    bool stays[600];
    search(stays, x, n, k);
    for (size_t i = 0; i < n; i++) {
        CHECK(isnan(x[i]) ? isnan(y[i]) : same_bits(y + i, stays[i] ? x + i : (float[]){0}, 1),
              "%zu of %zu: y[%zu] of %a is %a", k, n, i, (double)x[i], (double)y[i]);
        CHECK(isnan(x[i]) || same_bits(dx + i, stays[i] ? dy + i : (float[]){0}, 1),
              "%zu of %zu: dx[%zu] of %a is %a", k, n, i, (double)x[i], (double)dx[i]);
    }
}

/* Rows of numbers of one kind, out of place and in place. */
static void check_rows(float *x, size_t rows, size_t n, size_t k) {
    float *dy = random_floats(rows * n, 2), *y = blank(rows * n), *dx = blank(rows * n);
    top_k_forward(y, x, rows, n, k);
    top_k_backward(dx, dy, x, rows, n, k);
    for (size_t r = 0; r < rows; r++) {
        check_row(x + r * n, dy + r * n, y + r * n, dx + r * n, n, k);
    }
    float *x2 = memcpy(hold(rows * n * sizeof *x), x, rows * n * sizeof *x);
    top_k_backward(x2, dy, x2, rows, n, k);
    CHECK(same_bits(x2, dx, rows * n), "%zu of %zu: in place of x differs", k, n);
    top_k_backward(dy, dy, x, rows, n, k);
    CHECK(same_bits(dy, dx, rows * n), "%zu of %zu: in place of dy differs", k, n);
    top_k_forward(x, x, rows, n, k);
    CHECK(same_bits(x, y, rows * n), "%zu of %zu: in place differs", k, n);
}

static void check_size(size_t n, size_t k) {
    static const float odd[] = {0,   -0.0f,           1,         1,         2,
                                -1,  0x1p-149f,       0x1p-148f, INFINITY,  -INFINITY,
                                NAN, 0x1.fffffep127f, 0x1p-126f, 1.0000001f};
    enum { ROWS = 3, ODD = sizeof odd / sizeof *odd };
    check_rows(random_floats(ROWS * n, 3), ROWS, n, k);
    float *few = random_floats(ROWS * n, 1), *close = random_floats(ROWS * n, 1),
          *strange = random_floats(ROWS * n, 1);
    for (size_t i = 0; i < ROWS * n; i++) {
        few[i] = (float)random_below(4) - 1;
        close[i] = 1 + (float)random_below(9) * 0x1p-23f; /* neighbours in the order of floats */
        strange[i] = odd[random_below(ODD)];
    }
    check_rows(few, ROWS, n, k);
    check_rows(close, ROWS, n, k);
    check_rows(strange, ROWS, n, k);
    release();
}

int main(void) {
    for (size_t n = 1; n < 40; n++) {
        for (size_t k = 1; k <= n + 1; k += 1 + n / 9) {
            check_size(n, k);
        }
    }
    check_size(192, 6);
    check_size(513, 32);
    check_size(513, 513);
    return check_done("top_k", NULL, 0);
}
