/* The layout: names, places, sizes, and what is listed. */
#include "fixture.h"

static size_t count_of(fixture *f) { return tensors_count(&f->m.tensors, &f->m.dims); }

static tensor_info nth(fixture *f, size_t i) {
    tensor_info t;
    memset(&t, 0x5a, sizeof t);
    tensors_get(&t, &f->m.tensors, &f->m.dims, i);
    return t;
}

static size_t bytes_of(const tensor_info *t) {
    return elements_of(t) * (t->type == TENSOR_BYTE ? 1 : 4);
}

/* Another name for memory that has a home: head_outputs, layers.N.out, output. */
static bool is_view(const tensor_info *t) {
    size_t n = strlen(t->name);
    bool layer = strstr(t->name, "layers.") && n > 5 && strcmp(t->name + n - 4, ".out") == 0 &&
                 t->name[n - 5] >= '0' && t->name[n - 5] <= '9' && t->name[n - 6] != 'm';
    return layer || strstr(t->name, "head_outputs") || strcmp(t->name, "output") == 0;
}

/* Inside its block, aligned, dense but for heads; returns where it ends. */
static size_t place(fixture *f, const tensor_info *t) {
    char *block = t->region == WEIGHT ? f->m.weights : f->block;
    size_t room = t->region == WEIGHT ? f->weight_bytes : f->block_bytes;
    size_t start = (size_t)((char *)t->data - block), end = start + bytes_of(t), dense = 1;
    CHECK((char *)t->data >= block && end <= room, "%s: %zu..%zu of %zu", t->name, start, end,
          room);
    CHECK(start % 64 == 0, "%s: at %zu", t->name, start);
    size_t length = t->rank == 4 ? (size_t)t->shape[2] : 0, C = (size_t)f->m.config.d_model;
    const char *tail = strrchr(t->name, '.') ? strrchr(t->name, '.') + 1 : t->name;
    bool heads = strcmp(tail, "query") == 0 || strcmp(tail, "key") == 0 ||
                 strcmp(tail, "value") == 0 || strcmp(tail, "head_outputs") == 0;
    for (int32_t i = t->rank; i-- > 0; dense *= (size_t)t->shape[i]) {
        size_t wanted[] = {length * C, C / (size_t)f->m.config.heads, C, 1};
        size_t stride = heads ? wanted[i] : dense;
        CHECK((size_t)t->strides[i] == stride, "%s: stride %d is %d, wanted %zu", t->name, i,
              t->strides[i], stride);
    }
    return end;
}

static void layout(fixture *f) {
    size_t count = count_of(f), ends[2] = {0, 0};
    tensor_info *list = hold(count * sizeof *list);
    for (size_t i = 0; i < count; i++) {
        list[i] = nth(f, i);
    }
    for (size_t i = 0; i < count; i++) {
        tensor_info t = list[i];
        size_t end = place(f, &t);
        bool view = is_view(&t), home = false;
        ends[t.region == WEIGHT] = end > ends[t.region == WEIGHT] ? end : ends[t.region == WEIGHT];
        CHECK(memchr(t.name, 0, sizeof t.name) && t.name[0], "tensor %zu: its name", i);
        CHECK(tensors_find(&f->m.tensors, &f->m.dims, t.name) == (int)i, "%s: found at %d, not %zu",
              t.name, tensors_find(&f->m.tensors, &f->m.dims, t.name), i);
        CHECK(t.rank >= 1 && t.rank <= TENSOR_MAX_RANK, "%s: rank %d", t.name, t.rank);
        for (size_t k = 0; k < count; k++) {
            tensor_info u = list[k];
            char *a = t.data, *b = u.data;
            home = home || (k != i && a == b && !is_view(&u));
            CHECK(k == i || strcmp(t.name, u.name) != 0, "%s twice", t.name);
            CHECK(k == i || view || is_view(&u) || a + bytes_of(&t) <= b || b + bytes_of(&u) <= a,
                  "%s overlaps %s", t.name, u.name);
        }
        bool stack_out = strcmp(t.name, "output") == 0;
        CHECK(!view || home || stack_out, "%s: a view of nothing", t.name);
    }
    CHECK(tensors_find(&f->m.tensors, &f->m.dims, "") == -1, "the empty name");
    CHECK(tensors_find(&f->m.tensors, &f->m.dims, "encoder.layers.0") == -1, "a prefix");
    size_t rounded = (ends[1] + 63) / 64 * 64, all = (ends[0] + 63) / 64 * 64;
    rounded = rounded ? rounded : 64; /* a model without weights */
    CHECK(rounded == f->weight_bytes, "weights end at %zu of %zu", ends[1], f->weight_bytes);
    CHECK(!f->m.dims.capture || all == f->block_bytes, "the block ends at %zu of %zu", ends[0],
          f->block_bytes);
}

static void random_layouts(void) {
    for (int round = 0; round < 60; round++) {
        config c = random_config(round % 5);
        request ask = random_request(&c);
        fixture *plain = fixture_make(&c, ask, NULL);
        layout(plain);
        ask.capture = true;
        fixture *looked = fixture_make(&c, ask, plain->m.weights);
        layout(looked);
        CHECK(count_of(looked) >= count_of(plain) && looked->block_bytes > 0, "capture adds");
        for (size_t i = 0; i < count_of(plain); i++) {
            tensor_info t = nth(plain, i), u;
            CHECK(t.region == WEIGHT || t.region == INPUT || t.region == RESULT, "%s: region %d",
                  t.name, t.region);
            CHECK(tensor_of(&u, looked, t.name) && t.rank == u.rank &&
                      memcmp(t.shape, u.shape, (size_t)t.rank * 4) == 0,
                  "%s: another shape under capture", t.name);
        }
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
        "generator.weight[5,6] generator.bias[5] logits[2,4,5] probabilities[2,4,5] output[2,4,6]";
    config c;
    config_default(&c, KIND_ENCODER_DECODER);
    c.vocabulary = 7;
    c.target_vocabulary = 5;
    c.d_model = 6;
    c.heads = 2;
    c.d_ff = 8;
    c.layers = 0;
    c.decoder_layers = 1;
    c.head = HEAD_LINEAR;
    request ask = {.B = 2, .S = 3, .T = 4, .capture = true};
    ask.encoder_padding = ask.memory_padding = true;
    fixture *f = fixture_make(&c, ask, NULL);
    char *text = strcpy(hold(sizeof expected), expected), *rest = text, *word;
    size_t listed = 0;
    for (; (word = strtok(rest, " ")); rest = NULL) {
        char *shape = strchr(word, '['), got[64] = "", *to = got;
        *shape++ = 0;
        shape[strlen(shape) - 1] = 0;
        tensor_info t;
        const char *name = word[0] == 'L' ? join("decoder.layers.0", word + 1) : word;
        CHECK(tensor_of(&t, f, name), "%s is missing", name);
        for (int32_t i = 0; i < t.rank; i++) {
            to += sprintf(to, i ? ",%d" : "%d", t.shape[i]);
        }
        CHECK(strcmp(got, shape) == 0, "%s: shape %s, wanted %s", name, got, shape);
        listed++;
    }
    listed += 5; /* encoder.norm.* */
    CHECK(tensors_find(&f->m.tensors, &f->m.dims, "encoder.norm.out") >= 0, "encoder.norm.out");
    CHECK(listed == count_of(f), "listed %zu, there are %zu", listed, count_of(f));
    ask.capture = false;
    fixture *plain = fixture_make(&c, ask, f->m.weights);
    size_t weights = 2 + 2 + 18 + 2 + 2; /* tables, two final norms, one layer, the head */
    size_t others = 4 + 4 + 2;           /* inputs, positions and outputs, logits and output */
    CHECK(count_of(plain) == weights + others, "without capture %zu, wanted %zu", count_of(plain),
          weights + others);
    release();
}

static void largest(void) {
    config c;
    config_default(&c, KIND_ENCODER_DECODER);
    c.vocabulary = c.d_model = c.heads = c.d_ff = 1;
    c.layers = c.decoder_layers = CONFIG_MAX_LAYERS;
    request ask = {.B = 1, .S = 1, .T = 1, .capture = true};
    fixture *f = fixture_make(&c, ask, NULL);
    CHECK(data_of(f, "decoder.layers.63.", "multihead_attn.in_proj_weight") != NULL, "the longest");
    CHECK(data_of(f, "encoder.layers.64.", "out") == NULL, "layer 64");
    CHECK(data_of(f, "encoder.layers.63.", "residual2") &&
              data_of(f, "encoder.layers.63.", "out") &&
              data_of(f, "encoder.layers.63.", "norm2.out"),
          "an encoder layer counts to 2");
    CHECK(!data_of(f, "encoder.layers.63.", "residual3"), "an encoder layer has no residual3");
    size_t count = count_of(f);
    CHECK(count == 2 * 11 + 64 * (34 + 54) + 1, "%zu tensors", count);
    for (size_t i = 0; i < count; i++) {
        tensor_info t = nth(f, i);
        CHECK(memchr(t.name, 0, sizeof t.name) != NULL, "tensor %zu: a name without end", i);
    }
    release();
}

/* 2^31 bytes and more are refused, whether in one tensor, in their sum or in 64 bits. */
static void overflow(void) {
    config c;
    config_default(&c, KIND_ENCODER);
    CHECK(model_weight_bytes(&c) > 0, "defaults have weights");
    c.d_model = 65536;
    CHECK(model_weight_bytes(&c) == 0, "a tensor of 2^35 bytes: %zu", model_weight_bytes(&c));
    c.d_model = 8192; /* 768 MB + 256 MB a layer */
    c.d_ff = 0;
    c.layers = 1;
    CHECK(model_weight_bytes(&c) > 1u << 30, "one layer of 1 GB: %zu", model_weight_bytes(&c));
    c.layers = 2;
    CHECK(model_weight_bytes(&c) == 0, "two of them: %zu", model_weight_bytes(&c));
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
    largest();
    overflow();
    return check_done("model/tensors", NULL, 0);
}
