#include "matmul.h"

#include <assert.h>

#include "elementwise.h"
#include "simd.h"

/* A product is made of bands (4 or 6 rows of one operand) and panels (8 columns of the other): a
 * band against a panel is a register tile, 2 accumulators a row.
 *
 * Measured in whole products of 512^3, in GFLOP/s, beside the engine's register-only peak
 * (x86-64, Node 24 and 22, best of 25; npm run bench -- variants shows the engine at hand):
 *   simd, 4 rows: 29 of 29. Each step waits for a multiplication and an addition.
 *   relaxed, 4 rows: 34 of 44. 8 chains of 4 cycles just fill two multiply-add units.
 *   relaxed, 6 rows, unrolled: 40 of 44 on V8 13, but 27 of 42 on V8 12, which hoists all loads of
 *   a step to its top, more than 16 registers hold. */
enum { PANEL = 8, MOST_ROWS = 6, UNROLLED = 4 };

/* A block of panels is at most DEPTH x BLOCK_COLUMNS floats = 256 kB: it stays in the second-level
 * cache while bands pass by it; a band (6 x 512 floats = 12 kB) stays in the first. */
enum { DEPTH = 512, BLOCK_COLUMNS = 128 };

/* Rows of a transposed first factor that are turned at once: most of a cache line. */
enum { TURNED_ROWS = 12, TURNED_ROW = DEPTH + 16 };

/* With fewer rows than this a plain b is read where it stands: copying it would cost more. */
enum { PACK_ROWS = 16 };

/* With fewer rows than this a transposed b is packed: a panel of so few columns is mostly empty. */
enum { TURN_ROWS = 5 };

/* One of the two factors. by_k: the rows of its array are steps of k. */
typedef struct operand {
    const float *data;
    size_t row;
    bool by_k;
} operand;

/* Where tiles go. turned: the rows of bands are the columns of c. */
typedef struct goal {
    float *c;
    size_t row;
    bool turned;
    bool first, last; /* block of k */
    matmul_finish finish;
} goal;

/* A block of panels: columns of them in all, depth steps of k. */
typedef struct panels {
    const float *data;
    size_t row, apart; /* from one step of k to the next, from one panel to the next */
    size_t columns, depth;
} panels;

/* The compiler must see a tile as registers: every loop over it is written out. */
#define UNROLL _Pragma("GCC unroll 8")

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* The count vectors that stand below each other in c, from row i and column j on; n of their
 * columns exist. fetch reads what earlier blocks of k left there. */
SIMD_INLINE void fetch(v4 x[], size_t count, const goal *to, size_t i, size_t j, size_t n) {
    UNROLL
    for (size_t r = 0; r < count; r++) {
        x[r] = v4_load_some(to->c + (i + r) * to->row + j, n, 0);
    }
}

SIMD_INLINE void settle(v4 x[], size_t count, const goal *to, size_t i, size_t j, size_t n) {
    const matmul_finish *f = &to->finish;
    if (to->last && f->scale) {
        v4 scale = v4_splat(*f->scale);
        UNROLL
        for (size_t r = 0; r < count; r++) {
            x[r] = v4_mul(x[r], scale);
        }
    }
    if (to->last && f->bias) {
        v4 bias = v4_load_some(f->bias + j, n, 0);
        UNROLL
        for (size_t r = 0; r < count; r++) {
            x[r] = v4_add(x[r], bias);
        }
    }
    if (to->last && f->residual) {
        UNROLL
        for (size_t r = 0; r < count; r++) {
            x[r] = v4_add(v4_load_some(f->residual + (i + r) * to->row + j, n, 0), x[r]);
        }
    }
    if (to->last && f->relu) {
        UNROLL
        for (size_t r = 0; r < count; r++) {
            x[r] = v4_max(x[r], v4_splat(0));
        }
    }
    UNROLL
    for (size_t r = 0; r < count; r++) {
        v4_store_some(to->c + (i + r) * to->row + j, x[r], n);
    }
}

/* How a tile begins and ends: as it stands, or transposed, four of its rows at a time. band and
 * column say where in the product it is, columns how many of its own exist. */
SIMD_INLINE void begin(v4 acc[][2], size_t rows, const goal *to, size_t band, size_t column,
                       size_t columns) {
    UNROLL
    for (size_t r = 0; r < rows; r++) {
        acc[r][0] = acc[r][1] = v4_splat(0);
    }
    if (to->first) {
        return;
    }
    UNROLL
    for (size_t half = 0; half < 2; half++) {
        size_t at = half * 4;
        if (at >= columns) {
            continue;
        }
        if (!to->turned) {
            v4 x[MOST_ROWS];
            fetch(x, rows, to, band, column + at, columns - at);
            UNROLL
            for (size_t r = 0; r < rows; r++) {
                acc[r][half] = x[r];
            }
            continue;
        }
        UNROLL
        for (size_t g = 0; g < rows; g += 4) {
            v4 x[4] = {v4_splat(0), v4_splat(0), v4_splat(0), v4_splat(0)};
            UNROLL
            for (size_t i = 0; i < 4; i++) {
                if (at + i < columns) {
                    fetch(x + i, 1, to, column + at + i, band + g, rows - g);
                }
            }
            v4_transpose(x);
            UNROLL
            for (size_t r = 0; r < 4; r++) {
                if (g + r < rows) {
                    acc[g + r][half] = x[r];
                }
            }
        }
    }
}

SIMD_INLINE void end(v4 acc[][2], size_t rows, const goal *to, size_t band, size_t column,
                     size_t columns) {
    UNROLL
    for (size_t half = 0; half < 2; half++) {
        size_t at = half * 4;
        if (at >= columns) {
            continue;
        }
        if (!to->turned) {
            v4 x[MOST_ROWS];
            UNROLL
            for (size_t r = 0; r < rows; r++) {
                x[r] = acc[r][half];
            }
            settle(x, rows, to, band, column + at, columns - at);
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
            if (at + 4 <= columns) {
                settle(x, 4, to, column + at, band + g, rows - g);
                continue;
            }
            UNROLL
            for (size_t i = 0; i < 4; i++) {
                if (at + i < columns) {
                    settle(x + i, 1, to, column + at + i, band + g, rows - g);
                }
            }
        }
    }
}

/* One step of k: acc += a[0..rows) b. */
SIMD_INLINE void step(v4 acc[][2], size_t rows, const float *const a[], size_t k, const float *b) {
    v4 b0 = v4_load(b), b1 = v4_load(b + 4);
    UNROLL
    for (size_t r = 0; r < rows; r++) {
        v4 x = v4_load_splat(a[r] + k);
        acc[r][0] = v4_fma(x, b0, acc[r][0]);
        acc[r][1] = v4_fma(x, b1, acc[r][1]);
    }
}

/* One band against all panels of a block. unroll saves counting; the way out after each step also
 * keeps the compiler from sorting four steps by accumulator, whose loads no machine could hold. */
SIMD_INLINE void band_run(size_t rows, size_t unroll, const float *a, size_t a_row, const panels *b,
                          size_t b_row, size_t band, size_t column, const goal *to) {
    for (size_t n = 0; n < b->columns; n += PANEL) {
        const float *panel = b->data + n / PANEL * b->apart;
        const float *row[MOST_ROWS];
        v4 acc[MOST_ROWS][2];
        UNROLL
        for (size_t r = 0; r < rows; r++) {
            row[r] = a + r * a_row;
        }
        begin(acc, rows, to, band, column + n, b->columns - n);
        for (size_t left = b->depth; left > 0; left -= unroll) {
            UNROLL
            for (size_t k = 0; k < unroll; k++) {
                step(acc, rows, row, k, panel + k * b_row);
                if (k + 1 < unroll && left == k + 1) {
                    goto done;
                }
            }
            UNROLL
            for (size_t r = 0; r < rows; r++) {
                row[r] += unroll;
            }
            panel += unroll * b_row;
        }
    done:
        end(acc, rows, to, band, column + n, b->columns - n);
    }
}

typedef struct tiling {
    size_t rows;
    void (*run)(const float *a, size_t a_row, const panels *b, size_t band, size_t column,
                const goal *to);
} tiling;

#define BAND(name, rows, unroll, b_row)                                                            \
    static void name(const float *a, size_t a_row, const panels *b, size_t band, size_t column,    \
                     const goal *to) {                                                             \
        band_run(rows, unroll, a, a_row, b, b_row, band, column, to);                              \
    }
BAND(band_1, 1, 1, b->row)
BAND(band_2, 2, 1, b->row)
BAND(band_4, 4, 1, b->row)

/* The bands that make up any number of rows, tallest first. They are called by pointer, lest an
 * optimiser makes one function of them all, whose registers no engine allots well. */
static const tiling FOUR[] = {{4, band_4}, {2, band_2}, {1, band_1}};
static const tiling *packed_tiling = FOUR;

#if defined(__wasm_relaxed_simd__) || !defined(__wasm__)
BAND(band_4_unrolled, 4, UNROLLED, PANEL)
BAND(band_6_unrolled, 6, UNROLLED, PANEL)
static const tiling SIX[] = {{6, band_6_unrolled}, {4, band_4_unrolled}, {2, band_2}, {1, band_1}};

size_t matmul_tile(size_t rows) {
    packed_tiling = rows == 6 ? SIX : FOUR;
    return packed_tiling->rows;
}
#else
size_t matmul_tile(size_t rows) { return (void)rows, packed_tiling->rows; }
#endif

/* 8 columns (or fewer, the others then 0) of an array by k, as depth x 8 floats; where there are 16,
 * the next panel as well, so that each cache line is fetched once. Returns the columns packed. */
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

/* 8 columns of an array whose rows are the columns: 4x4 blocks turned in registers. */
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

/* rows of the left columns of an array by k, as rows TURNED_ROW floats apart: each of its cache
 * lines is touched once. */
static void turn_rows(float *to, const float *a, size_t a_row, size_t depth, size_t rows,
                      size_t left) {
    size_t k = 0;
    for (; k + 4 <= depth; k += 4, a += 4 * a_row) {
        for (size_t g = 0; g < rows; g += 4) {
            v4 block[4];
            for (size_t i = 0; i < 4; i++) {
                block[i] = v4_load_some(a + i * a_row + g, left - g, 0);
            }
            v4_transpose(block);
            for (size_t r = 0; r < 4 && g + r < rows; r++) {
                v4_store(to + (g + r) * TURNED_ROW + k, block[r]);
            }
        }
    }
    for (; k < depth; k++, a += a_row) {
        for (size_t r = 0; r < rows; r++) {
            to[r * TURNED_ROW + k] = a[r];
        }
    }
}

/* All rows of an operand against a block of panels, whose first column is given. */
static void bands(operand a, size_t rows, const panels *b, size_t column, const goal *to) {
    float turned[TURNED_ROWS * TURNED_ROW];
    size_t first = 0, end = 0; /* the rows that stand there */
    const tiling *t = b->row == PANEL ? packed_tiling : FOUR;
    for (size_t m = 0; m < rows; m += t->rows) {
        size_t left = rows - m;
        while (t->rows > left || (t->rows == 6 && left == 8)) { /* 4 + 4 is quicker than 6 + 2 */
            t++;
        }
        if (a.by_k) {
            if (m + t->rows > end) {
                first = m;
                end = m + smaller(TURNED_ROWS, left);
                turn_rows(turned, a.data + m, a.row, b->depth, end - m, left);
            }
            t->run(turned + (m - first) * TURNED_ROW, TURNED_ROW, b, m, column, to);
        } else {
            t->run(a.data + m * a.row, a.row, b, m, column, to);
        }
    }
}

/* bands (M rows) times panels (N columns) over K steps. */
static void product(operand a, operand b, size_t M, size_t K, size_t N, goal to, bool accumulate) {
    static float packed[DEPTH * BLOCK_COLUMNS];
    bool in_place = b.by_k && M < PACK_ROWS && N % PANEL == 0;
    size_t depth;
    for (size_t k = 0; k == 0 || k < K; k += depth) {
        depth = smaller(DEPTH, K - k);
        to.first = k == 0 && !accumulate;
        to.last = k + depth >= K;
        operand rows = a;
        rows.data += a.by_k ? k * a.row : k;
        for (size_t n = 0; n < N; n += BLOCK_COLUMNS) {
            const float *from = b.data + (b.by_k ? k * b.row + n : n * b.row + k);
            panels block = {from, b.row, PANEL, smaller(BLOCK_COLUMNS, N - n), depth};
            if (!in_place) {
                block = (panels){packed, PANEL, PANEL * depth, block.columns, depth};
                for (size_t i = 0; i < block.columns;) {
                    size_t left = block.columns - i;
                    i += b.by_k
                             ? pack_columns(packed + i * depth, from + i, b.row, depth, left)
                             : pack_rows(packed + i * depth, from + i * b.row, b.row, depth, left);
                }
            }
            bands(rows, M, &block, n, &to);
        }
        if (K == 0) {
            break;
        }
    }
}

void matmul_forward(float *restrict c, const float *a, const float *b, matmul_finish finish,
                    matmul_shape shape) {
    size_t M = shape.M, K = shape.K, N = shape.N;
    assert(shape.a_row >= (shape.trans_a ? M : K) && shape.b_row >= (shape.trans_b ? K : N));
    assert(shape.c_row >= N);
    operand left = {a, shape.a_row, shape.trans_a}, right = {b, shape.b_row, !shape.trans_b};
    goal to = {.c = c, .row = shape.c_row, .finish = finish};
    /* c^T = b^T a^T: the rows of a transposed b (weights, keys) stand ready as bands, so only a,
     * the smaller one, is packed: weights need no packed copy of their own */
    if (shape.trans_b && (shape.trans_a || (M >= TURN_ROWS && M < N))) {
        to.turned = true;
        product(right, left, N, K, M, to, shape.accumulate);
    } else {
        product(left, right, M, K, N, to, shape.accumulate);
    }
}

void linear_backward(float *restrict dx, bool add_dx, float *restrict dw, float *restrict dbias,
                     const float *dy, const float *x, const float *w, size_t R, size_t in,
                     size_t out) {
    matmul_finish as_it_is = {0};
    matmul_shape inner = matmul_dense(R, out, in, false, false);
    inner.accumulate = add_dx;
    matmul_forward(dx, dy, w, as_it_is, inner);
    matmul_shape outer = matmul_dense(out, R, in, true, false);
    outer.accumulate = true;
    matmul_forward(dw, dy, x, as_it_is, outer);
    for (size_t r = 0; dbias && r < R; r++) {
        add_forward(dbias, dbias, dy + r * out, out);
    }
}
