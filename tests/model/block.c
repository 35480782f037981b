/* Layers composed to models of every kind, against the double reference. */
#include "../../src/model/block.h"
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
        const model_config *c = &f->m.config;
        CHECK_WITHIN(b, ((float *)t.data)[i], wanted[i], 1 + size,
                     "%s[%zu] kind %d norm %d residual %d C%d H%d F%d", name, i, c->kind, c->norm,
                     c->residual, c->d_model, c->heads, c->d_ff);
    }
}

/* The blocks began as NaN: a captured tensor that nobody wrote shows. */
static void all_written(fixture *f) {
    for (size_t i = 0; i < f->count; i++) {
        tensor_info t = f->list[i];
        for (size_t k = 0; t.type == TENSOR_FLOAT && k < elements_of(&t); k++) {
            CHECK(!isnan(((float *)t.data)[k]), "%s[%zu] is NaN", t.name, k);
        }
    }
}

static void one_model(int32_t kind, bool capture) {
    model_config c = random_config(kind);
    request ask = random_request(&c);
    ask.capture = capture;
    fixture *f = fixture_make(&c, ask, NULL);
    fill_inputs(f);
    CHECK(model_forward(&f->m) == MODEL_OK, "forward");
    double *logits, *output = ref_model(f, &logits);
    compare(f, "output", output, bounds);
    const char *scores = c.output_width ? "values" : "logits";
    CHECK((logits != NULL) == (data_of(f, "", scores) != NULL), "a head without %s", scores);
    if (logits) {
        compare(f, scores, logits, bounds + 1);
    }
    all_written(f);
    release();
}

int main(void) {
    for (int round = 0; round < 400; round++) {
        for (int32_t kind = KIND_ENCODER; kind <= KIND_FEED_FORWARD; kind++) {
            one_model(kind, round % 2);
        }
    }
    return check_done("model/block", bounds, 2);
}
