/* A pass in slices, each a model that holds its rows alone, has the bits of the whole model's. */
#include "../../src/kernel/packed.h"
#include "fixture.h"

enum { MOST = 5 };

/* The whole model, then the other slices. */
typedef struct team {
    model *models[MOST];
    char *blocks[MOST];
    size_t others;
} team;

/* A wide model: a unit is 16 rows. */
static model_config wide(int32_t kind) {
    for (;;) {
        model_config c = random_config(kind);
        c.vocabulary *= 7;
        c.output_vocabulary *= 9;
        c.output_width *= 5;
        c.d_model *= 1 + (int32_t)random_below(8);
        c.d_ff *= 1 + (int32_t)random_below(9);
        c.head_width *= 1 + (int32_t)random_below(3);
        c.weights = random_below(3) ? WEIGHT_F32 : (int32_t)random_below(WEIGHT_PANELS);
        if (c.weights != WEIGHT_F32) {
            c.d_model = (c.d_model + 15) / 16 * 16;
            c.head_width = 8 << random_below(3);
        }
        if (config_invalid(&c) < 0) {
            return c;
        }
    }
}

static bool is_packed(const tensor_info *t) {
    return t->type == TENSOR_BF16 || t->type == TENSOR_F16 || t->type == TENSOR_INT8;
}

/* Rows from .. from + count of a weight. */
static size_t copy_rows(char *to, const tensor_info *t, span rows, weight_type type) {
    size_t columns = t->rank > 1 ? (size_t)t->shape[1] : 1;
    packed_unit unit = packed_row(columns, is_packed(t) ? type : WEIGHT_F32);
    size_t row = unit.count * unit.bytes;
    size_t count = is_packed(t) ? (rows.count + 15) / 16 * 16 : rows.count;
    memcpy(to, (char *)t->data + rows.from * row, count * row);
    return count * row;
}

/* A slice of a model, its weights those rows of the model's. */
static model *slice_of(model *whole, slice s) {
    const model_config *c = &whole->config;
    model_config own = *c;
    own.weights = c->weights == WEIGHT_PANELS ? WEIGHT_F32 : c->weights;
    model *m = hold(sizeof *m);
    size_t bytes = model_weight_bytes(&own, s);
    CHECK(bytes <= whole->weight_bytes, "%zu of %zu bytes", bytes, whole->weight_bytes);
    model_start(m, &own, s, memset(hold(bytes), 0, bytes));
    CHECK(c->weights != WEIGHT_PANELS || model_arrange(m, true), "arranged");
    size_t count = tensors_count(&m->tensors, &m->dims), index, rows = 0;
    for (size_t k = 0; k <= count; k++) {
        span spans[3];
        size_t n = tensors_slice(spans, &index, &whole->tensors, &whole->dims, s, k);
        CHECK((n > 0) == (k < count), "weight %zu of %zu", k, count);
        tensor_info to, from;
        if (n == 0) {
            continue;
        }
        tensors_get(&to, &m->tensors, &m->dims, k);
        tensors_get(&from, &whole->tensors, &whole->dims, index);
        CHECK(strcmp(to.name, from.name) == 0 && to.type == from.type, "%s of %s", to.name,
              from.name);
        char *at = to.data;
        rows = 0;
        for (size_t i = 0; i < n; i++) {
            at += copy_rows(at, &from, spans[i], (weight_type)c->weights);
            rows += spans[i].count;
            CHECK(spans[i].from + spans[i].count <= (size_t)from.shape[0], "%s", to.name);
        }
        CHECK(rows == (size_t)to.shape[0], "%s: %zu rows", to.name, rows);
    }
    return m;
}

static void lay_out(team *t, request ask) {
    for (size_t i = 0; i <= t->others; i++) {
        ask.slice = t->models[i]->dims.ask.slice;
        int32_t bytes = model_layout_bytes(t->models[i], ask);
        CHECK(bytes >= 0, "slice %zu: got %d", i, bytes);
        t->blocks[i] = memset(hold((size_t)bytes), 0xff, (size_t)bytes);
        model_layout(t->models[i], ask, t->blocks[i]);
    }
}

static void resize(team *t, request ask) {
    for (size_t i = 0; i <= t->others; i++) {
        ask.slice = t->models[i]->dims.ask.slice;
        int32_t bytes = model_layout_bytes(t->models[i], ask);
        CHECK(bytes >= 0, "slice %zu: got %d", i, bytes);
        char *former = t->blocks[i];
        t->blocks[i] = memset(hold((size_t)bytes), 0, (size_t)bytes);
        model_resize(t->models[i], ask, t->blocks[i], former);
    }
}

/* Tokens and vectors for the first one alone, masks for all. */
static void copy_to(team *t, fixture *from) {
    for (size_t k = 0; k < from->count; k++) {
        tensor_info in = from->list[k], to;
        bool mask = strstr(in.name, "padding") || strcmp(in.name, "mask") == 0;
        for (size_t i = 0; is_input(&in) && i <= (mask ? t->others : 0); i++) {
            model *m = t->models[i];
            int at = tensors_find(&m->tensors, &m->dims, in.name);
            CHECK(at >= 0, "%s of slice %zu", in.name, i);
            tensors_get(&to, &m->tensors, &m->dims, (size_t)at);
            memcpy(to.data, in.data, elements_of(&in) * (in.type == TENSOR_BYTE ? 1 : 4));
        }
    }
}

/* What each has computed goes to the others, or to the first. */
static void swap(const team *t, const exchange *due) {
    for (size_t to = 0; to <= (due->first ? 0 : t->others); to++) {
        for (size_t from = 0; from <= t->others; from++) {
            size_t begin = due[from].begin[from], count = due[from].begin[from + 1] - begin;
            CHECK(due[from].rows == due->rows && begin + count <= due->row, "slice %zu", from);
            for (size_t r = 0; to != from && r < due->rows; r++) {
                const float *own = due[from].to + r * due[from].row + (due->first ? 0 : begin);
                memcpy(due[to].to + r * due[to].row + begin, own, count * sizeof *own);
            }
        }
    }
}

/* Returns the exchanges. */
static size_t run(const team *t, size_t past, size_t T) {
    exchange due[MOST];
    size_t count = 0;
    for (size_t i = 0; i <= t->others; i++) {
        int32_t got = model_begin(t->models[i], t->others, past, T);
        CHECK(got == MODEL_OK, "slice %zu begins: got %d", i, got);
    }
    for (int32_t more = 1; more > 0; count++) {
        more = model_next(t->models[0], due);
        for (size_t i = 1; i <= t->others; i++) {
            CHECK(model_next(t->models[i], due + i) == more, "slice %zu goes along", i);
        }
        if (more > 0) {
            swap(t, due);
        }
    }
    return count - 1;
}

static const float *result_of(model *m, const char *name, size_t *row) {
    int at = tensors_find(&m->tensors, &m->dims, name);
    tensor_info t = {0};
    if (at >= 0) {
        tensors_get(&t, &m->tensors, &m->dims, (size_t)at);
        *row = (size_t)t.shape[2];
    }
    return t.data;
}

/* So many rows of the output and the logits, or values, from some row on. */
static void same(const team *t, model *one, size_t to, size_t from, size_t rows, const char *what) {
    const char *names[] = {"output", "logits", "values"};
    for (size_t i = 0; i < 3; i++) {
        size_t row = 0;
        const float *got = result_of(t->models[0], names[i], &row);
        const float *wanted = result_of(one, names[i], &row);
        CHECK(!wanted == !got, "%s", names[i]);
        CHECK(!wanted || isfinite(wanted[from * row]), "%s: %s", what, names[i]);
        CHECK(!wanted || same_bits(got + to * row, wanted + from * row, rows * row), "%s: %s", what,
              names[i]);
    }
}

static void one_model(int32_t kind) {
    model_config c = wide(kind);
    request ask = random_request(&c), longer;
    bool causal = c.causal && config_has_decoder(&c) && ask.B == 1;
    fixture *full = fixture_make(&c, ask, NULL);
    bool arranged = random_below(2) && model_arrange(&full->m, true);
    fill_inputs(full);
    CHECK(model_forward(&full->m) == MODEL_OK, "the whole");
    fixture *first = hold(sizeof *first);
    model_start(&first->m, &c, (slice){0}, full->m.weights);
    first->m.config.weights = full->m.config.weights;
    team t = {.models = {&first->m}, .others = 1 + random_below(MOST - 1)};
    for (size_t i = 1; i <= t.others; i++) {
        t.models[i] = slice_of(&first->m, (slice){i, t.others});
    }
    ask.reserved = causal ? ask.T : 0;
    lay_out(&t, ask);
    copy_to(&t, full);
    size_t exchanges = run(&t, 0, full->m.dims.TO);
    CHECK(exchanges > 0, "%zu exchanges", exchanges);
    same(&t, &full->m, 0, 0, ask.B * full->m.dims.TO, arranged ? "arranged" : "in slices");
    size_t most = (size_t)c.max_length, past = ask.T;
    if (!causal || past == 0 || past >= most) {
        release();
        return;
    }
    /* on from these rows, then from some of them with a cache */
    longer = ask;
    longer.T = past + 1 + random_below(most - past);
    longer.reserved = 0;
    fixture *all = fixture_make(&full->m.config, longer, full->m.weights);
    all->m.config.weights = full->m.config.weights;
    fill_inputs(all);
    copy_inputs(all, full); /* which is shorter, but for the mask */
    if (!ask.mask) {
        CHECK(model_forward(&all->m) == MODEL_OK, "the longer whole");
        longer.reserved = longer.T;
        resize(&t, longer);
        copy_to(&t, all);
        run(&t, past, longer.T - past);
        same(&t, &all->m, 0, 0, longer.T, "on");
    }
    if (!ask.mask && !ask.decoder_padding) {
        request cached = longer;
        past = 1 + random_below(longer.T - 1);
        cached.T = longer.T - past;
        cached.capacity = longer.T;
        cached.reserved = 0;
        resize(&t, cached);
        const char *input = c.vocabulary ? "decoder.ids" : "decoder.vectors";
        tensor_info in, to;
        CHECK(tensor_of(&in, all, input), "%s", input);
        model *m = t.models[0];
        tensors_get(&to, &m->tensors, &m->dims, (size_t)tensors_find(&m->tensors, &m->dims, input));
        size_t row = elements_of(&in) / longer.T * 4;
        memcpy(to.data, (char *)in.data + past * row, cached.T * row);
        run(&t, past, cached.T);
        same(&t, &all->m, 0, past, cached.T, "a step");
    }
    release();
}

static void errors(void) {
    model_config c = tiny(KIND_DECODER);
    fixture *f = fixture_make(&c, (request){.B = 1, .T = 3, .reserved = 5}, NULL);
    exchange due;
    fill_inputs(f);
    CHECK(model_next(&f->m, &due) == MODEL_ERROR_STATE, "nothing has begun");
    CHECK(model_begin(&f->m, 1, 0, 2) == MODEL_ERROR_ARGUMENT, "not all of it");
    CHECK(model_begin(&f->m, 1, 1, 2) == MODEL_ERROR_STATE, "on from nothing");
    CHECK(model_begin(&f->m, 1, 0, 3) == MODEL_OK && model_next(&f->m, &due) == 1, "its input");
    CHECK(due.to == data_of(f, "decoder.", "input") || f->m.tensors.value.decoder.input == due.to,
          "its input");
    model_end(&f->m);
    CHECK(model_next(&f->m, &due) == MODEL_ERROR_STATE, "it has ended");
    CHECK(model_forward(&f->m) == MODEL_OK && model_begin(&f->m, 1, 2, 1) == MODEL_OK, "on");
    CHECK(f->m.steps.shift == 2, "shifted by %td", f->m.steps.shift);
    model_end(&f->m);
    CHECK(model_resume(&f->m, 2) == MODEL_OK, "as it was");
    CHECK(model_begin(&f->m, 1, 3, 0) == MODEL_ERROR_STATE, "nothing to compute");
    ((int32_t *)data_of(f, "decoder.", "ids"))[1] = 7;
    CHECK(model_begin(&f->m, 1, 0, 3) == MODEL_ERROR_TOKEN, "no such token");
    slice s = {1, 2};
    model m;
    model_start(&m, &c, s, hold(model_weight_bytes(&c, s)));
    CHECK(model_begin(&m, 2, 0, 3) == MODEL_ERROR_STATE, "before a layout");
    request ask = {.B = 1, .T = 3, .slice = s};
    char *block = hold((size_t)model_layout_bytes(&m, ask));
    model_layout(&m, ask, block);
    CHECK(model_begin(&m, 1, 0, 3) == MODEL_ERROR_STATE, "of another number");
    CHECK(model_forward(&m) == MODEL_ERROR_STATE, "a slice alone");
    CHECK(model_begin(&m, 2, 0, 3) == MODEL_OK, "of its number");
    ask.capture = true;
    CHECK(model_layout_bytes(&m, ask) == MODEL_ERROR_ARGUMENT, "captured");
    ask.capture = false;
    ask.train = true;
    CHECK(model_layout_bytes(&m, ask) == MODEL_ERROR_ARGUMENT, "trained");
    request captured = {.B = 1, .T = 3, .capture = true};
    f = fixture_make(&c, captured, NULL);
    fill_inputs(f);
    CHECK(model_begin(&f->m, 1, 0, 3) == MODEL_ERROR_STATE, "captured");
    c = tiny(KIND_FEED_FORWARD);
    c.vocabulary = 0;
    f = fixture_make(&c, (request){.B = 1, .T = 3}, NULL);
    CHECK(model_begin(&f->m, 1, 0, 3) == MODEL_ERROR_STATE, "a layer alone");
    release();
}

/* Shares follow each other, in whole units, and none is larger than another by more than one. */
static void shares(void) {
    for (size_t others = 0; others < 7; others++) {
        for (size_t rows = 0; rows < 200; rows++) {
            slice s = {0, others};
            size_t at = 0;
            for (size_t i = 0; i <= others; i++) {
                size_t begin = slice_begin(rows, 16, s, i), end = slice_begin(rows, 16, s, i + 1);
                CHECK(begin == at && begin <= end && (begin % 16 == 0 || begin == rows),
                      "%zu rows, thread %zu: %zu..%zu", rows, i, begin, end);
                CHECK(end - begin <= rows / (others + 1) + 16, "%zu rows: %zu", rows, end - begin);
                at = end;
            }
            CHECK(at == rows, "%zu of %zu rows", at, rows);
        }
    }
}

int main(void) {
    shares();
    errors();
    for (int i = 0; i < 600; i++) {
        one_model(i % 4 == 0 ? KIND_ENCODER : i % 4 == 1 ? KIND_ENCODER_DECODER : KIND_DECODER);
    }
    return check_done("model/slice", NULL, 0);
}
