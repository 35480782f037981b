/* Attention's gradients against central differences, in double, of a naive attention; also where patches replace
 * entries of its maps and cotangents are added there. */
#include "../../src/op/attention.h"
#include "../../src/op/patch.h"
#include "../check.h"

enum { DIFFERENCE, DWEIGHTS, BOUNDS };
static bound bounds[BOUNDS] = {
    [DIFFERENCE] = {.what = "dquery, dkey, dvalue, dbias, 1 + largest", .allowed = 1e-6},
    [DWEIGHTS] = {.what = "dweights, E 2^-24 sum |dO||V|", .allowed = 1},
};

enum { SCORES, SCALED, MASKED, WEIGHTS, MAPS };

typedef struct attention_case {
    attention_shape s;
    attention_masks masks;
    double *query, *key, *value;
    double *bias; /* (2,H,positions) before and after the query, or NULL */
    size_t positions;
    const float *doutput;
    /* of each map, all or none: values that replace its entries (NaN: none), the loss's slope by each entry */
    const float *patched[MAPS], *cotangent[MAPS];
} attention_case;

static bool hidden(const attention_case *c, size_t b, size_t t, size_t s) {
    return (c->s.causal && s > t) ||
           (c->masks.key_padding && c->masks.key_padding[b * c->s.S + s]) ||
           (c->masks.additive && c->masks.additive[t * c->s.S + s] == -INFINITY);
}

/* An entry of a map as later computations read it; what the loss gains by it. */
static double leave(const attention_case *c, int map, size_t i, double x, double *total) {
    const float *patched = c->patched[map], *cotangent = c->cotangent[map];
    x = patched && !isnan(patched[i]) ? (double)patched[i] : x;
    *total += cotangent && x > -INFINITY ? cotangent[i] * x : 0;
    return x;
}

/* sum of doutput times output, of one head of one item: all that an entry of its q, k, v moves. */
static double loss(const attention_case *c, size_t b, size_t h) {
    size_t T = c->s.T, S = c->s.S, D = c->s.D, A = c->s.H * D, E = c->s.E, AE = c->s.H * E;
    size_t g = h / (c->s.H / c->s.G), C = c->s.G * D, CE = c->s.G * E;
    double total = 0, e[160];
    for (size_t t = 0; t < T; t++) {
        double top = -INFINITY, sum = 0;
        size_t row = ((b * c->s.H + h) * T + t) * S;
        for (size_t s = 0; s < S; s++) {
            e[s] = 0;
            for (size_t d = 0; d < D; d++) {
                e[s] += c->query[(b * T + t) * A + h * D + d] * c->key[(b * S + s) * C + g * D + d];
            }
            size_t at = row + s;
            e[s] = leave(c, SCORES, at, e[s], &total) * (double)c->s.scale;
            e[s] = leave(c, SCALED, at, e[s], &total);
            size_t apart = s > t ? s - t : t - s, later = s > t ? c->s.H : 0;
            e[s] += c->bias ? c->bias[(later + h) * c->positions + apart] : 0;
            e[s] += c->masks.additive ? c->masks.additive[t * S + s] : 0;
            e[s] = leave(c, MASKED, at, hidden(c, b, t, s) ? -INFINITY : e[s], &total);
            top = fmax(top, e[s]);
        }
        for (size_t s = 0; s < S && top > -INFINITY; s++) {
            e[s] = exp(e[s] - top);
            sum += e[s];
        }
        for (size_t s = 0; s < S; s++) {
            e[s] = leave(c, WEIGHTS, row + s, sum > 0 ? e[s] / sum : 0, &total);
        }
        for (size_t i = 0; i < S * E; i++) {
            size_t column = i % E;
            total += c->doutput[(b * T + t) * AE + h * E + column] * e[i / E] *
                     c->value[(b * S + i / E) * CE + g * E + column];
        }
    }
    return total;
}

static double *widen(const float *x, size_t n) {
    double *y = hold(n * sizeof *y);
    for (size_t i = 0; i < n; i++) {
        y[i] = x[i];
    }
    return y;
}

/* Each entry of x (B,length,heads * columns), whose gradient is dx. */
static void differences(const attention_case *c, double *x, const float *dx, size_t length,
                        size_t heads, size_t columns, const char *what) {
    size_t C = heads * columns, n = c->s.B * length * C, each = c->s.H / heads;
    double *wanted = hold(n * sizeof *wanted), top = 0;
    for (size_t i = 0; i < n; i++) {
        size_t b = i / (length * C), head = i % C / columns;
        double kept = x[i], step = 1e-5, ends[2] = {0, 0};
        for (int side = 0; side < 2; side++) {
            x[i] = kept + (side ? step : -step);
            for (size_t h = head * each; h < (head + 1) * each; h++) {
                ends[side] += loss(c, b, h);
            }
        }
        x[i] = kept;
        wanted[i] = (ends[1] - ends[0]) / (2 * step);
        top = fmax(top, fabs(wanted[i]));
    }
    for (size_t i = 0; i < n; i++) {
        CHECK_WITHIN(bounds + DIFFERENCE, dx[i], wanted[i], 1 + top,
                     "%s[%zu] B%zu T%zu S%zu H%zu D%zu E%zu causal %d padding %d mask %d", what, i,
                     c->s.B, c->s.T, c->s.S, c->s.H, c->s.D, c->s.E, c->s.causal,
                     c->masks.key_padding != NULL, c->masks.additive != NULL);
    }
}

/* Biases by distance, floats that attention reads; gradients that already hold a 1 each. */
static attention_bias relate(attention_case *c, attention_bias *slopes) {
    size_t n = c->s.T > c->s.S ? c->s.T : c->s.S, all = c->s.H * n;
    float *bias = random_floats(2 * all, 1), *dbias = hold(2 * all * sizeof *dbias);
    for (size_t i = 0; i < 2 * all; i++) {
        dbias[i] = 1;
    }
    c->bias = widen(bias, 2 * all);
    c->positions = n;
    *slopes = (attention_bias){dbias, n, c->s.causal ? 0 : all};
    return (attention_bias){bias, n, c->s.causal ? 0 : all};
}

static void bias_differences(const attention_case *c, const float *dbias) {
    size_t n = c->positions, H = c->s.H;
    for (size_t i = 0; i < 2 * H * n; i++) {
        double kept = c->bias[i], step = 1e-5, ends[2] = {0, 0};
        for (int side = 0; side < 2; side++) {
            c->bias[i] = kept + (side ? step : -step);
            for (size_t b = 0; b < c->s.B; b++) {
                ends[side] += loss(c, b, i / n % H);
            }
        }
        c->bias[i] = kept;
        double wanted = 1 + (ends[1] - ends[0]) / (2 * step);
        CHECK_WITHIN(bounds + DIFFERENCE, dbias[i], wanted, 1 + fabs(wanted),
                     "dbias[%zu] T%zu S%zu causal %d", i, c->s.T, c->s.S, c->s.causal);
    }
}

/* Queries that see nothing, and keys that nobody sees, get zeros, exactly. */
static void zeros(const attention_case *c, const float *dq, const float *dk, const float *dv) {
    size_t T = c->s.T, S = c->s.S, A = c->s.H * c->s.D, C = c->s.G * c->s.D, CE = c->s.G * c->s.E;
    for (size_t i = 0; i < c->s.B * T * A; i++) {
        size_t b = i / A / T, t = i / A % T, seen = 0;
        for (size_t s = 0; s < S; s++) {
            seen += !hidden(c, b, t, s);
        }
        CHECK(seen || dq[i] == 0, "a blind query's gradient: %g", (double)dq[i]);
    }
    for (size_t i = 0; i < c->s.B * S * C; i++) {
        size_t b = i / C / S, s = i / C % S, seen = 0;
        for (size_t t = 0; t < T; t++) {
            seen += !hidden(c, b, t, s);
        }
        CHECK(seen || dk[i] == 0, "an unseen key's gradient: %g", (double)dk[i]);
        for (size_t e = 0; e < CE && i % C == 0; e++) {
            CHECK(seen || dv[i / C * CE + e] == 0, "an unseen value's gradient: %g",
                  (double)dv[i / C * CE + e]);
        }
    }
}

static void check_dweights(const attention_case *c, const float *dweights) {
    size_t T = c->s.T, S = c->s.S, H = c->s.H, E = c->s.E;
    size_t AE = H * E, CE = c->s.G * E;
    for (size_t i = 0; i < c->s.B * H * T * S; i++) {
        size_t b = i / (H * T * S), h = i / (T * S) % H, t = i / S % T, s = i % S;
        double wanted = 0, size = 0;
        for (size_t e = 0; e < E; e++) {
            double term = (double)c->doutput[(b * T + t) * AE + h * E + e] *
                          c->value[(b * S + s) * CE + h / (H / c->s.G) * E + e];
            wanted += term;
            size += fabs(term);
        }
        CHECK_WITHIN(bounds + DWEIGHTS, dweights[i], wanted, (double)E * 0x1p-24 * size,
                     "dweights[%zu,%zu,%zu,%zu]", b, h, t, s);
    }
}

static void hide(attention_case *c, bool padding, bool additive) {
    size_t B = c->s.B, T = c->s.T, S = c->s.S;
    if (padding) {
        uint8_t *keys = hold(B * S);
        for (size_t i = 0; i < B * S; i++) {
            keys[i] = random_below(3) == 0 || (B > 1 && i < S); /* item 0 sees nothing */
        }
        c->masks.key_padding = keys;
    }
    if (additive) {
        float *mask = random_floats(T * S, 1);
        for (size_t i = 0; i < T * S; i++) {
            bool gone = random_below(4) == 0 || i / S == T / 2; /* one row sees nothing */
            mask[i] = gone ? -INFINITY : mask[i];
        }
        c->masks.additive = mask;
    }
}

static attention_case case_of(attention_shape s, const float *query, const float *key,
                              const float *value) {
    return (attention_case){.s = s,
                            .query = widen(query, s.B * s.T * s.H * s.D),
                            .key = widen(key, s.B * s.S * s.G * s.D),
                            .value = widen(value, s.B * s.S * s.G * s.E),
                            .doutput = random_floats(s.B * s.T * s.H * s.E, 2)};
}

static void check(attention_shape s, bool padding, bool additive, bool related) {
    size_t nq = s.B * s.T * s.H * s.D, nk = s.B * s.S * s.G * s.D, map = s.B * s.H * s.T * s.S;
    size_t no = s.B * s.T * s.H * s.E, nv = s.B * s.S * s.G * s.E;
    float *query = random_floats(nq, 2), *key = random_floats(nk, 2), *value = random_floats(nv, 2);
    attention_case c = case_of(s, query, key, value);
    hide(&c, padding, additive);
    float *output = blank(no), *weights = blank(map), *scratch[2], *dweights = blank(map);
    float *dq[2], *dk[2], *dv[2];
    attention_bias bias = {0}, dbias[2] = {{0}, {0}};
    if (related) {
        relate(&c, dbias);
        bias = relate(&c, dbias + 1);
    }
    attention_forward(output, (attention_maps){.weights = weights, .bias = bias}, NULL, query, key,
                      value, c.masks, s);
    for (int i = 0; i < 2; i++) { /* whatever stood there; with and without dweights */
        scratch[i] = blank(attention_backward_scratch(s.T, s.S));
        dq[i] = blank(nq), dk[i] = blank(nk), dv[i] = blank(nv);
        attention_backward(
            dq[i], dk[i], dv[i], (attention_maps){.weights = i ? dweights : NULL, .bias = dbias[i]},
            scratch[i], c.doutput, query, key, value, (attention_maps){.weights = weights}, s);
    }
    CHECK(same_bits(dq[0], dq[1], nq) && same_bits(dk[0], dk[1], nk) && same_bits(dv[0], dv[1], nv),
          "T%zu S%zu: bits depend on dweights being asked for", s.T, s.S);
    differences(&c, c.query, dq[0], s.T, s.H, s.D, "dquery");
    differences(&c, c.key, dk[0], s.S, s.G, s.D, "dkey");
    differences(&c, c.value, dv[0], s.S, s.G, s.E, "dvalue");
    if (related) {
        CHECK(same_bits(dbias[0].before, dbias[1].before, 2 * s.H * c.positions),
              "bits of dbias depend on dweights being asked for");
        bias_differences(&c, dbias[0].before);
    }
    zeros(&c, dq[0], dk[0], dv[0]);
    check_dweights(&c, dweights);
    release();
}

/* Some entries of each map, or of one alone, are replaced; each entry of each map has a cotangent, or none has. */
static void check_changed(attention_shape s, bool padding, bool additive, int only, bool given,
                          bool related) {
    size_t nq = s.B * s.T * s.H * s.D, nk = s.B * s.S * s.G * s.D, map = s.B * s.H * s.T * s.S;
    size_t no = s.B * s.T * s.H * s.E, nv = s.B * s.S * s.G * s.E;
    float *query = random_floats(nq, 2), *key = random_floats(nk, 2), *value = random_floats(nv, 2);
    attention_case c = case_of(s, query, key, value);
    hide(&c, padding, additive);
    float *maps[MAPS], *slopes[MAPS];
    patch *list = hold(MAPS * map * sizeof *list);
    cotangent cotangents[MAPS];
    patches changes = {list, 0, cotangents, given ? MAPS : 0};
    for (int k = 0; k < MAPS; k++) {
        maps[k] = blank(map), slopes[k] = blank(map);
        float *patched = random_floats(map, 2), *slope = random_floats(map, 1);
        for (size_t i = 0; i < map; i++) {
            if ((only < 0 || only == k) && random_below(5) == 0) {
                list[changes.count++] = (patch){maps[k] + i, patched[i]};
            } else {
                patched[i] = NAN;
            }
        }
        c.patched[k] = patched;
        c.cotangent[k] = given ? slope : NULL;
        cotangents[k] = (cotangent){maps[k], slope, map};
    }
    attention_bias bias = {0}, dbias = {0};
    if (related) {
        bias = relate(&c, &dbias);
    }
    attention_maps taken = {maps[SCORES],  maps[SCALED], maps[MASKED],
                            maps[WEIGHTS], &changes,     bias};
    attention_maps gradients = {slopes[SCORES],  slopes[SCALED], slopes[MASKED],
                                slopes[WEIGHTS], NULL,           dbias};
    float *output = blank(no), *dq = blank(nq), *dk = blank(nk), *dv = blank(nv);
    attention_forward(output, taken, NULL, query, key, value, c.masks, s);
    float *kept = memcpy(blank(map), maps[WEIGHTS], map * sizeof *kept);
    attention_backward(dq, dk, dv, gradients, blank(attention_backward_scratch(s.T, s.S)),
                       c.doutput, query, key, value, taken, s);
    CHECK(same_bits(kept, maps[WEIGHTS], map), "the backward pass leaves other weights");
    differences(&c, c.query, dq, s.T, s.H, s.D, "dquery with changes");
    differences(&c, c.key, dk, s.S, s.G, s.D, "dkey with changes");
    differences(&c, c.value, dv, s.S, s.G, s.E, "dvalue with changes");
    if (related) {
        bias_differences(&c, dbias.before);
    }
    release();
}

int main(void) {
    static const size_t D[] = {1, 3, 5, 8}, T[] = {1, 2, 5, 9};
    for (size_t i = 0; i < 8 * 4 * 4; i++) {
        size_t d = D[i / 8 % 4], t = T[i / 32];
        attention_shape shape = {.B = 1 + i % 3 % 2,
                                 .T = t,
                                 .S = i % 5 == 0 ? t : 1 + random_below(9),
                                 .H = i % 7 == 3 ? 6 : 1 + i / 3 % 3,
                                 .G = i % 7 == 3   ? 1 + i / 7 % 3
                                      : i % 7 == 4 ? 1
                                                   : 1 + i / 3 % 3,
                                 .D = d,
                                 .E = i % 2 ? d : 1 + random_below(7),
                                 .scale = i % 7 ? 1 / sqrtf((float)d) : 1,
                                 .causal = i & 4};
        shape.query_stride = shape.T;
        shape.key_stride = shape.S;
        check(shape, i & 1, i & 2, i % 3 == 1);
    }
    check((attention_shape){1, 33, 40, 1, 1, 3, 3, 33, 40, 0, 0.5f, true, 0, 0}, true, false, true);
    check((attention_shape){2, 40, 17, 1, 1, 2, 5, 40, 17, 0, 1, false, 0, 0}, false, true, true);
    /* more than one block of queries, keys without a query and queries without a key of their own */
    check((attention_shape){1, 65, 64, 2, 2, 2, 2, 65, 64, 0, 1, true, 0, 0}, false, false, true);
    check((attention_shape){1, 70, 150, 1, 1, 2, 3, 70, 150, 0, 1, true, 0, 0}, false, true, true);
    check((attention_shape){1, 150, 70, 1, 1, 1, 1, 150, 70, 0, 1, true, 0, 0}, true, false, true);
    for (int i = 0; i < 40; i++) {
        attention_shape shape = {.B = 2,
                                 .T = 5,
                                 .S = i % 3 ? 4 : 5,
                                 .H = 2,
                                 .G = 1 + i / 2 % 2,
                                 .D = 3,
                                 .E = 2,
                                 .scale = 0.5f,
                                 .causal = i & 1};
        shape.query_stride = shape.T;
        shape.key_stride = shape.S;
        check_changed(shape, i & 2, i & 4, i % 5 - 1, i & 8, i % 3 == 1);
    }
    return check_done("op/attention_backward", bounds, BOUNDS);
}
