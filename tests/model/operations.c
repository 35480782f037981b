/* The multiply-adds of a forward pass against a count over the matrices that the model lists. */
#include "reference.h"

/* Products of a matrix of weights: rows that it is applied to, times its entries. */
static double products(const fixture *f, const tensor_info *t) {
    const model_dims *n = &f->m.dims;
    double B = (double)n->B, entries = (double)elements_of(t);
    bool decoder = strncmp(t->name, "decoder.", 8) == 0;
    double queries = decoder || n->alone ? (double)n->T : (double)n->S, keys = queries;
    if (strstr(t->name, "emb.weight") || t->rank < 2) {
        return 0;
    }
    if (strstr(t->name, "generator") || strstr(t->name, "transform")) {
        return B * (double)n->TO * entries;
    }
    if (strstr(t->name, "multihead_attn") || (n->alone && n->S > 0)) {
        keys = (double)n->S;
    }
    if (strstr(t->name, "in_proj")) { /* query, then key and value */
        return B * (queries + 2 * keys) / 3 * entries;
    }
    return B * queries * entries;
}

/* Scores and weighted sums of a map of attention. */
static double maps(const fixture *f, const tensor_info *t) {
    const char *tail = strrchr(t->name, '.') ? strrchr(t->name, '.') + 1 : t->name;
    return strcmp(tail, "weights") == 0 ? 2.0 * f->m.dims.D * (double)elements_of(t) : 0;
}

static void one_model(int32_t kind) {
    model_config c = random_config(kind);
    request ask = random_request(&c);
    ask.capture = true;
    fixture *f = fixture_make(&c, ask, NULL);
    double wanted = 0;
    for (size_t i = 0; i < f->count; i++) {
        tensor_info t = f->list[i];
        wanted += t.region == WEIGHT ? products(f, &t) : maps(f, &t);
    }
    if (c.head == HEAD_TIED) {
        wanted += (double)(ask.B * f->m.dims.TO * f->m.dims.C * f->m.dims.VO);
    }
    double got = dims_operations(&c, (double)ask.B, (double)ask.S, (double)ask.T);
    CHECK(fabs(got - wanted) <= 1e-9 * wanted, "kind %d B%zu S%zu T%zu: got %.17g, wanted %.17g",
          kind, ask.B, ask.S, ask.T, got, wanted);
    double half = dims_operations(&c, (double)ask.B / 2, (double)ask.S, (double)ask.T);
    CHECK(half == got / 2, "half a batch: got %g of %g", half, got);
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
