/* The cost of a forward pass against a count over the tensors that the model lists. */
#include "reference.h"

/* A product: multiply-adds, what it writes, and its rows. */
static double product(double rows, double entries, double out) {
    return rows * (entries + 12 * out + 300);
}

/* Products of a matrix of weights. */
static double products(const fixture *f, const tensor_info *t) {
    const model_dims *n = &f->m.dims;
    double B = (double)n->B, entries = (double)elements_of(t), out = (double)t->shape[0];
    bool decoder = strncmp(t->name, "decoder.", 8) == 0 || strncmp(t->name, "tgt_", 4) == 0 ||
                   f->m.config.kind == KIND_DECODER;
    double queries = decoder || n->alone ? (double)n->T : (double)n->S, keys = queries;
    if (strstr(t->name, "emb.weight") || t->rank < 2 || strstr(t->name, "generator") ||
        strstr(t->name, "relative_bias") || strstr(t->name, "output_proj")) {
        return 0;
    }
    if (strstr(t->name, "transform")) {
        return product(B * (double)n->TO, entries, out);
    }
    if (strstr(t->name, "multihead_attn") || (n->alone && n->S > 0)) {
        keys = (double)n->S;
    }
    if (strstr(t->name, "in_proj")) { /* query, then key and value */
        double A = (double)f->m.dims.A, E = (double)f->m.dims.E, C = entries / out;
        return product(B * queries, A * C, A) + 2 * product(B * keys, E * C, E);
    }
    return product(B * queries, entries, out);
}

static bool ends(const char *name, const char *with) {
    size_t length = strlen(name), end = strlen(with);
    return length >= end && strcmp(name + length - end, with) == 0;
}

/* The operations of a tensor beside products. */
static double others(const fixture *f, const tensor_info *t) {
    const model_config *c = &f->m.config;
    double n = (double)elements_of(t), rows = n / (double)t->shape[t->rank - 1];
    bool ramp = c->activation == ACTIVATION_RELU || c->activation == ACTIVATION_NONE;
    if (t->region == TABLE || t->type != TENSOR_FLOAT) {
        return 0;
    }
    if (ends(t->name, "weights")) { /* scores and weighted sums */
        return (2.0 * (double)f->m.dims.D + 32) * n + 600 * rows;
    }
    if (ends(t->name, "pre_activation")) {
        return n * (ramp ? 6 : 48);
    }
    if (strstr(t->name, "residual")) {
        return 6 * n;
    }
    bool norm =
        (strstr(t->name, "norm") && !strstr(t->name, "normed")) || strstr(t->name, "emb_ln");
    if (norm && ends(t->name, ".out")) {
        return 12 * n + 300 * rows;
    }
    bool stack = strcmp(t->name, "encoder.out") == 0 || strcmp(t->name, "decoder.out") == 0;
    return stack ? 40 * n + 300 * rows : 0;
}

static void one_model(int32_t kind) {
    model_config c = random_config(kind);
    request ask = random_request(&c);
    ask.capture = true;
    fixture *f = fixture_make(&c, ask, NULL);
    double wanted = 100000;
    for (size_t i = 0; i < f->count; i++) {
        tensor_info t = f->list[i];
        wanted += t.region == WEIGHT ? products(f, &t) : others(f, &t);
    }
    if (config_has_head(&c)) {
        double rows = (double)(ask.B * f->m.dims.TO), V = (double)f->m.dims.VO;
        wanted += product(rows, (double)c.d_model * V, V) + 12 * rows * V;
    }
    double got = dims_operations(&c, (double)ask.B, (double)ask.S, (double)ask.T);
    CHECK(fabs(got - wanted) <= 1e-9 * wanted, "kind %d B%zu S%zu T%zu: got %.17g, wanted %.17g",
          kind, ask.B, ask.S, ask.T, got, wanted);
    double half = dims_operations(&c, (double)ask.B / 2, (double)ask.S, (double)ask.T);
    CHECK(fabs(half - (got + 100000) / 2) <= 1e-9 * got, "half a batch: got %g of %g", half, got);
    release();
}

int main(void) {
    for (int round = 0; round < 200; round++) {
        for (int32_t kind = 0; kind < KIND_COUNT; kind++) {
            one_model(kind);
        }
    }
    return check_done("model/operations", NULL, 0);
}
