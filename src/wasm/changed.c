/* The exports that run a model with changes: numbers put in others' places, cotangents, a temperature. */
#include <math.h>

#include "api.h"
#include "owner.h"

static bool inside(const owner *o, const float *place, size_t count) {
    const float *first = o->block, *end = first + o->block_bytes / sizeof *first;
    return place >= first && place < end && count <= (size_t)(end - place) &&
           (uintptr_t)place % sizeof *place == 0;
}

static int32_t changes_invalid(const owner *o, const gf_changes *c) {
    const patches *p = &c->patches;
    bool fits = c->temperature > 0 && c->temperature < INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        fits = fits && inside(o, p->list[i].at, 1);
    }
    for (size_t i = 0; i < p->cotangent_count; i++) {
        fits = fits && inside(o, p->cotangents[i].of, p->cotangents[i].count);
    }
    bool captured = o->model.dims.capture || p->count + p->cotangent_count == 0;
    return !o->model.ready || !captured ? GF_ERROR_STATE : fits ? 0 : GF_ERROR_ARGUMENT;
}

/* Runs something of a model with changes, or without (NULL). */
static int32_t run_changed(void *given, int32_t handle, const gf_changes *c,
                           int32_t run(owner *, void *)) {
    owner **at = owner_find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    owner *o = *at;
    model *m = &o->model;
    int32_t result = c ? changes_invalid(o, c) : 0;
    if (result == 0) {
        m->patches = c ? &c->patches : NULL;
        m->temperature = c ? c->temperature : 1;
        result = run(o, given);
        m->patches = NULL;
        m->temperature = 1;
    }
    return result;
}

static int32_t forward(owner *o, void *given) {
    (void)given;
    return model_forward(&o->model);
}

int32_t gf_model_forward_patched(int32_t handle, const gf_changes *changes) {
    return run_changed(NULL, handle, changes, forward);
}

static int32_t logits(owner *o, void *given) {
    const size_t *row = given;
    return model_logits(&o->model, *row);
}

int32_t gf_model_logits(int32_t handle, size_t row, const gf_changes *changes) {
    return run_changed(&row, handle, changes, logits);
}

static int32_t vjp(owner *o, void *given) {
    step_report *out = given;
    model *m = &o->model;
    int32_t result = model_vjp(m);
    if (result == MODEL_OK) {
        out->gradient = tensors_first_bad(out->where, &m->tensors, &m->dims);
    }
    return result;
}

int32_t gf_model_vjp(step_report *out, int32_t handle, const gf_changes *changes) {
    return run_changed(out, handle, changes, vjp);
}

static int32_t gradients(owner *o, void *given) {
    return o->training ? trainer_gradients(&o->trainer, &o->model, given) : GF_ERROR_STATE;
}

int32_t gf_trainer_gradients(step_report *out, int32_t handle, const gf_changes *changes) {
    return run_changed(out, handle, changes, gradients);
}

static int32_t loss(owner *o, void *given) {
    return o->training ? trainer_loss(&o->trainer, &o->model, given) : GF_ERROR_STATE;
}

int32_t gf_trainer_loss(step_report *out, int32_t handle, const gf_changes *changes) {
    return run_changed(out, handle, changes, loss);
}
