/* loss.h: the losses that training minimises, and their gradients. */
#ifndef GLASSFORMER_OP_LOSS_H
#define GLASSFORMER_OP_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* loss_targets_valid: whether each of R targets is a column, 0..V-1, or ignore_index. */
bool loss_targets_valid(const int32_t *targets, size_t R, size_t V, int32_t ignore_index);

/* loss_cross_entropy: cross-entropy of R rows of logits against token targets
 *   log_probability[r,v] = logits[r,v] - log sum_w exp(logits[r,w])
 *   row loss = -(1 - smoothing) log_probability[r,target] - smoothing/V sum_v log_probability[r,v]
 * out   log_probability (R,V), nats; *loss, nats: the row losses' sum, or mean over the counted
 *       rows (NaN when there is none, as PyTorch has it)
 * in    logits (R,V); targets (R), each a valid column or ignore_index (its row is not counted);
 *       smoothing 0..1
 * alias log_probability may equal logits
 * error half an ulp and (3 V + R + 10) 2^-53 of 1 + the largest |logit|, for the sum R times as much (sums
 *       in double, tests/op/loss.c)
 * returns the rows counted
 * source Szegedy et al. 2016, section 7 (smoothing); PyTorch's definition of the mean */
size_t loss_cross_entropy(float *loss, float *log_probability, const float *logits,
                          const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                          float smoothing, bool mean);

/* loss_cross_entropy_backward: dlogits of loss_cross_entropy, from its log-probabilities
 *   dlogits[r,v] = (exp(log_probability[r,v]) - (1 - smoothing) [v = target] - smoothing/V) / count
 * out   dlogits (R,V), written; 0 in rows that are not counted; count is 1 for the sum
 * alias dlogits may equal log_probability */
void loss_cross_entropy_backward(float *dlogits, const float *log_probability,
                                 const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                                 float smoothing, size_t count);

/* loss_mse: the sum over R rows of N numbers of (y - target)^2 / of, and its gradient
 *   dy = 2 (y - target) / of
 * in    mask (R) or NULL: rows with 0 do not count, nor are they read; their dy is 0
 *       of: the numbers of the rows that count, for the mean; more where these are a part of what the mean is over
 * out   returns the loss (summed in double; NaN of none); dy (R,N) or NULL, may equal y */
double loss_mse(float *dy, const float *y, const float *target, const uint8_t *mask, size_t R,
                size_t N, size_t of);

#endif
