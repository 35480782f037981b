#include "settings.h"

#include <math.h>

#include "../kernel/vecmath.h"

static const config_field fields[TRAINER_COUNT] = {
#define X(field, name, type, fallback, low, high, choices, ...)                                    \
    [TRAINER_##field] = {name, choices, #type[0], 0, fallback, low, high},
    TRAINER_FIELDS(X)
#undef X
};

void settings_describe(config_field *out, size_t index) { *out = fields[index]; }

int settings_invalid(const settings *s) {
#define X(field, name, type, ...)                                                                  \
    if (!(s->field >= fields[TRAINER_##field].low && s->field <= fields[TRAINER_##field].high) ||  \
        (#type[0] != 'f' && s->field != rint(s->field))) {                                         \
        return TRAINER_##field;                                                                    \
    }
    TRAINER_FIELDS(X)
#undef X
    bool ends = s->schedule == SCHEDULE_LINEAR || s->schedule == SCHEDULE_COSINE;
    if (ends && s->steps <= s->warmup) {
        return TRAINER_steps;
    }
    if (s->schedule == SCHEDULE_NOAM && s->warmup < 1) {
        return TRAINER_warmup;
    }
    return -1;
}

double settings_rate(const settings *s, size_t t, size_t d_model) {
    double now = (double)t;
    if (s->schedule == SCHEDULE_NOAM) {
        double decay = 1 / sqrt(now), rise = now / (s->warmup * sqrt(s->warmup));
        return s->learning_rate / sqrt((double)d_model) * (decay < rise ? decay : rise);
    }
    if (now <= s->warmup) {
        return s->learning_rate * now / s->warmup;
    }
    double share = 1;
    if (s->schedule != SCHEDULE_CONSTANT) {
        double p = (now - s->warmup) / (s->steps - s->warmup), sine, cosine;
        p = p < 1 ? p : 1;
        math_sincos(3.14159265358979323846 * p, &sine, &cosine);
        share = s->schedule == SCHEDULE_LINEAR ? 1 - (1 - s->floor) * p
                                               : s->floor + (1 - s->floor) * (1 + cosine) / 2;
    }
    return s->learning_rate * share;
}

optimizer_rates settings_rates(const settings *s, double rate) {
    return (optimizer_rates){.rate = rate,
                             .beta1 = s->beta1,
                             .beta2 = s->beta2,
                             .epsilon = s->epsilon,
                             .weight_decay = s->weight_decay,
                             .momentum = s->momentum,
                             .gradient_scale = 1};
}
