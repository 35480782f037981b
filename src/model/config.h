/* config.h: the hyperparameters of a model, their defaults and which are valid.
 *
 * The table below is the only place where a setting has a name, a type, a default and a range;
 * the struct, the ABI's list of fields (gf_config_field) and through it the JavaScript API all
 * come from it. A setting is one 32-bit word: an integer, a boolean (0 or 1), the index of a
 * choice, or the bits of a float.
 */
#ifndef GLASSFORMER_MODEL_CONFIG_H
#define GLASSFORMER_MODEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KIND_ENCODER, KIND_DECODER, KIND_ENCODER_DECODER, KIND_ATTENTION, KIND_FEED_FORWARD };
enum { POSITIONS_NONE, POSITIONS_SINUSOIDAL, POSITIONS_LEARNED };
enum { NORM_NONE, NORM_PRE, NORM_POST };
enum { HEAD_NONE, HEAD_LINEAR, HEAD_TIED };

#define CONFIG_MAX_LAYERS 64
#define CONFIG_MAX_SIZE 1048576

/* X(field, "name in JSON and JavaScript", type, default, smallest, largest, choices)
 *   type  i integer · b boolean · c choice (separated by |) · f float
 * Settings of one stack only (decoder_layers, target_vocabulary, tied_embeddings) count where
 * that stack exists. vocabulary 0: no embedding, the input is vectors of d_model floats.
 * d_ff 0: layers without FFN. causal and final_norm default by kind, see config_default. */
#define CONFIG_FIELDS(X)                                                                           \
    X(kind, "kind", c, 0, 0, 4, "encoder|decoder|encoder-decoder|attention|feed-forward")          \
    X(vocabulary, "vocabulary", i, 0, 0, CONFIG_MAX_SIZE, "")                                      \
    X(target_vocabulary, "targetVocabulary", i, 0, 0, CONFIG_MAX_SIZE, "")                         \
    X(types, "types", i, 0, 0, CONFIG_MAX_SIZE, "")                                                \
    X(d_model, "d_model", i, 64, 1, 65536, "")                                                     \
    X(heads, "heads", i, 4, 1, 65536, "")                                                          \
    X(d_ff, "d_ff", i, 256, 0, CONFIG_MAX_SIZE, "")                                                \
    X(layers, "layers", i, 2, 0, CONFIG_MAX_LAYERS, "")                                            \
    X(decoder_layers, "decoderLayers", i, 2, 0, CONFIG_MAX_LAYERS, "")                             \
    X(max_length, "maxLength", i, 512, 1, CONFIG_MAX_SIZE, "")                                     \
    X(positions, "positions", c, POSITIONS_SINUSOIDAL, 0, 2, "none|sinusoidal|learned")            \
    X(embedding_scale, "embeddingScale", b, 1, 0, 1, "")                                           \
    X(embedding_norm, "embeddingNorm", b, 0, 0, 1, "")                                             \
    X(norm, "norm", c, NORM_POST, 0, 2, "none|pre|post")                                           \
    X(norm_affine, "normAffine", b, 1, 0, 1, "")                                                   \
    X(final_norm, "finalNorm", b, 0, 0, 1, "")                                                     \
    X(epsilon, "epsilon", f, 1e-5, 0, 1000, "")                                                    \
    X(residual, "residual", b, 1, 0, 1, "")                                                        \
    X(score_scale, "scoreScale", b, 1, 0, 1, "")                                                   \
    X(causal, "causal", b, 0, 0, 1, "")                                                            \
    X(attention_bias, "attentionBias", b, 1, 0, 1, "")                                             \
    X(activation, "activation", c, 0, 0, 3, "relu|gelu|gelu-tanh|none")                            \
    X(head, "head", c, HEAD_NONE, 0, 2, "none|linear|tied")                                        \
    X(head_bias, "headBias", b, 1, 0, 1, "")                                                       \
    X(tied_embeddings, "tiedEmbeddings", b, 0, 0, 1, "")

#define CONFIG_TYPE_i int32_t
#define CONFIG_TYPE_b int32_t
#define CONFIG_TYPE_c int32_t
#define CONFIG_TYPE_f float

typedef struct model_config {
#define X(field, name, type, fallback, low, high, choices) CONFIG_TYPE_##type field;
    CONFIG_FIELDS(X)
#undef X
} model_config;

enum {
#define X(field, name, type, fallback, low, high, choices) CONFIG_##field,
    CONFIG_FIELDS(X)
#undef X
        CONFIG_COUNT
};

/* One row of the table, as the ABI hands it out. fallback, low and high are doubles because
 * every 32-bit integer and float fits. */
typedef struct config_field {
    const char *name;
    const char *choices; /* "a|b|c", or "" */
    int32_t type;        /* 'i', 'b', 'c' or 'f' */
    int32_t reserved;
    double fallback;
    double low;
    double high;
} config_field;

/* config_describe: row index of the table, with the default that holds for that kind. */
void config_describe(config_field *out, int32_t kind, size_t index);

/* config_default: every field at its default for the kind. Differences between kinds:
 *   causal      1 for decoder and encoder-decoder (its decoder), else 0
 *   final_norm  1 for encoder-decoder, where nn.Transformer always has it, else 0 */
void config_default(model_config *out, int32_t kind);

/* config_invalid: index of the first field that is out of range or at odds with another
 * (heads not dividing d_model, a head without a vocabulary, ...), or -1 when all is well. */
int config_invalid(const model_config *c);

/* Which stacks a model of this kind has. */
static inline bool config_has_encoder(const model_config *c) {
    return c->kind == KIND_ENCODER || c->kind == KIND_ENCODER_DECODER;
}
static inline bool config_has_decoder(const model_config *c) {
    return c->kind == KIND_DECODER || c->kind == KIND_ENCODER_DECODER;
}

/* Rows of the output table: what the logits range over. */
static inline int32_t config_output_vocabulary(const model_config *c) {
    return c->target_vocabulary > 0 ? c->target_vocabulary : c->vocabulary;
}

#endif
