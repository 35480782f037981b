#include "dropout.h"

#define GOLDEN 0x9e3779b9u

/* A 32-bit integer hash (Wellons 2018, "lowbias32"). */
static uint32_t mix(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

uint32_t dropout_key(uint32_t seed, uint32_t step, uint32_t site) {
    return mix(mix(mix(seed) + step) + site * GOLDEN);
}

uint32_t dropout_from(uint32_t key, uint32_t first) { return key + first * GOLDEN; }

void dropout_apply(float *y, const float *x, size_t n, float rate, uint32_t key) {
    float scale = 1 / (1 - rate), bar = rate * 0x1p24f;
    for (size_t i = 0; i < n; i++) {
        uint32_t draw = mix(key + (uint32_t)i * GOLDEN) >> 8;
        y[i] = (float)draw < bar ? 0 : x[i] * scale;
    }
}
