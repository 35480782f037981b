/* norm.h: LayerNorm and RMSNorm. */
#ifndef GLASSFORMER_KERNEL_NORM_H
#define GLASSFORMER_KERNEL_NORM_H

#include <stddef.h>

/* norm_forward: y = (x - mean) / sqrt(variance + epsilon) * weight + bias, row by row
 * out   y (R,C); mean (R) and variance (R, divided by C, not C-1), either may be NULL
 * in    x (R,C); weight (C) or NULL for ones; bias (C) or NULL for zeros; epsilon >= 0
 * alias y may equal x
 * error 7 2^-24 of the row's largest normalised value times |weight|, and of |bias|, also where |mean|
 *       is 1e4 times the spread: the mean is found and subtracted in two parts. mean: 3 ulp and 3 2^-24
 *       of the largest |x - mean|; variance 4e-7 relative (tests/kernel/norm.c)
 * source Ba, Kiros, Hinton 2016, section 3 */
void norm_forward(float *y, float *mean, float *variance, const float *x, const float *weight,
                  const float *bias, float epsilon, size_t R, size_t C);

/* norm_backward: the gradients of norm_forward; with h = (x - mean) * rstd and g = dy * weight
 *   dx = rstd * (g - mean(g) - h * mean(g * h)),  dweight += dy * h,  dbias += dy (over rows)
 * out   dx (R,C), written; dweight (C), dbias (C), added to, or NULL
 * in    dy (R,C), x (R,C) as norm_forward had it; its statistics are computed again
 * alias dx may equal dy or x
 * error ((C / 10 + 16) (1 + 2 |h|) + 7 H) 2^-24 of the row's largest |g| rstd, H its largest |h|: the means
 *       are sums of floats in four lanes (tests/kernel/norm_backward.c) */
void norm_backward(float *dx, float *dweight, float *dbias, const float *dy, const float *x,
                   const float *weight, float epsilon, size_t R, size_t C);

/* rms_norm_forward: y = x / sqrt(mean(x^2) + epsilon) * weight, row by row
 * out   y (R,C); mean_square (R) or NULL
 * in    x (R,C); weight (C) or NULL for ones; epsilon >= 0. A row of zeros with epsilon 0 gives zeros
 * alias y may equal x
 * error 3 2^-24 of the value; mean_square 2^-24 relative (tests/kernel/rms_norm.c)
 * source Zhang and Sennrich 2019, equation 4 */
void rms_norm_forward(float *y, float *mean_square, const float *x, const float *weight,
                      float epsilon, size_t R, size_t C);

/* rms_norm_backward: the gradients of rms_norm_forward; with r = 1 / sqrt(mean(x^2) + epsilon), h = x r, g = dy weight
 *   dx = r (g - h mean(g h)),  dweight += dy h (over rows)
 * out   dx (R,C), written; dweight (C), added to, or NULL
 * in    dy (R,C), x (R,C) as rms_norm_forward had it
 * alias dx may equal dy or x
 * error ((C / 10 + 16) (1 + 2 |h|)) 2^-24 of the row's largest |g| r (tests/kernel/rms_norm.c) */
void rms_norm_backward(float *dx, float *dweight, const float *dy, const float *x,
                       const float *weight, float epsilon, size_t R, size_t C);

#endif
