/* rng.h: the random numbers of initialisation and sampling: the same bits on every machine. */
#ifndef GLASSFORMER_KERNEL_RNG_H
#define GLASSFORMER_KERNEL_RNG_H

#include <stdint.h>

/* rng: the state of xoshiro128++ (Blackman and Vigna 2021), never all zero. */
typedef struct rng {
    uint32_t state[4];
} rng;

/* rng_seed: a generator for a seed and a stream (say, the hash of a tensor's name); the words are
 * those of splitmix64 (Steele et al. 2014) started at seed * 2^32 + stream. */
rng rng_seed(uint32_t seed, uint32_t stream);

/* rng_rotate: x rotated left. */
static inline uint32_t rng_rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

/* rng_next: 32 random bits. rng_uniform: a float in [0,1), a multiple of 2^-24. Both are inline, so
 * that a loop keeps the state in registers: weights are initialised before an engine's optimising
 * compiler has seen the code.
 * rng_normal: mean 0, deviation 1 (Box and Muller 1958), two draws. */
static inline uint32_t rng_next(rng *r) {
    uint32_t *s = r->state, result = rng_rotate(s[0] + s[3], 7) + s[0], t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rng_rotate(s[3], 11);
    return result;
}
static inline float rng_uniform(rng *r) { return (float)(rng_next(r) >> 8) * 0x1p-24f; }
float rng_normal(rng *r);

#endif
