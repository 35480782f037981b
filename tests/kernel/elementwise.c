/* Sums and scalings are the C language's own, element by element. */
#include "../../src/kernel/elementwise.h"
#include "../check.h"

static void scaled(size_t n, float factor) {
    float *a = random_floats(n, 7), *b = random_floats(n, 1), *y = blank(n), *wanted = blank(n);
    for (size_t i = 0; i < n; i++) {
        float product = b[i] * factor;
        wanted[i] = a[i] + product;
    }
    add_scaled(y, a, b, factor, n);
    CHECK(same_bits(y, wanted, n), "add_scaled n%zu", n);
    memcpy(y, b, n * sizeof *b);
    add_scaled(y, a, y, factor, n);
    CHECK(same_bits(y, wanted, n), "add_scaled n%zu, y = b", n);
    add_scaled(a, a, b, factor, n);
    CHECK(same_bits(a, wanted, n), "add_scaled n%zu, y = a", n);
    release();
}

/* Squares of floats are doubles, so only the sum rounds. Beside it the largest of others. */
static void squares(size_t n, float scale) {
    float *x = random_floats(n, scale), *y = random_floats(n, 3e38f), most, size = 0;
    for (size_t i = 0; i < n; i++) {
        size = fmaxf(size, fabsf(y[i]));
    }
    long double wanted = 0;
    for (size_t i = 0; i < n; i++) {
        wanted += (long double)x[i] * x[i];
    }
    double got = add_squares(x, n, y, &most);
    CHECK(most == size, "largest n%zu: %g, wanted %g", n, (double)most, (double)size);
    CHECK(fabsl(got - wanted) <= (long double)n * 0x1p-54L * wanted, "add_squares n%zu: %.17g", n,
          got);
    for (size_t i = 0; i < n; i += 1 + n / 3) { /* a NaN or an infinity anywhere shows */
        float kept = x[i];
        x[i] = NAN;
        CHECK(isnan(add_squares(x, n, y, &most)), "add_squares n%zu with NaN at %zu", n, i);
        CHECK(most == size, "largest n%zu beside a NaN", n);
        add_squares(y, n, x, &most);
        CHECK(most == INFINITY, "largest n%zu with NaN at %zu", n, i);
        x[i] = -INFINITY;
        CHECK(add_squares(x, n, x, &most) == (double)INFINITY && most == INFINITY,
              "add_squares n%zu with -Infinity", n);
        x[i] = kept;
    }
    release();
}

int main(void) {
    for (size_t n = 0; n <= 33; n++) {
        float *a = random_floats(n, 7), *b = random_floats(n, 1e-3f), *y = blank(n);
        float *sum = blank(n), *product = blank(n), *both = blank(n), factor = random_float(-3, 3);
        for (size_t i = 0; i < n; i++) {
            sum[i] = a[i] + b[i];
            product[i] = a[i] * factor;
            both[i] = a[i] * b[i];
        }
        add_forward(y, a, b, n);
        CHECK(same_bits(y, sum, n), "add_forward n%zu", n);
        scale_forward(y, a, factor, n);
        CHECK(same_bits(y, product, n), "scale_forward n%zu", n);
        multiply_forward(y, a, b, n);
        CHECK(same_bits(y, both, n), "multiply_forward n%zu", n);
        memcpy(y, a, n * sizeof *a);
        multiply_forward(y, y, b, n);
        CHECK(same_bits(y, both, n), "multiply_forward n%zu, y = a", n);
        memcpy(y, b, n * sizeof *b);
        multiply_forward(y, a, y, n);
        CHECK(same_bits(y, both, n), "multiply_forward n%zu, y = b", n);
        memcpy(y, a, n * sizeof *a);
        add_forward(y, y, b, n);
        CHECK(same_bits(y, sum, n), "add_forward n%zu, y = a", n);
        memcpy(y, b, n * sizeof *b);
        add_forward(y, a, y, n);
        CHECK(same_bits(y, sum, n), "add_forward n%zu, y = b", n);
        scale_forward(a, a, factor, n);
        CHECK(same_bits(a, product, n), "scale_forward n%zu, y = x", n);
        release();
        scaled(n, random_float(-3, 3));
        squares(n, 3);
        squares(n, 1e38f);
    }
    squares(100003, 1);
    return check_done("kernel/elementwise", NULL, 0);
}
