/* Whole models: capture, cache and padding leave the bits alone; what is refused changes nothing.
 * That the numbers are right is tests/model/layer.c's part. */
#include "../../src/model/model.h"
#include "fixture.h"

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

/* A capture that leaves layers out has the bits of a whole one in all that is left. */
static void some_layers(fixture *whole) {
    request ask = whole->m.dims.ask;
    ask.omit = random_bits();
    fixture *f = fixture_make(&whole->m.config, ask, whole->m.weights);
    copy_inputs(f, whole);
    CHECK(model_forward(&f->m) == MODEL_OK, "forward");
    size_t at = 0;
    for (size_t i = 0; i < whole->count; i++) {
        tensor_info wanted = whole->list[i], t;
        int32_t layer = wanted.place.layer;
        if (layer >= 0 && wanted.region != WEIGHT && ask.omit >> layer & 1) {
            CHECK(!tensor_of(&t, f, wanted.name), "%s of a layer left out", wanted.name);
            continue;
        }
        t = f->list[at++];
        CHECK(strcmp(t.name, wanted.name) == 0, "%s instead of %s", t.name, wanted.name);
        CHECK(wanted.type != TENSOR_FLOAT || same_bits(t.data, wanted.data, elements_of(&t)),
              "%s with layers left out", t.name);
    }
    CHECK(at == f->count, "%zu tensors, wanted %zu", f->count, at);
}

/* A row of logits that is asked for has the bits that it has among all. */
static void rows_of_logits(fixture *whole) {
    request ask = whole->m.dims.ask;
    size_t rows = whole->m.dims.B * whole->m.dims.TO, V = whole->m.dims.VO;
    bool head = whole->m.config.head != HEAD_NONE;
    ask.one_row = true;
    if (ask.capacity || !head) {
        CHECK(model_layout_bytes(&whole->m, ask) == MODEL_ERROR_ARGUMENT, "no such row");
        return;
    }
    fixture *f = fixture_make(&whole->m.config, ask, whole->m.weights);
    copy_inputs(f, whole);
    CHECK(model_logits(&whole->m, 0) == MODEL_ERROR_STATE, "a layout of all rows");
    CHECK(model_forward(&f->m) == MODEL_OK, "forward");
    CHECK(model_logits(&f->m, rows) == MODEL_ERROR_ARGUMENT, "beyond the last");
    const char *names[] = {"logits", "probabilities"};
    for (size_t row = 0; row < rows; row++) {
        CHECK(model_logits(&f->m, row) == MODEL_OK, "row %zu", row);
        for (size_t i = 0; i < 2; i++) {
            const float *all = data_of(whole, "", names[i]);
            CHECK(same_bits(data_of(f, "", names[i]), all + row * V, V), "%s of row %zu", names[i],
                  row);
        }
    }
}

/* Arranged matrices give the bits of rows, and are these rows again afterwards. */
static void arranged(fixture *f) {
    const model_config *c = &f->m.config;
    const model_dims *d = &f->m.dims;
    bool fits = c->weights == WEIGHT_F32 && c->d_model % 8 == 0 && d->A % 8 == 0 && d->E % 8 == 0;
    char *weights = memcpy(hold(f->weight_bytes), f->m.weights, f->weight_bytes);
    CHECK(model_forward(&f->m) == MODEL_OK, "forward");
    size_t n;
    float *output = copy_of(f, "output", &n), *logits = copy_of(f, "logits", &n);
    CHECK(model_arrange(&f->m, true) == fits, "d_model %d, type %d", c->d_model, c->weights);
    CHECK(model_forward(&f->m) == MODEL_OK, "forward");
    expect_same(f, "output", output, "arranged");
    expect_same(f, "logits", logits, "arranged");
    CHECK(model_arrange(&f->m, false) == (c->weights == WEIGHT_F32), "rows of type %d", c->weights);
    CHECK(memcmp(weights, f->m.weights, f->weight_bytes) == 0, "other rows than before");
}

static void one_model(int32_t kind) {
    model_config c = random_config(kind);
    request ask = random_request(&c);
    fixture *f = fixture_make(&c, ask, NULL);
    ask.capture = true;
    fixture *captured = fixture_make(&c, ask, f->m.weights);
    fill_inputs(f);
    copy_inputs(captured, f);
    CHECK(model_forward(&f->m) == MODEL_OK && model_forward(&captured->m) == MODEL_OK, "forward");
    size_t n;
    expect_same(captured, "output", copy_of(f, "output", &n), "under capture");
    expect_same(captured, "logits", copy_of(f, "logits", &n), "under capture");
    expect_same(captured, "values", copy_of(f, "values", &n), "under capture");
    some_layers(captured);
    rows_of_logits(captured);
    float *before = copy_of(f, "output", &n);
    model_forward(&f->m);
    expect_same(f, "output", before, "the second time");
    fixture *both[] = {f, captured};
    for (int i = 0; i < 2; i++) {
        padding(both[i], "encoder.", "padding", "ids");
        padding(both[i], "encoder.", "padding", "vectors");
        padding(both[i], "decoder.", "padding", "ids");
        padding(both[i], "decoder.", "padding", "vectors");
        padding(both[i], "", "padding", ask.S ? "memory" : "input");
        memory_padding(both[i]);
    }
    arranged(f);
    release();
}

/* Token by token, and in bunches, as one pass over all; a sequence that is copied goes on as the other. */
static void steps(int32_t kind, bool capture, size_t length, size_t T) {
    model_config c = random_config(kind);
    c.max_length = (int32_t)length + 3;
    c.causal = true;
    request ask = {
        .B = capture ? 1 : 1 + random_below(3), .T = length, .S = kind == KIND_DECODER ? 0 : 5};
    ask.memory_padding = kind != KIND_DECODER && random_below(2);
    fixture *full = fixture_make(&c, ask, NULL);
    fill_inputs(full);
    CHECK(model_forward(&full->m) == MODEL_OK, "the full pass");
    ask.T = T;
    ask.capacity = length + random_below((size_t)c.max_length - length + 1);
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
    size_t word = c.vocabulary ? 1 : c.input_width ? (size_t)c.input_width : C;
    const uint32_t *tokens = data_of(full, "decoder.", input);
    size_t of[] = {0, 1, 2};
    for (size_t past = 0; past < length; past += T) {
        T = past == 0 ? ask.T : 1 + random_below(ask.T);
        T = T < length - past ? T : length - past;
        if (past > 0 && kind == KIND_DECODER) { /* of one source */
            size_t from = random_below(ask.B), to = random_below(ask.B);
            CHECK(model_copy(&f->m, from, to) == MODEL_OK, "%zu copied to %zu", from, to);
            of[to] = of[from];
        }
        uint32_t *next = data_of(f, "decoder.", input);
        for (size_t b = 0; b < ask.B; b++) {
            memcpy(next + b * T * word, tokens + (of[b] * length + past) * word, T * word * 4);
        }
        int32_t result = past ? model_step(&f->m, past, T) : model_forward(&f->m);
        CHECK(result == MODEL_OK, "step of %zu after %zu: got %d", T, past, result);
        if (past == 0 && kind == KIND_ENCODER_DECODER) { /* no step reads the memory again */
            memset(data_of(f, "encoder.", "out"), 0xff, ask.B * ask.S * C * sizeof(float));
        }
        const float *output = data_of(full, "", "output"), *logits = data_of(full, "", "logits");
        const char *scores = c.output_width ? "values" : "logits";
        logits = c.output_width ? data_of(full, "", scores) : logits;
        const float *got = data_of(f, "", "output"), *scored = data_of(f, "", scores);
        for (size_t b = 0; b < ask.B; b++) {
            size_t at = of[b] * length + past;
            CHECK(same_bits(got + b * T * C, output + at * C, T * C),
                  "kind %d: output of %zu after %zu differs from the full pass", kind, T, past);
            CHECK(!logits || same_bits(scored + b * T * V, logits + at * V, T * V),
                  "kind %d: logits of %zu after %zu differ from the full pass", kind, T, past);
        }
    }
    release();
}

/* A refused call returns its code and leaves every byte of the block as it was. */
static void refuse(fixture *f, int32_t got, int32_t wanted, const char *before, const char *what) {
    CHECK(got == wanted, "%s: got %d, wanted %d", what, got, wanted);
    CHECK(memcmp(before, f->block, f->block_bytes) == 0, "%s: the block has changed", what);
}

static void bad_tokens(fixture *f, const char *name, bool stepping) {
    tensor_info t;
    CHECK(tensor_of(&t, f, name), "%s is there", name);
    size_t n = elements_of(&t);
    for (size_t at = 0; at < n; at += n - 1) {
        int32_t *ids = t.data, good = ids[at], bad[] = {-1, 7, INT32_MAX};
        for (int i = 0; i < 3; i++) {
            ids[at] = bad[i];
            char *before = memcpy(hold(f->block_bytes), f->block, f->block_bytes);
            size_t written = f->m.written;
            int32_t got = stepping ? model_step(&f->m, 1, n) : model_forward(&f->m);
            refuse(f, got, MODEL_ERROR_TOKEN, before, name);
            CHECK(f->m.written == written, "%s: written moves", name);
        }
        ids[at] = good;
    }
}

static void errors(void) {
    model_config c;
    config_default(&c, KIND_ENCODER_DECODER);
    c.vocabulary = c.types = 7; /* and the target's */
    c.d_model = c.d_ff = 8;
    model m;
    model_start(&m, &c, (slice){0}, hold(model_weight_bytes(&c, (slice){0})));
    CHECK(model_forward(&m) == MODEL_ERROR_STATE, "forward before a layout");
    CHECK(model_step(&m, 1, 1) == MODEL_ERROR_STATE, "step before a layout");
    CHECK(model_copy(&m, 0, 0) == MODEL_ERROR_STATE, "copy before a layout");
    request ask = {.B = 1, .S = 4, .T = 3, .types = true};
    fixture *plain = fixture_make(&c, ask, NULL);
    ask.capacity = 6;
    fixture *cached = fixture_make(&c, ask, plain->m.weights), *f[] = {plain, cached};
    for (int i = 0; i < 2; i++) {
        fill_inputs(f[i]);
        CHECK(model_step(&f[i]->m, 1, 1) == MODEL_ERROR_STATE, "step before forward");
        CHECK(model_forward(&f[i]->m) == MODEL_OK, "forward");
        bad_tokens(f[i], "encoder.ids", false);
        bad_tokens(f[i], "encoder.types", false);
        bad_tokens(f[i], "decoder.ids", false);
    }
    bad_tokens(cached, "decoder.ids", true);
    CHECK(model_copy(&plain->m, 0, 0) == MODEL_ERROR_STATE, "copy without a cache");
    CHECK(model_copy(&cached->m, 0, 1) == MODEL_ERROR_ARGUMENT, "copy to no sequence");
    CHECK(model_copy(&cached->m, 1, 0) == MODEL_ERROR_ARGUMENT, "copy of no sequence");
    const struct {
        size_t past, T;
        int32_t wanted;
    } steps[] = {{0, 1, MODEL_ERROR_STATE},
                 {4, 1, MODEL_ERROR_STATE},
                 {3, 0, MODEL_ERROR_ARGUMENT},
                 {3, 4, MODEL_ERROR_ARGUMENT},
                 {3, 3, MODEL_OK},
                 {6, 1, MODEL_ERROR_ARGUMENT},
                 {5, 2, MODEL_ERROR_ARGUMENT},
                 {7, 1, MODEL_ERROR_STATE},
                 {2, 1, MODEL_OK},
                 {4, 1, MODEL_ERROR_STATE},
                 {3, SIZE_MAX, MODEL_ERROR_ARGUMENT}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char *before = memcpy(hold(cached->block_bytes), cached->block, cached->block_bytes);
        int32_t got = model_step(&cached->m, steps[i].past, steps[i].T);
        if (steps[i].wanted != MODEL_OK) {
            refuse(cached, got, steps[i].wanted, before, "a step");
        }
        CHECK(got == steps[i].wanted, "step %zu: got %d", i, got);
    }
    release();
}

/* Lengths and flags that do not fit the kind. Each case has one fault; the first has none. */
static void requests(void) {
    static const struct {
        int32_t kind;
        request ask;
        bool fits;
    } cases[] = {
        {KIND_ENCODER, {.B = 1, .S = 5}, true},
        {KIND_ENCODER, {.B = 0, .S = 5}, false},
        {KIND_ENCODER, {.B = CONFIG_MAX_SIZE + 1, .S = 1}, false},
        {KIND_ENCODER, {.B = 1}, false},
        {KIND_ENCODER, {.B = 1, .S = 5, .T = 1}, false},
        {KIND_ENCODER, {.B = 1, .S = 6}, false}, /* beyond the learned positions */
        {KIND_ENCODER, {.B = 1, .S = 5, .types = true}, true},
        {KIND_ENCODER, {.B = 1, .S = 5, .encoder_padding = true, .mask = true}, true},
        {KIND_ENCODER, {.B = 1, .S = 5, .decoder_padding = true}, false},
        {KIND_ENCODER, {.B = 1, .S = 5, .memory_padding = true}, false},
        {KIND_ENCODER, {.B = 1, .S = 5, .capacity = 5}, false},
        {KIND_DECODER, {.B = 1, .T = 5, .capacity = 5}, true},
        {KIND_DECODER, {.B = 1, .T = 5, .capacity = 4}, false},
        {KIND_DECODER, {.B = 1, .T = 5, .capacity = 6}, false},
        {KIND_DECODER, {.B = 2, .T = 5, .capacity = 5}, true},
        {KIND_DECODER, {.B = 2, .T = 5, .capacity = 5, .capture = true}, false},
        {KIND_DECODER, {.B = 1, .T = 4, .capacity = 5, .mask = true}, false},
        {KIND_DECODER, {.B = 1, .T = 4, .capacity = 5, .decoder_padding = true}, false},
        {KIND_DECODER, {.B = 2, .T = 5, .decoder_padding = true, .mask = true}, true},
        {KIND_DECODER, {.B = 1, .S = 1, .T = 5}, false},
        {KIND_DECODER, {.B = 1, .T = 6}, false},
        {KIND_DECODER, {.B = 1, .T = 5, .types = true}, false},
        {KIND_DECODER, {.B = 1, .T = 5, .encoder_padding = true}, false},
        {KIND_DECODER, {.B = 1, .T = 5, .memory_padding = true}, false},
        {KIND_ENCODER_DECODER, {.B = 2, .S = 5, .T = 5, .memory_padding = true}, true},
        {KIND_ENCODER_DECODER, {.B = 1, .S = 5, .T = 1, .capacity = 5}, true},
        {KIND_ENCODER_DECODER, {.B = 1, .S = 5}, false},
        {KIND_ENCODER_DECODER, {.B = 1, .T = 5}, false},
        {KIND_ATTENTION, {.B = 1, .T = 6, .encoder_padding = true, .mask = true}, true},
        {KIND_ATTENTION, {.B = 1, .S = 6, .T = 2}, true},
        {KIND_ATTENTION, {.B = 1, .S = 6}, false},
        {KIND_ATTENTION, {.B = 1, .T = 6, .capacity = 6}, false},
        {KIND_FEED_FORWARD, {.B = 1, .T = 6}, true},
        {KIND_FEED_FORWARD, {.B = 1, .T = CONFIG_MAX_SIZE + 1}, false},
        {KIND_FEED_FORWARD, {.B = 1, .S = 1, .T = 6}, false},
        {KIND_FEED_FORWARD, {.B = 1, .T = 6, .mask = true}, false},
        {KIND_FEED_FORWARD, {.B = 1, .T = 6, .encoder_padding = true}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model_config c;
        config_default(&c, cases[i].kind);
        c.positions = POSITIONS_LEARNED;
        c.max_length = 5;
        c.vocabulary = config_has_encoder(&c) || config_has_decoder(&c) ? 9 : 0;
        c.types = config_has_encoder(&c) ? 2 : 0;
        model m;
        model_start(&m, &c, (slice){0}, hold(model_weight_bytes(&c, (slice){0})));
        int32_t got = model_layout_bytes(&m, cases[i].ask);
        CHECK(cases[i].fits ? got > 0 : got == MODEL_ERROR_ARGUMENT, "request %zu: got %d", i, got);
    }
    release();
}

int main(void) {
    errors();
    requests();
    for (int round = 0; round < 300; round++) {
        for (int32_t kind = KIND_ENCODER; kind <= KIND_FEED_FORWARD; kind++) {
            one_model(kind);
        }
    }
    for (int round = 0; round < 200; round++) {
        size_t T = 1 + random_below(4);
        steps(KIND_DECODER, round % 2, 9, T);
        steps(KIND_ENCODER_DECODER, round % 2, 9, T);
    }
    for (int round = 0; round < 10; round++) { /* longer than a block of queries */
        steps(KIND_DECODER, round % 2, 81, 40);
        steps(KIND_ENCODER_DECODER, round % 2, 81, 40);
    }
    return check_done("model/model", NULL, 0);
}
