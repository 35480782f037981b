/* Training a part: spans of the weights that train, and shards of a batch that add up to it. */
#include "start.h"

enum { GRADIENT, LOSS, BOUNDS };
static bound bounds[BOUNDS] = {
    [GRADIENT] = {.what = "gradient of shards, the largest", .allowed = 2e-6},
    [LOSS] = {.what = "loss of shards, 1 + |loss|", .allowed = 2e-6},
};

/* Ascending spans of n floats, some of them empty, some side by side. */
static size_t random_spans(trainer_span *spans, size_t most, size_t n) {
    size_t count = random_below(most + 1), at = 0;
    for (size_t i = 0; i < count; i++) {
        size_t begin = at + random_below((n - at) / 2 + 1);
        at = begin + random_below((n - begin) / 2 + 1);
        spans[i] = (trainer_span){(int32_t)begin, (int32_t)at};
    }
    return count;
}

static bool inside(const trainer_span *spans, size_t count, size_t i) {
    bool found = false;
    for (size_t k = 0; k < count; k++) {
        found = found || ((size_t)spans[k].begin <= i && i < (size_t)spans[k].end);
    }
    return found;
}

/* Trained weights move as if all trained; the others keep their bits. The norm is that of the trained ones. */
static void some_train(int32_t kind, int optimizer) {
    model_config c = small(kind, NORM_POST);
    trainer_settings s = moving(&c, optimizer);
    training all = start(&c, s, NULL, false);
    size_t bytes = all.f->weight_bytes, n = all.t.count;
    float *before = copy(all.f->m.weights, bytes);
    training part = start(&c, s, copy(before, bytes), false);
    copy_inputs(part.f, all.f);
    for (size_t i = 0; s.loss && i < all.f->m.dims.B * all.f->m.dims.TO * all.f->m.dims.C; i++) {
        part.f->m.tensors.value.target_vectors[i] = all.f->m.tensors.value.target_vectors[i];
    }
    trainer_span spans[6];
    part.t.span_count = random_spans(spans, 6, n);
    part.t.spans = spans;
    step(&all);
    step_report out = step(&part);
    double squares = 0;
    const float *gradients = part.f->m.gradients;
    for (size_t i = 0; i < n; i++) {
        bool trains = inside(spans, part.t.span_count, i);
        float *const wanted[] = {trains ? all.f->m.weights : before,
                                 trains ? all.t.moment1 : part.t.moment1,
                                 trains ? all.t.moment2 : part.t.moment2};
        float *const got[] = {part.f->m.weights, part.t.moment1, part.t.moment2};
        for (int k = 0; k < 3; k++) {
            CHECK(same_bits(got[k] + i, wanted[k] + i, 1), "float %zu of block %d, trains %d", i, k,
                  trains);
        }
        CHECK(trains || (part.t.moment1[i] == 0 && part.t.moment2[i] == 0), "moment %zu", i);
        squares += trains ? (double)gradients[i] * gradients[i] : 0;
    }
    CHECK(fabs(out.gradient_norm - sqrt(squares)) <= 1e-6 * sqrt(squares), "norm: got %g, not %g",
          (double)out.gradient_norm, sqrt(squares));
    CHECK(out.steps == 1 && part.t.steps == 1, "a step is a step");
    release();
}

/* A gradient that is no number stops a step only where it trains. */
static void frozen_infinity(void) {
    model_config c = small(KIND_FEED_FORWARD, NORM_POST);
    trainer_settings s = defaults();
    s.loss = OBJECTIVE_LINEAR;
    training a = start(&c, s, NULL, false);
    trainer_span spans[] = {{1, 3}, {8, 8}, {9, 10}};
    a.t.spans = spans;
    a.t.span_count = 3;
    for (int at = 0; at < 12; at++) {
        step_report out = {.loss = 1};
        memset(a.f->m.gradients, 0, a.f->weight_bytes);
        ((float *)a.f->m.gradients)[at] = INFINITY;
        bool trains = at == 1 || at == 2 || at == 9;
        int32_t got = trainer_apply(&a.t, &a.f->m, &out);
        CHECK(got == (trains ? TRAINER_ERROR_NUMBER : MODEL_OK), "infinity at %d: got %d", at, got);
    }
    release();
}

/* Rows from .. of the batch of one model into another, of fewer. */
static void take_rows(training *to, training *from, size_t first, size_t rows) {
    for (size_t i = 0; i < to->f->count; i++) {
        tensor_info t = to->f->list[i], all;
        bool there = is_input(&t) && tensor_of(&all, from->f, t.name);
        if (there && strcmp(t.name, "mask") != 0) {
            size_t bytes = elements_of(&t) / rows * (t.type == TENSOR_BYTE ? 1 : 4);
            memcpy(t.data, (char *)all.data + first * bytes, rows * bytes);
        }
    }
}

/* The gradients of shards add up to those of the batch, dropout too; so do their losses. */
static void shards(int32_t kind, int loss, double dropout) {
    enum { B = 5 };
    model_config c = small(kind, NORM_PRE);
    trainer_settings s = defaults();
    s.loss = loss;
    s.dropout = dropout;
    s.seed = random_bits();
    s.label_smoothing = loss == OBJECTIVE_CROSS_ENTROPY ? 0.1 : 0;
    request ask = {.B = B,
                   .S = config_has_encoder(&c) ? 5 : 0,
                   .T = config_has_decoder(&c) || !config_has_encoder(&c) ? 4 : 0,
                   .train = true,
                   .vector_targets = loss > 0,
                   .loss_mask = random_below(2)};
    training whole = {.f = fixture_make(&c, ask, NULL)};
    fill_inputs(whole.f);
    size_t bytes = whole.f->weight_bytes, n = bytes / sizeof(float);
    whole.t = (trainer){.settings = s, .count = n};
    step_report wanted;
    CHECK(trainer_gradients(&whole.t, &whole.f->m, &wanted) == MODEL_OK, "the batch");
    double sum = 0, *gradients = memset(hold(n * sizeof *gradients), 0, n * sizeof *gradients);
    float top = 0;
    int32_t counted = 0;
    for (size_t first = 0, rows; first < B; first += rows) {
        rows = 1 + random_below(B - first);
        ask.B = rows;
        training part = {.f = fixture_make(&c, ask, whole.f->m.weights)};
        part.t = whole.t;
        take_rows(&part, &whole, first, rows);
        memset(part.f->m.gradients, 0x7f, bytes); /* forgotten */
        step_report out;
        int32_t got = trainer_shard(&part.t, &part.f->m, &out, first, (size_t)wanted.counted);
        CHECK(got == MODEL_OK, "rows %zu from %zu: got %d", rows, first, got);
        sum += out.loss;
        counted += out.counted;
        for (size_t i = 0; i < n; i++) {
            gradients[i] += ((float *)part.f->m.gradients)[i];
        }
    }
    const float *all = whole.f->m.gradients;
    for (size_t i = 0; i < n; i++) {
        top = fmaxf(top, fabsf(all[i]));
    }
    for (size_t i = 0; i < n; i++) {
        CHECK_WITHIN(bounds + GRADIENT, gradients[i], all[i], top,
                     "kind %d loss %d dropout %g: gradient %zu", kind, loss, dropout, i);
    }
    CHECK(counted == wanted.counted, "rows: %d, not %d", counted, wanted.counted);
    CHECK_WITHIN(bounds + LOSS, sum, wanted.loss, 1 + fabs((double)wanted.loss), "kind %d loss %d",
                 kind, loss);
    release();
}

int main(void) {
    for (int round = 0; round < 8; round++) {
        for (int32_t kind = 0; kind < KIND_COUNT; kind++) {
            some_train(kind, round % OPTIMIZER_COUNT);
            for (int loss = 0; loss < OBJECTIVE_COUNT; loss++) {
                shards(kind, loss, round & 1 ? 0.3 : 0);
            }
        }
    }
    frozen_infinity();
    return check_done("train/spans", bounds, BOUNDS);
}
