/* elementwise.h: sums and scalings of whole arrays. */
#ifndef GLASSFORMER_KERNEL_ELEMENTWISE_H
#define GLASSFORMER_KERNEL_ELEMENTWISE_H

#include <stddef.h>

/* add_forward: y[i] = a[i] + b[i], i < n; y may equal a or b. Rounded once. */
void add_forward(float *y, const float *a, const float *b, size_t n);

/* scale_forward: y[i] = x[i] * factor, i < n; y may equal x. Rounded once. */
void scale_forward(float *y, const float *x, float factor, size_t n);

/* multiply_forward: y[i] = a[i] * b[i], i < n; y may equal a or b. Rounded once. */
void multiply_forward(float *y, const float *a, const float *b, size_t n);

/* add_scaled: y[i] = a[i] + b[i] * factor, i < n; y may equal a or b. */
void add_scaled(float *y, const float *a, const float *b, float factor, size_t n);

/* add_squares: sum_i x[i]^2, in double, in one fixed order. largest: of the |y[i]|, infinite where one
 * is not finite, 0 for none; in one loop, in which it takes no time. y may equal x. */
double add_squares(const float *x, size_t n, const float *y, float *largest);

#endif
