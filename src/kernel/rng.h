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

/* rng_next: 32 random bits. rng_uniform: a float in [0,1), a multiple of 2^-24.
 * rng_normal: mean 0, deviation 1 (Box and Muller 1958), two draws. */
uint32_t rng_next(rng *r);
float rng_uniform(rng *r);
float rng_normal(rng *r);

#endif
