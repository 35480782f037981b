#include "position.h"

#include <assert.h>
#include <string.h>

#include "../kernel/vecmath.h"

void position_forward(float *y, const int32_t *positions, size_t n, size_t C) {
    for (size_t j = 0; j < C;
         j += 2) { /* the frequency of a column is the same for all positions */
        double frequency = math_exp(-(double)j / (double)C * 9.2103403719761836); /* ln 10000 */
        for (size_t i = 0; i < n; i++) {
            double sine, cosine;
            math_sincos((positions ? positions[i] : (double)i) * frequency, &sine, &cosine);
            y[i * C + j] = (float)sine;
            if (j + 1 < C) {
                y[i * C + j + 1] = (float)cosine;
            }
        }
    }
}

/* The frequency of pair i of D/2. */
static double frequency_of(size_t i, size_t D, rotation r) {
    const double turn = 6.283185307179586;
    double plain = math_exp(-2 * (double)i / (double)D * math_log(r.theta));
    if (r.scaling == ROTATION_LINEAR) {
        return plain / r.factor;
    }
    if (r.scaling == ROTATION_LLAMA3) {
        double turns = r.original * plain / turn;
        double kept = (turns - r.low) / (r.high - r.low);
        kept = kept < 0 ? 0 : kept > 1 ? 1 : kept;
        return plain * (kept + (1 - kept) / r.factor);
    }
    return plain;
}

void rotation_table(float *y, const int32_t *positions, size_t n, size_t D, rotation r) {
    assert(D % 2 == 0);
    for (size_t j = 0; j < D / 2; j++) {
        double frequency = frequency_of(j, D, r);
        for (size_t i = 0; i < n; i++) {
            double sine, cosine;
            math_sincos((positions ? positions[i] : (double)i) * frequency, &sine, &cosine);
            y[i * D + j] = (float)cosine;
            y[i * D + D / 2 + j] = (float)sine;
        }
    }
}

/* The D numbers of a head that turn; sign 1 turns, -1 turns back. */
static void rotate_head(float *y, const float *x, const float *table, float sign, size_t D,
                        bool interleaved) {
    size_t half = D / 2, i = 0;
    v4 sign4 = v4_splat(sign);
    for (; !interleaved && i + 4 <= half; i += 4) {
        v4 a = v4_load(x + i), b = v4_load(x + half + i), cosine = v4_load(table + i);
        v4 sine = v4_mul(v4_load(table + half + i), sign4);
        v4_store(y + i, v4_sub(v4_mul(a, cosine), v4_mul(b, sine)));
        v4_store(y + half + i, v4_add(v4_mul(b, cosine), v4_mul(a, sine)));
    }
    size_t step = interleaved ? 2 : 1, apart = interleaved ? 1 : half;
    for (; i < half; i++) {
        float a = x[i * step], b = x[i * step + apart], cosine = table[i];
        float sine = table[half + i] * sign;
        y[i * step] = a * cosine - b * sine;
        y[i * step + apart] = b * cosine + a * sine;
    }
}

static void rotate(float *y, const float *x, const float *table, float sign, size_t T, size_t H,
                   size_t D, size_t N, bool interleaved) {
    for (size_t t = 0; t < T; t++) {
        for (size_t h = 0; h < H; h++) {
            size_t at = (t * H + h) * D;
            rotate_head(y + at, x + at, table + t * N, sign, N, interleaved);
            if (y != x && N < D) {
                memcpy(y + at + N, x + at + N, (D - N) * sizeof *y);
            }
        }
    }
}

void rotation_forward(float *y, const float *x, const float *table, size_t T, size_t H, size_t D,
                      size_t N, bool interleaved) {
    rotate(y, x, table, 1, T, H, D, N, interleaved);
}

void rotation_backward(float *y, const float *x, const float *table, size_t T, size_t H, size_t D,
                       size_t N, bool interleaved) {
    rotate(y, x, table, -1, T, H, D, N, interleaved);
}

size_t position_next(position_count *count, size_t t, bool hidden) {
    if (hidden || count->from == POSITION_INDEX) {
        return t;
    }
    if (count->seen == 0) {
        count->first = t;
    }
    size_t before = count->seen++;
    return count->from == POSITION_FIRST ? t - count->first : before;
}

size_t relative_bucket(size_t distance, bool after, relative_positions r) {
    size_t buckets = r.both ? r.buckets / 2 : r.buckets, exact = buckets / 2;
    size_t from = r.both && after ? buckets : 0;
    if (distance < exact) {
        return from + distance;
    }
    if (distance >= r.most) {
        return from + buckets - 1;
    }
    float far = (float)math_log((float)distance / (float)exact);
    float all = (float)math_log((double)r.most / (double)exact);
    size_t bucket = exact + (size_t)(far / all * (float)(buckets - exact));
    return from + (bucket < buckets ? bucket : buckets - 1);
}

void relative_forward(float *y, const float *table, size_t row, float factor, size_t H, size_t n,
                      bool after, relative_positions r) {
    for (size_t i = 0; i < n; i++) {
        const float *bias = table + relative_bucket(i, after, r) * row;
        for (size_t h = 0; h < H; h++) {
            y[h * n + i] = bias[h] * factor;
        }
    }
}

void relative_backward(float *dtable, const float *dy, size_t row, float factor, size_t H, size_t n,
                       bool after, relative_positions r) {
    for (size_t i = 0; i < n; i++) {
        float *dbias = dtable + relative_bucket(i, after, r) * row;
        for (size_t h = 0; h < H; h++) {
            dbias[h] += dy[h * n + i] * factor;
        }
    }
}
