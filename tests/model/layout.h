/* layout.h: what holds of the places of all tensors that a model lists. */
#ifndef GLASSFORMER_TESTS_MODEL_LAYOUT_H
#define GLASSFORMER_TESTS_MODEL_LAYOUT_H

#include "fixture.h"

static inline size_t bytes_of(const tensor_info *t) {
    return elements_of(t) * (t->type == TENSOR_BYTE ? 1 : 4);
}

/* Another name for memory that has a home: head_outputs, layers.N.out, output. */
static inline bool is_view(const tensor_info *t) {
    size_t n = strlen(t->name);
    bool layer = strstr(t->name, "layers.") && n > 5 && strcmp(t->name + n - 4, ".out") == 0 &&
                 t->name[n - 5] >= '0' && t->name[n - 5] <= '9' && t->name[n - 6] != 'm';
    return layer || strstr(t->name, "head_outputs") ||
           strcmp(t->name + (is_gradient(t) ? 5 : 0), "output") == 0;
}

/* Inside its block (weights, gradients or the rest), aligned, dense but for heads; returns where it ends. */
static inline size_t place(fixture *f, const tensor_info *t) {
    char *weights = is_gradient(t) ? f->m.gradients : f->m.weights;
    char *block = t->region == WEIGHT ? weights : f->block;
    size_t bytes = t->region == WEIGHT ? f->weight_bytes : f->block_bytes;
    size_t start = (size_t)((char *)t->data - block), end = start + bytes_of(t), dense = 1;
    CHECK((char *)t->data >= block && end <= bytes, "%s: %zu..%zu of %zu", t->name, start, end,
          bytes);
    CHECK(start % 64 == 0, "%s: at %zu", t->name, start);
    bool heads = t->rank == 4 &&
                 (t->role == ROLE_HEAD_OUTPUTS || (t->role >= ROLE_QUERY && t->role <= ROLE_VALUE));
    size_t length = heads ? (size_t)t->shape[2] : 0,
           C = heads ? (size_t)t->shape[1] * f->m.dims.D : 0;
    for (int32_t i = t->rank; i-- > 0; dense *= (size_t)t->shape[i]) {
        size_t wanted[] = {length * C, f->m.dims.D, C, 1};
        size_t stride = heads ? wanted[i] : dense;
        CHECK((size_t)t->strides[i] == stride, "%s: stride %d is %d, wanted %zu", t->name, i,
              t->strides[i], stride);
    }
    return end;
}

static inline void layout(fixture *f) {
    size_t count = f->count, ends[2] = {0, 0};
    tensor_info *list = f->list;
    for (size_t i = 0; i < count; i++) {
        tensor_info t;
        memset(&t, 0x5a, sizeof t);
        tensors_get(&t, &f->m.tensors, &f->m.dims, i);
        CHECK(memcmp(&t, &list[i], offsetof(tensor_info, name)) == 0 &&
                  strcmp(t.name, list[i].name) == 0,
              "%s: listed otherwise", t.name);
        size_t end = place(f, &t);
        bool view = is_view(&t), home = false;
        ends[t.region == WEIGHT] = end > ends[t.region == WEIGHT] ? end : ends[t.region == WEIGHT];
        CHECK(memchr(t.name, 0, sizeof t.name) && t.name[0], "tensor %zu: its name", i);
        CHECK(tensors_find(&f->m.tensors, &f->m.dims, t.name) == (int)i, "%s: found at %d, not %zu",
              t.name, tensors_find(&f->m.tensors, &f->m.dims, t.name), i);
        CHECK(t.rank >= 1 && t.rank <= TENSOR_MAX_RANK, "%s: rank %d", t.name, t.rank);
        for (size_t k = 0; k < count; k++) {
            tensor_info u = list[k];
            char *a = t.data, *b = u.data;
            home = home || (k != i && a == b && !is_view(&u));
            CHECK(k == i || strcmp(t.name, u.name) != 0, "%s twice", t.name);
            CHECK(k == i || view || is_view(&u) || a + bytes_of(&t) <= b || b + bytes_of(&u) <= a,
                  "%s overlaps %s", t.name, u.name);
        }
        bool stack_out = strstr(t.name, "output") != NULL;
        CHECK(!view || home || stack_out, "%s: a view of nothing", t.name);
    }
    CHECK(tensors_find(&f->m.tensors, &f->m.dims, "") == -1, "the empty name");
    CHECK(tensors_find(&f->m.tensors, &f->m.dims, "encoder.layers.0") == -1, "a prefix");
    size_t rounded = (ends[1] + 63) / 64 * 64, all = (ends[0] + 63) / 64 * 64;
    rounded = rounded ? rounded : 64; /* a model without weights */
    CHECK(rounded == f->weight_bytes, "weights end at %zu of %zu", ends[1], f->weight_bytes);
    bool listed = f->m.dims.capture && !f->m.dims.train; /* all that is in the block */
    CHECK(!listed || all == f->block_bytes, "the block ends at %zu of %zu", ends[0],
          f->block_bytes);
}

#endif
