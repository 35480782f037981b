#include "few.h"

#include "accumulators.h"

/* Rows of a times 8 rows of b that lie apart: their sums. Columns beyond those that exist repeat one. */
SIMD_INLINE void few_sums(v4 acc[][2], size_t rows, const float *a, size_t a_row, const float *row,
                          size_t apart, size_t columns, size_t depth) {
    const float *from[PANEL];
    UNROLL
    for (size_t i = 0; i < PANEL; i++) {
        from[i] = row + (i < columns ? i * apart : 0);
    }
    acc_load(acc, rows, NULL, true);
    size_t k = 0;
    for (; k + 4 <= depth; k += 4) {
        UNROLL
        for (size_t half = 0; half < 2; half++) {
            v4 block[4];
            UNROLL
            for (size_t i = 0; i < 4; i++) {
                block[i] = v4_load(from[4 * half + i] + k);
            }
            if (rows == 1) {
                acc[0][half] = v4_fma_transposed(a + k, block, acc[0][half]);
                continue;
            }
            v4_transpose(block);
            UNROLL
            for (size_t r = 0; r < rows; r++) {
                UNROLL
                for (size_t i = 0; i < 4; i++) {
                    v4 x = v4_load_splat(a + r * a_row + k + i);
                    acc[r][half] = v4_fma(x, block[i], acc[r][half]);
                }
            }
        }
    }
    for (; k < depth; k++) {
        float lanes[PANEL];
        for (size_t i = 0; i < PANEL; i++) {
            lanes[i] = from[i][k];
        }
        UNROLL
        for (size_t r = 0; r < rows; r++) {
            acc[r][0] = v4_fma(v4_load_splat(a + r * a_row + k), v4_load(lanes), acc[r][0]);
            acc[r][1] = v4_fma(v4_load_splat(a + r * a_row + k), v4_load(lanes + 4), acc[r][1]);
        }
    }
}

/* A few rows times columns that are rows of b, each read once: packing would write and read them once
 * more. Eight at once: more would share the sets of an 8-way cache where they lie 4 kB apart. In a
 * large b these are an eighth of all rows apart, which makes eight long streams, as processors fetch
 * ahead: of GPT-2's 768 inputs 18 GB/s for 14. The sums then go to c first and get their epilogue at
 * the end. */
SIMD_INLINE void few_run(size_t rows, const float *a, size_t a_row, const panels *b, size_t band,
                         size_t column, const c_tile *to) {
    size_t whole = b->columns / PANEL, end = whole * PANEL;
    bool far = b->columns * b->depth >= FAR;
    float *c = to->c + band * to->row + column, tile[TILE];
    v4 acc[MOST_ROWS][2];
    for (size_t n = 0; n < b->columns; n += PANEL) {
        bool spread = far && n < end;
        size_t columns = b->columns - n;
        few_sums(acc, rows, a, a_row, (const float *)b->data + (spread ? n / PANEL : n) * b->row,
                 spread ? whole * b->row : b->row, columns, b->depth);
        if (rows == 1 && !spread && columns >= PANEL) {
            store_row(acc[0], to, band, column + n);
            continue;
        }
        acc_store(acc, rows, tile);
        if (!spread) {
            tile_store(tile, rows, to, band, column + n, columns);
            continue;
        }
        for (size_t r = 0; r < rows; r++) {
            UNROLL
            for (size_t i = 0; i < PANEL; i++) {
                c[r * to->row + i * whole + n / PANEL] = tile[r * PANEL + i];
            }
        }
    }
    for (size_t r = 0; far && r < rows; r++) {
        for (size_t n = 0; n < end; n += PANEL) {
            acc_load(acc, 1, c + r * to->row + n, false);
            store_row(acc[0], to, band + r, column + n);
        }
    }
}

/* A few rows times panels in 16 bits. */
SIMD_INLINE void half_run(size_t rows, weight_type type, const float *a, size_t a_row,
                          const panels *b, size_t band, size_t column, const c_tile *to) {
    float tile[TILE];
    for (size_t n = 0; n < b->columns; n += HALF_PANEL) {
        const uint16_t *from = (const uint16_t *)b->data + n * b->depth;
        v4 acc[2 * MOST_ROWS][2];
        acc_load(acc, 2 * rows, NULL, true);
        for (size_t k = 0; k < b->depth; k++, from += HALF_PANEL) {
            UNROLL
            for (size_t p = 0; p < 2; p++) {
                v4 eight[2];
                v4_widen(eight, from + p * PANEL, type);
                UNROLL
                for (size_t r = 0; r < rows; r++) {
                    v4 x = v4_load_splat(a + r * a_row + k);
                    acc[p * rows + r][0] = v4_fma(x, eight[0], acc[p * rows + r][0]);
                    acc[p * rows + r][1] = v4_fma(x, eight[1], acc[p * rows + r][1]);
                }
            }
        }
        UNROLL
        for (size_t p = 0; p < 2; p++) {
            size_t at = n + p * PANEL;
            if (rows == 1 && at + PANEL <= b->columns) {
                store_row(acc[p], to, band, column + at);
            } else if (at < b->columns) {
                acc_store(acc + p * rows, rows, tile);
                tile_store(tile, rows, to, band, column + at, b->columns - at);
            }
        }
    }
}

#define RUN(name, run, ...)                                                                        \
    static void name(const float *a, size_t a_row, const panels *b, size_t band, size_t column,    \
                     const c_tile *to) {                                                           \
        run(__VA_ARGS__, a, a_row, b, band, column, to);                                           \
    }
RUN(few_1, few_run, 1)
RUN(few_2, few_run, 2)
RUN(few_4, few_run, 4)
RUN(bf16_1, half_run, 1, WEIGHT_BF16)
RUN(bf16_2, half_run, 2, WEIGHT_BF16)
RUN(f16_1, half_run, 1, WEIGHT_F16)
RUN(f16_2, half_run, 2, WEIGHT_F16)

static const tiling FEW[][3] = {
    {{4, few_4}, {2, few_2}, {1, few_1}}, {{2, bf16_2}, {1, bf16_1}}, {{2, f16_2}, {1, f16_1}}};

const tiling *few_tilings(weight_type type) { return FEW[type]; }
