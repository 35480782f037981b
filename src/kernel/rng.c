#include "rng.h"

#include <math.h>

#include "vecmath.h"

static uint64_t splitmix64(uint64_t *x) {
    uint64_t z = *x += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

rng rng_seed(uint32_t seed, uint32_t stream) {
    uint64_t x = (uint64_t)seed << 32 | stream, a = splitmix64(&x), b = splitmix64(&x);
    return (rng){{(uint32_t)a, (uint32_t)(a >> 32), (uint32_t)b, (uint32_t)(b >> 32) | 1}};
}

float rng_normal(rng *r) {
    double radius = sqrt(-2 * math_log(((double)(rng_next(r) >> 8) + 1) * 0x1p-24));
    double angle = 6.2831853071795865 * rng_uniform(r), sine, cosine;
    math_sincos(angle, &sine, &cosine);
    return (float)(radius * cosine);
}
