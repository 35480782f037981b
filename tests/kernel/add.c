/* Sums and scalings are the C language's own, element by element. */
#include "../../src/kernel/add.h"
#include "../check.h"

int main(void) {
    for (size_t n = 0; n <= 33; n++) {
        float *a = random_floats(n, 7), *b = random_floats(n, 1e-3f), *y = blank(n);
        float *sum = blank(n), *product = blank(n), factor = random_float(-3, 3);
        for (size_t i = 0; i < n; i++) {
            sum[i] = a[i] + b[i];
            product[i] = a[i] * factor;
        }
        add_forward(y, a, b, n);
        CHECK(same_bits(y, sum, n), "add_forward n%zu", n);
        scale_forward(y, a, factor, n);
        CHECK(same_bits(y, product, n), "scale_forward n%zu", n);
        memcpy(y, a, n * sizeof *a);
        add_forward(y, y, b, n);
        CHECK(same_bits(y, sum, n), "add_forward n%zu, y = a", n);
        memcpy(y, b, n * sizeof *b);
        add_forward(y, a, y, n);
        CHECK(same_bits(y, sum, n), "add_forward n%zu, y = b", n);
        scale_forward(a, a, factor, n);
        CHECK(same_bits(a, product, n), "scale_forward n%zu, y = x", n);
        release();
    }
    return check_done("kernel/add", NULL, 0);
}
