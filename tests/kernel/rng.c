/* The generator against published words and a second writing of it; moments of what is drawn. */
#include "../../src/kernel/rng.h"
#include "../check.h"

enum { DRAWS = 100000 };

/* A second writing, from Blackman and Vigna's paper: rotations as products. */
static uint32_t turn(uint32_t x, unsigned by) {
    uint64_t wide = (uint64_t)x * (1ull << by);
    return (uint32_t)wide + (uint32_t)(wide >> 32);
}

static uint32_t next(uint32_t s[4]) {
    uint32_t result = turn(s[0] + s[3], 7) + s[0], a = s[0], b = s[1], c = s[2], d = s[3];
    s[0] = a ^ b ^ d;
    s[1] = a ^ b ^ c;
    s[2] = a ^ c ^ (b << 9);
    s[3] = turn(b ^ d, 11);
    return result;
}

static uint64_t mix(uint64_t seed, unsigned index) { /* word `index` of splitmix64 */
    uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z / (1ull << 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z / (1ull << 27)) * 0x94d049bb133111ebu;
    return z ^ z / (1ull << 31);
}

static void words(void) {
    static const uint32_t known[] = {641,        1573767,    3222811527, 3517856514, 836907274,
                                     4247214768, 3867114732, 1355841295, 495546011,  621204420};
    rng r = {{1, 2, 3, 4}}; /* the vector of the reference code */
    for (int i = 0; i < 10; i++) {
        uint32_t got = rng_next(&r);
        CHECK(got == known[i], "word %d of state 1 2 3 4: got %u, wanted %u", i, got, known[i]);
    }
    CHECK(mix(1234567, 0) == 6457827717110365317u && mix(1234567, 1) == 3203168211198807973u,
          "splitmix64's own known words");
    for (uint32_t seed = 0; seed < 300; seed++) {
        uint32_t stream = seed % 3 ? random_bits() : seed, first = seed % 5 ? seed : random_bits();
        uint64_t start = (uint64_t)first << 32 | stream, a = mix(start, 0), b = mix(start, 1);
        uint32_t s[4] = {(uint32_t)a, (uint32_t)(a >> 32), (uint32_t)b, (uint32_t)(b >> 32) | 1};
        rng mine = rng_seed(first, stream);
        for (int i = 0; i < 100; i++) {
            uint32_t got = rng_next(&mine), wanted = next(s);
            CHECK(got == wanted, "seed %u stream %u word %d: got %u, wanted %u", first, stream, i,
                  got, wanted);
        }
    }
}

static void near(const char *what, double got, double wanted, double deviation) {
    CHECK(fabs(got - wanted) < 5 * deviation, "%s: got %g, wanted %g +- %g", what, got, wanted,
          deviation);
}

/* Moments, each within five deviations of the estimate. */
static void moments(uint32_t seed, uint32_t stream) {
    double root = sqrt(DRAWS), u1 = 0, u2 = 0, n1 = 0, n2 = 0, n3 = 0, n4 = 0, inner = 0, pair = 0;
    rng u = rng_seed(seed, stream), n = rng_seed(seed, stream + 1);
    float before = 0;
    for (int i = 0; i < DRAWS; i++) {
        float x = rng_uniform(&u), z = rng_normal(&n);
        CHECK(x >= 0 && x < 1 && x * 0x1p24f == floorf(x * 0x1p24f), "uniform: got %a", (double)x);
        CHECK(fabsf(z) < 5.78f, "normal: got %g", (double)z);
        u1 += x / DRAWS;
        u2 += (double)x * x / DRAWS;
        n1 += (double)z / DRAWS;
        n2 += pow(z, 2) / DRAWS;
        n3 += pow(z, 3) / DRAWS;
        n4 += pow(z, 4) / DRAWS;
        inner += (fabsf(z) < 1) / (double)DRAWS;
        pair += (double)z * before / DRAWS;
        before = z;
    }
    near("uniform mean", u1, 0.5, sqrt(1. / 12) / root);
    near("uniform square", u2, 1. / 3, sqrt(4. / 45) / root);
    near("normal mean", n1, 0, 1 / root);
    near("normal variance", n2, 1, sqrt(2) / root);
    near("normal third moment", n3, 0, sqrt(15) / root);
    near("normal fourth moment", n4, 3, sqrt(96) / root);
    near("normal within 1", inner, 0.6826895, 0.4654 / root);
    near("normal neighbours", pair, 0, 1 / root);
}

/* rng_normal is Box and Muller's first value of two draws. */
static void box_muller(void) {
    rng r = rng_seed(5, 5), same = r;
    for (int i = 0; i < 1000; i++) {
        double a = ((rng_next(&same) >> 8) + 1.0) / 16777216, b = rng_uniform(&same);
        double wanted = sqrt(-2 * log(a)) * cos(2 * acos(-1) * b), got = rng_normal(&r);
        CHECK(fabs(got - wanted) < 1e-6, "normal %d: got %g, wanted %g", i, got, wanted);
    }
    CHECK(rng_next(&r) == rng_next(&same), "a normal takes two draws");
}

static void streams(void) {
    for (uint32_t i = 0; i < 64; i++) {
        rng a = rng_seed(i, 0), b = rng_seed(i, 1), c = rng_seed(i + 1, 0),
            swapped = rng_seed(0, i);
        double ab = 0, ac = 0;
        for (int k = 0; k < 1000; k++) {
            double x = rng_uniform(&a) - 0.5, y = rng_uniform(&b) - 0.5, z = rng_uniform(&c) - 0.5;
            ab += 12 * x * y / 1000;
            ac += 12 * x * z / 1000;
        }
        near("correlation of streams", ab, 0, 1 / sqrt(1000));
        near("correlation of seeds", ac, 0, 1 / sqrt(1000));
        rng again = rng_seed(i, 0);
        CHECK(i == 0 || memcmp(&swapped, &again, sizeof again) != 0, "seed %u is a stream", i);
    }
}

int main(void) {
    words();
    moments(1, 0);
    moments(0, 77);
    moments(UINT32_MAX, UINT32_MAX - 1);
    box_muller();
    streams();
    return check_done("kernel/rng", NULL, 0);
}
