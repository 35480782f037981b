/* quant.h: matrices of weights in 8 bits, with a scale for each 32 numbers of a row.
 *
 * A packed matrix (N,K) lies in panels of 16 rows, a panel in blocks of 32 columns; the last ones are
 * filled up with zeros. A number is q times its scale, exactly: a scale has 17 bits, so that what was
 * read has the same q and scale when it is written again.
 */
#ifndef GLASSFORMER_KERNEL_QUANT_H
#define GLASSFORMER_KERNEL_QUANT_H

#include "product.h"

enum { QUANT_BLOCK = 32 };

typedef struct quant_block {
    float scale[HALF_PANEL];
    int8_t q[QUANT_BLOCK / 2][HALF_PANEL][2]; /* a vector's load has 8 rows of two columns */
} quant_block;

/* quant_get, quant_put: as half_get and half_put. put rounds to the nearest multiple of the largest of
 * the 32 numbers over 127. Where it writes some of them it rounds the others again: give whole blocks.
 * Numbers below 2^-100 become 0; one from 2^127 on, or a NaN, leaves its block as it was. */
void quant_get(float *restrict to, const void *packed, size_t K, size_t first, size_t n);
bool quant_put(void *restrict packed, size_t K, size_t first, const float *from, size_t n);

/* quant_forward: matmul_forward of a packed b, without accumulate and trans_a.
 * scratch  so many floats, for rows of a in 16 bits
 * order 32 products at a time make an exact integer; these are added as floats in the order of k
 * a     rounded too: each 32 numbers of a row to the nearest 1/32767 of their largest
 * error that of matmul_forward, and 1/65534 of the largest of 32 numbers of a for each of them
 *       (tests/kernel/quant.c); unrounded, as two integers or in floats, two rows took 1.5 times as
 *       long, eight twice */
enum { QUANT_SCRATCH = 1 << 16 };
void quant_forward(float *restrict c, const float *a, const void *b, matmul_epilogue epilogue,
                   matmul_shape shape, float *scratch);

#endif
