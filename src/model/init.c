#include <math.h>
#include <string.h>

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

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
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
        if (t.region != WEIGHT || strncmp(t.name, "grad.", 5) == 0) {
            continue;
        }
        rng r = rng_seed(seed, hash(t.name));
        size_t rows = (size_t)t.shape[0], columns = t.rank > 1 ? (size_t)t.shape[1] : 1;
        if (t.rank == 1) {
            fill(t.data, rows, ends_with(t.name, ".weight") ? 1 : 0);
        } else if (ends_with(t.name, "emb.weight")) {
            fill_normal(&r, t.data, rows * columns, 1 / sqrtf((float)columns));
        } else if (ends_with(t.name, "in_proj_weight")) {
            for (size_t part = 0; part < 3; part++) {
                fill_xavier(&r, (float *)t.data + part * columns * columns, columns, columns);
            }
        } else {
            fill_xavier(&r, t.data, rows, columns);
        }
    }
}
