/* row.h: numbers of rows, and of pairs of rows, summed in double.
 *
 * For what a reader compares (similarities, lengths, distances of distributions), not for the
 * passes of a model. Sums go from the first entry to the last, so both variants give the same bits.
 */
#ifndef GLASSFORMER_KERNEL_ROW_H
#define GLASSFORMER_KERNEL_ROW_H

#include <stddef.h>

/* row_dot: y[r] = sum_c a[r,c] b[r,c]
 * row_norm: y[r] = sqrt(sum_c x[r,c]^2), the Euclidean norm
 * out   y (R)
 * in    a, b, x (R,C); products of two floats are exact in double
 * alias y may be a, b or x
 * error half an ulp of y and C 2^-53 sum_c |a b| (tests/kernel/row.c); beyond the largest float
 *       +-Infinity */
void row_dot(float *y, const float *a, const float *b, size_t R, size_t C);
void row_norm(float *y, const float *x, size_t R, size_t C);

/* row_log_softmax: y[r,i] = x[r,i] - log sum_j exp(x[r,j]), the logarithm of softmax_forward
 * out   y (R,N), at most 0; -Infinity where x is -Infinity
 * in    x (R,N), N >= 1. A row of nothing but -Infinity gives -Infinity; a NaN makes its row NaN.
 * alias y may equal x
 * error half an ulp of y and (N + 10) 2^-53 (1 + |log sum exp|) (tests/kernel/row.c) */
void row_log_softmax(float *y, const float *x, size_t R, size_t N);

/* row_kl_divergence: y[r] = sum_i P_i (log P_i - log Q_i) in nats, where P and Q are the softmax of
 * p[r,:] and q[r,:]: what is lost where Q is taken for P; 0 where P_i is 0
 * out   y (R), at least 0; Infinity where Q_i is 0 and P_i is not
 * in    p, q (R,N) logits, N >= 1; a row with a NaN, or of nothing but -Infinity, gives NaN
 * alias y may be p or q
 * error half an ulp of y and (N + 10) 2^-52 (1 + M), M the largest of |log P|, |log Q| and both
 *       |log sum exp| (tests/kernel/row.c)
 * source Kullback and Leibler 1951, equation 2.4 */
void row_kl_divergence(float *y, const float *p, const float *q, size_t R, size_t N);

#endif
