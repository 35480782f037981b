/* dropout.h: random zeros in training. */
#ifndef GLASSFORMER_KERNEL_DROPOUT_H
#define GLASSFORMER_KERNEL_DROPOUT_H

#include <stddef.h>
#include <stdint.h>

/* dropout_apply: y[i] = x[i] / (1 - rate), or 0 with probability rate
 * out   y (n)
 * in    x (n); 0 <= rate < 1; key: which entries fall depends on (key, i) alone, so the backward
 *       pass calls this with the same key on the gradient
 * alias y may equal x
 * source Srivastava et al. 2014, scaled in training (section 10) */
void dropout_apply(float *y, const float *x, size_t n, float rate, uint32_t key);

/* dropout_key: a key for place number site of a pass numbered step, under a seed. */
uint32_t dropout_key(uint32_t seed, uint32_t step, uint32_t site);

/* dropout_from: the key under which entry i falls where entry first + i does under this one. */
uint32_t dropout_from(uint32_t key, uint32_t first);

#endif
