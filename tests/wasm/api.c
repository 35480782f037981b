/* Calls of the ABI one by one: what they refuse, and that a refused one writes nothing; the operations that are more
 * than a call of a kernel against sums written out. Random courses of them are in abi.c. */
#include "../../src/kernel/matmul.h"
#include "../../src/kernel/packed.h"
#include "../model/defaults.h"
#include "models.h"

static bool untouched(const float *x, size_t n) {
    bool all = true;
    for (size_t i = 0; i < n; i++) {
        all = all && isnan(x[i]);
    }
    return all;
}
#define REFUSES(wanted, y, n, call)                                                                \
    do {                                                                                           \
        int32_t got_ = (call);                                                                     \
        CHECK(got_ == (wanted), "%s: got %d", #call, got_);                                        \
        CHECK(untouched(y, n), "%s: something is written", #call);                                 \
    } while (0)

static void products(void) {
    enum { B = 3, M = 2, K = 5, N = 4 };
    for (int32_t flags = 0; flags < 4; flags++) {
        int32_t ta = flags & 1, tb = flags >> 1;
        float *a = random_floats(B * M * K, 1), *b = random_floats(B * K * N, 1);
        float *y = blank(B * M * N);
        CHECK(gf_matmul(y, a, b, B, M, K, N, ta, tb) == 0, "matmul");
        for (size_t i = 0; i < B * M * N; i++) {
            size_t n = i / (M * N), r = i / N % M, c = i % N;
            double sum = 0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[n * M * K + (ta ? k * M + r : r * K + k)] *
                       b[n * K * N + (tb ? c * K + k : k * N + c)];
            }
            CHECK(fabs(y[i] - sum) < 1e-6, "matmul %d at %zu: got %g, not %g", flags, i,
                  (double)y[i], sum);
        }
    }
    release();
}

static void positions(void) {
    float *y = blank(12);
    for (int i = 0; i < 2; i++) {
        const int32_t at[] = {0, 1, i ? -1 : CONFIG_MAX_SIZE + 1};
        REFUSES(GF_ERROR_TOKEN, y, 12, gf_positions(y, at, 3, 4));
    }
    const int32_t at[] = {0, 1, CONFIG_MAX_SIZE};
    CHECK(gf_positions(y, at, 3, 4) == 0 && fabs(y[4] - sin(1)) < 1e-6 &&
              fabs(y[9] - cos(CONFIG_MAX_SIZE)) < 1e-6,
          "positions");
    release();
}

static void rotations(void) {
    enum { T = 3, H = 2, D = 4 };
    const int32_t at[] = {0, 1, CONFIG_MAX_SIZE};
    float *table = blank(T * D), *x = random_floats(T * H * D, 1);
    float *y = blank(T * H * D), *back = blank(T * H * D);
    CHECK(gf_rotation(table, at, T, D, 100, ROTATION_LINEAR, 2, 1, 4, 8) == 0, "rotation");
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < D / 2; i++) {
            double angle = at[t] * pow(100, -2.0 * (double)i / D) / 2;
            CHECK(fabs(table[t * D + i] - cos(angle)) < 1e-6 &&
                      fabs(table[t * D + D / 2 + i] - sin(angle)) < 1e-6,
                  "angle %zu at %zu", i, t);
        }
    }
    for (int32_t interleaved = 0; interleaved < 2; interleaved++) {
        CHECK(gf_rotate(y, x, table, T, H, D, D, interleaved, 0) == 0 &&
                  gf_rotate(back, y, table, T, H, D, D, interleaved, 1) == 0,
              "rotate");
        size_t first = 1 * H * D, partner = first + (interleaved ? 1 : D / 2);
        double turned = x[first] * cos(.5) - x[partner] * sin(.5);
        CHECK(fabs(y[first] - turned) < 1e-6, "turned: got %g, not %g", (double)y[first], turned);
        for (size_t i = 0; i < T * H * D; i++) {
            CHECK(fabs(back[i] - x[i]) < 1e-6, "turned back at %zu", i);
        }
    }
    float *none = blank(T * D);
    for (int i = 0; i < 2; i++) {
        const int32_t bad[] = {0, 1, i ? -1 : CONFIG_MAX_SIZE + 1};
        REFUSES(GF_ERROR_TOKEN, none, T * D, gf_rotation(none, bad, T, D, 1e4, 0, 1, 1, 4, 8));
    }
#define REFUSED(...) REFUSES(GF_ERROR_ARGUMENT, none, T *D, gf_rotation(none, at, T, __VA_ARGS__))
    REFUSED(3, 1e4, 0, 1, 1, 4, 8);
    REFUSED(D, 1e4, -1, 1, 1, 4, 8);
    REFUSED(D, 1e4, ROTATION_SCALING_COUNT, 1, 1, 4, 8);
    REFUSED(D, .5, 0, 1, 1, 4, 8);
    REFUSED(D, INFINITY, 0, 1, 1, 4, 8);
    REFUSED(D, 1e4, 0, .5, 1, 4, 8);
    REFUSED(D, 1e4, 0, NAN, 1, 4, 8);
    REFUSED(D, 1e4, 0, 1, 4, 4, 8);
    REFUSED(D, 1e4, 0, 1, 1, 4, 0);
#undef REFUSED
    REFUSES(GF_ERROR_ARGUMENT, none, T * D, gf_rotate(none, x, table, T, H, 3, 3, 0, 0));
    REFUSES(GF_ERROR_ARGUMENT, none, T * D, gf_rotate(none, x, table, T, H, 2, 4, 0, 0));
    release();
}

static void layer_norm(void) {
    enum { R = 2, C = 3 };
    float *x = random_floats(R * C, 1), *weight = random_floats(C, 1), *bias = random_floats(C, 1),
          *dy = random_floats(R * C, 1);
    float *y = blank(R * C), *mean = blank(R), *variance = blank(R), *dx = blank(R * C),
          *dweight = blank(C), *dbias = blank(C);
    CHECK(gf_layer_norm(y, mean, variance, x, weight, bias, 1e-5F, R, C) == 0 &&
              gf_layer_norm_backward(dx, dweight, dbias, dy, x, weight, 1e-5F, R, C) == 0,
          "layer_norm");
    double gain[C] = {0}, shift[C] = {0};
    for (size_t r = 0; r < R; r++) {
        const float *x_r = x + r * C, *dy_r = dy + r * C;
        double middle = 0, square = 0, g = 0, gh = 0;
        for (size_t c = 0; c < C; c++) {
            middle += x_r[c] / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            square += (x_r[c] - middle) * (x_r[c] - middle) / C;
        }
        double root = sqrt(square + 1e-5);
        for (size_t c = 0; c < C; c++) {
            double h = (x_r[c] - middle) / root, own = (double)dy_r[c] * weight[c];
            g += own / C;
            gh += own * h / C;
            gain[c] += dy_r[c] * h;
            shift[c] += dy_r[c];
        }
        CHECK(fabs(mean[r] - middle) < 1e-5 && fabs(variance[r] - square) < 1e-5, "row %zu", r);
        for (size_t c = 0; c < C; c++) {
            double h = (x_r[c] - middle) / root;
            double wanted = ((double)dy_r[c] * weight[c] - g - h * gh) / root;
            CHECK(fabs(y[r * C + c] - (h * weight[c] + bias[c])) < 1e-5, "y %zu %zu", r, c);
            CHECK(fabs(dx[r * C + c] - wanted) < 1e-4, "dx %zu %zu: %g, not %g", r, c,
                  (double)dx[r * C + c], wanted);
        }
    }
    for (size_t c = 0; c < C; c++) {
        CHECK(fabs(dweight[c] - gain[c]) < 1e-4 && fabs(dbias[c] - shift[c]) < 1e-4, "sums %zu", c);
    }
    release();
}

static void rms_norm(void) {
    enum { R = 2, C = 3 };
    float *x = random_floats(R * C, 1), *weight = random_floats(C, 1),
          *dy = random_floats(R * C, 1);
    float *y = blank(R * C), *square = blank(R), *dx = blank(R * C), *dweight = blank(C);
    CHECK(gf_rms_norm(y, square, x, weight, 1e-5F, R, C) == 0 &&
              gf_rms_norm_backward(dx, dweight, dy, x, weight, 1e-5F, R, C) == 0,
          "rms_norm");
    for (size_t c = 0; c < C; c++) {
        double gain = 0;
        for (size_t r = 0; r < R; r++) {
            double sum = 1e-5, dot = 0;
            for (size_t i = 0; i < C; i++) {
                double each = x[r * C + i];
                sum += each * each / C;
                dot += (double)dy[r * C + i] * weight[i] * each;
            }
            double root = sqrt(sum), own = x[r * C + c];
            double wanted = ((double)dy[r * C + c] * weight[c] - own * dot / (C * sum)) / root;
            CHECK(fabs(y[r * C + c] - own / root * weight[c]) < 1e-5, "y %zu %zu", r, c);
            CHECK(fabs(dx[r * C + c] - wanted) < 1e-4, "dx %zu %zu", r, c);
            gain += (double)dy[r * C + c] * own / root;
        }
        CHECK(fabs(dweight[c] - gain) < 1e-4, "dweight %zu", c);
    }
    release();
}

static void cross_entropy(void) {
    enum { R = 4, V = 3, IGNORE = 7 };
    float *x = random_floats(R * V, 2), *p = blank(R * V), *loss = blank(1), *dx = blank(R * V);
    const int32_t targets[] = {2, 0, IGNORE, 1}, bad[] = {2, 0, 1, V};
#define BOTH(wanted, targets, V, smoothing, reduction)                                             \
    REFUSES(wanted, p, R *V,                                                                       \
            gf_cross_entropy(loss, p, x, targets, R, V, IGNORE, smoothing, reduction));            \
    REFUSES(wanted, dx, R *V,                                                                      \
            gf_cross_entropy_backward(dx, x, targets, R, V, IGNORE, smoothing, reduction))
    BOTH(GF_ERROR_TOKEN, bad, V, 0, 0);
    BOTH(GF_ERROR_ARGUMENT, targets, V, -0.1f, 0);
    BOTH(GF_ERROR_ARGUMENT, targets, V, 1.1f, 0);
    BOTH(GF_ERROR_ARGUMENT, targets, V, NAN, 0);
    BOTH(GF_ERROR_ARGUMENT, targets, V, 0, -1);
    BOTH(GF_ERROR_ARGUMENT, targets, V, 0, 2);
    const int32_t nobody[] = {IGNORE, IGNORE, IGNORE, IGNORE};
    BOTH(GF_ERROR_ARGUMENT, nobody, 0, 0, 0);
    CHECK(untouched(loss, 1), "a refused loss");
    for (int32_t reduction = 0; reduction < 2; reduction++) {
        double smoothing = 0.25, wanted = 0;
        CHECK(gf_cross_entropy(loss, p, x, targets, R, V, IGNORE, (float)smoothing, reduction) == 3,
              "rows that count");
        CHECK(gf_cross_entropy_backward(dx, p, targets, R, V, IGNORE, (float)smoothing,
                                        reduction) == 0,
              "backward");
        for (size_t r = 0; r < R; r++) {
            double sum = 0;
            for (size_t v = 0; v < V; v++) {
                sum += exp(x[r * V + v]);
            }
            for (size_t v = 0; v < V; v++) {
                double q = exp(x[r * V + v]) / sum, counts = targets[r] == IGNORE ? 0 : 1;
                double t = (targets[r] == (int32_t)v ? 1 - smoothing : 0) + smoothing / V;
                double slope = counts * (q - t) / (reduction ? 1 : 3);
                wanted -= counts * t * log(q);
                CHECK(fabs(dx[r * V + v] - slope) < 1e-6, "slope of row %zu: got %g, not %g", r,
                      (double)dx[r * V + v], slope);
            }
        }
        wanted /= reduction ? 1 : 3;
        CHECK(fabs(*loss - wanted) < 1e-6, "loss: got %g, not %g", (double)*loss, wanted);
    }
    release();
}

static void sample(void) {
    float logits[] = {0, 3, 1, 3}, *scratch = blank(4);
    uint32_t state[4], before[4];
    gf_seed(state, 5);
    memcpy(before, state, sizeof state);
    static const float temperatures[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        REFUSES(GF_ERROR_ARGUMENT, scratch, 4,
                gf_sample(logits, 4, temperatures[i], 0, state, scratch));
    }
    REFUSES(GF_ERROR_ARGUMENT, scratch, 4, gf_sample(logits, 4, 1, 5, state, scratch));
    REFUSES(GF_ERROR_ARGUMENT, scratch, 4, gf_sample(logits, 0, 1, 0, state, scratch));
    CHECK(gf_sample(logits, 4, 0, 4, state, scratch) == 1, "the first of the largest");
    CHECK(memcmp(state, before, sizeof state) == 0, "temperature 0 draws");
    CHECK(gf_sample(logits, 4, 1, 1, state, scratch) == 1, "of one");
    CHECK(memcmp(state, before, sizeof state) != 0, "a temperature draws");
    memcpy(before, state, sizeof state);
    logits[2] = NAN;
    CHECK(gf_sample(logits, 4, 1, 0, state, scratch) == GF_ERROR_ARGUMENT &&
              memcmp(state, before, sizeof state) == 0,
          "logits that hold NaN");
    release();
}

static void refusals(void) {
    float *x = random_floats(6, 1), *y = blank(6), *w = blank(3), *b = blank(3);
    static const float epsilons[] = {-1, NAN};
    for (int i = 0; i < 2; i++) {
        REFUSES(GF_ERROR_ARGUMENT, y, 6, gf_layer_norm(y, w, b, x, x, x, epsilons[i], 2, 3));
        REFUSES(GF_ERROR_ARGUMENT, w, 3,
                gf_layer_norm_backward(y, w, b, x, x, x, epsilons[i], 2, 3));
    }
    for (int i = 0; i < 3; i++) {
        float epsilon = i < 2 ? epsilons[i] : 0;
        size_t C = i < 2 ? 3 : 0;
        REFUSES(GF_ERROR_ARGUMENT, y, 6, gf_rms_norm(y, w, x, x, epsilon, 2, C));
        REFUSES(GF_ERROR_ARGUMENT, w, 3, gf_rms_norm_backward(y, w, x, x, x, epsilon, 2, C));
    }
    REFUSES(GF_ERROR_ARGUMENT, y, 6, gf_layer_norm(y, w, b, x, x, x, 0, 2, 0));
    REFUSES(GF_ERROR_ARGUMENT, w, 3, gf_layer_norm_backward(y, w, b, x, x, x, 0, 2, 0));
    static const int32_t kinds[] = {-1, ACTIVATION_TOP_K, ACTIVATION_COUNT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        REFUSES(GF_ERROR_ARGUMENT, y, 6, gf_activation(y, x, 6, kinds[i]));
        REFUSES(GF_ERROR_ARGUMENT, y, 6, gf_activation_backward(y, x, x, 6, kinds[i]));
    }
    REFUSES(GF_ERROR_ARGUMENT, y, 6, gf_top_k(y, x, 2, 3, 0));
    REFUSES(GF_ERROR_ARGUMENT, y, 6, gf_top_k_backward(y, x, x, 2, 3, 0));
    trainer_settings s = default_settings();
    REFUSES(GF_ERROR_ARGUMENT, y, 6, gf_optimize(y, y, y, x, 6, &s, 0));
    s.beta1 = 1;
    REFUSES(GF_ERROR_CONFIG - TRAINER_beta1, y, 6, gf_optimize(y, y, y, x, 6, &s, 1));
    static const int32_t ids[] = {0, 3};
    REFUSES(GF_ERROR_TOKEN, y, 6, gf_embedding(y, ids, x, 1, 2, 3, 2));
    release();
}

/* Top-k by its exports: the two largest of each row, and the gradient where they stand. */
static void top_k(void) {
    static const float x[] = {3, -1, 4, 1, 1, 1}, dy[] = {1, 2, 3, 4, 5, 6};
    float y[6], dx[6];
    CHECK(gf_top_k(y, x, 2, 3, 2) == 0 && same_bits(y, (float[]){3, 0, 4, 1, 1, 0}, 6), "top-k");
    CHECK(gf_top_k_backward(dx, dy, x, 2, 3, 2) == 0 &&
              same_bits(dx, (float[]){1, 0, 3, 4, 5, 0}, 6),
          "its gradient");
}

/* Two steps of plain descent by its export. */
static void optimize(void) {
    trainer_settings s = default_settings();
    s.optimizer = OPTIMIZER_SGD;
    s.learning_rate = 0.5;
    s.weight_decay = 0;
    float w[] = {1, -2, 3}, moments[3] = {0}, g[] = {2, 4, -1};
    CHECK(gf_optimize(w, moments, moments, g, 3, &s, 1) == 0 &&
              gf_optimize(w, moments, moments, g, 3, &s, 2) == 0 &&
              same_bits(w, (float[]){-1, -6, 4}, 3),
          "descent");
}

static void tables(void) {
    CHECK(gf_version() >= 1000, "version %d", gf_version());
    config_field f;
    for (int32_t kind = -1; kind <= KIND_COUNT; kind++) {
        for (int32_t i = -1; i <= gf_config_count(); i++) {
            bool fits = kind >= 0 && kind < KIND_COUNT && i >= 0 && i < gf_config_count();
            CHECK(gf_config_field(&f, kind, i) == (fits ? 0 : GF_ERROR_ARGUMENT), "field %d", i);
        }
    }
    CHECK(gf_trainer_field(&f, -1) == GF_ERROR_ARGUMENT, "setting -1");
    CHECK(gf_trainer_field(&f, gf_trainer_count()) == GF_ERROR_ARGUMENT, "one setting too many");
    CHECK(gf_alloc(0x7fffff01) == NULL, "more than memory can address");
    gf_free(gf_alloc(1));
    CHECK(gf_refused() == 0x7fffff01 && gf_refused() == 0, "reported once");
    CHECK(gf_tile(6) == 6 && gf_tile(0) >= 4 && gf_tile(4) == 4, "tiles");
}

/* A model of 2^31 bytes and more cannot be made, only listed; lists take no negative numbers. */
static void too_large(void) {
    model_config c;
    config_default(&c, KIND_ENCODER);
    c.d_model = 65536;
    CHECK(gf_model_create(&c) == GF_ERROR_MEMORY, "a model beyond memory");
    tensor_info t;
    CHECK(gf_config_tensors(&t, &c, 0, 0, 1) == 1 && !t.data,
          "its tensors are listed all the same");
    c.d_model = 8;
    CHECK(gf_config_tensors(&t, &c, 0, -1, 1) == GF_ERROR_ARGUMENT, "from -1");
    CHECK(gf_config_tensors(&t, &c, 0, 0, -1) == GF_ERROR_ARGUMENT, "-1 tensors");
}

/* Places of changes: the first and the last float of the block, nothing beyond, and whole floats. */
static void places(void) {
    model_config c;
    config_default(&c, KIND_FEED_FORWARD);
    c.d_model = 4;
    int32_t model = gf_model_create(&c), bytes = gf_model_prepare(model, 1, 0, 3, 0, GF_CAPTURE);
    CHECK(bytes > 0, "prepare: got %d", bytes);
    tensor_info t;
    CHECK(gf_model_tensors(&t, model, gf_model_find(model, "input"), 1) == 1, "input");
    float *first = t.data, gradient[] = {1, 1};
    const struct {
        ptrdiff_t at; /* in bytes */
        size_t count;
        int32_t wanted;
    } cases[] = {{0, 1, 0},
                 {bytes - 4, 1, 0},
                 {bytes - 8, 2, 0},
                 {bytes - 4, 2, GF_ERROR_ARGUMENT},
                 {bytes, 1, GF_ERROR_ARGUMENT},
                 {-4, 1, GF_ERROR_ARGUMENT},
                 {1, 1, GF_ERROR_ARGUMENT},
                 {2, 1, GF_ERROR_ARGUMENT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float *at = (float *)((uintptr_t)first + (uintptr_t)cases[i].at);
        patch p = {at, 1};
        cotangent g = {at, gradient, cases[i].count};
        gf_changes patched = {{&p, 1, NULL, 0}, 1}, given = {{NULL, 0, &g, 1}, 1};
        int32_t wanted = cases[i].wanted, one = cases[i].count == 1;
        CHECK(!one || gf_model_forward_patched(model, &patched) == wanted, "patch, case %zu", i);
        CHECK(gf_model_forward_patched(model, &given) == wanted, "cotangent, case %zu", i);
    }
    CHECK(gf_model_destroy(model) == 0, "destroy");
}

static void activations(void) {
    float x[] = {-1, 0, 2}, *y = blank(3);
    REFUSES(GF_ERROR_ARGUMENT, y, 3, gf_activation(y, x, 3, ACTIVATION_COUNT));
    CHECK(gf_activation(y, x, 3, ACTIVATION_RELU) == 0 && y[0] == 0 && y[2] == 2, "ReLU");
    release();
}

/* A length that does not fit leaves the layout as it is. */
static void lengths(void) {
    model_config c;
    config_default(&c, KIND_DECODER);
    c.vocabulary = c.d_model = 4;
    int32_t model = gf_model_create(&c);
    CHECK(gf_model_resize(model, 1, 0) == GF_ERROR_STATE, "before a layout");
    CHECK(gf_model_prepare(model, 1, 0, 3, 0, 0) > 0 && gf_model_forward(model) == 0, "a pass");
    CHECK(gf_model_resize(model, 0, 0) == GF_ERROR_ARGUMENT, "no token");
    CHECK(gf_model_resize(model, CONFIG_MAX_SIZE + 1, 0) == GF_ERROR_ARGUMENT, "too many");
    CHECK(gf_model_resize(model, 2, 1) == GF_ERROR_ARGUMENT, "no capacity for two");
    CHECK(gf_model_resume(model, 3) == 0, "three as before");
    CHECK(gf_model_resize(model, 2, 5) > 0 && gf_model_step(model, 3, 2) == 0, "on with a cache");
    CHECK(gf_model_resize(model, 2, 0) == GF_ERROR_STATE, "with a cache");
    CHECK(gf_model_destroy(model) == 0, "destroy");
    release();
}

/* Weights in 16 bits: read and written by parts, and not trained. */
static void halves(void) {
    model_config c;
    config_default(&c, KIND_FEED_FORWARD);
    c.d_model = 16, c.d_ff = 3, c.weights = WEIGHT_F16;
    int32_t model = gf_model_create(&c);
    tensor_info t;
    CHECK(gf_model_tensors(&t, model, gf_model_find(model, "linear1.weight"), 1) == 1, "weight");
    float put[] = {1, -0.1f, 70000, 2}, got[4] = {0};
    CHECK(gf_packed_put(t.data, 16, 44, put, 4, WEIGHT_F16) == GF_ERROR_NUMBER, "70000 as half");
    CHECK(gf_packed_get(got, t.data, 16, 44, 4, WEIGHT_F16) == 0, "get");
    CHECK(got[0] == 1 && got[1] == -0.0999755859375f && got[2] == 0 && got[3] == 2, "rounded");
    CHECK(gf_packed_put(t.data, 16, 46, put, 2, WEIGHT_F16) == 0, "the last two of 48");
    CHECK(gf_packed_put(t.data, 0, 0, put, 1, WEIGHT_F16) == GF_ERROR_ARGUMENT, "no columns");
    CHECK(gf_packed_get(got, t.data, 16, 0, 1, WEIGHT_F32) == GF_ERROR_ARGUMENT, "floats");
    CHECK(gf_packed_get(got, t.data, 16, 0, 1, 5) == GF_ERROR_ARGUMENT, "type 5");
    CHECK(gf_packed_put(t.data, 16, 0, put, 1, WEIGHT_PANELS) == GF_ERROR_ARGUMENT, "panels");
    CHECK(gf_model_arrange(model, 1) == GF_ERROR_STATE, "arranged");
    trainer_settings settings = default_settings();
    CHECK(gf_trainer_start(model, &settings, NULL, 0) == GF_ERROR_STATE, "trained");
    CHECK(gf_model_prepare(model, 1, 0, 1, 0, GF_TRAIN | GF_TRAIN_VECTORS) == GF_ERROR_ARGUMENT,
          "prepared for training");
    CHECK(gf_model_destroy(model) == 0, "destroy");
}

static float *place_of(int32_t model, const char *name) {
    tensor_info t;
    CHECK(gf_model_tensors(&t, model, gf_model_find(model, name), 1) == 1, "%s", name);
    return t.data;
}

/* A decoder in 16 bits has the logits of the same numbers in 32, one in 8 bits nearly. */
static void same_logits(weight_type type) {
    enum { V = 21, T = 3 };
    model_config c;
    config_default(&c, KIND_DECODER);
    c.vocabulary = V, c.d_model = 16, c.heads = 2, c.d_ff = 19, c.layers = 1, c.head = HEAD_TIED;
    c.weights = WEIGHT_F32;
    int32_t full = gf_model_create(&c);
    c.weights = (int32_t)type;
    int32_t half = gf_model_create(&c), count = gf_model_tensor_count(half);
    CHECK(gf_model_initialize(half, 5) == 0 && gf_model_initialize(full, 5) == 0, "initialize");
    for (int32_t i = 0; i < count; i++) {
        tensor_info t, same;
        CHECK(gf_model_tensors(&t, full, i, 1) + gf_model_tensors(&same, half, i, 1) == 2, "%d", i);
        size_t n = elements_of(&t);
        float *x = t.data, *drawn = hold(n * sizeof *drawn);
        if (same.type == TENSOR_FLOAT) {
            CHECK(same_bits(x, same.data, n), "%s: drawn otherwise", t.name);
            continue;
        }
        memcpy(drawn, x, n * sizeof *x);
        CHECK(same.type == (int32_t)type - WEIGHT_BF16 + TENSOR_BF16, "%s: type", t.name);
        size_t columns = (size_t)t.shape[1];
        CHECK(gf_packed_get(x, same.data, columns, 0, n, type) == 0, "get %s", t.name);
        for (size_t j = 0; j < n; j++) {
            float unit = type == WEIGHT_INT8 ? 3 : fabsf(drawn[j]);
            CHECK(fabsf(x[j] - drawn[j]) <= unit * 0x1p-8f, "%s[%zu]", t.name, j);
        }
    }
    for (int i = 0; i < 2; i++) {
        int32_t model = i ? half : full, *ids;
        CHECK(gf_model_prepare(model, 1, 0, T, 0, 0) > 0, "prepare");
        ids = (int32_t *)(void *)place_of(model, "decoder.ids");
        for (int32_t t = 0; t < T; t++) {
            ids[t] = (7 * t + 20) % V;
        }
        CHECK(gf_model_forward(model) == 0, "forward");
    }
    float *got = place_of(half, "logits"), *wanted = place_of(full, "logits");
    for (size_t i = 0; i < T * V; i++) {
        float allowed = type == WEIGHT_INT8 ? 2e-3f : 0;
        CHECK(fabsf(got[i] - wanted[i]) <= allowed, "logits[%zu] off by %g", i,
              (double)(got[i] - wanted[i]));
    }
    CHECK(gf_model_destroy(half) + gf_model_destroy(full) == 0, "destroy");
    release();
}

/* A model whose matrices are arranged has the bits of one that has rows; its weights are read as they were, and
 * training waits until they are rows again. */
static void arranged(int32_t kind, int32_t C) {
    enum { V = 21, T = 6 };
    model_config c;
    config_default(&c, kind);
    c.vocabulary = V, c.d_model = C, c.heads = 2, c.d_ff = C + 3, c.layers = 2, c.head = HEAD_TIED;
    int32_t model = gf_model_create(&c), count = gf_model_tensor_count(model);
    CHECK(gf_model_initialize(model, 5) == 0, "initialize");
    CHECK(gf_model_prepare(model, 1, kind == KIND_DECODER ? 0 : T, kind == KIND_ENCODER ? 0 : T, 0,
                           0) > 0,
          "prepare");
    for (int32_t i = 0; i < 2; i++) {
        int32_t at = gf_model_find(model, i ? "decoder.ids" : "encoder.ids");
        tensor_info t;
        if (at >= 0 && gf_model_tensors(&t, model, at, 1) == 1) {
            for (int32_t k = 0; k < T; k++) {
                ((int32_t *)t.data)[k] =
                    (7 * k + 20) % V; /* row 20 is one of the five that are over */
            }
        }
    }
    CHECK(gf_model_forward(model) == 0, "forward");
    float *logits = place_of(model, "logits"), *wanted = hold(T * V * sizeof *wanted);
    memcpy(wanted, logits, T * V * sizeof *wanted);
    for (int round = 0; round < 2; round++) { /* the second time it stands so already */
        CHECK(gf_model_arrange(model, 1) == 0, "arrange");
    }
    memset(logits, 0, T * V * sizeof *wanted);
    CHECK(gf_model_forward(model) == 0 && same_bits(logits, wanted, T * V), "kind %d, %d", kind, C);
    trainer_settings settings = default_settings();
    CHECK(gf_trainer_start(model, &settings, NULL, 0) == GF_ERROR_STATE, "trained");
    int32_t matrices = 0;
    for (int32_t i = 0; i < count; i++) {
        tensor_info t, rows;
        CHECK(gf_model_tensors(&t, model, i, 1) == 1, "%d", i);
        if (t.type != TENSOR_PANELS) {
            continue;
        }
        matrices++;
        size_t whole = (size_t)(t.shape[0] - t.shape[0] % 8), K = (size_t)t.shape[1], n = whole * K;
        float *got = hold(n * sizeof *got);
        CHECK(gf_packed_get(got, t.data, K, 0, n, WEIGHT_PANELS) == 0, "%s", t.name);
        CHECK(gf_model_arrange(model, 0) == 0 && gf_model_tensors(&rows, model, i, 1) == 1, "rows");
        CHECK(rows.type == TENSOR_FLOAT && rows.data == t.data, "%s", t.name);
        CHECK(same_bits(got, rows.data, n), "%s: read otherwise", t.name);
        CHECK(gf_model_arrange(model, 1) == 0, "arrange");
    }
    CHECK(matrices > 0, "matrices");
    CHECK(gf_model_arrange(model, 0) == 0 && gf_model_arrange(model, 0) == 0, "rows");
    CHECK(gf_trainer_start(model, &settings, NULL, 0) == 0, "trained");
    CHECK(gf_model_arrange(model, 1) == GF_ERROR_STATE, "arranged while it trains");
    CHECK(gf_model_destroy(model) == 0 && gf_model_arrange(model, 1) == GF_ERROR_HANDLE, "destroy");
    c.d_model = 12;
    model = gf_model_create(&c);
    CHECK(gf_model_arrange(model, 1) == GF_ERROR_STATE && gf_model_destroy(model) == 0,
          "d_model 12");
    release();
}

/* Some rows of a weight, written between others, have the bits of all of them. */
static void rows(int32_t type, size_t R) {
    enum { IN = 24, OUT = 40, CUT = 16, PADDED = 48 };
    float *x = random_floats(R * IN, 1), *b = random_floats(OUT, 1),
          *w = random_floats(OUT * IN, 1);
    float *r = random_floats(R * OUT, 1), *y = blank(R * OUT), *wanted = blank(R * OUT);
    packed_unit unit = packed_row(IN, (weight_type)type);
    size_t row = unit.count * unit.bytes;
    char *all = memset(hold(PADDED * row), 0, PADDED * row), *rest = all + CUT * row;
    if (type == WEIGHT_PANELS) {
        matmul_arrange(memcpy(all, w, OUT * row), OUT, IN, true);
    } else if (type) {
        CHECK(gf_packed_put(all, IN, 0, w, OUT * IN, type) == 0, "pack");
    } else {
        memcpy(all, w, OUT * row);
    }
    CHECK(gf_linear(wanted, OUT, x, all, type, b, r, 1, R, IN, OUT) == 0, "all");
    CHECK(gf_linear(y, OUT, x, all, type, b, r, 1, R, IN, CUT) == 0, "the first");
    CHECK(gf_linear(y + CUT, OUT, x, rest, type, b + CUT, r + CUT, 1, R, IN, OUT - CUT) == 0,
          "the others");
    CHECK(same_bits(y, wanted, R * OUT), "type %d, %zu rows", type, R);
    CHECK(gf_linear(y, OUT, x, all, type, NULL, NULL, 0, R, IN, OUT) == 0, "alone");
    for (size_t i = 0; i < R * OUT; i++) {
        float sum = y[i] + b[i % OUT] + r[i];
        CHECK(fabsf(wanted[i] - (sum > 0 ? sum : 0)) < 1e-5f, "at %zu: got %g", i,
              (double)wanted[i]);
    }
    y = blank(1);
    REFUSES(GF_ERROR_ARGUMENT, y, 1, gf_linear(y, 0, x, w, 0, NULL, NULL, 0, 1, IN, 1));
    REFUSES(GF_ERROR_ARGUMENT, y, 1, gf_linear(y, 1, x, w, -1, NULL, NULL, 0, 1, IN, 1));
    REFUSES(GF_ERROR_ARGUMENT, y, 1,
            gf_linear(y, 1, x, w, WEIGHT_PANELS + 1, NULL, NULL, 0, 1, IN, 1));
    release();
}

/* Slices: which there are, and that any other call ends a pass of theirs. */
static void slices(void) {
    model_config c;
    config_default(&c, KIND_DECODER);
    c.vocabulary = 5, c.d_model = c.d_ff = 32;
    gf_rows rows;
    exchange due;
    int32_t model = gf_model_create(&c), other = gf_slice_create(&c, 1, 1, 0);
    CHECK(model > 0 && other > 0, "both");
    CHECK(gf_slice_create(&c, 0, 1, 0) == GF_ERROR_ARGUMENT, "the first is a whole model");
    CHECK(gf_slice_create(&c, 2, 1, 0) == GF_ERROR_ARGUMENT, "a third of two");
    CHECK(gf_slice_create(&c, 1, MOST_SLICES, 0) == GF_ERROR_ARGUMENT, "too many");
    CHECK(gf_slice_rows(&rows, model, 1, 1, 0) == 3 && rows.spans[1].from == 48, "keys");
    CHECK(gf_slice_rows(&rows, model, 2, 1, 0) == GF_ERROR_ARGUMENT, "a third of two");
    CHECK(gf_slice_rows(&rows, model, 1, MOST_SLICES, 0) == GF_ERROR_ARGUMENT, "too many");
    CHECK(gf_slice_rows(&rows, other, 1, 1, 0) == GF_ERROR_ARGUMENT, "of a slice");
    CHECK(gf_slice_rows(&rows, 0, 1, 1, 0) == GF_ERROR_HANDLE, "of none");
    CHECK(gf_slice_begin(0, 1, 0, 3) == GF_ERROR_HANDLE, "none");
    CHECK(gf_slice_next(&due, 0) == GF_ERROR_HANDLE, "none");
    CHECK(gf_slice_begin(model, 0, 0, 3) == GF_ERROR_ARGUMENT, "alone");
    CHECK(gf_slice_begin(model, MOST_SLICES, 0, 3) == GF_ERROR_ARGUMENT, "too many");
    CHECK(gf_model_prepare(model, 1, 0, 3, 0, 0) > 0 && gf_slice_begin(model, 1, 0, 3) == 0,
          "begin");
    CHECK(gf_slice_next(&due, model) == 1 && due.rows == 3 && due.row == 32 && !due.first, "input");
    CHECK(due.begin[0] == 0 && due.begin[1] == 32 && due.begin[2] == 32, "by the first");
    CHECK(gf_slice_next(&due, model) == 1 && due.begin[1] == 16 && due.begin[2] == 32, "heads");
    CHECK(gf_model_tensor_count(model) > 0, "another call");
    CHECK(gf_slice_next(&due, model) == GF_ERROR_STATE, "ends it");
    CHECK(gf_model_forward(model) == 0 && gf_model_forward(other) == GF_ERROR_STATE, "a pass");
    gf_model_destroy(model);
    gf_model_destroy(other);
}

int main(void) {
    size_t live = heap_live;
    products();
    positions();
    rotations();
    layer_norm();
    rms_norm();
    cross_entropy();
    sample();
    refusals();
    tables();
    top_k();
    optimize();
    lengths();
    activations();
    too_large();
    places();
    halves();
    same_logits(WEIGHT_BF16);
    same_logits(WEIGHT_F16);
    same_logits(WEIGHT_INT8);
    arranged(KIND_DECODER, 16);
    arranged(KIND_ENCODER, 24);
    arranged(KIND_ENCODER_DECODER, 8);
    for (int32_t type = 0; type <= WEIGHT_PANELS; type++) {
        rows(type, 1);
        rows(type, 6);
    }
    slices();
    CHECK(heap_live == live, "%zu blocks are left", heap_live - live);
    return check_done("wasm/api", NULL, 0);
}
