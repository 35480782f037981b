/* The facts of tensors.def on each tensor beside its place: role, node, where in the model graph it
 * stands, whether it may be patched; and the names of the enumerations. */
#include "../../src/model/roles.h"
#include "defaults.h"
#include "layout.h"

/* "node role stack layer sublayer attention patchable", a - for none. */
static const char *described(const tensor_info *t) {
    char *text = hold(128);
    const char *node = role_name(NAMES_OF_NODES, t->node);
    const char *stack = role_name(NAMES_OF_STACKS, t->place.stack);
    const char *kind = role_name(NAMES_OF_ATTENTIONS, t->place.attention);
    snprintf(text, 128, "%s %s %s %d %d %s %s", node ? node : "-",
             role_name(NAMES_OF_ROLES, t->role), stack ? stack : "-", t->place.layer,
             t->place.sublayer, kind ? kind : "-", t->patchable ? "patchable" : "-");
    return text;
}

/* One small encoder-decoder, as a reader of the documentation expects. */
static void rows(void) {
    static const char *const expected[][2] = {
        {"src_emb.weight", "embedding table encoder -1 0 - -"},
        {"src_type_emb.weight", "embedding type_table encoder -1 0 - -"},
        {"src_pos_emb.weight", "positions table encoder -1 0 - -"},
        {"src_emb_ln.weight", "norm weight encoder -1 0 - -"},
        {"tgt_emb.weight", "embedding table decoder -1 0 - -"},
        {"encoder.ids", "tokens ids encoder -1 0 - -"},
        {"encoder.types", "tokens types encoder -1 0 - -"},
        {"encoder.padding", "attention padding encoder -1 0 - -"},
        {"encoder.embedding", "embedding out encoder -1 0 - patchable"},
        {"encoder.positions", "positions encoding encoder -1 0 - -"},
        {"encoder.input", "- input encoder -1 0 - patchable"},
        {"encoder.layers.1.self_attn.in_proj_weight",
         "attention in_proj_weight encoder 1 1 self -"},
        {"encoder.layers.1.self_attn.in_proj_bias", "attention in_proj_bias encoder 1 1 self -"},
        {"encoder.layers.1.self_attn.out_proj.weight",
         "attention out_proj_weight encoder 1 1 self -"},
        {"encoder.layers.1.self_attn.out_proj.bias", "attention out_proj_bias encoder 1 1 self -"},
        {"encoder.layers.1.self_attn.query", "attention query encoder 1 1 self patchable"},
        {"encoder.layers.0.self_attn.masked", "attention masked encoder 0 1 self patchable"},
        {"encoder.layers.0.residual1", "add out encoder 0 1 self patchable"},
        {"encoder.layers.0.norm1.mean", "norm mean encoder 0 1 self -"},
        {"encoder.layers.0.norm1.variance", "norm variance encoder 0 1 self -"},
        {"encoder.layers.0.norm1.bias", "norm bias encoder 0 1 self -"},
        {"encoder.layers.0.norm1.out", "norm out encoder 0 1 self patchable"},
        {"encoder.layers.0.linear1.weight", "ffn linear1_weight encoder 0 2 - -"},
        {"encoder.layers.0.linear1.bias", "ffn linear1_bias encoder 0 2 - -"},
        {"encoder.layers.0.linear2.weight", "ffn linear2_weight encoder 0 2 - -"},
        {"encoder.layers.0.linear2.bias", "ffn linear2_bias encoder 0 2 - -"},
        {"encoder.layers.0.ffn.activation", "ffn activation encoder 0 2 - patchable"},
        {"encoder.layers.0.residual2", "add out encoder 0 2 - patchable"},
        {"encoder.layers.0.norm2.out", "norm out encoder 0 2 - patchable"},
        {"encoder.layers.0.out", "- layer_out encoder 0 0 - patchable"},
        {"encoder.norm.weight", "norm weight encoder -1 0 - -"},
        {"encoder.norm.out", "norm out encoder -1 0 - patchable"},
        {"encoder.out", "- stack_out encoder -1 0 - -"},
        {"decoder.layers.0.multihead_attn.head_outputs",
         "attention head_outputs decoder 0 2 cross patchable"},
        {"decoder.layers.0.multihead_attn.weights",
         "attention weights decoder 0 2 cross patchable"},
        {"decoder.layers.0.multihead_attn.out", "attention out decoder 0 2 cross patchable"},
        {"decoder.layers.0.residual2", "add out decoder 0 2 cross patchable"},
        {"decoder.layers.0.norm2.out", "norm out decoder 0 2 cross patchable"},
        {"decoder.layers.0.ffn.pre_activation", "ffn pre_activation decoder 0 3 - patchable"},
        {"decoder.layers.0.ffn.out", "ffn out decoder 0 3 - patchable"},
        {"decoder.layers.0.residual3", "add out decoder 0 3 - patchable"},
        {"decoder.layers.0.norm3.weight", "norm weight decoder 0 3 - -"},
        {"memory.padding", "attention padding - -1 0 - -"},
        {"mask", "attention mask - -1 0 - -"},
        {"generator.weight", "logits weight - -1 0 - -"},
        {"generator.bias", "logits bias - -1 0 - -"},
        {"logits", "logits out - -1 0 - -"},
        {"probabilities", "probabilities out - -1 0 - -"},
        {"targets", "- targets - -1 0 - -"},
        {"output", "- output - -1 0 - -"}};
    model_config c = uneven();
    c.types = 2;
    c.layers = 2;
    c.positions = POSITIONS_LEARNED;
    c.embedding_norm = 1;
    request ask = {.B = 1, .S = 3, .T = 4, .capture = true, .train = true, .types = true};
    ask.encoder_padding = ask.memory_padding = ask.mask = true;
    fixture *f = fixture_make(&c, ask, NULL);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        tensor_info t;
        CHECK(tensor_of(&t, f, expected[i][0]), "%s is missing", expected[i][0]);
        CHECK(strcmp(described(&t), expected[i][1]) == 0, "%s: %s, wanted %s", t.name,
              described(&t), expected[i][1]);
    }
    release();
}

/* A layer on its own stands in no stack; its attention is what its keys come from. */
static void alone(void) {
    model_config c;
    config_default(&c, KIND_ATTENTION);
    for (size_t S = 0; S < 4; S += 3) {
        fixture *f = fixture_make(&c, (request){.B = 1, .S = S, .T = 2, .capture = true}, NULL);
        tensor_info t;
        CHECK(tensor_of(&t, f, "weights") && t.place.stack == STACK_NONE && t.place.layer == -1 &&
                  t.place.attention == (S ? ATTENTION_CROSS : ATTENTION_SELF),
              "weights: %s", described(&t));
        CHECK(tensor_of(&t, f, "input") && t.role == ROLE_VECTORS, "input: %s", described(&t));
    }
    release();
}

/* Rules for every tensor of any model. */
static void rules(void) {
    for (int round = 0; round < 40; round++) {
        model_config c = random_config(round % 5);
        request ask = random_request(&c);
        ask.capture = true;
        ask.train = ask.vector_targets = round & 1 && !ask.capacity;
        fixture *f = fixture_make(&c, ask, NULL);
        for (size_t i = 0; i < f->count; i++) {
            tensor_info t = f->list[i], u;
            const role_facts *facts = role_describe((tensor_role)t.role);
            const char *region = role_name(NAMES_OF_REGIONS, t.region);
            CHECK(t.gradient == (strncmp(t.name, "grad.", 5) == 0), "%s: gradient %d", t.name,
                  t.gradient);
            CHECK((facts->initialization != NOT_DRAWN) == (t.region == WEIGHT),
                  "%s: initialization %d", t.name, (int)facts->initialization);
            CHECK(!t.patchable || (!t.gradient && strcmp(region, "intermediate") == 0),
                  "%s of region %s may be patched", t.name, region);
            CHECK(t.node == facts->node && t.role != ROLE_WORKSPACE, "%s: %s", t.name,
                  described(&t));
            if (t.gradient && tensor_of(&u, f, t.name + 5)) {
                CHECK(u.role == t.role && memcmp(&u.place, &t.place, sizeof u.place) == 0,
                      "%s: %s, but %s", t.name, described(&t), described(&u));
            }
            int at = tensors_index(&f->m.tensors, &f->m.dims, t.data);
            CHECK(at == (int)i || is_view(&t), "%s: index %d, wanted %zu", t.name, at, i);
        }
        CHECK(tensors_index(&f->m.tensors, &f->m.dims, NULL) == -1, "NULL");
        CHECK(tensors_index(&f->m.tensors, &f->m.dims, &c) == -1, "an address elsewhere");
        release();
    }
}

static void names(void) {
    for (int32_t i = 0; i < ROLE_COUNT; i++) {
        for (int32_t k = 0; k < i; k++) {
            const role_facts *a = role_describe((tensor_role)i), *b = role_describe((tensor_role)k);
            CHECK(a->node != b->node || strcmp(a->name, b->name) != 0, "roles %d and %d: %s", i, k,
                  a->name);
        }
    }
    static const int32_t counts[] = {DTYPE_COUNT,     REGION_COUNT, ROLE_COUNT,
                                     NODE_KIND_COUNT, STACK_COUNT,  ATTENTION_KIND_COUNT};
    for (size_t list = 0; list < sizeof counts / sizeof *counts; list++) {
        for (int32_t i = 0; i < counts[list]; i++) {
            CHECK(role_name((name_list)list, i), "list %zu lacks name %d", list, i);
        }
        CHECK(!role_name((name_list)list, counts[list]) && !role_name((name_list)list, -1),
              "list %zu goes on", list);
    }
    CHECK(!role_name((name_list)6, 0), "a list that does not exist");
    CHECK(strcmp(role_name(NAMES_OF_DTYPES, TENSOR_BYTE), "uint8") == 0, "a byte");
    CHECK(strcmp(role_name(NAMES_OF_NODES, NODE_FFN), "ffn") == 0, "an FFN");
}

int main(void) {
    rows();
    alone();
    rules();
    names();
    return check_done("model/roles", NULL, 0);
}
