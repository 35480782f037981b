#include "matmul.h"

#include <assert.h>

#include "add.h"
#include "simd.h"

/* A register tile of 4 rows by 8 columns uses 8 accumulators, 2 loads of b and a splat: all that
 * x86's 16 vector registers hold. Measured in whole products of 512^3: 23 of 24.6 GFLOP/s in the
 * simd variant; 4x16 and unrolled k spill in V8 12. */
enum { TILE_ROWS = 4, TILE_COLUMNS = 8 };

/* A packed panel is DEPTH x 8 floats = 16 kB: it stays in the first-level cache while BLOCK_ROWS
 * rows of a (256 kB, second level) pass by it. */
enum { DEPTH = 512, BLOCK_ROWS = 128 };

/* From this many rows on, copying a panel of b pays for itself in denser reads. */
enum { PACK_ROWS = 16 };

/* One tile: acc += a[0..rows) b over depth steps. a_step is 1 for row-major a; both callers'
 * constants are inlined. */
SIMD_INLINE void tile_run(v4 acc[][2], size_t rows, const float *a, size_t a_row, size_t a_step,
                          const float *b, size_t b_row, size_t depth) {
    for (size_t k = 0; k < depth; k++) {
        v4 b0 = v4_load(b), b1 = v4_load(b + 4);
        b += b_row;
        for (size_t r = 0; r < rows; r++) {
            v4 x = v4_load_splat(a + r * a_row);
            acc[r][0] = v4_fma(x, b0, acc[r][0]);
            acc[r][1] = v4_fma(x, b1, acc[r][1]);
        }
        a += a_step;
    }
}

/* A tile from start to end: begin at 0, or at c when an earlier block of k stands there; add the
 * bias with the last block; write the columns that exist. */
typedef struct tile_job {
    const float *bias;
    size_t columns;
    bool first, last;
} tile_job;

SIMD_INLINE void tile(float *c, size_t c_row, size_t rows, const float *a, size_t a_row,
                      size_t a_step, const float *b, size_t b_row, size_t depth, tile_job job) {
    v4 acc[TILE_ROWS][2];
    bool whole = job.columns == TILE_COLUMNS;
    float edge[TILE_COLUMNS] = {0};
    for (size_t r = 0; r < rows; r++) {
        const float *from = c + r * c_row;
        if (!job.first && !whole) {
            memcpy(edge, from, job.columns * sizeof *edge);
            from = edge;
        }
        acc[r][0] = job.first ? v4_splat(0) : v4_load(from);
        acc[r][1] = job.first ? v4_splat(0) : v4_load(from + 4);
    }
    tile_run(acc, rows, a, a_row, a_step, b, b_row, depth);
    if (job.last && job.bias) {
        const float *bias = job.bias;
        if (!whole) {
            memcpy(edge, bias, job.columns * sizeof *edge);
            bias = edge;
        }
        v4 bias0 = v4_load(bias), bias1 = v4_load(bias + 4);
        for (size_t r = 0; r < rows; r++) {
            acc[r][0] = v4_add(acc[r][0], bias0);
            acc[r][1] = v4_add(acc[r][1], bias1);
        }
    }
    for (size_t r = 0; r < rows; r++) {
        float *to = whole ? c + r * c_row : edge;
        v4_store(to, acc[r][0]);
        v4_store(to + 4, acc[r][1]);
        if (!whole) {
            memcpy(c + r * c_row, edge, job.columns * sizeof *edge);
        }
    }
}

/* All rows of a block against one panel. a_step is a constant at each call, so the row-major
 * loop has no multiplication. */
SIMD_INLINE void panel_rows(float *c, size_t c_row, size_t M, const float *a, size_t a_row,
                            size_t a_step, const float *b, size_t b_row, size_t depth,
                            tile_job job) {
    size_t m = 0;
    for (; m + TILE_ROWS <= M; m += TILE_ROWS) {
        tile(c + m * c_row, c_row, TILE_ROWS, a + m * a_row, a_row, a_step, b, b_row, depth, job);
    }
    a += m * a_row;
    c += m * c_row;
    switch (M - m) {
    case 3:
        tile(c, c_row, 3, a, a_row, a_step, b, b_row, depth, job);
        break;
    case 2:
        tile(c, c_row, 2, a, a_row, a_step, b, b_row, depth, job);
        break;
    case 1:
        tile(c, c_row, 1, a, a_row, a_step, b, b_row, depth, job);
        break;
    }
}

/* Columns n.. of b, depth rows of it, as depth x 8 floats; absent columns become 0. */
static void pack_columns(float *panel, const float *b, size_t b_row, size_t depth, size_t columns) {
    for (size_t k = 0; k < depth; k++, b += b_row, panel += TILE_COLUMNS) {
        if (columns == TILE_COLUMNS) {
            v4_store(panel, v4_load(b));
            v4_store(panel + 4, v4_load(b + 4));
        } else {
            memset(panel, 0, TILE_COLUMNS * sizeof *panel);
            memcpy(panel, b, columns * sizeof *panel);
        }
    }
}

/* The same of a transposed b, whose rows are the columns: 4x4 blocks turned in registers. */
static void pack_rows(float *panel, const float *b, size_t b_row, size_t depth, size_t columns) {
    for (size_t half = 0; half < TILE_COLUMNS; half += 4) {
        size_t rows = columns > half ? columns - half : 0;
        const float *from[4];
        for (size_t r = 0; r < 4; r++) { /* an absent row repeats one; its sums are not written */
            from[r] = b + (r < rows ? half + r : 0) * b_row;
        }
        float *to = panel + half;
        size_t k = 0;
        for (; k + 4 <= depth; k += 4) {
            v4 block[4];
            for (size_t r = 0; r < 4; r++) {
                block[r] = v4_load(from[r] + k);
            }
            v4_transpose(block);
            for (size_t r = 0; r < 4; r++) {
                v4_store(to + (k + r) * TILE_COLUMNS, block[r]);
            }
        }
        for (; k < depth; k++) {
            for (size_t r = 0; r < 4; r++) {
                to[k * TILE_COLUMNS + r] = from[r][k];
            }
        }
    }
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

void matmul_forward(float *restrict c, const float *a, const float *b, const float *bias,
                    matmul_shape shape) {
    size_t M = shape.M, K = shape.K, N = shape.N;
    assert(shape.a_row >= (shape.trans_a ? M : K) && shape.b_row >= (shape.trans_b ? K : N));
    assert(shape.c_row >= N);
    float packed[DEPTH * TILE_COLUMNS];
    size_t depth;
    for (size_t k = 0; k == 0 || k < K; k += depth) {
        depth = smaller(DEPTH, K - k);
        for (size_t m = 0; m < M; m += BLOCK_ROWS) {
            size_t rows = smaller(BLOCK_ROWS, M - m);
            for (size_t n = 0; n < N; n += TILE_COLUMNS) {
                tile_job job = {.bias = bias ? bias + n : NULL,
                                .columns = smaller(TILE_COLUMNS, N - n),
                                .first = k == 0 && !shape.accumulate,
                                .last = k + depth >= K};
                const float *panel = packed;
                size_t panel_row = TILE_COLUMNS;
                if (shape.trans_b) {
                    pack_rows(packed, b + n * shape.b_row + k, shape.b_row, depth, job.columns);
                } else if (job.columns < TILE_COLUMNS || rows >= PACK_ROWS) {
                    pack_columns(packed, b + k * shape.b_row + n, shape.b_row, depth, job.columns);
                } else {
                    panel = b + k * shape.b_row + n;
                    panel_row = shape.b_row;
                }
                float *to = c + m * shape.c_row + n;
                if (shape.trans_a) {
                    panel_rows(to, shape.c_row, rows, a + k * shape.a_row + m, 1, shape.a_row,
                               panel, panel_row, depth, job);
                } else {
                    panel_rows(to, shape.c_row, rows, a + m * shape.a_row + k, shape.a_row, 1,
                               panel, panel_row, depth, job);
                }
            }
        }
        if (K == 0) {
            break;
        }
    }
}

void linear_backward(float *restrict dx, bool add_dx, float *restrict dw, float *restrict dbias,
                     const float *dy, const float *x, const float *w, size_t R, size_t in,
                     size_t out) {
    matmul_shape inner = matmul_dense(R, out, in, false, false);
    inner.accumulate = add_dx;
    matmul_forward(dx, dy, w, NULL, inner);
    matmul_shape outer = matmul_dense(out, R, in, true, false);
    outer.accumulate = true;
    matmul_forward(dw, dy, x, NULL, outer);
    for (size_t r = 0; dbias && r < R; r++) {
        add_forward(dbias, dbias, dy + r * out, out);
    }
}
