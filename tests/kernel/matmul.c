/* Products in all four forms, by every tile, with every epilogue, against double; gaps
 * between rows must stay as they are; each row again on its own. */
#include "../../src/kernel/matmul.h"
#include "../check.h"

enum { TILES = 2 };

static bound error = {"error, K 2^-24 sum |a||b| (each step of epilogue: + 2^-24 |c|)", 1, 0};

/* rows x columns, row apart; NaN in the gaps; the buffer ends with the last element. */
static float *matrix(size_t rows, size_t columns, size_t row, float scale) {
    float *x = blank(rows && columns ? (rows - 1) * row + columns : 0);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            x[i * row + j] = random_float(-scale, scale);
        }
    }
    return x;
}

static float at(const float *x, size_t row, size_t i, size_t j, bool trans) {
    return trans ? x[j * row + i] : x[i * row + j];
}

/* The epilogue of the product, and the former contents of c (NULL: nothing is accumulated). */
typedef struct ending {
    matmul_epilogue epilogue;
    const float *before;
} ending;

static void compare(const float *c, const float *a, const float *b, ending e, matmul_shape s) {
    const matmul_epilogue *f = &e.epilogue;
    for (size_t m = 0; m < s.M; m++) {
        for (size_t n = 0; n < s.N; n++) {
            size_t at_c = m * s.c_row + n;
            double wanted = e.before ? e.before[at_c] : 0, size = fabs(wanted);
            for (size_t k = 0; k < s.K; k++) {
                double term =
                    (double)at(a, s.a_row, m, k, s.trans_a) * at(b, s.b_row, k, n, s.trans_b);
                wanted += term;
                size += fabs(term);
            }
            double unit = (double)(s.K + (e.before != NULL)) * 0x1p-24 * size;
            if (f->scale) {
                wanted *= *f->scale;
                unit = unit * fabs(*f->scale) + 0x1p-24 * fabs(wanted);
            }
            if (f->bias) {
                wanted += f->bias[n];
                unit += 0x1p-24 * fabs(wanted);
            }
            if (f->residual) {
                wanted += f->residual[at_c];
                unit += 0x1p-24 * fabs(wanted);
            }
            wanted = f->relu ? fmax(wanted, 0) : wanted;
            CHECK_WITHIN(&error, c[at_c], wanted, unit, "M%zu K%zu N%zu %d%d c[%zu,%zu]", s.M, s.K,
                         s.N, s.trans_a, s.trans_b, m, n);
        }
        for (size_t n = s.N; m + 1 < s.M && n < s.c_row; n++) {
            CHECK(isnan(c[m * s.c_row + n]), "M%zu K%zu N%zu: the gap of row %zu is written", s.M,
                  s.K, s.N, m);
        }
    }
}

/* A row computed alone has the bits that it has among the others. */
static void alone(const float *c, const float *a, const float *b, ending e, matmul_shape s) {
    matmul_shape one = s;
    one.M = 1;
    for (size_t m = 0; m < s.M; m++) {
        float *row = blank(s.N);
        matmul_epilogue epilogue = e.epilogue;
        epilogue.residual += epilogue.residual ? m * s.c_row : 0;
        if (e.before) {
            memcpy(row, e.before + m * s.c_row, s.N * sizeof *row);
        }
        matmul_forward(row, a + m * (s.trans_a ? 1 : s.a_row), b, epilogue, one);
        CHECK(same_bits(row, c + m * s.c_row, s.N), "M%zu K%zu N%zu %d%d: row %zu alone differs",
              s.M, s.K, s.N, s.trans_a, s.trans_b, m);
    }
}

static void product(size_t M, size_t K, size_t N, bool trans_a, bool trans_b) {
    size_t a_rows = trans_a ? K : M, a_columns = trans_a ? M : K;
    size_t b_rows = trans_b ? N : K, b_columns = trans_b ? K : N;
    matmul_shape s = matmul_dense(M, K, N, trans_a, trans_b);
    CHECK(s.a_row == a_columns && s.b_row == b_columns && s.c_row == N && s.M == M && s.K == K &&
              s.N == N && s.trans_a == trans_a && s.trans_b == trans_b && !s.accumulate,
          "matmul_dense(%zu, %zu, %zu, %d, %d)", M, K, N, trans_a, trans_b);
    s.a_row += random_below(4);
    s.b_row += random_below(4);
    s.c_row += random_below(4);
    s.accumulate = random_below(3) == 0;
    float *a = matrix(a_rows, a_columns, s.a_row, 1), *b = matrix(b_rows, b_columns, s.b_row, 1);
    static const float scales[] = {0, -0.37f, 1.5f};
    size_t size = (M - 1) * s.c_row + N;
    ending e = {.epilogue = {.scale = random_below(3) ? NULL : &scales[random_below(3)],
                             .bias = random_below(2) ? random_floats(N, 2) : NULL,
                             .residual = random_below(3) ? NULL : random_floats(size, 2),
                             .relu = random_below(4) == 0},
                .before = s.accumulate ? matrix(M, N, s.c_row, 1) : NULL};
    static const size_t tiles[TILES] = {4, 6};
    float *c[TILES];
    for (size_t i = 0; i < TILES; i++) {
        CHECK(matmul_tile(tiles[i]) == tiles[i], "a tile of %zu rows is refused", tiles[i]);
        c[i] = blank(size);
        if (e.before) {
            memcpy(c[i], e.before, size * sizeof *c[i]);
        }
        matmul_forward(c[i], a, b, e.epilogue, s);
        compare(c[i], a, b, e, s);
        alone(c[i], a, b, e, s);
    }
    for (size_t i = 1; i < TILES; i++) {
        CHECK(same_bits(c[0], c[i], size), "M%zu K%zu N%zu %d%d: tile %zu differs", M, K, N,
              trans_a, trans_b, i);
    }
    release();
}

static void forms(size_t M, size_t K, size_t N) {
    for (int form = 0; form < 4; form++) {
        product(M, K, N, form & 1, form & 2);
    }
}

/* Numbers outside a row or column never reach it, not even as 0 * NaN. */
static void poison(void) {
    for (size_t M = 2; M <= 21; M++) {
        size_t K = 6, N = M;
        float *a = random_floats(M * K, 1), *b = random_floats(K * N, 1), *c = blank(M * N);
        size_t row = random_below(M), column = random_below(N);
        a[row * K + 3] = NAN;
        b[4 * N + column] = INFINITY;
        matmul_forward(c, a, b, (matmul_epilogue){0}, matmul_dense(M, K, N, false, false));
        for (size_t i = 0; i < M * N; i++) {
            bool touched = i / N == row || i % N == column;
            CHECK(touched == !isfinite(c[i]), "poison of M%zu at c[%zu]: got %g", M, i,
                  (double)c[i]);
        }
    }
    release();
}

static void nothing(void) {
    matmul_epilogue no_epilogue = {0};
    float c[6] = {1, 2, 3, 4, 5, 6}, bias[3] = {-1, 7, -0.0f}, some[3] = {0};
    for (int form = 0; form < 4; form++) {
        matmul_shape none = matmul_dense(2, 0, 3, form & 1, form & 2);
        matmul_forward(c, some, some, (matmul_epilogue){.bias = bias}, none);
        for (int i = 0; i < 6; i++) {
            CHECK(c[i] == bias[i % 3], "K=0 with bias, form %d: got %g", form, (double)c[i]);
        }
        matmul_forward(c, some, some, no_epilogue, none);
        CHECK(c[0] == 0 && c[5] == 0, "K=0 without bias, form %d: got %g", form, (double)c[5]);
        c[0] = 9;
        matmul_forward(c, some, some, no_epilogue, matmul_dense(0, 1, 3, form & 1, form & 2));
        matmul_forward(c, some, some, no_epilogue, matmul_dense(3, 1, 0, form & 1, form & 2));
        CHECK(c[0] == 9, "M=0 or N=0, form %d, writes", form);
    }
}

static void linear(void) {
    float *x = random_floats(5 * 11, 1), *w = random_floats(9 * 11, 1), *bias = random_floats(9, 1);
    float *y = blank(5 * 9);
    matmul_epilogue epilogue = {.bias = bias};
    linear_forward(y, x, w, WEIGHT_F32, epilogue, 5, 11, 9);
    compare(y, x, w, (ending){epilogue, NULL}, matmul_dense(5, 11, 9, false, true));
    release();
}

/* Weights in 16 bits: the bits of the same numbers as floats. */
static void narrow(size_t R, size_t in, size_t out, weight_type type) {
    size_t panels = (out + HALF_PANEL - 1) / HALF_PANEL;
    uint16_t *packed = hold(panels * HALF_PANEL * in * sizeof *packed);
    memset(packed, 0, panels * HALF_PANEL * in * sizeof *packed);
    float *x = random_floats(R * in, 1), *w = random_floats(out * in, 1),
          *bias = random_floats(out, 1);
    float *residual = random_floats(R * out, 1), *wanted = blank(R * out), *got = blank(R * out);
    CHECK(half_put(packed, in, 0, w, out * in, type), "put");
    half_get(w, packed, in, 0, out * in, type);
    matmul_epilogue epilogue = {
        .bias = bias, .residual = R % 2 ? residual : NULL, .relu = R % 3 == 0};
    linear_forward(wanted, x, w, WEIGHT_F32, epilogue, R, in, out);
    linear_forward(got, x, packed, type, epilogue, R, in, out);
    CHECK(same_bits(got, wanted, R * out), "%zu rows, %zu to %zu, type %d", R, in, out, type);
    release();
}

/* Arranged weights: the bits of rows, also beyond the last whole panel, and rows again as they were. */
static void arranged(size_t R, size_t in, size_t out) {
    size_t n = out * in, whole = out / 8 * 8 * in;
    float *x = random_floats(R * in, 1), *w = random_floats(n, 1), *bias = random_floats(out, 1);
    float *residual = random_floats(R * out, 1), *wanted = blank(R * out), *got = blank(R * out);
    float *moved = memcpy(hold(n * sizeof *w), w, n * sizeof *w), *read = blank(whole);
    matmul_arrange(moved, out, in, true);
    matmul_epilogue epilogue = {
        .bias = R % 3 ? bias : NULL, .residual = R % 2 ? residual : NULL, .relu = R % 3 == 0};
    linear_forward(wanted, x, w, WEIGHT_F32, epilogue, R, in, out);
    linear_forward(got, x, moved, WEIGHT_PANELS, epilogue, R, in, out);
    CHECK(same_bits(got, wanted, R * out), "%zu rows, %zu to %zu, arranged", R, in, out);
    size_t first = whole ? random_below(whole) : 0;
    panels_get(read, moved, in, first, whole - first);
    CHECK(same_bits(read, w + first, whole - first), "%zu to %zu, read from %zu", in, out, first);
    matmul_arrange(moved, out, in, false);
    CHECK(same_bits(moved, w, n), "%zu to %zu, rows again", in, out);
    release();
}

int main(void) {
    for (size_t M = 1; M <= 20; M++) {
        for (size_t N = 1; N <= 20; N++) {
            forms(M, 1 + random_below(20), N);
        }
    }
    for (size_t K = 0; K <= 20; K++) {
        size_t M = 1 + random_below(20);
        forms(M, K, 1 + random_below(20));
    }
    static const size_t rows[] = {7, 8, 9, 15, 16, 17, 127, 128, 129, 131, 257};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        forms(rows[i], 5, 9);
        forms(9, 7, rows[i]);
        forms(3, rows[i], 8);
    }
    static const size_t depths[] = {511, 512, 513, 514, 515, 1023, 1024, 1025};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        forms(5, depths[i], 11);
        forms(18, depths[i], 3);
    }
    forms(131, 513, 9);
    for (size_t M = 1; M <= 5; M++) { /* large matrices: one row reads them by far streams */
        forms(M, 130, 509);
        forms(M, 513, 128);
    }
    for (size_t R = 1; R <= 9; R++) {
        for (int type = WEIGHT_BF16; type <= WEIGHT_F16; type++) {
            narrow(R, 1 + random_below(40), 1 + random_below(300), (weight_type)type);
            narrow(R, 513, 1 + random_below(20), (weight_type)type);
        }
        for (size_t out = 1; out <= 20; out++) {
            arranged(R, 1 + random_below(40), out);
        }
        arranged(R, 1030, 130);
        arranged(R, 2 + random_below(20), 4001);
    }
    arranged(67, 130, 77);
    arranged(1, MOST_ARRANGED, 9);
    poison();
    nothing();
    linear();
    return check_done("kernel/matmul", &error, 1);
}
