/* tile.h: a band against panels, the register tile of matrix products; matmul.c alone uses it.
 *
 * A product is made of bands (4 or 6 rows of one operand) and panels (8 columns of the other): a
 * band against a panel is a tile, 2 accumulators a row. Which tile is quick depends on how the
 * engine's compiler allocates registers; measurements are in tile.c. No bit depends on it. */
#ifndef GLASSFORMER_KERNEL_TILE_H
#define GLASSFORMER_KERNEL_TILE_H

#include "product.h"

/* tilings: those that make up any number of rows of such panels, tallest first, down to 1 row. */
const tiling *tilings(const panels *b);

#endif
