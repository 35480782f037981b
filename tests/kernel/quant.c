/* Weights in 8 bits: what is kept, that it stays when it is written again, and the product to the bit. */
#include "../../src/kernel/quant.h"
#include "../../src/kernel/matmul.h"
#include "../check.h"

static bound error = {"error of a product / (2^-16 of each 32's largest)", 1, 0};

static size_t bytes_of(size_t K, size_t N) {
    return (N + 15) / 16 * ((K + 31) / 32) * sizeof(quant_block);
}

/* A matrix of zeros. */
static void *zeros(size_t K, size_t N) { return memset(hold(bytes_of(K, N)), 0, bytes_of(K, N)); }

/* Any numbers, in blocks of very different sizes. */
static float *numbers(size_t rows, size_t K) {
    float *x = random_floats(rows * K, 1);
    for (size_t i = 0; i < rows * K; i++) {
        int size = (int)(i / K * 7 + i % K / 32 * 3) % 5;
        x[i] = size ? ldexpf(x[i], 4 * size - 10) : 0;
    }
    return x;
}

/* Within half a step of what was written, the largest to 2^-17 of itself; read and written again the same bytes. */
static void kept(size_t K, size_t N) {
    float *w = numbers(N, K), *got = blank(N * K);
    char *packed = zeros(K, N), *again = zeros(K, N);
    CHECK(quant_put(packed, K, 0, w, N * K), "put");
    quant_get(got, packed, K, 0, N * K);
    for (size_t i = 0; i < bytes_of(K, N) / sizeof(quant_block) * 16; i++) { /* 17 bits of 24 */
        uint32_t bits;
        memcpy(&bits, &((quant_block *)(void *)packed)[i / 16].scale[i % 16], sizeof bits);
        CHECK(bits % 0x80 == 0, "scale %zu: %08x", i, bits);
    }
    for (size_t i = 0; i < N * K; i++) {
        float most = 0;
        for (size_t j = i - i % K % 32; j < i - i % K + K && j < i - i % K % 32 + 32; j++) {
            most = fmaxf(most, fabsf(w[j]));
        }
        double off = fabs((double)got[i] - (double)w[i]);
        CHECK(off <= (double)most * (fabsf(w[i]) == most ? 0x1p-17 : 0.50001 / 127),
              "%zu of %zu to %zu: %g became %g", i, K, N, (double)w[i], (double)got[i]);
    }
    for (size_t i = 0, n; i < N * K; i += n) { /* by blocks, and more of them at once */
        size_t rest = K - i % K < 32 ? K - i % K : 32;
        n = i % 3 || rest + i >= N * K ? rest : N * K - i;
        CHECK(quant_put(again, K, i, got + i, n), "put again");
        float some = 0;
        quant_get(&some, again, K, i + n - 1, 1);
        CHECK(same_bits(&some, got + i + n - 1, 1), "the last of %zu from %zu", n, i);
    }
    CHECK(memcmp(again, packed, bytes_of(K, N)) == 0, "%zu to %zu, put back", K, N);
    release();
}

/* A part of a block: the others stay within half a step of the new largest. */
static void parts(void) {
    enum { K = 40 };
    float x[K], got[K], large = -254, bad[] = {NAN, INFINITY, -0x1p127f};
    void *packed = zeros(K, 1);
    for (size_t i = 0; i < K; i++) {
        x[i] = (float)i - 20;
    }
    CHECK(quant_put(packed, K, 0, x, K) && quant_put(packed, K, 30, &large, 1), "put");
    quant_get(got, packed, K, 0, K);
    for (size_t i = 0; i < K; i++) {
        double step = i < 32 ? 2 : 19.0 / 127;
        CHECK(fabs((double)got[i] - (double)(i == 30 ? large : x[i])) <= step * 0.54, "%zu: %g", i,
              (double)got[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        float now[K];
        x[0] = bad[i];
        CHECK(!quant_put(packed, K, 0, x, 1), "%g", (double)bad[i]);
        quant_get(now, packed, K, 0, K);
        CHECK(same_bits(now, got, K), "%g changes something", (double)bad[i]);
    }
    float ends[] = {0x1.fffffep126f, 0x1p-100f, 0x1.fffffep-101f};
    for (size_t i = 0; i < 3; i++) {
        float some[K] = {ends[i]}, now = NAN;
        CHECK(quant_put(packed, K, 0, some, 32), "put %a", (double)ends[i]);
        quant_get(&now, packed, K, 0, 1);
        CHECK(i < 2 ? fabsf(now - ends[i]) <= ends[i] * 0x1p-17f : now == 0, "%a", (double)now);
    }
    release();
}

/* The product by its definition, in floats of the same order; and how far it is from that of doubles. */
static void reference(float *y, const float *x, const float *w, const void *packed, size_t row,
                      size_t n, size_t K) {
    const quant_block *b = (const quant_block *)packed + n / 16 * ((K + 31) / 32);
    const float *from = x + row * K, *by = w + n * K;
    double exact = 0, unit = 0;
    float sum = 0;
    for (size_t k = 0; k < K; k += 32, b++) {
        float most = 0;
        int32_t whole = 0;
        for (size_t i = k; i < K && i < k + 32; i++) {
            most = fmaxf(most, fabsf(from[i]));
        }
        for (size_t i = k; most > 0 && i < K && i < k + 32; i++) {
            int32_t q = (int32_t)rintf(from[i] / (most / 32767));
            whole += q * b->q[(i - k) / 2][n % 16][i % 2];
            exact += (double)from[i] * (double)by[i];
            unit += fabs((double)by[i]) * (double)most * 0x1p-16 +
                    fabs((double)from[i] * (double)by[i]) * (double)K * 0x1p-24;
        }
        sum += (float)whole * (b->scale[n % 16] * (most / 32767));
    }
    *y = sum;
    CHECK_WITHIN(&error, sum, exact, unit, "row %zu, column %zu, K %zu", row, n, K);
}

static void product(size_t R, size_t K, size_t N) {
    float *x = numbers(R, K), *w = numbers(N, K), *bias = random_floats(N, 1);
    float *residual = random_floats(R * N, 1), *y = blank(R * N), *alone = blank(N);
    void *packed = zeros(K, N);
    CHECK(quant_put(packed, K, 0, w, N * K), "put");
    quant_get(w, packed, K, 0, N * K);
    matmul_epilogue epilogue = {
        .bias = bias, .residual = R % 2 ? residual : NULL, .relu = R % 3 == 0};
    linear_forward(y, x, packed, WEIGHT_INT8, epilogue, R, K, N);
    for (size_t i = 0; i < R * N; i++) {
        float wanted;
        reference(&wanted, x, w, packed, i / N, i % N, K);
        wanted += bias[i % N];
        wanted = epilogue.residual ? residual[i] + wanted : wanted;
        wanted = epilogue.relu ? fmaxf(wanted, 0) : wanted;
        CHECK(y[i] == wanted, "%zu rows, %zu to %zu, %zu: got %a, wanted %a", R, K, N, i,
              (double)y[i], (double)wanted);
    }
    for (size_t m = 0; m < R; m++) {
        epilogue.residual = R % 2 ? residual + m * N : NULL;
        linear_forward(alone, x + m * K, packed, WEIGHT_INT8, epilogue, 1, K, N);
        CHECK(same_bits(alone, y + m * N, N), "row %zu of %zu alone", m, R);
    }
    release();
}

/* A number that is not finite makes its row NaN, and no other one. */
static void poison(void) {
    enum { K = 70, N = 17 };
    float bad[] = {NAN, INFINITY, -INFINITY}, tiny = 0x1p-101f;
    for (size_t R = 1; R <= 4; R++) {
        float *x = numbers(R, K), *w = random_floats(N * K, 1), *y = blank(R * N);
        void *packed = zeros(K, N);
        CHECK(quant_put(packed, K, 0, w, N * K), "put");
        size_t row = random_below(R), k = random_below(K);
        x[row * K + k] = bad[random_below(3)];
        for (size_t i = 0; R == 4 && i < 32 && i != k; i++) {
            x[row * K + i] = tiny;
        }
        linear_forward(y, x, packed, WEIGHT_INT8, (matmul_epilogue){0}, R, K, N);
        for (size_t i = 0; i < R * N; i++) {
            CHECK(isnan(y[i]) == (i / N == row), "%g at %zu of %zu: %g", (double)x[row * K + k],
                  row, R, (double)y[i]);
        }
    }
    release();
}

int main(void) {
    for (size_t i = 0; i < 12; i++) {
        kept(1 + random_below(70), 1 + random_below(40));
    }
    parts();
    for (size_t R = 1; R <= 9; R++) {
        product(R, 1 + random_below(100), 1 + random_below(100));
    }
    product(40, 4097, 17); /* more than a block of k, and more rows than fit */
    product(3, 4096, 33);
    product(2, 1000, 150); /* more columns than stay near */
    poison();
    return check_done("kernel/quant", &error, 1);
}
