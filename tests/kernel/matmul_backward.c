/* Accumulating products, and the gradients of nn.Linear, against double. */
#include "../../src/kernel/matmul.h"
#include "../check.h"

enum { SUM, DX, DW, BOUNDS };
static bound bounds[BOUNDS] = {
    [SUM] = {.what = "accumulated, (K+1) 2^-24 (|c| + sum |a||b| + |bias|)", .allowed = 1},
    [DX] = {.what = "dx, (out+1) 2^-24 (|dx| + sum |dy||w|)", .allowed = 1},
    [DW] = {.what = "dw, (R+1) 2^-24 (|dw| + sum |dy||x|)", .allowed = 1},
};

static float *copy(const float *x, size_t n) {
    return memcpy(hold(n * sizeof *x), x, n * sizeof *x);
}

/* c + a b has the bits of the longer product (1 a) (c b)^T: c is the first term of each sum. */
static void accumulate(size_t M, size_t K, size_t N, int form) {
    matmul_shape s = matmul_dense(M, K, N, form & 1, form & 2);
    CHECK(!s.accumulate, "matmul_dense accumulates");
    matmul_shape longer = matmul_dense(1, K + 1, N, false, false);
    s.accumulate = true;
    s.c_row = N + random_below(3);
    float *a = random_floats(M * K, 1), *b = random_floats(K * N, 1);
    float *bias = random_below(2) ? random_floats(N, 2) : NULL;
    float *c = blank((M - 1) * s.c_row + N), *before, *x = blank(K + 1), *y = blank((K + 1) * N);
    for (size_t i = 0; i < M * N; i++) {
        c[i / N * s.c_row + i % N] = random_float(-2, 2);
    }
    before = copy(c, (M - 1) * s.c_row + N);
    matmul_forward(c, a, b, (matmul_epilogue){.bias = bias}, s);
    for (size_t m = 0; m < M; m++) {
        float *row = blank(N);
        x[0] = 1;
        for (size_t k = 0; k < K; k++) {
            x[k + 1] = s.trans_a ? a[k * M + m] : a[m * K + k];
            for (size_t n = 0; n < N; n++) {
                y[(k + 1) * N + n] = s.trans_b ? b[n * K + k] : b[k * N + n];
            }
        }
        memcpy(y, before + m * s.c_row, N * sizeof *y);
        matmul_forward(row, x, y, (matmul_epilogue){.bias = bias}, longer);
        CHECK(same_bits(row, c + m * s.c_row, N), "M%zu K%zu N%zu form %d: row %zu", M, K, N, form,
              m);
        for (size_t n = 0; n < N; n++) {
            double wanted = bias ? bias[n] : 0, size = fabs(wanted);
            for (size_t k = 0; k <= K; k++) {
                wanted += (double)x[k] * y[k * N + n];
                size += fabs((double)x[k] * y[k * N + n]);
            }
            CHECK_WITHIN(bounds + SUM, c[m * s.c_row + n], wanted, (double)(K + 1) * 0x1p-24 * size,
                         "M%zu K%zu N%zu form %d c[%zu,%zu]", M, K, N, form, m, n);
        }
        for (size_t n = N; m + 1 < M && n < s.c_row; n++) {
            CHECK(isnan(c[m * s.c_row + n]), "M%zu N%zu: the gap is written", M, N);
        }
    }
    release();
}

typedef struct linear {
    size_t R, in, out;
    const float *dy, *x, *w;
} linear;

/* start (0 when dx is written) + what must be added, and its size. */
static double dx_of(const linear *k, size_t r, size_t i, double start, double *size) {
    *size = fabs(start);
    for (size_t o = 0; o < k->out; o++) {
        double term = (double)k->dy[r * k->out + o] * k->w[o * k->in + i];
        start += term;
        *size += fabs(term);
    }
    return start;
}
static double dw_of(const linear *k, size_t o, size_t i, double start, double *size) {
    *size = fabs(start);
    for (size_t r = 0; r < k->R; r++) {
        double term = (double)k->dy[r * k->out + o] * k->x[r * k->in + i];
        start += term;
        *size += fabs(term);
    }
    return start;
}

static void backward(size_t R, size_t in, size_t out, bool add, bool biased) {
    linear k = {R,
                in,
                out,
                random_floats(R * out, 1),
                random_floats(R * in, 1),
                random_floats(out * in, 1)};
    float *dx = add ? random_floats(R * in, 1) : blank(R * in), *dx0 = copy(dx, R * in);
    float *dw = random_floats(out * in, 1), *dw0 = copy(dw, out * in);
    float *dbias = random_floats(out, 1), *dbias0 = copy(dbias, out);
    linear_backward(dx, add, dw, biased ? dbias : NULL, k.dy, k.x, k.w, R, in, out);
    double size;
    for (size_t i = 0; i < R * in; i++) {
        double wanted = dx_of(&k, i / in, i % in, add ? dx0[i] : 0, &size);
        CHECK_WITHIN(bounds + DX, dx[i], wanted, (double)(out + 1) * 0x1p-24 * size,
                     "R%zu in%zu out%zu add %d dx[%zu]", R, in, out, add, i);
    }
    for (size_t i = 0; i < out * in; i++) {
        double wanted = dw_of(&k, i / in, i % in, dw0[i], &size);
        CHECK_WITHIN(bounds + DW, dw[i], wanted, (double)(R + 1) * 0x1p-24 * size,
                     "R%zu in%zu out%zu dw[%zu]", R, in, out, i);
    }
    for (size_t i = 0; i < R * out && biased; i++) { /* in the order of the rows */
        dbias0[i % out] += k.dy[i];
    }
    CHECK(same_bits(dbias, dbias0, out), "R%zu in%zu out%zu: dbias", R, in, out);
    release();
}

int main(void) {
    for (size_t i = 0; i < 1200; i++) {
        accumulate(1 + random_below(20), random_below(20), 1 + random_below(20), (int)(i % 4));
    }
    static const size_t depths[] = {511, 512, 513, 1024, 1030};
    for (size_t i = 0; i < 20; i++) {
        accumulate(i % 2 ? 5 : 130, depths[i % 5], i % 3 ? 9 : 16, (int)(i / 5));
    }
    for (size_t i = 0; i < 1000; i++) {
        backward(random_below(22), 1 + random_below(22), 1 + random_below(22), i & 1, i & 2);
    }
    static const size_t sizes[] = {129, 512, 600};
    for (size_t i = 0; i < 3; i++) {
        backward(sizes[i], 7, 5, i & 1, true);
        backward(3, sizes[i], 9, i & 1, true);
        backward(5, 11, sizes[i], !(i & 1), true);
    }
    return check_done("kernel/matmul_backward", bounds, BOUNDS);
}
