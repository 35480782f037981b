/* Sinusoids against the C library's, in double. */
#include "../../src/op/position.h"
#include "../check.h"

static bound error = {"error", 0x1p-25 + 1e-9, 0};

static void compare(const int32_t *positions, size_t n, size_t C) {
    float *y = blank(n * C);
    position_forward(y, positions, n, C);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < C; k++) {
            double p = positions ? positions[i] : (double)i;
            double angle = p / pow(10000, (double)(k / 2 * 2) / (double)C);
            CHECK_WITHIN(&error, y[i * C + k], k % 2 ? cos(angle) : sin(angle), 1,
                         "position %.0f of C%zu, column %zu", p, C, k);
        }
    }
    release();
}

/* Every padding of 6 tokens, against what the header says. */
static void counting(void) {
    enum { T = 6 };
    for (unsigned mask = 0; mask < 1u << T; mask++) {
        for (int from = 0; from < POSITION_START_COUNT; from++) {
            position_count count = {.from = (position_start)from};
            size_t visible = 0, first = 0;
            for (size_t t = 0; t < T; t++) {
                bool hidden = mask >> t & 1;
                if (!hidden && visible == 0) {
                    first = t;
                }
                size_t wanted = hidden || from == POSITION_INDEX ? t
                                : from == POSITION_FIRST         ? t - first
                                                                 : visible;
                size_t found = position_next(&count, t, hidden);
                CHECK(found == wanted && found <= t, "padding %x from %d: token %zu at %zu", mask,
                      from, t, found);
                visible += !hidden;
            }
        }
    }
}

int main(void) {
    counting();
    static const size_t widths[] = {1, 2, 3, 4, 5, 7, 8, 64, 65, 512};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        int32_t *positions = hold(300 * sizeof *positions);
        for (int32_t i = 0; i < 300; i++) {
            positions[i] = i < 20 ? (1 << 20) - i : i < 40 ? 1 << (i - 20) : i * 3491;
        }
        positions[299] = 0;
        compare(positions, 300, widths[w]); /* releases them */
        compare(NULL, 70, widths[w]);
        compare(NULL, 0, widths[w]);
        compare(NULL, 1, widths[w]);
    }
    return check_done("op/position", &error, 1);
}
