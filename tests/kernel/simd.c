/* Every wrapper of simd.h against scalar code, lane by lane, bit by bit. */
#include "../../src/kernel/simd.h"
#include "../check.h"

static uint32_t bits(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static float from_bits(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static int same(float a, float b) { return bits(a) == bits(b) || (isnan(a) && isnan(b)); }

static void expect(const char *what, v4 got, const float *wanted, size_t n) {
    float lanes[4];
    v4_store(lanes, got);
    for (size_t i = 0; i < n; i++) {
        CHECK(same(lanes[i], wanted[i]), "%s lane %zu: got %a, wanted %a", what, i,
              (double)lanes[i], (double)wanted[i]);
    }
}

static void expect_bits(const char *what, v4 got, uint32_t wanted) {
    float lanes[4];
    v4_store(lanes, got);
    for (size_t i = 0; i < 4; i++) {
        CHECK(bits(lanes[i]) == wanted, "%s lane %zu: got %08x, wanted %08x", what, i,
              bits(lanes[i]), wanted);
    }
}

#define EACH_LANE(name, got, expression)                                                           \
    do {                                                                                           \
        float wanted[4];                                                                           \
        for (int i = 0; i < 4; i++) {                                                              \
            wanted[i] = (expression);                                                              \
        }                                                                                          \
        expect(name, got, wanted, 4);                                                              \
    } while (0)

static void arithmetic(const float *a, const float *b, const float *c) {
    v4 x = v4_load(a), y = v4_load(b), z = v4_load(c);
    EACH_LANE("load", x, a[i]);
    EACH_LANE("splat", v4_splat(a[1]), a[1]);
    EACH_LANE("load_splat", v4_load_splat(a + 3), a[3]);
    EACH_LANE("add", v4_add(x, y), a[i] + b[i]);
    EACH_LANE("sub", v4_sub(x, y), a[i] - b[i]);
    EACH_LANE("mul", v4_mul(x, y), a[i] * b[i]);
    EACH_LANE("div", v4_div(x, y), a[i] / b[i]);
    EACH_LANE("abs", v4_abs(x), fabsf(a[i]));
    EACH_LANE("min", v4_min(x, y), b[i] < a[i] ? b[i] : a[i]);
    EACH_LANE("max", v4_max(x, y), a[i] < b[i] ? b[i] : a[i]);
    EACH_LANE("less", v4_less(x, y), a[i] < b[i] ? from_bits(UINT32_MAX) : 0);
    EACH_LANE("select", v4_select(v4_less(x, y), y, z), a[i] < b[i] ? b[i] : c[i]);
    EACH_LANE("fma", v4_fma(x, y, z), a[i] * b[i] + c[i]);
    const float mixed[4] = {b[3], a[0], b[1], a[2]};
    expect("shuffle", V4_SHUFFLE(x, y, 7, 0, 5, 2), mixed, 4);
    CHECK(same(V4_LANE(x, 2), a[2]), "lane: got %g, wanted %g", (double)V4_LANE(x, 2),
          (double)a[2]);
    CHECK(same(v4_sum(x), (a[0] + a[2]) + (a[1] + a[3])), "sum: got %g", (double)v4_sum(x));
}

static void largest(void) {
    for (int at = 0; at < 4; at++) {
        float a[4] = {-5, -7, -INFINITY, -6};
        a[at] = 3;
        CHECK(v4_largest(v4_load(a)) == 3, "largest in lane %d: got %g", at,
              (double)v4_largest(v4_load(a)));
    }
    CHECK(v4_largest(v4_splat(-INFINITY)) == -INFINITY, "largest of -Infinity");
}

static void powers(void) {
    v4 one = v4_splat(1);
    for (int n = -126; n <= 127; n++) {
        v4 whole = v4_splat(from_bits((uint32_t)n)), five = v4_splat(from_bits(5));
        int half = n < 0 ? -((1 - n) / 2) : n / 2;
        expect_bits("bits_left", v4_bits_left(whole), (uint32_t)n << 23);
        expect_bits("bits_power", v4_bits_power(whole, one), bits(ldexpf(1, n)));
        expect_bits("bits_max", v4_bits_max(whole, five), (uint32_t)(n > 5 ? n : 5));
        expect_bits("bits_sub", v4_bits_sub(whole, five), (uint32_t)(n - 5));
        expect_bits("bits_half", v4_bits_half(whole), (uint32_t)half);
    }
}

/* The buffers end where the tail ends. */
static void tails(void) {
    for (size_t n = 1; n <= 3; n++) {
        float *from = random_floats(n, 9), *to = blank(n), wanted[4] = {42, 42, 42, 42};
        memcpy(wanted, from, n * sizeof *from);
        expect("load_part", v4_load_part(from, n, 42), wanted, 4);
        v4_store_part(to, v4_load(wanted), n);
        CHECK(same_bits(to, from, n), "store_part of %zu", n);
        float lanes[4] = {NAN, NAN, NAN, NAN};
        v4_store_part(lanes, v4_splat(1), n);
        CHECK(isnan(lanes[n]) && lanes[n - 1] == 1, "store_part writes %zu lanes only", n);
    }
}

static void transpose(void) {
    v4 r[4];
    for (int i = 0; i < 4; i++) {
        float row[4] = {(float)i * 4, (float)i * 4 + 1, (float)i * 4 + 2, (float)i * 4 + 3};
        r[i] = v4_load(row);
    }
    v4_transpose(r);
    for (int row = 0; row < 4; row++) {
        EACH_LANE("transpose", r[row], (float)(i * 4 + row));
    }
}

/* Sums that float32 could not hold, lane by lane and in one order. */
static void totals(void) {
    v4_total total = v4_total_zero();
    CHECK(v4_total_sum(total) == 0, "total of nothing: got %g", v4_total_sum(total));
    double lanes[4] = {0};
    for (int i = 0; i < 1000; i++) {
        float *x = random_floats(4, i % 7 ? 1 : 1e9f);
        total = v4_total_add(total, v4_load(x));
        for (int lane = 0; lane < 4; lane++) {
            lanes[lane] += (double)x[lane];
        }
        double wanted = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]), got = v4_total_sum(total);
        CHECK(got == wanted, "total of %d: got %.17g, wanted %.17g", i + 1, got, wanted);
        release();
    }
}

int main(void) {
    static const float special[] = {0,        -0.0f,     1,     -1,    0.5f,     -0.5f,   1.5f,
                                    2.5f,     -2.5f,     1e-40, -1e38, 3.4e38f,  1e-38f,  NAN,
                                    INFINITY, -INFINITY, 7,     8e6f,  -1.3e-3f, 1.2e10f, 0.49f};
    enum { COUNT = sizeof special / sizeof *special };
    for (int round = 0; round < 20000; round++) {
        float *x = random_floats(12, round % 2 ? 4 : 1e5f); /* on the heap, in any alignment */
        for (size_t i = 0; i < 12 && round % 3 == 0; i++) {
            x[i] = special[random_below(COUNT)];
        }
        arithmetic(x, x + 4, x + 8);
        release();
    }
    largest();
    powers();
    tails();
    totals();
    transpose();
    return check_done("kernel/simd", NULL, 0);
}
