#include "trainer.h"

#include <math.h>
#include <string.h>

#include "../kernel/dropout.h"
#include "../kernel/elementwise.h"
#include "../kernel/optimizer.h"
#include "../kernel/rng.h"

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

/* The norm of x, and the largest |y|, of what trains. */
static double norm(const trainer *t, const float *x, const float *y, double *largest) {
    double squares = 0;
    *largest = 0;
    trainer_span in;
    for (size_t i = 0; span_at(t, i, &in); i++) {
        float most;
        squares += add_squares(x + in.begin, (size_t)(in.end - in.begin), y + in.begin, &most);
        *largest = fmax(*largest, most);
    }
    return sqrt(squares);
}

/* Completes the report of gradients. */
static int32_t measure(trainer *t, model *m, step_report *out) {
    out->gradient_norm = (float)norm(t, m->gradients, m->weights, &t->sizes.p);
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

/* Whether the step would leave a number of this weight, or a moment of it, not finite. */
static bool is_bad(const trainer *t, const model *m, const tensor_info *weight, optimizer_rates r,
                   size_t step) {
    const float *weights = m->weights, *gradients = m->gradients, *data = weight->data;
    size_t from = (size_t)(data - weights), to = from + 1;
    for (int32_t axis = 0; axis < weight->rank; axis++) {
        to = from + (to - from) * (size_t)weight->shape[axis];
    }
    trainer_span in;
    for (size_t i = 0; span_at(t, i, &in); i++) {
        size_t at = (size_t)in.begin > from ? (size_t)in.begin : from;
        size_t end = (size_t)in.end < to ? (size_t)in.end : to, n = at < end ? end - at : 0;
        if (optimizer_first_bad((int)t->settings.optimizer, weights + at, t->moment1 + at,
                                t->moment2 + at, gradients + at, n, r, step) < n) {
            return true;
        }
    }
    return false;
}

/* Names the first such weight; false: there is none. It ignores the space between weights. */
static bool finds_bad(char name[64], const trainer *t, model *m, optimizer_rates r, size_t step) {
    enum { PART = 8 };
    tensor_info part[PART];
    size_t first = 0, count;
    while ((count = tensors_list(part, &m->tensors, &m->dims, first, PART)) > 0) {
        for (size_t i = 0; i < count; i++) {
            bool weighs = part[i].region == WEIGHT && !part[i].gradient;
            if (weighs && is_bad(t, m, part + i, r, step)) {
                memcpy(name, part[i].name, sizeof part[i].name);
                return true;
            }
        }
        first += count;
    }
    return false;
}

/* Whether the step leaves all that trains finite; else where it does not. */
static bool fits(trainer *t, model *m, step_report *out, optimizer_rates r, size_t step) {
    int kind = (int)t->settings.optimizer;
    double largest = out->gradient_norm;
    if (optimizer_fits(kind, &t->sizes, largest, r, step)) {
        return true;
    }
    t->sizes.m = norm(t, t->moment1, t->moment2, &t->sizes.v);
    if (optimizer_fits(kind, &t->sizes, largest, r, step)) {
        return true;
    }
    if (finds_bad(out->where, t, m, r, step)) {
        out->gradient = 2;
        return false;
    }
    t->sizes.m = INFINITY; /* to be found anew */
    return true;
}

/* The optimiser's step on measured gradients. */
static int32_t update(trainer *t, model *m, step_report *out) {
    const trainer_settings *s = &t->settings;
    size_t step = t->steps + 1;
    optimizer_rates r = settings_rates(s, settings_rate(s, step, m->dims.C));
    double total = (double)out->gradient_norm + 1e-6; /* PyTorch's clip_grad_norm_ */
    if (s->clip > 0 && total > s->clip) {
        r.gradient_scale = s->clip / total;
    }
    if (!fits(t, m, out, r, step)) {
        return TRAINER_ERROR_NUMBER;
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
    return MODEL_OK;
}

int32_t trainer_apply(trainer *t, model *m, step_report *out) {
    int32_t result = measure(t, m, out);
    return result == MODEL_OK ? update(t, m, out) : result;
}

int32_t trainer_step(trainer *t, model *m, step_report *out) {
    int32_t result = trainer_gradients(t, m, out);
    return result == MODEL_OK ? update(t, m, out) : result;
}

int32_t trainer_draw(const trainer *t, model *m) {
    const model_tensors *v = &m->tensors.value;
    size_t C = m->dims.C, count = m->dims.B * m->dims.T;
    if (t->rows == 0 || !m->ready || !v->target_vectors || m->config.kind != KIND_FEED_FORWARD) {
        return MODEL_ERROR_STATE;
    }
    rng r = rng_seed((uint32_t)t->settings.seed, (uint32_t)t->steps);
    for (size_t i = 0; i < count; i++) {
        size_t row = (size_t)((uint64_t)rng_next(&r) * t->rows >> 32);
        memcpy(v->input + i * C, t->data + row * C, C * sizeof(float));
        memcpy(v->target_vectors + i * C, t->labels + row * C, C * sizeof(float));
    }
    return MODEL_OK;
}

void trainer_resume(trainer *t, size_t steps) {
    t->steps = steps;
    t->sizes.m = INFINITY; /* found when it is needed */
}
