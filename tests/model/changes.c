/* Passes with patches, cotangents and a temperature: what a patch reaches, and the vector-Jacobian products. The
 * gradients of model_gradients, which tests/model/gradient.c compares with differences, are the measure. */
#include "fixture.h"

enum { SPLIT, BOUNDS };
static bound bounds[BOUNDS] = {
    [SPLIT] = {.what = "gradient in two parts, the tensor's largest + 1% of all", .allowed = 2e-5},
};

static void *copy(const void *from, size_t bytes) { return memcpy(hold(bytes), from, bytes); }

/* Another name for memory that has a home. */
static bool is_view(fixture *f, size_t i) {
    tensor_info t = f->list[i];
    return tensors_index(&f->m.tensors, &f->m.dims, t.data) != (int)i;
}

/* Patches that put from in the place of n floats. */
static patch *patches_of(float *at, const float *from, size_t n) {
    patch *list = hold((n + 1) * sizeof *list);
    for (size_t i = 0; i < n; i++) {
        list[i] = (patch){at + i, from[i]};
    }
    return list;
}

static void vjp(fixture *f, const patches *p) {
    memset(f->m.gradients, 0x7f, f->weight_bytes); /* overwritten */
    f->m.patches = p;
    CHECK(model_vjp(&f->m) == MODEL_OK, "vjp");
    f->m.patches = NULL;
}

static void forward(fixture *f, const patches *p) {
    f->m.patches = p;
    CHECK(model_forward(&f->m) == MODEL_OK, "forward");
    f->m.patches = NULL;
}

/* The same numbers; which of two zeros may differ. */
static void same_gradients(fixture *f, const float *wanted, const char *what) {
    const float *got = f->m.gradients;
    for (size_t i = 0; i < f->weight_bytes / sizeof *got; i++) {
        CHECK(got[i] == wanted[i], "kind %d, %s: gradient %zu: got %g, wanted %g", f->m.config.kind,
              what, i, (double)got[i], (double)wanted[i]);
    }
}

static float largest(const float *x, size_t n) {
    float top = 0;
    for (size_t i = 0; i < n; i++) {
        top = fmaxf(top, fabsf(x[i]));
    }
    return top;
}

/* By linearity the gradients of the weights are those that go by way of a part of a tensor, and those that pass by
 * it: of the model where numbers of a pass stand patched in that part. */
static void split(fixture *f, const tensor_info *t, cotangent top, const float *all,
                  const objective *o) {
    size_t n = elements_of(t), floats = f->weight_bytes / sizeof(float), held = check_held_count;
    bool whole = random_below(2) || n == 0;
    size_t from = whole ? 0 : random_below(n), count = whole ? n : 1 + random_below(n - from);
    tensor_info gradient;
    CHECK(tensor_of(&gradient, f, join("grad.", t->name)), "grad.%s is missing", t->name);
    float *x = (float *)t->data + from, *own = copy(x, count * sizeof *own);
    float *dx = copy((float *)gradient.data + from, count * sizeof *dx);
    cotangent there = {x, dx, count};
    patches around = {patches_of(x, own, count), count, &top, 1}, through = {NULL, 0, &there, 1};
    char *block = copy(f->block, f->block_bytes);
    forward(f, &around);
    CHECK(memcmp(block, f->block, f->block_bytes) == 0, "%s patched with its own numbers", t->name);
    vjp(f, &around);
    float *by = copy(f->m.gradients, f->weight_bytes), loss;
    around.cotangent_count = 0; /* the objective gives those of the end */
    memset(f->m.gradients, 0, f->weight_bytes);
    f->m.patches = &around;
    CHECK(model_gradients(&f->m, o, &loss, &(size_t){0}) == MODEL_OK, "patched gradients");
    same_gradients(f, by, "of the objective");
    vjp(f, &through);
    const float *way = f->m.gradients;
    double unit = largest(all, floats);
    for (size_t i = 0; i < f->count; i++) {
        tensor_info w = f->list[i];
        size_t at = (size_t)((float *)w.data - (float *)f->m.weights);
        if (w.region == WEIGHT && !w.gradient) {
            double size = largest(all + at, elements_of(&w)) + 0.01 * unit + 1e-12;
            for (size_t k = at; k < at + elements_of(&w); k++) {
                CHECK_WITHIN(bounds + SPLIT, (double)by[k] + way[k], all[k], size,
                             "%s kind %d norm %d by way of %s", w.name, f->m.config.kind,
                             f->m.config.norm, t->name);
            }
        }
    }
    release_to(held);
}

static void products(int32_t kind) {
    model_config c = random_config(kind);
    request ask = random_request(&c);
    ask.train = ask.capture = true;
    bool alone = kind >= KIND_ATTENTION;
    ask.vector_targets = alone ? random_below(2) : c.head == HEAD_NONE;
    fixture *f = fixture_make(&c, ask, NULL);
    fill_inputs(f);
    objective o = {.kind = ask.vector_targets ? OBJECTIVE_LINEAR : OBJECTIVE_CROSS_ENTROPY,
                   .ignore_index = IGNORED};
    float loss;
    size_t counted;
    CHECK(model_gradients(&f->m, &o, &loss, &counted) == MODEL_OK, "gradients");
    float *all = copy(f->m.gradients, f->weight_bytes);
    tensor_info end, of;
    const char *last = c.output_width                ? "values"
                       : ask.vector_targets || alone ? "output"
                                                     : "logits";
    CHECK(tensor_of(&end, f, last) && tensor_of(&of, f, join("grad.", last)), "the end");
    size_t n = elements_of(&end);
    cotangent top = {end.data, copy(of.data, n * sizeof(float)), n};
    vjp(f, &(patches){NULL, 0, &top, 1});
    same_gradients(f, all, "from the end");
    vjp(f, NULL);
    same_gradients(f, memset(hold(f->weight_bytes), 0, f->weight_bytes), "from nowhere");
    vjp(f, &(patches){NULL, 0, &top, 1});
    for (size_t i = 0; i < f->count; i++) {
        tensor_info t = f->list[i];
        if (t.patchable && !is_view(f, i)) {
            vjp(f, &(patches){NULL, 0, &top, 1}); /* so that its captured gradient stands there */
            split(f, &t, top, all, &o);
        }
    }
    release();
}

/* Cotangents of scores that the mask hides reach nothing. */
static void hidden(void) {
    model_config c;
    config_default(&c, KIND_ATTENTION);
    c.d_model = 8;
    c.heads = 2;
    c.causal = 1;
    request ask = {.B = 2, .T = 5, .train = true, .capture = true, .vector_targets = true};
    fixture *f = fixture_make(&c, ask, NULL);
    fill_inputs(f);
    forward(f, NULL);
    tensor_info t;
    CHECK(tensor_of(&t, f, "masked"), "masked scores");
    size_t n = elements_of(&t);
    float *all = random_floats(n, 1), *seen = copy(all, n * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        seen[i] = isinf(((float *)t.data)[i]) ? 0 : all[i];
    }
    vjp(f, &(patches){NULL, 0, &(cotangent){t.data, seen, n}, 1});
    float *wanted = copy(f->m.gradients, f->weight_bytes);
    CHECK(largest(wanted, f->weight_bytes / sizeof *wanted) > 0, "what is seen has a gradient");
    vjp(f, &(patches){NULL, 0, &(cotangent){t.data, all, n}, 1});
    same_gradients(f, wanted, "hidden scores");
    release();
}

/* Numbers of another pass in the place of a state of the stream: all that comes after is that pass's. */
static void donated(int32_t kind) {
    model_config c = random_config(kind);
    request ask = random_request(&c);
    ask.capture = true;
    fixture *f = fixture_make(&c, ask, NULL), *donor = fixture_make(&c, ask, f->m.weights);
    fill_inputs(f);
    copy_inputs(donor, f);
    const char *stack = kind == KIND_DECODER ? "decoder." : "encoder.";
    tensor_info ids;
    for (int i = 0; i < 2; i++) {
        if (tensor_of(&ids, donor, join(stack, i ? "ids" : "vectors"))) {
            fill_input(&c, &ids);
        }
    }
    forward(donor, NULL);
    for (int32_t layer = 0; layer < c.layers; layer++) {
        char number[] = {(char)('0' + layer), 0};
        const char *name = join(join(stack, join("layers.", number)), ".out");
        tensor_info t, from, out, wanted;
        CHECK(tensor_of(&t, f, name) && tensor_of(&from, donor, name), "%s is there", name);
        CHECK(t.patchable, "%s may be patched", name);
        size_t n = elements_of(&t);
        patches p = {patches_of(t.data, from.data, n), n, NULL, 0};
        forward(f, &p);
        for (int i = 0; i < 3; i++) {
            const char *after[] = {"output", "logits", "probabilities"};
            if (tensor_of(&out, f, after[i]) && tensor_of(&wanted, donor, after[i])) {
                CHECK(same_bits(out.data, wanted.data, elements_of(&out)),
                      "kind %d norm %d: %s after %s", kind, c.norm, after[i], name);
            }
        }
    }
    release();
}

/* After a pass a patched number is still there, and the number it replaced brings the first pass back. */
static void stands(int32_t kind) {
    model_config c = random_config(kind);
    request ask = random_request(&c);
    ask.capture = true;
    fixture *f = fixture_make(&c, ask, NULL);
    fill_inputs(f);
    forward(f, NULL);
    size_t count = f->count;
    for (size_t i = 0; i < count; i++) {
        tensor_info t = f->list[i];
        if (t.patchable) {
            size_t at = random_below(elements_of(&t)), held = check_held_count;
            float *x = t.data, value = random_float(-2, 2), before = x[at];
            patch one = {x + at, value};
            char *block = copy(f->block, f->block_bytes);
            forward(f, &(patches){&one, 1, NULL, 0});
            CHECK(x[at] == value, "%s at %zu: got %g, wanted %g", t.name, at, (double)x[at],
                  (double)value);
            one.value = before;
            forward(f, &(patches){&one, 1, NULL, 0});
            CHECK(memcmp(block, f->block, f->block_bytes) == 0, "%s: back again", t.name);
            release_to(held);
        }
    }
    release();
}

/* Scores divided by a temperature of 2 are those that heads of four columns scale. */
static void temperature(int32_t kind) {
    model_config c = random_config(kind);
    c.heads = 2;
    c.key_value_heads = c.head_width = 0;
    c.d_model = 8;
    c.score_scale = c.relative_buckets = 0; /* a temperature divides the bias, too */
    request ask = random_request(&c);
    ask.capture = ask.train = true;
    ask.vector_targets = true;
    fixture *hot = fixture_make(&c, ask, NULL);
    c.score_scale = 1;
    fixture *scaled = fixture_make(&c, ask, hot->m.weights);
    fill_inputs(hot);
    copy_inputs(scaled, hot);
    objective o = {.kind = OBJECTIVE_LINEAR};
    float loss[2];
    size_t counted;
    for (size_t i = 0; i < hot->m.dims.B * hot->m.dims.TO * hot->m.dims.C; i++) {
        scaled->m.tensors.value.target_vectors[i] = hot->m.tensors.value.target_vectors[i];
    }
    hot->m.temperature = 2;
    CHECK(model_gradients(&hot->m, &o, loss, &counted) == MODEL_OK &&
              model_gradients(&scaled->m, &o, loss + 1, &counted) == MODEL_OK,
          "gradients");
    CHECK(loss[0] == loss[1] && memcmp(hot->block, scaled->block, hot->block_bytes) == 0 &&
              memcmp(hot->m.gradients, scaled->m.gradients, hot->weight_bytes) == 0,
          "kind %d: a temperature of 2", kind);
    release();
}

/* Without a layout that trains and captures there are no products; a bad token leaves all as it was. */
static void refusals(void) {
    model_config c = tiny(KIND_DECODER);
    model fresh;
    model_start(&fresh, &c, (slice){0}, hold(model_weight_bytes(&c, (slice){0})));
    CHECK(model_vjp(&fresh) == MODEL_ERROR_STATE, "before a layout");
    for (int i = 0; i < 4; i++) {
        request ask = {.B = 1, .T = 3, .train = i & 1, .capture = i & 2, .vector_targets = i & 1};
        fixture *f = fixture_make(&c, ask, NULL);
        fill_inputs(f);
        if (i < 3) {
            CHECK(model_vjp(&f->m) == MODEL_ERROR_STATE, "train %d, capture %d", i & 1, i / 2);
            continue;
        }
        ((int32_t *)data_of(f, "decoder.", "ids"))[1] = 7;
        memset(f->m.gradients, 0x11, f->weight_bytes);
        char *block = copy(f->block, f->block_bytes);
        CHECK(model_vjp(&f->m) == MODEL_ERROR_TOKEN, "a bad id");
        CHECK(((char *)f->m.gradients)[0] == 0x11 && memcmp(block, f->block, f->block_bytes) == 0,
              "a bad id changes something");
    }
    release();
}

int main(void) {
    for (int round = 0; round < 4; round++) {
        for (int32_t kind = 0; kind < KIND_COUNT; kind++) {
            products(kind);
            stands(kind);
        }
    }
    for (int round = 0; round < 20; round++) {
        donated(KIND_ENCODER);
        donated(KIND_DECODER);
        for (int32_t kind = 0; kind < KIND_COUNT; kind++) {
            temperature(kind);
        }
    }
    hidden();
    refusals();
    return check_done("model/changes", bounds, BOUNDS);
}
