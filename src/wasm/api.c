#include "api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/activation.h"
#include "../kernel/matmul.h"
#include "../kernel/norm.h"
#include "../kernel/optimizer.h"
#include "../kernel/softmax.h"
#include "../layer/attention.h"
#include "../layer/embed.h"
#include "../layer/loss.h"
#include "../layer/position.h"
#include "../model/model.h"
#include "../model/sample.h"

_Static_assert(GF_ERROR_MEMORY == MODEL_ERROR_MEMORY && GF_ERROR_ARGUMENT == MODEL_ERROR_ARGUMENT &&
                   GF_ERROR_TOKEN == MODEL_ERROR_TOKEN && GF_ERROR_STATE == MODEL_ERROR_STATE &&
                   GF_ERROR_NUMBER == TRAINER_ERROR_NUMBER,
               "api.c hands the model's results on as they are");

int32_t gf_version(void) { return 1000; } /* 0.1.0 */

void *gf_alloc(size_t bytes) {
    if (bytes > 0x7fffff00) {
        return NULL;
    }
    return aligned_alloc(64, (bytes + 64) & ~(size_t)63); /* at least one byte beyond: never 0 */
}

void gf_free(void *pointer) { free(pointer); }

int32_t gf_tile(int32_t rows) { return (int32_t)matmul_tile((size_t)rows); }

/* ---- operations on arrays ---------------------------------------------------------------- */

int32_t gf_matmul(float *y, const float *a, const float *b, size_t batch, size_t M, size_t K,
                  size_t N, int32_t trans_a, int32_t trans_b) {
    matmul_shape shape = matmul_dense(M, K, N, trans_a != 0, trans_b != 0);
    for (size_t n = 0; n < batch; n++) {
        matmul_forward(y + n * M * N, a + n * M * K, b + n * K * N, (matmul_finish){0}, shape);
    }
    return 0;
}

int32_t gf_softmax(float *y, const float *x, size_t R, size_t N) {
    softmax_forward(y, N, x, N, R, N);
    return 0;
}

int32_t gf_layer_norm(float *y, float *mean, float *variance, const float *x, const float *weight,
                      const float *bias, float epsilon, size_t R, size_t C) {
    if (C == 0 || !(epsilon >= 0)) {
        return GF_ERROR_ARGUMENT;
    }
    norm_forward(y, mean, variance, x, weight, bias, epsilon, R, C);
    return 0;
}

int32_t gf_activation(float *y, const float *x, size_t n, int32_t kind) {
    if (kind < ACTIVATION_RELU || kind > ACTIVATION_NONE) {
        return GF_ERROR_ARGUMENT;
    }
    activation_forward(y, x, n, (activation)kind);
    return 0;
}

int32_t gf_embedding(float *y, const int32_t *ids, const float *table, float scale, size_t n,
                     size_t V, size_t C) {
    if (!embed_valid(ids, n, V)) {
        return GF_ERROR_TOKEN;
    }
    embed_forward(y, ids, table, scale, n, C);
    return 0;
}

int32_t gf_positions(float *y, const int32_t *positions, size_t n, size_t C) {
    for (size_t i = 0; i < n; i++) {
        if (positions[i] < 0 || positions[i] > CONFIG_MAX_SIZE) {
            return GF_ERROR_TOKEN;
        }
    }
    position_forward(y, positions, n, C);
    return 0;
}

int32_t gf_attention(float *output, float *scores, float *weights, const float *query,
                     const float *key, const float *value, const uint8_t *key_padding,
                     const float *mask, float scale, int32_t causal, size_t B, size_t T, size_t S,
                     size_t H, size_t D) {
    attention_shape shape = {.B = B,
                             .T = T,
                             .S = S,
                             .H = H,
                             .D = D,
                             .query_room = T,
                             .key_room = S,
                             .scale = scale,
                             .causal = causal != 0};
    attention_maps maps = {.scaled = scores, .weights = weights};
    attention_masks masks = {key_padding, mask};
    attention_forward(output, maps, NULL, query, key, value, masks, shape);
    return 0;
}

/* 0, or what is wrong with the arguments that both directions share. */
static int32_t cross_entropy_error(const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                                   float smoothing, int32_t reduction) {
    if (!loss_targets_valid(targets, R, V, ignore_index)) {
        return GF_ERROR_TOKEN;
    }
    bool fits = V > 0 && smoothing >= 0 && smoothing <= 1 && (reduction == 0 || reduction == 1);
    return fits ? 0 : GF_ERROR_ARGUMENT;
}

int32_t gf_cross_entropy(float *loss, float *log_probability, const float *logits,
                         const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                         float smoothing, int32_t reduction) {
    int32_t error = cross_entropy_error(targets, R, V, ignore_index, smoothing, reduction);
    if (error) {
        return error;
    }
    return (int32_t)loss_cross_entropy(loss, log_probability, logits, targets, R, V, ignore_index,
                                       smoothing, reduction == 0);
}

int32_t gf_sample(const float *logits, size_t V, float temperature, size_t top_k, uint32_t *state,
                  float *scratch) {
    if (V == 0 || !(temperature >= 0 && temperature < INFINITY) || top_k > V) {
        return GF_ERROR_ARGUMENT;
    }
    rng r;
    memcpy(&r, state, sizeof r);
    int32_t token = sample_token(logits, V, temperature, top_k, &r, scratch);
    memcpy(state, &r, sizeof r);
    return token < 0 ? GF_ERROR_ARGUMENT : token;
}

void gf_seed(uint32_t *state, uint32_t seed) {
    rng r = rng_seed(seed, 0);
    memcpy(state, &r, sizeof r);
}

/* ---- models ------------------------------------------------------------------------------ */

/* A model with the blocks it stands on, in a list of all that live. Its handle is a number that is
 * not given out again, and is looked up: a dead or invented one is never followed. */
typedef struct owner {
    int32_t handle;
    model model;
    struct owner *next;
    void *weights, *block;
    size_t block_bytes;
    trainer trainer;
    void *training; /* gradients and moments in one block, NULL before gf_trainer_start */
} owner;

static owner *living;
static int32_t last_handle;

static owner **find(int32_t handle) {
    owner **at = &living;
    while (*at && (*at)->handle != handle) {
        at = &(*at)->next;
    }
    return *at ? at : NULL;
}

int32_t gf_config_count(void) { return CONFIG_COUNT; }

int32_t gf_config_field(config_field *out, int32_t kind, int32_t index) {
    if (index < 0 || index >= CONFIG_COUNT || kind < KIND_ENCODER || kind > KIND_FEED_FORWARD) {
        return GF_ERROR_ARGUMENT;
    }
    config_describe(out, kind, (size_t)index);
    return 0;
}

int32_t gf_model_create(const config *config) {
    int invalid = config_invalid(config);
    if (invalid >= 0) {
        return GF_ERROR_CONFIG - invalid;
    }
    size_t bytes = last_handle < INT32_MAX ? model_weight_bytes(config) : 0;
    owner *o = bytes ? calloc(1, sizeof *o) : NULL;
    void *weights = o ? gf_alloc(bytes) : NULL;
    if (!weights) {
        free(o);
        return GF_ERROR_MEMORY;
    }
    memset(weights, 0, bytes);
    model_start(&o->model, config, weights);
    o->weights = weights;
    o->handle = ++last_handle;
    o->next = living;
    living = o;
    return o->handle;
}

int32_t gf_model_destroy(int32_t handle) {
    owner **at = find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    owner *o = *at;
    *at = o->next;
    gf_free(o->weights);
    gf_free(o->block);
    gf_free(o->training);
    free(o);
    return 0;
}

int32_t gf_model_initialize(int32_t handle, uint32_t seed) {
    owner **at = find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    model_initialize(&(*at)->model, seed);
    return 0;
}

/* A block of at least bytes: the present one when it is large enough and not wastefully so. */
static void *fitting_block(const owner *o, size_t bytes) {
    bool fits = o->block && o->block_bytes >= bytes && o->block_bytes / 4 <= bytes;
    return fits ? o->block : gf_alloc(bytes);
}

int32_t gf_model_prepare(int32_t handle, size_t B, size_t S, size_t T, size_t capacity,
                         int32_t flags) {
    owner **at = find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    owner *o = *at;
    if ((flags & GF_CACHE ? capacity == 0 : capacity != 0) || flags < 0 ||
        flags >= 2 * GF_TRAIN_VECTORS) {
        return GF_ERROR_ARGUMENT;
    }
    request ask = {.B = B,
                   .S = S,
                   .T = T,
                   .capacity = capacity,
                   .capture = flags & GF_CAPTURE,
                   .types = flags & GF_TYPES,
                   .encoder_padding = flags & GF_ENCODER_PADDING,
                   .decoder_padding = flags & GF_DECODER_PADDING,
                   .memory_padding = flags & GF_MEMORY_PADDING,
                   .mask = flags & GF_MASK,
                   .train = flags & GF_TRAIN,
                   .vector_targets = flags & GF_TRAIN_VECTORS};
    if (ask.train && !o->training) {
        return GF_ERROR_STATE;
    }
    int32_t bytes = model_layout_bytes(&o->model, ask);
    if (bytes < 0) {
        return bytes;
    }
    void *block = fitting_block(o, (size_t)bytes);
    if (!block) {
        return GF_ERROR_MEMORY;
    }
    if (block != o->block) {
        gf_free(o->block);
        o->block = block;
        o->block_bytes = (size_t)bytes;
    }
    memset(block, 0, (size_t)bytes); /* nothing of an earlier pass can be taken for a result */
    model_layout(&o->model, ask, block);
    return bytes;
}

int32_t gf_model_forward(int32_t handle) {
    owner **at = find(handle);
    return at ? model_forward(&(*at)->model) : GF_ERROR_HANDLE;
}

int32_t gf_model_forward_patched(int32_t handle, const patch *patches, size_t count,
                                 float temperature) {
    owner **at = find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    owner *o = *at;
    if (!o->model.ready || (count > 0 && !o->model.dims.capture)) {
        return GF_ERROR_STATE;
    }
    const float *first = o->block, *end = first + o->block_bytes / sizeof *first;
    bool fits = temperature > 0 && temperature < INFINITY;
    for (size_t i = 0; i < count; i++) {
        const float *place = patches[i].at;
        fits = fits && place >= first && place < end && (uintptr_t)place % sizeof *place == 0;
    }
    if (!fits) {
        return GF_ERROR_ARGUMENT;
    }
    o->model.patches.list = patches;
    o->model.patches.count = count;
    o->model.temperature = temperature;
    int32_t result = model_forward(&o->model);
    o->model.patches.count = 0;
    o->model.temperature = 1;
    return result;
}

int32_t gf_model_step(int32_t handle, size_t past, size_t T) {
    owner **at = find(handle);
    return at ? model_step(&(*at)->model, past, T) : GF_ERROR_HANDLE;
}

int32_t gf_model_tensor_count(int32_t handle) {
    owner **at = find(handle);
    return at ? (int32_t)tensors_count(&(*at)->model.tensors, &(*at)->model.dims) : GF_ERROR_HANDLE;
}

int32_t gf_model_tensor(tensor_info *out, int32_t handle, int32_t index) {
    int32_t count = gf_model_tensor_count(handle);
    if (count < 0) {
        return count;
    }
    if (index < 0 || index >= count) {
        return GF_ERROR_ARGUMENT;
    }
    owner *o = *find(handle);
    tensors_get(out, &o->model.tensors, &o->model.dims, (size_t)index);
    return 0;
}

int32_t gf_model_find(int32_t handle, const char *name) {
    owner **at = find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    int index = tensors_find(&(*at)->model.tensors, &(*at)->model.dims, name);
    return index < 0 ? GF_ERROR_ARGUMENT : index;
}

/* ---- training ---------------------------------------------------------------------------- */

int32_t gf_trainer_count(void) { return TRAINER_COUNT; }

int32_t gf_trainer_field(config_field *out, int32_t index) {
    if (index < 0 || index >= TRAINER_COUNT) {
        return GF_ERROR_ARGUMENT;
    }
    settings_describe(out, (size_t)index);
    return 0;
}

int32_t gf_trainer_start(int32_t handle, const settings *settings) {
    owner **at = find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    int invalid = settings_invalid(settings);
    if (invalid >= 0) {
        return GF_ERROR_CONFIG - invalid;
    }
    owner *o = *at;
    if (!o->training) {
        size_t bytes = model_weight_bytes(&o->model.config);
        float *block = bytes < 0x7fffffff / 3 ? gf_alloc(3 * bytes) : NULL;
        if (!block) {
            return GF_ERROR_MEMORY;
        }
        memset(block, 0, 3 * bytes);
        size_t count = bytes / sizeof *block;
        o->training = block;
        o->model.gradients = block;
        o->trainer =
            (trainer){.moment1 = block + count, .moment2 = block + 2 * count, .count = count};
    }
    o->trainer.settings = *settings;
    return 0;
}

/* The owner of a model with a trainer, or NULL and why. */
static owner *trained(int32_t handle, int32_t *error) {
    owner **at = find(handle);
    *error = !at ? GF_ERROR_HANDLE : !(*at)->training ? GF_ERROR_STATE : 0;
    return *error ? NULL : *at;
}

int32_t gf_trainer_step(report *out, int32_t handle) {
    int32_t error;
    owner *o = trained(handle, &error);
    return o ? trainer_step(&o->trainer, &o->model, out) : error;
}

int32_t gf_trainer_learn(report *out, int32_t handle) {
    int32_t error;
    owner *o = trained(handle, &error);
    return o ? trainer_learn(&o->trainer, &o->model, out) : error;
}

int32_t gf_trainer_loss(report *out, int32_t handle) {
    int32_t error;
    owner *o = trained(handle, &error);
    return o ? trainer_loss(&o->trainer, &o->model, out) : error;
}

int32_t gf_trainer_block(int32_t handle, int32_t which) {
    int32_t error;
    owner *o = trained(handle, &error);
    if (!o || which < 0 || which > 3) {
        return o ? GF_ERROR_ARGUMENT : error;
    }
    void *blocks[] = {o->weights, o->model.gradients, o->trainer.moment1, o->trainer.moment2};
    return (int32_t)(intptr_t)blocks[which];
}

int32_t gf_trainer_size(int32_t handle) {
    int32_t error;
    owner *o = trained(handle, &error);
    return o ? (int32_t)o->trainer.count : error;
}

int32_t gf_trainer_steps(int32_t handle) {
    int32_t error;
    owner *o = trained(handle, &error);
    return o ? (int32_t)o->trainer.steps : error;
}

int32_t gf_trainer_resume(int32_t handle, int32_t steps) {
    int32_t error;
    owner *o = trained(handle, &error);
    if (!o || steps < 0) {
        return o ? GF_ERROR_ARGUMENT : error;
    }
    o->trainer.steps = (size_t)steps;
    return 0;
}

int32_t gf_optimize(float *parameters, float *moment1, float *moment2, const float *gradients,
                    size_t n, const settings *settings, int32_t t) {
    int invalid = settings_invalid(settings);
    if (invalid >= 0) {
        return GF_ERROR_CONFIG - invalid;
    }
    if (t < 1) {
        return GF_ERROR_ARGUMENT;
    }
    optimizer_rates r = settings_rates(settings, settings->learning_rate);
    optimizer_step((int)settings->optimizer, parameters, moment1, moment2, gradients, n, r,
                   (size_t)t);
    return 0;
}

int32_t gf_softmax_backward(float *dx, const float *dy, const float *y, size_t R, size_t N) {
    softmax_backward(dx, N, dy, N, y, N, 1, R, N);
    return 0;
}

int32_t gf_layer_norm_backward(float *dx, float *dweight, float *dbias, const float *dy,
                               const float *x, const float *weight, float epsilon, size_t R,
                               size_t C) {
    if (C == 0 || !(epsilon >= 0)) {
        return GF_ERROR_ARGUMENT;
    }
    memset(dweight, 0, C * sizeof *dweight);
    memset(dbias, 0, C * sizeof *dbias);
    norm_backward(dx, dweight, dbias, dy, x, weight, epsilon, R, C);
    return 0;
}

int32_t gf_activation_backward(float *dx, const float *dy, const float *x, size_t n, int32_t kind) {
    if (kind < ACTIVATION_RELU || kind > ACTIVATION_NONE) {
        return GF_ERROR_ARGUMENT;
    }
    activation_backward(dx, dy, x, n, (activation)kind);
    return 0;
}

int32_t gf_attention_backward(float *dquery, float *dkey, float *dvalue, float *scratch,
                              const float *doutput, const float *query, const float *key,
                              const float *value, const float *weights, float scale, size_t B,
                              size_t T, size_t S, size_t H, size_t D) {
    attention_shape shape = {
        .B = B, .T = T, .S = S, .H = H, .D = D, .query_room = T, .key_room = S, .scale = scale};
    attention_backward(dquery, dkey, dvalue, NULL, scratch, doutput, query, key, value, weights,
                       shape);
    return 0;
}

int32_t gf_cross_entropy_backward(float *dlogits, const float *log_probability,
                                  const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                                  float smoothing, int32_t reduction) {
    int32_t error = cross_entropy_error(targets, R, V, ignore_index, smoothing, reduction);
    if (error) {
        return error;
    }
    size_t counted = 0;
    for (size_t r = 0; r < R; r++) {
        counted += targets[r] != ignore_index;
    }
    loss_cross_entropy_backward(dlogits, log_probability, targets, R, V, ignore_index, smoothing,
                                reduction == 0 ? counted : 1);
    return 0;
}
