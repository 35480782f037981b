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

void multiply_forward(float *y, const float *a, const float *b, size_t n) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        v4_store(y + i, v4_mul(v4_load(a + i), v4_load(b + i)));
    }
    for (; i < n; i++) {
        y[i] = a[i] * b[i];
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

double add_squares(const float *x, size_t n, const float *y, float *largest) {
    v4_total sum = v4_total_zero();
    v4 most = v4_splat(0); /* sizes are in the order of their bits, NaN beyond all */
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        sum = v4_total_add_square(sum, v4_load(x + i));
        most = v4_bits_max(most, v4_abs(v4_load(y + i)));
    }
    if (i < n) {
        sum = v4_total_add_square(sum, v4_load_part(x + i, n - i, 0));
        most = v4_bits_max(most, v4_abs(v4_load_part(y + i, n - i, 0)));
    }
    most = v4_bits_max(most, V4_SHUFFLE(most, most, 2, 3, 0, 1));
    most = v4_bits_max(most, V4_SHUFFLE(most, most, 1, 0, 3, 2));
    *largest = isfinite(V4_LANE(most, 0)) ? V4_LANE(most, 0) : INFINITY;
    return v4_total_sum(sum);
}
