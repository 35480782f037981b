#include "tile.h"

#include <string.h>

#include "accumulators.h"
#include "few.h"

/* Whole products of 512^3 in GFLOP/s, beside the engine's peak of registers alone (AMD EPYC; medians;
 * npm run bench -- variants shows the engine at hand, also beside a bare loop by hand).
 *
 *                       4 rows   unrolled   6   unrolled   peak
 *   simd
 *     V8 11 (Node 20)     37        43           28         48
 *     V8 13 (Node 24)     44        45           28         47
 *     Chromium 156        41        45           28         47
 *     Firefox 153         38        48      28   46         37
 *     WebKitGTK 2.50      34        28      37   29         47
 *   relaxed
 *     V8 12 (Node 22)     50        52           29         59
 *     V8 13 (Node 24)     51        52           55         59
 *     Chromium 156        51        51           55         58
 *     Firefox 153         50        50      50   54         58
 *
 * V8 before 13 hoists all loads of unrolled steps to their top: of six rows more than 16 registers
 * hold. SpiderMonkey keeps accumulators in memory across a loop whose function is large: with all
 * ways to begin and to end a tile inlined (9 kB) it ran 18 and 28, so the rare ones, what c held
 * before and fewer than 8 columns, go through a tile in memory by functions of their own. The loop
 * in a function of its own, called by pointer, cured it too (37 and 52), but V8 lost 8 % by it at
 * K = 64. JavaScriptCore takes long over v128.load32_splat at an offset, which unrolled steps need:
 * with f32.load and f32x4.splat in its place, and no counter, six rows by two run 39 to 40. */
enum { UNROLLED = 4 };

void tile_load(float *tile, size_t rows, const c_tile *to, size_t band, size_t column,
               size_t columns) {
    for (size_t at = 0; at < PANEL && at < columns; at += 4) {
        for (size_t g = 0; g < rows; g += 4) {
            v4 x[4] = {v4_splat(0), v4_splat(0), v4_splat(0), v4_splat(0)};
            if (to->transposed) {
                UNROLL
                for (size_t i = 0; i < 4; i++) {
                    if (at + i < columns) {
                        load_c(x + i, 1, to, column + at + i, band + g, rows - g);
                    }
                }
                v4_transpose(x);
            } else {
                for (size_t r = 0; r < 4 && g + r < rows; r++) {
                    load_c(x + r, 1, to, band + g + r, column + at, columns - at);
                }
            }
            UNROLL
            for (size_t r = 0; r < 4; r++) {
                v4_store(tile + (g + r) * PANEL + at, x[r]);
            }
        }
    }
}

void tile_store(const float *tile, size_t rows, const c_tile *to, size_t band, size_t column,
                size_t columns) {
    for (size_t at = 0; at < PANEL && at < columns; at += 4) {
        for (size_t g = 0; g < rows; g += 4) {
            v4 x[4];
            UNROLL
            for (size_t r = 0; r < 4; r++) {
                x[r] = v4_load(tile + (g + r) * PANEL + at);
            }
            size_t i = band + g, j = column + at, n = columns - at, count = rows - g;
            if (to->transposed) {
                v4_transpose(x);
                i = column + at, j = band + g, n = rows - g, count = columns - at;
            }
            if (count >= 4) {
                store_c(x, 4, to, i, j, n);
                continue;
            }
            for (size_t r = 0; r < count; r++) {
                store_c(x + r, 1, to, i + r, j, n);
            }
        }
    }
}

/* The accumulators of a tile all of whose columns exist to c. */
SIMD_INLINE void store_full(v4 acc[][2], size_t rows, const c_tile *to, size_t band,
                            size_t column) {
    UNROLL
    for (size_t half = 0; half < 2; half++) {
        size_t at = half * 4;
        if (!to->transposed) {
            v4 x[MOST_ROWS];
            UNROLL
            for (size_t r = 0; r < rows; r++) {
                x[r] = acc[r][half];
            }
            store_c(x, rows, to, band, column + at, 4);
            continue;
        }
        UNROLL
        for (size_t g = 0; g < rows; g += 4) {
            v4 x[4];
            UNROLL
            for (size_t r = 0; r < 4; r++) {
                x[r] = g + r < rows ? acc[g + r][half] : v4_splat(0);
            }
            v4_transpose(x);
            store_c(x, 4, to, column + at, band + g, rows - g);
        }
    }
}

/* One step of k: acc += a[0..rows) b. */
SIMD_INLINE void step(v4 acc[][2], size_t rows, const float *const a[], size_t k, const float *b,
                      v4 splat(const float *)) {
    v4 b0 = v4_load(b), b1 = v4_load(b + 4);
    UNROLL
    for (size_t r = 0; r < rows; r++) {
        v4 x = splat(a[r] + k);
        acc[r][0] = v4_fma(x, b0, acc[r][0]);
        acc[r][1] = v4_fma(x, b1, acc[r][1]);
    }
}

/* depth steps by unroll at a time, which saves loop overhead; the exit after each step also keeps the
 * compiler from reordering four steps by accumulator, which would need more registers for their
 * loads than there are. */
SIMD_INLINE void steps(v4 acc[][2], size_t rows, size_t unroll, const float *row[], const float *b,
                       size_t b_row, size_t depth) {
    for (size_t rest = depth; rest > 0; rest -= unroll) {
        UNROLL
        for (size_t k = 0; k < unroll; k++) {
            step(acc, rows, row, k, b + k * b_row, v4_load_splat);
            if (k + 1 < unroll && rest == k + 1) {
                return;
            }
        }
        UNROLL
        for (size_t r = 0; r < rows; r++) {
            row[r] += unroll;
        }
        b += unroll * b_row;
    }
}

/* The same by two and without a counter, for JavaScriptCore: 4 to 7 % faster than one by one. */
SIMD_INLINE void steps_by_two(v4 acc[][2], size_t rows, const float *row[], const float *b,
                              size_t b_row, size_t depth) {
    for (const float *end = b + depth * b_row; b != end; b += 2 * b_row) {
        step(acc, rows, row, 0, b, v4_load_then_splat);
        if (b + b_row == end) {
            return;
        }
        step(acc, rows, row, 1, b + b_row, v4_load_then_splat);
        UNROLL
        for (size_t r = 0; r < rows; r++) {
            row[r] += 2;
        }
    }
}

/* One band times all panels of a block. */
SIMD_INLINE void band_run(size_t rows, size_t unroll, const float *a, size_t a_row, const panels *b,
                          size_t b_row, size_t band, size_t column, const c_tile *to) {
    for (size_t n = 0; n < b->columns; n += PANEL) {
        const float *panel = (const float *)b->data + n / PANEL * b->panel_stride;
        const float *row[MOST_ROWS];
        v4 acc[MOST_ROWS][2];
        float tile[TILE];
        UNROLL
        for (size_t r = 0; r < rows; r++) {
            row[r] = a + r * a_row;
        }
        if (!to->first) {
            tile_load(tile, rows, to, band, column + n, b->columns - n);
        }
        acc_load(acc, rows, tile, to->first);
        if (unroll == 2) {
            steps_by_two(acc, rows, row, panel, b_row, b->depth);
        } else {
            steps(acc, rows, unroll, row, panel, b_row, b->depth);
        }
        if (rows == 1 && !to->transposed && b->columns - n >= PANEL) {
            store_row(acc[0], to, band, column + n);
        } else if (rows > 1 && b->columns - n >= PANEL) {
            store_full(acc, rows, to, band, column + n);
        } else {
            acc_store(acc, rows, tile);
            tile_store(tile, rows, to, band, column + n, b->columns - n);
        }
    }
}

#define BAND(name, rows, unroll, b_row)                                                            \
    static void name(const float *a, size_t a_row, const panels *b, size_t band, size_t column,    \
                     const c_tile *to) {                                                           \
        band_run(rows, unroll, a, a_row, b, b_row, band, column, to);                              \
    }
BAND(band_1, 1, 1, b->row)
BAND(band_2, 2, 1, b->row)
BAND(band_4, 4, 1, b->row)
BAND(band_4_unrolled, 4, UNROLLED, PANEL)

/* Called by pointer, or the optimiser would inline them all into one function, for which engines
 * allocate registers badly. */
static const tiling FOUR[] = {{4, band_4}, {2, band_2}, {1, band_1}};
static const tiling FOUR_UNROLLED[] = {{4, band_4_unrolled}, {2, band_2}, {1, band_1}};
#if defined(__wasm_relaxed_simd__) || !defined(__wasm__)
BAND(band_6_unrolled, 6, UNROLLED, PANEL)
static const tiling SIX[] = {{6, band_6_unrolled}, {4, band_4_unrolled}, {2, band_2}, {1, band_1}};
#define TALLEST_UNROLLED SIX
#else
BAND(band_6_paired, 6, 2, PANEL)
static const tiling SIX[] = {{6, band_6_paired}, {4, band_4}, {2, band_2}, {1, band_1}};
#define TALLEST_UNROLLED FOUR_UNROLLED
#endif

static const tiling *packed = FOUR_UNROLLED;

size_t matmul_tile(size_t rows) {
    packed = rows == 0 ? TALLEST_UNROLLED : rows == 6 ? SIX : FOUR_UNROLLED;
    return packed->rows;
}

const tiling *tilings(const panels *b) {
    if (b->whole && b->type != WEIGHT_PANELS) {
        return few_tilings(b->type);
    }
    /* Unrolled steps gain nothing where a few rows wait for what comes from memory. */
    return b->row == PANEL && !b->whole ? packed : FOUR;
}
