#include "sample.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "../kernel/elementwise.h"
#include "../kernel/softmax.h"

static size_t largest(const float *x, size_t V) {
    size_t best = 0;
    for (size_t v = 1; v < V; v++) {
        best = x[v] > x[best] ? v : best;
    }
    return best;
}

/* Keeps the k largest of x (of equals the first) and sets the others to -Infinity. Goes down from
 * distinct value to distinct value until k are at or above the threshold: O(k V), no scratch. */
static void keep_top(float *x, size_t V, size_t k) {
    size_t kept = 0;
    float threshold = INFINITY; /* becomes the k-th largest value */
    while (kept < k) {
        float next = -INFINITY;
        size_t equal = 0;
        for (size_t v = 0; v < V; v++) {
            if (x[v] < threshold && x[v] > next) {
                next = x[v];
            }
        }
        for (size_t v = 0; v < V; v++) {
            equal += x[v] == next;
        }
        if (next == -INFINITY) {
            return; /* fewer finite logits than k */
        }
        threshold = next;
        if (kept + equal >= k) {
            break;
        }
        kept += equal;
    }
    for (size_t v = 0; v < V; v++) {
        bool keep = x[v] > threshold || (x[v] == threshold && kept < k);
        kept += x[v] == threshold && keep;
        x[v] = keep ? x[v] : -INFINITY;
    }
}

int32_t sample_token(const float *logits, size_t V, float temperature, size_t top_k, rng *r,
                     float *scratch) {
    bool any = false;
    for (size_t v = 0; v < V; v++) {
        if (!(logits[v] < INFINITY)) {
            return -1;
        }
        any = any || logits[v] > -INFINITY;
    }
    if (!any) {
        return -1;
    }
    size_t best = largest(logits, V);
    if (temperature == 0) {
        return (int32_t)best;
    }
    memcpy(scratch, logits, V * sizeof *logits);
    if (top_k > 0 && top_k < V) {
        keep_top(scratch, V, top_k);
    }
    /* subtract first: a tiny temperature then sends the others to -Infinity, not to NaN */
    for (size_t v = 0; v < V; v++) {
        scratch[v] = (scratch[v] - logits[best]) / temperature;
    }
    softmax_forward(scratch, V, scratch, V, 1, V);
    float draw = rng_uniform(r), sum = 0;
    for (size_t v = 0; v < V; v++) {
        sum += scratch[v];
        if (draw < sum && scratch[v] > 0) {
            return (int32_t)v;
        }
    }
    return (int32_t)best; /* rounding left the sum below the draw */
}
