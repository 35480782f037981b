/* tensors.h: the structs of tensor pointers that tensors.def declares, and what the outside is
 * told of one tensor. */
#ifndef GLASSFORMER_MODEL_TENSORS_H
#define GLASSFORMER_MODEL_TENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "dims.h"

#define GROUP(group) typedef struct group##_tensors {
#define END(group)                                                                                 \
    }                                                                                              \
    group##_tensors;
#define TENSOR(field, ...) float *field;
#define INTS(field, ...) int32_t *field;
#define BYTES(field, ...) uint8_t *field;
#define HEADS(field, ...) float *field;
#define HEADS_VIEW(field, ...)
#define VIEW(field, ...) float *field;
#define CHILD(group, field, ...) group##_tensors field;
#define LAYERS(group, field, ...) group##_tensors field[CONFIG_MAX_LAYERS];
#include "tensors.def"
#undef GROUP
#undef END
#undef TENSOR
#undef INTS
#undef BYTES
#undef HEADS
#undef HEADS_VIEW
#undef VIEW
#undef CHILD
#undef LAYERS

enum { TENSOR_FLOAT, TENSOR_INT, TENSOR_BYTE };

typedef enum region {
    WEIGHT,
    INPUT,
    RESULT,
    LAYER,
    CACHE,
    SAVED,
    CAPTURE,
    GIVEN,
    TABLE,
    SCRATCH,
    TRAINING
} region;

#define TENSOR_MAX_RANK 4

/* tensor_info: one tensor as the ABI hands it out. Strides count elements. */
typedef struct tensor_info {
    void *data;
    int32_t type;   /* TENSOR_FLOAT, TENSOR_INT or TENSOR_BYTE */
    int32_t region; /* enum region */
    int32_t rank;
    int32_t shape[TENSOR_MAX_RANK];
    int32_t strides[TENSOR_MAX_RANK];
    char name[64]; /* ends in a 0 byte */
} tensor_info;

/* tensor_set: the tensors of a model and, where it trains, their gradients. */
typedef struct tensor_set {
    model_tensors value, gradient;
} tensor_set;

/* tensors_size: bytes of the two blocks, computed by the walk that carves them.
 * tensors_carve: points every field into the blocks, each 64-byte aligned; NULL where a tensor
 *   does not exist. gradients has the size and layout of weights, or is NULL when nothing trains;
 *   block may be NULL: then only the weights are set.
 * tensors_size returns false when a size does not fit 31 bits; nothing is then written. */
typedef struct tensors_bytes {
    size_t weights, block;
} tensors_bytes;
bool tensors_size(tensors_bytes *out, const model_dims *n);
void tensors_carve(tensor_set *set, const model_dims *n, void *weights, void *gradients,
                   void *block);

/* tensors_count, tensors_get, tensors_find: the tensors that can be read, in the order of
 * tensors.def, gradients last. get needs index < count; find returns the index of a name, or -1. */
size_t tensors_count(tensor_set *set, const model_dims *n);
void tensors_get(tensor_info *out, tensor_set *set, const model_dims *n, size_t index);
int tensors_find(tensor_set *set, const model_dims *n, const char *name);

/* tensors_first_bad: name of the first tensor that holds a NaN or an infinity: weights and inputs,
 * then results of the forward pass, then gradients; "" when all are finite. Masks may hide by
 * -Infinity and are passed over. */
void tensors_first_bad(char name[64], tensor_set *set, const model_dims *n);

#endif
