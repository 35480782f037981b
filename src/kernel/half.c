#include "half.h"

const struct half_constants half_constants = {0x1p112f, -0x1.fffffep-96f};

SIMD_INLINE void widen(float *restrict to, float *restrict next, const uint16_t *from, size_t depth,
                       weight_type type) {
    for (size_t k = 0; k < depth; k++, from += HALF_PANEL, to += 8, next += 8) {
        v4 eight[2];
        v4_widen(eight, from, type);
        v4_store(to, eight[0]);
        v4_store(to + 4, eight[1]);
        v4_widen(eight, from + 8, type);
        v4_store(next, eight[0]);
        v4_store(next + 4, eight[1]);
    }
}

void half_widen(float *restrict to, float *restrict next, const uint16_t *from, size_t depth,
                weight_type type) {
    if (type == WEIGHT_BF16) { /* one loop each */
        widen(to, next, from, depth, WEIGHT_BF16);
    } else {
        widen(to, next, from, depth, WEIGHT_F16);
    }
}

/* A run of elements of one row, a panel's width apart: from element at of the matrix on, at most most. */
static size_t run(size_t *start, size_t at, size_t K, size_t most, size_t panel) {
    size_t row = at / K, k = at % K;
    *start = (row / panel * K + k) * panel + row % panel;
    return K - k < most ? K - k : most;
}

void panels_get(float *restrict to, const float *arranged, size_t K, size_t first, size_t n) {
    for (size_t i = 0, start, count; i < n; i += count) {
        count = run(&start, first + i, K, n - i, PANEL);
        for (size_t j = 0; j < count; j++) {
            to[i + j] = arranged[start + PANEL * j];
        }
    }
}

void half_get(float *restrict to, const uint16_t *packed, size_t K, size_t first, size_t n,
              weight_type type) {
    for (size_t i = 0, start, count; i < n; i += count) {
        count = run(&start, first + i, K, n - i, HALF_PANEL);
        for (size_t j = 0; j < count; j++) {
            uint16_t bits[8] = {packed[start + HALF_PANEL * j]};
            v4 eight[2];
            v4_widen(eight, bits, type);
            to[i + j] = V4_LANE(eight[0], 0);
        }
    }
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The bits of a finite number of size x in 16 bits; what overflows has the exponent of infinity. */
static uint32_t narrow(float x, weight_type type) {
    uint32_t bits = bits_of(x);
    if (type == WEIGHT_BF16) {
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    }
    if (x < 0x1p-14f) { /* subnormal: in 0.5 to 1 the unit of a float is that of these */
        return bits_of(x + 0.5f) - bits_of(0.5f);
    }
    return x < 65520 ? (bits - (112u << 23) + 0xfff + (bits >> 13 & 1)) >> 13 : 0x7c00;
}

bool half_put(uint16_t *restrict packed, size_t K, size_t first, const float *from, size_t n,
              weight_type type) {
    uint32_t infinity = type == WEIGHT_BF16 ? 0x7f80 : 0x7c00;
    bool within = true;
    for (size_t i = 0, start, count; i < n; i += count) {
        count = run(&start, first + i, K, n - i, HALF_PANEL);
        for (size_t j = 0; j < count; j++) {
            float x = from[i + j];
            uint32_t bits = narrow(fabsf(x), type);
            bool fits = bits < infinity;
            if (fits) {
                packed[start + HALF_PANEL * j] = (uint16_t)(bits | bits_of(x) >> 31 << 15);
            }
            within = within && fits;
        }
    }
    return within;
}
