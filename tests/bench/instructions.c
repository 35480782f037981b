/* One workload of the kernels, natively, a given number of times: to be counted by callgrind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/kernel/activation.h"
#include "../../src/kernel/matmul.h"
#include "../../src/kernel/norm.h"
#include "../../src/kernel/optimizer.h"
#include "../../src/kernel/softmax.h"

enum { N = 128, SIZE = N * N };

static float a[SIZE], b[SIZE], c[SIZE], d[SIZE];

static void product(size_t rows, bool trans_a, bool trans_b) {
    matmul_forward(c, a, b, (matmul_epilogue){0}, matmul_dense(rows, N, N, trans_a, trans_b));
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    int times = count > 2 ? atoi(arguments[2]) : 0;
    matmul_tile(count > 3 ? (size_t)atoi(arguments[3]) : 4);
    for (size_t i = 0; i < SIZE; i++) {
        a[i] = (float)(i % 17) / 17 - 0.5f;
        b[i] = (float)(i % 23) / 23 - 0.5f;
    }
    optimizer_rates rates = {
        .rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .gradient_scale = 1};
    for (int i = 0; i < times; i++) {
        if (strcmp(name, "matmul 128x128x128") == 0) {
            product(N, false, false);
        } else if (strcmp(name, "matmul 128x128x128 A B^T") == 0) {
            product(N, false, true);
        } else if (strcmp(name, "matmul 128x128x128 A^T B") == 0) {
            product(N, true, false);
        } else if (strcmp(name, "matmul 16x128x128 A B^T") == 0) {
            product(16, false, true);
        } else if (strcmp(name, "softmax 128x128") == 0) {
            softmax_forward(c, N, a, N, N, N);
        } else if (strcmp(name, "LayerNorm 128x128") == 0) {
            norm_forward(c, NULL, NULL, a, NULL, NULL, 1e-5f, N, N);
        } else if (strcmp(name, "GELU 128x128") == 0) {
            activation_forward(c, a, SIZE, ACTIVATION_GELU);
        } else if (strcmp(name, "AdamW 16384") == 0) {
            optimizer_adamw(a, c, d, b, SIZE, rates, (size_t)i + 1);
        } else {
            fprintf(stderr, "no workload %s\n", name);
            return 1;
        }
    }
    printf("%g\n", (double)c[1]); /* so that nothing is left out */
    return 0;
}
