#include "matmul.h"

#include <assert.h>

#include "elementwise.h"
#include "quant.h"
#include "simd.h"
#include "tile.h"

/* A block of panels is at most DEPTH x BLOCK_COLUMNS floats = 256 kB: it stays in the second-level
 * cache while bands pass by it; a band (6 x 512 floats = 12 kB) stays in the first. */
enum { DEPTH = 512, BLOCK_COLUMNS = 128 };

/* Rows of a transposed first factor that are transposed at once: 12 floats, most of a cache line.
 * The padding keeps these rows, 2 kB long, from evicting one another. */
enum { TRANSPOSED_ROWS = 12, TRANSPOSED_STRIDE = DEPTH + 16 };

/* With fewer rows of c than this a plain b is read in place: packing it would cost more. */
enum { PACK_ROWS = 16 };

/* With fewer rows of c than this the factors are not swapped, and a transposed b is packed: a panel
 * of so few columns would be mostly empty. One row reads it in place. */
enum { MIN_SWAPPED_ROWS = 5 };

/* One of the two factors. row: its stride. by_k: the rows of its array are steps of k. type: of b, other
 * than of floats where it is packed in 16 bits. */
typedef struct operand {
    const float *data;
    size_t row;
    bool by_k;
    weight_type type;
} operand;

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Packs 8 columns (or fewer, the others then 0) of an array by k as depth x 8 floats; where there
 * are 16, the next panel as well, so that each cache line is fetched once. Returns the columns
 * packed. */
static size_t pack_columns(float *panel, const float *b, size_t b_row, size_t depth,
                           size_t columns) {
    if (columns < PANEL) {
        for (size_t k = 0; k < depth; k++, b += b_row, panel += PANEL) {
            memset(panel, 0, PANEL * sizeof *panel);
            memcpy(panel, b, columns * sizeof *panel);
        }
        return PANEL;
    }
    size_t both = columns >= 2 * PANEL ? 2 : 1;
    float *next = panel + depth * PANEL;
    for (size_t k = 0; k < depth; k++, b += b_row, panel += PANEL, next += PANEL) {
        v4_store(panel, v4_load(b));
        v4_store(panel + 4, v4_load(b + 4));
        if (both == 2) {
            v4_store(next, v4_load(b + PANEL));
            v4_store(next + 4, v4_load(b + PANEL + 4));
        }
    }
    return both * PANEL;
}

/* Packs 8 columns of an array whose rows are the columns: 4x4 blocks transposed in registers. */
static size_t pack_rows(float *panel, const float *b, size_t b_row, size_t depth, size_t columns) {
    for (size_t half = 0; half < PANEL; half += 4) {
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
                v4_store(to + (k + r) * PANEL, block[r]);
            }
        }
        for (; k < depth; k++) {
            for (size_t r = 0; r < 4; r++) {
                to[k * PANEL + r] = from[r][k];
            }
        }
    }
    return PANEL;
}

/* Transposes an array by k, of as many columns: the first rows of them become rows of depth floats,
 * TRANSPOSED_STRIDE apart. Each cache line of the array is touched once. */
static void transpose_rows(float *to, const float *a, size_t a_row, size_t depth, size_t rows,
                           size_t columns) {
    size_t k = 0;
    for (; k + 4 <= depth; k += 4, a += 4 * a_row) {
        for (size_t g = 0; g < rows; g += 4) {
            v4 block[4];
            for (size_t i = 0; i < 4; i++) {
                block[i] = v4_load_some(a + i * a_row + g, columns - g, 0);
            }
            v4_transpose(block);
            for (size_t r = 0; r < 4 && g + r < rows; r++) {
                v4_store(to + (g + r) * TRANSPOSED_STRIDE + k, block[r]);
            }
        }
    }
    for (; k < depth; k++, a += a_row) {
        for (size_t r = 0; r < rows; r++) {
            to[r * TRANSPOSED_STRIDE + k] = a[r];
        }
    }
}

/* All rows of an operand times a block of panels, whose first column is given. */
static void bands(operand a, size_t rows, const panels *b, size_t column, const c_tile *to) {
    float transposed[TRANSPOSED_ROWS * TRANSPOSED_STRIDE];
    size_t first = 0, end = 0; /* the rows that are transposed now */
    const tiling *t = tilings(b);
    for (size_t m = 0; m < rows; m += t->rows) {
        size_t rest = rows - m;
        while (t->rows > rest || (t->rows == 6 && rest == 8)) { /* 4 + 4 is quicker than 6 + 2 */
            t++;
        }
        if (a.by_k) {
            if (m + t->rows > end) {
                first = m;
                end = m + smaller(TRANSPOSED_ROWS, rest);
                transpose_rows(transposed, a.data + m, a.row, b->depth, end - m, rest);
            }
            t->run(transposed + (m - first) * TRANSPOSED_STRIDE, TRANSPOSED_STRIDE, b, m, column,
                   to);
        } else {
            t->run(a.data + m * a.row, a.row, b, m, column, to);
        }
    }
}

/* Packs so many columns of b, from on and depth deep. */
static void pack(float *packed, operand b, size_t k, size_t n, size_t depth, size_t columns) {
    const float *from = b.data + (b.by_k ? k * b.row + n : n * b.row + k);
    for (size_t i = 0; i < columns;) {
        size_t rest = columns - i;
        float *panel = packed + i * depth;
        if (b.type != WEIGHT_F32) {
            const uint16_t *halves = (const uint16_t *)b.data + (n + i) * b.row;
            half_widen(panel, panel + PANEL * depth, halves + k * HALF_PANEL, depth, b.type);
            i += HALF_PANEL;
        } else {
            i += b.by_k ? pack_columns(panel, from + i, b.row, depth, rest)
                        : pack_rows(panel, from + i * b.row, b.row, depth, rest);
        }
    }
}

/* A block of b packed, or rows of a as quant.h has them. */
static float packed[DEPTH * BLOCK_COLUMNS];

/* c = a b by bands (M rows of a) and panels (N columns of b), in blocks of K. */
static void product(operand a, operand b, size_t M, size_t K, size_t N, c_tile to,
                    bool accumulate) {
    bool arranged = b.type == WEIGHT_PANELS, narrow = b.type != WEIGHT_F32 && !arranged;
    bool few = M < MIN_SWAPPED_ROWS && !a.by_k && !accumulate;
    bool whole = few && !arranged && (narrow || (!b.by_k && M == 1)); /* a token with a cache */
    bool in_place = whole || arranged || (!narrow && b.by_k && M < PACK_ROWS && N % PANEL == 0);
    size_t depth, columns = whole ? N : BLOCK_COLUMNS;
    if (arranged) { /* as large a block that is as deep as b: no sum is ever put away */
        columns = (DEPTH * BLOCK_COLUMNS / (K + 1) + PANEL) / PANEL * PANEL;
    }
    for (size_t k = 0; k == 0 || k < K; k += depth) {
        depth = whole || arranged ? K : smaller(DEPTH, K - k);
        to.first = k == 0 && !accumulate;
        to.last = k + depth >= K;
        operand rows = a;
        rows.data += a.by_k ? k * a.row : k;
        for (size_t n = 0; n < N; n += columns) {
            panels block = {b.data, b.row, PANEL, smaller(columns, N - n), depth, whole, b.type};
            if (arranged) {
                block = (panels){b.data + n * K, PANEL, PANEL * K, block.columns, K, few, b.type};
            } else if (!in_place) {
                pack(packed, b, k, n, depth, block.columns);
                block = (panels){packed, PANEL, PANEL * depth, block.columns, depth, false, 0};
            } else if (!whole) {
                block.data = b.data + k * b.row + n;
            }
            bands(rows, M, &block, n, &to);
        }
        if (K == 0) {
            break;
        }
    }
}

void matmul_arrange(float *w, size_t N, size_t K, bool panels) {
    for (size_t n = 0; n + PANEL <= N; n += PANEL, w += PANEL * K) {
        if (panels) {
            pack_rows(packed, w, K, K, PANEL);
        } else {
            for (size_t i = 0; i < PANEL * K; i++) {
                packed[i % PANEL * K + i / PANEL] = w[i];
            }
        }
        memcpy(w, packed, PANEL * K * sizeof *w);
    }
}

void matmul_forward(float *restrict c, const float *a, const void *b, matmul_epilogue epilogue,
                    matmul_shape shape) {
    size_t M = shape.M, K = shape.K, N = shape.N;
    assert(shape.a_row >= (shape.trans_a ? M : K) && shape.b_row >= (shape.trans_b ? K : N));
    assert(shape.c_row >= N);
    assert(shape.b_type == WEIGHT_F32 || (shape.trans_b && shape.b_row == K && !shape.trans_a));
    if (shape.b_type == WEIGHT_INT8) {
        quant_forward(c, a, b, epilogue, shape, packed);
        return;
    }
    if (shape.b_type == WEIGHT_PANELS && N % PANEL) {
        size_t whole = N - N % PANEL;
        matmul_shape rest = shape;
        matmul_epilogue last = epilogue;
        rest.b_type = WEIGHT_F32;
        rest.N = N % PANEL;
        last.bias += epilogue.bias ? whole : 0;
        last.residual += epilogue.residual ? whole : 0;
        matmul_forward(c + whole, a, (const float *)b + whole * K, last, rest);
        N = whole;
    }
    operand left = {a, shape.a_row, shape.trans_a, WEIGHT_F32};
    operand right = {b, shape.b_row, !shape.trans_b, shape.b_type};
    c_tile to = {.c = c, .row = shape.c_row, .epilogue = epilogue};
    /* c^T = b^T a^T: the rows of a transposed b (weights, keys) stand ready as bands, so only a,
     * the smaller one, is packed: weights need no packed copy of their own */
    if (shape.trans_b && shape.b_type == WEIGHT_F32 &&
        (shape.trans_a || (M >= MIN_SWAPPED_ROWS && M < N))) {
        to.transposed = true;
        product(right, left, N, K, M, to, shape.accumulate);
    } else {
        product(left, right, M, K, N, to, shape.accumulate);
    }
}

void linear_into(float *restrict y, size_t y_row, const float *x, const void *w, weight_type type,
                 matmul_epilogue epilogue, size_t R, size_t in, size_t out) {
    matmul_shape shape = matmul_dense(R, in, out, false, true);
    shape.c_row = y_row;
    shape.b_type = type;
    if (out > 0) {
        matmul_forward(y, x, w, epilogue, shape);
    }
}

void linear_backward(float *restrict dx, bool add_dx, float *restrict dw, float *restrict dbias,
                     const float *dy, const float *x, const float *w, size_t R, size_t in,
                     size_t out) {
    matmul_epilogue no_epilogue = {0};
    matmul_shape inner = matmul_dense(R, out, in, false, false);
    inner.accumulate = add_dx;
    if (dx) {
        matmul_forward(dx, dy, w, no_epilogue, inner);
    }
    matmul_shape outer = matmul_dense(out, R, in, true, false);
    outer.accumulate = true;
    matmul_forward(dw, dy, x, no_epilogue, outer);
    for (size_t r = 0; dbias && r < R; r++) {
        add_forward(dbias, dbias, dy + r * out, out);
    }
}
