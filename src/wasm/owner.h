/* owner.h: the models that are alive, each behind its handle. */
#ifndef GLASSFORMER_WASM_OWNER_H
#define GLASSFORMER_WASM_OWNER_H

#include "../model/model.h"
#include "../train/trainer.h"

/* A model with its blocks of memory, in a list of all live ones. A handle is a number that is looked
 * up in the list and never given out again: a dead or invented one is refused, not dereferenced. */
typedef struct owner {
    int32_t handle;
    model model;
    struct owner *next;
    void *weights, *block;
    size_t block_bytes;
    uint64_t omit; /* of the next layout that captures */
    trainer trainer;
    void *training;      /* the moments, NULL before gf_trainer_start */
    float *data;         /* the trainer's data set */
    trainer_span *spans; /* the trainer's */
} owner;

/* The link that leads to a handle's owner, or NULL where it has none. A pass of its slices that is under way ends. */
owner **owner_find(int32_t handle);

#endif
