/* Every allocation of every call fails once: GF_ERROR_MEMORY, no block more or less, nothing else changed; then the
 * same call succeeds with the bits that it has where memory never ends. Calls that api.h says do not allocate do not.
 * allocations COUNT SEED: so many random models. */
#include <inttypes.h>

#include "models.h"

enum { MOST_CALLS = 40 };
static unsigned long refused;

/* One model's life; the first one, in which no allocation fails, notes the bits. */
typedef struct life {
    bool refuses;
    int32_t model;
    model_config config;
    size_t calls;
    uint64_t wanted[MOST_CALLS];
} life;

typedef struct call {
    const char *name;
    request ask;
    trainer_settings settings;
    const trainer_span *spans;
    int32_t count;
    int32_t (*run)(life *, const struct call *);
} call;

static int32_t create(life *l, const call *c) {
    (void)c;
    int32_t got = gf_model_create(&l->config);
    l->model = got > 0 ? got : 0;
    return got > 0 ? 0 : got;
}
static int32_t prepare(life *l, const call *c) {
    return gf_model_prepare(l->model, c->ask.B, c->ask.S, c->ask.T, c->ask.capacity,
                            flags_of(c->ask));
}
static int32_t resize(life *l, const call *c) { return gf_model_resize(l->model, c->ask.T, 0); }
static int32_t start(life *l, const call *c) {
    return gf_trainer_start(l->model, &c->settings, c->spans, c->count);
}

/* The bits that a call leaves are those of the first life. */
static void compare(life *l, const char *name) {
    uint64_t got = digest_of(l->model);
    if (!l->refuses) {
        l->wanted[l->calls] = got;
    }
    CHECK(l->calls < MOST_CALLS && got == l->wanted[l->calls], "%s, call %zu: other bits", name,
          l->calls);
    l->calls++;
}

/* A call that allocates. */
static void attempt(life *l, call c) {
    uint64_t before = digest_of(l->model);
    int32_t got;
    for (size_t nth = 1;; nth++) {
        size_t live = heap_live;
        heap_calls = 0;
        heap_refuse = l->refuses ? nth : 0;
        got = c.run(l, &c);
        heap_refuse = 0;
        if (!l->refuses || heap_calls < nth) {
            break;
        }
        refused++;
        CHECK(got == GF_ERROR_MEMORY, "%s, allocation %zu fails: got %d", c.name, nth, got);
        CHECK(heap_live == live, "%s, allocation %zu fails: %zu blocks, then %zu", c.name, nth,
              live, heap_live);
        CHECK(digest_of(l->model) == before, "%s, allocation %zu fails: something changes", c.name,
              nth);
    }
    CHECK(got >= 0, "%s: got %d", c.name, got);
    compare(l, c.name);
}

/* A call that does not. */
#define QUIET(l, wanted, expression)                                                               \
    do {                                                                                           \
        heap_calls = 0;                                                                            \
        heap_refuse = 1;                                                                           \
        int32_t got_ = (int32_t)(expression);                                                      \
        heap_refuse = 0;                                                                           \
        CHECK(got_ == (wanted), "%s: got %d", #expression, got_);                                  \
        CHECK(heap_calls == 0, "%s allocates", #expression);                                       \
        compare(l, #expression);                                                                   \
    } while (0)

static void passes(life *l, bool trains, bool captures, bool trained) {
    write_inputs(l->model, &l->config);
    QUIET(l, 0, gf_model_forward(l->model));
    gf_changes hot = {.temperature = 2};
    step_report out;
    QUIET(l, 0, gf_model_forward_patched(l->model, &hot));
    if (trains && captures) {
        QUIET(l, 0, gf_model_vjp(&out, l->model, &hot));
    }
    if (trains && trained) {
        QUIET(l, 0, gf_trainer_loss(&out, l->model, NULL));
        QUIET(l, 0, gf_trainer_gradients(&out, l->model, &hot));
        QUIET(l, 0, gf_trainer_step(&out, l->model));
        QUIET(l, 0, gf_trainer_shard(&out, l->model, 1, 50));
        QUIET(l, 0, gf_trainer_apply(&out, l->model));
        QUIET(l, 0, gf_trainer_resume(l->model, 7));
    }
}

static void live(life *l, uint32_t seed) {
    check_seed = seed;
    size_t blocks = heap_live, held = check_held_count;
    l->calls = 0;
    l->model = 0;
    l->config = random_config((int32_t)random_below(KIND_COUNT));
    request first = random_request(&l->config), second = random_request(&l->config);
    first.capture = random_below(2);
    second.capture = random_below(2);
    second.train = true;
    second.vector_targets = l->config.head == HEAD_NONE && l->config.kind < KIND_ATTENTION;
    bool early = random_below(2);
    trainer_settings settings = default_settings();
    settings.loss = second.vector_targets ? OBJECTIVE_MSE : OBJECTIVE_CROSS_ENTROPY;
    static const trainer_span spans[] = {{0, 1}, {2, 5}};
    call plain = {.name = "start", .settings = settings, .run = start};
    call some = {
        .name = "start with spans", .settings = settings, .spans = spans, .count = 2, .run = start};
    attempt(l, (call){.name = "create", .run = create});
    QUIET(l, 0, gf_model_initialize(l->model, seed));
    if (early) {
        attempt(l, plain);
    }
    attempt(l, (call){.name = "prepare", .ask = first, .run = prepare});
    passes(l, false, first.capture, early);
    if (first.B == 1 && l->config.causal && config_has_decoder(&l->config)) {
        QUIET(l, GF_ERROR_STATE, gf_model_resume(l->model, first.T + 1));
        QUIET(l, 0, gf_model_resume(l->model, first.T));
        first.T += l->config.positions == POSITIONS_LEARNED ? 0 : 20;
        attempt(l, (call){.name = "resize", .ask = first, .run = resize});
        write_inputs(l->model, &l->config);
        QUIET(l, 0, gf_model_resume(l->model, 1));
    }
    attempt(l, (call){.name = "prepare to train", .ask = second, .run = prepare});
    if (!early) {
        attempt(l, some);
    }
    passes(l, true, second.capture, true);
    attempt(l, early ? some : plain);
    second.B *= 9; /* a block that does not fit */
    attempt(l, (call){.name = "prepare more", .ask = second, .run = prepare});
    passes(l, true, second.capture, true);
    QUIET(l, 0, gf_model_destroy(l->model));
    CHECK(heap_live - blocks == check_held_count - held, "%zu blocks are left",
          heap_live - blocks - (check_held_count - held));
}

int main(int argc, char **argv) {
    uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 100;
    uint32_t seed = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
    heap_most = 1 << 26;
    for (uint32_t i = 0; i < count; i++) {
        static life l;
        unsigned long failures = check_failures;
        l.refuses = false;
        live(&l, seed + i);
        l.refuses = true;
        live(&l, seed + i);
        release();
        if (check_failures > failures) {
            fprintf(stderr, "model %" PRIu32 ": run wasm/allocations 1 %" PRIu32 "\n", i, seed + i);
        }
    }
    printf("{\"allocations\": %lu}\n", refused);
    return check_done("wasm/allocations", NULL, 0);
}
