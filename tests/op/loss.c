/* Cross-entropy against double. */
#include "../../src/op/loss.h"
#include "../check.h"

static bound error = {"error, ulp / 2 + (3 V + R + 10) 2^-53 (1 + largest |logit|)", 1, 0};

enum { IGNORED = -100 };

static void rows(size_t R, size_t V, float scale, float shift, float smoothing, int ignore) {
    float *logits = blank(R * V), *log_probability = blank(R * V), loss[2];
    int32_t *targets = hold(R * sizeof *targets);
    double total = 0, size = 0;
    size_t counted = 0;
    for (size_t i = 0; i < R * V; i++) {
        logits[i] = shift + random_float(-scale, scale);
        size = fmax(size, fabs(logits[i]));
    }
    for (size_t r = 0; r < R; r++) {
        bool skip = ignore == 2 || (ignore == 1 && r % 3 == 1);
        targets[r] = skip ? IGNORED : (int32_t)random_below(V);
    }
    size_t returned[2];
    for (int mean = 0; mean <= 1; mean++) {
        returned[mean] = loss_cross_entropy(loss + mean, log_probability, logits, targets, R, V,
                                            IGNORED, smoothing, mean);
    }
    double each = (double)(3 * V + R + 10) * 0x1p-53 * (1 + size);
    for (size_t r = 0; r < R; r++) {
        long double m = -INFINITY, sum = 0;
        double all = 0;
        for (size_t v = 0; v < V; v++) {
            m = fmaxl(m, logits[r * V + v]);
        }
        for (size_t v = 0; v < V; v++) {
            sum += expl(logits[r * V + v] - m);
        }
        for (size_t v = 0; v < V; v++) {
            double wanted = (double)(logits[r * V + v] - m - logl(sum));
            CHECK_WITHIN(&error, log_probability[r * V + v], wanted, ulp(wanted) / 2 + each,
                         "log_probability[%zu,%zu] R%zu V%zu", r, v, R, V);
            all += wanted;
        }
        if (targets[r] != IGNORED) {
            double own = (double)(logits[r * V + (size_t)targets[r]] - m - logl(sum));
            total -= (1 - (double)smoothing) * own + (double)smoothing / (double)V * all;
            counted++;
        }
    }
    CHECK(returned[0] == counted && returned[1] == counted, "R%zu: counted %zu, wanted %zu", R,
          returned[0], counted);
    double unit = ulp(total) / 2 + each * (double)R, mean = total / (double)counted;
    CHECK_WITHIN(&error, loss[0], total, unit, "sum R%zu V%zu smoothing %g", R, V,
                 (double)smoothing);
    CHECK_WITHIN(&error, loss[1], mean, counted ? ulp(mean) / 2 + each : 1,
                 "mean R%zu V%zu smoothing %g", R, V, (double)smoothing);
    float again; /* log_probability may be logits */
    loss_cross_entropy(&again, logits, logits, targets, R, V, IGNORED, smoothing, false);
    CHECK(again == loss[0] && same_bits(logits, log_probability, R * V), "R%zu V%zu: in place", R,
          V);
    release();
}

/* A masked logit has log-probability -Infinity and costs nothing, unless it is the target. */
static void masked(void) {
    float logits[4] = {1, -INFINITY, 1, -INFINITY}, log_probability[4], loss;
    int32_t target = 2;
    loss_cross_entropy(&loss, log_probability, logits, &target, 1, 4, -1, 0, true);
    CHECK(loss == (float)log(2) && log_probability[1] == -INFINITY, "masked: got %g", (double)loss);
    target = 1;
    loss_cross_entropy(&loss, log_probability, logits, &target, 1, 4, -1, 0, true);
    CHECK(loss == INFINITY, "a masked target: got %g", (double)loss);
}

/* A target is a column or what is ignored, in every row. */
static void valid(void) {
    static const struct {
        int32_t target;
        bool valid;
    } cases[] = {{0, true},  {4, true},   {5, false},         {-1, false},
                 {-7, true}, {-8, false}, {INT32_MAX, false}, {INT32_MIN, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t R = 1; R <= 3; R++) {
            for (size_t r = 0; r < R; r++) {
                int32_t *targets = memset(hold(R * sizeof *targets), 0, R * sizeof *targets);
                targets[r] = cases[i].target;
                CHECK(loss_targets_valid(targets, R, 5, -7) == cases[i].valid,
                      "target %d of 5, row %zu of %zu", cases[i].target, r, R);
                release();
            }
        }
    }
    int32_t beyond = 5;
    CHECK(loss_targets_valid(&beyond, 1, 5, 5) && loss_targets_valid(&beyond, 0, 5, 0),
          "ignored beyond the columns, or no row");
}

int main(void) {
    valid();
    static const float smoothing[] = {0, 0.1f, 0.5f, 1};
    for (size_t V = 1; V <= 40; V += V < 10 ? 1 : 13) {
        for (int s = 0; s < 4; s++) {
            for (int ignore = 0; ignore <= 2; ignore++) {
                rows(1 + V % 6, V, 5, 0, smoothing[s], ignore);
                rows(3, V, 1e4f, 0, smoothing[s], ignore);
                rows(4, V, 1, -1e5f, smoothing[s], ignore);
                rows(0, V, 1, 0, smoothing[s], ignore);
            }
        }
    }
    rows(7, 1000, 8, 2, 0.1f, 1);
    rows(2, 50257, 1, 0, 0.1f, 0);
    masked();
    return check_done("op/loss", &error, 1);
}
