/* The activations against the C library's double functions. */
#include "../../src/kernel/activation.h"
#include "../check.h"

enum { GELU, GELU_TANH, SILU, BOUNDS };
static bound bounds[BOUNDS] = {
    [GELU] = {.what = "gelu, max(1, |x|)", .allowed = 1.5e-7},
    [GELU_TANH] = {.what = "gelu-tanh, max(1, |x|)", .allowed = 1.5e-7},
    [SILU] = {.what = "silu, max(1, |x|)", .allowed = 1.5e-7},
};

static double gelu(double x) { return x * erfc(-x / sqrt(2)) / 2; }

static double gelu_tanh(double x) {
    double u = sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x);
    return x / (1 + exp(-2 * u)); /* x (1 + tanh u) / 2 */
}

static double silu(double x) { return x / (1 + exp(-x)); }

static float one(float x, activation f) {
    float y;
    activation_forward(&y, &x, 1, f);
    return y;
}

static void values(float x) {
    double unit = fmax(1, fabs(x));
    CHECK(one(x, ACTIVATION_RELU) == fmaxf(0, x), "relu(%a)", (double)x);
    CHECK(one(x, ACTIVATION_NONE) == x, "none(%a)", (double)x);
    CHECK_WITHIN(bounds + GELU, one(x, ACTIVATION_GELU), gelu(x), unit, "gelu(%a)", (double)x);
    CHECK_WITHIN(bounds + GELU_TANH, one(x, ACTIVATION_GELU_TANH), gelu_tanh(x), unit,
                 "gelu-tanh(%a)", (double)x);
    CHECK_WITHIN(bounds + SILU, one(x, ACTIVATION_SILU), silu(x), unit, "silu(%a)", (double)x);
}

static void arrays(activation f, size_t n) {
    float *x = random_floats(n, 5), *y = blank(n);
    activation_forward(y, x, n, f);
    for (size_t i = 0; i < n; i++) {
        CHECK(y[i] == one(x[i], f), "activation %d n%zu: y[%zu] is %g", (int)f, n, i, (double)y[i]);
    }
    float *up = random_floats(n, 5), *gated = blank(n);
    activation_gated(gated, x, up, n, f);
    for (size_t i = 0; i < n; i++) {
        CHECK(gated[i] == y[i] * up[i], "activation %d n%zu: gated[%zu] is %g", (int)f, n, i,
              (double)gated[i]);
    }
    activation_gated(up, x, up, n, f);
    CHECK(same_bits(up, gated, n), "activation %d n%zu: gated in place of up differs", (int)f, n);
    float *gate = memcpy(blank(n), x, n * sizeof *gate);
    float *ups = random_floats(n, 5);
    activation_gated(gated, x, ups, n, f);
    activation_gated(gate, gate, ups, n, f);
    CHECK(same_bits(gate, gated, n), "activation %d n%zu: gated in place differs", (int)f, n);
    activation_forward(x, x, n, f);
    CHECK(same_bits(x, y, n), "activation %d n%zu: in place differs", (int)f, n);
    release();
}

/* A NaN on either side stays at its place; relu's 0 times an infinity is NaN, as in C. */
static void bad(activation f, size_t n) {
    float *x = random_floats(n, 5), *up = random_floats(n, 5), *y = blank(n), *got = blank(n);
    activation_gated(y, x, up, n, f);
    for (size_t at = 0; at < n; at++) {
        for (int side = 0; side < 2; side++) {
            float *spoiled = side ? up : x, kept = spoiled[at];
            spoiled[at] = NAN;
            activation_gated(got, x, up, n, f);
            spoiled[at] = kept;
            for (size_t i = 0; i < n; i++) {
                CHECK(i == at ? isnan(got[i]) : same_bits(got + i, y + i, 1),
                      "activation %d n%zu: a NaN at %zu makes %g of %zu", (int)f, n, at,
                      (double)got[i], i);
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        float zero = -0.0f, infinite = i % 2 ? INFINITY : -INFINITY, one_ = 1;
        activation_gated(got, &zero, &infinite, 1, f);
        CHECK(isnan(got[0]), "activation %d: 0 times infinity is %g", (int)f, (double)got[0]);
        activation_gated(got, &one_, &infinite, 1, f);
        CHECK(got[0] == infinite, "activation %d: infinity becomes %g", (int)f, (double)got[0]);
    }
    release();
}

int main(void) {
    for (int sign = -1; sign <= 1; sign += 2) {
        for (float x = 1e-44f; x < 3e38f; x *= fabsf(x - 25) < 25 ? 1.0001f : 1.5f) {
            values((float)sign * x);
        }
        values((float)sign * 0.0f);
        values((float)sign * 3.4e38f);
    }
    for (int f = 0; f < ACTIVATION_COUNT; f++) {
        if (f == ACTIVATION_TOP_K) {
            continue; /* not of one number: tests/kernel/top_k.c */
        }
        for (size_t n = 0; n <= 21; n++) {
            arrays((activation)f, n);
            arrays((activation)f, 250 + n); /* more than one block of the gated one */
        }
        bad((activation)f, 11);
        bad((activation)f, 261);
        CHECK(isnan(one(NAN, (activation)f)), "activation %d of NaN: %g", f,
              (double)one(NAN, (activation)f));
    }
    return check_done("kernel/activation", bounds, BOUNDS);
}
