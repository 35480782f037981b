/* Attention against a naive double reference: masks, capacities, blocks, cached steps. */
#include "../../src/op/attention.h"
#include "../check.h"

enum { OUTPUT, WEIGHTS, BOUNDS };
static bound bounds[BOUNDS] = {
    [OUTPUT] = {.what = "output, largest |value| (1 + largest |score|/2)", .allowed = 0x1p-22},
    [WEIGHTS] = {.what = "weights, 1 + largest |score|/2", .allowed = 0x1p-22},
};

typedef struct attention_case {
    attention_shape s;
    float *query, *key, *value;
    attention_masks masks;
    attention_bias bias;
} attention_case;

/* What a head adds to the score of a key. */
static float bias_at(const attention_case *c, size_t h, size_t t, size_t s) {
    size_t at = c->s.past + t, apart = s > at ? s - at : at - s;
    const float *bias = c->bias.before ? c->bias.before + h * c->bias.row : NULL;
    return !bias || (s > at && c->bias.after == 0) ? 0 : bias[(s > at ? c->bias.after : 0) + apart];
}

static bool hidden(const attention_case *c, size_t b, size_t t, size_t s) {
    size_t at = c->s.past + t, apart = s > at ? s - at : at - s;
    return (c->s.causal && s > at) || (c->s.window > 0 && apart >= c->s.window) ||
           (c->masks.key_padding && c->masks.key_padding[b * c->s.S + s]) ||
           (c->masks.additive && c->masks.additive[t * c->s.S + s] == -INFINITY);
}

/* One output row; with maps also the weights. */
static void compare_row(const attention_case *c, const float *output, const float *weights,
                        size_t b, size_t h, size_t t) {
    size_t D = c->s.D, A = c->s.H * D, E = c->s.E, AE = c->s.H * E, S = c->s.S, seen = 0;
    size_t g = h / (c->s.H / c->s.G), C = c->s.G * D, CE = c->s.G * E;
    const float *q = c->query + (b * c->s.query_stride + t) * A + h * D;
    double *score = hold(S * sizeof *score), sum = 0, m = -INFINITY, size = 0, top = 0;
    for (size_t s = 0; s < S; s++) {
        const float *k = c->key + (b * c->s.key_stride + s) * C + g * D;
        score[s] = 0;
        for (size_t d = 0; d < D; d++) {
            score[s] += (double)q[d] * k[d];
        }
        for (size_t e = 0; e < E; e++) {
            top = fmax(top, fabs(c->value[(b * c->s.key_stride + s) * CE + g * E + e]));
        }
        score[s] *= (double)c->s.scale;
        score[s] += bias_at(c, h, t, s);
        score[s] += c->masks.additive ? c->masks.additive[t * S + s] : 0;
        if (!hidden(c, b, t, s)) {
            m = fmax(m, score[s]);
            size = fmax(size, fabs(score[s]));
            seen++;
        }
    }
    for (size_t s = 0; s < S; s++) {
        score[s] = hidden(c, b, t, s) ? 0 : exp(score[s] - m);
        sum += score[s];
    }
    for (size_t s = 0; s < S && weights; s++) {
        double wanted = seen ? score[s] / sum : 0;
        CHECK(!hidden(c, b, t, s) || weights[s] == 0, "hidden weight [%zu,%zu,%zu,%zu]: %g", b, h,
              t, s, (double)weights[s]);
        CHECK_WITHIN(bounds + WEIGHTS, weights[s], wanted, 1 + size / 2,
                     "weights[%zu,%zu,%zu,%zu] T%zu S%zu D%zu", b, h, t, s, c->s.T, S, D);
    }
    const float *row = output + (b * c->s.query_stride + t) * AE + h * E;
    for (size_t e = 0; e < E; e++) {
        double wanted = 0;
        for (size_t s = 0; s < S && seen; s++) {
            wanted += score[s] / sum * c->value[(b * c->s.key_stride + s) * CE + g * E + e];
        }
        CHECK_WITHIN(bounds + OUTPUT, row[e], wanted, top * (1 + size / 2),
                     "output[%zu,%zu,%zu] of head %zu, T%zu S%zu D%zu E%zu causal %d", b, t, e, h,
                     c->s.T, S, D, E, c->s.causal);
        CHECK(seen || row[e] == 0, "a blind query");
    }
}

/* NaN in the rows that are spare; buffers end with the last row. */
static float *batch(size_t B, size_t stride, size_t length, size_t C) {
    float *x = blank(((B - 1) * stride + length) * C);
    for (size_t i = 0; i < B * length * C; i++) {
        x[(i / (length * C) * stride) * C + i % (length * C)] = random_float(-2, 2);
    }
    return x;
}

/* A number for each distance of so many positions; of later keys where the shape lets them be seen. */
static void relate(attention_case *c, size_t positions) {
    size_t n = c->s.H * positions;
    c->bias = (attention_bias){random_floats(2 * n, 1), positions, c->s.causal ? 0 : n};
}

static attention_case make(attention_shape s, bool padding, bool additive) {
    attention_case c = {.s = s,
                        .query = batch(s.B, s.query_stride, s.T, s.H * s.D),
                        .key = batch(s.B, s.key_stride, s.S, s.G * s.D),
                        .value = batch(s.B, s.key_stride, s.S, s.G * s.E)};
    if (padding) {
        uint8_t *hide = hold(s.B * s.S);
        for (size_t i = 0; i < s.B * s.S; i++) {
            hide[i] = random_below(3) == 0 || (s.B > 1 && i < s.S); /* item 0 sees nothing */
        }
        c.masks.key_padding = hide;
    }
    if (additive) {
        float *mask = random_floats(s.T * s.S, 1);
        for (size_t i = 0; i < s.T * s.S; i++) {
            bool hide = random_below(4) == 0 || i / s.S == s.T / 2; /* one row sees nothing */
            mask[i] = hide ? -INFINITY : mask[i];
        }
        c.masks.additive = mask;
    }
    return c;
}

static void check(attention_shape s, bool padding, bool additive, bool related) {
    attention_case c = make(s, padding, additive);
    if (related) {
        relate(&c, s.T > s.S ? s.T : s.S);
    }
    size_t CE = s.H * s.E, n = ((s.B - 1) * s.query_stride + s.T) * CE;
    size_t map = s.B * s.H * s.query_stride * s.key_stride;
    float *output = blank(n), *captured = blank(n), *scratch = blank(attention_scratch(s.S));
    attention_maps maps = {blank(map), blank(map), blank(map), blank(map), NULL, c.bias};
    attention_forward(output, (attention_maps){.bias = c.bias}, scratch, c.query, c.key, c.value,
                      c.masks, s);
    attention_forward(captured, maps, NULL, c.query, c.key, c.value, c.masks, s);
    for (size_t i = 0; i < s.B * s.H * s.T; i++) {
        size_t b = i / (s.H * s.T), h = i / s.T % s.H, t = i % s.T;
        size_t at = ((b * s.H + h) * s.query_stride + t) * s.key_stride;
        compare_row(&c, output, maps.weights + at, b, h, t);
        for (size_t k = 0; k < s.S; k++) {
            float scaled = maps.scores[at + k] * s.scale, masked = maps.masked[at + k];
            CHECK(maps.scaled[at + k] == scaled, "scaled[%zu,%zu,%zu,%zu]", b, h, t, k);
            float sum = scaled + bias_at(&c, h, t, k);
            sum += additive ? c.masks.additive[t * s.S + k] : 0;
            CHECK(masked == (hidden(&c, b, t, k) ? -INFINITY : sum), "masked[%zu,%zu,%zu,%zu]: %g",
                  b, h, t, k, (double)masked);
        }
        CHECK(s.key_stride == s.S || isnan(maps.weights[at + s.S]), "the map's padding is written");
        const float *one = output + (b * s.query_stride + t) * CE, *two = captured + (one - output);
        CHECK(same_bits(one, two, CE), "T%zu S%zu: row %zu depends on capture", s.T, s.S, t);
    }
    for (size_t b = 0; b + 1 < s.B && s.query_stride > s.T; b++) {
        CHECK(isnan(output[(b * s.query_stride + s.T) * CE]), "the query's padding is written");
    }
    release();
}

/* The last rows of a causal pass, once more with the first ones past; then key by key. */
static void steps(size_t length, size_t D, size_t G, size_t window) {
    attention_shape s = {1,      length, length, 2,    G,    D,      D + 1,
                         length, length, 0,      0.4f, true, window, 0};
    attention_case c = make(s, false, false);
    if (length % 2) {
        relate(&c, length);
    }
    size_t C = s.H * D, CE = s.H * s.E;
    float *full = blank(length * CE), *output = blank(length * CE);
    float *scratch = blank(attention_scratch(length));
    attention_forward(full, (attention_maps){.bias = c.bias}, scratch, c.query, c.key, c.value,
                      c.masks, s);
    for (size_t past = 0; past < length; past += 1 + past / 3) {
        for (int all = 0; all <= 1; all++) {
            s.past = past;
            s.T = s.query_stride = all ? length - past : 1;
            s.S = past + s.T;
            size_t map = s.H * s.T * length;
            attention_maps maps = {.weights = past % 2 ? blank(map) : NULL, .bias = c.bias};
            attention_forward(output, maps, scratch, c.query + past * C, c.key, c.value, c.masks,
                              s);
            CHECK(same_bits(output, full + past * CE, s.T * CE), "a step of %zu after %zu differs",
                  s.T, past);
        }
    }
    release();
}

int main(void) {
    static const size_t D[] = {1, 3, 5, 8}, T[] = {1, 2, 7, 31, 32, 33, 65};
    for (size_t i = 0; i < 8 * 4 * 7; i++) {
        size_t d = D[i / 8 % 4], t = T[i / 32], s = i % 3 == 0 ? t : 1 + random_below(40);
        attention_shape shape = {.B = 1 + i % 3 % 2,
                                 .T = t,
                                 .S = s,
                                 .H = i % 9 == 4 ? 6 : 1 + i / 2 % 3,
                                 .G = i % 9 == 4   ? 1 + i / 9 % 3
                                      : i % 9 == 5 ? 1
                                                   : 1 + i / 2 % 3,
                                 .D = d,
                                 .E = i % 3 ? d : 1 + random_below(9),
                                 .query_stride = t + i % 5 / 3,
                                 .key_stride = s + i % 4,
                                 .scale = i % 7 ? 1 / sqrtf((float)d) : 1,
                                 .causal = i & 4,
                                 .window = i % 11 < 5 ? i % 11 : 0};
        check(shape, i & 1, i & 2, i % 3 == 1);
    }
    for (size_t i = 0; i < sizeof T / sizeof *T; i++) {
        steps(T[i], D[i % 4], 1 + i % 2, 0);
        steps(T[i], D[i % 4], 1 + i % 2, 1 + T[i] / 3);
    }
    return check_done("op/attention", bounds, BOUNDS);
}
