/* product.h: what the parts of matrix products share: shapes, what becomes of a sum, panels and the
 * destination of tiles. */
#ifndef GLASSFORMER_KERNEL_PRODUCT_H
#define GLASSFORMER_KERNEL_PRODUCT_H

#include <stdbool.h>
#include <stddef.h>

#include "half.h"

/* matmul_shape: sizes, and the distance in elements from one row of each array to the next.
 * a is (M,K), or (K,M) with trans_a; b is (K,N), or (N,K) with trans_b; c is (M,N). */
typedef struct matmul_shape {
    size_t M, K, N;
    size_t a_row, b_row, c_row;
    bool trans_a, trans_b;
    bool accumulate;    /* c += the product, for gradients */
    weight_type b_type; /* other than of floats: b is packed (half.h), with trans_b, b_row = K */
} matmul_shape;

/* matmul_dense: the shape of three dense arrays. */
static inline matmul_shape matmul_dense(size_t M, size_t K, size_t N, bool trans_a, bool trans_b) {
    return (matmul_shape){
        .M = M,
        .K = K,
        .N = N,
        .a_row = trans_a ? M : K,
        .b_row = trans_b ? K : N,
        .c_row = N,
        .trans_a = trans_a,
        .trans_b = trans_b,
    };
}

/* matmul_epilogue: what becomes of a sum before it is written, in this order. */
typedef struct matmul_epilogue {
    const float *scale;    /* times this, or NULL */
    const float *bias;     /* (N), added to each row, or NULL */
    const float *residual; /* (M,N) with the rows of c, added, or NULL */
    bool relu;             /* max(x, 0) */
} matmul_epilogue;

/* The destination of tiles. transposed: the rows of bands are the columns of c. first, last: of the
 * blocks of k; the first finds nothing in c to add to, the last applies the epilogue. */
typedef struct c_tile {
    float *c;
    size_t row; /* stride */
    bool transposed;
    bool first, last;
    matmul_epilogue epilogue;
} c_tile;

/* A block of panels: columns of them in all, depth steps of k. whole: for a few rows of a, of b as it
 * stands: all of its rows of floats, row apart, or of a matrix packed in 16 bits; or arranged floats. */
typedef struct panels {
    const void *data;
    size_t row, panel_stride; /* strides from one step of k to the next, from panel to panel */
    size_t columns, depth;
    bool whole;
    weight_type type;
} panels;

typedef struct tiling {
    size_t rows;
    /* One band, rows from a on, times all panels of a block. band and column: its position in
     * the product. */
    void (*run)(const float *a, size_t a_row, const panels *b, size_t band, size_t column,
                const c_tile *to);
} tiling;

#endif
