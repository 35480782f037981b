#include <math.h>

#include "../kernel/packed.h"
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

/* The distribution that a weight is drawn from. */
typedef struct draw {
    init_rule rule;
    float size; /* deviation or bound */
    rng state;
} draw;

static void fill(draw *d, float *x, size_t n) {
    draw mine = *d;
    for (size_t i = 0; i < n; i++) {
        switch (mine.rule) {
        case NORMAL:
            x[i] = rng_normal(&mine.state) * mine.size;
            break;
        case XAVIER:
        case XAVIER_STACKED:
            x[i] = (2 * rng_uniform(&mine.state) - 1) * mine.size;
            break;
        default:
            x[i] = mine.rule == ONES;
        }
    }
    *d = mine;
}

void model_initialize(model *m, uint32_t seed) {
    size_t count = tensors_count(&m->tensors, &m->dims);
    for (size_t i = 0; i < count; i++) {
        tensor_info t;
        tensors_get(&t, &m->tensors, &m->dims, i);
        draw d = {.rule = role_describe((tensor_role)t.role)->initialization,
                  .state = rng_seed(seed, hash(t.name))};
        if (t.gradient || d.rule == NOT_DRAWN) {
            continue;
        }
        bool given = m->config.initializer_range > 0 && t.rank > 1;
        d.rule = given ? NORMAL : d.rule;
        size_t rows = (size_t)t.shape[0], columns = t.rank > 1 ? (size_t)t.shape[1] : 1;
        size_t out = d.rule == XAVIER_STACKED ? columns : rows; /* each part on its own */
        d.size = given              ? m->config.initializer_range
                 : d.rule == NORMAL ? 1 / sqrtf((float)columns)
                                    : sqrtf(6.0f / (float)(columns + out));
        if (t.type == TENSOR_FLOAT) {
            fill(&d, t.data, rows * columns);
            continue;
        }
        for (size_t at = 0, n; at < rows * columns; at += n) { /* packed, by whole blocks */
            float some[QUANT_BLOCK];
            n = columns - at % columns < QUANT_BLOCK ? columns - at % columns : QUANT_BLOCK;
            fill(&d, some, n);
            packed_put(t.data, columns, at, some, n, (weight_type)m->config.weights);
        }
    }
}
