/* check.h: what a C test needs: checks that count, bounds that remember the worst error, seeded
 * data of its own making, and heap buffers of exact size, so that AddressSanitizer sees a read of
 * one float too many. A test ends with `return check_done("part/file", bounds, how many)`. */
#ifndef GLASSFORMER_TESTS_CHECK_H
#define GLASSFORMER_TESTS_CHECK_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long check_count, check_failures;

__attribute__((format(printf, 3, 4))) static inline void check_fail(const char *file, int line,
                                                                    const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (check_failures++ < 20) {
        fprintf(stderr, "%s:%d: ", file, line);
        vfprintf(stderr, format, arguments);
        fputc('\n', stderr);
    }
    va_end(arguments);
}

/* CHECK(condition, "the case, what was got and wanted", ...) goes on after a failure. */
#define CHECK(ok, ...) (check_count++, (ok) ? (void)0 : check_fail(__FILE__, __LINE__, __VA_ARGS__))

/* CHECK_WITHIN(&bound, got, wanted, unit, "case", ...): |got - wanted| <= bound.allowed * unit. */
typedef struct bound {
    const char *what;
    double allowed, worst;
} bound;

static inline double error_in(double got, double wanted, double unit) {
    if (got == wanted || (isnan(got) && isnan(wanted))) {
        return 0;
    }
    double error = fabs(got - wanted) / unit;
    return isnan(error) ? INFINITY : error;
}

#define CHECK_WITHIN(b, got, wanted, unit, ...)                                                    \
    do {                                                                                           \
        double got_ = (got), wanted_ = (wanted), error_ = error_in(got_, wanted_, (unit));         \
        (b)->worst = fmax((b)->worst, error_);                                                     \
        check_count++;                                                                             \
        if (!(error_ <= (b)->allowed)) {                                                           \
            char case_[200];                                                                       \
            snprintf(case_, sizeof case_, __VA_ARGS__);                                            \
            check_fail(__FILE__, __LINE__, "%s: got %.9g, wanted %.9g: %s is %.4g, allowed %.4g",  \
                       case_, got_, wanted_, (b)->what, error_, (b)->allowed);                     \
        }                                                                                          \
    } while (0)

/* The distance between floats near a finite x. */
static inline double ulp(double x) { return ldexp(1, (fabs(x) < 0x1p-126 ? -126 : ilogb(x)) - 23); }

static inline int same_bits(const float *a, const float *b, size_t n) {
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

/* Test data: a hash of a counter, nothing of the code under test. */
static uint32_t check_seed;

static inline uint32_t random_bits(void) {
    uint32_t x = check_seed += 0x9e3779b9;
    x = (x ^ x >> 16) * 0x21f0aaad;
    x = (x ^ x >> 15) * 0x735a2d97;
    return x ^ x >> 15;
}
static inline float random_float(float low, float high) {
    return low + (high - low) * ((float)(random_bits() >> 8) * 0x1p-24f);
}
static inline size_t random_below(size_t n) { return random_bits() % n; }

/* Buffers live until release(), or release_to(an earlier check_held_count). blank is NaN throughout, random_floats lie
 * in -scale..scale. */
static void *check_held[1 << 16];
static size_t check_held_count;

static inline void *hold(size_t bytes) {
    void *p = bytes % 64 ? malloc(bytes) : aligned_alloc(64, bytes ? bytes : 64);
    if (!p || check_held_count == sizeof check_held / sizeof *check_held) {
        abort();
    }
    return check_held[check_held_count++] = p;
}
static inline void release_to(size_t count) {
    while (check_held_count > count) {
        free(check_held[--check_held_count]);
    }
}
static inline void release(void) { release_to(0); }
static inline float *blank(size_t n) {
    float *x = hold(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = NAN;
    }
    return x;
}
static inline float *random_floats(size_t n, float scale) {
    float *x = blank(n);
    for (size_t i = 0; i < n; i++) {
        x[i] = random_float(-scale, scale);
    }
    return x;
}

static inline int check_done(const char *what, const bound *bounds, size_t count) {
    release();
    printf("%s: %lu checks, %lu failed", what, check_count, check_failures);
    for (size_t i = 0; i < count; i++) {
        printf("; %s %.3g of %.3g", bounds[i].what, bounds[i].worst, bounds[i].allowed);
    }
    putchar('\n');
    return check_failures > 0;
}

#endif
