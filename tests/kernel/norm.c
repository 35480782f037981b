/* LayerNorm against double. */
#include "../../src/kernel/norm.h"
#include "../check.h"

enum { ERROR, MEAN, VARIANCE, BOUNDS };
static bound bounds[BOUNDS] = {
    [ERROR] = {.what = "error, largest normalised value |weight| + |bias|", .allowed = 7 * 0x1p-24},
    [MEAN] = {.what = "mean, ulp + 2^-24 of the farthest value's distance", .allowed = 3},
    [VARIANCE] = {.what = "variance, relative", .allowed = 4e-7},
};

typedef struct norm_case {
    size_t R, C;
    float mean, spread, epsilon;
    bool affine, two; /* two: only the values mean +- spread, whose squares round alike */
} norm_case;

static void compare(const float *y, const float *mean, const float *variance, const float *x,
                    const float *weight, const float *bias, norm_case k) {
    double m = 0, v = 0, top = 0, far = 0;
    for (size_t i = 0; i < k.C; i++) {
        m += x[i] / (double)k.C;
    }
    for (size_t i = 0; i < k.C; i++) {
        v += (x[i] - m) * (x[i] - m) / (double)k.C;
        far = fmax(far, fabs(x[i] - m));
    }
    double rstd = 1 / sqrt(v + (double)k.epsilon);
    for (size_t i = 0; i < k.C; i++) {
        top = fmax(top, fabs((x[i] - m) * rstd));
    }
    for (size_t i = 0; i < k.C; i++) {
        double w = k.affine ? weight[i] : 1, b = k.affine ? bias[i] : 0;
        double wanted = (x[i] - m) * rstd * w + b, unit = top * fabs(w) + fabs(b);
        CHECK_WITHIN(bounds + ERROR, y[i], wanted, unit, "C%zu mean %g spread %g eps %g y[%zu]",
                     k.C, (double)k.mean, (double)k.spread, (double)k.epsilon, i);
    }
    CHECK_WITHIN(bounds + MEAN, *mean, m, ulp(m) + far * 0x1p-24, "mean of C%zu", k.C);
    CHECK_WITHIN(bounds + VARIANCE, *variance, v, v, "variance of C%zu mean %g", k.C,
                 (double)k.mean);
}

static void rows(norm_case k) {
    size_t n = k.R * k.C;
    float *x = blank(n), *y = blank(n), *again = blank(n), *mean = blank(k.R);
    float *variance = blank(k.R), *weight = k.affine ? random_floats(k.C, 2) : NULL;
    float *bias = k.affine ? random_floats(k.C, 2) : NULL;
    for (size_t i = 0; i < n; i++) {
        x[i] = k.mean + k.spread * (k.two ? (random_below(2) ? 1 : -0.7f) : random_float(-1, 1));
    }
    norm_forward(y, mean, variance, x, weight, bias, k.epsilon, k.R, k.C);
    for (size_t r = 0; r < k.R && k.C > 1; r++) { /* of C = 1 see constants() */
        compare(y + r * k.C, mean + r, variance + r, x + r * k.C, weight, bias, k);
    }
    norm_forward(again, NULL, NULL, x, weight, bias, k.epsilon, k.R, k.C);
    CHECK(same_bits(y, again, n), "C%zu: bits depend on mean and variance being asked for", k.C);
    norm_forward(x, NULL, NULL, x, weight, bias, k.epsilon, k.R, k.C);
    CHECK(same_bits(y, x, n), "C%zu: in place differs", k.C);
    for (int part = 0; part < 2 && k.affine; part++) { /* one of the two alone */
        const float *w = part ? weight : NULL, *b = part ? NULL : bias;
        norm_forward(again, NULL, NULL, y, w, b, 1, k.R, k.C);
        norm_forward(x, NULL, NULL, y, NULL, NULL, 1, k.R, k.C);
        for (size_t i = 0; i < n; i++) {
            float wanted = x[i] * (w ? w[i % k.C] : 1) + (b ? b[i % k.C] : 0);
            CHECK(again[i] == wanted, "C%zu only %s: got %g, wanted %g", k.C, part ? "w" : "b",
                  (double)again[i], (double)wanted);
        }
    }
    release();
}

/* A row of one value has variance 0 and comes out as 0, whatever epsilon. */
static void constants(float epsilon, size_t C) {
    static const float values[] = {0, 1, -1, 0.1f, 1e4f, 1234.567f, -3e-5f, 7e-30f};
    for (size_t i = 0; i < 40; i++) {
        float *x = blank(C), *y = blank(C), mean, variance;
        float value = i < 8 ? values[i] : random_float(-100, 100);
        for (size_t j = 0; j < C; j++) {
            x[j] = value;
        }
        norm_forward(y, &mean, &variance, x, NULL, NULL, epsilon, 1, C);
        CHECK_WITHIN(bounds + MEAN, mean, value, ulp(value), "mean of constant C%zu", C);
        for (size_t j = 0; j < C; j++) {
            CHECK(fabs(y[j]) <= 1e-3, "constant %g, C%zu eps %g: y[%zu] is %g", (double)value, C,
                  (double)epsilon, j, (double)y[j]);
        }
        release();
    }
}

int main(void) {
    for (size_t C = 1; C <= 513; C += C < 70 ? 1 : 63) {
        for (int affine = 0; affine <= 1; affine++) {
            rows((norm_case){3, C, 0, 1, 1e-5f, affine, false});
            rows((norm_case){2, C, 0, 1e-4f, 1e-12f, affine, false});
            rows((norm_case){2, C, 0.5f, 1, 0, affine, false});
            rows((norm_case){2, C, 1e4f, 1, 1e-5f, affine, false});
            rows((norm_case){2, C, -1e4f, 1, 0, affine, false});
            rows((norm_case){2, C, 1e4f, 1e-2f, 1e-9f, affine, false});
            rows((norm_case){2, C, 0, 0.9f, 1e-5f, affine, true});
            rows((norm_case){2, C, 1e4f, 0.9f, 1e-5f, affine, true});
        }
        constants(1e-5f, C);
        constants(1e-12f, C);
        constants(0, C);
    }
    for (int i = 0; i < 60000; i++) { /* one value apart, and two that change places */
        size_t C = 2 + random_below(90);
        float *x = blank(C), *y = blank(C), mean, variance;
        float low = random_float(0.01f, 1), spread = random_float(0, 0.01f);
        for (size_t j = 0; j < C; j++) {
            x[j] = i % 2 ? (j ? low + random_float(0, spread) : 1)
                         : (j % 2 ? 1 : -1) * (low + random_float(0, spread));
        }
        norm_forward(y, &mean, &variance, x, NULL, NULL, 1e-5f, 1, C);
        compare(y, &mean, &variance, x, NULL, NULL,
                (norm_case){1, C, low, spread, 1e-5f, false, false});
        release();
    }
    for (int i = 0; i < BOUNDS; i++) {
        CHECK(bounds[i].worst > bounds[i].allowed / 2, "%s: %g at most", bounds[i].what,
              bounds[i].worst);
    }
    return check_done("kernel/norm", bounds, BOUNDS);
}
