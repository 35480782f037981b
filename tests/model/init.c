/* Fresh weights: what is drawn from what, how widely, and that switches do not disturb it. */
#include "fixture.h"

static fixture *start(const model_config *c, uint32_t seed) {
    fixture *f = hold(sizeof *f);
    f->weight_bytes = model_weight_bytes(c, (slice){0});
    model_start(&f->m, c, (slice){0}, memset(hold(f->weight_bytes), 0xff, f->weight_bytes));
    model_initialize(&f->m, seed);
    fixture_list(f);
    return f;
}

/* Weights that two models have under one name and shape have the same bits. */
static size_t shared_equal(fixture *a, fixture *b) {
    size_t shared = 0;
    for (size_t i = 0; i < a->count; i++) {
        tensor_info t = a->list[i], u;
        if (tensor_of(&u, b, t.name) && memcmp(t.shape, u.shape, sizeof t.shape) == 0) {
            CHECK(same_bits(t.data, u.data, elements_of(&t)), "%s: bits differ", t.name);
            shared++;
        }
    }
    return shared;
}

static model_config base(void) {
    model_config c;
    config_default(&c, KIND_ENCODER_DECODER);
    c.vocabulary = 50;
    c.positions = POSITIONS_LEARNED;
    c.head = HEAD_LINEAR;
    c.types = 2;
    return c;
}

static void seeds(void) {
    model_config c = base();
    fixture *a = start(&c, 7), *b = start(&c, 7), *other = start(&c, 8);
    CHECK(shared_equal(a, b) == a->count, "a seed gives the same weights twice");
    for (size_t i = 0; i < a->count; i++) {
        tensor_info t = a->list[i], u;
        CHECK(tensor_of(&u, other, t.name) &&
                  (t.rank == 1 || !same_bits(t.data, u.data, elements_of(&t))),
              "%s: seeds 7 and 8 agree", t.name);
        for (size_t k = 0; k < i && t.rank > 1; k++) { /* no two tensors draw the same */
            u = a->list[k];
            float ratio = ((float *)t.data)[0] / ((float *)u.data)[0];
            CHECK(u.rank == 1 || fabsf(((float *)t.data)[1] - ratio * ((float *)u.data)[1]) > 1e-9f,
                  "%s and %s draw alike", t.name, u.name);
        }
    }
    release();
}

static void switches(void) {
    model_config c = base();
    fixture *a = start(&c, 3);
    const struct {
        size_t field;
        int32_t value, change; /* change: tensors that come, go or change shape at least */
    } cases[] = {{CONFIG_head, HEAD_TIED, 1},   {CONFIG_layers, 3, 12},
                 {CONFIG_norm, NORM_PRE, 0},    {CONFIG_norm, NORM_NONE, 20},
                 {CONFIG_attention_bias, 0, 8}, {CONFIG_final_norm, 0, 4},
                 {CONFIG_d_ff, 0, 16},          {CONFIG_d_ff, 100, 8},
                 {CONFIG_types, 0, 1},          {CONFIG_tied_embeddings, 1, 1},
                 {CONFIG_norm_affine, 0, 20},   {CONFIG_embedding_norm, 1, 4},
                 {CONFIG_max_length, 17, 2},    {CONFIG_positions, POSITIONS_NONE, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model_config changed = c;
        memcpy((char *)&changed + cases[i].field * 4, &cases[i].value, 4);
        CHECK(config_invalid(&changed) == -1, "switch %zu is valid", i);
        fixture *b = start(&changed, 3);
        size_t shared = shared_equal(a, b), more = b->count;
        more = more > a->count ? more : a->count;
        CHECK(shared > 10 && shared + (size_t)cases[i].change <= more, "switch %zu: %zu of %zu", i,
              shared, more);
    }
    release();
}

/* n draws from +-bound, uniform: inside, near the ends, mean 0, square a third. */
static void uniform(const char *name, const float *x, size_t n, double bound) {
    double top = 0, mean = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        top = fmax(top, fabs(x[i]));
        mean += x[i] / bound / (double)n;
        square += x[i] / bound * (x[i] / bound) / (double)n;
    }
    double root = sqrt((double)n);
    CHECK(top <= bound * (1 + 1e-6) && top > 0.99 * bound, "%s: largest %g of %g", name, top,
          bound);
    CHECK(fabs(mean) < 5 * 0.578 / root, "%s: mean %g of the bound", name, mean);
    CHECK(fabs(square - 1. / 3) < 5 * 0.299 / root, "%s: square %g", name, square);
}

static void distributions(void) {
    model_config c = base();
    c.embedding_norm = 1;
    fixture *f = start(&c, 11);
    for (size_t i = 0; i < f->count; i++) {
        tensor_info t = f->list[i];
        const float *x = t.data;
        size_t n = elements_of(&t), out = (size_t)t.shape[0], in = n / out;
        CHECK(t.region == WEIGHT, "%s is a weight", t.name);
        if (t.rank == 1) {
            bool gain = strstr(t.name, "norm") || strstr(t.name, "emb_ln");
            gain = gain && strstr(t.name, ".weight");
            for (size_t k = 0; k < n; k++) {
                CHECK(x[k] == (gain ? 1 : 0), "%s[%zu]: got %g", t.name, k, (double)x[k]);
            }
        } else if (strstr(t.name, "_emb.")) {
            double mean = 0, square = 0, c2 = (double)c.d_model;
            for (size_t k = 0; k < n; k++) {
                mean += x[k] * sqrt(c2) / (double)n;
                square += x[k] * c2 * x[k] / (double)n;
            }
            CHECK(fabs(mean) < 5 / sqrt((double)n), "%s: mean %g", t.name, mean);
            CHECK(fabs(square - 1) < 5 * sqrt(2 / (double)n), "%s: variance %g", t.name, square);
        } else if (strstr(t.name, "in_proj")) {
            for (size_t part = 0; part < 3; part++) {
                uniform(t.name, x + part * in * in, in * in, sqrt(6 / (double)(in + in)));
            }
            CHECK(!same_bits(x, x + in * in, in), "%s: q is k", t.name);
        } else {
            uniform(t.name, x, n, sqrt(6 / (double)(in + out)));
        }
    }
    release();
}

int main(void) {
    seeds();
    switches();
    distributions();
    return check_done("model/init", NULL, 0);
}
