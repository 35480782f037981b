#include "few.h"

#include "accumulators.h"

/* Floats from which on a matrix is large: more than a second-level cache may hold. */
enum { FAR = 1 << 16 };

/* A row of a times 8 rows of b that lie apart: their sums. Columns beyond those that exist repeat one. */
SIMD_INLINE void one_sums(v4 acc[2], const float *a, const float *row, size_t apart, size_t columns,
                          size_t depth) {
    const float *from[PANEL];
    UNROLL
    for (size_t i = 0; i < PANEL; i++) {
        from[i] = row + (i < columns ? i * apart : 0);
    }
    acc[0] = acc[1] = v4_splat(0);
    size_t k = 0;
    for (; k + 4 <= depth; k += 4) {
        UNROLL
        for (size_t half = 0; half < 2; half++) {
            v4 block[4];
            UNROLL
            for (size_t i = 0; i < 4; i++) {
                block[i] = v4_load(from[4 * half + i] + k);
            }
            acc[half] = v4_fma_transposed(a + k, block, acc[half]);
        }
    }
    for (; k < depth; k++) {
        float lanes[PANEL];
        for (size_t i = 0; i < PANEL; i++) {
            lanes[i] = from[i][k];
        }
        acc[0] = v4_fma(v4_load_splat(a + k), v4_load(lanes), acc[0]);
        acc[1] = v4_fma(v4_load_splat(a + k), v4_load(lanes + 4), acc[1]);
    }
}

/* A row times columns that are rows of b, each read once: packing would write and read them once
 * more. Eight at once: more would share the sets of an 8-way cache where they lie 4 kB apart. In a
 * large b these are an eighth of all rows apart, which makes eight long streams, as processors fetch
 * ahead: of GPT-2's 768 inputs 18 GB/s for 14. The sums then go to c first and get their epilogue at
 * the end. */
static void few_1(const float *a, size_t a_row, const panels *b, size_t band, size_t column,
                  const c_tile *to) {
    (void)a_row;
    size_t whole = b->columns / PANEL, end = whole * PANEL;
    bool far = b->columns * b->depth >= FAR;
    float *c = to->c + band * to->row + column, tile[TILE];
    v4 acc[1][2];
    for (size_t n = 0; n < b->columns; n += PANEL) {
        bool spread = far && n < end;
        size_t columns = b->columns - n;
        one_sums(acc[0], a, (const float *)b->data + (spread ? n / PANEL : n) * b->row,
                 spread ? whole * b->row : b->row, columns, b->depth);
        if (!spread && columns >= PANEL) {
            store_row(acc[0], to, band, column + n);
            continue;
        }
        acc_store(acc, 1, tile);
        if (!spread) {
            tile_store(tile, 1, to, band, column + n, columns);
            continue;
        }
        UNROLL
        for (size_t i = 0; i < PANEL; i++) {
            c[i * whole + n / PANEL] = tile[i];
        }
    }
    for (size_t n = 0; far && n < end; n += PANEL) {
        acc_load(acc, 1, c + n, false);
        store_row(acc[0], to, band, column + n);
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

#define HALF(name, rows, type)                                                                     \
    static void name(const float *a, size_t a_row, const panels *b, size_t band, size_t column,    \
                     const c_tile *to) {                                                           \
        half_run(rows, type, a, a_row, b, band, column, to);                                       \
    }
HALF(bf16_1, 1, WEIGHT_BF16)
HALF(bf16_2, 2, WEIGHT_BF16)
HALF(f16_1, 1, WEIGHT_F16)
HALF(f16_2, 2, WEIGHT_F16)

static const tiling FEW[][2] = {{{1, few_1}}, {{2, bf16_2}, {1, bf16_1}}, {{2, f16_2}, {1, f16_1}}};

const tiling *few_tilings(weight_type type) { return FEW[type]; }
