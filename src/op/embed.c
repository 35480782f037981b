#include "embed.h"

#include "../kernel/elementwise.h"
#include "../kernel/packed.h"

bool embed_valid(const int32_t *ids, size_t n, size_t V) {
    for (size_t i = 0; i < n; i++) {
        if (ids[i] < 0 || (size_t)ids[i] >= V) {
            return false;
        }
    }
    return true;
}

void embed_forward(float *restrict y, const int32_t *ids, const void *table, weight_type type,
                   float scale, size_t n, size_t V, size_t C) {
    for (size_t i = 0; i < n; i++) {
        size_t id = (size_t)ids[i], first = id * C;
        bool plain = type == WEIGHT_F32 || (type == WEIGHT_PANELS && id >= V - V % PANEL);
        if (!plain) {
            packed_get(y + i * C, table, C, first, C, type);
        }
        scale_forward(y + i * C, plain ? (const float *)table + first : y + i * C, scale, C);
    }
}

void embed_add(float *restrict y, const int32_t *ids, const float *table, size_t n, size_t C) {
    for (size_t i = 0; i < n; i++) {
        add_forward(y + i * C, y + i * C, table + (size_t)ids[i] * C, C);
    }
}

void embed_backward(float *restrict dtable, const int32_t *ids, const float *dy, float scale,
                    size_t n, size_t C) {
    for (size_t i = 0; i < n; i++) {
        float *row = dtable + (size_t)ids[i] * C;
        add_scaled(row, row, dy + i * C, scale, C);
    }
}
