/* heap.h: the allocator that src/wasm calls natively. It counts, and refuses what a test asks it to
 * refuse. The linker puts it in the place of malloc and its like (--wrap in emscripten.mk) and it
 * calls theirs, so the sanitizers still see each block. */
#ifndef GLASSFORMER_TESTS_WASM_HEAP_H
#define GLASSFORMER_TESTS_WASM_HEAP_H

#include <stdbool.h>
#include <stddef.h>

static size_t heap_live;            /* blocks not yet freed */
static size_t heap_calls;           /* requests since heap_refuse was set */
static size_t heap_refuse;          /* the request to refuse, counted from 1; 0 for none */
static size_t heap_most = SIZE_MAX; /* a larger request is refused */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *block);

static inline bool heap_grants(size_t bytes) {
    return ++heap_calls != heap_refuse && bytes <= heap_most;
}
static inline void *heap_counted(void *block) {
    heap_live += block != NULL;
    return block;
}

void *__wrap_malloc(size_t bytes) {
    return heap_counted(heap_grants(bytes) ? __real_malloc(bytes) : NULL);
}
void *__wrap_calloc(size_t count, size_t bytes) {
    return heap_counted(heap_grants(count * bytes) ? __real_calloc(count, bytes) : NULL);
}
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    return heap_counted(heap_grants(bytes) ? __real_aligned_alloc(alignment, bytes) : NULL);
}
void __wrap_free(void *block) {
    heap_live -= block != NULL;
    __real_free(block);
}

#endif
