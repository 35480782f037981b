/* Steps that a trainer does not take: what is no number is named, and nothing changes. */
#include "start.h"

/* Something that is no number in a tensor: refused, and named. */
static void broken(model_config c, const char *name, const char *wanted, float value,
                   bool capture) {
    trainer_settings s = defaults();
    s.loss = c.head == HEAD_NONE;
    training a = start(&c, s, NULL, capture);
    step(&a);
    size_t bytes = a.f->weight_bytes;
    tensor_info t;
    CHECK(tensor_of(&t, a.f, name), "%s is there", name);
    float *x = t.data;
    size_t at = strstr(name, "emb.weight") ? 0 : elements_of(&t) - 1;
    if (strcmp(name, "tok_emb.weight") == 0) {
        ((int32_t *)data_of(a.f, "encoder.", "ids"))[3] = 0; /* row 0 is used */
    }
    x[at] = value;
    training before = a;
    before.f = copy(a.f, sizeof *a.f);
    before.f->m.weights = copy(a.f->m.weights, bytes);
    before.t.moment1 = copy(a.t.moment1, bytes);
    before.t.moment2 = copy(a.t.moment2, bytes);
    for (int stepping = 1; stepping >= 0; stepping--) {
        step_report out;
        int32_t got =
            stepping ? trainer_step(&a.t, &a.f->m, &out) : trainer_gradients(&a.t, &a.f->m, &out);
        CHECK(got == TRAINER_ERROR_NUMBER, "%g in %s: got %d", (double)value, name, got);
        CHECK(strcmp(out.where, wanted) == 0, "%g in %s, kind %d norm %d: where is \"%s\"",
              (double)value, name, c.kind, c.norm, out.where);
        CHECK(out.gradient == (strncmp(wanted, "grad.", 5) == 0), "%s: gradient %d", wanted,
              out.gradient);
        CHECK(equal(&a, &before) && out.steps == 1, "%s: a refused step changes something", name);
    }
    x[at] = 0.5f;
    step(&a); /* all is well again */
    release();
}

static void where(bool capture) {
    for (int i = 0; i < 3; i++) {
        static const float values[] = {NAN, INFINITY, -INFINITY};
        float v = values[i];
        for (int32_t norm = NORM_NONE; norm <= NORM_POST; norm++) {
            model_config c = small(KIND_ENCODER, norm);
            static const char *const names[] = {"tok_emb.weight",
                                                "layers.0.self_attn.in_proj_bias",
                                                "layers.0.self_attn.out_proj.weight",
                                                "layers.1.linear1.bias",
                                                "layers.1.linear2.weight",
                                                "layers.0.norm1.weight",
                                                "layers.1.norm1.bias",
                                                "layers.1.norm2.bias",
                                                "norm.weight",
                                                "generator.weight"};
            c.final_norm = 1;
            for (int k = 0; k < 10; k++) {
                const char *name =
                    strncmp(names[k], "layers", 6) == 0 || strncmp(names[k], "norm.", 5) == 0
                        ? join("encoder.", names[k])
                        : names[k];
                if (!strstr(name, "s.0.norm") && !strstr(name, "s.1.norm")) {
                    broken(c, name, name, v, capture);
                } else if (norm != NORM_NONE) {
                    broken(c, name, name, v, capture);
                }
            }
        }
        model_config c = small(KIND_DECODER, NORM_PRE);
        c.vocabulary = 0;
        c.head = HEAD_NONE;
        broken(c, "decoder.vectors", "decoder.vectors", v, capture);
        c = small(KIND_ATTENTION, NORM_NONE);
        broken(c, "input", "input", v, capture);
        c = small(KIND_FEED_FORWARD, NORM_NONE);
        broken(c, "input", "input", v, capture);
        broken(c, "linear1.weight", "linear1.weight", v, capture);
        c = small(KIND_ENCODER_DECODER, NORM_POST);
        broken(c, "decoder.layers.1.multihead_attn.in_proj_weight",
               "decoder.layers.1.multihead_attn.in_proj_weight", v, capture);
        broken(c, "encoder.norm.bias", "encoder.norm.bias", v, capture);
    }
    model_config c = small(KIND_ENCODER, NORM_POST); /* finite, and too large */
    broken(c, "tok_emb.weight", "encoder.input", 3e38f, capture);
}

/* Without a target that counts there is nothing to step for; other errors are the model's. */
static void nothing(void) {
    model_config c = small(KIND_DECODER, NORM_POST);
    trainer_settings s = defaults();
    training a = start(&c, s, NULL, false);
    step(&a);
    float *weights = copy(a.f->m.weights, a.f->weight_bytes);
    float *gradients = copy(a.f->m.gradients, a.f->weight_bytes);
    step_report out;
    for (int i = 0; i < 8; i++) {
        a.f->m.tensors.value.targets[i] = -100;
    }
    CHECK(trainer_step(&a.t, &a.f->m, &out) == TRAINER_ERROR_NUMBER && out.counted == 0 &&
              out.where[0] == 0 && isnan(out.loss),
          "no target counts: \"%s\"", out.where);
    a.f->m.tensors.value.targets[7] = 9;
    memcpy(a.f->m.gradients, gradients, a.f->weight_bytes);
    CHECK(trainer_step(&a.t, &a.f->m, &out) == MODEL_ERROR_TOKEN, "a bad target");
    a.t.settings.loss = OBJECTIVE_MSE;
    CHECK(trainer_step(&a.t, &a.f->m, &out) == MODEL_ERROR_STATE, "no vector targets");
    CHECK(memcmp(weights, a.f->m.weights, a.f->weight_bytes) == 0 && a.t.steps == 1,
          "a refused step changes something");
    CHECK(memcmp(gradients, a.f->m.gradients, a.f->weight_bytes) == 0,
          "a refused step changes gradients");
    release();
}

/* Where all numbers of the forward pass are finite, the first gradient that is not is named as one. */
static void overflow(void) {
    model_config c = small(KIND_FEED_FORWARD, NORM_POST);
    trainer_settings s = defaults();
    s.loss = OBJECTIVE_LINEAR;
    training a = start(&c, s, NULL, false);
    size_t count = a.f->m.dims.B * a.f->m.dims.TO * a.f->m.dims.O;
    for (size_t i = 0; i < count; i++) {
        a.f->m.tensors.value.target_vectors[i] = 3e38f;
    }
    step_report out;
    int32_t got = trainer_step(&a.t, &a.f->m, &out);
    CHECK(got == TRAINER_ERROR_NUMBER && out.gradient == 1 && strncmp(out.where, "grad.", 5) == 0,
          "an overflow of a gradient: got %d at %s, gradient %d", got, out.where, out.gradient);
    release();
}

/* Checks one step: refused at `wanted`, or taken where that is NULL. */
static void updated(training a, const char *what, const char *wanted) {
    size_t bytes = a.f->weight_bytes, n = a.t.count;
    training before = a;
    before.f = copy(a.f, sizeof *a.f);
    before.f->m.weights = copy(a.f->m.weights, bytes);
    before.t.moment1 = copy(a.t.moment1, bytes);
    before.t.moment2 = copy(a.t.moment2, bytes);
    step_report out;
    int32_t got = trainer_step(&a.t, &a.f->m, &out);
    CHECK(got == (wanted ? TRAINER_ERROR_NUMBER : MODEL_OK), "%s: got %d at %s", what, got,
          out.where);
    CHECK(strcmp(out.where, wanted ? wanted : "") == 0, "%s: where is \"%s\"", what, out.where);
    if (wanted) {
        CHECK(equal(&a, &before) && out.steps == 0 && out.rate == 0, "%s: changes something", what);
        CHECK(out.gradient == 2 && isfinite(out.loss) && isfinite(out.gradient_norm),
              "%s: gradient %d", what, out.gradient);
    }
    const float *was = before.f->m.weights, *is = a.f->m.weights;
    for (size_t i = 0; i < n; i++) { /* NaN stands between the weights */
        bool good = isfinite(is[i]) && isfinite(a.t.moment1[i]) && isfinite(a.t.moment2[i]);
        CHECK(good || !isfinite(was[i]), "%s: number %zu", what, i);
    }
    release();
}

/* Loss and gradients are finite, and what the step would make of them is not. */
static void update(void) {
    for (int spread = 0; spread < 2; spread++) { /* all of it, or two spans that leave a part out */
        for (int k = 0; k < 9; k++) {
            model_config c = small(KIND_ENCODER, NORM_POST);
            trainer_settings s = defaults();
            static const int optimizers[9] = {0, 0, 1, 2, 2, 2, 0, 0, 2};
            s.optimizer = optimizers[k];
            training a = start(&c, s, NULL, false);
            tensor_info table, bias;
            CHECK(tensor_of(&table, a.f, "tok_emb.weight"), "the table");
            CHECK(tensor_of(&bias, a.f, "encoder.layers.1.linear2.bias"), "a bias");
            int32_t *ids = data_of(a.f, "encoder.", "ids");
            for (int i = 0; i < 10; i++) {
                ids[i] = 1 + i % 5; /* row 0 has no gradient */
            }
            float *weights = a.f->m.weights, *row = table.data;
            ptrdiff_t first = row - weights, second = (float *)bias.data - weights;
            trainer_span spans[2] = {{(int32_t)first, (int32_t)first + 8},
                                     {(int32_t)second, (int32_t)second + 8}};
            if (spread) {
                a.t.spans = spans;
                a.t.span_count = 2;
            }
            const char *wanted = "tok_emb.weight";
            switch (k) {
            case 0: /* decay */
                row[3] = 1e30f;
                a.t.settings.weight_decay = a.t.settings.learning_rate = 1e6;
                break;
            case 1: /* a moment over a small epsilon */
                a.t.moment1[first] = 1e30f;
                a.t.settings.epsilon = 1e-30;
                break;
            case 2: /* the square of a decayed weight */
                row[0] = 1e20f;
                a.t.settings.weight_decay = 1e3;
                break;
            case 3: /* a moment that grows */
                a.t.moment1[second + 7] = 3e38f;
                a.t.settings.momentum = 1;
                a.t.settings.learning_rate = 1e6;
                a.t.steps = 1;
                wanted = "encoder.layers.1.linear2.bias";
                break;
            case 4: /* large, and finite after it */
                row[0] = 3e38f;
                a.t.settings.learning_rate = 1e-3;
                wanted = NULL;
                break;
            case 5: /* a weight that is infinite, and that nothing reads */
                row[7] = -INFINITY;
                break;
            case 6: /* 0 / 0 */
                a.t.settings.epsilon = 0;
                break;
            case 7: /* large moments, a large epsilon */
                a.t.moment1[first] = 3e38f;
                a.t.moment2[first] = 3e38f;
                wanted = NULL;
                break;
            default: /* what does not train may hold anything that nothing reads */
                row[8 * 6 + 1] = INFINITY;
                wanted = spread ? NULL : wanted;
            }
            trainer_resume(&a.t, a.t.steps);
            if (k == 3) {
                training before = a;
                step_report out;
                CHECK(trainer_step(&a.t, &a.f->m, &out) == TRAINER_ERROR_NUMBER &&
                          strcmp(out.where, wanted) == 0 && a.t.steps == before.t.steps,
                      "a moment that grows: at %s", out.where);
                release();
            } else if (wanted || k != 8) {
                updated(a, join("case ", (char[]){(char)('0' + k), 0}), wanted);
            } else {
                step(&a);
                release();
            }
        }
    }
}

/* Sizes go on from step to step: a moment that doubles is seen when it comes near the largest float. */
static void growing(void) {
    model_config c = small(KIND_FEED_FORWARD, NORM_POST);
    trainer_settings s = defaults();
    s.loss = OBJECTIVE_LINEAR;
    s.optimizer = OPTIMIZER_SGD;
    s.momentum = 1;
    s.learning_rate = 0;
    training a = start(&c, s, NULL, false);
    size_t count = a.f->m.dims.B * a.f->m.dims.TO * a.f->m.dims.O;
    for (size_t i = 0; i < count; i++) {
        a.f->m.tensors.value.target_vectors[i] = 1e35f;
    }
    float *weights = a.f->m.weights;
    for (size_t i = 0; i < a.t.count; i++) { /* as the ABI has it between the weights */
        weights[i] = isfinite(weights[i]) ? weights[i] : 0;
    }
    step_report out;
    int32_t got = MODEL_OK;
    size_t taken = 0;
    for (; taken < 20000 && got == MODEL_OK; taken++) {
        got = trainer_step(&a.t, &a.f->m, &out);
    }
    CHECK(got == TRAINER_ERROR_NUMBER && out.gradient == 2 && taken > 3,
          "after %zu steps: %d at %s", taken, got, out.where);
    for (size_t i = 0; i < a.t.count; i++) {
        CHECK(isfinite(a.t.moment1[i]), "moment %zu after %zu steps", i, taken);
    }
    release();
}

int main(void) {
    overflow();
    update();
    growing();
    where(false);
    where(true);
    nothing();
    return check_done("train/refusals", NULL, 0);
}
