/* Weights in 16 bits: all of them widened, floats rounded to them, and the order of a packed matrix. */
#include "../../src/kernel/half.h"
#include "../check.h"

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The value of 16 bits, by arithmetic. */
static double value_of(uint32_t bits, weight_type type) {
    if (type == WEIGHT_BF16) {
        return (double)float_of(bits << 16);
    }
    int exponent = (int)(bits >> 10 & 31);
    double fraction = bits & 1023;
    double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

static bool is_finite(uint32_t bits, weight_type type) {
    uint32_t infinity = type == WEIGHT_BF16 ? 0x7f80 : 0x7c00;
    return (bits & infinity) != infinity;
}

/* Every finite number, widened exactly and put back, its sign too. */
static void all(weight_type type) {
    for (uint32_t bits = 0; bits < 0x10000; bits += 16) {
        uint16_t column[16], again[16] = {0};
        float to[8], next[8], got[16];
        for (uint32_t i = 0; i < 16; i++) {
            column[i] = (uint16_t)(is_finite(bits + i, type) ? bits + i : 0);
        }
        half_widen(to, next, column, 1, type);
        for (uint32_t i = 0; i < 16; i++) {
            float x = i < 8 ? to[i] : next[i - 8];
            CHECK((double)x == value_of(column[i], type) && !signbit(x) == !(column[i] >> 15),
                  "type %d, %04x: got %g", type, column[i], (double)x);
            half_get(got + i, column, 1, i, 1, type);
            CHECK(same_bits(got + i, &x, 1), "type %d, get of %04x", type, column[i]);
        }
        CHECK(half_put(again, 1, 0, got, 16, type), "type %d, put of %04x...", type, bits);
        CHECK(memcmp(again, column, sizeof column) == 0, "type %d, %04x... put back", type, bits);
    }
}

/* Halfway between neighbours to the even one, else to the nearer one. */
static void rounding(weight_type type) {
    uint32_t infinity = type == WEIGHT_BF16 ? 0x7f80 : 0x7c00;
    for (uint32_t bits = 0; bits < infinity; bits++) {
        double low = value_of(bits, type);
        double high = bits + 1 < infinity   ? value_of(bits + 1, type)
                      : type == WEIGHT_BF16 ? 0x1p128
                                            : 65536;
        float middle = (float)((low + high) / 2);
        float cases[] = {nextafterf(middle, 0), middle, nextafterf(middle, INFINITY)};
        for (uint32_t i = 0; (double)middle == (low + high) / 2 && i < 3; i++) {
            uint32_t wanted = i == 0 ? bits : i == 2 ? bits + 1 : bits + (bits & 1);
            for (int sign = 0; sign < 2; sign++) {
                uint16_t got = 0x5555;
                float x = sign ? -cases[i] : cases[i];
                bool within = half_put(&got, 1, 0, &x, 1, type);
                CHECK(within == (wanted < infinity), "type %d, %a is refused", type, (double)x);
                uint32_t put = within ? wanted | (uint32_t)sign << 15 : 0x5555;
                CHECK(got == put, "type %d, %a: got %04x, wanted %04x", type, (double)x, got, put);
            }
        }
    }
    for (uint32_t bits = 0x7f800000; bits < 0x80000000; bits += 0x3fffff) {
        float x = float_of(bits);
        uint16_t got;
        CHECK(!half_put(&got, 1, 0, &x, 1, type), "type %d takes %g", type, (double)x);
    }
}

/* Any stretch of a matrix of 37 rows of 5. */
static void order(weight_type type) {
    enum { N = 37, K = 5, SIZE = N * K };
    uint16_t *packed = hold(48 * K * sizeof *packed);
    memset(packed, 0, 48 * K * sizeof *packed);
    float from[SIZE], got[SIZE];
    for (size_t i = 0; i < SIZE; i++) {
        from[i] = (float)i;
    }
    for (size_t i = 0, n; i < SIZE; i += n) {
        n = 1 + random_below((uint32_t)(SIZE - i < 20 ? SIZE - i : 20));
        CHECK(half_put(packed, K, i, from + i, n, type), "put");
    }
    for (size_t i = 0; i < SIZE; i++) {
        size_t row = i / K, k = i % K, at = (row / 16 * K + k) * 16 + row % 16;
        CHECK(value_of(packed[at], type) == (double)i, "element %zu", i);
        size_t n = 1 + random_below((uint32_t)(SIZE - i));
        half_get(got, packed, K, i, n, type);
        CHECK(same_bits(got, from + i, n), "%zu from %zu on", n, i);
    }
    release();
}

int main(void) {
    for (int type = WEIGHT_BF16; type <= WEIGHT_F16; type++) {
        all((weight_type)type);
        rounding((weight_type)type);
        order((weight_type)type);
    }
    return check_done("kernel/half", NULL, 0);
}
