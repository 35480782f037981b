/* models.h: what tests of the ABI need of a model behind its handle. */
#ifndef GLASSFORMER_TESTS_WASM_MODELS_H
#define GLASSFORMER_TESTS_WASM_MODELS_H

#include "../../src/wasm/api.h"
#include "../model/fixture.h"
#include "heap.h"

/* FNV-1a, by words where there are whole ones. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n) {
    const char *at = bytes;
    for (; n >= 8; n -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0x100000001b3;
        hash ^= hash >> 29;
    }
    for (; n > 0; n--, at++) {
        hash = (hash ^ (uint8_t)*at) * 0x100000001b3;
    }
    return hash;
}

static inline uint64_t hash_number(uint64_t hash, int32_t number) {
    return hash_bytes(hash, &number, sizeof number);
}

/* A refused step must not change these: weights, moments, steps taken. */
static inline uint64_t state_of(int32_t model) {
    uint64_t hash = hash_number(0xcbf29ce484222325, gf_trainer_steps(model));
    for (int which = 0; gf_trainer_size(model) >= 0 && which < 4; which++) {
        const void *block = (const void *)gf_trainer_block(model, which);
        hash = which == 1 ? hash : hash_bytes(hash, block, 4 * (size_t)gf_trainer_size(model));
    }
    return hash;
}

/* All that can be read of a model: tensors with their numbers, nodes, the state of its trainer. 0 without a model. */
static inline uint64_t digest_of(int32_t model) {
    int32_t count = gf_model_tensor_count(model), nodes = gf_model_node_count(model);
    if (count < 0) {
        return 0;
    }
    uint64_t hash = hash_number(state_of(model), count);
    tensor_info *list = hold((size_t)count * sizeof *list + 1);
    CHECK(gf_model_tensors(list, model, 0, count) == count, "%d tensors", count);
    for (int32_t i = 0; i < count; i++) {
        const tensor_info *t = list + i;
        hash =
            hash_bytes(hash, &t->type, offsetof(tensor_info, name) - offsetof(tensor_info, type));
        hash = hash_bytes(hash, t->name, strlen(t->name));
        hash = hash_bytes(hash, t->data,
                          elements_of(t) * (t->type == TENSOR_BYTE                            ? 1
                                            : t->type == TENSOR_INT8                          ? 1
                                            : t->type == TENSOR_BF16 || t->type == TENSOR_F16 ? 2
                                                                                              : 4));
    }
    for (int32_t i = 0; i < nodes; i++) {
        graph_node node;
        CHECK(gf_model_node(&node, model, i) == 0, "node %d of %d", i, nodes);
        hash = hash_bytes(hash, &node, sizeof node);
    }
    if (gf_trainer_size(model) >= 0) {
        const void *gradients = (const void *)gf_trainer_block(model, 1);
        hash = hash_bytes(hash, gradients, 4 * (size_t)gf_trainer_size(model));
    }
    release_to(check_held_count - 1);
    return hash;
}

static inline trainer_settings default_settings(void) {
    trainer_settings s;
    for (int32_t i = 0; i < gf_trainer_count(); i++) {
        config_field f;
        CHECK(gf_trainer_field(&f, i) == 0, "setting %d", i);
        memcpy((char *)&s + (size_t)i * sizeof(double), &f.fallback, sizeof(double));
    }
    return s;
}

/* The flags that ask for a request. */
static inline int32_t flags_of(request ask) {
    return (ask.capture ? GF_CAPTURE : 0) | (ask.capacity ? GF_CACHE : 0) |
           (ask.types ? GF_TYPES : 0) | (ask.encoder_padding ? GF_ENCODER_PADDING : 0) |
           (ask.decoder_padding ? GF_DECODER_PADDING : 0) |
           (ask.memory_padding ? GF_MEMORY_PADDING : 0) | (ask.mask ? GF_MASK : 0) |
           (ask.train ? GF_TRAIN : 0) | (ask.vector_targets ? GF_TRAIN_VECTORS : 0) |
           (ask.one_row ? GF_ONE_ROW : 0);
}

/* Good values for every input that can be written. */
static inline void write_inputs(int32_t model, const model_config *c) {
    tensor_info t;
    for (int32_t i = 0; gf_model_tensors(&t, model, i, 1) == 1; i++) {
        if (is_input(&t)) {
            fill_input(c, &t);
        }
    }
}

#endif
