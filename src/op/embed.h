/* embed.h: from token ids to vectors. */
#ifndef GLASSFORMER_OP_EMBED_H
#define GLASSFORMER_OP_EMBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../kernel/half.h"

/* embed_valid: whether each of the n ids is a row of a table with V rows. */
bool embed_valid(const int32_t *ids, size_t n, size_t V);

/* embed_forward: y[i,:] = table[ids[i],:] * scale
 * out   y (n,C)
 * in    ids (n), all valid; table (V,C) of a type, see packed.h; scale 1, or sqrt(C) as in the paper
 * alias none
 * error rounded once (tests/op/embed.c)
 * source Vaswani et al. 2017, section 3.4 */
void embed_forward(float *restrict y, const int32_t *ids, const void *table, weight_type type,
                   float scale, size_t n, size_t V, size_t C);

/* embed_add: y[i,:] += table[ids[i],:], ids valid: token types (BERT). */
void embed_add(float *restrict y, const int32_t *ids, const float *table, size_t n, size_t C);

/* embed_backward: dtable[ids[i],:] += dy[i,:] * scale; only the rows used are touched.
 * out dtable (V,C); in ids (n) valid, dy (n,C), scale as in embed_forward */
void embed_backward(float *restrict dtable, const int32_t *ids, const float *dy, float scale,
                    size_t n, size_t C);

#endif
