/* tile.h: a band against panels, the register tile of matrix products; matmul.c alone uses it.
 *
 * A product is made of bands (4 or 6 rows of one operand) and panels (8 columns of the other): a
 * band against a panel is a tile, 2 accumulators a row. Which tile is quick depends on how the
 * engine's compiler allocates registers; measurements are in tile.c. No bit depends on it. */
#ifndef GLASSFORMER_KERNEL_TILE_H
#define GLASSFORMER_KERNEL_TILE_H

#include "half.h"
#include "matmul.h"

/* Floats from which on a matrix is large: more than a second-level cache may hold. */
enum { FAR = 1 << 16 };

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

/* tilings: those that make up any number of rows of such panels, tallest first, down to 1 row. */
const tiling *tilings(const panels *b);

#endif
