/* position.h: positional encoding. */
#ifndef GLASSFORMER_OP_POSITION_H
#define GLASSFORMER_OP_POSITION_H

#include <stddef.h>
#include <stdint.h>

/* position_forward: sinusoidal positional encoding
 *   y[i,2j] = sin(p / 10000^(2j/C)),  y[i,2j+1] = cos(the same angle)
 * out   y (n,C); an odd C ends in a sine
 * in    p = positions[i], 0..2^20, or with positions NULL p = i
 * error 2^-24: angles in double, rounded once at the end (tests/op/position.c)
 * source Vaswani et al. 2017, section 3.5 */
void position_forward(float *y, const int32_t *positions, size_t n, size_t C);

#endif
