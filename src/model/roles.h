/* roles.h: the words in which tensors and nodes of the model graph are described: each an
 * enumeration whose rows carry the name that the ABI hands out (gf_name), so that no host types
 * them again. */
#ifndef GLASSFORMER_MODEL_ROLES_H
#define GLASSFORMER_MODEL_ROLES_H

#include <stdbool.h>
#include <stdint.h>

/* X(enumerator, "name") */
#define STACKS(X) X(STACK_ENCODER, "encoder") X(STACK_DECODER, "decoder")

/* Where an attention takes its keys and values from: its own queries' input, or a memory. */
#define ATTENTION_KINDS(X) X(ATTENTION_SELF, "self") X(ATTENTION_CROSS, "cross")

#define NODE_KINDS(X)                                                                              \
    X(NODE_TOKENS, "tokens")                                                                       \
    X(NODE_EMBEDDING, "embedding")                                                                 \
    X(NODE_POSITIONS, "positions")                                                                 \
    X(NODE_ATTENTION, "attention")                                                                 \
    X(NODE_ADD, "add")                                                                             \
    X(NODE_NORM, "norm")                                                                           \
    X(NODE_FFN, "ffn")                                                                             \
    X(NODE_TRANSFORM, "transform")                                                                 \
    X(NODE_LOGITS, "logits")                                                                       \
    X(NODE_PROBABILITIES, "probabilities")                                                         \
    X(NODE_VALUES, "values")

#define DTYPES(X)                                                                                  \
    X(TENSOR_FLOAT, "float32")                                                                     \
    X(TENSOR_INT, "int32")                                                                         \
    X(TENSOR_BYTE, "uint8")                                                                        \
    X(TENSOR_BF16, "bfloat16")                                                                     \
    X(TENSOR_F16, "float16")                                                                       \
    X(TENSOR_INT8, "int8")                                                                         \
    X(TENSOR_PANELS, "panels")

/* Where a tensor lives and when it exists, see tensors.def; to the outside some are alike. */
#define REGIONS(X)                                                                                 \
    X(WEIGHT, "weight")                                                                            \
    X(INPUT, "input")                                                                              \
    X(RESULT, "result")                                                                            \
    X(LAYER, "intermediate")                                                                       \
    X(CACHE, "intermediate")                                                                       \
    X(KEYS, "intermediate")                                                                        \
    X(SAVED, "intermediate")                                                                       \
    X(CAPTURE, "intermediate")                                                                     \
    X(GIVEN, "input")                                                                              \
    X(TABLE, "result")                                                                             \
    X(SCRATCH, "")                                                                                 \
    X(TRAINING, "")

/* The ways to draw fresh weights, for a matrix (out,in):
 *   ZEROS, ONES     constants
 *   NORMAL          of deviation 1 / sqrt(in)
 *   XAVIER          uniform in +-sqrt(6 / (in + out)), Glorot and Bengio 2010, equation 16
 *   XAVIER_STACKED  the same with out = in, for matrices below each other
 *   NOT_DRAWN       no weight */
typedef enum init_rule { NOT_DRAWN, ZEROS, ONES, NORMAL, XAVIER, XAVIER_STACKED } init_rule;

enum { NOT_PATCHABLE, PATCHABLE };

/* ROLES: what a tensor is to the node of the model graph that it belongs to. Names repeat from node
 * to node (each has its "out"); node and name together are unique.
 *
 *   X(enumerator, "name", node, initialization, patchable)
 *     node       the kind of node that computes or owns it; NO_NODE for what stands between nodes
 *     patchable  a number put in the place of a computed one has an effect; not so for statistics,
 *                which nothing depends on, nor for what is not computed in the pass */
#define ROLES(X)                                                                                   \
    X(IDS, "ids", NODE_TOKENS, NOT_DRAWN, NOT_PATCHABLE)                                           \
    X(TYPE_IDS, "types", NODE_TOKENS, NOT_DRAWN, NOT_PATCHABLE)                                    \
    X(VECTORS, "vectors", NODE_TOKENS, NOT_DRAWN, NOT_PATCHABLE)                                   \
    X(MEMORY, "memory", NODE_TOKENS, NOT_DRAWN, NOT_PATCHABLE)                                     \
    X(EMBEDDING_TABLE, "table", NODE_EMBEDDING, NORMAL, NOT_PATCHABLE)                             \
    X(TYPE_TABLE, "type_table", NODE_EMBEDDING, NORMAL, NOT_PATCHABLE)                             \
    X(INPUT_WEIGHT, "weight", NODE_EMBEDDING, XAVIER, NOT_PATCHABLE)                               \
    X(INPUT_BIAS, "bias", NODE_EMBEDDING, ZEROS, NOT_PATCHABLE)                                    \
    X(EMBEDDING, "out", NODE_EMBEDDING, NOT_DRAWN, PATCHABLE)                                      \
    X(POSITION_TABLE, "table", NODE_POSITIONS, NORMAL, NOT_PATCHABLE)                              \
    X(POSITIONS, "encoding", NODE_POSITIONS, NOT_DRAWN, NOT_PATCHABLE)                             \
    X(RELATIVE_TABLE, "relative_table", NO_NODE, NORMAL, NOT_PATCHABLE)                            \
    X(RELATIVE_BEFORE, "relative_before", NO_NODE, NOT_DRAWN, NOT_PATCHABLE)                       \
    X(RELATIVE_AFTER, "relative_after", NO_NODE, NOT_DRAWN, NOT_PATCHABLE)                         \
    X(ROTATION, "rotation", NO_NODE, NOT_DRAWN, NOT_PATCHABLE)                                     \
    X(STACK_INPUT, "input", NO_NODE, NOT_DRAWN, PATCHABLE)                                         \
    X(IN_PROJ_WEIGHT, "in_proj_weight", NODE_ATTENTION, XAVIER_STACKED, NOT_PATCHABLE)             \
    X(IN_PROJ_BIAS, "in_proj_bias", NODE_ATTENTION, ZEROS, NOT_PATCHABLE)                          \
    X(QUERY_NORM_WEIGHT, "q_norm_weight", NODE_ATTENTION, ONES, NOT_PATCHABLE)                     \
    X(KEY_NORM_WEIGHT, "k_norm_weight", NODE_ATTENTION, ONES, NOT_PATCHABLE)                       \
    X(OUT_PROJ_WEIGHT, "out_proj_weight", NODE_ATTENTION, XAVIER, NOT_PATCHABLE)                   \
    X(OUT_PROJ_BIAS, "out_proj_bias", NODE_ATTENTION, ZEROS, NOT_PATCHABLE)                        \
    X(QUERY, "query", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                                        \
    X(QUERY_NORMED, "query_normed", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                          \
    X(QUERY_ROTATED, "query_rotated", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                        \
    X(KEY, "key", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                                            \
    X(KEY_NORMED, "key_normed", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                              \
    X(KEY_ROTATED, "key_rotated", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                            \
    X(VALUE, "value", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                                        \
    X(SCORES, "scores", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                                      \
    X(SCALED, "scaled", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                                      \
    X(MASKED, "masked", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                                      \
    X(ATTENTION_WEIGHTS, "weights", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                          \
    X(CONCAT, "concat", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                                      \
    X(HEAD_OUTPUTS, "head_outputs", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                          \
    X(ATTENTION_OUT, "out", NODE_ATTENTION, NOT_DRAWN, PATCHABLE)                                  \
    X(PADDING, "padding", NODE_ATTENTION, NOT_DRAWN, NOT_PATCHABLE)                                \
    X(MASK, "mask", NODE_ATTENTION, NOT_DRAWN, NOT_PATCHABLE)                                      \
    X(RESIDUAL, "out", NODE_ADD, NOT_DRAWN, PATCHABLE)                                             \
    X(NORM_WEIGHT, "weight", NODE_NORM, ONES, NOT_PATCHABLE)                                       \
    X(NORM_BIAS, "bias", NODE_NORM, ZEROS, NOT_PATCHABLE)                                          \
    X(NORM_MEAN, "mean", NODE_NORM, NOT_DRAWN, NOT_PATCHABLE)                                      \
    X(NORM_VARIANCE, "variance", NODE_NORM, NOT_DRAWN, NOT_PATCHABLE)                              \
    X(NORM_MEAN_SQUARE, "mean_square", NODE_NORM, NOT_DRAWN, NOT_PATCHABLE)                        \
    X(NORM_OUT, "out", NODE_NORM, NOT_DRAWN, PATCHABLE)                                            \
    X(LINEAR1_WEIGHT, "linear1_weight", NODE_FFN, XAVIER, NOT_PATCHABLE)                           \
    X(LINEAR1_BIAS, "linear1_bias", NODE_FFN, ZEROS, NOT_PATCHABLE)                                \
    X(LINEAR3_WEIGHT, "linear3_weight", NODE_FFN, XAVIER, NOT_PATCHABLE)                           \
    X(LINEAR3_BIAS, "linear3_bias", NODE_FFN, ZEROS, NOT_PATCHABLE)                                \
    X(LINEAR2_WEIGHT, "linear2_weight", NODE_FFN, XAVIER, NOT_PATCHABLE)                           \
    X(LINEAR2_BIAS, "linear2_bias", NODE_FFN, ZEROS, NOT_PATCHABLE)                                \
    X(PRE_ACTIVATION, "pre_activation", NODE_FFN, NOT_DRAWN, PATCHABLE)                            \
    X(ACTIVATION, "activation", NODE_FFN, NOT_DRAWN, PATCHABLE)                                    \
    X(UP, "up", NODE_FFN, NOT_DRAWN, PATCHABLE)                                                    \
    X(PRODUCT, "product", NODE_FFN, NOT_DRAWN, PATCHABLE)                                          \
    X(FFN_OUT, "out", NODE_FFN, NOT_DRAWN, PATCHABLE)                                              \
    X(LAYER_OUT, "layer_out", NO_NODE, NOT_DRAWN, PATCHABLE)                                       \
    X(STACK_OUT, "stack_out", NO_NODE, NOT_DRAWN, NOT_PATCHABLE)                                   \
    X(TRANSFORM_WEIGHT, "weight", NODE_TRANSFORM, XAVIER, NOT_PATCHABLE)                           \
    X(TRANSFORM_BIAS, "bias", NODE_TRANSFORM, ZEROS, NOT_PATCHABLE)                                \
    X(TRANSFORM_PRE_ACTIVATION, "pre_activation", NODE_TRANSFORM, NOT_DRAWN, PATCHABLE)            \
    X(TRANSFORM_OUT, "out", NODE_TRANSFORM, NOT_DRAWN, PATCHABLE)                                  \
    X(HEAD_WEIGHT, "weight", NODE_LOGITS, XAVIER, NOT_PATCHABLE)                                   \
    X(HEAD_BIAS, "bias", NODE_LOGITS, ZEROS, NOT_PATCHABLE)                                        \
    X(LOGITS, "out", NODE_LOGITS, NOT_DRAWN, NOT_PATCHABLE)                                        \
    X(PROBABILITIES, "out", NODE_PROBABILITIES, NOT_DRAWN, NOT_PATCHABLE)                          \
    X(OUTPUT_WEIGHT, "weight", NODE_VALUES, XAVIER, NOT_PATCHABLE)                                 \
    X(OUTPUT_BIAS, "bias", NODE_VALUES, ZEROS, NOT_PATCHABLE)                                      \
    X(VALUES, "out", NODE_VALUES, NOT_DRAWN, NOT_PATCHABLE)                                        \
    X(OUTPUT, "output", NO_NODE, NOT_DRAWN, NOT_PATCHABLE)                                         \
    X(TARGETS, "targets", NO_NODE, NOT_DRAWN, NOT_PATCHABLE)                                       \
    X(LOSS_MASK, "loss_mask", NO_NODE, NOT_DRAWN, NOT_PATCHABLE)                                   \
    X(WORKSPACE, "", NO_NODE, NOT_DRAWN, NOT_PATCHABLE)

#define NO_NODE (-1)
#define ENUMERATOR(id, ...) id,
enum { STACKS(ENUMERATOR) STACK_COUNT, STACK_NONE = -1 };
enum { ATTENTION_KINDS(ENUMERATOR) ATTENTION_KIND_COUNT, ATTENTION_NONE = -1 };
typedef enum node_kind { NODE_KINDS(ENUMERATOR) NODE_KIND_COUNT } node_kind;
/* From TENSOR_BF16 on: of packed weights, see packed.h, in the order of weight_type. */
enum { DTYPES(ENUMERATOR) DTYPE_COUNT };
typedef enum region { REGIONS(ENUMERATOR) REGION_COUNT } region;
#undef ENUMERATOR
#define ENUMERATOR(id, ...) ROLE_##id,
typedef enum tensor_role { ROLES(ENUMERATOR) ROLE_COUNT } tensor_role;
#undef ENUMERATOR

/* role_facts: one row of ROLES. */
typedef struct role_facts {
    const char *name;
    int32_t node; /* node_kind, or NO_NODE */
    init_rule initialization;
    int32_t patchable;
} role_facts;
const role_facts *role_describe(tensor_role r);

/* role_is_matrix: whether it is a weight that products read, which the setting `weights` packs. */
bool role_is_matrix(tensor_role r);

/* The enumerations that have names. */
typedef enum name_list {
    NAMES_OF_DTYPES,
    NAMES_OF_REGIONS,
    NAMES_OF_ROLES,
    NAMES_OF_NODES,
    NAMES_OF_STACKS,
    NAMES_OF_ATTENTIONS
} name_list;

/* role_name: the name of a value of an enumeration, or NULL beyond either's end. */
const char *role_name(name_list of, int32_t value);

#endif
