#include "position.h"

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
