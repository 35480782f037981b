/* The gradients of the losses against central differences in double. */
#include "../../src/op/loss.h"
#include "../check.h"

enum { DLOGITS, MSE, DY, BOUNDS };
static bound bounds[BOUNDS] = {
    [DLOGITS] = {.what = "dlogits, 1 / count", .allowed = 3e-7},
    [MSE] = {.what = "mean squared error, relative", .allowed = 1e-12},
    [DY] = {.what = "its dy, ulp", .allowed = 0.51},
};

enum { IGNORED = -7 };

/* One counted row's loss. */
static double row_loss(const double *x, size_t V, size_t target, double smoothing) {
    double m = -INFINITY, sum = 0, all = 0;
    for (size_t v = 0; v < V; v++) {
        m = fmax(m, x[v]);
    }
    for (size_t v = 0; v < V; v++) {
        sum += exp(x[v] - m);
        all += x[v];
    }
    double normaliser = m + log(sum);
    return (smoothing - 1) * (x[target] - normaliser) -
           (smoothing > 0 ? smoothing / (double)V * (all - (double)V * normaliser) : 0);
}

static void compare(const float *dlogits, const float *logits, const int32_t *targets, size_t R,
                    size_t V, float smoothing, size_t count) {
    double *x = hold(V * sizeof *x), share = count ? 1 / (double)count : 0;
    for (size_t r = 0; r < R; r++) {
        for (size_t v = 0; v < V; v++) {
            x[v] = logits[r * V + v];
        }
        for (size_t v = 0; v < V; v++) {
            float got = dlogits[r * V + v];
            if (targets[r] == IGNORED) {
                CHECK(got == 0, "row %zu does not count: %g", r, (double)got);
                continue;
            }
            double kept = x[v], ends[2];
            for (int side = 0; side < 2; side++) {
                x[v] = kept + (side ? 1e-4 : -1e-4);
                ends[side] = row_loss(x, V, (size_t)targets[r], smoothing);
            }
            x[v] = kept;
            CHECK_WITHIN(bounds + DLOGITS, got, (ends[1] - ends[0]) / 2e-4 * share, share,
                         "dlogits[%zu,%zu] R%zu V%zu smoothing %g count %zu", r, v, R, V,
                         (double)smoothing, count);
        }
    }
}

static void rows(size_t R, size_t V, float scale, float smoothing, int ignore, bool mean) {
    float *logits = random_floats(R * V, scale), *log_probability = blank(R * V), loss;
    float *dlogits = blank(R * V);
    int32_t *targets = hold(R * sizeof *targets);
    for (size_t r = 0; r < R; r++) {
        bool skip = ignore == 2 || (ignore == 1 && r % 3 == 1);
        targets[r] = skip ? IGNORED : (int32_t)random_below(V);
    }
    size_t counted =
        loss_cross_entropy(&loss, log_probability, logits, targets, R, V, IGNORED, smoothing, mean);
    size_t count = mean ? counted : 1;
    loss_cross_entropy_backward(dlogits, log_probability, targets, R, V, IGNORED, smoothing, count);
    compare(dlogits, logits, targets, R, V, smoothing, count);
    for (size_t r = 0; r < R; r++) {
        double sum = 0;
        for (size_t v = 0; v < V; v++) {
            sum += dlogits[r * V + v];
        }
        CHECK(fabs(sum) <= 1e-6, "row %zu of R%zu V%zu sums to %g", r, R, V, sum);
    }
    loss_cross_entropy_backward(log_probability, log_probability, targets, R, V, IGNORED, smoothing,
                                count);
    CHECK(same_bits(log_probability, dlogits, R * V), "R%zu V%zu: in place differs", R, V);
    release();
}

/* Rows that do not count are not read, and have no gradient. */
static void mse_masked(void) {
    float y[6] = {1, 2, NAN, 4, 5, 6}, target[6] = {0, 0, 1, NAN, 7, 6}, dy[6];
    const uint8_t mask[3] = {1, 0, 1};
    double loss = loss_mse(dy, y, target, mask, 3, 2, 4);
    static const float wanted[6] = {0.5f, 1, 0, 0, -1, 0};
    CHECK(loss == 9.0 / 4, "masked mse: %g", loss);
    CHECK(memcmp(dy, wanted, sizeof dy) == 0, "masked mse: dy %g %g %g %g %g %g", (double)dy[0],
          (double)dy[1], (double)dy[2], (double)dy[3], (double)dy[4], (double)dy[5]);
    const uint8_t none[3] = {0, 0, 0};
    CHECK(isnan(loss_mse(dy, y, target, none, 3, 2, 0)), "the mean of no row");
}

/* A masked logit has gradient 0, without smoothing. */
static void masked(void) {
    float x[6] = {1, -INFINITY, 1, -INFINITY, -INFINITY, -INFINITY}, loss;
    int32_t target = 2;
    loss_cross_entropy(&loss, x, x, &target, 1, 6, -1, 0, true);
    loss_cross_entropy_backward(x, x, &target, 1, 6, -1, 0, 1);
    static const float wanted[6] = {0.5f, 0, -0.5f, 0, 0, 0};
    for (int i = 0; i < 6; i++) {
        CHECK(fabs((double)x[i] - wanted[i]) <= 1e-7, "masked: dlogits[%d] is %g", i, (double)x[i]);
    }
}

static void mse(size_t n, float scale) {
    float *y = random_floats(n, scale), *target = random_floats(n, scale), *dy = blank(n);
    double wanted = 0, loss = loss_mse(dy, y, target, NULL, n, 1, n);
    for (size_t i = 0; i < n; i++) {
        double d = (double)y[i] - target[i], slope = 2 * d / (double)n;
        wanted += d * d / (double)n;
        CHECK_WITHIN(bounds + DY, dy[i], slope, ulp(slope), "mse n%zu dy[%zu]", n, i);
    }
    CHECK_WITHIN(bounds + MSE, loss, wanted, wanted, "mse n%zu", n);
    float *part = blank(n);
    double share = loss_mse(part, y, target, NULL, 1, n, 4 * n);
    CHECK(share == loss / 4, "mse n%zu, a part of four: %g of %g", n, share, loss);
    for (size_t i = 0; i < n; i++) {
        CHECK(part[i] == dy[i] / 4, "mse n%zu, a part of four: dy[%zu]", n, i);
    }
    CHECK(loss_mse(NULL, y, target, NULL, n, 1, n) == loss, "mse n%zu without dy", n);
    CHECK(loss_mse(y, y, target, NULL, n, 1, n) == loss && same_bits(y, dy, n), "mse n%zu in place",
          n);
    CHECK(loss_mse(dy, target, target, NULL, n, 1, n) == 0 && dy[0] == 0 && dy[n - 1] == 0,
          "mse n%zu: nothing to learn", n);
    release();
}

int main(void) {
    static const float smoothing[] = {0, 0.1f, 0.5f, 1};
    for (size_t V = 1; V <= 40; V += V < 10 ? 1 : 13) {
        for (int i = 0; i < 24; i++) {
            rows(1 + V % 6, V, 5, smoothing[i % 4], i / 4 % 3, i / 12);
            rows(3, V, 30, smoothing[i % 4], i / 4 % 3, i / 12);
            rows(0, V, 1, smoothing[i % 4], 0, i / 12);
        }
    }
    rows(7, 1000, 8, 0.1f, 1, true);
    masked();
    mse_masked();
    for (size_t n = 1; n <= 40; n++) {
        mse(n, n % 2 ? 3 : 1e4f);
    }
    return check_done("op/loss_backward", bounds, BOUNDS);
}
