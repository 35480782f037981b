/* Patches and cotangents against loops over every float: among several tensors in one block, cut by a tensor's ends. */
#include "../../src/op/patch.h"

#include "../check.h"

enum { BLOCK = 40, MOST = 12 };

typedef struct given { /* a block of floats with a tensor in it, and what is done to it */
    float *block, *gradient;
    size_t from, n;
    patch list[MOST];
    cotangent cotangents[MOST];
    patches p;
} given;

static given *random_given(void) {
    given *g = hold(sizeof *g);
    g->block = random_floats(BLOCK, 1);
    g->gradient = random_floats(BLOCK, 1);
    g->from = random_below(BLOCK);
    g->n = 1 + random_below(BLOCK - g->from);
    g->p = (patches){g->list, random_below(MOST), g->cotangents, random_below(MOST)};
    for (size_t i = 0; i < g->p.count; i++) {
        g->list[i] = (patch){g->block + random_below(BLOCK), random_float(-1, 1)};
    }
    for (size_t i = 0; i < g->p.cotangent_count; i++) {
        size_t at = random_below(BLOCK), count = random_below(BLOCK - at + 1);
        g->cotangents[i] = (cotangent){g->block + at, random_floats(count, 1), count};
    }
    return g;
}

static void applies(const given *g, const patches *p) {
    float *wanted = memcpy(blank(BLOCK), g->block, BLOCK * sizeof(float));
    bool touched = false;
    for (size_t i = 0; p && i < p->count; i++) {
        size_t at = (size_t)(p->list[i].at - g->block);
        if (at >= g->from && at < g->from + g->n) {
            wanted[at] = p->list[i].value;
            touched = true;
        }
    }
    CHECK(patches_touch(p, g->block + g->from, g->n) == touched, "touch of %zu at %zu", g->n,
          g->from);
    patches_apply(p, g->block + g->from, g->n);
    CHECK(same_bits(wanted, g->block, BLOCK), "%zu patches, %zu floats at %zu", g->p.count, g->n,
          g->from);
}

static void goes_back(const given *g, const patches *p, bool capture) {
    float *passed = blank(g->n), *wanted = blank(g->n), *captured = blank(g->n);
    for (size_t k = 0; k < g->n; k++) {
        wanted[k] = g->gradient[g->from + k];
        for (size_t i = 0; p && i < p->cotangent_count; i++) {
            cotangent c = p->cotangents[i];
            size_t at = (size_t)(c.of - g->block), here = g->from + k;
            wanted[k] += here >= at && here < at + c.count ? c.gradient[here - at] : 0;
        }
        passed[k] = wanted[k];
        for (size_t i = 0; p && i < p->count; i++) {
            passed[k] = p->list[i].at == g->block + g->from + k ? 0 : passed[k];
        }
    }
    float *got = g->gradient + g->from;
    float *after = memcpy(blank(BLOCK), g->gradient, BLOCK * sizeof(float));
    memcpy(after + g->from, passed, g->n * sizeof(float));
    patches_backward(p, capture ? captured : NULL, got, g->block + g->from, g->n);
    CHECK(same_bits(after, g->gradient, BLOCK), "gradients of %zu floats at %zu", g->n, g->from);
    CHECK(!capture || same_bits(wanted, captured, g->n), "captured: %zu at %zu", g->n, g->from);
}

/* x NULL: nothing is added and nothing replaced; the gradient is copied all the same. */
static void nowhere(const given *g) {
    float *before = memcpy(blank(BLOCK), g->gradient, BLOCK * sizeof(float));
    float *captured = blank(BLOCK);
    patches_backward(&g->p, captured, g->gradient, NULL, BLOCK);
    CHECK(same_bits(before, captured, BLOCK) && same_bits(before, g->gradient, BLOCK),
          "a gradient of nothing");
    CHECK(!patches_touch(&g->p, NULL, BLOCK), "a patch of nothing");
    patches_apply(&g->p, NULL, BLOCK);
}

int main(void) {
    for (int round = 0; round < 4000; round++) {
        given *g = random_given();
        const patches *p = random_below(10) ? &g->p : NULL;
        applies(g, p);
        goes_back(g, p, round & 1);
        nowhere(g);
        release();
    }
    return check_done("op/patch", NULL, 0);
}
