/* packed.h: what half.h and quant.h have in common. Rows come in panels of HALF_PANEL. */
#ifndef GLASSFORMER_KERNEL_PACKED_H
#define GLASSFORMER_KERNEL_PACKED_H

#include "quant.h"

/* packed_unit: a row of K columns has so many units, bytes large. */
typedef struct packed_unit {
    size_t count, bytes;
} packed_unit;
static inline packed_unit packed_row(size_t K, weight_type type) {
    size_t blocks = (K + QUANT_BLOCK - 1) / QUANT_BLOCK;
    return type == WEIGHT_INT8
               ? (packed_unit){blocks, sizeof(quant_block) / HALF_PANEL}
               : (packed_unit){K, type == WEIGHT_BF16 || type == WEIGHT_F16 ? 2 : 4};
}

/* packed_get, packed_put: see half_get, quant_get. */
static inline void packed_get(float *restrict to, const void *packed, size_t K, size_t first,
                              size_t n, weight_type type) {
    if (type == WEIGHT_INT8) {
        quant_get(to, packed, K, first, n);
    } else if (type == WEIGHT_PANELS) {
        panels_get(to, packed, K, first, n);
    } else {
        half_get(to, packed, K, first, n, type);
    }
}
static inline bool packed_put(void *restrict packed, size_t K, size_t first, const float *from,
                              size_t n, weight_type type) {
    return type == WEIGHT_INT8 ? quant_put(packed, K, first, from, n)
                               : half_put(packed, K, first, from, n, type);
}

#endif
