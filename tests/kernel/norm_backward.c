/* LayerNorm's gradients against double, and double's own formula against central differences. */
#include "../../src/kernel/norm.h"
#include "../check.h"

enum { DX, DWEIGHT, DBIAS, FORMULA, BOUNDS };
static bound bounds[BOUNDS] = {
    [DX] = {.what = "dx, ((C/10 + 16) (1 + 2 |h|) + 7 largest |h|) 2^-24 largest |g| rstd",
            .allowed = 1},
    [DWEIGHT] = {.what = "dweight, |before| + sum |dy| largest |h|", .allowed = 1e-6},
    [DBIAS] = {.what = "dbias, |before| + sum |dy|", .allowed = 0x1p-22},
    [FORMULA] = {.what = "formula - central differences, largest |g| rstd", .allowed = 1e-6},
};

typedef struct norm_case {
    size_t R, C;
    float mean, spread, epsilon;
    bool affine;
} norm_case;

/* One row in double: h, its largest, and 1 / deviation. */
typedef struct row {
    double h[4100], top, rstd;
} row;

static row normalise(const double *x, norm_case k) {
    row r = {.top = 0};
    double mean = 0, variance = 0;
    for (size_t i = 0; i < k.C; i++) {
        mean += x[i] / (double)k.C;
    }
    for (size_t i = 0; i < k.C; i++) {
        variance += (x[i] - mean) * (x[i] - mean) / (double)k.C;
    }
    r.rstd = 1 / sqrt(variance + (double)k.epsilon);
    for (size_t i = 0; i < k.C; i++) {
        r.h[i] = (x[i] - mean) * r.rstd;
        r.top = fmax(r.top, fabs(r.h[i]));
    }
    return r;
}

static double weighted(const double *x, const float *dy, const float *weight, norm_case k) {
    row r = normalise(x, k);
    double sum = 0;
    for (size_t i = 0; i < k.C; i++) {
        sum += dy[i] * r.h[i] * (weight ? weight[i] : 1);
    }
    return sum;
}

/* One row: dx compared; what dweight and dbias gain, and the size of it, added up. */
static void compare(const float *dx, const float *dy, const float *x, const float *weight,
                    double gain[][4100], double size[][4100], norm_case k) {
    double wide[4100] = {0}, g[4100], mean_g = 0, mean_gh = 0, top = 0;
    for (size_t i = 0; i < k.C; i++) {
        wide[i] = x[i];
    }
    row r = normalise(wide, k);
    for (size_t i = 0; i < k.C; i++) {
        g[i] = dy[i] * (double)(weight ? weight[i] : 1);
        mean_g += g[i] / (double)k.C;
        mean_gh += g[i] * r.h[i] / (double)k.C;
        top = fmax(top, fabs(g[i]));
        gain[0][i] += dy[i] * r.h[i];
        size[0][i] += fabs(dy[i]) * r.top;
        gain[1][i] += dy[i];
        size[1][i] += fabs(dy[i]);
    }
    for (size_t i = 0; i < k.C; i++) {
        double wanted = r.rstd * (g[i] - mean_g - r.h[i] * mean_gh), unit = top * r.rstd;
        double allowed =
            unit * 0x1p-24 * (((double)k.C / 10 + 16) * (1 + 2 * fabs(r.h[i])) + 7 * r.top);
        CHECK_WITHIN(bounds + DX, dx[i], wanted, allowed, "C%zu mean %g spread %g eps %g dx[%zu]",
                     k.C, (double)k.mean, (double)k.spread, (double)k.epsilon, i);
        if (k.C > 70 || k.mean != 0 || k.C == 1) {
            continue;
        }
        double step = 1e-4 / r.rstd, ends[2];
        for (int side = 0; side < 2; side++) {
            wide[i] = x[i] + (side ? step : -step);
            ends[side] = weighted(wide, dy, weight, k);
        }
        wide[i] = x[i];
        CHECK_WITHIN(bounds + FORMULA, wanted, (ends[1] - ends[0]) / (2 * step), unit,
                     "C%zu spread %g: the formula at %zu", k.C, (double)k.spread, i);
    }
}

static float *copy(const float *x, size_t n) {
    return memcpy(hold(n * sizeof *x), x, n * sizeof *x);
}

static void rows(norm_case k) {
    size_t n = k.R * k.C;
    float *x = blank(n), *dy = random_floats(n, 2), *dx = blank(n);
    float *weight = k.affine ? random_floats(k.C, 2) : NULL;
    float *dweight = random_floats(k.C, 1), *dbias = random_floats(k.C, 1);
    float *dweight0 = copy(dweight, k.C), *dbias0 = copy(dbias, k.C);
    static double gain[2][4100], size[2][4100];
    memset(gain, 0, sizeof gain);
    memset(size, 0, sizeof size);
    for (size_t i = 0; i < n; i++) {
        x[i] = k.mean + k.spread * random_float(-1, 1);
    }
    norm_backward(dx, dweight, dbias, dy, x, weight, k.epsilon, k.R, k.C);
    for (size_t r = 0; r < k.R; r++) {
        compare(dx + r * k.C, dy + r * k.C, x + r * k.C, weight, gain, size, k);
    }
    for (size_t i = 0; i < k.C; i++) {
        CHECK_WITHIN(bounds + DWEIGHT, dweight[i], dweight0[i] + gain[0][i],
                     fabs(dweight0[i]) + size[0][i], "C%zu mean %g dweight[%zu]", k.C,
                     (double)k.mean, i);
        CHECK_WITHIN(bounds + DBIAS, dbias[i], dbias0[i] + gain[1][i], fabs(dbias0[i]) + size[1][i],
                     "C%zu dbias[%zu]", k.C, i);
    }
    for (int part = 0; part < 4; part++) { /* without one or both of the sums; in place */
        float *dy2 = copy(dy, n), *x2 = copy(x, n), *w = copy(dweight0, k.C);
        float *b = copy(dbias0, k.C), *to = part & 1 ? x2 : dy2;
        norm_backward(to, part & 1 ? w : NULL, part & 2 ? b : NULL, dy2, x2, weight, k.epsilon, k.R,
                      k.C);
        CHECK(same_bits(to, dx, n), "C%zu: in place of %s differs", k.C, part & 1 ? "x" : "dy");
        CHECK(same_bits(w, part & 1 ? dweight : dweight0, k.C), "C%zu: dweight, part %d", k.C,
              part);
        CHECK(same_bits(b, part & 2 ? dbias : dbias0, k.C), "C%zu: dbias, part %d", k.C, part);
    }
    release();
}

/* Equal gradients: each of a lane's additions rounds alike. */
static void alike(size_t C) {
    float *x = random_floats(C, 1), *dy = blank(C), *dx = blank(C), value = random_float(0.5f, 1);
    static double gain[2][4100], size[2][4100];
    for (size_t i = 0; i < C; i++) {
        dy[i] = value;
    }
    norm_backward(dx, NULL, NULL, dy, x, NULL, 1e-5f, 1, C);
    compare(dx, dy, x, NULL, gain, size, (norm_case){1, C, 1, 1, 1e-5f, false});
    release();
}

/* A row of one value: h is 0; with epsilon 0 nothing moves, as nothing came out. */
static void constants(size_t C, float value, float epsilon) {
    float *x = blank(C), *dy = random_floats(C, 1), *dx = blank(C), *dweight = random_floats(C, 1);
    float *before = copy(dweight, C);
    double mean = 0;
    for (size_t i = 0; i < C; i++) {
        x[i] = value;
        mean += dy[i] / (double)C;
    }
    norm_backward(dx, dweight, NULL, dy, x, NULL, epsilon, 1, C);
    for (size_t i = 0; i < C; i++) {
        double rstd = epsilon > 0 ? 1 / sqrt((double)epsilon) : 0;
        CHECK_WITHIN(bounds + DX, dx[i], rstd * (dy[i] - mean),
                     (epsilon > 0 ? rstd : 1) * ((double)C / 10 + 16) * 0x1p-24,
                     "constant %g C%zu eps %g dx[%zu]", (double)value, C, (double)epsilon, i);
        CHECK(fabs(dweight[i] - before[i]) <= 1e-3, "constant %g C%zu: dweight[%zu]", (double)value,
              C, i);
    }
    release();
}

int main(void) {
    for (size_t C = 1; C <= 513; C += C < 70 ? 1 : 63) {
        for (int affine = 0; affine <= 1; affine++) {
            rows((norm_case){3, C, 0, 1, 1e-5f, affine});
            rows((norm_case){1 + C % 4, C, 0, 1e-2f, 1e-5f, affine});
            rows((norm_case){2, C, 0, 100, 1e-12f, affine});
            rows((norm_case){2, C, 0.5f, 1, C > 1 ? 0 : 1e-3f, affine});
            rows((norm_case){2, C, 1e4f, 1, 1e-5f, affine});
            rows((norm_case){2, C, -1e4f, 3, C > 1 ? 0 : 1e-3f, affine});
            rows((norm_case){0, C, 0, 1, 1e-5f, affine});
        }
        for (int i = 0; i < 6; i++) {
            constants(C, random_float(-100, 100), i % 3 ? 1e-5f : 0);
            constants(C, 1e4f, i % 3 ? 1e-5f : 0);
        }
    }
    for (int i = 0; i < 800; i++) {
        alike(i % 2 ? 4096 - random_below(1000) : (size_t)1 << (3 + i % 10));
    }
    CHECK(bounds[DX].worst > 0.5, "%s: %g at most", bounds[DX].what, bounds[DX].worst);
    return check_done("kernel/norm_backward", bounds, BOUNDS);
}
