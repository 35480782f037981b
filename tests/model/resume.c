/* A pass that goes on from another has the bits of a full one in all that can be read. */
#include "fixture.h"

static size_t bytes_of(const tensor_info *t) {
    return elements_of(t) * (t->type == TENSOR_BYTE ? 1 : 4);
}

/* The first rows of the decoder's inputs, and all of the encoder's, are those of the pass before. */
static void copy_past(fixture *to, fixture *from, size_t past) {
    for (size_t i = 0; i < from->count; i++) {
        tensor_info t = from->list[i], same;
        if (!is_input(&t) || !tensor_of(&same, to, t.name)) {
            continue;
        }
        if (strncmp(t.name, "decoder.", 8) == 0) {
            memcpy(same.data, t.data, bytes_of(&t) / (size_t)t.shape[1] * past);
        } else if (strcmp(t.name, "mask") == 0) {
            for (size_t row = 0; row < past; row++) {
                memcpy((float *)same.data + row * (size_t)same.shape[1],
                       (float *)t.data + row * (size_t)t.shape[1], (row + 1) * sizeof(float));
            }
        } else {
            memcpy(same.data, t.data, bytes_of(&t));
        }
    }
}

/* As gf_model_resize does it. */
static void resize(fixture *f, size_t T) {
    request ask = f->m.dims.ask;
    char *former = f->block;
    ask.T = T;
    if (T > ask.reserved) {
        ask.reserved = T + random_below(4);
        size_t most = (size_t)f->m.config.max_length;
        ask.reserved =
            f->m.config.positions == POSITIONS_LEARNED && ask.reserved > most ? most : ask.reserved;
        int32_t bytes = model_layout_bytes(&f->m, ask);
        CHECK(bytes >= 0, "%zu rows: got %d", T, bytes);
        f->block_bytes = (size_t)bytes;
        f->block = memset(hold(f->block_bytes), 0, f->block_bytes);
    }
    model_resize(&f->m, ask, f->block, former);
    fixture_list(f);
}

/* Its keys and values in a cache: a step has the bits of the full pass. */
static void step_on(fixture *f, fixture *full) {
    request ask = f->m.dims.ask;
    size_t T = ask.T, past = 1 + random_below(T - 1);
    ask.capacity = T;
    ask.T = T - past;
    ask.reserved = 0;
    ask.capture = false;
    char *former = f->block;
    f->block_bytes = (size_t)model_layout_bytes(&f->m, ask);
    f->block = memset(hold(f->block_bytes), 0, f->block_bytes);
    model_resize(&f->m, ask, f->block, former);
    fixture_list(f);
    const char *input = f->m.config.vocabulary ? "decoder.ids" : "decoder.vectors";
    tensor_info t;
    CHECK(tensor_of(&t, full, input), "%s", input);
    size_t row = bytes_of(&t) / T;
    memcpy(data_of(f, "", input), (char *)t.data + past * row, ask.T * row);
    CHECK(model_step(&f->m, past, ask.T) == MODEL_OK, "a step after %zu of %zu", past, T);
    size_t C = (size_t)f->m.config.d_model;
    CHECK(same_bits(data_of(f, "", "output"), (float *)data_of(full, "", "output") + past * C,
                    ask.T * C),
          "the step after %zu of %zu", past, T);
}

static void one_model(int32_t kind, bool capture) {
    model_config c;
    do {
        c = random_config(kind);
    } while (!c.causal);
    request ask = random_request(&c);
    ask.B = 1;
    ask.capture = capture;
    ask.omit = capture ? random_bits() & random_bits() : 0;
    ask.reserved = ask.T + random_below(4);
    ask.reserved = ask.reserved < (size_t)c.max_length ? ask.reserved : (size_t)c.max_length;
    ask.reserved = ask.reserved < ask.T ? ask.T : ask.reserved;
    fixture *f = fixture_make(&c, ask, NULL), *full = NULL;
    fill_inputs(f);
    CHECK(model_forward(&f->m) == MODEL_OK, "the first pass");
    for (int round = 0; round < 6; round++) {
        size_t before = ask.T;
        ask.T = 1 + random_below((size_t)c.max_length);
        ask.reserved = 0;
        size_t past = 1 + random_below(ask.T < before ? ask.T : before);
        full = fixture_make(&c, ask, f->m.weights);
        fill_inputs(full);
        copy_past(full, f, past);
        CHECK(model_forward(&full->m) == MODEL_OK, "the full pass");
        resize(f, ask.T);
        copy_inputs(f, full);
        int32_t got = model_resume(&f->m, past);
        CHECK(got == MODEL_OK && f->m.written == ask.T, "on from %zu of %zu: got %d", past, before,
              got);
        CHECK(f->count == full->count, "%zu tensors, wanted %zu", f->count, full->count);
        for (size_t i = 0; i < f->count; i++) {
            tensor_info t = f->list[i], wanted = full->list[i];
            CHECK(memcmp(t.shape, wanted.shape, sizeof t.shape) == 0, "%s: its shape", t.name);
            CHECK(memcmp(t.data, wanted.data, bytes_of(&t)) == 0, "%s: %zu of %zu, %zu before",
                  t.name, past, ask.T, before);
        }
    }
    if (ask.T > 1 && !ask.decoder_padding && !ask.mask) {
        step_on(f, full);
    }
    release();
}

static void errors(void) {
    model_config c = tiny(KIND_DECODER);
    model m;
    model_start(&m, &c, (slice){0}, hold(model_weight_bytes(&c, (slice){0})));
    CHECK(model_resume(&m, 1) == MODEL_ERROR_STATE, "before a layout");
    fixture *plain = fixture_make(&c, (request){.B = 1, .T = 3}, NULL);
    fixture *f = fixture_make(&c, (request){.B = 1, .T = 3, .reserved = 5}, plain->m.weights);
    fill_inputs(plain);
    fill_inputs(f);
    CHECK(model_resume(&f->m, 1) == MODEL_ERROR_STATE, "before a pass");
    CHECK(model_forward(&plain->m) == MODEL_OK && model_forward(&f->m) == MODEL_OK, "passes");
    CHECK(model_resume(&plain->m, 1) == MODEL_ERROR_STATE, "nothing is kept");
    CHECK(model_resume(&f->m, 0) == MODEL_ERROR_STATE, "on from nothing");
    CHECK(model_resume(&f->m, 4) == MODEL_ERROR_STATE, "beyond what there is");
    CHECK(model_resume(&f->m, 3) == MODEL_OK, "all of it");
    resize(f, 2);
    CHECK(model_resume(&f->m, 3) == MODEL_ERROR_STATE, "what was taken away");
    ((int32_t *)data_of(f, "decoder.", "ids"))[1] = 7;
    CHECK(model_resume(&f->m, 1) == MODEL_ERROR_TOKEN, "no such token");
    release();
}

/* How many rows are reserved by themselves. */
static void reserves(void) {
    model_config c = tiny(KIND_DECODER);
    static uint64_t nothing[8];
    static const struct {
        request ask;
        size_t wanted;
    } cases[] = {
        {{.B = 1, .T = 16}, 26},
        {{.B = 2, .T = 16}, 0},
        {{.B = 1, .T = 16, .train = true}, 0},
        {{.B = 1, .T = 16, .capacity = 16}, 0},
        {{.B = 1, .T = 3000, .capture = true}, 3000}, /* its spare rows would take too much */
        {{.B = 1, .T = 20000, .capture = true}, 20000},
    };
    model m;
    model_start(&m, &c, (slice){0}, nothing); /* no weight is read */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t got = model_reserved(&m, cases[i].ask);
        CHECK(got == cases[i].wanted, "reserved %zu: got %zu", i, got);
    }
    m.config.causal = 0;
    CHECK(model_reserved(&m, cases[0].ask) == 0, "without causal mask");
    m.config.causal = 1;
    m.config.positions = POSITIONS_LEARNED;
    m.config.max_length = 20;
    CHECK(model_reserved(&m, cases[0].ask) == 20, "positions end");
    CHECK(model_reserved(&m, (request){.B = 1, .T = 21}) == 0, "positions have ended");
    m.config.kind = KIND_ENCODER;
    CHECK(model_reserved(&m, (request){.B = 1, .S = 16}) == 0, "no decoder");
    request ask = {.B = 1, .T = 3, .reserved = 2};
    m.config.kind = KIND_DECODER;
    CHECK(model_layout_bytes(&m, ask) == MODEL_ERROR_ARGUMENT, "fewer reserved than rows");
}

/* Without capture no tensor grows with the square of the length. */
static void linear(void) {
    model_config c = tiny(KIND_DECODER);
    static uint64_t nothing[8];
    model m;
    model_start(&m, &c, (slice){0}, nothing);
    int32_t bytes[3];
    for (size_t i = 0; i < 3; i++) {
        bytes[i] =
            model_layout_bytes(&m, (request){.B = 1, .T = 1024u << i, .reserved = 1024u << i});
    }
    CHECK(bytes[2] - bytes[1] == 2 * (bytes[1] - bytes[0]),
          "1,024, 2,048 and 4,096 tokens: %d, %d, %d", bytes[0], bytes[1], bytes[2]);
}

int main(void) {
    linear();
    for (int i = 0; i < 300; i++) {
        one_model(i % 3 ? KIND_DECODER : KIND_ENCODER_DECODER, i % 4 != 0);
    }
    errors();
    reserves();
    return check_done("model/resume", NULL, 0);
}
