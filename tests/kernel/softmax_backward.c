/* The gradient of softmax against double, with masked entries, dead rows and gaps between rows. */
#include "../../src/kernel/softmax.h"
#include "../check.h"

static bound error = {"error, (N/4 + 10) 2^-24 y largest |dy| |factor|", 1, 0};

typedef struct sizes {
    size_t R, N, dx_row, dy_row, y_row;
    float factor;
} sizes;

static void compare(const float *dx, const float *dy, const float *y, sizes k) {
    for (size_t r = 0; r < k.R; r++, dx += k.dx_row, dy += k.dy_row, y += k.y_row) {
        double sum = 0, top = 0;
        for (size_t i = 0; i < k.N; i++) {
            sum += (double)dy[i] * y[i];
            top = fmax(top, fabs(dy[i]));
        }
        for (size_t i = 0; i < k.N; i++) {
            double wanted = y[i] * (dy[i] - sum) * k.factor;
            double part = ((double)k.N / 4 + 10) * 0x1p-24 * y[i] * top + 0x1p-149; /* denormal */
            CHECK_WITHIN(&error, dx[i], wanted, part * fmax(fabs(k.factor), 1),
                         "N%zu dx[%zu,%zu] factor %g", k.N, r, i, (double)k.factor);
            CHECK(y[i] != 0 || dx[i] == 0, "N%zu: masked entry %zu has %g", k.N, i, (double)dx[i]);
        }
        for (size_t i = k.N; r + 1 < k.R && i < k.dx_row; i++) {
            CHECK(isnan(dx[i]), "N%zu: the gap is written", k.N);
        }
    }
}

static void rows(size_t R, size_t N, float scale, float size, int mask, float factor) {
    sizes k = {R, N, N + random_below(4), N + random_below(4), N + random_below(4), factor};
    float *x = blank(R * N), *y = blank((R - 1) * k.y_row + N);
    float *dy = blank((R - 1) * k.dy_row + N), *dx = blank((R - 1) * k.dx_row + N);
    float *place = blank((R - 1) * k.dy_row + N);
    for (size_t i = 0; i < R * N; i++) {
        bool hide = (mask == 1 && random_below(3) == 0) || (mask == 2 && i / N % 2 == 0);
        x[i] = hide ? -INFINITY : random_float(-scale, scale);
        dy[i / N * k.dy_row + i % N] = random_float(-size, size);
        place[i / N * k.dy_row + i % N] = dy[i / N * k.dy_row + i % N];
    }
    softmax_forward(y, k.y_row, x, N, R, N);
    softmax_backward(dx, k.dx_row, dy, k.dy_row, y, k.y_row, factor, R, N);
    compare(dx, dy, y, k);
    softmax_backward(place, k.dy_row, place, k.dy_row, y, k.y_row, factor, R, N);
    for (size_t r = 0; r < R; r++) {
        CHECK(same_bits(place + r * k.dy_row, dx + r * k.dx_row, N), "N%zu: in place differs", N);
        for (size_t i = N; r + 1 < R && i < k.dy_row; i++) {
            CHECK(isnan(place[r * k.dy_row + i]), "N%zu: the gap is written in place", N);
        }
    }
    release();
}

/* Equal terms behind a large one: each of a lane's additions rounds alike. */
static void alike(size_t N, float high) {
    float *x = blank(N), *y = blank(N), *dy = blank(N), *dx = blank(N);
    for (size_t i = 0; i < N; i++) {
        x[i] = i ? 0 : high;
        dy[i] = 0.77f;
    }
    softmax_forward(y, N, x, N, 1, N);
    softmax_backward(dx, N, dy, N, y, N, 1, 1, N);
    compare(dx, dy, y, (sizes){1, N, N, N, N, 1});
    release();
}

/* dy that is the same everywhere moves nothing; a certain row neither. */
static void still(size_t N) {
    float *x = random_floats(N, 2), *y = blank(N), *dy = blank(N), *dx = blank(N);
    for (size_t i = 0; i < N; i++) {
        dy[i] = 3;
    }
    softmax_forward(y, N, x, N, 1, N);
    softmax_backward(dx, N, dy, N, y, N, 1, 1, N);
    for (size_t i = 0; i < N; i++) {
        CHECK(fabs(dx[i]) <= 0x1p-21 * 3, "level dy, N%zu: dx[%zu] is %g", N, i, (double)dx[i]);
        x[i] = i == N / 2 ? 200 : -200;
        dy[i] = random_float(-5, 5);
    }
    softmax_forward(y, N, x, N, 1, N);
    softmax_backward(dx, N, dy, N, y, N, 1, 1, N);
    for (size_t i = 0; i < N; i++) {
        CHECK(dx[i] == 0, "a certain row, N%zu: dx[%zu] is %g", N, i, (double)dx[i]);
    }
    release();
}

int main(void) {
    static const float factors[] = {1, 0.35355339f, -2, 0};
    for (size_t N = 1; N <= 70; N++) {
        for (int i = 0; i < 12; i++) {
            rows(1 + N % 4, N, 3, 1, i % 3, factors[i / 3]);
            rows(2, N, 50, 1e4f, i % 3, factors[i / 3]);
            rows(3, N, 0.01f, 1e-6f, i % 3, factors[i / 3]);
        }
        still(N);
    }
    rows(2, 513, 4, 1, 1, 1);
    rows(1, 4099, 1, 1, 0, 0.5f);
    for (int i = 0; i < 1000; i++) {
        alike((size_t)1 << (i % 50 ? 3 + i % 8 : 12 + i / 50 % 5), random_float(0, 14));
    }
    CHECK(error.worst > 0.5, "%s: %g at most", error.what, error.worst);
    float untouched[2] = {7, 8};
    softmax_backward(untouched, 1, untouched, 1, untouched, 1, 1, 2, 0);
    softmax_backward(untouched, 1, untouched, 1, untouched, 1, 1, 0, 1);
    CHECK(untouched[0] == 7 && untouched[1] == 8, "N=0 or R=0 writes");
    return check_done("kernel/softmax_backward", &error, 1);
}
