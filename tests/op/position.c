/* Sinusoids and rotations against the C library's, in double. */
#include "../../src/op/position.h"
#include "../check.h"

enum { SINUSOID, TABLE, TURNED, BIAS, DBIAS, BOUNDS };
static bound bounds[BOUNDS] = {
    [SINUSOID] = {"sinusoid", 0x1p-25 + 1e-9, 0},
    [TABLE] = {"cosine and sine", 0x1p-25 + 1e-9, 0},
    [TURNED] = {"turned, the length of the pair", 0x1p-23, 0},
    [BIAS] = {"bias, its size", 0x1p-24, 0},
    [DBIAS] = {"dbias, (n + 1) 2^-24 sum |dy|", 1, 0},
};

static void compare(const int32_t *positions, size_t n, size_t C) {
    float *y = blank(n * C);
    position_forward(y, positions, n, C);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < C; k++) {
            double p = positions ? positions[i] : (double)i;
            double angle = p / pow(10000, (double)(k / 2 * 2) / (double)C);
            CHECK_WITHIN(bounds + SINUSOID, y[i * C + k], k % 2 ? cos(angle) : sin(angle), 1,
                         "position %.0f of C%zu, column %zu", p, C, k);
        }
    }
    release();
}

/* Every padding of 6 tokens, against what the header says. */
static void counting(void) {
    enum { T = 6 };
    for (unsigned mask = 0; mask < 1u << T; mask++) {
        for (int from = 0; from < POSITION_START_COUNT; from++) {
            position_count count = {.from = (position_start)from};
            size_t visible = 0, first = 0;
            for (size_t t = 0; t < T; t++) {
                bool hidden = mask >> t & 1;
                if (!hidden && visible == 0) {
                    first = t;
                }
                size_t wanted = hidden || from == POSITION_INDEX ? t
                                : from == POSITION_FIRST         ? t - first
                                                                 : visible;
                size_t found = position_next(&count, t, hidden);
                CHECK(found == wanted && found <= t, "padding %x from %d: token %zu at %zu", mask,
                      from, t, found);
                visible += !hidden;
            }
        }
    }
}

/* The frequency of pair i, as the papers and Llama 3.1's code say. */
static double frequency(size_t i, size_t D, rotation r) {
    double f = pow(r.theta, -2 * (double)i / (double)D), wavelength = 2 * acos(-1) / f;
    if (r.scaling == ROTATION_LINEAR) {
        return f / r.factor;
    }
    if (r.scaling == ROTATION_PLAIN || wavelength < r.original / r.high) {
        return f;
    }
    if (wavelength > r.original / r.low) {
        return f / r.factor;
    }
    double smooth = (r.original / wavelength - r.low) / (r.high - r.low);
    return (1 - smooth) * f / r.factor + smooth * f;
}

/* A NaN or an infinity reaches its own pair alone, of numbers that turn; without tokens nothing is written. */
static void spoiled(const float *y, const float *x, const float *table, size_t T, size_t H,
                    size_t D, size_t N, bool interleaved) {
    size_t n = T * H * D, at = random_below(n), pair = at % D;
    size_t first = interleaved ? at - pair % 2 : at - pair + pair % (N / 2);
    size_t second = first + (interleaved ? 1 : N / 2);
    float *bad = memcpy(blank(n), x, n * sizeof *bad), *got = memcpy(blank(n), y, n * sizeof *got);
    rotation_forward(got, bad, table, 0, H, D, N, interleaved);
    rotation_backward(got, bad, table, 0, H, D, N, interleaved);
    rotation_table(got, NULL, 0, N, (rotation){10000, 1, 1, 4, 8192, ROTATION_PLAIN});
    CHECK(same_bits(got, y, n), "D%zu: no token writes something", D);
    bad[at] = random_below(2) ? NAN : -INFINITY;
    rotation_forward(got, bad, table, T, H, D, N, interleaved);
    for (size_t i = 0; i < n; i++) {
        bool own = pair < N ? i == first || i == second : i == at;
        CHECK(own ? !isfinite(got[i]) : same_bits(got + i, y + i, 1),
              "D%zu: %g at %zu makes %g of %zu", D, (double)bad[at], at, (double)got[i], i);
    }
}

static void turning_part(size_t T, size_t H, size_t D, size_t N, rotation r) {
    int32_t *positions = hold(T * sizeof *positions);
    float *table = blank(T * N), *counted = blank(T * N), *x = random_floats(T * H * D, 2);
    for (size_t i = 0; i < T; i++) {
        positions[i] = i % 3 ? (int32_t)(random_bits() % (1 << 20)) : (int32_t)i;
    }
    positions[T - 1] = T > 1 ? 1 << 20 : 0; /* the last there is */
    rotation_table(table, positions, T, N, r);
    for (size_t i = 0; i < T * N; i++) {
        double angle = positions[i / N] * frequency(i % N % (N / 2), N, r);
        CHECK_WITHIN(bounds + TABLE, table[i], i % N < N / 2 ? cos(angle) : sin(angle), 1,
                     "position %d of D%zu, column %zu, scaling %d", positions[i / N], N, i % N,
                     r.scaling);
    }
    rotation_table(counted, NULL, T, N, r);
    CHECK(same_bits(counted, table, N), "positions from 0 on by themselves differ");
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        float *y = blank(T * H * D), *back = blank(T * H * D);
        rotation_forward(y, x, table, T, H, D, N, interleaved);
        rotation_backward(back, x, table, T, H, D, N, interleaved);
        for (size_t i = 0; i < T * H * N / 2; i++) {
            size_t t = i / (H * N / 2), pair = i % (N / 2), head = i / (N / 2) * D;
            size_t a = head + (interleaved ? 2 * pair : pair), b = a + (interleaved ? 1 : N / 2);
            double c = table[t * N + pair], s = table[t * N + N / 2 + pair];
            double length = hypot(x[a], x[b]);
            CHECK_WITHIN(bounds + TURNED, y[a], x[a] * c - x[b] * s, length, "first of %zu", i);
            CHECK_WITHIN(bounds + TURNED, y[b], x[b] * c + x[a] * s, length, "second of %zu", i);
            CHECK_WITHIN(bounds + TURNED, back[a], x[a] * c + x[b] * s, length, "back, %zu", i);
            CHECK_WITHIN(bounds + TURNED, back[b], x[b] * c - x[a] * s, length, "back, %zu", i);
        }
        for (size_t i = 0; i < T * H; i++) {
            CHECK(same_bits(y + i * D + N, x + i * D + N, D - N) &&
                      same_bits(back + i * D + N, x + i * D + N, D - N),
                  "D%zu: a number behind %zu changes", D, N);
        }
        float *own = memcpy(blank(T * H * D), x, T * H * D * sizeof *own);
        rotation_forward(own, own, table, T, H, D, N, interleaved);
        CHECK(same_bits(own, y, T * H * D), "D%zu: in place differs", D);
        memcpy(own, x, T * H * D * sizeof *own);
        rotation_backward(own, own, table, T, H, D, N, interleaved);
        CHECK(same_bits(own, back, T * H * D), "D%zu: turned back in place differs", D);
        spoiled(y, x, table, T, H, D, N, interleaved);
    }
    release();
}

static void turning(size_t T, size_t H, size_t D, rotation r) { turning_part(T, H, D, D, r); }

/* The buckets that Hugging Face's T5 has by default: where each of the later ones begins. */
static void buckets(void) {
    static const size_t BEGINS[] = {16, 19, 21, 24, 27, 31, 35, 40,
                                    46, 52, 59, 67, 77, 87, 99, 113};
    relative_positions past = {32, 128, false}, both = {32, 128, true};
    for (size_t d = 0, bucket = 0; d < 1000; d++) {
        bucket += d > 0 && (d < 16 || (bucket < 31 && d == BEGINS[bucket - 15]));
        CHECK(relative_bucket(d, false, past) == bucket, "bucket of %zu: %zu", d,
              relative_bucket(d, false, past));
        size_t near = relative_bucket(d, false, both), later = relative_bucket(d, true, both);
        CHECK(later == near + 16 && near < 16 && (d < 8 ? near == d : near >= 8),
              "both, bucket of %zu: %zu and %zu", d, near, later);
    }
    CHECK(relative_bucket(1 << 20, true, both) == 31, "the farthest key there is");
    for (size_t n = 4; n < 40;
         n++) { /* each setting: never fewer than the nearer one's, none left out */
        for (size_t most = n / 2 + 1; most < 60; most += 7) {
            relative_positions r = {n, most, false};
            for (size_t d = 1; d < 80; d++) {
                size_t before = relative_bucket(d - 1, false, r),
                       now = relative_bucket(d, false, r);
                CHECK(now >= before && now < n && (d < most || now == n - 1),
                      "%zu buckets to %zu: %zu at %zu", n, most, now, d);
            }
        }
    }
}

/* Biases of heads from .. from + H of a table, and their gradients. */
static void relating(size_t H, size_t from, size_t n, float factor, bool after,
                     relative_positions r) {
    size_t row = from + H + 1, all = H * n;
    float *table = random_floats(r.buckets * row, 2), *y = blank(all);
    float *dtable = random_floats(r.buckets * row, 1), *dy = random_floats(all, 2);
    double *wanted = hold(r.buckets * row * sizeof *wanted);
    double *size = hold(r.buckets * row * sizeof *size);
    for (size_t i = 0; i < r.buckets * row; i++) {
        wanted[i] = dtable[i];
        size[i] = fabs(dtable[i]);
    }
    relative_forward(y, table + from, row, factor, H, n, after, r);
    relative_backward(dtable + from, dy, row, factor, H, n, after, r);
    for (size_t i = 0; i < all; i++) {
        size_t at = relative_bucket(i % n, after, r) * row + from + i / n;
        CHECK_WITHIN(bounds + BIAS, y[i], (double)table[at] * factor,
                     fabs((double)table[at] * factor), "bias %zu of %zu heads", i, H);
        wanted[at] += (double)dy[i] * factor;
        size[at] += fabs((double)dy[i] * factor);
    }
    for (size_t i = 0; i < r.buckets * row; i++) {
        CHECK_WITHIN(bounds + DBIAS, dtable[i], wanted[i], (double)(n + 1) * 0x1p-24 * size[i],
                     "dtable[%zu]", i);
    }
    release();
}

int main(void) {
    counting();
    buckets();
    for (size_t i = 0; i < 60; i++) {
        relative_positions r = {4 + i % 9, 8 + i, i % 2};
        relating(1 + i % 4, i % 3, i % 5 == 4 ? 1 : 1 + i * 2, i % 7 ? 1 : 0.7f, i % 4 == 3, r);
    }
    static const size_t heads[] = {2, 4, 6, 8, 10, 14, 24, 64};
    for (size_t i = 0; i < sizeof heads / sizeof *heads * 3; i++) {
        rotation_scaling scaling = (rotation_scaling)(i % 3);
        turning(9, 1 + i % 2, heads[i / 3],
                (rotation){10000, 1 + 7 * (i % 3 > 0), 1, 4, 8192, scaling});
        turning(5, 3, heads[i / 3], (rotation){500000, 32, 1, 4, 100 + 40 * (double)i, scaling});
    }
    for (size_t D = 2; D <= 18; D += 2) { /* one token; all pairs alike, and hardly turned */
        turning(1, 1, D, (rotation){1, 1, 1, 4, 8192, ROTATION_PLAIN});
        turning(4, 1, D, (rotation){1e12, 1e6, 0, 1e6, 1, ROTATION_LLAMA3});
    }
    for (size_t D = 3; D <= 80; D += 7) { /* a part of each head, from two numbers to all but one */
        rotation_scaling scaling = (rotation_scaling)(D % 3);
        for (size_t N = 2; N < D; N += N < 10 ? 2 : 18) {
            turning_part(5, 2, D, N, (rotation){5000, 4, 1, 4, 64, scaling});
        }
    }
    static const size_t widths[] = {1, 2, 3, 4, 5, 7, 8, 64, 65, 512};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        int32_t *positions = hold(300 * sizeof *positions);
        for (int32_t i = 0; i < 300; i++) {
            positions[i] = i < 20 ? (1 << 20) - i : i < 40 ? 1 << (i - 20) : i * 3491;
        }
        positions[299] = 0;
        compare(positions, 300, widths[w]); /* releases them */
        compare(NULL, 70, widths[w]);
        compare(NULL, 0, widths[w]);
        compare(NULL, 1, widths[w]);
    }
    return check_done("op/position", bounds, BOUNDS);
}
