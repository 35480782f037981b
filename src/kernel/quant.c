#include "quant.h"

#include <assert.h>

#include "accumulators.h"

/* Smaller numbers become 0. */
#define TINY 0x1p-100f

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static size_t blocks_of(size_t K) { return (K + QUANT_BLOCK - 1) / QUANT_BLOCK; }

static size_t block_at(size_t K, size_t row, size_t k) {
    return row / HALF_PANEL * blocks_of(K) + k / QUANT_BLOCK;
}

static float number(const quant_block *b, size_t row, size_t k) {
    return b->scale[row] * (float)b->q[k / 2][row][k % 2];
}

void quant_get(float *restrict to, const void *packed, size_t K, size_t first, size_t n) {
    for (size_t i = 0; i < n;) {
        size_t row = (first + i) / K, k = (first + i) % K, end = smaller(K, k + n - i);
        for (; k < end; k++, i++) {
            to[i] = number((const quant_block *)packed + block_at(K, row, k), row % HALF_PANEL,
                           k % QUANT_BLOCK);
        }
    }
}

/* Integers: four of 32 bits, and eight of 16 as four pairs. */
#ifdef __wasm_simd128__
typedef v128_t v4_ints;
typedef v128_t v8;
SIMD_INLINE v4_ints v4_no_ints(void) { return wasm_i32x4_const_splat(0); }
SIMD_INLINE v8 v8_load(const int8_t *p) { return wasm_i16x8_load8x8(p); }
SIMD_INLINE v8 v8_splat(const int16_t *pair) { return wasm_v128_load32_splat(pair); }
SIMD_INLINE v4_ints v8_dot(v8 a, v8 b, v4_ints sum) {
    return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(a, b));
}
SIMD_INLINE v4 v4_of(v4_ints a) { return wasm_f32x4_convert_i32x4(a); }
/* The lower half of the bits of each number. */
SIMD_INLINE void v8_store(int16_t *to, v4 a, v4 b) {
    wasm_v128_store(to, wasm_i16x8_shuffle(a, b, 0, 2, 4, 6, 8, 10, 12, 14));
}
#else
typedef struct v4_ints {
    int32_t lane[4];
} v4_ints;
typedef struct v8 {
    int16_t lane[8];
} v8;
SIMD_INLINE v4_ints v4_no_ints(void) { return (v4_ints){{0, 0, 0, 0}}; }
SIMD_INLINE v8 v8_load(const int8_t *p) {
    v8 a;
    for (size_t i = 0; i < 8; i++) {
        a.lane[i] = p[i];
    }
    return a;
}
SIMD_INLINE v8 v8_splat(const int16_t *pair) {
    v8 a;
    for (size_t i = 0; i < 8; i++) {
        a.lane[i] = pair[i % 2];
    }
    return a;
}
SIMD_INLINE v4_ints v8_dot(v8 a, v8 b, v4_ints sum) {
    for (size_t i = 0; i < 8; i++) {
        sum.lane[i / 2] += a.lane[i] * b.lane[i];
    }
    return sum;
}
SIMD_INLINE v4 v4_of(v4_ints a) {
    return (v4){(float)a.lane[0], (float)a.lane[1], (float)a.lane[2], (float)a.lane[3]};
}
SIMD_INLINE void v8_store(int16_t *to, v4 a, v4 b) {
    uint32_t bits[8];
    memcpy(bits, &a, sizeof a);
    memcpy(bits + 4, &b, sizeof b);
    for (size_t i = 0; i < 8; i++) {
        to[i] = (int16_t)(uint16_t)bits[i];
    }
}
#endif

/* The largest size of 32 numbers, a NaN where one is not finite. */
static float largest(const float *x) {
    v4 most = v4_splat(0), odd = v4_splat(0);
    for (size_t i = 0; i < QUANT_BLOCK; i += 4) {
        most = v4_max(most, v4_abs(v4_load(x + i)));
        odd = v4_add(odd, v4_mul(v4_load(x + i), v4_splat(0)));
    }
    return v4_largest(most) + v4_sum(odd);
}

/* 32 numbers over scale, or over 1 where there is none, to the nearest. An integer that is added to
 * 1.5 2^23 stands in its last bits. */
static void divide(int16_t *q, const float *x, float scale) {
    v4 by = v4_splat(scale > 0 ? scale : 1), whole = v4_splat(0x1.8p23f);
    for (size_t i = 0; i < QUANT_BLOCK; i += 8) {
        v8_store(q + i, v4_add(v4_div(v4_load(x + i), by), whole),
                 v4_add(v4_div(v4_load(x + i + 4), by), whole));
    }
}

bool quant_put(void *restrict packed, size_t K, size_t first, const float *from, size_t n) {
    bool within = true;
    for (size_t i = 0, count; i < n; i += count) {
        size_t row = (first + i) / K, k = (first + i) % K, at = k % QUANT_BLOCK;
        quant_block *b = (quant_block *)packed + block_at(K, row, k);
        float x[QUANT_BLOCK], most;
        int16_t q[QUANT_BLOCK];
        row %= HALF_PANEL;
        count = smaller(smaller(QUANT_BLOCK - at, K - k), n - i);
        for (size_t j = 0; j < QUANT_BLOCK; j++) {
            x[j] = j - at < count ? from[i + j - at] : number(b, row, j);
        }
        most = largest(x);
        if (!(most < 0x1p127f)) {
            within = false;
            continue;
        }
        float scale = most < TINY ? 0 : most / 127;
        uint32_t bits;
        memcpy(&bits, &scale, sizeof bits);
        bits = (bits + 0x40) & ~(uint32_t)0x7f; /* to 17 of 24 bits */
        memcpy(&scale, &bits, sizeof bits);
        b->scale[row] = scale;
        divide(q, x, scale);
        for (size_t j = 0; j < QUANT_BLOCK; j++) {
            b->q[j / 2][row][j % 2] = (int8_t)q[j];
        }
    }
    return within;
}

/* 32 numbers of a row of a: q times scale. */
typedef struct row_block {
    float scale;
    int16_t q[QUANT_BLOCK];
} row_block;

/* A row of a in 16 bits. A number that is not finite makes the scale, and so each sum, a NaN. */
static void round_row(row_block *to, const float *x, size_t K) {
    for (size_t k = 0; k < K; k += QUANT_BLOCK, to++) {
        float some[QUANT_BLOCK] = {0};
        memcpy(some, x + k, smaller(QUANT_BLOCK, K - k) * sizeof *x);
        float most = largest(some);
        to->scale = most < TINY ? 0 : most / 32767;
        divide(to->q, some, to->scale);
    }
}

/* Some panels, so many blocks of each, its stride apart, to columns of c. */
typedef struct span {
    const quant_block *data;
    size_t stride, blocks, first, columns;
} span;

/* Rows of a times a panel: 8 columns of all rows, then the other 8. */
SIMD_INLINE void sums(v4 acc[][2], size_t rows, const row_block *x, const quant_block *b,
                      size_t blocks) {
    for (size_t i = 0; i < blocks; i++, b++) {
        v4_ints sum[4][2];
        UNROLL
        for (size_t j = 0; j < 2 * rows; j++) {
            sum[j][0] = sum[j][1] = v4_no_ints();
        }
        for (size_t p = 0; p < QUANT_BLOCK / 2; p++) {
            UNROLL
            for (size_t j = 0; j < 4; j++) {
                v8 w = v8_load(b->q[p][4 * j]);
                UNROLL
                for (size_t r = 0; r < rows; r++) {
                    v4_ints *to = &sum[j / 2 * rows + r][j % 2];
                    *to = v8_dot(w, v8_splat(x[r * blocks + i].q + 2 * p), *to);
                }
            }
        }
        UNROLL
        for (size_t j = 0; j < 4; j++) {
            v4 scale = v4_load(b->scale + 4 * j);
            UNROLL
            for (size_t r = 0; r < rows; r++) {
                size_t at = j / 2 * rows + r;
                v4 both = v4_mul(scale, v4_splat(x[r * blocks + i].scale));
                acc[at][j % 2] = v4_fma(v4_of(sum[at][j % 2]), both, acc[at][j % 2]);
            }
        }
    }
}

SIMD_INLINE void run(size_t rows, const row_block *x, const span *b, size_t band,
                     const c_tile *to) {
    const quant_block *panel = b->data;
    for (size_t n = 0; n < b->columns; n += HALF_PANEL, panel += b->stride) {
        float tile[2][TILE] = {{0}};
        v4 acc[4][2];
        for (size_t h = 0; h < 2; h++) {
            size_t at = n + h * PANEL;
            if (!to->first && at < b->columns) {
                tile_load(tile[h], rows, to, band, b->first + at, b->columns - at);
            }
            acc_load(acc + h * rows, rows, tile[h], to->first);
        }
        sums(acc, rows, x, panel, b->blocks);
        for (size_t h = 0; h < 2; h++) {
            size_t at = n + h * PANEL;
            if (at < b->columns) {
                acc_store(acc + h * rows, rows, tile[h]);
                tile_store(tile[h], rows, to, band, b->first + at, b->columns - at);
            }
        }
    }
}

static void run_1(const row_block *x, const span *b, size_t band, const c_tile *to) {
    run(1, x, b, band, to);
}
static void run_2(const row_block *x, const span *b, size_t band, const c_tile *to) {
    run(2, x, b, band, to);
}

void quant_forward(float *restrict c, const float *a, const void *b, matmul_epilogue epilogue,
                   matmul_shape shape, float *scratch) {
    /* Of a long row some blocks at a time; of the panels what stays in a second-level cache. */
    enum { DEPTH = 4096, NEAR = (1 << 17) / sizeof(quant_block) };
    assert(shape.trans_b && !shape.trans_a && !shape.accumulate && shape.b_row == shape.K);
    size_t M = shape.M, K = shape.K, N = shape.N, stride = blocks_of(K);
    row_block *x = (row_block *)(void *)scratch;
    c_tile to = {.c = c, .row = shape.c_row, .epilogue = epilogue};
    for (size_t k = 0; k < K; k += DEPTH) {
        size_t depth = smaller(DEPTH, K - k), blocks = blocks_of(depth);
        size_t rows = QUANT_SCRATCH * sizeof *scratch / sizeof *x / blocks;
        size_t columns = (NEAR / blocks + 1) * HALF_PANEL;
        to.first = k == 0;
        to.last = k + depth == K;
        for (size_t from = 0; from < M; from += rows) {
            size_t end = smaller(M, from + rows);
            for (size_t m = from; m < end; m++) {
                round_row(x + (m - from) * blocks, a + m * shape.a_row + k, depth);
            }
            for (size_t n = 0; n < N; n += columns) {
                const quant_block *panels = (const quant_block *)b + block_at(K, n, k);
                span some = {panels, stride, blocks, n, smaller(columns, N - n)};
                size_t m = from;
                for (; m + 2 <= end; m += 2) {
                    run_2(x + (m - from) * blocks, &some, m, &to);
                }
                if (m < end) {
                    run_1(x + (m - from) * blocks, &some, m, &to);
                }
            }
        }
    }
}
