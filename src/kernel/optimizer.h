/* optimizer.h: one step of gradient descent over an array of parameters. */
#ifndef GLASSFORMER_KERNEL_OPTIMIZER_H
#define GLASSFORMER_KERNEL_OPTIMIZER_H

#include <stdbool.h>
#include <stddef.h>

/* optimizer_rates: what a step needs to know; rate is the learning rate of this step. In double,
 * because 1 - beta2 in float32 is off in the fifth digit. */
typedef struct optimizer_rates {
    double rate, beta1, beta2, epsilon, weight_decay, momentum;
    double gradient_scale; /* every gradient is multiplied by this first: clipping */
} optimizer_rates;

/* optimizer_adamw, optimizer_adam: step number t (from 1) of PyTorch's AdamW and Adam
 *   AdamW  p -= rate * weight_decay * p;   Adam  g += weight_decay * p
 *   m = beta1 m + (1 - beta1) g;   v = beta2 v + (1 - beta2) g^2
 *   p -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
 * optimizer_sgd: g += weight_decay * p;  m = momentum m + g (the first time m = g);  p -= rate m
 * in, out  p, m, v (n): parameters and moments; in g (n) gradients
 * alias none
 * source Loshchilov and Hutter 2019, algorithm 2 (there the decay is not multiplied by the learning
 *       rate alpha; here it is, as in PyTorch); Kingma and Ba 2015, algorithm 1 */
void optimizer_adamw(float *restrict p, float *restrict m, float *restrict v, const float *g,
                     size_t n, optimizer_rates r, size_t t);
void optimizer_adam(float *restrict p, float *restrict m, float *restrict v, const float *g,
                    size_t n, optimizer_rates r, size_t t);
void optimizer_sgd(float *restrict p, float *restrict m, const float *g, size_t n,
                   optimizer_rates r, size_t t);

/* optimizer_step: one of the three, by number: 0 adamw, 1 adam, 2 sgd. */
void optimizer_step(int kind, float *restrict p, float *restrict m, float *restrict v,
                    const float *g, size_t n, optimizer_rates r, size_t t);

/* optimizer_first_bad: index of the first parameter that this step would leave, or a moment of it,
 * not finite; n when there is none. Nothing is written. */
size_t optimizer_first_bad(int kind, const float *p, const float *m, const float *v, const float *g,
                           size_t n, optimizer_rates r, size_t t);

/* optimizer_sizes: the largest that |p|, |m| and v can be. */
typedef struct optimizer_sizes {
    double p, m, v;
} optimizer_sizes;

/* optimizer_fits: whether the sizes before the step and the largest |g| prove that all stays finite,
 * without reading the numbers. Then the sizes become those after the step.
 * v must hold no negative number. */
bool optimizer_fits(int kind, optimizer_sizes *sizes, double g, optimizer_rates r, size_t t);

#endif
