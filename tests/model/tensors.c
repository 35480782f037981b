/* The layout: names, places, sizes, and what is listed. */
#include "defaults.h"
#include "layout.h"

/* The list is the same before there is memory as afterwards, in parts of any length. */
static void planned(model *m, bool block) {
    size_t count = tensors_count(&m->tensors, &m->dims), part = 1 + count / 3;
    tensor_info *list = hold((part + 1) * sizeof *list);
    for (size_t first = 0; first <= count; first += part) {
        size_t left = count - first, wanted = left < part ? left : part;
        memset(list, 0x5a, (part + 1) * sizeof *list);
        size_t got = tensors_planned(list, &m->dims, block, first, part);
        CHECK(got == wanted && list[got].rank == 0x5a5a5a5a, "%zu of %zu from %zu on", got, count,
              first);
        for (size_t i = 0; i < got; i++) {
            tensor_info t;
            tensors_get(&t, &m->tensors, &m->dims, first + i);
            t.data = NULL;
            CHECK(memcmp(&t, &list[i], offsetof(tensor_info, name)) == 0 &&
                      strcmp(t.name, list[i].name) == 0,
                  "%s: planned otherwise", t.name);
        }
    }
}

static void random_layouts(void) {
    for (int round = 0; round < 60; round++) {
        model_config c = random_config(round % 5);
        request ask = random_request(&c);
        fixture *plain = fixture_make(&c, ask, NULL);
        layout(plain);
        ask.capture = true;
        fixture *captured = fixture_make(&c, ask, plain->m.weights);
        layout(captured);
        CHECK(captured->count >= plain->count && captured->block_bytes > 0, "capture adds");
        model *bare = hold(sizeof *bare);
        model_start(bare, &c, (slice){0}, plain->m.weights);
        planned(&captured->m, true);
        planned(bare, false);
        for (size_t i = 0; i < plain->count; i++) {
            tensor_info t = plain->list[i], u;
            CHECK(t.region == WEIGHT || is_input(&t) || t.region == RESULT || t.region == TABLE,
                  "%s: region %d", t.name, t.region);
            CHECK(tensor_of(&u, captured, t.name) && t.rank == u.rank &&
                      memcmp(t.shape, u.shape, (size_t)t.rank * 4) == 0,
                  "%s: another shape under capture", t.name);
        }
        release();
    }
}

/* Holds "name[shape] ..." against the model, L for decoder.layers.0; returns how many there were. */
static size_t shapes(fixture *f, const char *expected) {
    char *rest = strcpy(hold(strlen(expected) + 1), expected), *word;
    size_t count = 0;
    for (; (word = strtok(rest, " ")); rest = NULL) {
        char *shape = strchr(word, '['), got[64] = "", *to = got;
        *shape++ = 0;
        shape[strlen(shape) - 1] = 0;
        tensor_info t;
        const char *name = word[0] == 'L' ? join("decoder.layers.0", word + 1) : word;
        bool there = tensor_of(&t, f, name);
        CHECK(there, "%s is missing", name);
        for (int32_t i = 0; there && i < t.rank; i++) {
            to += sprintf(to, i ? ",%d" : "%d", t.shape[i]);
        }
        CHECK(strcmp(got, shape) == 0, "%s: shape %s, wanted %s", name, got, shape);
        count++;
    }
    return count;
}

/* Tensors that only other kinds, settings and requests have. */
static void other_names(void) {
    static const struct {
        int32_t kind;
        const char *expected;
    } cases[] = {
        {KIND_ENCODER,
         "tok_emb.weight[7,6] pos_emb.weight[5,6] type_emb.weight[3,6] emb_ln.weight[6] "
         "emb_ln.out[2,4,6] encoder.ids[2,4] encoder.types[2,4] encoder.padding[2,4] "
         "encoder.positions[4,6] mask[4,4] transform.dense.weight[6,6] transform.dense.bias[6] "
         "transform.pre_activation[2,4,6] transform.activation[2,4,6] transform.norm.out[2,4,6] "
         "generator.weight[9,6] logits[2,4,9] targets[2,4]"},
        {KIND_DECODER, "decoder.vectors[2,3,6] decoder.padding[2,3] mask[3,3] "
                       "targetVectors[2,3,6]"},
        {KIND_ENCODER_DECODER, "encoder.vectors[2,4,6] decoder.padding[2,3] mask[3,3] "
                               "memory.padding[2,4] targetVectors[2,3,6]"},
        {KIND_ATTENTION, "input[2,3,6] memory[2,4,6] padding[2,4] mask[3,4] weights[2,2,3,4] "
                         "targetVectors[2,3,6] output[2,3,6]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model_config c;
        config_default(&c, cases[i].kind);
        bool encoder = c.kind == KIND_ENCODER, decoder = config_has_decoder(&c);
        c.d_model = 6;
        c.heads = 2;
        c.layers = c.decoder_layers = 1;
        if (encoder) {
            c.vocabulary = 7;
            c.types = 3;
            c.positions = POSITIONS_LEARNED;
            c.max_length = 5;
            c.embedding_norm = c.head_transform = 1;
            c.head = HEAD_LINEAR;
            c.output_vocabulary = 9;
        }
        request ask = {.B = 2, .S = c.kind == KIND_DECODER ? 0 : 4, .T = encoder ? 0 : 3};
        ask.capture = ask.train = ask.mask = true;
        ask.types = encoder;
        ask.vector_targets = !encoder;
        ask.encoder_padding = encoder || c.kind == KIND_ATTENTION;
        ask.decoder_padding = decoder;
        ask.memory_padding = c.kind == KIND_ENCODER_DECODER;
        shapes(fixture_make(&c, ask, NULL), cases[i].expected);
        release();
    }
}

/* Everything that one small encoder-decoder lists, as a reader of the documentation expects. */
static void names(void) {
    static const char expected[] =
        "src_emb.weight[7,6] tgt_emb.weight[5,6] "
        "encoder.ids[2,3] encoder.padding[2,3] encoder.embedding[2,3,6] encoder.positions[3,6] "
        "encoder.input[2,3,6] encoder.out[2,3,6] "
        "decoder.ids[2,4] decoder.embedding[2,4,6] decoder.positions[4,6] decoder.input[2,4,6] "
        "L.self_attn.in_proj_weight[18,6] L.self_attn.in_proj_bias[18] "
        "L.self_attn.out_proj.weight[6,6] L.self_attn.out_proj.bias[6] "
        "L.self_attn.query[2,2,4,3] L.self_attn.key[2,2,4,3] L.self_attn.value[2,2,4,3] "
        "L.self_attn.scores[2,2,4,4] L.self_attn.scaled[2,2,4,4] L.self_attn.masked[2,2,4,4] "
        "L.self_attn.weights[2,2,4,4] L.self_attn.concat[2,4,6] L.self_attn.head_outputs[2,2,4,3] "
        "L.self_attn.out[2,4,6] L.residual1[2,4,6] "
        "L.norm1.weight[6] L.norm1.bias[6] L.norm1.mean[2,4] L.norm1.variance[2,4] "
        "L.norm1.out[2,4,6] "
        "L.multihead_attn.in_proj_weight[18,6] L.multihead_attn.in_proj_bias[18] "
        "L.multihead_attn.out_proj.weight[6,6] L.multihead_attn.out_proj.bias[6] "
        "L.multihead_attn.query[2,2,4,3] L.multihead_attn.key[2,2,3,3] "
        "L.multihead_attn.value[2,2,3,3] L.multihead_attn.scores[2,2,4,3] "
        "L.multihead_attn.scaled[2,2,4,3] L.multihead_attn.masked[2,2,4,3] "
        "L.multihead_attn.weights[2,2,4,3] L.multihead_attn.concat[2,4,6] "
        "L.multihead_attn.head_outputs[2,2,4,3] L.multihead_attn.out[2,4,6] L.residual2[2,4,6] "
        "L.norm2.weight[6] L.norm2.bias[6] L.norm2.mean[2,4] L.norm2.variance[2,4] "
        "L.norm2.out[2,4,6] "
        "L.linear1.weight[8,6] L.linear1.bias[8] L.linear2.weight[6,8] L.linear2.bias[6] "
        "L.ffn.pre_activation[2,4,8] L.ffn.activation[2,4,8] L.ffn.out[2,4,6] L.residual3[2,4,6] "
        "L.norm3.weight[6] L.norm3.bias[6] L.norm3.mean[2,4] L.norm3.variance[2,4] "
        "L.norm3.out[2,4,6] L.out[2,4,6] "
        "decoder.norm.weight[6] decoder.norm.bias[6] decoder.norm.mean[2,4] "
        "decoder.norm.variance[2,4] decoder.norm.out[2,4,6] decoder.out[2,4,6] memory.padding[2,3] "
        "generator.weight[9,6] generator.bias[9] logits[2,4,9] probabilities[2,4,9] output[2,4,6]";
    model_config c = uneven();
    c.output_vocabulary = 9;
    c.layers = 0;
    request ask = {.B = 2, .S = 3, .T = 4, .capture = true};
    ask.encoder_padding = ask.memory_padding = true;
    fixture *f = fixture_make(&c, ask, NULL);
    size_t listed = shapes(f, expected);
    listed += 5; /* encoder.norm.* */
    CHECK(tensors_find(&f->m.tensors, &f->m.dims, "encoder.norm.out") >= 0, "encoder.norm.out");
    CHECK(listed == f->count, "listed %zu, there are %zu", listed, f->count);
    ask.capture = false;
    fixture *plain = fixture_make(&c, ask, f->m.weights);
    size_t weights = 2 + 2 + 18 + 2 + 2; /* tables, two final norms, one layer, the head */
    size_t others = 4 + 4 + 2;           /* inputs, positions and outputs, logits and output */
    CHECK(plain->count == weights + others, "without capture %zu, wanted %zu", plain->count,
          weights + others);
    release();
}

static void largest(void) {
    model_config c = deepest();
    request ask = {.B = 1, .S = 1, .T = 1, .capture = true};
    fixture *f = fixture_make(&c, ask, NULL);
    CHECK(data_of(f, "decoder.layers.63.", "multihead_attn.in_proj_weight") != NULL, "the longest");
    CHECK(data_of(f, "encoder.layers.64.", "out") == NULL, "layer 64");
    CHECK(data_of(f, "encoder.layers.63.", "residual2") &&
              data_of(f, "encoder.layers.63.", "out") &&
              data_of(f, "encoder.layers.63.", "norm2.out"),
          "an encoder layer counts to 2");
    CHECK(!data_of(f, "encoder.layers.63.", "residual3"), "an encoder layer has no residual3");
    size_t count = f->count;
    CHECK(count == 2 * 11 + 64 * (34 + 54) + 1, "%zu tensors", count);
    for (size_t i = 0; i < count; i++) {
        tensor_info t = f->list[i];
        CHECK(memchr(t.name, 0, sizeof t.name) != NULL, "tensor %zu: a name without end", i);
    }
    release();
}

/* 2^31 bytes and more are refused, whether in one tensor, in their sum or in 64 bits. */
static void overflow(void) {
    model_config c;
    config_default(&c, KIND_ENCODER);
    CHECK(model_weight_bytes(&c, (slice){0}) > 0, "defaults have weights");
    c.d_model = 65536;
    CHECK(model_weight_bytes(&c, (slice){0}) == 0, "a tensor of 2^35 bytes: %zu",
          model_weight_bytes(&c, (slice){0}));
    model_dims beyond = dims_of(&c, (request){0});
    tensor_info t;
    CHECK(tensors_planned(&t, &beyond, false, 0, 1) == 1 && t.shape[0] == 3 * 65536, "%s[%d]",
          t.name, t.shape[0]);
    c.d_model = 8192; /* 768 MB + 256 MB a layer */
    c.d_ff = 0;
    c.layers = 1;
    CHECK(model_weight_bytes(&c, (slice){0}) > 1u << 30, "one layer of 1 GB: %zu",
          model_weight_bytes(&c, (slice){0}));
    c.layers = 2;
    CHECK(model_weight_bytes(&c, (slice){0}) == 0, "two of them: %zu",
          model_weight_bytes(&c, (slice){0}));
    config_default(&c, KIND_ENCODER);
    fixture *f = fixture_make(&c, (request){.B = 1, .S = 1}, NULL);
    size_t most = CONFIG_MAX_SIZE;
    const request asks[] = {
        {.B = most, .S = most},
        {.B = most, .S = most, .capture = true},
        {.B = 1, .S = most},
        {.B = 1, .S = 65536, .capture = true},
        {.B = 5033, .S = 100}}; /* the last: 2.2 GB, of which layers share 1.9 */
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        int32_t bytes = model_layout_bytes(&f->m, asks[i]);
        CHECK(bytes == MODEL_ERROR_MEMORY, "request %zu: got %d", i, bytes);
    }
    int32_t bytes = model_layout_bytes(&f->m, (request){.B = 100, .S = 1000});
    CHECK(bytes > 0, "100 x 1000: got %d", bytes);
    release();
}

int main(void) {
    random_layouts();
    names();
    other_names();
    largest();
    overflow();
    return check_done("model/tensors", NULL, 0);
}
