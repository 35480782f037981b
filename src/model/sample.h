/* sample.h: from logits to the next token. */
#ifndef GLASSFORMER_MODEL_SAMPLE_H
#define GLASSFORMER_MODEL_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "../kernel/rng.h"

/* sample_token: the next token from a row of V logits
 *   temperature (finite) 0 takes the largest logit, the first of equals; else draws from
 *   softmax(logits / temperature); top_k 1..V leaves the k largest (the first of equals), 0 all
 * scratch (V); r moves on by one draw unless temperature is 0
 * Returns the token, or -1 when a logit is NaN or +Infinity, or none is finite.
 * source Fan, Lewis, Dauphin 2018, section 5.4 (top-k) */
int32_t sample_token(const float *logits, size_t V, float temperature, size_t top_k, rng *r,
                     float *scratch);

#endif
