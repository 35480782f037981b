/* Training passes: capture leaves the bits of the gradients alone, captured ones fit
 * together; dropout belongs to gradients only; what is refused changes nothing. */
#include "fixture.h"

static objective some_objective(const fixture *f) {
    return (objective){.kind = f->m.dims.vector_targets ? 1 + (int32_t)random_below(2) : 0,
                       .ignore_index = IGNORED,
                       .smoothing = random_below(2) ? 0.2f : 0,
                       .dropout = random_below(2) ? 0.25f : 0,
                       .dropout_key = random_bits()};
}

static fixture *start(const model_config *c, request ask, void *weights) {
    fixture *f = fixture_make(c, ask, weights);
    fill_inputs(f);
    return f;
}

static void *copy(const void *from, size_t bytes) { return memcpy(hold(bytes), from, bytes); }

static float gradients_of(fixture *f, const objective *o) {
    float loss = NAN;
    size_t counted = 0, wanted = f->m.dims.B * f->m.dims.TO, expected = wanted;
    const int32_t *targets = f->m.tensors.value.targets;
    CHECK(model_gradients(&f->m, o, &loss, &counted) == MODEL_OK, "gradients");
    for (size_t i = 0; targets && i < wanted; i++) {
        expected -= targets[i] == o->ignore_index;
    }
    CHECK(counted == expected, "counted %zu, wanted %zu", counted, expected);
    CHECK(f->m.dropout == 0, "dropout outlives its pass");
    return loss;
}

/* The blocks began as NaN: a gradient that nobody wrote shows. */
static void all_written(fixture *f, const objective *o) {
    for (size_t i = 0; i < f->count; i++) {
        tensor_info t = f->list[i];
        size_t bad = 0;
        for (size_t k = 0; t.type == TENSOR_FLOAT && k < elements_of(&t); k++) {
            bad += isnan(((float *)t.data)[k]);
        }
        CHECK(bad == 0, "%s: %zu NaN, kind %d objective %d", t.name, bad, f->m.config.kind,
              o->kind);
    }
}

/* grad.<bias> is the sum of the rows of the gradient of what the bias was added to. */
static void bias_sums(fixture *f, const char *path, const char *bias, size_t part,
                      const char *result) {
    tensor_info b, y;
    if (!tensor_of(&b, f, join(path, bias)) || !tensor_of(&y, f, join(path, result))) {
        return;
    }
    const model_dims *n = &f->m.dims;
    size_t C = (size_t)y.shape[y.rank - 1] * (y.rank == 4 ? (size_t)y.shape[1] : 1);
    size_t from = part == 0 ? 0 : part == 1 ? n->A : n->A + n->E;
    float *sum = memset(hold(C * sizeof *sum), 0, C * sizeof *sum);
    for (size_t i = 0; i < elements_of(&y); i++) {
        sum[i % C] += ((float *)y.data)[i];
    }
    CHECK(same_bits(sum, (float *)b.data + from, C), "%s%s is not the sum of %s", path, bias,
          result);
}

static void sums(fixture *f) {
    for (size_t i = 0; i < f->count; i++) {
        static const char *const pairs[][3] = {
            {"out_proj.bias", "0", "out"},       {"in_proj_bias", "0", "query"},
            {"in_proj_bias", "1", "key"},        {"in_proj_bias", "2", "value"},
            {"linear2.bias", "0", "ffn.out"},    {"linear1.bias", "0", "ffn.pre_activation"},
            {"linear3.bias", "0", "ffn.up"},     {"generator.bias", "0", "logits"},
            {"output_proj.bias", "0", "values"}, {"norm.bias", "0", "norm.out"},
            {"norm1.bias", "0", "norm1.out"},    {"norm2.bias", "0", "norm2.out"},
            {"norm3.bias", "0", "norm3.out"},    {"emb_ln.bias", "0", "emb_ln.out"},
        };
        tensor_info t = f->list[i];
        for (size_t k = 0; is_gradient(&t) && k < sizeof pairs / sizeof *pairs; k++) {
            size_t n = strlen(t.name), tail = strlen(pairs[k][0]);
            if (n >= tail && strcmp(t.name + n - tail, pairs[k][0]) == 0) {
                char *path = copy(t.name, n + 1);
                path[n - tail] = 0;
                bias_sums(f, path, pairs[k][0], (size_t)(pairs[k][1][0] - '0'), pairs[k][2]);
            }
        }
    }
}

/* The same numbers under two names: nothing lies between them. */
static void same(fixture *f, const char *a, const char *b) {
    tensor_info t, u;
    if (tensor_of(&t, f, a) && tensor_of(&u, f, b)) {
        CHECK(same_bits(t.data, u.data, elements_of(&t)), "%s differs from %s", a, b);
    }
}

/* A pass overwrites the former gradients. */
static void overwrites(fixture *f, const objective *o, const float *once) {
    memset(f->m.gradients, 0x7f, f->weight_bytes);
    gradients_of(f, o);
    CHECK(memcmp(f->m.gradients, once, f->weight_bytes) == 0, "gradients over others");
}

static void one_model(int32_t kind) {
    model_config c = random_config(kind);
    request ask = random_request(&c);
    ask.train = true;
    ask.vector_targets = c.head == HEAD_NONE || random_below(3) == 0;
    fixture *f = start(&c, ask, NULL), *captured;
    ask.capture = true;
    captured = start(&c, ask, f->m.weights);
    copy_inputs(captured, f);
    for (size_t i = 0; ask.vector_targets && i < f->m.dims.B * f->m.dims.TO * f->m.dims.O; i++) {
        captured->m.tensors.value.target_vectors[i] = f->m.tensors.value.target_vectors[i];
    }
    objective o = some_objective(f), still = o;
    still.dropout = 0;
    char *weights = copy(f->m.weights, f->weight_bytes);
    float loss = gradients_of(f, &o), other = gradients_of(captured, &o);
    float *once = copy(f->m.gradients, f->weight_bytes);
    CHECK(loss == other && memcmp(once, captured->m.gradients, f->weight_bytes) == 0,
          "kind %d: capture changes gradients", kind);
    CHECK(memcmp(weights, f->m.weights, f->weight_bytes) == 0, "gradients change weights");
    all_written(captured, &o);
    sums(captured);
    same(captured, "grad.output", kind == KIND_ENCODER ? "grad.encoder.out" : "grad.decoder.out");
    same(captured, "grad.output", "grad.out");
    same(captured, "grad.output", "grad.ffn.out");
    same(captured, c.input_width ? "grad.encoder.embedding" : "grad.encoder.vectors",
         "grad.encoder.input");
    same(captured, c.input_width ? "grad.decoder.embedding" : "grad.decoder.vectors",
         "grad.decoder.input");
    overwrites(f, &o, once);
    float quiet, plain;
    size_t counted;
    memset(captured->m.gradients, 0x11, f->weight_bytes);
    CHECK(model_loss(&f->m, &o, &quiet, &counted) == MODEL_OK, "loss");
    CHECK(model_loss(&captured->m, &still, &plain, &counted) == MODEL_OK, "loss under capture");
    CHECK(quiet == plain, "kind %d: the loss knows dropout: %g, %g", kind, (double)quiet,
          (double)plain);
    CHECK(((uint8_t *)captured->m.gradients)[0] == 0x11 &&
              memcmp(captured->m.gradients, (char *)captured->m.gradients + 1,
                     f->weight_bytes - 1) == 0,
          "the loss changes gradients");
    CHECK(gradients_of(f, &still) == plain, "kind %d: gradients without dropout has another loss",
          kind);
    o.dropout_key++; /* a loss of 0: what the dropout changes does not reach it */
    CHECK(kind >= KIND_ATTENTION || o.dropout == 0 || loss == 0 || c.final_norm ||
              c.head_transform || c.norm == NORM_POST || o.kind != OBJECTIVE_LINEAR ||
              gradients_of(f, &o) != loss,
          "kind %d: another key, the same loss", kind);
    release();
}

/* Nobody counts: the loss is NaN, as PyTorch's, and all gradients are 0. */
static void nobody(void) {
    model_config c = tiny(KIND_DECODER);
    c.head = HEAD_LINEAR;
    fixture *f = start(&c, (request){.B = 2, .T = 3, .train = true}, NULL);
    for (int i = 0; i < 6; i++) {
        f->m.tensors.value.targets[i] = IGNORED;
    }
    objective o = {.ignore_index = IGNORED};
    CHECK(isnan(gradients_of(f, &o)), "the mean over nothing");
    for (size_t i = 0; i < f->weight_bytes / 4; i++) {
        CHECK(((float *)f->m.gradients)[i] == 0, "gradient %zu over nothing", i);
    }
    release();
}

/* A refused call leaves blocks, gradients and results as they were. */
static void refused(fixture *f, objective o, int32_t wanted, const char *what) {
    char *block = copy(f->block, f->block_bytes);
    char *gradients = copy(f->m.weights, f->weight_bytes);
    if (f->m.gradients) {
        memcpy(gradients, f->m.gradients, f->weight_bytes);
    }
    for (int backward = 0; backward < 2; backward++) {
        float loss = 7;
        size_t counted = 9;
        int32_t got = backward ? model_gradients(&f->m, &o, &loss, &counted)
                               : model_loss(&f->m, &o, &loss, &counted);
        CHECK(got == wanted, "%s: got %d, wanted %d", what, got, wanted);
        CHECK(loss == 7 && counted == 9 && f->m.dropout == 0, "%s: something is returned", what);
    }
    CHECK(memcmp(block, f->block, f->block_bytes) == 0, "%s: the block changes", what);
    CHECK(!f->m.gradients || memcmp(gradients, f->m.gradients, f->weight_bytes) == 0,
          "%s: gradients change", what);
}

static void refusals(void) {
    model_config c = tiny(KIND_DECODER);
    c.head = HEAD_LINEAR;
    request ask = {.B = 1, .T = 3};
    objective tokens = {.ignore_index = -1, .dropout = 0.5f}, vectors = tokens;
    vectors.kind = OBJECTIVE_MSE;
    refused(start(&c, ask, NULL), tokens, MODEL_ERROR_STATE, "a layout without train");
    ask.train = true;
    fixture *f = start(&c, ask, NULL);
    refused(f, vectors, MODEL_ERROR_STATE, "vectors where tokens are");
    static const int32_t bad[] = {-2, 7, IGNORED, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 5; i++) {
        for (int at = 0; at < 3; at++) {
            for (int k = 0; k < 3; k++) {
                f->m.tensors.value.targets[k] = k == at ? bad[i] : k - 1;
            }
            refused(f, tokens, MODEL_ERROR_TOKEN, "a bad target");
        }
        f->m.tensors.value.targets[2] = 6;
    }
    int32_t *ids = data_of(f, "decoder.", "ids"), good = ids[1];
    ids[1] = 7;
    refused(f, tokens, MODEL_ERROR_TOKEN, "a bad id");
    ids[1] = good;
    gradients_of(f, &tokens);
    ask.vector_targets = true;
    f = start(&c, ask, NULL);
    refused(f, tokens, MODEL_ERROR_STATE, "tokens where vectors are");
    gradients_of(f, &vectors);
    c.head = HEAD_NONE;
    ask.vector_targets = false;
    refused(start(&c, ask, NULL), tokens, MODEL_ERROR_STATE, "no head");
    model m;
    float loss;
    size_t counted;
    model_start(&m, &c, (slice){0}, hold(model_weight_bytes(&c, (slice){0})));
    CHECK(model_gradients(&m, &tokens, &loss, &counted) == MODEL_ERROR_STATE, "before a layout");
    ask.train = false;
    ask.vector_targets = true;
    CHECK(model_layout_bytes(&m, ask) == MODEL_ERROR_ARGUMENT, "vector targets without train");
    ask = (request){.B = 1, .T = 3, .capacity = 4, .train = true};
    CHECK(model_layout_bytes(&m, ask) == MODEL_ERROR_ARGUMENT, "training with a cache");
    release();
}

int main(void) {
    for (int round = 0; round < 120; round++) {
        for (int32_t kind = KIND_ENCODER; kind <= KIND_FEED_FORWARD; kind++) {
            one_model(kind);
        }
    }
    nobody();
    refusals();
    return check_done("model/backward", NULL, 0);
}
