/* patch.h: interventions: values that replace computed ones, to see what depends on them; and what is
 * done to the gradients at the same places. */
#ifndef GLASSFORMER_OP_PATCH_H
#define GLASSFORMER_OP_PATCH_H

#include <stdbool.h>
#include <stddef.h>

/* patch: value replaces what was computed at that address; all later computations read it. */
typedef struct patch {
    float *at;
    float value;
} patch;

/* cotangent: a gradient from outside of the pass, of the count floats at that address. */
typedef struct cotangent {
    const float *of, *gradient;
    size_t count;
} cotangent;

typedef struct patches {
    const patch *list;
    size_t count;
    const cotangent *cotangents; /* the backward pass adds them */
    size_t cotangent_count;
} patches;

/* patches_apply: writes the values of those patches that point among the n floats of x, in their
 * order. Called right after x is computed. Here and below p may be NULL: there are none. */
void patches_apply(const patches *p, float *x, size_t n);

/* patches_touch: whether a patch points among the n floats of x. */
bool patches_touch(const patches *p, const float *x, size_t n);

/* patches_backward: from g, the gradient of the n floats of x as later computations leave it, to
 * that which goes on to what x was computed from: cotangents of x are added, the sum is copied to
 * captured (NULL: it is not), and where a patch replaced x nothing goes on. x NULL: it is copied. */
void patches_backward(const patches *p, float *captured, float *g, const float *x, size_t n);

#endif
