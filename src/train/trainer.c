#include "trainer.h"

#include <math.h>
#include <string.h>

#include "../kernel/dropout.h"
#include "../kernel/elementwise.h"
#include "../kernel/optimizer.h"

static objective objective_of(const trainer *t) {
    const trainer_settings *s = &t->settings;
    return (objective){.kind = (int32_t)s->loss,
                       .ignore_index = (int32_t)s->ignore_index,
                       .smoothing = (float)s->label_smoothing,
                       .dropout = (float)s->dropout,
                       .dropout_key = dropout_key((uint32_t)s->seed, (uint32_t)t->steps, 0)};
}

/* Clears the report and fills it from run: model_loss or model_gradients. */
static int32_t examine(trainer *t, model *m, step_report *out,
                       int32_t run(model *, const objective *, float *, size_t *), size_t first,
                       size_t count) {
    objective o = objective_of(t);
    o.first = first;
    o.count = count;
    size_t counted = 0;
    memset(out, 0, sizeof *out);
    int32_t result = run(m, &o, &out->loss, &counted);
    out->counted = (int32_t)counted;
    out->steps = (int32_t)t->steps;
    return result;
}

/* Number i of the spans that train; false when there is none. */
static bool span_at(const trainer *t, size_t i, trainer_span *out) {
    if (!t->spans) {
        *out = (trainer_span){0, (int32_t)t->count};
        return i == 0;
    }
    if (i < t->span_count) {
        *out = t->spans[i];
    }
    return i < t->span_count;
}

int32_t trainer_loss(trainer *t, model *m, step_report *out) {
    return examine(t, m, out, model_loss, 0, 0);
}

/* Completes the report of gradients. */
static int32_t measure(trainer *t, model *m, step_report *out) {
    double squares = 0;
    trainer_span in;
    for (size_t i = 0; span_at(t, i, &in); i++) {
        const float *gradients = m->gradients;
        squares += add_squares(gradients + in.begin, (size_t)(in.end - in.begin));
    }
    out->gradient_norm = (float)sqrt(squares);
    if (!isfinite(out->loss) || !isfinite(out->gradient_norm)) {
        out->gradient = tensors_first_bad(out->where, &m->tensors, &m->dims);
        return TRAINER_ERROR_NUMBER;
    }
    return MODEL_OK;
}

int32_t trainer_shard(trainer *t, model *m, step_report *out, size_t first, size_t count) {
    int32_t result = examine(t, m, out, model_gradients, first, count);
    return result == MODEL_OK ? measure(t, m, out) : result;
}

int32_t trainer_gradients(trainer *t, model *m, step_report *out) {
    return trainer_shard(t, m, out, 0, 0);
}

/* The optimiser's step on measured gradients. */
static void update(trainer *t, model *m, step_report *out) {
    const trainer_settings *s = &t->settings;
    size_t step = t->steps + 1;
    optimizer_rates r = settings_rates(s, settings_rate(s, step, m->dims.C));
    double norm = (double)out->gradient_norm + 1e-6; /* PyTorch's clip_grad_norm_ */
    if (s->clip > 0 && norm > s->clip) {
        r.gradient_scale = s->clip / norm;
    }
    trainer_span in;
    for (size_t i = 0; span_at(t, i, &in); i++) {
        size_t at = (size_t)in.begin, n = (size_t)(in.end - in.begin);
        float *weights = m->weights;
        const float *gradients = m->gradients;
        optimizer_step((int)s->optimizer, weights + at, t->moment1 + at, t->moment2 + at,
                       gradients + at, n, r, step);
    }
    t->steps = step;
    out->rate = r.rate;
    out->steps = (int32_t)step;
}

int32_t trainer_apply(trainer *t, model *m, step_report *out) {
    int32_t result = measure(t, m, out);
    if (result == MODEL_OK) {
        update(t, m, out);
    }
    return result;
}

int32_t trainer_step(trainer *t, model *m, step_report *out) {
    int32_t result = trainer_gradients(t, m, out);
    if (result == MODEL_OK) {
        update(t, m, out);
    }
    return result;
}
