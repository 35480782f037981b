#include "loss.h"

#include <math.h>

#include "../kernel/simd.h"
#include "../kernel/softmax.h"
#include "../kernel/vecmath.h"

bool loss_targets_valid(const int32_t *targets, size_t R, size_t V, int32_t ignore_index) {
    for (size_t r = 0; r < R; r++) {
        if (targets[r] != ignore_index && (targets[r] < 0 || (size_t)targets[r] >= V)) {
            return false;
        }
    }
    return true;
}

size_t loss_cross_entropy(float *loss, float *log_probability, const float *logits,
                          const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                          float smoothing, bool mean) {
    double total = 0;
    size_t counted = 0;
    for (size_t r = 0; r < R; r++, logits += V, log_probability += V) {
        double normaliser = softmax_log_sum_exp(logits, V), all = 0;
        bool counts = targets[r] != ignore_index;
        double aim = counts ? (double)logits[targets[r]] - normaliser : 0; /* before an alias */
        for (size_t v = 0; v < V; v++) {
            double value = (double)logits[v] - normaliser;
            log_probability[v] = (float)value;
            all += value;
        }
        if (counts) {
            counted++;
            total -= (1.0 - smoothing) * aim;
            total -= smoothing > 0 ? smoothing / (double)V * all : 0;
        }
    }
    *loss = (float)(mean ? (counted ? total / (double)counted : (double)NAN) : total);
    return counted;
}

void loss_cross_entropy_backward(float *dlogits, const float *log_probability,
                                 const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                                 float smoothing, size_t count) {
    float share = count > 0 ? 1 / (float)count : 0, even = smoothing / (float)V;
    for (size_t r = 0; r < R; r++, dlogits += V, log_probability += V) {
        if (targets[r] == ignore_index) {
            memset(dlogits, 0, V * sizeof *dlogits);
            continue;
        }
        size_t v = 0;
        for (; v + 4 <= V; v += 4) {
            v4 d = v4_sub(v4_exp(v4_load(log_probability + v)), v4_splat(even));
            v4_store(dlogits + v, v4_mul(d, v4_splat(share)));
        }
        if (v < V) {
            v4 p = v4_load_part(log_probability + v, V - v, 0);
            v4_store_part(dlogits + v, v4_mul(v4_sub(v4_exp(p), v4_splat(even)), v4_splat(share)),
                          V - v);
        }
        dlogits[targets[r]] -= (1 - smoothing) * share;
    }
}

double loss_mse(float *dy, const float *y, const float *target, const uint8_t *mask, size_t R,
                size_t N, size_t of) {
    double sum = 0;
    for (size_t i = 0; i < R * N; i++) {
        double d = mask && !mask[i / N] ? 0 : (double)y[i] - target[i];
        sum += d * d;
        if (dy) {
            dy[i] = (float)(2 * d / (double)of);
        }
    }
    return sum / (double)of;
}
