/* The layout of training: gradients have names and places of their own, the workspace has places
 * but no names, and without training there is neither. */
#include "defaults.h"
#include "layout.h"

static bool has(fixture *f, const char *name) {
    tensor_info t;
    return tensor_of(&t, f, name);
}

/* Tensors of the workspace lie beside each other and beside all that is listed. */
static void workspace(fixture *f) {
    workspace_tensors *w = &f->m.tensors.value.workspace;
    const model_dims *n = &f->m.dims;
    size_t row = n->B * n->longest, C = n->C;
    const struct {
        float *at;
        size_t n;
        bool exists;
    } all[] = {{w->stream, row * C, true},
               {w->branch, row * C, true},
               {w->dropped, row * C, true},
               {w->memory, n->B * n->S * C, n->S > 0},
               {w->query, row * n->A, true},
               {w->key, row * n->E, true},
               {w->value, row * n->E, true},
               {w->concat, row * n->A, true},
               {w->maps, n->longest * n->longest, true},
               {w->hidden, row * n->F, n->F > 0},
               {w->up, row * n->F, n->F > 0 && f->m.config.ffn_kind == FFN_GATED},
               {w->logits, n->B * n->TO * n->VO, config_has_head(&f->m.config)}};
    enum { ALL = sizeof all / sizeof *all };
    for (size_t i = 0; i < ALL; i++) {
        const float *a = all[i].at, *end = a ? a + all[i].n : NULL;
        CHECK((a != NULL) == (all[i].exists && n->train), "workspace %zu: %p", i,
              (void *)all[i].at);
        if (!a) {
            continue;
        }
        CHECK((char *)all[i].at >= f->block && (char *)end <= f->block + f->block_bytes &&
                  ((char *)all[i].at - f->block) % 64 == 0,
              "workspace %zu: its place", i);
        for (size_t k = 0; k < ALL; k++) {
            CHECK(k == i || !all[k].at || end <= all[k].at || all[k].at + all[k].n <= a,
                  "workspace %zu overlaps %zu", i, k);
        }
        for (size_t k = 0; k < f->count; k++) {
            tensor_info t = f->list[k];
            char *from = t.data;
            CHECK((char *)end <= from || from + bytes_of(&t) <= (char *)a,
                  "workspace %zu overlaps %s", i, t.name);
        }
    }
}

/* Each gradient is that of a listed tensor, of its shape; each weight has one, and with capture
 * each float that is not given from outside for good. */
static void gradients(fixture *f) {
    size_t begin = SIZE_MAX, count = f->count;
    for (size_t i = 0; i < count; i++) {
        tensor_info t = f->list[i], u;
        if (is_gradient(&t)) {
            begin = begin < i ? begin : i;
            CHECK(tensor_of(&u, f, t.name + 5) && t.type == TENSOR_FLOAT && u.rank == t.rank &&
                      memcmp(u.shape, t.shape, sizeof u.shape) == 0 &&
                      memcmp(u.strides, t.strides, sizeof u.strides) == 0,
                  "%s: unlike %s", t.name, t.name + 5);
            CHECK(t.region == WEIGHT || f->m.dims.capture, "%s without capture", t.name);
            size_t at = (size_t)((char *)t.data - (char *)f->m.gradients);
            CHECK(t.region != WEIGHT || at == (size_t)((char *)u.data - (char *)f->m.weights),
                  "%s: another place than its weight's", t.name);
            continue;
        }
        CHECK(begin == SIZE_MAX, "%s comes after gradients", t.name);
        bool moves =
            t.region == WEIGHT ||
            (f->m.dims.capture && (t.region <= SAVED || (t.region == CAPTURE && t.patchable)));
        bool view = is_view(&t) && f->m.dims.capture;
        bool wanted = f->m.dims.train && t.type == TENSOR_FLOAT && (moves || view);
        CHECK(has(f, join("grad.", t.name)) == wanted, "grad.%s, capture %d train %d region %d",
              t.name, f->m.dims.capture, f->m.dims.train, t.region);
    }
}

static void random_layouts(void) {
    for (int round = 0; round < 75; round++) {
        model_config c = random_config(round % 5);
        request ask = random_request(&c);
        fixture *plain = fixture_make(&c, ask, NULL), *f[2];
        CHECK(!has(plain, "targets") && !has(plain, "targetVectors"), "targets without training");
        workspace(plain);
        gradients(plain);
        ask.train = true;
        ask.vector_targets = round & 1;
        for (int i = 0; i < 2; i++) {
            ask.capture = i;
            f[i] = fixture_make(&c, ask, plain->m.weights);
            layout(f[i]);
            workspace(f[i]);
            gradients(f[i]);
            CHECK(has(f[i], "targets") != has(f[i], "targetVectors"), "one sort of targets");
            CHECK(has(f[i], "targetVectors") == ask.vector_targets, "the sort asked for");
        }
        size_t weights = 0;
        for (size_t i = 0; i < plain->count; i++) {
            tensor_info t = plain->list[i], u;
            weights += t.region == WEIGHT;
            CHECK(tensor_of(&u, f[0], t.name), "%s is lost in training", t.name);
        }
        CHECK(f[0]->count == plain->count + weights + 1, "training lists %zu beside %zu",
              f[0]->count, plain->count);
        release();
    }
}

/* The gradients that one small decoder lists, as a reader of the documentation expects. */
static void names(void) {
    static const char *const with[] = {"grad.tok_emb.weight",
                                       "grad.decoder.input",
                                       "grad.decoder.layers.0.self_attn.query",
                                       "grad.decoder.layers.0.self_attn.weights",
                                       "grad.decoder.layers.0.self_attn.head_outputs",
                                       "grad.decoder.layers.0.residual1",
                                       "grad.decoder.layers.0.norm1.out",
                                       "grad.decoder.layers.0.ffn.activation",
                                       "grad.decoder.layers.0.out",
                                       "grad.decoder.out",
                                       "grad.generator.bias",
                                       "grad.logits",
                                       "grad.decoder.embedding",
                                       "grad.decoder.layers.0.self_attn.scores",
                                       "grad.decoder.layers.0.self_attn.scaled",
                                       "grad.decoder.layers.0.self_attn.masked",
                                       "grad.output"};
    static const char *const without[] = {"grad.decoder.ids",
                                          "grad.decoder.positions",
                                          "grad.targets",
                                          "grad.mask",
                                          "grad.probabilities",
                                          "grad.decoder.layers.0.norm1.mean",
                                          "grad.decoder.padding",
                                          "grad.",
                                          "grad",
                                          ""};
    model_config c;
    config_default(&c, KIND_DECODER);
    c.vocabulary = 7;
    c.layers = 1;
    c.head = HEAD_LINEAR;
    request ask = {
        .B = 1, .T = 3, .train = true, .capture = true, .decoder_padding = true, .mask = true};
    fixture *f = fixture_make(&c, ask, NULL);
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        CHECK(has(f, with[i]), "%s is missing", with[i]);
    }
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        CHECK(!has(f, without[i]), "%s is there", without[i]);
    }
    model_initialize(&f->m, 3); /* fresh weights; gradients are not weights */
    for (size_t i = 0; i < f->weight_bytes / 4; i++) {
        CHECK(((float *)f->m.gradients)[i] == 0, "initialisation writes gradient %zu", i);
    }
    release();
}

/* The longest names, and sizes that only training makes too large. */
static void extremes(void) {
    model_config c = deepest();
    request ask = {.B = 1, .S = 1, .T = 1, .capture = true, .train = true, .vector_targets = true};
    fixture *f = fixture_make(&c, ask, NULL);
    CHECK(has(f, "grad.decoder.layers.63.multihead_attn.in_proj_weight"), "the longest");
    CHECK(!has(f, "grad.decoder.layers.64.out"), "layer 64");
    release();
    config_default(&c, KIND_ENCODER);
    f = fixture_make(&c, (request){.B = 1, .S = 1}, NULL);
    request large = {.B = 100, .S = 1000};
    CHECK(model_layout_bytes(&f->m, large) > 0, "100 x 1000");
    large.train = large.vector_targets = true;
    CHECK(model_layout_bytes(&f->m, large) == MODEL_ERROR_MEMORY, "100 x 1000 in training");
    large.B = 10;
    CHECK(model_layout_bytes(&f->m, large) > 0, "10 x 1000 in training");
    release();
}

int main(void) {
    random_layouts();
    names();
    extremes();
    return check_done("model/tensors_train", NULL, 0);
}
