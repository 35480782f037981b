#include <math.h>

#include "../kernel/rng.h"
#include "model.h"

/* FNV-1a, 32 bits: each tensor draws from the stream of its name. */
static uint32_t hash(const char *text) {
    uint32_t h = 0x811c9dc5;
    for (; *text; text++) {
        h = (h ^ (uint8_t)*text) * 0x01000193;
    }
    return h;
}

static void fill(float *x, size_t n, float value) {
    for (size_t i = 0; i < n; i++) {
        x[i] = value;
    }
}

static void fill_normal(rng *r, float *x, size_t n, float deviation) {
    for (size_t i = 0; i < n; i++) {
        x[i] = rng_normal(r) * deviation;
    }
}

static void fill_xavier(rng *r, float *x, size_t out, size_t in) {
    float bound = sqrtf(6.0f / (float)(in + out));
    rng mine = *r;
    for (size_t i = 0; i < out * in; i++) {
        x[i] = (2 * rng_uniform(&mine) - 1) * bound;
    }
    *r = mine;
}

void model_initialize(model *m, uint32_t seed) {
    size_t count = tensors_count(&m->tensors, &m->dims);
    for (size_t i = 0; i < count; i++) {
        tensor_info t;
        tensors_get(&t, &m->tensors, &m->dims, i);
        if (t.gradient) {
            continue;
        }
        rng r = rng_seed(seed, hash(t.name));
        size_t rows = (size_t)t.shape[0], columns = t.rank > 1 ? (size_t)t.shape[1] : 1;
        switch (role_describe((tensor_role)t.role)->initialization) {
        case NOT_DRAWN:
            break;
        case ZEROS:
            fill(t.data, rows, 0);
            break;
        case ONES:
            fill(t.data, rows, 1);
            break;
        case NORMAL:
            fill_normal(&r, t.data, rows * columns, 1 / sqrtf((float)columns));
            break;
        case XAVIER:
            fill_xavier(&r, t.data, rows, columns);
            break;
        case XAVIER_STACKED:
            for (size_t part = 0; part < 3; part++) {
                fill_xavier(&r, (float *)t.data + part * columns * columns, columns, columns);
            }
            break;
        }
    }
}
