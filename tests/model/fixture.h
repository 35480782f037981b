/* fixture.h: a model on exactly sized blocks full of NaN, with random weights and inputs; where it
 * trains, with zeroed gradients. */
#ifndef GLASSFORMER_TESTS_MODEL_FIXTURE_H
#define GLASSFORMER_TESTS_MODEL_FIXTURE_H

#include "../../src/model/model.h"
#include "../check.h"
#include "defaults.h"

typedef struct fixture {
    model m; /* never copied: its dims point into it */
    size_t weight_bytes, block_bytes;
    char *block;
    size_t count;
    tensor_info *list; /* all that it lists: each look-up of the model's walks all of it */
} fixture;

static inline model_config tiny(int32_t kind) {
    model_config c;
    config_default(&c, kind);
    c.vocabulary = 7;
    c.d_model = c.d_ff = 8;
    return c;
}

/* The most layers of the smallest size: the longest names. */
static inline model_config deepest(void) {
    model_config c;
    config_default(&c, KIND_ENCODER_DECODER);
    c.vocabulary = c.d_model = c.heads = c.d_ff = 1;
    c.layers = c.decoder_layers = CONFIG_MAX_LAYERS;
    return c;
}

/* An encoder-decoder of unlike sizes. */
static inline model_config uneven(void) {
    model_config c = tiny(KIND_ENCODER_DECODER);
    c.target_vocabulary = 5;
    c.d_model = 6;
    c.heads = 2;
    c.decoder_layers = 1;
    c.head = HEAD_LINEAR;
    return c;
}

/* Two texts as one, until release(). */
static inline const char *join(const char *a, const char *b) {
    char *both = hold(strlen(a) + strlen(b) + 1);
    return strcat(strcpy(both, a), b);
}

/* Empty where there is none. */
static inline bool tensor_of(tensor_info *out, fixture *f, const char *name) {
    *out = (tensor_info){0};
    for (size_t i = 0; i < f->count; i++) {
        if (strcmp(f->list[i].name, name) == 0) {
            *out = f->list[i];
            return true;
        }
    }
    return false;
}

/* The data of prefix + name, or NULL. */
static inline void *data_of(fixture *f, const char *prefix, const char *name) {
    tensor_info t;
    return tensor_of(&t, f, join(prefix, name)) ? t.data : NULL;
}

static inline size_t elements_of(const tensor_info *t) {
    size_t n = 1;
    for (int32_t i = 0; i < t->rank; i++) {
        n *= (size_t)t->shape[i];
    }
    return n;
}

/* Gradients have the region of what they are the gradient of. */
static inline bool is_gradient(const tensor_info *t) { return t->gradient; }
static inline bool is_input(const tensor_info *t) {
    return (t->region == INPUT || t->region == GIVEN) && !is_gradient(t);
}

static inline void fixture_list(fixture *f) {
    f->count = tensors_count(&f->m.tensors, &f->m.dims);
    f->list = hold(f->count * sizeof *f->list);
    tensors_list(f->list, &f->m.tensors, &f->m.dims, 0, f->count);
}

/* A laid out model; weights NULL: fresh ones, gains and biases random as well. */
static inline fixture *fixture_make(const model_config *c, request ask, void *weights) {
    fixture *f = hold(sizeof *f);
    bool fresh = !weights;
    f->weight_bytes = model_weight_bytes(c, (slice){0});
    int unset = c->weights == WEIGHT_INT8 ? 0 : 0xff; /* the end of its last blocks is read */
    weights = fresh ? memset(hold(f->weight_bytes), unset, f->weight_bytes) : weights;
    model_start(&f->m, c, (slice){0}, weights);
    int32_t bytes = model_layout_bytes(&f->m, ask);
    CHECK(bytes >= 0, "a layout: got %d", bytes);
    f->block_bytes = (size_t)bytes;
    f->m.gradients = ask.train ? hold(f->weight_bytes) : NULL;
    f->block = memset(hold(f->block_bytes), 0xff, f->block_bytes);
    model_layout(&f->m, ask, f->block);
    if (fresh) {
        model_initialize(&f->m, random_bits());
    }
    if (ask.train) {
        memset(f->m.gradients, 0, f->weight_bytes);
    }
    fixture_list(f);
    for (size_t i = 0; fresh && i < f->count; i++) {
        tensor_info t = f->list[i];
        bool vector = t.region == WEIGHT && t.rank == 1 && !is_gradient(&t);
        for (int32_t k = 0; vector && k < t.shape[0]; k++) {
            ((float *)t.data)[k] += random_float(-0.4f, 0.4f);
        }
    }
    return f;
}

/* Values of one input: tokens of its table, a third of the keys hidden. Targets: IGNORED as well. */
enum { IGNORED = -100 };
static inline void fill_input(const model_config *c, const tensor_info *t) {
    size_t n = elements_of(t);
    bool alone = c->kind >= KIND_ATTENTION;
    bool target = strcmp(t->name, "targets") == 0;
    bool output = strncmp(t->name, "decoder", 7) == 0;
    size_t table = (size_t)(strstr(t->name, "types") ? c->types
                            : target && alone        ? c->d_model
                            : target                 ? config_output_vocabulary(c)
                            : output                 ? config_target_vocabulary(c)
                                                     : c->vocabulary);
    for (size_t i = 0; i < n; i++) {
        if (t->type == TENSOR_INT) {
            bool ignore = target && i > 0 && random_below(4) == 0;
            ((int32_t *)t->data)[i] = ignore ? IGNORED : (int32_t)random_below(table + !table);
        } else if (t->type == TENSOR_BYTE) {
            bool counts = i == 0 && strcmp(t->name, "lossMask") == 0;
            ((uint8_t *)t->data)[i] = counts || random_below(3) == 0;
        } else {
            bool hide = strcmp(t->name, "mask") == 0 && random_below(4) == 0;
            ((float *)t->data)[i] = hide ? -INFINITY : random_float(-1.5f, 1.5f);
        }
    }
}

static inline void fill_inputs(fixture *f) {
    for (size_t i = 0; i < f->count; i++) {
        tensor_info t = f->list[i];
        if (is_input(&t)) {
            fill_input(&f->m.config, &t);
        }
    }
}

static inline void copy_inputs(fixture *to, fixture *from) {
    for (size_t i = 0; i < from->count; i++) {
        tensor_info t = from->list[i], same;
        if (is_input(&t) && tensor_of(&same, to, t.name)) {
            memcpy(same.data, t.data, elements_of(&t) * (t.type == TENSOR_BYTE ? 1 : 4));
        }
    }
}

/* Each fifth model or so keeps the largest 2 to 4 of its neurons, where it can. Its sizes decide it, as a draw would
 * change every model after it. */
static inline model_config sometimes_top_k(model_config c) {
    model_config top = c;
    int32_t sum = c.max_length + c.d_ff + c.d_model + c.layers;
    top.activation = ACTIVATION_TOP_K;
    top.active = 2 + sum % 3;
    return sum % 5 == 0 && config_invalid(&top) < 0 ? top : c;
}

/* Likewise some turn a part of each head, and some have attention and FFN side by side. */
static inline model_config sometimes_today(model_config c) {
    model_config other = c;
    int32_t sum = c.max_length + c.d_ff + c.d_model + c.layers;
    int32_t pairs = (int32_t)config_head_width(&c) / 2;
    other.rope_width = pairs > 0 ? 2 * (1 + sum % pairs) : 0;
    c = sum % 3 && config_invalid(&other) < 0 ? other : c;
    other = c;
    other.parallel = 1;
    return sum % 4 && config_invalid(&other) < 0 ? other : c;
}

/* Each third model or so has relative positions, some divide their output or have a pooler; likewise by its sizes. */
static inline model_config sometimes_related(model_config c) {
    model_config related = c;
    int32_t sum = 2 * c.max_length + c.d_ff + c.d_model + c.decoder_layers;
    related.relative_buckets = sum % 3 == 0 ? 4 + sum / 3 % 7 : 0;
    related.relative_distance = 6 + sum % 4;
    c = config_invalid(&related) < 0 ? related : c;
    c.head_scale = config_has_head(&c) && sum % 2;
    related = c;
    related.head_pooler = sum / 2 % POOLER_COUNT;
    return config_invalid(&related) < 0 ? related : c;
}

/* A small valid configuration of a kind, every switch at random. */
static inline model_config random_config(int32_t kind) {
    for (;;) {
        model_config c;
        config_default(&c, kind);
        c.vocabulary = random_below(4) ? 3 + (int32_t)random_below(9) : 0;
        c.target_vocabulary = random_below(2) ? 2 + (int32_t)random_below(9) : 0;
        c.output_vocabulary = random_below(4) ? 0 : 2 + (int32_t)random_below(9);
        c.input_width = random_below(2) ? 0 : 1 + (int32_t)random_below(9);
        c.output_width = random_below(4) ? 0 : 1 + (int32_t)random_below(9);
        c.types = random_below(3) ? 0 : 3;
        c.heads = 1 + (int32_t)random_below(3);
        c.d_model = c.heads * (2 + (int32_t)random_below(5));
        c.d_ff = random_below(6) ? 1 + (int32_t)random_below(11) : 0;
        c.heads = random_below(6) ? c.heads : 0;
        c.layers = (int32_t)random_below(4);
        c.decoder_layers = (int32_t)random_below(4);
        c.max_length = 9 + (int32_t)random_below(5);
        c.positions = (int32_t)random_below(POSITIONS_COUNT);
        c.positions_from = (int32_t)random_below(POSITION_START_COUNT);
        c.norm = (int32_t)random_below(NORM_COUNT);
        c.activation = (int32_t)random_below(ACTIVATION_TOP_K);
        c.head = (int32_t)random_below(HEAD_COUNT);
        c.epsilon = random_below(2) ? 1e-5f : 1e-3f;
        c.causal = random_below(3) ? c.causal : !c.causal;
        c.window = random_below(2) ? 0 : 1 + (int32_t)random_below(5);
        c.global_layers = random_below(2) ? 0 : (int32_t)random_bits();
        c.norm_kind = (int32_t)random_below(NORM_KIND_COUNT);
        c.ffn_kind = (int32_t)random_below(FFN_KIND_COUNT);
        c.key_value_heads = random_below(2) ? 0 : 1 + (int32_t)random_below(3);
        c.head_width = random_below(3) ? 0 : 2 + (int32_t)random_below(5);
        c.rope_theta = random_below(2) ? 10000 : 100;
        c.rope_scaling = (int32_t)random_below(ROTATION_SCALING_COUNT);
        c.rope_factor = 1 + (float)random_below(8);
        c.rope_original = 8 + (int32_t)random_below(60);
        int32_t *flags[] = {&c.qk_norm,         &c.attention_out_bias, &c.ffn_bias,
                            &c.embedding_scale, &c.embedding_norm,     &c.norm_affine,
                            &c.final_norm,      &c.residual,           &c.score_scale,
                            &c.attention_bias,  &c.head_bias,          &c.tied_embeddings,
                            &c.head_transform};
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
            *flags[i] = (int32_t)random_below(2);
        }
        /* the norm of one neuron, without a residual or a bias beside it, is its sign */
        bool sign = c.d_ff == 1 && !c.residual && !c.ffn_bias;
        if (config_invalid(&c) < 0 && !sign) {
            return sometimes_related(sometimes_today(sometimes_top_k(c)));
        }
    }
}

/* A request that fits it, without cache. */
static inline request random_request(const model_config *c) {
    model m;
    uint64_t nothing[8] = {0};
    model_start(&m, c, (slice){0}, nothing); /* no weight is read */
    for (;;) {
        uint32_t bits = random_bits();
        request ask = {.B = 1 + random_below(3),
                       .S = random_below(10),
                       .T = random_below(10),
                       .types = bits & 1,
                       .encoder_padding = bits & 2,
                       .decoder_padding = bits & 4,
                       .memory_padding = bits & 8,
                       .mask = bits & 16};
        if (model_layout_bytes(&m, ask) >= 0) {
            return ask;
        }
    }
}

#endif
