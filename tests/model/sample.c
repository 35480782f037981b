/* The next token: greedy, top-k with ties, distributions of 20000 draws, refusals. */
#include "../../src/model/sample.h"
#include "../check.h"

enum { DRAWS = 20000, MOST = 64 };

static int32_t draw(const float *logits, size_t V, float temperature, size_t k, rng *r) {
    float *copy = blank(V), *scratch = blank(V);
    memcpy(copy, logits, V * sizeof *copy);
    int32_t token = sample_token(copy, V, temperature, k, r, scratch);
    CHECK(same_bits(copy, logits, V), "the logits are changed");
    release();
    return token;
}

static void greedy(void) {
    for (size_t V = 1; V <= 20; V++) {
        for (size_t at = 0; at < V; at++) {
            float logits[20];
            for (size_t v = 0; v < V; v++) {
                logits[v] = v == at || (v > at && v % 2) ? 2 : v % 3 ? -INFINITY : 1.5f;
            }
            rng r = rng_seed(1, 2), before = r;
            int32_t token = draw(logits, V, 0, at % (V + 1), &r);
            CHECK(token == (int32_t)at, "greedy of %zu: got %d, wanted %zu", V, token, at);
            CHECK(memcmp(&r, &before, sizeof r) == 0, "temperature 0 draws");
        }
    }
}

/* 20000 draws against softmax(logits / temperature) of the tokens that top-k leaves. */
static void distribution(const float *logits, size_t V, float temperature, size_t k,
                         const char *what) {
    size_t count[MOST] = {0}, cells = 0;
    double wanted[MOST], sum = 0, square = 0;
    rng r = rng_seed(99, (uint32_t)V);
    for (size_t v = 0; v < V; v++) {
        size_t above = 0; /* tokens that come before this one */
        for (size_t w = 0; w < V; w++) {
            above += logits[w] > logits[v] || (logits[w] == logits[v] && w < v);
        }
        wanted[v] = k > 0 && above >= k ? 0 : exp((double)logits[v] / (double)temperature);
        sum += wanted[v];
    }
    for (int i = 0; i < DRAWS; i++) {
        rng one = r;
        int32_t token = draw(logits, V, temperature, k, &r);
        rng_next(&one);
        CHECK(memcmp(&one, &r, sizeof r) == 0, "%s: not one draw", what);
        CHECK(token >= 0 && (size_t)token < V && wanted[token] > 0, "%s: got %d", what, token);
        count[token < 0 || (size_t)token >= V ? 0 : token]++;
    }
    for (size_t v = 0; v < V; v++) {
        double expected = wanted[v] / sum * DRAWS, d = (double)count[v] - expected;
        CHECK(fabs(d) <= 5 * sqrt(expected) + 1, "%s: token %zu %zu times, wanted %g", what, v,
              count[v], expected);
        cells += expected >= 5;
        square += expected >= 5 ? d * d / expected : 0;
    }
    double n = (double)cells; /* chi square: mean n - 1, variance 2 n - 2 */
    CHECK(square < n + 5 * sqrt(2 * n), "%s: chi square %g of %zu cells", what, square, cells);
}

static void distributions(void) {
    float mixed[12] = {0, 1, -1, 2, 2, -INFINITY, 2, 0.5f, -3, -INFINITY, 1.5f, 2};
    distribution(mixed, 12, 1, 0, "plain");
    distribution(mixed, 12, 0.5f, 0, "cold");
    distribution(mixed, 12, 3, 0, "hot");
    for (size_t k = 1; k <= 12; k++) { /* 4 equal at the top, fewer finite than k at the end */
        distribution(mixed, 12, 1, k, "top-k");
    }
    float level[64] = {0};
    distribution(level, 64, 1, 0, "level");
    distribution(level, 64, 1, 10, "level, top 10");
    float shifted[3] = {1e6f, 1e6f + 1, 1e6f - 1}, near[3] = {0, 1, -1};
    rng a = rng_seed(4, 4), b = a;
    for (int i = 0; i < 1000; i++) {
        CHECK(draw(shifted, 3, 1, 0, &a) == draw(near, 3, 1, 0, &b), "logits far up");
    }
    float one[1] = {-7};
    distribution(one, 1, 1, 1, "one token");
}

static void extremes(void) {
    const float logits[5] = {3, 3.0000002f, -INFINITY, -3e38f, 3e38f};
    static const float temperatures[] = {1e-45f, 1e-38f, 1e-10f};
    rng r = rng_seed(5, 5);
    for (int i = 0; i < 300; i++) {
        float t = temperatures[i % 3];
        CHECK(draw(logits, 2, t, 0, &r) == 1, "temperature %g of near equals", (double)t);
        CHECK(draw(logits, 5, t, (size_t)i % 6, &r) == 4, "temperature %g of far", (double)t);
        int32_t token = draw(logits, 5, 3e38f, 0, &r); /* nearly level, but not the masked one */
        CHECK(token >= 0 && token != 2, "a huge temperature: got %d", token);
    }
}

/* Draws of exactly 0 and of the largest float below 1, by states that yield them. */
static void ends(void) {
    const float logits[6] = {-INFINITY, -INFINITY, 1, 2, 0.5f, -INFINITY};
    rng lowest = {{0, 1, 2, 0}}, highest = {{0, 1, 2, UINT32_MAX}};
    CHECK(draw(logits, 6, 1, 0, &lowest) == 2, "a draw of 0 takes the first that is not masked");
    int32_t token = draw(logits, 6, 1, 0, &highest); /* the last, or by rounding the likeliest */
    CHECK(token == 4 || token == 3, "the largest draw: got %d", token);
    rng same = {{0, 1, 2, 0}};
    CHECK(rng_uniform(&same) == 0, "the state that draws 0");
}

static void refusals(void) {
    rng r = rng_seed(6, 6);
    for (size_t V = 1; V <= 9; V++) {
        for (size_t at = 0; at < V; at++) {
            float logits[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, masked[9];
            for (int i = 0; i < 9; i++) {
                masked[i] = -INFINITY;
            }
            for (int t = 0; t <= 1; t++) {
                logits[at] = NAN;
                CHECK(draw(logits, V, (float)t, 0, &r) == -1, "NaN at %zu of %zu", at, V);
                CHECK(draw(logits, V, (float)t, 1, &r) == -1, "NaN at %zu of %zu", at, V);
                logits[at] = INFINITY;
                CHECK(draw(logits, V, (float)t, 0, &r) == -1, "Infinity at %zu of %zu", at, V);
                CHECK(draw(masked, V, (float)t, 0, &r) == -1, "%zu masked", V);
            }
            masked[at] = -1e30f;
            for (int t = 0; t <= 1; t++) {
                CHECK(draw(masked, V, (float)t, V, &r) == (int32_t)at, "only %zu is finite", at);
            }
        }
    }
}

int main(void) {
    greedy();
    distributions();
    extremes();
    ends();
    refusals();
    return check_done("model/sample", NULL, 0);
}
