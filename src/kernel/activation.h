/* activation.h: the functions inside a feed-forward network. */
#ifndef GLASSFORMER_KERNEL_ACTIVATION_H
#define GLASSFORMER_KERNEL_ACTIVATION_H

#include <stddef.h>

/* The order is that of config.h's setting `activation`. */
typedef enum activation {
    ACTIVATION_RELU,      /* max(0, x) */
    ACTIVATION_GELU,      /* x Phi(x), Phi by the error function */
    ACTIVATION_GELU_TANH, /* x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2 */
    ACTIVATION_NONE,      /* x */
    ACTIVATION_SILU,      /* x / (1 + exp(-x)) */
    ACTIVATION_TOP_K,     /* of a whole row, by top_k_forward alone */
    ACTIVATION_COUNT
} activation;

/* activation_forward: y[i] = f(x[i])
 * out   y (n)
 * in    x (n), any finite value; NaN stays NaN
 * alias y may equal x
 * error relu and none exact; the others 1.5e-7 * max(1, |x|) (tests/kernel/activation.c)
 * source Hendrycks and Gimpel 2016, section 2 (GELU); Elfwing et al. 2018, section 2.2 (SiLU) */
void activation_forward(float *y, const float *x, size_t n, activation f);

/* activation_gated: y[i] = f(x[i]) * up[i], the bits of activation_forward and multiply_forward, in one pass
 * out   y (n)
 * in    x, up (n)
 * alias y may equal x or up
 * source Shazeer 2020, equation 5 (SwiGLU, GeGLU) */
void activation_gated(float *y, const float *x, const float *up, size_t n, activation f);

/* activation_backward: dx[i] = dy[i] f'(x[i]); relu's derivative at 0 is 0
 * out   dx (n)
 * in    dy (n), x (n) as activation_forward had it
 * alias dx may equal dy or x
 * error 3e-7 * |dy| (tests/kernel/activation_backward.c) */
void activation_backward(float *dx, const float *dy, const float *x, size_t n, activation f);

/* top_k_forward: y[r,i] = x[r,i] where that is above 0 and one of the k largest of its row, else 0
 * out   y (rows,width)
 * in    x (rows,width), any numbers; of equal ones the first is the larger; 1 <= k
 *       NaN stays NaN, and is none of the k
 * alias y may equal x
 * error exact
 * source Makhzani and Frey 2014, "k-Sparse Autoencoders", section 2; Gao et al. 2024, section 2.3 */
void top_k_forward(float *y, const float *x, size_t rows, size_t width, size_t k);

/* top_k_backward: dx[r,i] = dy[r,i] where top_k_forward keeps x[r,i], else 0
 * out   dx (rows,width)
 * in    dy (rows,width), x and k as top_k_forward had them
 * alias dx may equal dy or x
 * error exact */
void top_k_backward(float *dx, const float *dy, const float *x, size_t rows, size_t width,
                    size_t k);

#endif
