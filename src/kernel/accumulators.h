/* accumulators.h: what the loops of products share: sums in registers, and how they get to c. */
#ifndef GLASSFORMER_KERNEL_ACCUMULATORS_H
#define GLASSFORMER_KERNEL_ACCUMULATORS_H

#include "product.h"
#include "simd.h"

enum { MOST_ROWS = 6, TILE = 8 * PANEL };

/* The compiler keeps a tile in registers only where every loop over it is unrolled. */
#define UNROLL _Pragma("GCC unroll 8")

/* load_c: the sums of earlier blocks of k: count vectors below each other in c, from row i and column j
 * on; n of their columns exist. */
SIMD_INLINE void load_c(v4 x[], size_t count, const c_tile *to, size_t i, size_t j, size_t n) {
    UNROLL
    for (size_t r = 0; r < count; r++) {
        x[r] = v4_load_some(to->c + (i + r) * to->row + j, n, 0);
    }
}

/* store_c: the same to c, the epilogue applied. */
SIMD_INLINE void store_c(v4 x[], size_t count, const c_tile *to, size_t i, size_t j, size_t n) {
    const matmul_epilogue *f = &to->epilogue;
    if (to->last && f->scale) {
        v4 scale = v4_splat(*f->scale);
        UNROLL
        for (size_t r = 0; r < count; r++) {
            x[r] = v4_mul(x[r], scale);
        }
    }
    if (to->last && f->bias) {
        v4 bias = v4_load_some(f->bias + j, n, 0);
        UNROLL
        for (size_t r = 0; r < count; r++) {
            x[r] = v4_add(x[r], bias);
        }
    }
    if (to->last && f->residual) {
        UNROLL
        for (size_t r = 0; r < count; r++) {
            x[r] = v4_add(v4_load_some(f->residual + (i + r) * to->row + j, n, 0), x[r]);
        }
    }
    if (to->last && f->relu) {
        UNROLL
        for (size_t r = 0; r < count; r++) {
            x[r] = v4_max(x[r], v4_splat(0));
        }
    }
    UNROLL
    for (size_t r = 0; r < count; r++) {
        v4_store_some(to->c + (i + r) * to->row + j, x[r], n);
    }
}

/* store_row: the accumulators of one row, all of whose 8 columns exist, to row i of c that is not transposed. */
SIMD_INLINE void store_row(v4 acc[2], const c_tile *to, size_t i, size_t column) {
    store_c(acc, 1, to, i, column, 4);
    store_c(acc + 1, 1, to, i, column + 4, 4);
}

/* acc_load: accumulators from a tile in memory, or zeros. */
SIMD_INLINE void acc_load(v4 acc[][2], size_t rows, const float *tile, bool first) {
    UNROLL
    for (size_t r = 0; r < rows; r++) {
        acc[r][0] = first ? v4_splat(0) : v4_load(tile + r * PANEL);
        acc[r][1] = first ? v4_splat(0) : v4_load(tile + r * PANEL + 4);
    }
}

/* acc_store: the same to a tile in memory. */
SIMD_INLINE void acc_store(v4 acc[][2], size_t rows, float *tile) {
    UNROLL
    for (size_t r = 0; r < rows; r++) {
        v4_store(tile + r * PANEL, acc[r][0]);
        v4_store(tile + r * PANEL + 4, acc[r][1]);
    }
}

/* tile_load, tile_store: a tile in memory (rows x 8 floats, in memory for a multiple of 4 rows) from
 * and to c, directly or transposed. band and column are its position in the product; columns of it
 * exist. */
void tile_load(float *tile, size_t rows, const c_tile *to, size_t band, size_t column,
               size_t columns);
void tile_store(const float *tile, size_t rows, const c_tile *to, size_t band, size_t column,
                size_t columns);

#endif
