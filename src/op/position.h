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

/* rotation: the frequencies of rotary positions: theta^(-2i/D) for pair i of D/2, then scaled:
 *   LINEAR   over factor: positions closer together
 *   LLAMA3   those of few turns within the original length over factor, those of many as they are, and between low and
 *            high turns what lies between: f (s + (1 - s) / factor), s = (turns - low) / (high - low)
 * source Su et al. 2021, section 3.2.2; Chen et al. 2023 (linear); Llama 3.1's reference code (llama3) */
typedef enum rotation_scaling {
    ROTATION_PLAIN,
    ROTATION_LINEAR,
    ROTATION_LLAMA3,
    ROTATION_SCALING_COUNT
} rotation_scaling;
typedef struct rotation {
    double theta, factor, low, high, original;
    rotation_scaling scaling;
} rotation;

/* rotation_table: cosines and sines of position times frequency
 * out   y (n,D): D/2 cosines, then D/2 sines; D even
 * in    p = positions[i], 0..2^20, or with positions NULL p = i; factor >= 1, theta >= 1
 * error 2^-25 and 1e-9: angles in double, rounded once at the end (tests/op/position.c) */
void rotation_table(float *y, const int32_t *positions, size_t n, size_t D, rotation r);

/* rotation_forward: each pair (a, b) of the first N numbers of each head becomes (a cos - b sin, b cos + a sin); the
 *   others stay
 * rotation_backward: the gradient: turned back, (a cos + b sin, b cos - a sin)
 * out   y (T,H,D)
 * in    x (T,H,D); table (T,N) as rotation_table has it, row t of token t; the pair i of a head is (i, i + N/2), as
 *       checkpoints of today have it, or interleaved (2i, 2i + 1), as in the paper; N even, at most D
 * alias y may equal x
 * error 2^-23 of the length of the pair (tests/op/position.c)
 * source Su et al. 2021, equation 34 */
void rotation_forward(float *y, const float *x, const float *table, size_t T, size_t H, size_t D,
                      size_t N, bool interleaved);
void rotation_backward(float *y, const float *x, const float *table, size_t T, size_t H, size_t D,
                       size_t N, bool interleaved);

/* relative_positions: distances of tokens in buckets, each with a bias of the scores for each head. Half of the buckets
 * are for later keys where both directions have them, all for earlier ones where not. Of those of a direction the
 * first half has one distance each, and then ranges grow in proportion to the distance, up to `most` and all beyond.
 * source Raffel et al. 2020, section 2.1; the logarithm in float32 as Hugging Face takes it */
typedef struct relative_positions {
    size_t buckets, most; /* at least 4; more than the distances with a bucket each */
    bool both;
} relative_positions;

/* relative_bucket: that of a key so far from the query, before it or after it.
 * relative_forward: y (H,n), the biases of distances 0 .. n-1 before the query, or after it, times factor; head h is
 *   column h of table, whose rows are `row` floats apart
 * relative_backward: the gradient: dtable += that of y, dy, times factor
 * error of relative_forward 2^-24, of relative_backward (n + 1) 2^-24 sum |dy| of a bucket (tests/op/position.c) */
size_t relative_bucket(size_t distance, bool after, relative_positions r);
void relative_forward(float *y, const float *table, size_t row, float factor, size_t H, size_t n,
                      bool after, relative_positions r);
void relative_backward(float *dtable, const float *dy, size_t row, float factor, size_t H, size_t n,
                       bool after, relative_positions r);

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
