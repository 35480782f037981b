#include "tensors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "../kernel/packed.h"
#include "../op/attention.h"

/* One walk over tensors.def serves all purposes. */
typedef enum purpose { MEASURE, CARVE, SHIFT, LIST, FIND, LOCATE, CHECK } purpose;

typedef struct walk {
    purpose purpose;
    bool gradients; /* the walk over the gradients */
    bool all;       /* LIST: also what cannot be read for lack of capture */
    bool overflow;
    char *weights, *block; /* CARVE: where the blocks are; block may be NULL */
    uint64_t weight_bytes; /* the three cursors */
    uint64_t own_bytes;    /* tensors with memory of their own */
    uint64_t shared_bytes; /* memory that layers share; it begins after own_total */
    uint64_t shared_peak, own_total;
    ptrdiff_t rows;                            /* SHIFT: target rows, down or up */
    size_t index;                              /* LIST, FIND, LOCATE: how many were passed */
    size_t first, end;                         /* LIST: which are meant */
    const char *name;                          /* FIND */
    const void *data;                          /* LOCATE */
    tensor_info *out;                          /* LIST: where the next one goes */
    char *bad;                                 /* CHECK: where the name goes */
    bool bad_is_gradient;                      /* CHECK: it is that of a gradient */
    bool sources;                              /* CHECK: check weights and inputs, or all others */
    char path[sizeof((tensor_info *)0)->name]; /* LIST, FIND: the prefix so far */
    graph_place at;                            /* where in the model graph the walk is */
    bool found;
} walk;

static const graph_place OUTSIDE = {STACK_NONE, -1, 0, ATTENTION_NONE};

static const uint64_t LIMIT = 0x7fffffff;

/* Bytes of a tensor rounded up to 64, or LIMIT + 1 where they would exceed LIMIT. All sizes are
 * computed here. */
static uint64_t checked_bytes(const size_t *shape, size_t rank, size_t element) {
    uint64_t bytes = element;
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] > LIMIT || __builtin_mul_overflow(bytes, (uint64_t)shape[i], &bytes)) {
            return LIMIT + 1;
        }
    }
    return bytes > LIMIT ? LIMIT + 1 : (bytes + 63) & ~(uint64_t)63;
}

/* Advances a cursor by so many bytes; returns its old value. */
static uint64_t take(walk *w, uint64_t *cursor, uint64_t bytes) {
    uint64_t start = *cursor;
    *cursor += bytes;
    if (*cursor > LIMIT) {
        w->overflow = true;
        *cursor = start;
    }
    return start;
}

static void append(char *to, size_t capacity, const char *text) {
    size_t used = strlen(to), length = strlen(text);
    assert(used + length < capacity);
    if (used + length < capacity) {
        memcpy(to + used, text, length + 1);
    }
}

static void append_number(char *to, size_t capacity, size_t number) {
    char digits[21] = {0};
    size_t at = sizeof digits - 1;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    append(to, capacity, digits + at);
}

static bool finite(const float *x, const size_t *shape, size_t rank) {
    size_t n = 1;
    for (size_t i = 0; i < rank; i++) {
        n *= shape[i];
    }
    size_t i = 0;
    while (i < n && isfinite(x[i])) {
        i++;
    }
    return i == n;
}

/* Checks a tensor in a CHECK walk. */
static void check(walk *w, const void *data, const char *name, int32_t type, region where,
                  const size_t *shape, size_t rank) {
    bool source = (where == WEIGHT || where == INPUT) && !w->gradients;
    bool checked =
        source == w->sources && where < CAPTURE && type == TENSOR_FLOAT && data && !w->found;
    if (checked && !finite(data, shape, rank)) {
        append(w->path, sizeof w->path, name);
        memcpy(w->bad, w->path, sizeof w->path);
        w->bad_is_gradient = w->gradients;
        w->found = true;
    }
}

static bool lists(const walk *w) {
    return w->purpose == LIST || w->purpose == FIND || w->purpose == LOCATE;
}

/* Reports a tensor to a walk that lists. strides NULL: dense. */
static void report(walk *w, bool captured, void *data, const char *name, tensor_role what,
                   int32_t type, region where, const size_t *shape, const size_t *strides,
                   size_t rank) {
    bool always =
        where == WEIGHT || where == INPUT || where == RESULT || where == GIVEN || where == TABLE;
    bool readable = where != SCRATCH && where != TRAINING && (always || w->all || captured);
    if (!lists(w) || !data || !readable || w->found) {
        return;
    }
    char full[sizeof w->path];
    memcpy(full, w->path, sizeof full);
    append(full, sizeof full, name);
    if (w->purpose != LIST) {
        w->found = w->purpose == FIND ? strcmp(full, w->name) == 0 : data == w->data;
        w->index += !w->found;
        return;
    }
    bool meant = w->index >= w->first && w->index < w->end;
    w->index++;
    w->found = w->index == w->end;
    if (!meant) {
        return;
    }
    const role_facts *facts = role_describe(what);
    tensor_info *out = w->out++;
    *out = (tensor_info){.data = data,
                         .type = type,
                         .region = where,
                         .rank = (int32_t)rank,
                         .role = what,
                         .node = facts->node,
                         .place = w->at,
                         .patchable = facts->patchable && !w->gradients,
                         .gradient = w->gradients};
    memcpy(out->name, full, sizeof full);
    size_t dense = 1;
    for (size_t i = rank; i-- > 0;) {
        out->shape[i] = (int32_t)shape[i];
        out->strides[i] = (int32_t)(strides ? strides[i] : dense);
        dense *= shape[i];
    }
}

/* Whether a tensor of a region exists in a layout, and whether its memory is its own. */
static bool has_place(region where, const model_dims *n) {
    switch (where) {
    case CAPTURE:
        return n->capture;
    case SAVED:
        return n->capture || n->train;
    case SCRATCH:
        return (!n->capture || n->ask.omit) && !n->train;
    case TRAINING:
        return n->train;
    default:
        return true;
    }
}
static bool has_gradient(region where, tensor_role what, const model_dims *n) {
    return n->train && (where == WEIGHT ||
                        (n->capture &&
                         (where <= SAVED || (where == CAPTURE && role_describe(what)->patchable))));
}
static bool has_own_place(region where, const model_dims *n) {
    return n->capture || n->train || where == INPUT || where == RESULT || where == GIVEN ||
           where == TABLE || (where == CACHE && (n->cache || n->ask.reserved > 0));
}

/* The floats of a row, where a tensor has one for each target token, else 0; words of 4 bytes all. Keys, values and
 * their padding have one for each key. */
static size_t row_of(const walk *w, const model_dims *n, int32_t type, region where,
                     const size_t *shape, const size_t *strides, size_t rank) {
    bool one_row = n->ask.one_row && w->at.stack == STACK_NONE;
    bool rows = where == RESULT || where == LAYER || where == SAVED || where == CAPTURE ||
                (where == INPUT && type != TENSOR_BYTE);
    return !rows || w->at.stack == STACK_ENCODER || one_row ? 0
           : strides                                        ? strides[2]
           : rank == 2                                      ? 1
                                                            : shape[rank - 1];
}

static void visit(walk *w, void **field, const char *name, tensor_role what, int32_t type,
                  region where, bool exists, const model_dims *n, const size_t *shape,
                  const size_t *strides, size_t rank) {
    packed_unit unit = {0};
    if (where == WEIGHT && role_is_matrix(what) && n->c->weights != WEIGHT_F32) {
        type = TENSOR_BF16 + n->c->weights - WEIGHT_BF16;
        unit = type == TENSOR_PANELS ? unit : packed_row(shape[1], (weight_type)n->c->weights);
    }
    exists = exists && (w->gradients ? type == TENSOR_FLOAT && has_gradient(where, what, n)
                                     : has_place(where, n));
    if (lists(w)) {
        report(w, n->capture, exists ? *field : NULL, name, what, type, where, shape, strides,
               rank);
        return;
    }
    if (w->purpose == CHECK) {
        check(w, exists ? *field : NULL, name, type, where, shape, rank);
        return;
    }
    if (w->purpose == SHIFT) {
        size_t row = row_of(w, n, type, where, shape, strides, rank);
        *field = exists ? (float *)*field + w->rows * (ptrdiff_t)row : NULL;
        return;
    }
    size_t packed[] = {(shape[0] + HALF_PANEL - 1) / HALF_PANEL * HALF_PANEL, unit.count};
    uint64_t bytes = unit.count ? checked_bytes(packed, rank, unit.bytes)
                                : checked_bytes(shape, rank, type == TENSOR_BYTE ? 1 : 4);
    void *place = NULL;
    if (exists && where == WEIGHT) {
        uint64_t start = take(w, &w->weight_bytes, bytes);
        place = w->weights ? w->weights + start : NULL;
    } else if (exists && has_own_place(where, n)) {
        uint64_t start = take(w, &w->own_bytes, bytes);
        place = w->block ? w->block + start : NULL;
    } else if (exists) {
        uint64_t start = take(w, &w->shared_bytes, bytes);
        w->shared_peak = w->shared_bytes > w->shared_peak ? w->shared_bytes : w->shared_peak;
        place = w->block ? w->block + w->own_total + start : NULL;
    }
    if (w->purpose == CARVE) {
        *field = place;
    }
}

/* Where the result of a layer stands: after the last sublayer that there is. */
static float *layer_out(const layer_tensors *t, model_dims n) {
    const norm_tensors *norm = n.F > 0 ? &t->norm3 : n.cross ? &t->norm2 : &t->norm1;
    float *sum = n.F > 0 ? t->residual3 : n.cross ? t->residual2 : t->residual1;
    float *branch = n.F > 0 ? t->ffn.out : n.cross ? t->cross_attn.out : t->self_attn.out;
    return n.c->norm == NORM_POST ? norm->out : n.c->residual ? sum : branch;
}

static float *model_out(const model_tensors *t, model_dims n) {
    return n.decoder                     ? t->decoder.out
           : n.encoder                   ? t->encoder.out
           : n.c->kind == KIND_ATTENTION ? t->attention.out
                                         : t->ffn.out;
}

#define COUNT(...) (sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t))
#define ENTRY(field, name, role, type, region, when, strides, ...)                                 \
    visit(w, (void **)&t->field, name, ROLE_##role, type, region, when, &n,                        \
          (size_t[]){__VA_ARGS__}, strides, COUNT(__VA_ARGS__));

#define GROUP(group)                                                                               \
    static void group##_walk(walk *w, group##_tensors *t, model_dims n) {                          \
        const model_config *c = n.c;                                                               \
        size_t B = n.B, T = n.T, S = n.S, K = n.K, C = n.C, H = n.H, D = n.D, F = n.F, V = n.V;    \
        size_t Y = n.own[SHARE_COLUMNS].count, N = n.own[SHARE_NEURONS].count;                     \
        bool X = n.slice.index == 0;                                                               \
        (void)c, (void)B, (void)T, (void)S, (void)K, (void)C, (void)H, (void)D, (void)F, (void)V;  \
        (void)Y, (void)N, (void)X;
#define END(group) }
#define TENSOR(field, name, role, region, when, ...)                                               \
    ENTRY(field, name, role, TENSOR_FLOAT, region, when, NULL, __VA_ARGS__)
#define INTS(field, name, role, region, when, ...)                                                 \
    ENTRY(field, name, role, TENSOR_INT, region, when, NULL, __VA_ARGS__)
#define BYTES(field, name, role, region, when, ...)                                                \
    ENTRY(field, name, role, TENSOR_BYTE, region, when, NULL, __VA_ARGS__)
#define HEADS(field, name, role, region, when, heads, length)                                      \
    ENTRY(field, name, role, TENSOR_FLOAT, region, when,                                           \
          ((size_t[]){(length) * (heads) * D, D, (heads) * D, 1}), B, heads, length, D)
#define HEADS_VIEW(field, name, role, length)                                                      \
    if (n.capture) {                                                                               \
        report(w, true, t->field, name, ROLE_##role, TENSOR_FLOAT, CAPTURE,                        \
               (size_t[]){B, H, length, D}, (size_t[]){(length) * n.A, D, n.A, 1}, 4);             \
    }
#define VIEW(field, name, role, region, pointer, ...)                                              \
    if (w->purpose == CARVE || w->purpose == SHIFT) {                                              \
        t->field = pointer;                                                                        \
    } else {                                                                                       \
        report(w, n.capture, t->field, name, ROLE_##role, TENSOR_FLOAT, region,                    \
               (size_t[]){__VA_ARGS__}, NULL, COUNT(__VA_ARGS__));                                 \
    }
#define STACK(in) w->at.stack = (in);
#define SUBLAYER(number, kind) w->at.sublayer = (number), w->at.attention = (kind);
#define CHILD(group, field, prefix, when, with)                                                    \
    if (when) {                                                                                    \
        size_t length = strlen(w->path);                                                           \
        append(w->path, sizeof w->path, prefix);                                                   \
        group##_walk(w, &t->field, with);                                                          \
        w->path[length] = 0;                                                                       \
    }
#define LAYERS(group, field, prefix, count)                                                        \
    {                                                                                              \
        uint64_t shared = w->shared_bytes, peak = shared;                                          \
        size_t length = strlen(w->path);                                                           \
        for (size_t i = 0; i < (count); i++) {                                                     \
            w->shared_bytes = shared;                                                              \
            append(w->path, sizeof w->path, prefix);                                               \
            append_number(w->path, sizeof w->path, i);                                             \
            append(w->path, sizeof w->path, ".");                                                  \
            w->at.layer = (int32_t)i;                                                              \
            group##_walk(w, &t->field[i], dims_layer(n, i));                                       \
            w->path[length] = 0;                                                                   \
            peak = w->shared_bytes > peak ? w->shared_bytes : peak;                                \
        }                                                                                          \
        w->shared_bytes = peak;                                                                    \
        w->at.layer = -1;                                                                          \
    }
#include "tensors.def"

/* The second walk, over the gradients, goes on in the block where the first one stopped. */
static void walk_both(walk *w, tensor_set *set, const model_dims *n, void *gradients) {
    w->at = OUTSIDE;
    model_walk(w, &set->value, *n);
    if (n->train) {
        uint64_t weight_bytes = w->weight_bytes;
        w->gradients = true;
        w->weights = gradients;
        w->weight_bytes = 0;
        append(w->path, sizeof w->path, "grad.");
        model_walk(w, &set->gradient, *n);
        w->weight_bytes = weight_bytes;
    }
}

/* Of layouts that are only measured, which reads no field, or listed. */
static tensor_set nowhere;

bool tensors_size(tensors_bytes *out, const model_dims *n) {
    walk w = {.purpose = MEASURE};
    walk_both(&w, &nowhere, n, NULL);
    if (w.overflow || w.own_bytes + w.shared_peak > LIMIT) {
        return false;
    }
    *out = (tensors_bytes){(size_t)w.weight_bytes, (size_t)(w.own_bytes + w.shared_peak)};
    return true;
}

void tensors_carve(tensor_set *set, const model_dims *n, void *weights, void *gradients,
                   void *block) {
    walk measure = {.purpose = MEASURE};
    walk_both(&measure, set, n, NULL);
    memset(set, 0, sizeof *set);
    walk w = {.purpose = CARVE, .weights = weights, .block = block, .own_total = measure.own_bytes};
    walk_both(&w, set, n, gradients);
}

void tensors_shift(tensor_set *set, const model_dims *n, ptrdiff_t rows) {
    walk w = {.purpose = SHIFT, .rows = rows};
    walk_both(&w, set, n, NULL);
}

/* Moves the common part of two tensors from one to the other; the last first where rows move up. */
static void move_common(const tensor_info *to, const tensor_info *from) {
    size_t length[] = {1, 1, 1, 1}, into[4] = {0}, out_of[4] = {0};
    size_t element = to->type == TENSOR_BYTE ? 1 : 4, skip = (size_t)(TENSOR_MAX_RANK - to->rank);
    for (size_t i = skip; i < TENSOR_MAX_RANK; i++) {
        size_t a = (size_t)to->shape[i - skip], b = (size_t)from->shape[i - skip];
        length[i] = a < b ? a : b;
        into[i] = (size_t)to->strides[i - skip];
        out_of[i] = (size_t)from->strides[i - skip];
    }
    if (to->data == from->data && into[1] == out_of[1] && into[2] == out_of[2]) {
        return; /* nothing but the number of rows differs */
    }
    bool up = into[1] > out_of[1] || into[2] > out_of[2];
    size_t rows = length[0] * length[1] * length[2];
    for (size_t i = 0; i < rows; i++) {
        size_t row = up ? rows - 1 - i : i, k = row % length[2];
        size_t j = row / length[2] % length[1], h = row / length[2] / length[1];
        memmove((char *)to->data + (h * into[0] + j * into[1] + k * into[2]) * element,
                (char *)from->data + (h * out_of[0] + j * out_of[1] + k * out_of[2]) * element,
                length[3] * element);
    }
}

static size_t list(tensor_info *out, tensor_set *set, const model_dims *n, bool all, size_t first,
                   size_t count) {
    walk w = {.purpose = LIST, .all = all, .first = first, .end = first + count, .out = out};
    walk_both(&w, set, n, NULL);
    return (size_t)(w.out - out);
}

void tensors_move(tensor_set *set, const model_dims *n, tensor_set *from, const model_dims *was) {
    enum { AT_ONCE = 16 };
    tensor_info to[AT_ONCE], of[AT_ONCE];
    size_t count = AT_ONCE;
    for (size_t first = 0; count == AT_ONCE; first += count) {
        count = list(to, set, n, true, first, AT_ONCE);
        list(of, from, was, true, first, AT_ONCE);
        for (size_t i = 0; i < count; i++) {
            move_common(to + i, of + i);
        }
    }
}

tensor_set *tensors_former(const model_dims *n, void *weights, void *block) {
    tensors_carve(&nowhere, n, weights, NULL, block);
    return &nowhere;
}

size_t tensors_count(tensor_set *set, const model_dims *n) {
    walk w = {.purpose = LIST};
    walk_both(&w, set, n, NULL);
    return w.index;
}

size_t tensors_list(tensor_info *out, tensor_set *set, const model_dims *n, size_t first,
                    size_t count) {
    return list(out, set, n, false, first, count);
}

size_t tensors_planned(tensor_info *out, const model_dims *n, bool block, size_t first,
                       size_t count) {
    /* A tensor without an address would not exist; nothing is read or written there. */
    char *anywhere = (char *)&nowhere;
    tensors_carve(&nowhere, n, anywhere, NULL, block ? anywhere : NULL);
    size_t listed = tensors_list(out, &nowhere, n, first, count);
    for (size_t i = 0; i < listed; i++) {
        out[i].data = NULL;
    }
    return listed;
}

size_t tensors_slice(span out[3], size_t *index, tensor_set *set, const model_dims *n, slice s,
                     size_t k) {
    model_dims part = dims_of(n->c, (request){.slice = s});
    tensor_info own;
    tensors_carve(&nowhere, &part, (char *)&nowhere, NULL, NULL);
    if (tensors_list(&own, &nowhere, &part, k, 1) == 0) {
        return 0;
    }
    *index = (size_t)tensors_find(set, n, own.name);
    size_t rows = (size_t)own.shape[0], from = part.own[SHARE_HEADS].from * n->D;
    if (own.role == ROLE_IN_PROJ_WEIGHT || own.role == ROLE_IN_PROJ_BIAS) {
        out[0] = (span){from * n->group, part.A};
        out[1] = (span){n->W + from, part.E};
        out[2] = (span){n->W + n->E + from, part.E};
        return 3;
    }
    tensors_get(&own, set, n, *index);
    size_t all = (size_t)own.shape[0];
    out[0] = (span){rows < all ? slice_begin(all, HALF_PANEL, s, s.index) : 0, rows};
    return 1;
}

void tensors_get(tensor_info *out, tensor_set *set, const model_dims *n, size_t index) {
    size_t found = tensors_list(out, set, n, index, 1);
    assert(found == 1);
    (void)found;
}

int tensors_find(tensor_set *set, const model_dims *n, const char *name) {
    walk w = {.purpose = FIND, .name = name};
    walk_both(&w, set, n, NULL);
    return w.found ? (int)w.index : -1;
}

int tensors_index(tensor_set *set, const model_dims *n, const void *data) {
    walk w = {.purpose = LOCATE, .data = data};
    walk_both(&w, set, n, NULL);
    return w.found ? (int)w.index : -1;
}

bool tensors_first_bad(char name[64], tensor_set *set, const model_dims *n) {
    bool gradient = false;
    name[0] = 0;
    for (int sources = 1; sources >= 0 && name[0] == 0; sources--) {
        walk w = {.purpose = CHECK, .bad = name, .sources = sources};
        walk_both(&w, set, n, NULL);
        gradient = w.bad_is_gradient;
    }
    return gradient;
}
