/* Steps of training: what they move and clip, and that the same start gives the same bits. */
#include "../../src/train/trainer.h"

#include "../../src/kernel/optimizer.h"
#include "start.h"

/* A step is the optimiser's, on the gradients of trainer_gradients, clipped as clip_grad_norm_ does. */
static void one_step(int32_t kind, int optimizer, double clip) {
    model_config c = small(kind, NORM_POST);
    trainer_settings s = moving(&c, optimizer);
    s.momentum = 0.9;
    s.schedule = SCHEDULE_LINEAR;
    s.warmup = 2;
    s.steps = 5;
    s.clip = clip;
    training a = start(&c, s, NULL, false);
    size_t bytes = a.f->weight_bytes, n = a.t.count;
    float *p = copy(a.f->m.weights, bytes), *m = zeroed(bytes), *v = zeroed(bytes);
    for (size_t t = 1; t <= 7; t++) {
        step_report gradients, loss, stepped;
        float *before = copy(a.f->m.weights, bytes);
        memset(a.f->m.gradients, 0x7f, bytes); /* forgotten */
        CHECK(trainer_gradients(&a.t, &a.f->m, &gradients) == MODEL_OK, "gradients");
        float *g = copy(a.f->m.gradients, bytes);
        CHECK(trainer_loss(&a.t, &a.f->m, &loss) == MODEL_OK, "loss");
        CHECK(loss.loss == gradients.loss && loss.gradient_norm == 0 && loss.rate == 0,
              "the loss alone: %g, gradients %g", (double)loss.loss, (double)gradients.loss);
        CHECK(memcmp(before, a.f->m.weights, bytes) == 0 && a.t.steps == t - 1 &&
                  gradients.steps == (int32_t)t - 1 && loss.steps == (int32_t)t - 1,
              "gradients count no step");
        stepped = step(&a);
        double squares = 0;
        for (size_t i = 0; i < n; i++) {
            squares += (double)g[i] * g[i];
        }
        CHECK(fabs(stepped.gradient_norm - sqrt(squares)) <= 1e-6 * sqrt(squares), "the norm");
        CHECK(stepped.loss == gradients.loss && stepped.gradient_norm == gradients.gradient_norm &&
                  stepped.counted == gradients.counted && stepped.counted == loss.counted,
              "gradients and step report different losses");
        CHECK(stepped.steps == (int32_t)t && a.t.steps == t, "steps: %d", stepped.steps);
        CHECK(stepped.rate == settings_rate(&s, t, 8), "rate: %g", stepped.rate);
        CHECK(memcmp(g, a.f->m.gradients, bytes) == 0, "the gradients after a step differ");
        double norm = (double)stepped.gradient_norm + 1e-6;
        optimizer_rates r = {.rate = settings_rate(&s, t, 8),
                             .beta1 = 0.9,
                             .beta2 = 0.999,
                             .epsilon = 1e-8,
                             .weight_decay = 0.1,
                             .momentum = 0.9,
                             .gradient_scale = clip > 0 && norm > clip ? clip / norm : 1};
        optimizer_step(optimizer, p, m, v, g, n, r, t);
        CHECK(same_bits(p, a.f->m.weights, n) && same_bits(m, a.t.moment1, n) &&
                  same_bits(v, a.t.moment2, n),
              "kind %d optimizer %d clip %g: step %zu differs", kind, optimizer, clip, t);
        CHECK(t >= 5 || memcmp(before, p, bytes) != 0, "step %zu moves nothing", t);
        CHECK(t < 5 || stepped.rate == 0, "past the end: rate %g", stepped.rate);
    }
    release();
}

/* The same start, the same 20 steps; other dropout by another seed; stop and resume by copies. */
static void same_bits_again(int32_t kind, bool drop) {
    model_config c = small(kind, NORM_PRE);
    trainer_settings s = defaults();
    s.loss = c.head == HEAD_NONE;
    s.dropout = drop ? 0.2 : 0;
    s.seed = 5;
    s.learning_rate = 0.01;
    training a = start(&c, s, NULL, false);
    float *weights = copy(a.f->m.weights, a.f->weight_bytes);
    void *from = copy(weights, a.f->weight_bytes);
    training b = start(&c, s, weights, true), d = start(&c, s, from, false), resumed = d;
    copy_inputs(b.f, a.f);
    copy_inputs(d.f, a.f);
    d.t.settings.seed = 6;
    float first = 0, last = 0;
    for (int i = 0; i < 20; i++) {
        last = step(&a).loss;
        first = i == 0 ? last : first;
        step(&d);
        if (i == 9) { /* all there is to a training: weights, moments, steps */
            size_t bytes = a.f->weight_bytes;
            resumed = start(&c, s, copy(a.f->m.weights, bytes), false);
            copy_inputs(resumed.f, a.f);
            resumed.t.moment1 = copy(a.t.moment1, bytes);
            resumed.t.moment2 = copy(a.t.moment2, bytes);
            resumed.t.steps = a.t.steps;
        } else if (i > 9) {
            step(&resumed);
        }
    }
    for (int i = 0; i < 20; i++) {
        step(&b);
        trainer_loss(&b.t, &b.f->m, &(step_report){0}); /* evaluating changes nothing */
    }
    CHECK(equal(&a, &b), "kind %d: the same seed, other bits", kind);
    CHECK(equal(&a, &resumed), "kind %d: resumed, other bits", kind);
    CHECK(equal(&a, &d) == (!drop || kind >= KIND_ATTENTION), "kind %d: another seed", kind);
    CHECK(drop || last < first, "kind %d: 20 steps from %g to %g", kind, (double)first,
          (double)last);
    release();
}

/* One shard is the batch to the bit, and a step on what it left is trainer_step; spans.c adds several up. */
static void shards(int32_t kind, int loss) {
    model_config c = small(kind, NORM_PRE);
    trainer_settings s = defaults();
    s.loss = loss;
    s.dropout = 0.3;
    s.label_smoothing = loss == OBJECTIVE_CROSS_ENTROPY ? 0.1 : 0;
    s.learning_rate = 0.01;
    training a = start(&c, s, NULL, false);
    size_t bytes = a.f->weight_bytes, n = a.t.count;
    training b = start(&c, s, copy(a.f->m.weights, bytes), false);
    copy_inputs(b.f, a.f);
    step_report whole, one, stepped = step(&b);
    CHECK(trainer_gradients(&a.t, &a.f->m, &whole) == MODEL_OK, "gradients");
    float *wanted = copy(a.f->m.gradients, bytes);
    CHECK(trainer_shard(&a.t, &a.f->m, &one, 0, 0) == MODEL_OK, "one shard");
    CHECK(same_bits(wanted, a.f->m.gradients, n) && one.loss == whole.loss, "kind %d: one", kind);
    memset(&one, 0x5a, sizeof one);
    one.loss = stepped.loss;
    one.counted = stepped.counted;
    CHECK(trainer_apply(&a.t, &a.f->m, &one) == MODEL_OK && equal(&a, &b), "kind %d: apply", kind);
    CHECK(one.steps == 1 && one.rate == stepped.rate && one.loss == stepped.loss &&
              one.counted == stepped.counted && one.gradient_norm == stepped.gradient_norm,
          "kind %d: what apply reports", kind);
    one.loss = NAN;
    CHECK(trainer_apply(&a.t, &a.f->m, &one) == TRAINER_ERROR_NUMBER && equal(&a, &b),
          "kind %d: a loss that is no number", kind);
    release();
}

/* The loss is the one that the settings ask for. */
static void losses(void) {
    model_config c = small(KIND_DECODER, NORM_POST);
    for (int i = 0; i < 12; i++) {
        trainer_settings s = defaults();
        s.loss = i % 3;
        s.label_smoothing = i % 2 ? 0.3 : 0;
        s.ignore_index = i < 6 ? -100 : 2;
        training a = start(&c, s, NULL, false);
        for (int k = 0; k < 8 && !s.loss; k++) {
            a.f->m.tensors.value.targets[k] = k % 4;
        }
        objective o = {.kind = i % 3,
                       .smoothing = (float)s.label_smoothing,
                       .ignore_index = (int32_t)s.ignore_index};
        float loss;
        size_t counted;
        step_report evaluated = {0}, stepped;
        CHECK(model_loss(&a.f->m, &o, &loss, &counted) == MODEL_OK, "the model's loss");
        CHECK(trainer_loss(&a.t, &a.f->m, &evaluated) == MODEL_OK, "the trainer's loss");
        stepped = step(&a);
        CHECK(evaluated.loss == loss && stepped.loss == loss, "case %d: loss %g and %g, wanted %g",
              i, (double)evaluated.loss, (double)stepped.loss, (double)loss);
        CHECK(evaluated.counted == (int32_t)counted && stepped.counted == (int32_t)counted,
              "case %d: counted %d, wanted %zu", i, evaluated.counted, counted);
        release();
    }
}

/* At a rate of 0 only dropout tells one step from the next; each step draws anew, and the same
 * step again the same. */
static void draws(void) {
    model_config c = small(KIND_ENCODER, NORM_PRE);
    trainer_settings s = defaults();
    s.learning_rate = 0;
    for (int drop = 0; drop <= 1; drop++) {
        s.dropout = drop ? 0.3 : 0;
        training a = start(&c, s, NULL, false);
        float first = step(&a).loss, second = step(&a).loss;
        CHECK((first != second) == drop, "dropout %g: steps of loss %g and %g", s.dropout,
              (double)first, (double)second);
        a.t.steps = 0;
        CHECK(step(&a).loss == first, "dropout %g: step 1 again", s.dropout);
        release();
    }
}

/* A batch of rows of the data set, each with its label, by seed and step alone; and who has none. */
static void drawn_rows(void) {
    enum { ROWS = 300, C = 8, BATCH = 8 };
    model_config c = small(KIND_FEED_FORWARD, NORM_NONE), other = small(KIND_ATTENTION, NORM_NONE);
    trainer_settings s = moving(&c, OPTIMIZER_ADAM);
    s.seed = 7;
    training a = start(&c, s, NULL, false), b = start(&other, s, NULL, false);
    float *rows = zeroed(ROWS * C * sizeof(float)), *labels = zeroed(ROWS * C * sizeof(float));
    for (size_t i = 0; i < ROWS * C; i++) {
        rows[i] = (float)(i / C) + (float)(i % C) / C;
        labels[i] = -rows[i];
    }
    CHECK(trainer_draw(&a.t, &a.f->m) == MODEL_ERROR_STATE, "no data set");
    a.t.data = b.t.data = rows;
    a.t.labels = b.t.labels = labels;
    a.t.rows = b.t.rows = ROWS;
    CHECK(trainer_draw(&b.t, &b.f->m) == MODEL_ERROR_STATE, "attention");
    const float *x = a.f->m.tensors.value.input, *y = a.f->m.tensors.value.target_vectors;
    size_t seen[ROWS] = {0}, kinds = 0;
    float first[2][BATCH * C];
    for (a.t.steps = 0; a.t.steps < 400; a.t.steps++) {
        CHECK(trainer_draw(&a.t, &a.f->m) == MODEL_OK, "draw");
        for (size_t i = 0; i < BATCH; i++) {
            size_t row = (size_t)x[i * C];
            CHECK(row < ROWS && same_bits(x + i * C, rows + row * C, C) &&
                      same_bits(y + i * C, labels + row * C, C),
                  "step %zu: no row of the set at %zu", a.t.steps, i);
            seen[row < ROWS ? row : 0]++;
        }
        if (a.t.steps < 2) {
            memcpy(first[a.t.steps], x, sizeof first[0]);
        }
    }
    for (size_t i = 0; i < ROWS; i++) {
        kinds += seen[i] > 0;
    }
    CHECK(kinds == ROWS, "%zu of %d rows in %d draws", kinds, ROWS, 400 * BATCH);
    CHECK(!same_bits(first[0], first[1], BATCH * C), "each step draws anew");
    a.t.steps = 1;
    CHECK(trainer_draw(&a.t, &a.f->m) == MODEL_OK && same_bits(first[1], x, BATCH * C), "again");
    a.t.settings.seed = 8;
    CHECK(trainer_draw(&a.t, &a.f->m) == MODEL_OK && !same_bits(first[1], x, BATCH * C), "seed");
    release();
}

/* The schedule noam knows the width of the model. */
static void noam(void) {
    model_config c = small(KIND_ENCODER, NORM_POST);
    trainer_settings s = defaults();
    s.schedule = SCHEDULE_NOAM;
    s.warmup = 3;
    training a = start(&c, s, NULL, false);
    for (size_t t = 1; t <= 6; t++) {
        double rate = step(&a).rate, wanted = settings_rate(&s, t, (size_t)c.d_model);
        CHECK(rate == wanted, "noam, rate of step %zu: %g, wanted %g", t, rate, wanted);
    }
    release();
}

int main(void) {
    for (int32_t kind = KIND_ENCODER; kind <= KIND_FEED_FORWARD; kind++) {
        for (int optimizer = 0; optimizer < 3; optimizer++) {
            one_step(kind, optimizer, 0);
            one_step(kind, optimizer, 0.05);
            one_step(kind, optimizer, 1e6);
        }
        same_bits_again(kind, false);
        same_bits_again(kind, true);
        for (int loss = kind >= KIND_ATTENTION; loss < OBJECTIVE_COUNT; loss++) {
            shards(kind, loss);
        }
    }
    losses();
    draws();
    drawn_rows();
    noam();
    return check_done("train/trainer", NULL, 0);
}
