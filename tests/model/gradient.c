/* The backward pass of every kind of model: the gradients of all weights and vectors against
 * central differences of the double reference, along random directions through each tensor. */
#include "reference.h"

enum { LOSS, GRADIENT, BOUNDS };
static bound bounds[BOUNDS] = {
    [LOSS] = {.what = "loss, 1 + |loss| + largest output", .allowed = 2e-5},
    [GRADIENT] = {.what = "gradient, the tensor's largest + 1% of all", .allowed = 5e-4},
};
static unsigned long kinks, directions;

/* The objective in double. */
static double ref_loss(fixture *f, const objective *o, double *size) {
    bool alone = f->m.dims.alone;
    size_t held = check_held_count, counted = 0, V = alone ? f->m.dims.C : f->m.dims.VO;
    double *logits, *output = ref_model(f, &logits), loss = 0;
    logits = alone ? output : logits;
    const int32_t *targets = data_of(f, "", "targets");
    const float *vectors = data_of(f, "", "targetVectors");
    const uint8_t *mask = data_of(f, "", "lossMask");
    bool valued = f->m.config.output_width > 0;
    size_t R = f->m.dims.B * f->m.dims.TO, N = valued ? V : f->m.dims.C, rows = 0;
    for (size_t r = 0; r < R; r++) {
        rows += !mask || mask[r];
    }
    output = valued ? logits : output;
    *size = 1;
    for (size_t i = 0; i < R * N; i++) {
        *size = fmax(*size, fabs(output[i]));
        loss += !vectors || (mask && !mask[i / N]) ? 0
                : o->kind == OBJECTIVE_LINEAR ? output[i] * vectors[i]
                                              : pow(output[i] - vectors[i], 2) / (double)(rows * N);
    }
    for (size_t r = 0; targets && r < R; r++) {
        double top = -INFINITY, sum = 0, all = 0, *x = logits + r * V;
        for (size_t v = 0; v < V; v++) {
            top = fmax(top, x[v]);
        }
        for (size_t v = 0; v < V; v++) {
            sum += exp(x[v] - top);
            all += (x[v] - top) / (double)V;
        }
        if (targets[r] != o->ignore_index && (!mask || mask[r])) {
            double smooth = o->smoothing;
            loss -= (1 - smooth) * (x[targets[r]] - top) + smooth * all - log(sum);
            counted++;
        }
    }
    release_to(held);
    return counted ? loss / (double)counted : loss;
}

static double largest(const tensor_info *t) {
    double top = 0;
    for (size_t i = 0; i < elements_of(t); i++) {
        top = fmax(top, fabs(((float *)t->data)[i]));
    }
    return top;
}

/* Moves tensor t by step along direction; the loss there. */
static double moved(fixture *f, const objective *o, const tensor_info *t, const float *from,
                    const float *direction, float step, double *change) {
    double size;
    for (size_t i = 0; i < elements_of(t); i++) {
        float to = from[i] + step * direction[i];
        change[i] += step > 0 ? to : -to;
        ((float *)t->data)[i] = to;
    }
    return ref_loss(f, o, &size);
}

/* The slope along one direction; smaller steps as long as a ReLU switches on the way. */
static void slope(fixture *f, const objective *o, const tensor_info *t, const tensor_info *gradient,
                  const float *direction, double unit) {
    size_t n = elements_of(t), held = check_held_count;
    float *from = memcpy(hold(n * sizeof *from), t->data, n * sizeof *from);
    double length = 0, size;
    for (size_t i = 0; i < n; i++) {
        length += direction[i] * direction[i];
    }
    ref_loss(f, o, &size);
    uint64_t here = ref_kinks;
    directions++;
    bool crossed = true;
    for (float step = 2e-5f / sqrtf((float)length); crossed && step > 1e-7f; step /= 4) {
        double *change = zeros(n), wanted = 0, along = 0, taken = 0;
        double up = moved(f, o, t, from, direction, step, change);
        crossed = ref_kinks != here;
        double down = moved(f, o, t, from, direction, -step, change);
        crossed = crossed || ref_kinks != here;
        memcpy(t->data, from, n * sizeof *from);
        for (size_t i = 0; i < n; i++) {
            along += ((float *)gradient->data)[i] * change[i];
            taken += change[i] * change[i];
        }
        wanted = up - down;
        if (!crossed) {
            const model_config *c = &f->m.config;
            CHECK_WITHIN(bounds + GRADIENT, along / sqrt(taken), wanted / sqrt(taken), unit,
                         "%s kind %d norm %d affine %d residual %d objective %d dropout %g C%d H%d "
                         "layers %d %d",
                         gradient->name, c->kind, c->norm, c->norm_affine, c->residual, o->kind,
                         (double)o->dropout, c->d_model, c->heads, c->layers, c->decoder_layers);
        }
    }
    kinks += crossed;
    release_to(held);
}

/* One tensor: all entries at once, twice, then some of them alone. */
static void differences(fixture *f, const objective *o, const tensor_info *t, double all) {
    tensor_info gradient;
    CHECK(tensor_of(&gradient, f, join("grad.", t->name)), "grad.%s is missing", t->name);
    size_t n = elements_of(t), held = check_held_count;
    CHECK(n == elements_of(&gradient), "grad.%s has another size", t->name);
    double unit = largest(&gradient) + 0.01 * all + 1e-12;
    for (size_t round = 0; round < 4; round++) {
        float *direction = hold(n * sizeof *direction);
        size_t only = random_below(n);
        for (size_t i = 0; i < n; i++) {
            direction[i] = round < 2 ? (random_bits() & 256 ? 1 : -1) : i == only;
        }
        slope(f, o, t, &gradient, direction, unit);
    }
    release_to(held);
}

static objective random_objective(const model_config *c, request *ask) {
    bool alone = c->kind >= KIND_ATTENTION;
    ask->vector_targets = (!config_has_head(c) && !alone) || random_below(4) == 0;
    ask->loss_mask = random_below(2);
    return (objective){.kind = ask->vector_targets ? 1 + (int32_t)random_below(2) : 0,
                       .ignore_index = IGNORED,
                       .smoothing = random_below(2) ? 0.1f : 0,
                       .dropout = random_below(3) ? 0 : 0.3f,
                       .dropout_key = random_bits()};
}

static void one_model(int32_t kind) {
    model_config c = random_config(kind);
    if (c.d_model < 4) {
        return; /* so few columns that LayerNorm all but fixes them */
    }
    request ask = random_request(&c);
    ask.train = ask.capture = true;
    objective o = random_objective(&c, &ask);
    fixture *f = fixture_make(&c, ask, NULL);
    ref_rate = kind < KIND_ATTENTION ? o.dropout : 0;
    ref_dropout_key = o.dropout_key;
    double wanted, size, all = 0;
    do {
        fill_inputs(f);
        wanted = ref_loss(f, &o, &size);
    } while (ref_nearest < 1e-5);
    float loss;
    size_t counted;
    CHECK(model_gradients(&f->m, &o, &loss, &counted) == MODEL_OK, "gradients");
    CHECK_WITHIN(bounds + LOSS, loss, wanted, size + fabs(wanted), "loss, kind %d objective %d",
                 kind, o.kind);
    for (size_t i = 0; i < f->count; i++) {
        tensor_info t = f->list[i];
        if (is_gradient(&t)) {
            all = fmax(all, largest(&t));
        }
    }
    for (size_t i = 0; i < f->count; i++) {
        tensor_info t = f->list[i];
        bool given = t.region == WEIGHT || t.region == INPUT;
        if (given && !is_gradient(&t) && t.type == TENSOR_FLOAT) {
            differences(f, &o, &t, all);
        }
    }
    release();
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 8;
    for (int round = 0; round < rounds; round++) {
        for (int32_t kind = KIND_ENCODER; kind <= KIND_FEED_FORWARD; kind++) {
            one_model(kind);
        }
    }
    CHECK(kinks * 200 <= directions, "%lu of %lu directions are full of kinks", kinks, directions);
    return check_done("model/gradient", bounds, BOUNDS);
}
