/* Random courses of calls of the ABI: valid ones, dead handles, wrong orders, sizes at their limits, refused
 * allocations, within what api.h asks of the host. A refused call changes nothing, no call changes another model, and
 * at the end all memory is back. A course is a string of bytes, so that any bytes are one.
 *   abi             the courses of tests/fuzz/abi.txt, then 1,000 random ones
 *   abi COUNT SEED  so many random ones, a third of them changed courses of the file
 *   abi keep COUNT SEED  prints those that bring a call to a result that none before them did, for that file */
#include <inttypes.h>
#include <signal.h>

#include "models.h"
#if defined(__has_feature)
#define HAS_ADDRESS __has_feature(address_sanitizer)
#else
#define HAS_ADDRESS __SANITIZE_ADDRESS__
#endif
#if HAS_ADDRESS
#include <sanitizer/common_interface_defs.h>
#endif

enum { SLOTS = 3, LONGEST = 500, MOST_COURSES = 600, MOST_BYTES = 1 << 20, WORST = 8 };

/* The kinds of calls: they only read, write, may allocate, or may meet numbers that are not finite. */
typedef enum kind { READS, WRITES, ALLOCATES, TRAINS } kind;
static const kind KINDS[] = {ALLOCATES, WRITES, WRITES,    ALLOCATES, WRITES, WRITES, WRITES,
                             WRITES,    TRAINS, ALLOCATES, TRAINS,    TRAINS, TRAINS, TRAINS,
                             TRAINS,    READS,  READS,     READS,     WRITES, READS,  READS,
                             READS,     READS,  READS,     READS,     READS,  READS,  READS,
                             READS,     READS,  ALLOCATES, WRITES,    READS,  WRITES, READS,
                             WRITES,    WRITES, ALLOCATES, ALLOCATES, WRITES, WRITES};
enum { CALLS = sizeof KINDS / sizeof *KINDS };

typedef struct course {
    uint8_t bytes[LONGEST];
    size_t length;
} course;

typedef struct slot {
    int32_t model; /* 0 for none */
    model_config config;
    uint64_t digest;
} slot;

static course now;
static size_t at;
static slot slots[SLOTS];
static int32_t dead; /* a handle that was alive */
static unsigned long calls, refused;
static uint8_t seen[CALLS][WORST][16]; /* results by call and by what the model was ready for */
static size_t news;                    /* where in the course the last unseen result was */

static void print_course(FILE *to) {
    for (size_t i = 0; i < now.length; i++) {
        fprintf(to, "%02x", now.bytes[i]);
    }
    fputc('\n', to);
}
static void last_words(void) {
    fprintf(stderr, "the course, byte %zu:\n", at);
    print_course(stderr);
}
static void on_abort(int number) {
    (void)number;
    last_words();
}

static size_t refuse_next; /* which allocation of the call at hand fails; 0 for none */

/* From here on the heap ends. */
static void arm(void) {
    heap_refuse = refuse_next ? heap_calls + refuse_next : 0;
    heap_most = MOST_BYTES;
}
static void disarm(void) {
    heap_refuse = 0;
    heap_most = SIZE_MAX;
}

static uint32_t byte(void) { return at < now.length ? now.bytes[at++] : 0; }
static bool coin(uint32_t one_in) { return byte() % one_in == 0; }
static uint32_t word(void) { return byte() | byte() << 8 | byte() << 16 | byte() << 24; }

/* A size: mostly small, at times at a limit. */
static int32_t size(void) {
    static const int32_t limits[] = {
        0, 1, -1, 65536, 65537, CONFIG_MAX_SIZE, CONFIG_MAX_SIZE + 1, INT32_MAX, INT32_MIN};
    uint32_t b = byte();
    return b < 200 ? (int32_t)(b % 12) : limits[b % 9];
}
static float number(void) {
    static const float odd[] = {0, -0.0f, NAN, INFINITY, -INFINITY, 3e38f, 1e-45f, -1};
    uint32_t b = byte();
    return b < 216 ? (float)b / 64 - 1 : odd[b % 8];
}

/* Chooses the handle of a call: mostly a model of the slot, else a handle that is none. */
static slot *pick(int32_t *handle) {
    uint32_t b = byte();
    slot *s = slots + b % SLOTS;
    const int32_t wrong[] = {0, -1, dead, INT32_MAX, INT32_MIN};
    *handle = b < 240 && s->model ? s->model : wrong[b % 5];
    return s;
}

/* Values of the model's inputs; now and then one that is out of place. */
static void write(slot *s) {
    check_seed = word();
    write_inputs(s->model, &s->config);
    if (coin(3)) {
        int32_t count = gf_model_tensor_count(s->model);
        tensor_info t;
        if (count > 0 && gf_model_tensors(&t, s->model, (int32_t)(word() % (uint32_t)count), 1)) {
            size_t all = elements_of(&t), i = word() % (all + !all); /* a slice may have no row */
            if (all > 0 && t.type == TENSOR_INT) {
                ((int32_t *)t.data)[i] = size();
            } else if (all > 0 && t.type == TENSOR_FLOAT) {
                ((float *)t.data)[i] = number();
            }
        }
    }
}

static model_config some_config(void) {
    check_seed = word();
    model_config c = random_config((int32_t)random_below(KIND_COUNT));
    if (coin(12)) {
        ((int32_t *)&c)[byte() % CONFIG_COUNT] = size();
    }
    if (coin(16)) {
        c.epsilon = number();
    }
    return c;
}

static trainer_settings some_settings(void) {
    trainer_settings s = default_settings();
    s.optimizer = byte() % OPTIMIZER_COUNT;
    s.loss = byte() % OBJECTIVE_COUNT;
    s.dropout = coin(3) ? 0.25 : 0;
    s.clip = coin(3) ? 0.5 : 0;
    s.learning_rate = 0.01;
    if (coin(8)) {
        ((double *)&s)[byte() % TRAINER_COUNT] = coin(2) ? (double)number() : (double)size();
    }
    return s;
}

/* Changes of a pass: places in tensors of the model, or anywhere. */
static const gf_changes *some_changes(int32_t model) {
    if (coin(4)) {
        return NULL;
    }
    size_t count = byte() % 4, cotangents = byte() % 3;
    patch *list = hold(count * sizeof *list + 1);
    cotangent *given = hold(cotangents * sizeof *given + 1);
    int32_t tensors = gf_model_tensor_count(model);
    for (size_t i = 0; i < count + cotangents; i++) {
        tensor_info t;
        float *place = (float *)(uintptr_t)(word() & ~3u);
        size_t n = 1 + byte() % 5;
        if (tensors > 0 && !coin(16) &&
            gf_model_tensors(&t, model, (int32_t)(word() % (uint32_t)tensors), 1)) {
            size_t all = elements_of(&t) + !elements_of(&t), from = word() % all;
            place = t.type == TENSOR_BYTE ? (float *)t.data : (float *)t.data + from;
            n = coin(8) ? n : 1 + word() % (all - from);
        }
        if (i < count) {
            list[i] = (patch){place, number()};
        } else {
            float *gradient = hold(n * sizeof *gradient);
            for (size_t k = 0; k < n; k++) {
                gradient[k] = 1 - (float)(k % 3);
            }
            given[i - count] = (cotangent){place, gradient, n};
        }
    }
    gf_changes *c = hold(sizeof *c);
    *c = (gf_changes){{list, count, given, cotangents}, coin(8) ? number() : 1};
    return c;
}

static float *floats(size_t n) {
    float *x = hold(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = coin(64) ? number() : random_float(-2, 2);
    }
    return x;
}

static int32_t *ids(size_t n, size_t V) {
    int32_t *x = hold(n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x[i] = coin(64) ? size() : (int32_t)random_below(V);
    }
    return x;
}

/* Operations on arrays of exactly the sizes that api.h states. */
static int32_t arrays(void) {
    check_seed = word();
    size_t R = 1 + byte() % 7, N = 1 + byte() % 40, K = 1 + byte() % 20, n = R * N;
    size_t B = 1 + byte() % 2, H = 1 + byte() % 3, D = 1 + byte() % 5, E = 1 + byte() % 5;
    uint32_t flags = byte();
    float *y = blank(n), *x = floats(n);
    float *q = floats(B * R * H * D), *k = floats(B * K * H * D), *v = floats(B * K * H * E);
    float *maps = blank(B * H * R * K), *o = blank(B * R * H * E);
    uint32_t state[4];
    trainer_settings s = some_settings();
    gf_seed(state, word());
    switch (byte() % 18) {
    case 0:
        if (flags & 4) {
            return gf_linear(y, N, x, floats(N * N), (int32_t)(flags >> 7) - 1, floats(N),
                             flags & 1 ? floats(n) : NULL, flags & 2, R, N, N);
        }
        return gf_matmul(blank(B * n), floats(B * R * K), floats(B * K * N), B, R, K, N, flags & 1,
                         flags & 2);
    case 1:
        return gf_softmax(flags & 1 ? x : y, x, R, N);
    case 2:
        return gf_log_softmax(flags & 1 ? x : y, x, R, N);
    case 3:
        return gf_kl_divergence(blank(R), x, floats(n), R, N);
    case 4:
        return gf_row_dot(blank(R), x, floats(n), R, N) + gf_row_norm(blank(R), x, R, N);
    case 5:
        if (flags & 16) {
            return gf_rms_norm(y, flags & 1 ? blank(R) : NULL, x, flags & 4 ? floats(N) : NULL,
                               number(), R, N);
        }
        return gf_layer_norm(y, flags & 1 ? blank(R) : NULL, flags & 2 ? blank(R) : NULL, x,
                             flags & 4 ? floats(N) : NULL, flags & 8 ? floats(N) : NULL, number(),
                             R, N);
    case 6:
        return gf_activation(y, x, n, (int32_t)(flags % 7) - 1);
    case 7:
        return gf_embedding(blank(R * D), ids(R, K), floats(K * D), number(), R, K, D);
    case 8:
        if (flags & 1) {
            return gf_rotation(y, ids(R, CONFIG_MAX_SIZE), R, N, number(), (int32_t)(flags % 6) - 1,
                               number(), number(), number(), number());
        }
        if (flags & 2) {
            size_t turned = flags & 16 && D > 2 ? D - 2 : D;
            return gf_rotate(blank(R * H * D), floats(R * H * D), floats(R * turned), R, H, D,
                             turned, flags & 4, flags & 8);
        }
        return gf_positions(blank(R * N), ids(R, CONFIG_MAX_SIZE), R, N);
    case 9: {
        uint8_t *padding = hold(B * K);
        for (size_t i = 0; i < B * K; i++) {
            padding[i] = coin(3);
        }
        return gf_attention(o, flags & 1 ? blank(B * H * R * K) : NULL, maps, q, k, v,
                            flags & 2 ? padding : NULL, flags & 4 ? floats(R * K) : NULL, number(),
                            flags & 8, B, R, K, H, D, E);
    }
    case 10:
        return gf_cross_entropy(blank(1), y, x, ids(R, N), R, N, size(), number(),
                                (int32_t)(flags % 3));
    case 11:
        return gf_cross_entropy_backward(y, x, ids(R, N), R, N, size(), number(),
                                         (int32_t)(flags % 3));
    case 12:
        return gf_sample(x, N, number(), byte() % (N + 2), state, blank(N));
    case 13:
        return gf_softmax_backward(y, x, floats(n), R, N);
    case 14:
        if (flags & 2) {
            return gf_rms_norm_backward(y, blank(N), x, floats(n), flags & 1 ? floats(N) : NULL,
                                        number(), R, N);
        }
        return gf_layer_norm_backward(y, blank(N), blank(N), x, floats(n),
                                      flags & 1 ? floats(N) : NULL, number(), R, N);
    case 15:
        return gf_activation_backward(y, x, floats(n), n, (int32_t)(flags % 7) - 1);
    case 16:
        return gf_attention_backward(blank(B * R * H * D), blank(B * K * H * D),
                                     blank(B * K * H * E), blank(R * K), o, q, k, v, maps, number(),
                                     B, R, K, H, D, E);
    default:
        return gf_optimize(x, floats(n), floats(n), floats(n), n, &s, size());
    }
}

static int32_t prepare(const slot *s, int32_t model) {
    check_seed = word();
    request ask = s->model ? random_request(&s->config) : (request){.B = 1, .T = 1};
    ask.capture = coin(2);
    if (!coin(3)) {
        ask.train = true;
        ask.vector_targets = s->config.head == HEAD_NONE;
    } else if (config_has_decoder(&s->config)) {
        size_t B = 1 + byte() % 3;
        ask = (request){.B = B, .S = ask.S, .T = ask.T, .capacity = ask.T + byte() % 4};
    }
    int32_t flags = flags_of(ask) ^ (coin(8) ? 1 << byte() % 10 : 0);
    size_t *sizes[] = {&ask.B, &ask.S, &ask.T, &ask.capacity};
    if (coin(8)) {
        *sizes[byte() % 4] = (uint32_t)size();
    }
    flags = coin(64) ? size() : flags;
    arm();
    return gf_model_prepare(model, ask.B, ask.S, ask.T, ask.capacity, flags);
}

static int32_t start(const slot *s, int32_t model) {
    (void)s;
    trainer_settings settings = some_settings();
    int32_t count = (int32_t)(byte() % 4), from = 0;
    trainer_span *spans = hold((size_t)count * sizeof *spans + 1);
    for (int32_t i = 0; i < count; i++) {
        spans[i].begin = coin(16) ? size() : from + (int32_t)(byte() % 9);
        from = spans[i].begin < 1000 ? spans[i].begin : 0;
        spans[i].end = from = coin(16) ? size() : from + (int32_t)(byte() % 9);
        from = from < 1000 ? from : 0;
    }
    bool some = coin(2);
    count = some ? coin(32) ? -count : count : size();
    arm();
    return gf_trainer_start(model, &settings, some ? spans : NULL, count);
}

static int32_t list(int32_t model) {
    int32_t first = size(), count = size(), all = gf_model_tensor_count(model);
    int32_t fits = count < all ? count : all;
    return gf_model_tensors(hold(fits > 0 ? (size_t)fits * sizeof(tensor_info) : 1), model, first,
                            count);
}

static int32_t planned(void) {
    model_config c = some_config();
    int32_t first = size(), count = (int32_t)(byte() % 40);
    return gf_config_tensors(hold((size_t)count * sizeof(tensor_info) + 1), &c,
                             (int32_t)(byte() % 2), first, count);
}

/* A pass that stops short, of one slice without what the others compute. */
static int32_t slices(const slot *s, int32_t model) {
    gf_rows rows;
    exchange due;
    uint32_t index = byte() % 4, others = byte() % 4, past = byte() % 4, T = (uint32_t)size();
    int32_t got = gf_slice_rows(&rows, model, index, others, byte() % 16);
    CHECK(got <= 3, "%d spans", got);
    got = gf_slice_begin(model, others, past, T);
    for (uint32_t steps = byte(); got >= 0 && steps > 0; steps--) {
        got = gf_slice_next(&due, model);
        CHECK(got <= 1 && (s->model || got < 0), "got %d", got);
        if (got == 0) {
            return gf_slice_next(&due, model) == GF_ERROR_STATE ? 0 : -100;
        }
    }
    return got;
}

static int32_t find(int32_t model) {
    static const char *const names[] = {"",       "tok_emb.weight", "encoder.layers.0.",
                                        "output", "grad.output",    "decoder.ids"};
    return gf_model_find(model, names[byte() % 6]);
}

static int32_t run(uint32_t call, slot *s, int32_t model) {
    step_report out = {.loss = 1};
    switch (call) {
    case 0: {
        model_config c = some_config();
        if (s->model) {
            return 0;
        }
        arm();
        uint32_t index = byte() % 8, others = byte() % 4;
        int32_t got = index > 3 ? gf_model_create(&c) : gf_slice_create(&c, index, others, coin(2));
        s->model = got > 0 ? got : 0;
        s->config = c;
        return got;
    }
    case 1: {
        int32_t got = gf_model_destroy(model);
        if (got == 0) {
            dead = s->model;
            s->model = 0;
        }
        return got;
    }
    case 2:
        return gf_model_initialize(model, word());
    case 3:
        return prepare(s, model);
    case 4:
        return s->model ? write(s), 0 : 0;
    case 5:
        return gf_model_forward(model);
    case 6: {
        uint32_t past = (uint32_t)size(), T = (uint32_t)size();
        return gf_model_step(model, past, T);
    }
    case 7:
        return gf_model_forward_patched(model, some_changes(model));
    case 8:
        return gf_model_vjp(&out, model, some_changes(model));
    case 9:
        return start(s, model);
    case 10:
        return gf_trainer_step(&out, model);
    case 11:
        return gf_trainer_gradients(&out, model, some_changes(model));
    case 12:
        return gf_trainer_loss(&out, model, some_changes(model));
    case 13: {
        uint32_t first = (uint32_t)size(), count = (uint32_t)size();
        return gf_trainer_shard(&out, model, first, count);
    }
    case 14:
        out.loss = number();
        return gf_trainer_apply(&out, model);
    case 15: {
        intptr_t block = gf_trainer_block(model, size());
        return block < 0 && block >= -1000 ? (int32_t)block : 0;
    }
    case 16:
        return gf_trainer_size(model);
    case 17:
        return gf_trainer_steps(model);
    case 18:
        return gf_trainer_resume(model, size());
    case 19:
        return list(model);
    case 20:
        return find(model);
    case 21: {
        graph_node node;
        return gf_model_node(&node, model, size());
    }
    case 22:
        return gf_model_node_count(model);
    case 23:
        return gf_model_operations(model, size(), size(), size()) == -1 ? GF_ERROR_HANDLE : 0;
    case 24: {
        config_field field;
        int32_t enumeration = size(), index = size();
        return gf_config_field(&field, enumeration, index);
    }
    case 25: {
        int32_t enumeration = (int32_t)(byte() % 6), value = size();
        const char *name = gf_name(enumeration, value);
        return name && strlen(name) > 40;
    }
    case 26: {
        config_field field;
        return gf_trainer_field(&field, size());
    }
    case 27:
        return planned();
    case 28:
        return gf_tile((int32_t)(byte() % 8)) < 4;
    case 29:
        return arrays();
    case 30:
        arm();
        return gf_model_resize(model, (uint32_t)size(), coin(3) ? (uint32_t)size() : 0);
    case 31:
        return gf_model_resume(model, (uint32_t)size());
    case 32:
        return gf_model_omit(model, coin(4) ? 0 : byte(), byte());
    case 33: {
        uint32_t row = (uint32_t)size();
        return gf_model_logits(model, row, some_changes(model));
    }
    case 34:
        return gf_model_bytes(model, (uint32_t)size(), (uint32_t)size(), (uint32_t)size(),
                              coin(2) ? (uint32_t)size() : 0, (int32_t)byte());
    case 35:
        return gf_model_arrange(model, coin(4) ? 0 : 1);
    case 36:
        return slices(s, model);
    case 38: {
        uint32_t rows = coin(16) ? UINT32_MAX - byte() : byte() % 9, labelled = coin(2);
        arm();
        float *data = (float *)gf_trainer_data(model, rows, (int32_t)labelled);
        intptr_t got = (intptr_t)data;
        for (size_t i = 0; got > 0 && i < rows * (size_t)s->config.d_model * (1 + labelled); i++) {
            data[i] = number();
        }
        return got > 0 ? 0 : (int32_t)got;
    }
    case 39:
        return gf_trainer_draw(model);
    case 40:
        return gf_model_copy(model, byte() % 4, byte() % 4);
    default:
        gf_free(gf_alloc(coin(4) ? SIZE_MAX - byte() : byte()));
        return gf_refused() == 0;
    }
}

static bool has(const slot *s, const char *tensor) { return gf_model_find(s->model, tensor) >= 0; }
static bool trains(const slot *s) { return has(s, "targets") || has(s, "targetVectors"); }

/* One call of three is what a host would do next, one of three makes deep courses, one is any. */
static uint32_t draw(const slot *s) {
    static const uint8_t deep[] = {3,  4,  5,  6,  7,  8,  9,  10, 11, 13,
                                   14, 30, 31, 32, 33, 35, 36, 38, 39, 40};
    uint32_t b = byte();
    if (b < 90) {
        return !s->model                                    ? 0
               : !has(s, "output")                          ? 3
               : trains(s) && gf_trainer_size(s->model) < 0 ? 9
               : b % 2                                      ? 4
               : trains(s)                                  ? 10
                                                            : 5;
    }
    return b < 180 ? deep[b % sizeof deep] : b % CALLS;
}

static void note(uint32_t call, int32_t got, const slot *s) {
    uint32_t class = got >= 0 ? 0 : got <= GF_ERROR_CONFIG ? 7 : (uint32_t)-got;
    CHECK(class < WORST, "call %u: got %d", call, got);
    uint32_t ready = 0;
    if (s->model) {
        ready = 1u | (uint32_t)has(s, "output") << 1 | (uint32_t)trains(s) << 2 |
                (uint32_t)(gf_trainer_size(s->model) >= 0) << 3;
    }
    class = class < WORST ? class : 0;
    if (!seen[call][class][ready]) {
        seen[call][class][ready] = 1;
        news = at;
    }
}

static void one_call(void) {
    int32_t model;
    slot *s = pick(&model), before = *s;
    uint32_t call = draw(s);
    size_t live = heap_live, held = check_held_count;
    uint64_t state = s->model ? state_of(s->model) : 0;
    refuse_next = KINDS[call] == ALLOCATES && coin(8) ? 1 + byte() % 3 : 0;
    int32_t got = run(call, s, model);
    disarm();
    calls++;
    note(call, got, s);
    size_t own = check_held_count - held;
    CHECK(KINDS[call] == ALLOCATES || call == 1 || heap_live == live + own, "call %u allocates",
          call);
    s->digest = digest_of(s->model);
    if (got < 0) {
        refused++;
        CHECK(heap_live == live + own, "call %u, got %d: blocks", call, got);
        CHECK(state_of(s->model) == state || !s->model, "call %u, got %d: the state", call, got);
        CHECK(got == GF_ERROR_NUMBER || s->digest == before.digest, "call %u, got %d: it changes",
              call, got);
        CHECK(got != GF_ERROR_NUMBER || KINDS[call] == TRAINS, "call %u: a number", call);
    } else if (KINDS[call] == READS) {
        CHECK(s->digest == before.digest, "call %u changes something", call);
    }
    release_to(held);
}

static void others_stand(void) {
    for (size_t i = 0; i < SLOTS; i++) {
        CHECK(digest_of(slots[i].model) == slots[i].digest, "model %zu changed meanwhile", i);
    }
}

static void go(void) {
    unsigned long failures = check_failures;
    size_t live = heap_live;
    at = 0;
    news = 0;
    while (at < now.length) {
        one_call();
        if (at % 8 == 0) {
            others_stand();
        }
    }
    others_stand();
    for (size_t i = 0; i < SLOTS; i++) {
        if (slots[i].model) {
            CHECK(gf_model_destroy(slots[i].model) == 0, "destroy");
        }
        slots[i] = (slot){0};
    }
    CHECK(heap_live == live, "%zu blocks are left", heap_live - live);
    if (check_failures > failures) {
        last_words();
    }
}

static course kept[MOST_COURSES];
static size_t kept_count;

/* One course a line, as hexadecimal digits; lines of # are comments. */
static void read_courses(const char *path) {
    FILE *file = fopen(path, "r");
    static char line[2 * LONGEST + 3];
    CHECK(file, "%s cannot be read", path);
    while (file && kept_count < MOST_COURSES && fgets(line, sizeof line, file)) {
        course *c = kept + kept_count;
        unsigned value;
        for (c->length = 0; sscanf(line + 2 * c->length, "%2x", &value) == 1; c->length++) {
            c->bytes[c->length] = (uint8_t)value;
        }
        kept_count += c->length > 0;
    }
    if (file) {
        fclose(file);
    }
}

/* Bytes drawn from the seed; or a kept course with a part of it, or of another, put elsewhere. */
static void invent(uint32_t seed) {
    check_seed = seed * 0x9e3779b1u;
    bool change = kept_count > 0 && random_below(3) == 0;
    now.length = 40 + random_below(LONGEST - 40);
    for (size_t i = 0; i < now.length; i++) {
        now.bytes[i] = (uint8_t)(random_bits() >> 8);
    }
    if (change) {
        const course *from = kept + random_below(kept_count),
                     *other = kept + random_below(kept_count);
        memcpy(now.bytes, from->bytes, from->length);
        now.length = from->length + random_below(LONGEST - from->length + 1);
        size_t start = random_below(other->length), to = random_below(now.length);
        size_t n = random_below(other->length - start + 1);
        memcpy(now.bytes + to, other->bytes + start, n < now.length - to ? n : now.length - to);
        now.bytes[random_below(now.length)] ^= (uint8_t)(1 << random_below(8));
    }
}

int main(int argc, char **argv) {
    bool keeps = argc > 1 && strcmp(argv[1], "keep") == 0;
    argv += keeps, argc -= keeps;
    uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
    uint32_t seed = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
    signal(SIGABRT, on_abort);
#if HAS_ADDRESS
    __sanitizer_set_death_callback(last_words);
#endif
    if (!keeps) {
        read_courses("tests/fuzz/abi.txt");
    }
    for (size_t i = 0; i < kept_count; i++) {
        now = kept[i];
        go();
    }
    for (uint32_t i = 0; i < count && check_failures < 20; i++) {
        invent(seed + i);
        go();
        if (keeps && news > 0) {
            now.length = news;
            print_course(stdout);
        }
    }
    if (keeps) {
        return check_failures > 0;
    }
    printf("{\"courses\": %" PRIu32 ", \"kept\": %zu, \"calls\": %lu, \"refused\": %lu}\n", count,
           kept_count, calls, refused);
    return check_done("wasm/abi", NULL, 0);
}
