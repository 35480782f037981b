/* Dropout: how many fall, by what the rest grow, and what the pattern depends on. */
#include "../../src/kernel/dropout.h"
#include "../check.h"

enum { SHARE, PAIRS, BOUNDS };
static bound bounds[BOUNDS] = {
    [SHARE] = {.what = "share of zeros, deviations", .allowed = 5},
    [PAIRS] = {.what = "pairs of zeros, deviations", .allowed = 5},
};

enum { N = 200000 };

static float *ones(size_t n) {
    float *x = blank(n);
    for (size_t i = 0; i < n; i++) {
        x[i] = 1;
    }
    return x;
}

/* Zeros among n draws of probability p, in standard deviations. */
static void likely(bound *b, size_t zeros, double p, double n, const char *what) {
    CHECK_WITHIN(b, (double)zeros, p * n, p > 0 ? sqrt(n * p * (1 - p)) : 1, "%s, p %g", what, p);
}

static void pattern(float rate, uint32_t key) {
    float *x = ones(N), *y = blank(N), *other = blank(N), scale = 1 / (1 - rate);
    size_t zeros = 0, both = 0, neighbours[3] = {0}, half = 0;
    static const size_t lags[3] = {1, 4, 64};
    dropout_apply(y, x, N, rate, key);
    dropout_apply(other, x, N, rate, key + 1);
    for (size_t i = 0; i < N; i++) {
        CHECK(y[i] == 0 || y[i] == scale, "rate %g: y[%zu] is %g", (double)rate, i, (double)y[i]);
        zeros += y[i] == 0;
        both += y[i] == 0 && other[i] == 0;
        for (size_t k = 0; k < 3; k++) {
            neighbours[k] += i + lags[k] < N && y[i] == 0 && y[i + lags[k]] == 0;
        }
        half += y[i] == 0 && i < N / 2;
    }
    double p = rate;
    likely(bounds + SHARE, zeros, p, N, "zeros");
    likely(bounds + SHARE, half, p, N / 2, "zeros of the first half");
    likely(bounds + PAIRS, both, p * p, N, "zeros in two patterns");
    for (int k = 0; k < 3; k++) {
        likely(bounds + PAIRS, neighbours[k], p * p, (double)(N - lags[k]), "zeros beside zeros");
    }
    release();
}

/* Each entry is kept, times the scale, or 0, as it is in any longer array, in place or not. */
static void arrays(size_t n, float rate, uint32_t key) {
    float *x = random_floats(n, 3), *y = blank(n), *again = blank(n), *longer = ones(n + 9);
    float scale = 1 / (1 - rate);
    dropout_apply(y, x, n, rate, key);
    dropout_apply(longer, longer, n + 9, rate, key);
    for (size_t i = 0; i < n; i++) {
        float wanted = longer[i] == 0 ? 0 : x[i] * scale;
        CHECK(y[i] == wanted, "n%zu rate %g: y[%zu] is %g, wanted %g", n, (double)rate, i,
              (double)y[i], (double)wanted);
    }
    dropout_apply(again, x, n, rate, key);
    CHECK(same_bits(y, again, n), "n%zu: the same key gives another pattern", n);
    CHECK(rate > 0 || same_bits(y, x, n), "n%zu: rate 0 changes x", n);
    for (size_t first = 1; first < n; first += 1 + n / 3) {
        dropout_apply(again, x + first, n - first, rate, dropout_from(key, (uint32_t)first));
        CHECK(same_bits(y + first, again, n - first), "n%zu: from %zu on", n, first);
    }
    dropout_apply(x, x, n, rate, key);
    CHECK(same_bits(y, x, n), "n%zu: in place differs", n);
    release();
}

/* A value that falls is gone, be it infinite: 0, not NaN. */
static void gone(void) {
    float x[64], y[64], mask[64];
    for (int i = 0; i < 64; i++) {
        x[i] = INFINITY;
        mask[i] = 1;
    }
    dropout_apply(mask, mask, 64, 0.5f, 3);
    dropout_apply(y, x, 64, 0.5f, 3);
    for (int i = 0; i < 64; i++) {
        CHECK(mask[i] == 0 ? y[i] == 0 : y[i] == INFINITY, "an infinity at %d: %g", i,
              (double)y[i]);
    }
}

/* Seeds, steps and sites that differ have keys that differ, also where only two are exchanged. */
static void keys(void) {
    enum { SIDE = 24, ALL = SIDE * SIDE * SIDE };
    uint32_t *seen = hold(ALL * sizeof *seen);
    for (uint32_t i = 0; i < ALL; i++) {
        seen[i] = dropout_key(i / SIDE / SIDE, i / SIDE % SIDE, i % SIDE);
    }
    size_t twice = 0;
    for (size_t i = 0; i < ALL; i++) {
        for (size_t k = 0; k < i; k++) {
            twice += seen[i] == seen[k];
        }
    }
    CHECK(twice == 0, "%zu keys twice", twice);
    release();
}

/* A seed must train the same in later versions: these bits were drawn by the first one. */
static void pinned(void) {
    float x[32], y[32];
    uint32_t mask = 0;
    for (int i = 0; i < 32; i++) {
        x[i] = 1;
    }
    uint32_t key = dropout_key(1, 2, 3);
    dropout_apply(y, x, 32, 0.5f, key);
    for (int i = 0; i < 32; i++) {
        mask |= (uint32_t)(y[i] == 0) << i;
    }
    CHECK(key == 0x4c183685u && mask == 0x49f3721eu, "key %08x, mask %08x", key, mask);
}

int main(void) {
    static const float rates[] = {0, 0.1f, 0.5f, 0.9f, 0.999f};
    for (int r = 0; r < 5; r++) {
        for (uint32_t key = 0; key < 3; key++) {
            pattern(rates[r], dropout_key(key, key * 7, 1));
        }
        for (size_t n = 0; n <= 40; n++) {
            arrays(n, rates[r], random_bits());
        }
    }
    gone();
    keys();
    pinned();
    return check_done("kernel/dropout", bounds, BOUNDS);
}
