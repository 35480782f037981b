#include "api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../kernel/matmul.h"
#include "../model/model.h"
#include "owner.h"

_Static_assert(GF_ERROR_MEMORY == MODEL_ERROR_MEMORY && GF_ERROR_ARGUMENT == MODEL_ERROR_ARGUMENT &&
                   GF_ERROR_TOKEN == MODEL_ERROR_TOKEN && GF_ERROR_STATE == MODEL_ERROR_STATE &&
                   GF_ERROR_NUMBER == TRAINER_ERROR_NUMBER,
               "api.c hands the model's results on as they are");

int32_t gf_version(void) { return 2000; } /* 0.2.0 */

static size_t refused;

void *gf_alloc(size_t bytes) {
    /* rounded up past bytes, as a size of 0 may give NULL */
    void *block = bytes > 0x7fffff00 ? NULL : aligned_alloc(64, (bytes + 64) & ~(size_t)63);
    refused = block ? refused : bytes;
    return block;
}

size_t gf_refused(void) {
    size_t bytes = refused;
    refused = 0;
    return bytes;
}

void gf_free(void *pointer) { free(pointer); }

int32_t gf_tile(int32_t rows) { return (int32_t)matmul_tile((size_t)rows); }

/* ---- models ------------------------------------------------------------------------------ */

static owner *living;
static int32_t last_handle;

static owner **find(int32_t handle) {
    owner **at = &living;
    while (*at && (*at)->handle != handle) {
        at = &(*at)->next;
    }
    return *at ? at : NULL;
}

owner **owner_find(int32_t handle) {
    owner **at = find(handle);
    if (at) {
        model_end(&(*at)->model);
    }
    return at;
}

int32_t gf_config_count(void) { return CONFIG_COUNT; }

int32_t gf_config_field(config_field *out, int32_t kind, int32_t index) {
    if (index < 0 || index >= CONFIG_COUNT || kind < 0 || kind >= KIND_COUNT) {
        return GF_ERROR_ARGUMENT;
    }
    config_describe(out, kind, (size_t)index);
    return 0;
}

int32_t gf_config_tensors(tensor_info *out, const model_config *config, int32_t captured,
                          int32_t first, int32_t count) {
    int invalid = config_invalid(config);
    if (invalid >= 0 || first < 0 || count < 0) {
        return invalid >= 0 ? GF_ERROR_CONFIG - invalid : GF_ERROR_ARGUMENT;
    }
    bool encoder = config_has_encoder(config);
    request token = {
        .B = 1, .S = encoder, .T = !encoder || config_has_decoder(config), .capture = true};
    model_dims n = dims_of(config, captured ? token : (request){0});
    return (int32_t)tensors_planned(out, &n, captured, (size_t)first, (size_t)count);
}

const char *gf_name(int32_t enumeration, int32_t value) {
    return role_name((name_list)enumeration, value);
}

static int32_t create(const model_config *config, slice s) {
    int invalid = config_invalid(config);
    if (invalid >= 0) {
        return GF_ERROR_CONFIG - invalid;
    }
    size_t bytes = last_handle < INT32_MAX ? model_weight_bytes(config, s) : 0;
    owner *o = bytes ? calloc(1, sizeof *o) : NULL;
    void *weights = o ? gf_alloc(bytes) : NULL;
    if (!weights) {
        free(o);
        refused = bytes;
        return GF_ERROR_MEMORY;
    }
    memset(weights, 0, bytes);
    model_start(&o->model, config, s, weights);
    o->weights = weights;
    o->handle = ++last_handle;
    o->next = living;
    living = o;
    return o->handle;
}

int32_t gf_model_create(const model_config *config) { return create(config, (slice){0}); }

static bool slice_fits(slice s) { return s.index <= s.others && s.others < MOST_SLICES; }

int32_t gf_slice_create(const model_config *config, size_t index, size_t others, int32_t panels) {
    slice s = {index, others};
    if (index == 0 || !slice_fits(s)) {
        return GF_ERROR_ARGUMENT;
    }
    int32_t handle = create(config, s);
    if (handle > 0 && panels) {
        model_arrange(&living->model, true);
    }
    return handle;
}

int32_t gf_slice_rows(gf_rows *out, int32_t handle, size_t index, size_t others, size_t k) {
    owner **at = owner_find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    model *m = &(*at)->model;
    slice s = {index, others};
    if (!slice_fits(s) || m->dims.slice.others > 0) {
        return GF_ERROR_ARGUMENT;
    }
    return (int32_t)tensors_slice(out->spans, &out->tensor, &m->tensors, &m->dims, s, k);
}

int32_t gf_slice_begin(int32_t handle, size_t others, size_t past, size_t T) {
    owner **at = owner_find(handle);
    bool fits = slice_fits((slice){1, others});
    return !at    ? GF_ERROR_HANDLE
           : fits ? model_begin(&(*at)->model, others, past, T)
                  : GF_ERROR_ARGUMENT;
}

int32_t gf_slice_next(exchange *out, int32_t handle) {
    owner **at = find(handle);
    return at ? model_next(&(*at)->model, out) : GF_ERROR_HANDLE;
}

int32_t gf_model_destroy(int32_t handle) {
    owner **at = owner_find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    owner *o = *at;
    *at = o->next;
    gf_free(o->weights);
    gf_free(o->block);
    gf_free(o->training);
    gf_free(o->data);
    gf_free(o->model.gradients);
    free(o->spans);
    free(o);
    return 0;
}

int32_t gf_model_initialize(int32_t handle, uint32_t seed) {
    owner **at = owner_find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    model_arrange(&(*at)->model, false);
    model_initialize(&(*at)->model, seed);
    return 0;
}

int32_t gf_model_arrange(int32_t handle, int32_t panels) {
    owner **at = owner_find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    return model_arrange(&(*at)->model, panels != 0) ? 0 : GF_ERROR_STATE;
}

/* A block of at least bytes: the present one where it is large enough and at most four times
 * larger. */
static void *fitting_block(const owner *o, size_t bytes) {
    bool fits = o->block && o->block_bytes >= bytes && o->block_bytes / 4 <= bytes;
    return fits ? o->block : gf_alloc(bytes);
}

/* Gradients of all weights, zeroed when they are made; false when there is no memory. */
static bool allocate_gradients(owner *o) {
    size_t bytes = o->model.weight_bytes;
    if (!o->model.gradients && (o->model.gradients = gf_alloc(bytes))) {
        memset(o->model.gradients, 0, bytes);
    }
    return o->model.gradients;
}

int32_t gf_model_omit(int32_t handle, uint32_t low, uint32_t high) {
    owner **at = owner_find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    (*at)->omit = (uint64_t)high << 32 | low;
    return 0;
}

/* The request that the arguments of gf_model_prepare are; with B = 0 where they are none. */
static request request_of(const owner *o, size_t B, size_t S, size_t T, size_t capacity,
                          int32_t flags) {
    bool fits = (flags & GF_CACHE ? capacity != 0 : capacity == 0) && flags >= 0 &&
                flags < 2 * GF_LOSS_MASK;
    request ask = {.B = fits ? B : 0,
                   .S = S,
                   .T = T,
                   .capacity = capacity,
                   .capture = flags & GF_CAPTURE,
                   .omit = flags & GF_CAPTURE ? o->omit : 0,
                   .types = flags & GF_TYPES,
                   .encoder_padding = flags & GF_ENCODER_PADDING,
                   .decoder_padding = flags & GF_DECODER_PADDING,
                   .memory_padding = flags & GF_MEMORY_PADDING,
                   .mask = flags & GF_MASK,
                   .train = flags & GF_TRAIN,
                   .vector_targets = flags & GF_TRAIN_VECTORS,
                   .one_row = flags & GF_ONE_ROW,
                   .loss_mask = flags & GF_LOSS_MASK,
                   .slice = o->model.dims.ask.slice};
    ask.reserved = model_reserved(&o->model, ask);
    return ask;
}

int32_t gf_model_bytes(int32_t handle, size_t B, size_t S, size_t T, size_t capacity,
                       int32_t flags) {
    owner **at = owner_find(handle);
    return at ? model_layout_bytes(&(*at)->model, request_of(*at, B, S, T, capacity, flags))
              : GF_ERROR_HANDLE;
}

int32_t gf_model_prepare(int32_t handle, size_t B, size_t S, size_t T, size_t capacity,
                         int32_t flags) {
    owner **at = owner_find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    owner *o = *at;
    request ask = request_of(o, B, S, T, capacity, flags);
    int32_t bytes = model_layout_bytes(&o->model, ask);
    if (bytes < 0) {
        return bytes;
    }
    void *block = fitting_block(o, (size_t)bytes);
    if (!block || (ask.train && !allocate_gradients(o))) {
        if (block != o->block) {
            gf_free(block);
        }
        return GF_ERROR_MEMORY;
    }
    if (block != o->block) {
        gf_free(o->block);
        o->block = block;
        o->block_bytes = (size_t)bytes;
    }
    memset(block, 0,
           (size_t)bytes); /* so that numbers of an earlier pass cannot be mistaken for results */
    model_layout(&o->model, ask, block);
    return bytes;
}

int32_t gf_model_resize(int32_t handle, size_t T, size_t capacity) {
    owner **at = owner_find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    owner *o = *at;
    request ask = o->model.dims.ask;
    if (ask.reserved == 0) {
        return GF_ERROR_STATE;
    }
    ask.T = T;
    if (capacity > 0) {
        ask.capacity = capacity;
        ask.capture = ask.one_row = false;
        ask.reserved = 0;
    } else if (T > ask.reserved) {
        ask.reserved = model_reserved(&o->model, ask);
    }
    int32_t bytes = model_layout_bytes(&o->model, ask);
    if (bytes < 0) {
        return bytes;
    }
    void *former = o->block, *block = former;
    if (ask.reserved != o->model.dims.ask.reserved) { /* it moves */
        block = gf_alloc((size_t)bytes);
        if (!block) {
            return GF_ERROR_MEMORY;
        }
        memset(block, 0, (size_t)bytes);
        o->block = block;
        o->block_bytes = (size_t)bytes;
    }
    model_resize(&o->model, ask, block, former);
    if (block != former) {
        gf_free(former);
    }
    return bytes;
}

int32_t gf_model_resume(int32_t handle, size_t past) {
    owner **at = owner_find(handle);
    return at ? model_resume(&(*at)->model, past) : GF_ERROR_HANDLE;
}

double gf_model_operations(int32_t handle, double B, double S, double T) {
    owner **at = owner_find(handle);
    return at ? dims_operations(&(*at)->model.config, B, S, T) : -1;
}

int32_t gf_model_forward(int32_t handle) {
    owner **at = owner_find(handle);
    return at ? model_forward(&(*at)->model) : GF_ERROR_HANDLE;
}

int32_t gf_model_step(int32_t handle, size_t past, size_t T) {
    owner **at = owner_find(handle);
    return at ? model_step(&(*at)->model, past, T) : GF_ERROR_HANDLE;
}

int32_t gf_model_copy(int32_t handle, size_t from, size_t to) {
    owner **at = owner_find(handle);
    return at ? model_copy(&(*at)->model, from, to) : GF_ERROR_HANDLE;
}

int32_t gf_model_tensor_count(int32_t handle) {
    owner **at = owner_find(handle);
    return at ? (int32_t)tensors_count(&(*at)->model.tensors, &(*at)->model.dims) : GF_ERROR_HANDLE;
}

int32_t gf_model_tensors(tensor_info *out, int32_t handle, int32_t first, int32_t count) {
    owner **at = owner_find(handle);
    if (!at || first < 0 || count < 0) {
        return at ? GF_ERROR_ARGUMENT : GF_ERROR_HANDLE;
    }
    model *m = &(*at)->model;
    return (int32_t)tensors_list(out, &m->tensors, &m->dims, (size_t)first, (size_t)count);
}

int32_t gf_model_find(int32_t handle, const char *name) {
    owner **at = owner_find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    int index = tensors_find(&(*at)->model.tensors, &(*at)->model.dims, name);
    return index < 0 ? GF_ERROR_ARGUMENT : index;
}

int32_t gf_model_node_count(int32_t handle) {
    owner **at = owner_find(handle);
    return at ? (int32_t)graph_count(&(*at)->model) : GF_ERROR_HANDLE;
}

int32_t gf_model_node(graph_node *out, int32_t handle, int32_t index) {
    int32_t count = gf_model_node_count(handle);
    if (count < 0) {
        return count;
    }
    if (index < 0 || index >= count) {
        return GF_ERROR_ARGUMENT;
    }
    graph_get(out, &(*owner_find(handle))->model, (size_t)index);
    return 0;
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

/* Whether the spans are ascending, apart, and inside of that many floats. */
static bool in_order(const trainer_span *spans, int32_t count, size_t floats) {
    int32_t end = 0;
    for (int32_t i = 0; i < count; i++) {
        if (spans[i].begin < end || spans[i].end < spans[i].begin) {
            return false;
        }
        end = spans[i].end;
    }
    return count >= 0 && (size_t)end <= floats;
}

int32_t gf_trainer_start(int32_t handle, const trainer_settings *settings,
                         const trainer_span *spans, int32_t count) {
    owner **at = owner_find(handle);
    if (!at) {
        return GF_ERROR_HANDLE;
    }
    int invalid = settings_invalid(settings);
    if (invalid >= 0) {
        return GF_ERROR_CONFIG - invalid;
    }
    owner *o = *at;
    if (o->model.config.weights != WEIGHT_F32) {
        return GF_ERROR_STATE;
    }
    size_t bytes = o->model.weight_bytes, floats = bytes / sizeof(float);
    if (spans && !in_order(spans, count, floats)) {
        return GF_ERROR_ARGUMENT;
    }
    size_t length = spans ? (size_t)count * sizeof *spans : 0;
    trainer_span *own =
        spans ? malloc(length + 1) : NULL; /* 0 bytes may be NULL, which means all */
    float *block = o->training;
    if (!block && bytes < 0x7fffffff / 2) {
        block = gf_alloc(2 * bytes);
    }
    if (!block || (spans && !own) || !allocate_gradients(o)) {
        if (block != o->training) {
            gf_free(block);
        }
        free(own);
        return GF_ERROR_MEMORY;
    }
    if (!o->training) {
        memset(block, 0, 2 * bytes);
        o->training = block;
        o->trainer = (trainer){.moment1 = block, .moment2 = block + floats, .count = floats};
    }
    if (own) {
        memcpy(own, spans, length);
    }
    free(o->spans);
    o->spans = own;
    o->trainer.spans = own;
    o->trainer.span_count = (size_t)count;
    o->trainer.settings = *settings;
    gf_free(o->data);
    o->data = NULL;
    o->trainer.rows = 0;
    trainer_resume(&o->trainer, o->trainer.steps); /* other weights may train */
    return 0;
}

/* The owner of a model with a trainer, or NULL and the error. */
static owner *trained(int32_t handle, int32_t *error) {
    owner **at = owner_find(handle);
    *error = !at ? GF_ERROR_HANDLE : !(*at)->training ? GF_ERROR_STATE : 0;
    return *error ? NULL : *at;
}

int32_t gf_trainer_step(step_report *out, int32_t handle) {
    int32_t error;
    owner *o = trained(handle, &error);
    return o ? trainer_step(&o->trainer, &o->model, out) : error;
}

int32_t gf_trainer_shard(step_report *out, int32_t handle, size_t first, size_t count) {
    int32_t error;
    owner *o = trained(handle, &error);
    return o ? trainer_shard(&o->trainer, &o->model, out, first, count) : error;
}

int32_t gf_trainer_apply(step_report *out, int32_t handle) {
    int32_t error;
    owner *o = trained(handle, &error);
    return o ? trainer_apply(&o->trainer, &o->model, out) : error;
}

intptr_t gf_trainer_data(int32_t handle, size_t rows, int32_t labelled) {
    int32_t error;
    owner *o = trained(handle, &error);
    if (!o || o->model.config.kind != KIND_FEED_FORWARD) {
        return o ? GF_ERROR_ARGUMENT : error;
    }
    size_t width = (size_t)o->model.config.d_model, sets = labelled ? 2 : 1;
    size_t most = (size_t)0x7fffff00 / sizeof(float) / width / sets;
    float *data = rows > 0 && rows <= most ? gf_alloc(rows * width * sets * sizeof(float)) : NULL;
    if (rows > 0 && !data) {
        refused = rows > most ? SIZE_MAX : refused;
        return GF_ERROR_MEMORY;
    }
    gf_free(o->data);
    o->data = data;
    o->trainer.data = data;
    o->trainer.labels = labelled && data ? data + rows * width : data;
    o->trainer.rows = rows;
    return (intptr_t)data;
}

int32_t gf_trainer_draw(int32_t handle) {
    int32_t error;
    owner *o = trained(handle, &error);
    return o ? trainer_draw(&o->trainer, &o->model) : error;
}

intptr_t gf_trainer_block(int32_t handle, int32_t which) {
    int32_t error;
    owner *o = trained(handle, &error);
    if (!o || which < 0 || which > 3) {
        return o ? GF_ERROR_ARGUMENT : error;
    }
    void *blocks[] = {o->weights, o->model.gradients, o->trainer.moment1, o->trainer.moment2};
    return (intptr_t)blocks[which];
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
    trainer_resume(&o->trainer, (size_t)steps);
    return 0;
}
