#include "patch.h"

#include <string.h>

/* The next patch from number i on that points among the n floats of x; p->count if there is none. */
static size_t next(const patches *p, size_t i, const float *x, size_t n) {
    while (i < p->count && !(x && p->list[i].at >= x && p->list[i].at < x + n)) {
        i++;
    }
    return i;
}

void patches_apply(const patches *p, float *x, size_t n) {
    for (size_t i = 0; p && (i = next(p, i, x, n)) < p->count; i++) {
        *p->list[i].at = p->list[i].value;
    }
}

bool patches_touch(const patches *p, const float *x, size_t n) {
    return p && next(p, 0, x, n) < p->count;
}

void patches_backward(const patches *p, float *captured, float *g, const float *x, size_t n) {
    for (size_t i = 0; p && x && i < p->cotangent_count; i++) {
        cotangent c = p->cotangents[i];
        const float *end = c.of + c.count < x + n ? c.of + c.count : x + n;
        for (const float *at = c.of > x ? c.of : x; at < end; at++) {
            g[at - x] += c.gradient[at - c.of];
        }
    }
    if (captured) {
        memcpy(captured, g, n * sizeof *g);
    }
    for (size_t i = 0; p && (i = next(p, i, x, n)) < p->count; i++) {
        g[p->list[i].at - x] = 0;
    }
}
