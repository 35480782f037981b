#include "elementwise.h"

#include "simd.h"

void add_forward(float *y, const float *a, const float *b, size_t n) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        v4_store(y + i, v4_add(v4_load(a + i), v4_load(b + i)));
    }
    for (; i < n; i++) {
        y[i] = a[i] + b[i];
    }
}

void scale_forward(float *y, const float *x, float factor, size_t n) {
    v4 f = v4_splat(factor);
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        v4_store(y + i, v4_mul(v4_load(x + i), f));
    }
    for (; i < n; i++) {
        y[i] = x[i] * factor;
    }
}

void add_scaled(float *y, const float *a, const float *b, float factor, size_t n) {
    v4 f = v4_splat(factor);
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        v4_store(y + i, v4_add(v4_load(a + i), v4_mul(v4_load(b + i), f)));
    }
    for (; i < n; i++) {
        y[i] = a[i] + b[i] * factor;
    }
}

double add_squares(const float *x, size_t n) {
    v4_total sum = v4_total_zero();
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        sum = v4_total_add_square(sum, v4_load(x + i));
    }
    if (i < n) {
        sum = v4_total_add_square(sum, v4_load_part(x + i, n - i, 0));
    }
    return v4_total_sum(sum);
}
