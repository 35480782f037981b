#include "loss.h"

#include <math.h>

#include "../kernel/softmax.h"

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
