/* Rows of a table: scaled, added, their gradients, and which ids are rows. */
#include "../../src/op/embed.h"
#include "../../src/kernel/matmul.h"
#include "../../src/kernel/packed.h"
#include "../check.h"

static void rows(size_t n, size_t V, size_t C) {
    float *table = random_floats(V * C, 3), *y = blank(n * C), *before = random_floats(n * C, 2);
    int32_t *ids = hold(n * sizeof *ids);
    for (size_t i = 0; i < n; i++) {
        ids[i] = (int32_t)(i == 0 ? V - 1 : i == 1 ? 0 : random_below(V));
    }
    float scale = sqrtf((float)C);
    embed_forward(y, ids, table, WEIGHT_F32, scale, n, V, C);
    for (size_t i = 0; i < n * C; i++) {
        float wanted = table[(size_t)ids[i / C] * C + i % C] * scale;
        CHECK(y[i] == wanted, "embed_forward n%zu V%zu C%zu y[%zu]: got %g, wanted %g", n, V, C, i,
              (double)y[i], (double)wanted);
    }
    memcpy(y, before, n * C * sizeof *y);
    embed_add(y, ids, table, n, C);
    for (size_t i = 0; i < n * C; i++) {
        float wanted = before[i] + table[(size_t)ids[i / C] * C + i % C];
        CHECK(y[i] == wanted, "embed_add n%zu V%zu C%zu y[%zu]: got %g, wanted %g", n, V, C, i,
              (double)y[i], (double)wanted);
    }
    CHECK(embed_valid(ids, n, V), "ids 0..V-1 are valid");
    release();
}

/* A table that is packed or arranged has the rows that it was made of, also those beyond its last whole panel. */
static void kept(size_t V, size_t C, weight_type type) {
    size_t count = (V + HALF_PANEL) * C;
    float *table = random_floats(count, 3), *own = hold(count * sizeof *own),
          *wanted = blank(V * C), *y = blank(V * C);
    memset(own, 0, count * sizeof *own);
    if (type == WEIGHT_PANELS) {
        matmul_arrange(memcpy(own, table, V * C * sizeof *own), V, C, true);
    } else {
        CHECK(half_put((uint16_t *)own, C, 0, table, V * C, type), "put");
        half_get(table, (uint16_t *)own, C, 0, V * C, type);
    }
    int32_t *ids = hold(V * sizeof *ids);
    for (size_t i = 0; i < V; i++) {
        ids[i] = (int32_t)(V - 1 - i);
    }
    embed_forward(wanted, ids, table, WEIGHT_F32, 2, V, V, C);
    embed_forward(y, ids, own, type, 2, V, V, C);
    CHECK(same_bits(y, wanted, V * C), "V%zu C%zu type %d", V, C, type);
    release();
}

/* Rows add up in the order of the ids; a row that no id names keeps its bits, NaN or not. */
static void backward(size_t n, size_t V, size_t C, float scale) {
    float *table = random_floats(V * C, 1), *dy = random_floats(n * C, 2);
    int32_t *ids = hold(n * sizeof *ids);
    for (size_t i = 0; i < n; i++) {
        ids[i] = (int32_t)random_below(V / 2 + 1); /* the others are never named */
    }
    for (size_t i = (V / 2 + 1) * C; i < V * C; i++) {
        table[i] = i % 2 ? NAN : -0.0f;
    }
    float *wanted = memcpy(hold(V * C * sizeof *table), table, V * C * sizeof *table);
    for (size_t i = 0; i < n * C; i++) {
        float share = dy[i] * scale;
        wanted[(size_t)ids[i / C] * C + i % C] += share;
    }
    embed_backward(table, ids, dy, scale, n, C);
    CHECK(same_bits(table, wanted, V * C), "embed_backward n%zu V%zu C%zu scale %g", n, V, C,
          (double)scale);
    release();
}

static void valid(void) {
    for (size_t n = 1; n <= 9; n++) {
        for (size_t at = 0; at < n; at++) {
            static const int32_t bad[] = {-1, 5, 6, INT32_MAX, INT32_MIN};
            int32_t *ids = hold(n * sizeof *ids);
            for (size_t i = 0; i < n; i++) {
                ids[i] = (int32_t)random_below(5);
            }
            CHECK(embed_valid(ids, n, 5), "%zu good ids", n);
            for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
                ids[at] = bad[b];
                CHECK(!embed_valid(ids, n, 5), "id %d at %zu of %zu", bad[b], at, n);
            }
        }
    }
    CHECK(embed_valid(NULL, 0, 5), "no ids are valid ids");
    release();
}

int main(void) {
    for (size_t V = 1; V <= 20; V++) {
        kept(V, 1 + V % 7, WEIGHT_PANELS);
        kept(V, 1 + V % 5, WEIGHT_BF16);
    }
    for (size_t C = 1; C <= 13; C++) {
        rows(1 + C % 5, 1 + C % 7, C);
        rows(0, 3, C);
        backward(9, 1 + C % 7, C, sqrtf((float)C));
        backward(30, 9, C, 1);
        backward(0, 2, C, 1);
    }
    valid();
    return check_done("op/embed", NULL, 0);
}
