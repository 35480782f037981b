/* config.h: the hyperparameters of a model, their defaults and which are valid.
 *
 * The table below is the only place where a setting has a name, a type, a default, a range, a
 * label and a line of documentation. The struct, the ABI's list of fields (gf_config_field) and
 * through it the JavaScript API come from it, and so do dist/generated/settings.js (src/tools/settings.mjs)
 * with the types of the npm package and the data of the page's controls. A setting is one 32-bit word: an integer, a
 * boolean (0 or 1), the index of a
 * choice, or the bits of a float.
 */
#ifndef GLASSFORMER_MODEL_CONFIG_H
#define GLASSFORMER_MODEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../kernel/activation.h"
#include "../kernel/half.h"
#include "../op/position.h"

enum {
    KIND_ENCODER,
    KIND_DECODER,
    KIND_ENCODER_DECODER,
    KIND_ATTENTION,
    KIND_FEED_FORWARD,
    KIND_COUNT
};
enum { POSITIONS_NONE, POSITIONS_SINUSOIDAL, POSITIONS_LEARNED, POSITIONS_ROTARY, POSITIONS_COUNT };
enum { NORM_NONE, NORM_PRE, NORM_POST, NORM_COUNT };
enum { NORM_LAYER, NORM_RMS, NORM_KIND_COUNT };
enum { FFN_PLAIN, FFN_GATED, FFN_KIND_COUNT };
enum { HEAD_NONE, HEAD_LINEAR, HEAD_TIED, HEAD_COUNT };
enum { POOLER_NONE, POOLER_TANH, POOLER_RELU, POOLER_COUNT };

#define CONFIG_MAX_LAYERS 64
#define CONFIG_MAX_SIZE 1048576

/* X(field, "name in JSON and JavaScript", type, default, smallest, largest, "choices",
 *   "label", "labels of the choices", "documentation")
 *   type     i integer, b boolean, c choice, f float; choices and their labels are separated by |
 *   label    of the control in a user interface, UTF-8
 * The last three columns are for src/tools/settings.mjs, which writes types, documentation and data
 * for JavaScript; they are not compiled. A choice is appended to its enum and to its row.
 * causal and final_norm default by kind, see config_describe. */
#define CONFIG_FIELDS(X)                                                                           \
    X(kind, "kind", c, KIND_ENCODER, 0, KIND_COUNT - 1,                                            \
      "encoder|decoder|encoder-decoder|attention|feed-forward", "Architecture",                    \
      "Encoder|Decoder|Encoder–decoder|Attention layer|Feed-forward layer",                        \
      "the last two: one layer on its own")                                                        \
    X(vocabulary, "vocabulary", i, 0, 0, CONFIG_MAX_SIZE, "", "Vocabulary", "",                    \
      "rows of the (source) embedding; 0: no embedding, the input is vectors")                     \
    X(target_vocabulary, "targetVocabulary", i, 0, 0, CONFIG_MAX_SIZE, "", "Target vocabulary",    \
      "", "rows of the target embedding of an encoder-decoder; 0: as vocabulary")                  \
    X(types, "types", i, 0, 0, CONFIG_MAX_SIZE, "", "Token types", "",                             \
      "rows of the encoder's token type embedding, as in BERT; 0: none")                           \
    X(d_model, "d_model", i, 64, 1, 65536, "", "d_model", "", "width of the residual stream")      \
    X(heads, "heads", i, 4, 0, 65536, "", "Heads", "",                                             \
      "attention heads of a layer; must divide d_model unless headWidth is set; 0: layers "        \
      "without attention")                                                                         \
    X(d_ff, "d_ff", i, 256, 0, CONFIG_MAX_SIZE, "", "d_ff", "",                                    \
      "neurons of a feed-forward network; 0: layers without one")                                  \
    X(layers, "layers", i, 2, 0, CONFIG_MAX_LAYERS, "", "Layers", "",                              \
      "of the only stack, or of the encoder")                                                      \
    X(decoder_layers, "decoderLayers", i, 2, 0, CONFIG_MAX_LAYERS, "", "Decoder layers", "",       \
      "of the decoder of an encoder-decoder")                                                      \
    X(max_length, "maxLength", i, 512, 1, CONFIG_MAX_SIZE, "", "Longest input", "",                \
      "rows of the learned positions")                                                             \
    X(positions, "positions", c, POSITIONS_SINUSOIDAL, 0, POSITIONS_COUNT - 1,                     \
      "none|sinusoidal|learned|rotary", "Positions", "None|Sinusoidal|Learned|Rotary",             \
      "what is added to the embeddings (Vaswani et al. 2017, section 3.5), or rotary: queries "    \
      "and keys of self-attention are turned by their positions (Su et al. 2021)")                 \
    X(embedding_scale, "embeddingScale", b, 1, 0, 1, "", "Multiply embeddings by √d_model", "",    \
      "embeddings times sqrt(d_model); Vaswani et al. 2017, section 3.4")                          \
    X(embedding_norm, "embeddingNorm", b, 0, 0, 1, "", "LayerNorm after the embedding", "",        \
      "LayerNorm after the embedding, as in BERT")                                                 \
    X(norm, "norm", c, NORM_POST, 0, NORM_COUNT - 1, "none|pre|post", "Norm",                      \
      "None|Pre|Post (paper)",                                                                     \
      "where a layer normalises: before each sublayer, or after each residual sum as in Vaswani "  \
      "et al. 2017")                                                                               \
    X(norm_affine, "normAffine", b, 1, 0, 1, "", "LayerNorm with gain and bias", "",               \
      "LayerNorms have weight and bias")                                                           \
    X(final_norm, "finalNorm", b, 0, 0, 1, "", "LayerNorm after the stack", "",                    \
      "LayerNorm after each stack, whatever norm is; an encoder-decoder has it by default, as "    \
      "nn.Transformer")                                                                            \
    X(epsilon, "epsilon", f, 1e-5, 0, 1000, "", "LayerNorm epsilon", "",                           \
      "added to the variance in LayerNorm")                                                        \
    X(residual, "residual", b, 1, 0, 1, "", "Residual connections", "",                            \
      "x + sublayer(x) instead of sublayer(x)")                                                    \
    X(score_scale, "scoreScale", b, 1, 0, 1, "", "Divide scores by √d_k", "",                      \
      "attention scores divided by the root of a head's width")                                    \
    X(causal, "causal", b, 0, 0, 1, "", "Causal mask", "",                                         \
      "a token sees none after it; of an encoder-decoder, in its decoder; kinds with a decoder "   \
      "have it by default")                                                                        \
    X(attention_bias, "attentionBias", b, 1, 0, 1, "", "Bias in attention", "",                    \
      "the four projections of attention have biases")                                             \
    X(activation, "activation", c, ACTIVATION_RELU, 0, ACTIVATION_COUNT - 1,                       \
      "relu|gelu|gelu-tanh|none|silu|top-k", "Activation",                                         \
      "ReLU|GELU|GELU (tanh)|None (linear)|SiLU|Top-k",                                            \
      "the function inside a feed-forward network; formulas in src/kernel/activation.h; top-k: "   \
      "ReLU of the `active` largest of a token's neurons, of a plain network without "             \
      "headTransform")                                                                             \
    X(head, "head", c, HEAD_NONE, 0, HEAD_COUNT - 1, "none|linear|tied", "Output head",            \
      "None|Linear|Tied to the embedding",                                                         \
      "where logits come from: none, a table of their own, or the embedding's; generating and "    \
      "cross-entropy need one")                                                                    \
    X(output_vocabulary, "outputVocabulary", i, 0, 0, CONFIG_MAX_SIZE, "", "Output vocabulary",    \
      "", "rows of a linear output head; 0: as the vocabulary that the last stack reads")          \
    X(head_bias, "headBias", b, 1, 0, 1, "", "Bias in the output head", "",                        \
      "the output head has a bias")                                                                \
    X(tied_embeddings, "tiedEmbeddings", b, 0, 0, 1, "", "One embedding for source and target",    \
      "", "encoder-decoder: one table for source and target")                                      \
    X(head_transform, "headTransform", b, 0, 0, 1, "", "Transform before the output head", "",     \
      "a linear map, the activation and a LayerNorm before the output head, as in BERT")           \
    X(window, "window", i, 0, 0, CONFIG_MAX_SIZE, "", "Attention window", "",                      \
      "positions that a token sees to each side in self-attention, its own included; 0: all")      \
    X(global_layers, "globalLayers", i, 0, -2147483648, 2147483647, "", "Layers without window",   \
      "", "the sum of 2 to the i, of 32 bits, for each layer i that sees all in spite of window")  \
    X(global_layers_above, "globalLayersAbove", i, 0, -2147483648, 2147483647, "",                 \
      "Layers above 31 without window", "", "likewise 2 to the i for layer 32 + i")                \
    X(weights, "weights", c, WEIGHT_F32, 0, WEIGHT_TYPE_COUNT - 1, "f32|bf16|f16|int8",            \
      "Numbers of the weights", "32 bits|16 bits (bfloat16)|16 bits (half)|8 bits (approximate)",  \
      "of matrices and embeddings; in fewer than 32 bits, for d_model a multiple of 16, they "     \
      "take less memory and can neither be trained nor viewed; int8 rounds also the vectors that " \
      "they multiply, each 32 numbers to 1/32767 of their largest")                                \
    X(positions_from, "positionsFrom", c, POSITION_INDEX, 0, POSITION_START_COUNT - 1,             \
      "index|first|visible", "Positions count",                                                    \
      "All tokens|From the first visible|Visible tokens",                                          \
      "where padding hides tokens: a token's position is its index, or the distance from the "     \
      "first visible one, or the number of visible ones before it")                                \
    X(input_width, "inputWidth", i, 0, 0, 65536, "", "Width of the input", "",                     \
      "numbers of each vector where vocabulary is 0: a linear map with bias takes them to "        \
      "d_model; 0: vectors of d_model numbers")                                                    \
    X(output_width, "outputWidth", i, 0, 0, 65536, "", "Width of the values", "",                  \
      "numbers for each token (values) that a linear map makes of the output, as for regression; " \
      "0: none")                                                                                   \
    X(norm_kind, "normKind", c, NORM_LAYER, 0, NORM_KIND_COUNT - 1, "layer|rms", "Kind of norm",   \
      "LayerNorm|RMSNorm",                                                                         \
      "LayerNorm, or RMSNorm (Zhang and Sennrich 2019): no mean is taken, and there is no bias")   \
    X(ffn_kind, "ffn", c, FFN_PLAIN, 0, FFN_KIND_COUNT - 1, "plain|gated", "Feed-forward network", \
      "Plain|Gated",                                                                               \
      "plain: f(x W_1) W_2; gated: (f(x W_1) * x W_3) W_2, which with silu is SwiGLU, with gelu "  \
      "GeGLU (Shazeer 2020)")                                                                      \
    X(key_value_heads, "keyValueHeads", i, 0, 0, 65536, "", "Key-value heads", "",                 \
      "heads of keys and values, which groups of query heads share (Ainslie et al. 2023); must "   \
      "divide heads; 0: as many as heads")                                                         \
    X(head_width, "headWidth", i, 0, 0, 65536, "", "Width of a head", "",                          \
      "numbers of a query, key and value of a head; 0: d_model / heads")                           \
    X(qk_norm, "qkNorm", b, 0, 0, 1, "", "RMSNorm of queries and keys", "",                        \
      "an RMSNorm over each head of queries and keys, before they are turned, as in Qwen3")        \
    X(attention_out_bias, "attentionOutBias", b, 1, 0, 1, "", "Bias after the heads", "",          \
      "where attention has biases: its output projection has one, too; off in Qwen2")              \
    X(ffn_bias, "ffnBias", b, 1, 0, 1, "", "Bias in the feed-forward network", "",                 \
      "the linear maps of a feed-forward network have biases")                                     \
    X(rope_theta, "ropeTheta", f, 10000, 1, 1e12, "", "Base of rotary angles", "",                 \
      "pair i of a head of width D turns by position times theta^(-2i/D)")                         \
    X(rope_scaling, "ropeScaling", c, ROTATION_PLAIN, 0, ROTATION_SCALING_COUNT - 1,               \
      "none|linear|llama3", "Scaling of rotary angles", "None|Linear|As Llama 3",                  \
      "how angles are made smaller for texts longer than those of the training")                   \
    X(rope_factor, "ropeFactor", f, 1, 1, 1e6, "", "Factor of the scaling", "",                    \
      "slow pairs (linear: all) turn so many times as slowly")                                     \
    X(rope_low, "ropeLowFrequency", f, 1, 0, 1e6, "", "Turns of slow pairs", "",                   \
      "llama3: pairs of fewer turns within ropeOriginalLength are slowed by the whole factor")     \
    X(rope_high, "ropeHighFrequency", f, 4, 0, 1e6, "", "Turns of fast pairs", "",                 \
      "llama3: pairs of more turns within ropeOriginalLength are not slowed")                      \
    X(rope_original, "ropeOriginalLength", i, 8192, 1, CONFIG_MAX_SIZE, "",                        \
      "Length of the training", "", "llama3: tokens of the texts before the scaling")              \
    X(initializer_range, "initializerRange", f, 0, 0, 1000, "", "Deviation of fresh weights", "",  \
      "matrices and tables are drawn from a normal distribution of this deviation; 0: from one "   \
      "that fits their sizes (Glorot and Bengio 2010)")                                            \
    X(active, "active", i, 0, 0, CONFIG_MAX_SIZE, "", "Active neurons", "",                        \
      "with activation top-k, and only then: neurons of a token that stay active, 1 to d_ff")      \
    X(rope_width, "ropeWidth", i, 0, 0, 65536, "", "Numbers of a head that turn", "",              \
      "rotary positions turn so many of a head's numbers, its first, in pairs; the others stay, "  \
      "as in GPT-NeoX; 0: all")                                                                    \
    X(parallel, "parallel", b, 0, 0, 1, "", "Attention and FFN side by side", "",                  \
      "x + attention(norm1 x) + FFN(norm2 x): the FFN does not read what attention adds, as in "   \
      "GPT-NeoX; needs norm pre, residual connections, and one stack")                             \
    X(relative_buckets, "relativeBuckets", i, 0, 0, 65536, "", "Buckets of relative positions",    \
      "",                                                                                          \
      "each head of self-attention adds a learned bias to its scores, one for each bucket of "     \
      "distances, which all layers of a stack share (Raffel et al. 2020, section 2.1); at least "  \
      "4, or 0: none")                                                                             \
    X(relative_distance, "relativeDistance", i, 128, 1, CONFIG_MAX_SIZE, "",                       \
      "Farthest relative position", "",                                                            \
      "with relativeBuckets: tokens this far apart and farther share the last bucket")             \
    X(head_scale, "headScale", b, 0, 0, 1, "", "Divide the output by √d_model", "",                \
      "the output head reads the output divided by sqrt(d_model), as in T5, whose head is tied")   \
    X(head_pooler, "headPooler", c, POOLER_NONE, 0, POOLER_COUNT - 1, "none|tanh|relu",            \
      "Pooler before the output head", "None|Tanh|ReLU",                                           \
      "an encoder that classifies texts, as BERT: a linear map and this function before the "      \
      "output head; a row has one label, of the logits of its first visible token")

#define CONFIG_TYPE_i int32_t
#define CONFIG_TYPE_b int32_t
#define CONFIG_TYPE_c int32_t
#define CONFIG_TYPE_f float

typedef struct model_config {
#define X(field, name, type, ...) CONFIG_TYPE_##type field;
    CONFIG_FIELDS(X)
#undef X
} model_config;

enum {
#define X(field, ...) CONFIG_##field,
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

/* config_describe: row index of the table, with the default that holds for that kind. Differences between kinds:
 *   causal      1 for decoder and encoder-decoder (its decoder), else 0
 *   final_norm  1 for encoder-decoder, where nn.Transformer always has it, else 0 */
void config_describe(config_field *out, int32_t kind, size_t index);

/* config_invalid: index of the first field that is out of range or at odds with another (heads not
 * dividing d_model, a layer without heads and neurons, ...), or -1 when all is well. */
int config_invalid(const model_config *c);

/* Which stacks a model of this kind has. */
static inline bool config_has_encoder(const model_config *c) {
    return c->kind == KIND_ENCODER || c->kind == KIND_ENCODER_DECODER;
}
static inline bool config_has_decoder(const model_config *c) {
    return c->kind == KIND_DECODER || c->kind == KIND_ENCODER_DECODER;
}

/* Rows of the embedding of the last stack: what a target token is. */
static inline int32_t config_target_vocabulary(const model_config *c) {
    return c->target_vocabulary > 0 ? c->target_vocabulary : c->vocabulary;
}

/* The number of positions that a query of layer i sees to each side, its own included; 0: all. */
static inline size_t config_window(const model_config *c, size_t i) {
    uint32_t wide = (uint32_t)(i < 32 ? c->global_layers : c->global_layers_above);
    return wide >> (i % 32) & 1 ? 0 : (size_t)c->window;
}

/* Numbers of a query, key or value of one head; heads of keys and values. */
static inline size_t config_head_width(const model_config *c) {
    return (size_t)(c->head_width > 0 ? c->head_width : c->heads > 0 ? c->d_model / c->heads : 0);
}
static inline size_t config_key_value_heads(const model_config *c) {
    return (size_t)(c->key_value_heads > 0 ? c->key_value_heads : c->heads);
}

/* Whether a table of positions is added to the embeddings, and whether queries and keys are turned by them. */
static inline bool config_adds_positions(const model_config *c) {
    return c->positions == POSITIONS_SINUSOIDAL || c->positions == POSITIONS_LEARNED;
}
static inline bool config_rotates(const model_config *c) {
    return c->positions == POSITIONS_ROTARY && c->heads > 0;
}
static inline size_t config_rope_width(const model_config *c) {
    return c->rope_width > 0 ? (size_t)c->rope_width : config_head_width(c);
}
static inline rotation config_rotation(const model_config *c) {
    return (rotation){c->rope_theta, c->rope_factor,   c->rope_low,
                      c->rope_high,  c->rope_original, (rotation_scaling)c->rope_scaling};
}

/* Relative positions of self-attention: both where later keys are seen, too. */
static inline relative_positions config_relative(const model_config *c, bool both) {
    return (relative_positions){(size_t)c->relative_buckets, (size_t)c->relative_distance, both};
}

/* Whether a linear map follows the output, to logits or to values. */
static inline bool config_has_head(const model_config *c) {
    return c->head != HEAD_NONE || c->output_width > 0;
}

/* Whether a linear map stands before the output head. */
static inline bool config_has_transform(const model_config *c) {
    return c->head_transform || c->head_pooler != POOLER_NONE;
}

/* Rows of the output head: what the logits range over, or how many values a token gets. */
static inline int32_t config_output_vocabulary(const model_config *c) {
    return c->output_width > 0        ? c->output_width
           : c->output_vocabulary > 0 ? c->output_vocabulary
                                      : config_target_vocabulary(c);
}

#endif
