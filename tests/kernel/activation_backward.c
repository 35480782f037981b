/* The activations' slopes against double. */
#include "../../src/kernel/activation.h"
#include "../check.h"

enum { GELU, GELU_TANH, SILU, BOUNDS };
static bound bounds[BOUNDS] = {
    [GELU] = {.what = "gelu, |dy|", .allowed = 3e-7},
    [GELU_TANH] = {.what = "gelu-tanh, |dy|", .allowed = 3e-7},
    [SILU] = {.what = "silu, |dy|", .allowed = 3e-7},
};

static double gelu(double x) {
    return erfc(-x / sqrt(2)) / 2 + x * exp(-x * x / 2) / sqrt(2 * acos(-1));
}

static double gelu_tanh(double x) {
    double k = sqrt(2 / acos(-1)), t = tanh(k * (x + 0.044715 * x * x * x));
    double rest = 1 - t * t;
    return (1 + t) / 2 + (rest > 0 ? x / 2 * rest * k * (1 + 3 * 0.044715 * x * x) : 0);
}

/* s + x s (1 - s), where 1 - s is the sigmoid of -x */
static double silu(double x) {
    double s = 1 / (1 + exp(-x)), rest = 1 / (1 + exp(x));
    return s + (s > 0 && rest > 0 ? x * s * rest : 0);
}

static float one(float dy, float x, activation f) {
    float dx = NAN;
    activation_backward(&dx, &dy, &x, 1, f);
    return dx;
}

static void slopes(float x) {
    static const float dys[] = {1, -0.37f, 1e4f, 0};
    for (int i = 0; i < 4; i++) {
        float dy = dys[i];
        CHECK(one(dy, x, ACTIVATION_RELU) == (x > 0 ? dy : 0), "relu'(%a)", (double)x);
        CHECK(one(dy, x, ACTIVATION_NONE) == dy, "none'(%a)", (double)x);
        double unit = dy ? fabs(dy) : 1e-30;
        CHECK_WITHIN(bounds + GELU, one(dy, x, ACTIVATION_GELU), dy * gelu(x), unit, "gelu'(%a)",
                     (double)x);
        CHECK_WITHIN(bounds + GELU_TANH, one(dy, x, ACTIVATION_GELU_TANH), dy * gelu_tanh(x), unit,
                     "gelu-tanh'(%a)", (double)x);
        CHECK_WITHIN(bounds + SILU, one(dy, x, ACTIVATION_SILU), dy * silu(x), unit, "silu'(%a)",
                     (double)x);
    }
}

/* Any length, and in place of either argument. */
static void arrays(activation f, size_t n) {
    float *x = random_floats(n, 5), *dy = random_floats(n, 2), *dx = blank(n);
    activation_backward(dx, dy, x, n, f);
    for (size_t i = 0; i < n; i++) {
        CHECK(dx[i] == one(dy[i], x[i], f), "activation %d n%zu: dx[%zu] is %g", (int)f, n, i,
              (double)dx[i]);
    }
    float *x2 = memcpy(hold(n * sizeof *x), x, n * sizeof *x);
    activation_backward(x2, dy, x2, n, f);
    CHECK(same_bits(x2, dx, n), "activation %d n%zu: in place of x differs", (int)f, n);
    activation_backward(dy, dy, x, n, f);
    CHECK(same_bits(dy, dx, n), "activation %d n%zu: in place of dy differs", (int)f, n);
    release();
}

/* The slope belongs to the function that the forward pass computes. */
static void differences(void) {
    for (int f = 0; f < ACTIVATION_COUNT; f++) {
        if (f == ACTIVATION_RELU || f == ACTIVATION_TOP_K) {
            continue; /* they have kinks */
        }
        for (float x = -6; x < 6; x += 0.0371f) {
            float at[2] = {x - 0x1p-5f, x + 0x1p-5f}, y[2];
            activation_forward(y, at, 2, (activation)f);
            double slope = ((double)y[1] - y[0]) / ((double)at[1] - at[0]);
            double got = one(1, x, (activation)f);
            CHECK(fabs(got - slope) < 5e-4, "activation %d at %g: %g, differences say %g", f,
                  (double)x, got, slope);
        }
    }
}

int main(void) {
    for (int sign = -1; sign <= 1; sign += 2) {
        for (float x = 1e-44f; x < 3e38f; x *= fabsf(x - 20) < 20 ? 1.0003f : 1.5f) {
            slopes((float)sign * x);
        }
        for (float x = 0; x < 40; x += 0x1p-9f) {
            slopes((float)sign * x);
        }
        static const float edges[] = {0,  0x1p-149f,  0x1p-126f, 29.999998f,
                                      30, 30.000002f, 1e4f,      3.4e38f};
        for (int i = 0; i < 8; i++) {
            slopes((float)sign * edges[i]);
        }
    }
    for (int f = 0; f < ACTIVATION_COUNT; f++) {
        for (size_t n = 0; n <= 21 && f != ACTIVATION_TOP_K; n++) {
            arrays((activation)f, n);
        }
    }
    differences();
    return check_done("kernel/activation_backward", bounds, BOUNDS);
}
