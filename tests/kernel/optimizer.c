/* Optimisers against PyTorch's definitions in double: each step from the same floats, and a run. */
#include "../../src/kernel/optimizer.h"
#include "../check.h"

enum { MOMENT, STEP, RUN, BOUNDS };
static bound bounds[BOUNDS] = {
    [MOMENT] = {.what = "moments, ulp of the larger term", .allowed = 5},
    [STEP] = {.what = "parameters, 2 ulp and 2^-21 of the step", .allowed = 1},
    [RUN] = {.what = "after 25 steps, 1e-6 (|p| + sum of steps)", .allowed = 2},
};

enum { ADAMW, ADAM, SGD };
static const char *const names[] = {"adamw", "adam", "sgd"};

typedef struct state {
    double p, m, v;
    double move, m_size, v_size; /* of the last step, for the units */
} state;

/* torch.optim.AdamW, Adam (_single_tensor_adam), SGD. */
static void reference(int kind, state *s, double g, const optimizer_rates *r, size_t t) {
    double before = s->p, size = fabs(g * r->gradient_scale);
    g *= r->gradient_scale;
    if (kind == ADAMW) {
        s->p *= 1 - r->rate * r->weight_decay;
    } else {
        g += r->weight_decay * s->p;
        size += fabs(r->weight_decay * s->p);
    }
    if (kind == SGD) {
        s->m_size = t > 1 ? fmax(fabs(r->momentum * s->m), size) : size;
        s->m = t > 1 ? r->momentum * s->m + g : g;
        s->p -= r->rate * s->m;
        s->move = fabs(r->rate) * s->m_size;
        return;
    }
    s->m_size = fmax(fabs(r->beta1 * s->m), (1 - r->beta1) * size);
    s->v_size = fmax(r->beta2 * s->v, (1 - r->beta2) * size * size);
    s->m = r->beta1 * s->m + (1 - r->beta1) * g;
    s->v = r->beta2 * s->v + (1 - r->beta2) * g * g;
    double correction1 = 1 - pow(r->beta1, (double)t), correction2 = 1 - pow(r->beta2, (double)t);
    double denominator = sqrt(s->v) / sqrt(correction2) + r->epsilon;
    double step = r->rate / correction1 * s->m / denominator;
    s->move = fabs(step) + r->rate / correction1 * s->m_size / denominator;
    s->p -= step;
    s->move += fabs(before) * r->rate * r->weight_decay;
}

static void run(int kind, size_t n, optimizer_rates r, size_t first, float scale,
                const char *what) {
    float *p = random_floats(n, 1), *m = random_floats(n, first > 1 ? scale : 0), *v = blank(n);
    state *all = hold(n * sizeof *all);
    double *moved = hold(n * sizeof *moved);
    for (size_t i = 0; i < n; i++) {
        v[i] = first > 1 ? random_float(0, scale * scale) : 0;
        all[i] = (state){.p = p[i], .m = m[i], .v = v[i]};
        moved[i] = 0;
    }
    for (size_t t = first; t < first + 25; t++) {
        float *g = random_floats(n, scale), *g0 = memcpy(hold(n * sizeof *g), g, n * sizeof *g);
        state *one = hold(n * sizeof *one);
        for (size_t i = 0; i < n; i++) {
            one[i] = (state){.p = p[i], .m = m[i], .v = v[i]};
            reference(kind, &one[i], g[i], &r, t);
            reference(kind, &all[i], g[i], &r, t);
            moved[i] += one[i].move;
        }
        optimizer_step(kind, p, m, kind == SGD ? NULL : v, g, n, r, t);
        CHECK(same_bits(g, g0, n), "%s %s: the gradients change", names[kind], what);
        for (size_t i = 0; i < n; i++) {
            const state *s = &one[i];
            CHECK_WITHIN(bounds + MOMENT, m[i], s->m, ulp(s->m_size), "%s %s n%zu t%zu m[%zu]",
                         names[kind], what, n, t, i);
            if (kind != SGD) {
                CHECK_WITHIN(bounds + MOMENT, v[i], s->v, ulp(s->v_size), "%s %s n%zu t%zu v[%zu]",
                             names[kind], what, n, t, i);
            }
            CHECK_WITHIN(bounds + STEP, p[i], s->p, 2 * ulp(s->p) + 0x1p-21 * s->move,
                         "%s %s n%zu t%zu p[%zu]", names[kind], what, n, t, i);
        }
    }
    for (size_t i = 0; i < n; i++) {
        CHECK_WITHIN(bounds + RUN, p[i], all[i].p, 1e-6 * (fabs(all[i].p) + moved[i]),
                     "%s %s n%zu: p[%zu] in the end", names[kind], what, n, i);
    }
    release();
}

/* The three by number are the three by name; nothing reaches past n. */
static void numbers(size_t n) {
    optimizer_rates r = {0.01, 0.9, 0.99, 1e-8, 0.1, 0.5, 0.7};
    for (int kind = ADAMW; kind <= SGD; kind++) {
        float *block[2][3], *g = random_floats(n, 1);
        for (int k = 0; k < 3; k++) {
            block[0][k] = random_floats(n, 1);
            for (size_t i = 0; i < n && k == 2; i++) {
                block[0][k][i] = fabsf(block[0][k][i]);
            }
            block[1][k] = memcpy(hold(n * sizeof(float)), block[0][k], n * sizeof(float));
        }
        float *p = block[0][0], *m = block[0][1], *v = block[0][2];
        kind == ADAMW  ? optimizer_adamw(p, m, v, g, n, r, 3)
        : kind == ADAM ? optimizer_adam(p, m, v, g, n, r, 3)
                       : optimizer_sgd(p, m, g, n, r, 3);
        optimizer_step(kind, block[1][0], block[1][1], block[1][2], g, n, r, 3);
        for (int k = 0; k < 3; k++) {
            CHECK(same_bits(block[0][k], block[1][k], n), "%s by number, n%zu, array %d",
                  names[kind], n, k);
        }
        release();
    }
}

/* Of a size between the least and the largest floats, either sign; now and then 0. */
static float any_size(void) {
    float x = random_float(-1, 1);
    return random_below(8) ? ldexpf(x, (int)random_below(254) - 126) : 0;
}

/* An overflow is found before the step, and where none is possible, no check is needed. */
static void overflows(void) {
    enum { N = 67 };
    static const double rates[] = {0, 1e-4, 1, 1e6}, epsilons[] = {0, 1e-30, 1e-8, 1};
    size_t bad = 0, sure = 0, count = 20000;
    for (size_t k = 0; k < count; k++) {
        int kind = (int)random_below(3);
        bool wild = random_below(2);
        optimizer_rates r = {.rate = rates[random_below(4)],
                             .beta1 = random_below(2) ? 0.9 : 0.9999999,
                             .beta2 = random_below(2) ? 0.999 : 0,
                             .epsilon = epsilons[wild ? random_below(4) : 2],
                             .weight_decay = rates[wild ? random_below(4) : random_below(2)],
                             .momentum = random_below(2) ? 0.9 : 1,
                             .gradient_scale = random_below(2) ? 1 : 1e-3};
        size_t t = 1 + random_below(5), n = 1 + random_below(N - 1), wanted = n;
        float p[N], m[N], v[N], g[N], next[3][N];
        optimizer_sizes sizes = {0, 0, 0};
        double largest = 0;
        for (size_t i = 0; i < n; i++) {
            p[i] = wild && !random_below(20) ? any_size() : random_float(-2, 2);
            m[i] = wild && !random_below(20) ? any_size() : random_float(-1, 1);
            v[i] = fabsf(wild && !random_below(20) ? any_size() : random_float(-1, 1));
            g[i] = wild && !random_below(20) ? any_size() : random_float(-1, 1);
            sizes.p = fmax(sizes.p, fabsf(p[i]));
            sizes.m = fmax(sizes.m, fabsf(m[i]));
            sizes.v = fmax(sizes.v, v[i]);
            largest = fmax(largest, fabsf(g[i]));
        }
        memcpy(next[0], p, sizeof p);
        memcpy(next[1], m, sizeof m);
        memcpy(next[2], v, sizeof v);
        size_t got = optimizer_first_bad(kind, p, m, v, g, n, r, t);
        CHECK(same_bits(p, next[0], n) && same_bits(m, next[1], n) && same_bits(v, next[2], n),
              "%s: a check writes", names[kind]);
        optimizer_step(kind, next[0], next[1], next[2], g, n, r, t);
        for (size_t i = n; i-- > 0;) {
            bool good = isfinite(next[0][i]) && isfinite(next[1][i]) && isfinite(next[2][i]);
            wanted = good ? wanted : i;
        }
        CHECK(got == wanted, "%s, case %zu: first bad %zu, wanted %zu", names[kind], k, got,
              wanted);
        optimizer_sizes after = sizes;
        bool fits = optimizer_fits(kind, &after, largest, r, t);
        CHECK(!fits || wanted == n, "%s, case %zu: said to fit, bad at %zu", names[kind], k,
              wanted);
        CHECK(fits || wild, "%s, case %zu: usual numbers", names[kind], k);
        for (size_t i = 0; i < n && fits; i++) {
            CHECK(fabsf(next[0][i]) <= after.p && fabsf(next[1][i]) <= after.m + 0x1p-126 &&
                      next[2][i] <= after.v + 0x1p-126,
                  "%s, case %zu: beyond the size", names[kind], k);
        }
        CHECK(fits || memcmp(&after, &sizes, sizeof after) == 0, "sizes of what does not fit");
        bad += wanted < n;
        sure += fits;
    }
    CHECK(bad > count / 20 && sure > count / 2, "%zu bad, %zu sure of %zu", bad, sure, count);
}

/* The first step of SGD forgets what stood in the moment; gradient 0 leaves Adam's p alone. */
static void firsts(void) {
    optimizer_rates r = {.rate = 0.5,
                         .beta1 = 0.9,
                         .beta2 = 0.999,
                         .momentum = 0.9,
                         .gradient_scale = 1,
                         .epsilon = 1e-8};
    float p[5] = {1, 2, 3, 4, 5}, m[5] = {9, -9, 1e30f, 3, 0}, v[5] = {0};
    const float g[5] = {1, -2, 0.5f, 0, 4}, none[5] = {0};
    optimizer_sgd(p, m, g, 5, r, 1);
    for (int i = 0; i < 5; i++) {
        CHECK(m[i] == g[i] && p[i] == (float)(i + 1) - 0.5f * g[i], "sgd's first step: p[%d] is %g",
              i, (double)p[i]);
        m[i] = 0;
        p[i] = (float)i;
    }
    optimizer_adam(p, m, v, none, 5, r, 1);
    r.epsilon = 1e-30;
    optimizer_adamw(p, m, v, none, 5, r, 2);
    for (int i = 0; i < 5; i++) {
        CHECK(p[i] == (float)i && m[i] == 0 && v[i] == 0, "no gradient: p[%d] is %g", i,
              (double)p[i]);
    }
}

int main(void) {
    overflows();
    for (int kind = ADAMW; kind <= SGD; kind++) {
        for (size_t n = 0; n <= 17; n++) {
            optimizer_rates r = {1e-3, 0.9, 0.999, 1e-8, 0, 0, 1};
            run(kind, n, r, 1, 1, "defaults");
            r.weight_decay = 0.1;
            r.momentum = 0.9;
            r.gradient_scale = 0.25;
            run(kind, n, r, 1, 3, "decay, momentum, clipped");
            run(kind, n, r, 1000000, 3, "late");
            r.rate = 0.3;
            run(kind, n, r, 2, 1e-3f, "a large rate");
        }
        optimizer_rates r = {1e-2, 0, 0, 1e-8, 0.01, 1, 1};
        run(kind, 9, r, 1, 1, "betas 0, momentum 1");
        r.beta1 = r.beta2 = 0.9999999;
        run(kind, 9, r, 1, 1, "betas near 1");
        run(kind, 9, r, 50, 1, "betas near 1, later");
        r = (optimizer_rates){1e-2, 0.5, 0.9, 1, 0, 0.5, 1};
        run(kind, 9, r, 1, 1e-4f, "epsilon 1");
        r = (optimizer_rates){0, 0.5, 0.9, 1e-8, 1, 0.5, 1};
        run(kind, 9, r, 1, 1, "rate 0");
        r = (optimizer_rates){1e-3, 0.9, 0.98, 1e-9, 0, 0.9, 1e-6};
        run(kind, 9, r, 1, 1e4f, "large gradients");
        run(kind, 1001, r, 1, 1, "long");
    }
    for (size_t n = 0; n <= 9; n++) {
        numbers(n);
    }
    firsts();
    return check_done("kernel/optimizer", bounds, BOUNDS);
}
