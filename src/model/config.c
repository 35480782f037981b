#include "config.h"

static const config_field fields[CONFIG_COUNT] = {
#define X(field, name, type, fallback, low, high, choices, ...)                                    \
    [CONFIG_##field] = {name, choices, #type[0], 0, fallback, low, high},
    CONFIG_FIELDS(X)
#undef X
};

void config_describe(config_field *out, int32_t kind, size_t index) {
    *out = fields[index];
    if (index == CONFIG_causal) {
        out->fallback = kind == KIND_DECODER || kind == KIND_ENCODER_DECODER;
    } else if (index == CONFIG_final_norm) {
        out->fallback = kind == KIND_ENCODER_DECODER;
    } else if (index == CONFIG_kind) {
        out->fallback = kind;
    }
}

/* The first field outside its own range, or -1. */
static int out_of_range(const model_config *c) {
#define X(field, ...)                                                                              \
    if (!((double)c->field >= fields[CONFIG_##field].low &&                                        \
          (double)c->field <= fields[CONFIG_##field].high)) {                                      \
        return CONFIG_##field;                                                                     \
    }
    CONFIG_FIELDS(X)
#undef X
    return -1;
}

int config_invalid(const model_config *c) {
    int field = out_of_range(c);
    if (field >= 0) {
        return field;
    }
    bool alone = !config_has_encoder(c) && !config_has_decoder(c);
    bool needs_heads = c->kind == KIND_ATTENTION || c->kind == KIND_ENCODER_DECODER;
    bool divides = c->heads == 0 || c->head_width > 0 || c->d_model % c->heads == 0;
    if (c->heads == 0 ? needs_heads : c->kind != KIND_FEED_FORWARD && !divides) {
        return CONFIG_heads;
    }
    if (c->key_value_heads > 0 && (c->heads == 0 || c->heads % c->key_value_heads != 0)) {
        return CONFIG_key_value_heads;
    }
    if (c->heads == 0 && c->head_width > 0) {
        return CONFIG_head_width;
    }
    if (c->heads == 0 && c->qk_norm) {
        return CONFIG_qk_norm;
    }
    if (c->positions == POSITIONS_ROTARY && (c->heads == 0 || config_rope_width(c) % 2 != 0)) {
        return c->rope_width > 0 && c->heads > 0 ? CONFIG_rope_width : CONFIG_positions;
    }
    if (c->rope_width > 0 &&
        (c->positions != POSITIONS_ROTARY || (size_t)c->rope_width > config_head_width(c))) {
        return CONFIG_rope_width;
    }
    if (c->rope_scaling == ROTATION_LLAMA3 && !(c->rope_low < c->rope_high)) {
        return CONFIG_rope_high;
    }
    if (c->d_ff == 0 && (c->kind == KIND_FEED_FORWARD || c->heads == 0)) {
        return CONFIG_d_ff;
    }
    if (alone && c->vocabulary > 0) {
        return CONFIG_vocabulary;
    }
    if (c->target_vocabulary > 0 && (c->kind != KIND_ENCODER_DECODER || c->vocabulary == 0)) {
        return CONFIG_target_vocabulary;
    }
    if (c->types > 0 && (!config_has_encoder(c) || c->vocabulary == 0)) {
        return CONFIG_types;
    }
    if (c->embedding_norm && c->vocabulary == 0) {
        return CONFIG_embedding_norm;
    }
    bool wordless = c->head == HEAD_TIED ? c->vocabulary == 0 : config_output_vocabulary(c) == 0;
    if (c->head != HEAD_NONE && (alone || wordless)) {
        return CONFIG_head;
    }
    if (c->head_transform && !config_has_head(c)) {
        return CONFIG_head_transform;
    }
    if (c->head_pooler != POOLER_NONE &&
        (c->kind != KIND_ENCODER || c->head == HEAD_NONE || c->head_transform)) {
        return CONFIG_head_pooler;
    }
    if (c->window > 0 && (c->kind == KIND_FEED_FORWARD || c->heads == 0)) {
        return CONFIG_window;
    }
    if (c->output_vocabulary > 0 && c->head != HEAD_LINEAR) {
        return CONFIG_output_vocabulary;
    }
    if (c->tied_embeddings &&
        (c->kind != KIND_ENCODER_DECODER || c->vocabulary == 0 ||
         (c->target_vocabulary > 0 && c->target_vocabulary != c->vocabulary))) {
        return CONFIG_tied_embeddings;
    }
    if (c->input_width > 0 && (alone || c->vocabulary > 0)) {
        return CONFIG_input_width;
    }
    if (c->output_width > 0 && (alone || c->head != HEAD_NONE)) {
        return CONFIG_output_width;
    }
    bool top = c->activation == ACTIVATION_TOP_K;
    if (top && (c->ffn_kind != FFN_PLAIN || c->head_transform || c->d_ff == 0)) {
        return CONFIG_activation;
    }
    if (top ? c->active < 1 || c->active > c->d_ff : c->active > 0) {
        return CONFIG_active;
    }
    bool one_stack = c->kind == KIND_ENCODER || c->kind == KIND_DECODER;
    if (c->parallel &&
        (!one_stack || c->heads == 0 || c->d_ff == 0 || c->norm != NORM_PRE || !c->residual)) {
        return CONFIG_parallel;
    }
    bool relates = c->relative_buckets > 0;
    if (relates && (c->heads == 0 || c->kind == KIND_FEED_FORWARD || c->relative_buckets < 4)) {
        return CONFIG_relative_buckets;
    }
    if (relates && c->relative_distance <= c->relative_buckets / (c->causal ? 2 : 4)) {
        return CONFIG_relative_distance;
    }
    if (c->head_scale && !config_has_head(c)) {
        return CONFIG_head_scale;
    }
    size_t width = config_head_width(c);
    bool panels = c->d_model % HALF_PANEL == 0 && (size_t)c->heads * width % HALF_PANEL == 0 &&
                  config_key_value_heads(c) * width % HALF_PANEL == 0;
    if (c->weights != WEIGHT_F32 && !panels) {
        return CONFIG_weights;
    }
    return -1;
}
