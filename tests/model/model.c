/* Whole models of every kind against the double reference; capture, cache, padding, errors. */
#include "../../src/model/model.h"
#include "reference.h"

static bound bounds[] = {{"output, 1 + largest", 2e-5, 0}, {"logits, 1 + largest", 2e-5, 0}};

static void compare(fixture *f, const char *name, const double *wanted, bound *b) {
    tensor_info t;
    CHECK(tensor_of(&t, f, name), "%s is there", name);
    double size = 1;
    for (size_t i = 0; i < elements_of(&t); i++) {
        size = fmax(size, fabs(wanted[i]));
    }
    for (size_t i = 0; i < elements_of(&t); i++) {
        const config *c = &f->m.config;
        CHECK_WITHIN(b, ((float *)t.data)[i], wanted[i], 1 + size,
                     "%s[%zu] kind %d norm %d residual %d C%d H%d F%d", name, i, c->kind, c->norm,
                     c->residual, c->d_model, c->heads, c->d_ff);
    }
}

static void *copy_of(fixture *f, const char *name, size_t *n) {
    tensor_info t;
    *n = tensor_of(&t, f, name) ? elements_of(&t) : 0;
    return *n ? memcpy(hold(*n * sizeof(float)), t.data, *n * sizeof(float)) : NULL;
}

static void expect_same(fixture *f, const char *name, const float *wanted, const char *when) {
    tensor_info t;
    if (tensor_of(&t, f, name)) {
        CHECK(same_bits(t.data, wanted, elements_of(&t)), "%s differs %s, kind %d", name, when,
              f->m.config.kind);
    }
}

/* The blocks began as NaN: a captured tensor that nobody wrote shows. */
static void all_written(fixture *f) {
    for (size_t i = 0; i < tensors_count(&f->m.tensors, &f->m.dims); i++) {
        tensor_info t;
        tensors_get(&t, &f->m.tensors, &f->m.dims, i);
        for (size_t k = 0; t.type == TENSOR_FLOAT && k < elements_of(&t); k++) {
            CHECK(!isnan(((float *)t.data)[k]), "%s[%zu] is NaN", t.name, k);
        }
    }
}

/* Other tokens (or vectors) where every query that counts sees nothing. */
static void padding(fixture *f, const char *stack, const char *hides, const char *input) {
    tensor_info t, pad;
    const char *name = join(stack, input);
    if (!tensor_of(&t, f, name) || !tensor_of(&pad, f, join(stack, hides)) ||
        f->m.config.kind == KIND_ENCODER_DECODER) {
        return;
    }
    size_t n, rows = elements_of(&pad), C = (size_t)f->m.config.d_model;
    float *before = copy_of(f, "output", &n);
    const uint8_t *hidden = pad.data;
    for (size_t i = 0; i < elements_of(&t); i++) {
        if (hidden[i * rows / elements_of(&t)]) {
            ((uint32_t *)t.data)[i] = t.type == TENSOR_INT ? 0 : 0x3f800000;
        }
    }
    CHECK(model_forward(&f->m) == MODEL_OK, "forward of other padded %s", name);
    const float *after = data_of(f, "", "output");
    for (size_t r = 0; r < n / C; r++) {
        bool counts = strcmp(input, "memory") == 0 || !hidden[r];
        CHECK(!counts || same_bits(after + r * C, before + r * C, C),
              "row %zu sees a padded %s, kind %d", r, name, f->m.config.kind);
    }
}

/* Hidden from the encoder and from cross-attention alike, a source token has no say. */
static void memory_padding(fixture *f) {
    tensor_info t, pad, memory;
    if (!tensor_of(&t, f, "encoder.ids") || !tensor_of(&pad, f, "encoder.padding") ||
        !tensor_of(&memory, f, "memory.padding")) {
        return;
    }
    memcpy(memory.data, pad.data, elements_of(&pad));
    model_forward(&f->m);
    size_t n;
    float *before = copy_of(f, "output", &n);
    for (size_t i = 0; i < elements_of(&t); i++) {
        int32_t *id = (int32_t *)t.data + i;
        *id = ((uint8_t *)pad.data)[i] ? (*id + 1) % f->m.config.vocabulary : *id;
    }
    model_forward(&f->m);
    expect_same(f, "output", before, "with other padded source tokens");
}

static void one_model(int32_t kind) {
    config c = random_config(kind);
    request ask = random_request(&c);
    fixture *f = fixture_make(&c, ask, NULL);
    ask.capture = true;
    fixture *looked = fixture_make(&c, ask, f->m.weights);
    fill_inputs(f);
    copy_inputs(looked, f);
    CHECK(model_forward(&f->m) == MODEL_OK && model_forward(&looked->m) == MODEL_OK, "forward");
    double *logits, *output = ref_model(f, &logits);
    compare(f, "output", output, bounds);
    if (logits) {
        compare(f, "logits", logits, bounds + 1);
    }
    size_t n;
    expect_same(looked, "output", copy_of(f, "output", &n), "under capture");
    expect_same(looked, "logits", copy_of(f, "logits", &n), "under capture");
    all_written(looked);
    float *before = copy_of(f, "output", &n);
    model_forward(&f->m);
    expect_same(f, "output", before, "the second time");
    fixture *both[] = {f, looked};
    for (int i = 0; i < 2; i++) {
        padding(both[i], "encoder.", "padding", "ids");
        padding(both[i], "encoder.", "padding", "vectors");
        padding(both[i], "decoder.", "padding", "ids");
        padding(both[i], "decoder.", "padding", "vectors");
        padding(both[i], "", "padding", ask.S ? "memory" : "input");
        memory_padding(both[i]);
    }
    release();
}

/* Token by token, and in bunches, as one pass over all. */
static void steps(int32_t kind, bool capture) {
    enum { LENGTH = 9 };
    config c = random_config(kind);
    c.causal = true;
    request ask = {.B = 1, .T = LENGTH, .S = kind == KIND_DECODER ? 0 : 5};
    ask.memory_padding = kind != KIND_DECODER && random_below(2);
    fixture *full = fixture_make(&c, ask, NULL);
    fill_inputs(full);
    CHECK(model_forward(&full->m) == MODEL_OK, "the full pass");
    ask.T = 1 + random_below(4);
    ask.capacity = LENGTH + random_below((size_t)c.max_length - LENGTH + 1);
    ask.capture = capture;
    fixture *f = fixture_make(&c, ask, full->m.weights);
    const char *inputs[] = {"encoder.ids", "encoder.vectors", "memory.padding"};
    for (int i = 0; i < 3; i++) {
        tensor_info from, to;
        if (tensor_of(&from, full, inputs[i]) && tensor_of(&to, f, inputs[i])) {
            memcpy(to.data, from.data, elements_of(&from) * (from.type == TENSOR_BYTE ? 1 : 4));
        }
    }
    const char *input = c.vocabulary ? "ids" : "vectors";
    size_t C = (size_t)c.d_model, V = (size_t)config_output_vocabulary(&c);
    size_t word = c.vocabulary ? 1 : C;
    const uint32_t *tokens = data_of(full, "decoder.", input);
    for (size_t past = 0, T = ask.T; past < LENGTH; past += T) {
        T = past == 0 ? ask.T : 1 + random_below(ask.T);
        T = T < LENGTH - past ? T : LENGTH - past;
        memcpy(data_of(f, "decoder.", input), tokens + past * word, T * word * 4);
        int32_t result = past ? model_step(&f->m, past, T) : model_forward(&f->m);
        CHECK(result == MODEL_OK, "step of %zu after %zu: got %d", T, past, result);
        const float *output = data_of(full, "", "output"), *logits = data_of(full, "", "logits");
        CHECK(same_bits(data_of(f, "", "output"), output + past * C, T * C),
              "kind %d: output of %zu after %zu differs from the full pass", kind, T, past);
        CHECK(!logits || same_bits(data_of(f, "", "logits"), logits + past * V, T * V),
              "kind %d: logits of %zu after %zu differ from the full pass", kind, T, past);
    }
    release();
}

int main(void) {
    for (int round = 0; round < 300; round++) {
        for (int32_t kind = KIND_ENCODER; kind <= KIND_FEED_FORWARD; kind++) {
            one_model(kind);
        }
    }
    for (int round = 0; round < 200; round++) {
        steps(KIND_DECODER, round % 2);
        steps(KIND_ENCODER_DECODER, round % 2);
    }
    return check_done("model/model", bounds, 2);
}
