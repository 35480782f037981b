/* start.h: small models that are about to be trained. */
#ifndef GLASSFORMER_TESTS_TRAIN_START_H
#define GLASSFORMER_TESTS_TRAIN_START_H

#include "../../src/train/trainer.h"
#include "../model/fixture.h"

typedef struct training {
    fixture *f;
    trainer t;
} training;

static inline trainer_settings defaults(void) {
    trainer_settings s;
    for (size_t i = 0; i < TRAINER_COUNT; i++) {
        config_field f;
        settings_describe(&f, i);
        memcpy((char *)&s + i * sizeof(double), &f.fallback, sizeof(double));
    }
    return s;
}

static inline void *copy(const void *from, size_t bytes) {
    return memcpy(hold(bytes), from, bytes);
}

static inline float *zeroed(size_t bytes) { return memset(hold(bytes), 0, bytes); }

/* weights NULL: fresh ones. */
static inline training start(const model_config *c, trainer_settings s, void *weights,
                             bool capture) {
    request ask = {.B = 2,
                   .S = config_has_encoder(c) ? 5 : 0,
                   .T = config_has_decoder(c) || !config_has_encoder(c) ? 4 : 0,
                   .train = true,
                   .capture = capture,
                   .vector_targets = s.loss > 0};
    training a = {.f = fixture_make(c, ask, weights)};
    if (!weights) {
        fill_inputs(a.f);
    }
    size_t bytes = a.f->weight_bytes;
    a.t = (trainer){.settings = s,
                    .moment1 = zeroed(bytes),
                    .moment2 = zeroed(bytes),
                    .count = bytes / sizeof(float)};
    return a;
}

static inline model_config small(int32_t kind, int32_t norm) {
    model_config c;
    config_default(&c, kind);
    bool stack = config_has_encoder(&c) || config_has_decoder(&c);
    c.vocabulary = stack ? 9 : 0;
    c.d_model = 8;
    c.heads = 2;
    c.d_ff = 12;
    c.head = stack ? HEAD_LINEAR : HEAD_NONE;
    c.norm = norm;
    c.activation = 1; /* a ReLU would hide an infinity */
    return c;
}

/* Settings that move every weight: a large rate, and decay. */
static inline trainer_settings moving(const model_config *c, int optimizer) {
    trainer_settings s = defaults();
    s.loss = c->head == HEAD_NONE;
    s.optimizer = optimizer;
    s.learning_rate = 0.01;
    s.weight_decay = 0.1;
    return s;
}

static inline step_report step(training *a) {
    step_report out;
    memset(&out, 0x5a, sizeof out);
    int32_t result = trainer_step(&a->t, &a->f->m, &out);
    CHECK(result == MODEL_OK, "step %zu: got %d at %s", a->t.steps, result, out.where);
    CHECK(out.where[0] == 0, "a good step has no where: %s", out.where);
    return out;
}

static inline bool equal(const training *a, const training *b) {
    size_t bytes = a->f->weight_bytes;
    return memcmp(a->f->m.weights, b->f->m.weights, bytes) == 0 && a->t.steps == b->t.steps &&
           memcmp(a->t.moment1, b->t.moment1, bytes) == 0 &&
           memcmp(a->t.moment2, b->t.moment2, bytes) == 0;
}

#endif
