/* position.h: positional encoding. */
#ifndef GLASSFORMER_OP_POSITION_H
#define GLASSFORMER_OP_POSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* position_forward: sinusoidal positional encoding
 *   y[i,2j] = sin(p / 10000^(2j/C)),  y[i,2j+1] = cos(the same angle)
 * out   y (n,C); an odd C ends in a sine
 * in    p = positions[i], 0..2^20, or with positions NULL p = i
 * error 2^-25 and 1e-9: angles in double, rounded once at the end (tests/op/position.c)
 * source Vaswani et al. 2017, section 3.5 */
void position_forward(float *y, const int32_t *positions, size_t n, size_t C);

/* position_start: where the positions of a row begin. INDEX: at its first token. FIRST: at the first that padding
 * shows. VISIBLE: there, and only tokens that it shows are counted. A hidden token stands at its index. */
typedef enum position_start {
    POSITION_INDEX,
    POSITION_FIRST,
    POSITION_VISIBLE,
    POSITION_START_COUNT
} position_start;

/* position_next: the position of token t of a row, at most t, for t = 0, 1, 2 ... in their order; count begins as
 * {from}. source Zhang et al. 2022 (OPT), Liu et al. 2019 (RoBERTa) as Hugging Face computes them: VISIBLE */
typedef struct position_count {
    position_start from;
    size_t seen, first;
} position_count;
size_t position_next(position_count *count, size_t t, bool hidden);

#endif
