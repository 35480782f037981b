/* softmax.h: rows of weights that sum to 1. */
#ifndef GLASSFORMER_KERNEL_SOFTMAX_H
#define GLASSFORMER_KERNEL_SOFTMAX_H

#include <stddef.h>

/* softmax_forward: y[r,i] = exp(x[r,i] - m) / sum_j exp(x[r,j] - m), m = max_j x[r,j]
 * out   y (R,N); each row sums to 1 within 5 2^-24; exactly 0 where x is -Infinity
 * in    x (R,N), unitless; x_row and y_row: elements from one row to the next, >= N
 *       A row of nothing but -Infinity (all masked), or N = 0, gives zeros; a NaN makes its row
 *       NaN
 * alias y may equal x
 * order each 16 entries are summed in float, these sums in double: appended masked entries change
 *       no bit
 * error (11 + 2.25 (d + D)) 2^-24 relative, d = m - x[r,i] and D the mean of all d, weighted by y,
 *       which is at most log N; what is below 2^-126 may be 0. Of these 2.8 + 1.23 d are
 *       v4_exp_below's and d is the difference's; the sum has the mean of both and 3, quotient and
 *       product have 1 each. tests/kernel/softmax.c finds 0.77 of it, and 5.9 where d and D are 0
 * source Bridle 1990 (softmax); Blanchard, Higham, Higham 2021 (the maximum taken off) */
void softmax_forward(float *y, size_t y_row, const float *x, size_t x_row, size_t R, size_t N);

/* softmax_backward: dx[r,i] = y[r,i] (dy[r,i] - sum_j dy[r,j] y[r,j]) * factor
 * out   dx (R,N)
 * in    dy (R,N), y (R,N) the result of softmax_forward; masked entries and dead rows get 0
 *       factor: the scale that was applied before the softmax, or 1; rows lie x_row elements apart
 * alias dx may equal dy
 * error (N / 4 + 10) 2^-24 of y[r,i] factor times the row's largest |dy|: the sum has four lanes of
 *       floats (tests/kernel/softmax_backward.c) */
void softmax_backward(float *dx, size_t dx_row, const float *dy, size_t dy_row, const float *y,
                      size_t y_row, float factor, size_t R, size_t N);

/* softmax_log_sum_exp: y = log sum_j exp(x[j]), in double; N >= 1, x (N) with a finite entry.
 * error (N + 10) 2^-53 (1 + |y|), nearly reached by a sum to which each term adds half a unit */
double softmax_log_sum_exp(const float *x, size_t N);

#endif
