#include "optimizer.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "simd.h"
#include "vecmath.h"

static double power(double base, size_t exponent) {
    double y = 1;
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1) {
            y *= base;
        }
        base *= base;
    }
    return y;
}

/* Four parameters at once; decoupled: AdamW's decay, else Adam's. */
typedef struct adam_lanes {
    v4 scale, beta1, beta2, rest1, rest2, step, correction, epsilon, decay, keep;
    bool decoupled;
} adam_lanes;

SIMD_INLINE void adam_four(v4 *p, v4 *m, v4 *v, v4 g, const adam_lanes *k) {
    g = v4_mul(g, k->scale);
    if (k->decoupled) {
        *p = v4_mul(*p, k->keep);
    } else {
        g = v4_add(g, v4_mul(*p, k->decay));
    }
    *m = v4_add(v4_mul(*m, k->beta1), v4_mul(g, k->rest1));
    *v = v4_add(v4_mul(*v, k->beta2), v4_mul(v4_mul(g, g), k->rest2));
    v4 denominator = v4_add(v4_div(v4_sqrt(*v), k->correction), k->epsilon);
    *p = v4_sub(*p, v4_mul(k->step, v4_div(*m, denominator)));
}

static void adam(float *restrict p, float *restrict m, float *restrict v, const float *g, size_t n,
                 optimizer_rates r, size_t t, bool decoupled) {
    assert(t >= 1);
    double correction1 = 1 - power(r.beta1, t), correction2 = 1 - power(r.beta2, t);
    const adam_lanes k = {
        .scale = v4_splat((float)r.gradient_scale),
        .beta1 = v4_splat((float)r.beta1),
        .beta2 = v4_splat((float)r.beta2),
        .rest1 = v4_splat((float)(1 - r.beta1)),
        .rest2 = v4_splat((float)(1 - r.beta2)),
        .step = v4_splat((float)(r.rate / correction1)),
        .correction = v4_splat((float)sqrt(correction2)),
        .epsilon = v4_splat((float)r.epsilon),
        .decay = v4_splat((float)r.weight_decay),
        .keep = v4_splat((float)(1 - r.rate * r.weight_decay)),
        .decoupled = decoupled,
    };
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        v4 a = v4_load(p + i), b = v4_load(m + i), c = v4_load(v + i);
        adam_four(&a, &b, &c, v4_load(g + i), &k);
        v4_store(p + i, a);
        v4_store(m + i, b);
        v4_store(v + i, c);
    }
    if (i < n) {
        size_t rest = n - i;
        v4 a = v4_load_part(p + i, rest, 0), b = v4_load_part(m + i, rest, 0);
        v4 c = v4_load_part(v + i, rest, 0);
        adam_four(&a, &b, &c, v4_load_part(g + i, rest, 0), &k);
        v4_store_part(p + i, a, rest);
        v4_store_part(m + i, b, rest);
        v4_store_part(v + i, c, rest);
    }
}

void optimizer_adamw(float *restrict p, float *restrict m, float *restrict v, const float *g,
                     size_t n, optimizer_rates r, size_t t) {
    adam(p, m, v, g, n, r, t, true);
}

void optimizer_adam(float *restrict p, float *restrict m, float *restrict v, const float *g,
                    size_t n, optimizer_rates r, size_t t) {
    adam(p, m, v, g, n, r, t, false);
}

void optimizer_sgd(float *restrict p, float *restrict m, const float *g, size_t n,
                   optimizer_rates r, size_t t) {
    float momentum = t > 1 ? (float)r.momentum : 0, rate = (float)r.rate;
    float scale = (float)r.gradient_scale, decay = (float)r.weight_decay;
    for (size_t i = 0; i < n; i++) {
        float slope = g[i] * scale + decay * p[i];
        m[i] = momentum * m[i] + slope;
        p[i] -= rate * m[i];
    }
}

void optimizer_step(int kind, float *restrict p, float *restrict m, float *restrict v,
                    const float *g, size_t n, optimizer_rates r, size_t t) {
    if (kind == 2) {
        optimizer_sgd(p, m, g, n, r, t);
    } else {
        adam(p, m, v, g, n, r, t, kind == 0);
    }
}

size_t optimizer_first_bad(int kind, const float *p, const float *m, const float *v, const float *g,
                           size_t n, optimizer_rates r, size_t t) {
    enum { PART = 64 };
    float next[3][PART];
    for (size_t at = 0; at < n; at += PART) {
        size_t count = n - at < PART ? n - at : PART;
        memcpy(next[0], p + at, count * sizeof(float));
        memcpy(next[1], m + at, count * sizeof(float));
        memcpy(next[2], v + at, count * sizeof(float));
        optimizer_step(kind, next[0], next[1], next[2], g + at, count, r, t);
        for (size_t i = 0; i < count; i++) {
            if (!isfinite(next[0][i]) || !isfinite(next[1][i]) || !isfinite(next[2][i])) {
                return at + i;
            }
        }
    }
    return n;
}

bool optimizer_fits(int kind, optimizer_sizes *sizes, double g, optimizer_rates r, size_t t) {
    const double most = 1e38, slack = 1 + 1e-6; /* a third of FLT_MAX; more than float rounds by */
    optimizer_sizes s = *sizes;
    double square = 0;
    g *= r.gradient_scale * slack;
    if (kind == 2) {
        s.m = (r.momentum * s.m + g + r.weight_decay * s.p) * slack;
        s.p = (s.p + r.rate * s.m) * slack;
    } else {
        g += kind == 1 ? r.weight_decay * s.p : 0;
        square = g * g;
        s.m = (r.beta1 * s.m + (1 - r.beta1) * g) * slack;
        s.v = (r.beta2 * s.v + (1 - r.beta2) * square) * slack;
        double ratio = s.m / (double)(float)r.epsilon; /* NaN where both are 0 */
        double kept = kind == 0 ? fabs(1 - r.rate * r.weight_decay) * s.p : s.p;
        s.p = (kept + fmax(1, r.rate / (1 - power(r.beta1, t))) * ratio) * slack;
    }
    bool fits = s.p <= most && s.m <= most && s.v <= most && square <= most;
    if (fits) {
        *sizes = s;
    }
    return fits;
}
