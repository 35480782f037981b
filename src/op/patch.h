/* patch.h: interventions: values that replace computed ones, to see what depends on them. */
#ifndef GLASSFORMER_OP_PATCH_H
#define GLASSFORMER_OP_PATCH_H

#include <stddef.h>

/* patch: value replaces what was computed at that address; all later computations read it. */
typedef struct patch {
    float *at;
    float value;
} patch;

typedef struct patches {
    const patch *list;
    size_t count;
} patches;

/* patches_apply: writes the values of those patches that point among the n floats of x, in their
 * order. Called right after x is computed; without patches it does nothing. */
static inline void patches_apply(patches p, float *x, size_t n) {
    for (size_t i = 0; i < p.count; i++) {
        if (p.list[i].at >= x && p.list[i].at < x + n) {
            *p.list[i].at = p.list[i].value;
        }
    }
}

#endif
