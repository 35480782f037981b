/* Defaults, ranges and the faults between fields, each named. */
#include "../check.h"
#include "defaults.h"

static void set(model_config *c, size_t field, double value) {
    char *to = (char *)c + field * 4;
    config_field f;
    config_describe(&f, KIND_ENCODER, field);
    if (f.type == 'f') {
        float number = (float)value;
        memcpy(to, &number, sizeof number);
    } else {
        int32_t word = (int32_t)value;
        memcpy(to, &word, sizeof word);
    }
}

static void defaults(void) {
    for (int32_t kind = KIND_ENCODER; kind <= KIND_FEED_FORWARD; kind++) {
        model_config c;
        config_default(&c, kind);
        CHECK(config_invalid(&c) == -1, "defaults of kind %d: field %d", kind, config_invalid(&c));
        CHECK(c.kind == kind, "kind %d: got %d", kind, c.kind);
        bool decoder = kind == KIND_DECODER || kind == KIND_ENCODER_DECODER;
        CHECK(c.causal == decoder, "kind %d: causal %d", kind, c.causal);
        CHECK(c.final_norm == (kind == KIND_ENCODER_DECODER), "kind %d: final_norm", kind);
        CHECK(config_has_decoder(&c) == decoder, "kind %d: has decoder", kind);
        bool encoder = kind == KIND_ENCODER || kind == KIND_ENCODER_DECODER;
        CHECK(config_has_encoder(&c) == encoder, "kind %d: has encoder", kind);
        for (size_t i = 0; i < CONFIG_COUNT; i++) {
            config_field f;
            model_config default_again = c;
            config_describe(&f, kind, i);
            set(&default_again, i, f.fallback);
            CHECK(memcmp(&c, &default_again, sizeof c) == 0, "%s: not its fallback %g", f.name,
                  f.fallback);
        }
    }
    model_config c;
    config_default(&c, KIND_ENCODER);
    CHECK(c.d_model == 64 && c.heads == 4 && c.d_ff == 256 && c.layers == 2 && c.epsilon == 1e-5f &&
              c.norm == NORM_POST && c.positions == POSITIONS_SINUSOIDAL && c.vocabulary == 0,
          "the documented defaults");
}

/* The numbers of the documentation, each written a second time; causal and finalNorm go by kind. */
static void documented(void) {
    static const struct {
        const char *name;
        double fallback, low, high;
    } rows[] = {
        {"kind", 0, 0, 4},
        {"vocabulary", 0, 0, 1048576},
        {"targetVocabulary", 0, 0, 1048576},
        {"types", 0, 0, 1048576},
        {"d_model", 64, 1, 65536},
        {"heads", 4, 0, 65536},
        {"d_ff", 256, 0, 1048576},
        {"layers", 2, 0, 64},
        {"decoderLayers", 2, 0, 64},
        {"maxLength", 512, 1, 1048576},
        {"positions", 1, 0, 3},
        {"embeddingScale", 1, 0, 1},
        {"embeddingNorm", 0, 0, 1},
        {"norm", 2, 0, 2},
        {"normAffine", 1, 0, 1},
        {"finalNorm", 0, 0, 1},
        {"epsilon", 1e-5, 0, 1000},
        {"residual", 1, 0, 1},
        {"scoreScale", 1, 0, 1},
        {"causal", 0, 0, 1},
        {"attentionBias", 1, 0, 1},
        {"activation", 0, 0, 5},
        {"head", 0, 0, 2},
        {"outputVocabulary", 0, 0, 1048576},
        {"headBias", 1, 0, 1},
        {"tiedEmbeddings", 0, 0, 1},
        {"headTransform", 0, 0, 1},
        {"window", 0, 0, 1048576},
        {"globalLayers", 0, -0x1p31, 0x1p31 - 1},
        {"globalLayersAbove", 0, -0x1p31, 0x1p31 - 1},
        {"weights", 0, 0, 3},
        {"positionsFrom", 0, 0, 2},
        {"inputWidth", 0, 0, 65536},
        {"outputWidth", 0, 0, 65536},
        {"normKind", 0, 0, 1},
        {"ffn", 0, 0, 1},
        {"keyValueHeads", 0, 0, 65536},
        {"headWidth", 0, 0, 65536},
        {"qkNorm", 0, 0, 1},
        {"attentionOutBias", 1, 0, 1},
        {"ffnBias", 1, 0, 1},
        {"ropeTheta", 10000, 1, 1e12},
        {"ropeScaling", 0, 0, 2},
        {"ropeFactor", 1, 1, 1e6},
        {"ropeLowFrequency", 1, 0, 1e6},
        {"ropeHighFrequency", 4, 0, 1e6},
        {"ropeOriginalLength", 8192, 1, 1048576},
        {"initializerRange", 0, 0, 1000},
        {"active", 0, 0, 1048576},
        {"ropeWidth", 0, 0, 65536},
        {"parallel", 0, 0, 1},
        {"relativeBuckets", 0, 0, 65536},
        {"relativeDistance", 128, 1, 1048576},
        {"headScale", 0, 0, 1},
        {"headPooler", 0, 0, 2},
    };
    CHECK(sizeof rows / sizeof *rows == CONFIG_COUNT, "%d settings", CONFIG_COUNT);
    for (size_t i = 0; i < CONFIG_COUNT; i++) {
        config_field f;
        config_describe(&f, KIND_ENCODER, i);
        CHECK(strcmp(f.name, rows[i].name) == 0 && f.fallback == rows[i].fallback &&
                  f.low == rows[i].low && f.high == rows[i].high,
              "%s: %g in %g..%g", f.name, f.fallback, f.low, f.high);
    }
}

/* Bit i of two words, for layer i: no window there. */
static void windows(void) {
    model_config c;
    config_default(&c, KIND_DECODER);
    c.window = 3;
    for (size_t layer = 0; layer < CONFIG_MAX_LAYERS; layer++) {
        int32_t bit = (int32_t)(1u << layer % 32);
        c.global_layers = layer < 32 ? bit : 0;
        c.global_layers_above = layer < 32 ? 0 : bit;
        for (size_t i = 0; i < CONFIG_MAX_LAYERS; i++) {
            size_t window = config_window(&c, i);
            CHECK(window == (i == layer ? 0 : 3), "layer %zu, layer %zu without: %zu", i, layer,
                  window);
        }
    }
}

static void table(void) {
    CHECK(sizeof(model_config) == CONFIG_COUNT * 4, "a setting is one word: %zu",
          sizeof(model_config));
    for (size_t i = 0; i < CONFIG_COUNT; i++) {
        config_field f, other;
        config_describe(&f, KIND_ENCODER, i);
        int32_t choices = f.choices[0] ? 1 : 0;
        for (const char *at = f.choices; *at; at++) {
            choices += *at == '|';
        }
        CHECK(f.type == 'i' || f.type == 'b' || f.type == 'c' || f.type == 'f', "type of %s",
              f.name);
        CHECK((f.type == 'c') == (choices > 0), "choices of %s", f.name);
        CHECK(f.type != 'c' || f.high == choices - 1, "%s: %d choices", f.name, choices);
        CHECK(f.type != 'b' || (f.low == 0 && f.high == 1), "a boolean: %s", f.name);
        CHECK(f.low <= f.fallback && f.fallback <= f.high, "fallback of %s", f.name);
        for (size_t k = 0; k < i; k++) {
            config_describe(&other, KIND_ENCODER, k);
            CHECK(strcmp(f.name, other.name) != 0, "%s twice", f.name);
        }
    }
}

/* Each field past either end is the one that is named; at the ends it is not. */
static void ranges(void) {
    for (size_t i = 0; i < CONFIG_COUNT; i++) {
        config_field f;
        config_describe(&f, KIND_ENCODER, i);
        if (f.low == -0x1p31) {
            continue; /* bits: no word is outside */
        }
        double step = f.type == 'f' ? 1e-3 : 1;
        const double above = f.type == 'f' ? 2 * f.high : f.high; /* 1e30 + step is 1e30 */
        const double outside[] = {f.low - step, above + step, f.type == 'f' ? NAN : -0x1p31,
                                  f.type == 'f' ? INFINITY : 0x1.fffffffcp30};
        for (int k = 0; k < 4; k++) {
            model_config c;
            config_default(&c, KIND_ENCODER);
            set(&c, i, outside[k]);
            CHECK(config_invalid(&c) == (int)i, "%s = %g: got field %d", f.name, outside[k],
                  config_invalid(&c));
        }
        for (int end = 0; end <= 1; end++) {
            model_config c;
            config_default(&c, KIND_ENCODER_DECODER);
            c.vocabulary = i == CONFIG_input_width ? 0 : 10;
            c.d_model = i == CONFIG_heads && end ? 65536 : c.d_model;
            c.heads = i == CONFIG_d_model && !end ? 1 : c.heads;
            c.head =
                i == CONFIG_output_vocabulary || i == CONFIG_head_transform ? HEAD_LINEAR : c.head;
            bool top = (i == CONFIG_activation || i == CONFIG_active) && end;
            c.activation = top ? ACTIVATION_TOP_K : c.activation;
            c.active = top ? 1 : 0;
            c.d_ff = i == CONFIG_active ? CONFIG_MAX_SIZE : c.d_ff;
            bool turns = i == CONFIG_rope_width && end;
            c.positions = turns ? POSITIONS_ROTARY : c.positions;
            c.head_width = turns ? 65536 : c.head_width;
            c.kind = i == CONFIG_parallel || i == CONFIG_head_pooler ? KIND_ENCODER : c.kind;
            c.norm = i == CONFIG_parallel ? NORM_PRE : c.norm;
            c.head = i == CONFIG_head_scale || i == CONFIG_head_pooler ? HEAD_LINEAR : c.head;
            c.relative_distance = CONFIG_MAX_SIZE;
            bool odd = i == CONFIG_kind || (i == CONFIG_key_value_heads && end) ||
                       ((i == CONFIG_vocabulary || i == CONFIG_heads) && !end);
            set(&c, i, end ? f.high : f.low);
            CHECK(odd || config_invalid(&c) == -1, "%s at %g: got field %d", f.name,
                  end ? f.high : f.low, config_invalid(&c));
        }
    }
}

/* Top-k needs 1 to d_ff active neurons of a plain network, and no other activation has them. */
static void top_k(void) {
    model_config c;
    for (int32_t active = 0; active <= 9; active++) {
        config_default(&c, KIND_FEED_FORWARD);
        c.d_ff = 8;
        c.active = active;
        CHECK(config_invalid(&c) == (active ? CONFIG_active : -1), "relu with %d active", active);
        c.activation = ACTIVATION_TOP_K;
        int wanted = active >= 1 && active <= 8 ? -1 : CONFIG_active;
        CHECK(config_invalid(&c) == wanted, "%d of 8 active: %d", active, config_invalid(&c));
    }
    c.active = 8;
    c.ffn_kind = FFN_GATED;
    CHECK(config_invalid(&c) == CONFIG_activation, "gated: %d", config_invalid(&c));
    config_default(&c, KIND_ENCODER);
    c.activation = ACTIVATION_TOP_K;
    c.active = 1;
    c.vocabulary = 9;
    c.head = HEAD_LINEAR;
    CHECK(config_invalid(&c) == -1, "an encoder: %d", config_invalid(&c));
    c.head_transform = true;
    CHECK(config_invalid(&c) == CONFIG_activation, "a transform: %d", config_invalid(&c));
    c.head_transform = false;
    c.d_ff = 0;
    CHECK(config_invalid(&c) == CONFIG_activation, "without neurons: %d", config_invalid(&c));
}

/* A part of each head turns where positions are rotary, in pairs. */
static void parts_of_heads(void) {
    model_config c;
    config_default(&c, KIND_DECODER); /* d_model 64, heads 4 */
    c.rope_width = 4;
    CHECK(config_invalid(&c) == CONFIG_rope_width, "sinusoids: %d", config_invalid(&c));
    c.positions = POSITIONS_ROTARY;
    CHECK(config_invalid(&c) == -1 && config_rope_width(&c) == 4, "4 of 16");
    c.rope_width = 0;
    CHECK(config_rope_width(&c) == 16, "all of 16: %zu", config_rope_width(&c));
    for (int32_t width = 1; width < 20; width++) {
        c.rope_width = width;
        int wanted = width % 2 || width > 16 ? CONFIG_rope_width : -1;
        CHECK(config_invalid(&c) == wanted, "%d of 16: %d", width, config_invalid(&c));
    }
    c.head_width = 5;
    c.rope_width = 4;
    CHECK(config_invalid(&c) == -1, "4 of 5: %d", config_invalid(&c));
    c.rope_scaling = ROTATION_LLAMA3;
    c.rope_low = c.rope_high;
    CHECK(config_invalid(&c) == CONFIG_rope_high, "no band: %d", config_invalid(&c));
    c.rope_scaling = 0;
    c.heads = c.head_width = 0;
    CHECK(config_invalid(&c) == CONFIG_positions, "no heads: %d", config_invalid(&c));
}

/* Attention and FFN side by side need both, pre-LN, residual connections and one stack. */
static void side_by_side(void) {
    for (int32_t kind = 0; kind < KIND_COUNT; kind++) {
        model_config c;
        config_default(&c, kind);
        c.norm = NORM_PRE;
        c.parallel = 1;
        bool one = kind == KIND_ENCODER || kind == KIND_DECODER;
        CHECK(config_invalid(&c) == (one ? -1 : CONFIG_parallel), "kind %d: %d", kind,
              config_invalid(&c));
        if (!one) {
            continue;
        }
        int32_t *needed[] = {&c.heads, &c.d_ff, &c.residual, &c.norm};
        for (size_t i = 0; i < 4; i++) {
            int32_t before = *needed[i];
            *needed[i] = 0;
            CHECK(config_invalid(&c) == CONFIG_parallel, "without %zu: %d", i, config_invalid(&c));
            *needed[i] = before;
        }
        c.norm = NORM_POST;
        CHECK(config_invalid(&c) == CONFIG_parallel, "post-LN: %d", config_invalid(&c));
    }
}

/* {kind, field, value, field, value, expected}: the settings at odds. */
static void faults(void) {
    static const struct {
        int32_t kind, field1, value1, field2, value2, wanted;
    } cases[] = {
        {KIND_ENCODER, CONFIG_heads, 3, CONFIG_layers, 1, CONFIG_heads},
        {KIND_DECODER, CONFIG_heads, 128, CONFIG_layers, 1, CONFIG_heads},
        {KIND_ATTENTION, CONFIG_heads, 5, CONFIG_layers, 1, CONFIG_heads},
        {KIND_FEED_FORWARD, CONFIG_heads, 5, CONFIG_layers, 1, -1},
        {KIND_FEED_FORWARD, CONFIG_d_ff, 0, CONFIG_layers, 1, CONFIG_d_ff},
        {KIND_ENCODER, CONFIG_d_ff, 0, CONFIG_layers, 1, -1},
        {KIND_ENCODER, CONFIG_heads, 0, CONFIG_layers, 1, -1},
        {KIND_DECODER, CONFIG_heads, 0, CONFIG_layers, 1, -1},
        {KIND_ATTENTION, CONFIG_heads, 0, CONFIG_layers, 1, CONFIG_heads},
        {KIND_ENCODER_DECODER, CONFIG_heads, 0, CONFIG_layers, 1, CONFIG_heads},
        {KIND_ENCODER, CONFIG_heads, 0, CONFIG_d_ff, 0, CONFIG_d_ff},
        {KIND_ENCODER, CONFIG_heads, 0, CONFIG_window, 1, CONFIG_window},
        {KIND_ATTENTION, CONFIG_vocabulary, 9, CONFIG_layers, 1, CONFIG_vocabulary},
        {KIND_FEED_FORWARD, CONFIG_vocabulary, 9, CONFIG_layers, 1, CONFIG_vocabulary},
        {KIND_ENCODER_DECODER, CONFIG_vocabulary, 9, CONFIG_target_vocabulary, 8, -1},
        {KIND_ENCODER_DECODER, CONFIG_vocabulary, 0, CONFIG_target_vocabulary, 8,
         CONFIG_target_vocabulary},
        {KIND_DECODER, CONFIG_vocabulary, 9, CONFIG_target_vocabulary, 8, CONFIG_target_vocabulary},
        {KIND_ENCODER, CONFIG_vocabulary, 9, CONFIG_types, 2, -1},
        {KIND_ENCODER, CONFIG_vocabulary, 0, CONFIG_types, 2, CONFIG_types},
        {KIND_DECODER, CONFIG_vocabulary, 9, CONFIG_types, 2, CONFIG_types},
        {KIND_DECODER, CONFIG_vocabulary, 9, CONFIG_embedding_norm, 1, -1},
        {KIND_DECODER, CONFIG_vocabulary, 0, CONFIG_embedding_norm, 1, CONFIG_embedding_norm},
        {KIND_ATTENTION, CONFIG_vocabulary, 0, CONFIG_embedding_norm, 1, CONFIG_embedding_norm},
        {KIND_ENCODER, CONFIG_input_width, 2, CONFIG_output_width, 3, -1},
        {KIND_ENCODER_DECODER, CONFIG_input_width, 2, CONFIG_output_width, 3, -1},
        {KIND_DECODER, CONFIG_vocabulary, 9, CONFIG_input_width, 2, CONFIG_input_width},
        {KIND_ATTENTION, CONFIG_layers, 1, CONFIG_input_width, 2, CONFIG_input_width},
        {KIND_FEED_FORWARD, CONFIG_layers, 1, CONFIG_output_width, 2, CONFIG_output_width},
        {KIND_DECODER, CONFIG_vocabulary, 9, CONFIG_output_width, 2, -1},
        {KIND_DECODER, CONFIG_output_width, 2, CONFIG_head, HEAD_LINEAR, CONFIG_output_width},
        {KIND_ENCODER, CONFIG_output_width, 2, CONFIG_head_transform, 1, -1},
        {KIND_DECODER, CONFIG_vocabulary, 9, CONFIG_head, HEAD_TIED, -1},
        {KIND_DECODER, CONFIG_vocabulary, 0, CONFIG_head, HEAD_TIED, CONFIG_head},
        {KIND_ENCODER, CONFIG_vocabulary, 0, CONFIG_head, HEAD_LINEAR, CONFIG_head},
        {KIND_ENCODER, CONFIG_output_vocabulary, 5, CONFIG_head, HEAD_LINEAR, -1},
        {KIND_ENCODER, CONFIG_output_vocabulary, 5, CONFIG_head, HEAD_NONE,
         CONFIG_output_vocabulary},
        {KIND_DECODER, CONFIG_output_vocabulary, 5, CONFIG_head, HEAD_TIED, CONFIG_head},
        {KIND_ATTENTION, CONFIG_output_vocabulary, 5, CONFIG_head, HEAD_LINEAR, CONFIG_head},
        {KIND_FEED_FORWARD, CONFIG_output_vocabulary, 5, CONFIG_layers, 1,
         CONFIG_output_vocabulary},
        {KIND_ENCODER, CONFIG_vocabulary, 9, CONFIG_head_transform, 1, CONFIG_head_transform},
        {KIND_ENCODER, CONFIG_vocabulary, 9, CONFIG_head_pooler, 1, CONFIG_head_pooler},
        {KIND_ENCODER, CONFIG_output_width, 2, CONFIG_head_pooler, 1, CONFIG_head_pooler},
        {KIND_DECODER, CONFIG_head_pooler, 1, CONFIG_head, HEAD_TIED, CONFIG_head},
        {KIND_FEED_FORWARD, CONFIG_window, 2, CONFIG_layers, 1, CONFIG_window},
        /* the least number that counts */
        {KIND_DECODER, CONFIG_vocabulary, 9, CONFIG_target_vocabulary, 1, CONFIG_target_vocabulary},
        {KIND_DECODER, CONFIG_vocabulary, 9, CONFIG_types, 1, CONFIG_types},
        {KIND_ATTENTION, CONFIG_vocabulary, 1, CONFIG_layers, 1, CONFIG_vocabulary},
        {KIND_FEED_FORWARD, CONFIG_window, 1, CONFIG_layers, 1, CONFIG_window},
        {KIND_ENCODER, CONFIG_output_vocabulary, 1, CONFIG_layers, 1, CONFIG_output_vocabulary},
        {KIND_ENCODER, CONFIG_d_model, 24, CONFIG_weights, WEIGHT_BF16, CONFIG_weights},
        {KIND_DECODER, CONFIG_d_model, 48, CONFIG_weights, WEIGHT_F16, -1},
        {KIND_DECODER, CONFIG_d_model, 24, CONFIG_weights, WEIGHT_INT8, CONFIG_weights},
        {KIND_ENCODER, CONFIG_heads, 3, CONFIG_head_width, 5, -1},
        {KIND_ENCODER, CONFIG_heads, 0, CONFIG_head_width, 5, CONFIG_head_width},
        {KIND_ENCODER, CONFIG_key_value_heads, 2, CONFIG_layers, 1, -1},
        {KIND_ENCODER, CONFIG_key_value_heads, 3, CONFIG_layers, 1, CONFIG_key_value_heads},
        {KIND_ENCODER, CONFIG_heads, 0, CONFIG_key_value_heads, 1, CONFIG_key_value_heads},
        {KIND_ENCODER, CONFIG_heads, 0, CONFIG_qk_norm, 1, CONFIG_qk_norm},
        {KIND_ENCODER, CONFIG_heads, 0, CONFIG_relative_buckets, 4, CONFIG_relative_buckets},
        {KIND_FEED_FORWARD, CONFIG_heads, 1, CONFIG_relative_buckets, 4, CONFIG_relative_buckets},
        {KIND_ATTENTION, CONFIG_relative_distance, 9, CONFIG_relative_buckets, 4, -1},
        {KIND_DECODER, CONFIG_layers, 1, CONFIG_relative_buckets, 3, CONFIG_relative_buckets},
        {KIND_DECODER, CONFIG_relative_distance, 5, CONFIG_relative_buckets, 8, -1},
        {KIND_DECODER, CONFIG_relative_distance, 4, CONFIG_relative_buckets, 8,
         CONFIG_relative_distance},
        {KIND_ENCODER_DECODER, CONFIG_relative_distance, 4, CONFIG_relative_buckets, 8,
         CONFIG_relative_distance},
        {KIND_ENCODER, CONFIG_relative_distance, 3, CONFIG_relative_buckets, 8, -1},
        {KIND_ENCODER, CONFIG_relative_distance, 2, CONFIG_relative_buckets, 8,
         CONFIG_relative_distance},
        {KIND_ENCODER, CONFIG_relative_distance, 1, CONFIG_layers, 1, -1},
        {KIND_DECODER, CONFIG_vocabulary, 9, CONFIG_head_scale, 1, CONFIG_head_scale},
        {KIND_ENCODER, CONFIG_output_width, 2, CONFIG_head_scale, 1, -1},
        {KIND_ENCODER, CONFIG_heads, 0, CONFIG_positions, POSITIONS_ROTARY, CONFIG_positions},
        {KIND_DECODER, CONFIG_head_width, 7, CONFIG_positions, POSITIONS_ROTARY, CONFIG_positions},
        {KIND_DECODER, CONFIG_head_width, 6, CONFIG_positions, POSITIONS_ROTARY, -1},
        {KIND_DECODER, CONFIG_head_width, 6, CONFIG_weights, WEIGHT_BF16, CONFIG_weights},
        {KIND_DECODER, CONFIG_head_width, 8, CONFIG_weights, WEIGHT_BF16, -1},
        {KIND_DECODER, CONFIG_key_value_heads, 1, CONFIG_weights, WEIGHT_BF16, -1},
        {KIND_ATTENTION, CONFIG_window, 2, CONFIG_layers, 1, -1},
        {KIND_ENCODER_DECODER, CONFIG_vocabulary, 9, CONFIG_tied_embeddings, 1, -1},
        {KIND_ENCODER_DECODER, CONFIG_vocabulary, 0, CONFIG_tied_embeddings, 1,
         CONFIG_tied_embeddings},
        {KIND_ENCODER, CONFIG_vocabulary, 9, CONFIG_tied_embeddings, 1, CONFIG_tied_embeddings},
        {KIND_DECODER, CONFIG_vocabulary, 9, CONFIG_tied_embeddings, 1, CONFIG_tied_embeddings},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        model_config c;
        config_default(&c, cases[i].kind);
        set(&c, (size_t)cases[i].field1, cases[i].value1);
        set(&c, (size_t)cases[i].field2, cases[i].value2);
        CHECK(config_invalid(&c) == cases[i].wanted, "fault %zu: got field %d, wanted %d", i,
              config_invalid(&c), cases[i].wanted);
    }
    model_config c; /* three fields: tied tables of unequal and of equal size */
    config_default(&c, KIND_ENCODER_DECODER);
    c.vocabulary = 9;
    c.tied_embeddings = 1;
    c.target_vocabulary = 8;
    CHECK(config_invalid(&c) == CONFIG_tied_embeddings, "tied 9 and 8: %d", config_invalid(&c));
    c.target_vocabulary = 1;
    CHECK(config_invalid(&c) == CONFIG_tied_embeddings, "tied 9 and 1: %d", config_invalid(&c));
    CHECK(config_target_vocabulary(&c) == 1, "a target vocabulary of 1");
    c.output_vocabulary = 1;
    c.target_vocabulary = 2;
    CHECK(config_output_vocabulary(&c) == 1, "an output vocabulary of 1");
    c.output_vocabulary = 0;
    c.target_vocabulary = 9;
    CHECK(config_invalid(&c) == -1, "tied 9 and 9: %d", config_invalid(&c));
    CHECK(config_output_vocabulary(&c) == 9, "output vocabulary of tied tables");
    c.tied_embeddings = 0;
    c.target_vocabulary = 5;
    CHECK(config_output_vocabulary(&c) == 5, "output vocabulary: the target's");
    c.target_vocabulary = 0;
    CHECK(config_output_vocabulary(&c) == 9, "output vocabulary: the source's");
    c.head = HEAD_TIED;
    c.output_vocabulary = 9;
    CHECK(config_invalid(&c) == CONFIG_output_vocabulary, "tied with its own size: %d",
          config_invalid(&c));
    c.head = HEAD_LINEAR;
    c.output_vocabulary = 4;
    c.target_vocabulary = 5;
    CHECK(config_invalid(&c) == -1, "three vocabularies: %d", config_invalid(&c));
    CHECK(config_output_vocabulary(&c) == 4 && config_target_vocabulary(&c) == 5,
          "output vocabulary: its own");
}

int main(void) {
    defaults();
    documented();
    windows();
    table();
    ranges();
    faults();
    top_k();
    parts_of_heads();
    side_by_side();
    return check_done("model/config", NULL, 0);
}
