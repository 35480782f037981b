/* The elementary functions against the C library's, in double. (Over all floats, not every 257th,
 * the worst exp is off by 1.023 ulp.) */
#include "../../src/kernel/vecmath.h"
#include "../check.h"

enum { EXP, EXP_BELOW, CDF, CDF_RELATIVE, SINCOS, EXP64, LOG64, TANH64, BOUNDS };

static bound bounds[BOUNDS] = {
    [EXP] = {.what = "exp, ulp", .allowed = 1.1},
    [EXP_BELOW] = {.what = "exp of x <= 0, 2.1 ulp + 1.25 |x| 2^-24", .allowed = 1},
    [CDF] = {.what = "normal cdf", .allowed = 1e-7},
    [CDF_RELATIVE] = {.what = "normal cdf of x >= 0, relative", .allowed = 1e-7},
    [SINCOS] = {.what = "sincos", .allowed = 4e-16},
    [EXP64] = {.what = "math_exp, relative", .allowed = 4e-16},
    [LOG64] = {.what = "math_log, 1 + |log x|", .allowed = 4e-16},
    [TANH64] = {.what = "math_tanh", .allowed = 4e-16},
};

static float exp_of(float x) { return V4_LANE(v4_exp(v4_splat(x)), 1); }

static float cdf_of(float x) { return V4_LANE(v4_normal_cdf(v4_splat(x)), 2); }

/* All exponents and signs, every 257th float. */
static void exp_everywhere(void) {
    for (uint64_t start = 0; start <= UINT32_MAX; start += 4 * 257) {
        float x[4], y[4];
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t u = (uint32_t)start + i * 257;
            memcpy(x + i, &u, sizeof u);
        }
        float below[4];
        v4_store(y, v4_exp(v4_load(x)));
        v4_store(below, v4_exp_below(v4_load(x)));
        for (int i = 0; i < 4; i++) {
            if (x[i] <= 0) {
                double wanted = exp(x[i]),
                       unit = 2.1 * ulp(wanted) + 1.25 * wanted * fabs(x[i]) * 0x1p-24;
                if (x[i] < -87.69f) {
                    CHECK(below[i] == 0, "exp_below(%a): got %a", (double)x[i], (double)below[i]);
                } else if (wanted >= 0x1p-126 || below[i] != 0) { /* no denormal, or a right one */
                    CHECK_WITHIN(bounds + EXP_BELOW, below[i], wanted, unit, "exp_below(%a)",
                                 (double)x[i]);
                }
            }
            if (isnan(x[i])) {
                CHECK(isnan(y[i]), "exp(NaN): got %g", (double)y[i]);
            } else if (x[i] < -103.98f || x[i] >= 88.73f) {
                float wanted = x[i] > 0 ? INFINITY : 0;
                CHECK(y[i] == wanted, "exp(%a): got %g", (double)x[i], (double)y[i]);
            } else if (x[i] <= 88.7f) {
                double wanted = exp(x[i]);
                CHECK_WITHIN(bounds + EXP, y[i], wanted, ulp(wanted), "exp(%a)", (double)x[i]);
            }
        }
    }
}

static void exp_at_its_edges(void) {
    static const float at[][2] = {
        {-INFINITY, 0}, {INFINITY, INFINITY}, {0, 1},      {-0.0f, 1},  {-1e30f, 0}, {-104, 0},
        {89, INFINITY}, {88.73f, INFINITY},   {1e-45f, 1}, {-1e-45f, 1}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        CHECK(exp_of(at[i][0]) == at[i][1], "exp(%g): got %g", (double)at[i][0],
              (double)exp_of(at[i][0]));
    }
    CHECK(isnan(exp_of(NAN)), "exp(NaN): got %g", (double)exp_of(NAN));
    CHECK(isnan(V4_LANE(v4_exp_below(v4_splat(NAN)), 0)), "exp_below(NaN)");
    for (float x = -103.98f; x < -87; x += 1e-4f) { /* gradual underflow */
        double wanted = exp(x);
        CHECK_WITHIN(bounds + EXP, exp_of(x), wanted, ulp(wanted), "exp(%a)", (double)x);
    }
    for (float x = 88.7f; x <= 89; x = nextafterf(x, 90)) { /* overflow, neither early nor late */
        double got = fmin(exp_of(x), 0x1p128), wanted = fmin(exp(x), 0x1p128);
        CHECK_WITHIN(bounds + EXP, got, wanted, 0x1p104, "exp(%a)", (double)x);
    }
    for (int lane = 0; lane < 4; lane++) {
        float x[4] = {NAN, NAN, NAN, NAN}, y[4];
        x[lane] = 1;
        v4_store(y, v4_exp(v4_load(x)));
        CHECK(y[lane] == exp_of(1) && isnan(y[(lane + 1) % 4]), "exp mixes lane %d", lane);
    }
}

static void normal_cdf(void) {
    for (int sign = -1; sign <= 1; sign += 2) {
        for (float t = 1e-42f; t < 1e30f; t *= fabsf(t - 10) < 10 ? 1.00002f : 1.01f) {
            float x = (float)sign * t, got = cdf_of(x);
            double wanted = erfc(-(double)x / sqrt(2)) / 2;
            CHECK_WITHIN(bounds + CDF, got, wanted, 1, "cdf(%a)", (double)x);
            if (sign > 0) {
                CHECK_WITHIN(bounds + CDF_RELATIVE, got, wanted, wanted, "cdf(%a)", (double)x);
            }
        }
    }
    CHECK(cdf_of(0) == 0.5f && cdf_of(-0.0f) == 0.5f, "cdf(0): got %g", (double)cdf_of(0));
    CHECK(cdf_of(INFINITY) == 1 && cdf_of(-INFINITY) == 0, "cdf at the infinities");
    CHECK(isnan(cdf_of(NAN)), "cdf(NaN): got %g", (double)cdf_of(NAN));
}

static void sincos_at(double x) {
    double sine, cosine;
    math_sincos(x, &sine, &cosine);
    CHECK_WITHIN(bounds + SINCOS, sine, sin(x), 1, "sin(%a)", x);
    CHECK_WITHIN(bounds + SINCOS, cosine, cos(x), 1, "cos(%a)", x);
}

static void doubles(void) {
    for (int sign = -1; sign <= 1; sign += 2) {
        for (double x = 1e-300; x <= 0x1p20; x *= x < 1e-9 ? 1.1 : 1.0002) {
            sincos_at(sign * x);
            sincos_at(sign * floor(x));
        }
        for (int n = 0; n < 667544; n++) { /* near every multiple of pi/2, where r cancels */
            sincos_at(sign * n * 1.5707963267948966);
        }
        sincos_at(sign * 0x1p20);
        sincos_at(sign * 0x1.921fb54442d18p0);
    }
    for (double x = -700; x <= 700; x += 0.00317) {
        CHECK_WITHIN(bounds + EXP64, math_exp(x), exp(x), exp(x), "math_exp(%a)", x);
    }
    for (double x = -25; x <= 25; x += 0.00017) {
        CHECK_WITHIN(bounds + TANH64, math_tanh(x), tanh(x), 1, "math_tanh(%a)", x);
    }
    CHECK(math_tanh(INFINITY) == 1 && math_tanh(-INFINITY) == -1 && isnan(math_tanh(NAN)),
          "math_tanh beyond");
    CHECK(math_exp(0) == 1 && math_exp(-0.0) == 1, "math_exp(0): got %g", math_exp(0));
    for (double x = 0x1p-1074; x < 0x1p1023; x *= fabs(x - 1.7) < 1.3 ? 1.00001 : 1.0041) {
        if (x < 0x1p-1060) { /* too few bits to grow by a factor */
            x *= 2;
        }
        CHECK_WITHIN(bounds + LOG64, math_log(x), log(x), 1 + fabs(log(x)), "math_log(%a)", x);
    }
    CHECK(math_log(1) == 0, "math_log(1): got %g", math_log(1));
    CHECK(math_log(0) == -(double)INFINITY, "math_log(0): got %g", math_log(0));
    CHECK(isnan(math_log(-1)) && isnan(math_log(NAN)), "math_log outside its domain");
}

int main(void) {
    exp_everywhere();
    exp_at_its_edges();
    normal_cdf();
    doubles();
    return check_done("kernel/vecmath", bounds, BOUNDS);
}
