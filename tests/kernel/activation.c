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
    activation_forward(x, x, n, f);
    CHECK(same_bits(x, y, n), "activation %d n%zu: in place differs", (int)f, n);
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
        for (size_t n = 0; n <= 21; n++) {
            arrays((activation)f, n);
        }
        CHECK(isnan(one(NAN, (activation)f)), "activation %d of NaN: %g", f,
              (double)one(NAN, (activation)f));
    }
    return check_done("kernel/activation", bounds, BOUNDS);
}
