/* tensors.h: the structs of tensor pointers that tensors.def declares, and the facts about one
 * tensor that the ABI hands out. */
#ifndef GLASSFORMER_MODEL_TENSORS_H
#define GLASSFORMER_MODEL_TENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "dims.h"
#include "roles.h"

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
#define STACK(...)
#define SUBLAYER(...)
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
#undef STACK
#undef SUBLAYER
#undef CHILD
#undef LAYERS

#define TENSOR_MAX_RANK 4

/* graph_place: where in the model graph a tensor or a node stands. */
typedef struct graph_place {
    int32_t stack;     /* one of STACKS, or STACK_NONE */
    int32_t layer;     /* from 0, -1 outside of the layers */
    int32_t sublayer;  /* from 1, 0 outside of the sublayers */
    int32_t attention; /* of the sublayer: one of ATTENTION_KINDS, or ATTENTION_NONE */
} graph_place;

/* tensor_info: one tensor as the ABI hands it out. Strides count elements. */
typedef struct tensor_info {
    void *data;
    int32_t type;   /* one of DTYPES */
    int32_t region; /* enum region */
    int32_t rank;
    int32_t shape[TENSOR_MAX_RANK];
    int32_t strides[TENSOR_MAX_RANK];
    int32_t role; /* enum tensor_role */
    int32_t node; /* node_kind that computes or owns it, or NO_NODE */
    graph_place place;
    int32_t patchable; /* 1: a number put in its place has an effect on what comes after */
    int32_t gradient;  /* 1: the gradient of the tensor that the rest of the row describes */
    char name[64];     /* ends in a 0 byte */
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

/* tensors_shift: what has a row for each target token begins so many rows further on, or back.
 * tensors_move: the rows and columns that two layouts have in common, which may be the same block; both with the
 *   same capture or both without, which keeps what can be read and, so that rows may follow, keys and values.
 * tensors_former: the tensors of another layout of the same weights, until the next call of this or tensors_planned. */
void tensors_shift(tensor_set *set, const model_dims *n, ptrdiff_t rows);
void tensors_move(tensor_set *set, const model_dims *n, tensor_set *from, const model_dims *was);
tensor_set *tensors_former(const model_dims *n, void *weights, void *block);

/* tensors_count, tensors_list, tensors_get, tensors_find: the tensors that can be read, in the order
 * of tensors.def, gradients last. list writes at most count of them, from the first on, and returns
 * how many; get needs index < count; find returns the index of a name, or -1.
 * tensors_index: the index of the tensor, not a view of it, whose data stand there; -1 for NULL and
 *   for what cannot be read. */
size_t tensors_count(tensor_set *set, const model_dims *n);
size_t tensors_list(tensor_info *out, tensor_set *set, const model_dims *n, size_t first,
                    size_t count);
void tensors_get(tensor_info *out, tensor_set *set, const model_dims *n, size_t index);
int tensors_find(tensor_set *set, const model_dims *n, const char *name);
int tensors_index(tensor_set *set, const model_dims *n, const void *data);

/* tensors_slice: which rows of a whole model's weights a slice holds: of weight number k in the slice's order, its
 *   index here and at most three spans. Returns how many; 0 beyond the last weight. */
size_t tensors_slice(span out[3], size_t *index, tensor_set *set, const model_dims *n, slice s,
                     size_t k);

/* tensors_planned: as tensors_list, of a layout without train that is nowhere in memory and may be
 * beyond what tensors_size takes; data is NULL. block: with all that tensors_carve would put there,
 * not the weights alone. */
size_t tensors_planned(tensor_info *out, const model_dims *n, bool block, size_t first,
                       size_t count);

/* tensors_first_bad: name of the first tensor that holds a NaN or an infinity: weights and inputs,
 * then results of the forward pass, then gradients; "" when all are finite. Masks may hide by
 * -Infinity and are passed over. Returns whether it is a gradient. */
bool tensors_first_bad(char name[64], tensor_set *set, const model_dims *n);

#endif
