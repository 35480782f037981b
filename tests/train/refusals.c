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

int main(void) {
    overflow();
    where(false);
    where(true);
    nothing();
    return check_done("train/refusals", NULL, 0);
}
