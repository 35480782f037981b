/* The model graph: its nodes for every kind, norm order and residual switch, written out; and that
 * its edges are those of the arithmetic: what a node says it reads gives, computed anew, its output
 * to the bit. */
#include "../../src/model/graph.h"

#include "../../src/kernel/elementwise.h"
#include "../../src/kernel/matmul.h"
#include "../../src/kernel/norm.h"
#include "defaults.h"
#include "layout.h"

static graph_node node_of(fixture *f, size_t i) {
    graph_node node;
    memset(&node, 0x5a, sizeof node);
    graph_get(&node, &f->m, i);
    return node;
}

/* "kind place tensor weight <inputs flags", for reading. */
static const char *text_of(fixture *f, size_t i) {
    graph_node node = node_of(f, i);
    char *text = hold(300), *to = text;
    const graph_place *at = &node.place;
    const char *stack = role_name(NAMES_OF_STACKS, at->stack);
    const char *attention = role_name(NAMES_OF_ATTENTIONS, at->attention);
    to += sprintf(to, "%s %c", role_name(NAMES_OF_NODES, node.kind), stack ? stack[0] : '-');
    if (at->layer >= 0) {
        to += sprintf(to, "%d.%d", at->layer, at->sublayer);
    }
    if (attention) {
        to += sprintf(to, " %s", attention);
    }
    to += sprintf(to, " %s", node.tensor < 0 ? "-" : f->list[node.tensor].name);
    if (node.weight >= 0) {
        to += sprintf(to, " *%s", f->list[node.weight].name);
    }
    for (int k = 0; k < 2 && node.inputs[k] >= 0; k++) {
        to += sprintf(to, k ? ",%d" : " <%d", node.inputs[k]);
    }
    to += sprintf(to, "%s%s", node.stream ? " stream" : "", node.residual ? " around" : "");
    if (node.window > 0) {
        sprintf(to, " within %d", node.window);
    }
    return text;
}

static model_config small(int32_t kind) {
    model_config c;
    config_default(&c, kind);
    c.vocabulary = 7;
    c.d_model = c.d_ff = 4;
    c.heads = 2;
    c.layers = c.decoder_layers = 1;
    return c;
}

/* All nodes of a model laid out with capture; the list ends in NULL. */
static void expect(const char *what, const model_config *c, request ask,
                   const char *const expected[]) {
    ask.B = 1;
    ask.capture = true;
    fixture *f = fixture_make(c, ask, NULL);
    size_t count = 0;
    for (; expected[count]; count++) {
        bool there = count < graph_count(&f->m);
        const char *got = there ? text_of(f, count) : "nothing";
        CHECK(strcmp(got, expected[count]) == 0, "%s, node %zu: got %s, wanted %s", what, count,
              got, expected[count]);
    }
    CHECK(graph_count(&f->m) == count, "%s: %zu nodes, wanted %zu", what, graph_count(&f->m),
          count);
    release();
}
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void encoders(void) {
    request ask = {.S = 3};
    model_config c = small(KIND_ENCODER);
    expect("post", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *tok_emb.weight <0 stream",
                "positions e encoder.input <1 stream",
                "attention e0.1 self encoder.layers.0.self_attn.out <2 around",
                "add e0.1 self encoder.layers.0.residual1 <2,3 around",
                "norm e0.1 self encoder.layers.0.norm1.out *encoder.layers.0.norm1.weight <4 "
                "stream around",
                "ffn e0.2 encoder.layers.0.ffn.out <5 around",
                "add e0.2 encoder.layers.0.residual2 <5,6 around",
                "norm e0.2 encoder.layers.0.norm2.out *encoder.layers.0.norm2.weight <7 "
                "stream around"));
    c.norm = NORM_PRE;
    c.final_norm = 1;
    expect("pre", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *tok_emb.weight <0 stream",
                "positions e encoder.input <1 stream",
                "norm e0.1 self encoder.layers.0.norm1.out *encoder.layers.0.norm1.weight <2 "
                "around",
                "attention e0.1 self encoder.layers.0.self_attn.out <3 around",
                "add e0.1 self encoder.layers.0.residual1 <2,4 stream around",
                "norm e0.2 encoder.layers.0.norm2.out *encoder.layers.0.norm2.weight <5 around",
                "ffn e0.2 encoder.layers.0.ffn.out <6 around",
                "add e0.2 encoder.layers.0.residual2 <5,7 stream around",
                "norm e encoder.norm.out *encoder.norm.weight <8 stream"));
    c.parallel = 1;
    expect("side by side", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *tok_emb.weight <0 stream",
                "positions e encoder.input <1 stream",
                "norm e0.1 self encoder.layers.0.norm1.out *encoder.layers.0.norm1.weight <2 "
                "around",
                "attention e0.1 self encoder.layers.0.self_attn.out <3 around",
                "add e0.1 self encoder.layers.0.residual1 <2,4 stream around",
                "norm e0.2 encoder.layers.0.norm2.out *encoder.layers.0.norm2.weight <2 around",
                "ffn e0.2 encoder.layers.0.ffn.out <6 around",
                "add e0.2 encoder.layers.0.residual2 <5,7 stream around",
                "norm e encoder.norm.out *encoder.norm.weight <8 stream"));
    c.parallel = 0;
    c.residual = 0;
    expect("pre without residual", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *tok_emb.weight <0 stream",
                "positions e encoder.input <1 stream",
                "norm e0.1 self encoder.layers.0.norm1.out *encoder.layers.0.norm1.weight <2",
                "attention e0.1 self encoder.layers.0.self_attn.out <3 stream",
                "norm e0.2 encoder.layers.0.norm2.out *encoder.layers.0.norm2.weight <4",
                "ffn e0.2 encoder.layers.0.ffn.out <5 stream",
                "norm e encoder.norm.out *encoder.norm.weight <6 stream"));
    c = small(KIND_ENCODER);
    c.residual = 0;
    c.norm_affine = 0;
    expect("post without residual, without gains", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *tok_emb.weight <0 stream",
                "positions e encoder.input <1 stream",
                "attention e0.1 self encoder.layers.0.self_attn.out <2",
                "norm e0.1 self encoder.layers.0.norm1.out <3 stream",
                "ffn e0.2 encoder.layers.0.ffn.out <4",
                "norm e0.2 encoder.layers.0.norm2.out <5 stream"));
    c = small(KIND_ENCODER);
    c.norm = NORM_NONE;
    c.positions = POSITIONS_NONE;
    expect("no norm, no positions", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *tok_emb.weight <0 stream",
                "attention e0.1 self encoder.layers.0.self_attn.out <1 around",
                "add e0.1 self encoder.layers.0.residual1 <1,2 stream around",
                "ffn e0.2 encoder.layers.0.ffn.out <3 around",
                "add e0.2 encoder.layers.0.residual2 <3,4 stream around"));
    c.residual = c.d_ff = 0;
    c.positions = POSITIONS_LEARNED;
    expect("attention alone in the layer", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *tok_emb.weight <0 stream",
                "positions e encoder.input *pos_emb.weight <1 stream",
                "attention e0.1 self encoder.layers.0.self_attn.out <2 stream"));
    c.heads = 0;
    c.d_ff = 4;
    expect("FFN alone in the layer", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *tok_emb.weight <0 stream",
                "positions e encoder.input *pos_emb.weight <1 stream",
                "ffn e0.2 encoder.layers.0.ffn.out <2 stream"));
    c = small(KIND_ENCODER);
    c.layers = 0;
    c.embedding_norm = 1;
    c.head = HEAD_TIED;
    expect("no layers", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *tok_emb.weight <0 stream",
                "positions e encoder.input <1 stream", "norm e emb_ln.out *emb_ln.weight <2 stream",
                "logits e logits *tok_emb.weight <3", "probabilities e probabilities <4"));
    c.embedding_norm = 0;
    c.head_transform = 1;
    expect("transform before the head", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *tok_emb.weight <0 stream",
                "positions e encoder.input <1 stream",
                "transform e transform.activation *transform.dense.weight <2",
                "norm e transform.norm.out *transform.norm.weight <3",
                "logits e logits *tok_emb.weight <4", "probabilities e probabilities <5"));
    c.head_transform = 0;
    c.head_pooler = POOLER_TANH;
    expect("pooler before the head", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *tok_emb.weight <0 stream",
                "positions e encoder.input <1 stream",
                "transform e transform.activation *transform.dense.weight <2",
                "logits e logits *tok_emb.weight <3", "probabilities e probabilities <4"));
    c = small(KIND_ENCODER);
    c.vocabulary = c.layers = 0;
    expect("vectors", &c, ask,
           LIST("tokens e encoder.vectors stream", "positions e encoder.input <0 stream"));
    c.positions = POSITIONS_NONE;
    expect("vectors alone", &c, ask, LIST("tokens e encoder.vectors stream"));
    c = small(KIND_ENCODER);
    c.positions = POSITIONS_NONE;
    c.types = 2;
    c.layers = 0;
    ask.types = true;
    expect("token types without positions", &c, ask,
           LIST("tokens e encoder.ids", "embedding e encoder.input *tok_emb.weight <0 stream"));
}

static void decoders(void) {
    model_config c = small(KIND_DECODER);
    c.head = HEAD_LINEAR;
    c.d_ff = 0;
    expect("decoder", &c, (request){.T = 3},
           LIST("tokens d decoder.ids", "embedding d decoder.embedding *tok_emb.weight <0 stream",
                "positions d decoder.input <1 stream",
                "attention d0.1 self decoder.layers.0.self_attn.out <2 around",
                "add d0.1 self decoder.layers.0.residual1 <2,3 around",
                "norm d0.1 self decoder.layers.0.norm1.out *decoder.layers.0.norm1.weight <4 "
                "stream around",
                "logits d logits *generator.weight <5", "probabilities d probabilities <6"));
    c = small(KIND_ENCODER_DECODER);
    c.head = HEAD_TIED;
    c.tied_embeddings = 1;
    c.norm = NORM_PRE;
    expect("encoder-decoder", &c, (request){.S = 2, .T = 3},
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *src_emb.weight <0 stream",
                "positions e encoder.input <1 stream",
                "norm e0.1 self encoder.layers.0.norm1.out *encoder.layers.0.norm1.weight <2 "
                "around",
                "attention e0.1 self encoder.layers.0.self_attn.out <3 around",
                "add e0.1 self encoder.layers.0.residual1 <2,4 stream around",
                "norm e0.2 encoder.layers.0.norm2.out *encoder.layers.0.norm2.weight <5 around",
                "ffn e0.2 encoder.layers.0.ffn.out <6 around",
                "add e0.2 encoder.layers.0.residual2 <5,7 stream around",
                "norm e encoder.norm.out *encoder.norm.weight <8 stream", "tokens d decoder.ids",
                "embedding d decoder.embedding *src_emb.weight <10 stream",
                "positions d decoder.input <11 stream",
                "norm d0.1 self decoder.layers.0.norm1.out *decoder.layers.0.norm1.weight <12 "
                "around",
                "attention d0.1 self decoder.layers.0.self_attn.out <13 around",
                "add d0.1 self decoder.layers.0.residual1 <12,14 stream around",
                "norm d0.2 cross decoder.layers.0.norm2.out *decoder.layers.0.norm2.weight <15 "
                "around",
                "attention d0.2 cross decoder.layers.0.multihead_attn.out <16,9 around",
                "add d0.2 cross decoder.layers.0.residual2 <15,17 stream around",
                "norm d0.3 decoder.layers.0.norm3.out *decoder.layers.0.norm3.weight <18 around",
                "ffn d0.3 decoder.layers.0.ffn.out <19 around",
                "add d0.3 decoder.layers.0.residual3 <18,20 stream around",
                "norm d decoder.norm.out *decoder.norm.weight <21 stream",
                "logits d logits *src_emb.weight <22", "probabilities d probabilities <23"));
}

/* Windows are of self-attention, and a layer may have none. */
static void windows(void) {
    model_config c = small(KIND_ENCODER_DECODER);
    c.d_ff = c.residual = c.final_norm = 0;
    c.norm = NORM_NONE;
    c.positions = POSITIONS_NONE;
    c.window = 2;
    c.layers = 2;
    c.global_layers = 2;
    expect("windows", &c, (request){.S = 2, .T = 3},
           LIST("tokens e encoder.ids", "embedding e encoder.embedding *src_emb.weight <0 stream",
                "attention e0.1 self encoder.layers.0.self_attn.out <1 stream within 2",
                "attention e1.1 self encoder.layers.1.self_attn.out <2 stream",
                "tokens d decoder.ids", "embedding d decoder.embedding *tgt_emb.weight <4 stream",
                "attention d0.1 self decoder.layers.0.self_attn.out <5 stream within 2",
                "attention d0.2 cross decoder.layers.0.multihead_attn.out <6,3 stream"));
}

static void alone(void) {
    model_config c = small(KIND_ATTENTION);
    expect("self-attention", &c, (request){.T = 2},
           LIST("tokens - input", "attention - self out <0"));
    expect("cross-attention", &c, (request){.T = 2, .S = 3},
           LIST("tokens - input", "tokens - memory", "attention - cross out <0,1"));
    c.window = 3;
    expect("self-attention with a window", &c, (request){.T = 2},
           LIST("tokens - input", "attention - self out <0 within 3"));
    expect("the same as cross-attention", &c, (request){.T = 2, .S = 3},
           LIST("tokens - input", "tokens - memory", "attention - cross out <0,1 within 3"));
    c = small(KIND_FEED_FORWARD);
    expect("FFN", &c, (request){.T = 2}, LIST("tokens - input", "ffn - ffn.out <0"));
}

/* Before a layout a layer on its own is self-attention or an FFN, of tensors that are not there yet. */
static void alone_before(void) {
    for (int32_t kind = KIND_ATTENTION; kind <= KIND_FEED_FORWARD; kind++) {
        model_config c = small(kind);
        model m;
        model_start(&m, &c, (slice){0}, hold(model_weight_bytes(&c, (slice){0})));
        CHECK(graph_count(&m) == 2, "kind %d: %zu nodes", kind, graph_count(&m));
        for (size_t i = 0; i < 2; i++) {
            graph_node node;
            graph_get(&node, &m, i);
            CHECK(node.tensor == -1 && node.weight == -1, "kind %d, node %zu: tensor %d, weight %d",
                  kind, i, node.tensor, node.weight);
            CHECK(node.inputs[0] == (int32_t)i - 1 && node.inputs[1] == -1,
                  "kind %d, node %zu reads %d and %d", kind, i, node.inputs[0], node.inputs[1]);
            bool self = kind == KIND_ATTENTION && i == 1;
            CHECK(node.place.attention == (self ? ATTENTION_SELF : ATTENTION_NONE),
                  "kind %d, node %zu: attention %d", kind, i, node.place.attention);
        }
        release();
    }
}

/* Before a layout, and without capture, the nodes are the same; tensors are those there are. */
static void uncaptured(void) {
    for (int round = 0; round < 20; round++) {
        model_config c = random_config(round % 3);
        fixture *f = fixture_make(&c, random_request(&c), NULL);
        request ask = f->m.dims.ask;
        ask.capture = true;
        fixture *full = fixture_make(&c, ask, f->m.weights);
        model fresh;
        model_start(&fresh, &c, (slice){0}, f->m.weights);
        size_t count = graph_count(&full->m);
        CHECK(graph_count(&f->m) == count && graph_count(&fresh) == count, "%zu nodes", count);
        for (size_t i = 0; i < count; i++) {
            graph_node a = node_of(full, i), b = node_of(f, i), before;
            graph_get(&before, &fresh, i);
            CHECK(b.tensor < 0 || strcmp(f->list[b.tensor].name, full->list[a.tensor].name) == 0,
                  "node %zu: another tensor without capture", i);
            bool always = a.kind == NODE_TOKENS || a.kind == NODE_LOGITS;
            CHECK(!always || b.tensor >= 0, "node %zu: inputs and results are always there", i);
            CHECK(before.tensor == -1, "node %zu: a tensor before the layout", i);
            CHECK((a.weight < 0) == (before.weight < 0), "node %zu: its weight", i);
            a.tensor = b.tensor = before.tensor = -1;
            a.weight = b.weight = before.weight = -1;
            CHECK(memcmp(&a, &b, sizeof a) == 0 && memcmp(&a, &before, sizeof a) == 0,
                  "node %zu differs", i);
        }
        release();
    }
}

/* The tensor of a role where a node stands. */
static float *of_role(fixture *f, const graph_node *node, tensor_role r) {
    for (size_t i = 0; i < f->count; i++) {
        tensor_info t = f->list[i];
        if (t.role == (int32_t)r && memcmp(&t.place, &node->place, sizeof t.place) == 0) {
            return t.data;
        }
    }
    return NULL;
}

static float *output_of(fixture *f, int32_t index) {
    graph_node node = node_of(f, (size_t)index);
    return node.tensor < 0 ? NULL : f->list[node.tensor].data;
}

/* y = x w^T, times a scale, + b has the bits of the model's own. */
static void scaled_holds(const char *what, const float *y, const float *x, const float *w,
                         matmul_epilogue epilogue, size_t R, size_t in, size_t out) {
    float *anew = blank(R * out);
    linear_forward(anew, x, w, WEIGHT_F32, epilogue, R, in, out);
    CHECK(same_bits(anew, y, R * out), "%s is not that of its input", what);
}

static void linear_holds(const char *what, const float *y, const float *x, const float *w,
                         const float *bias, size_t R, size_t in, size_t out) {
    scaled_holds(what, y, x, w, (matmul_epilogue){.bias = bias}, R, in, out);
}

static void edges(void) {
    size_t adds = 0, norms = 0, attentions = 0, ffns = 0, logits = 0, transforms = 0;
    for (int round = 0; round < 120; round++) {
        model_config c = random_config(round % 5);
        float scale = 1 / sqrtf((float)c.d_model);
        request ask = random_request(&c);
        ask.capture = true;
        fixture *f = fixture_make(&c, ask, NULL);
        fill_inputs(f);
        CHECK(model_forward(&f->m) == MODEL_OK, "forward");
        const model_dims *n = &f->m.dims;
        size_t C = n->C, count = graph_count(&f->m);
        for (size_t i = 0; i < count; i++) {
            graph_node node = node_of(f, i);
            const float *y = output_of(f, (int32_t)i), *x[2] = {NULL, NULL};
            for (int k = 0; k < 2; k++) {
                CHECK(node.inputs[k] < (int32_t)i, "node %zu reads a later one", i);
                x[k] = node.inputs[k] < 0 ? NULL : output_of(f, node.inputs[k]);
            }
            CHECK(y != NULL, "node %zu has no output", i);
            bool encoder = node.place.stack == STACK_ENCODER;
            size_t T = encoder ? n->ask.S : n->ask.T, R = n->B * T;
            bool cross = node.place.attention == ATTENTION_CROSS;
            size_t keys = n->B * (cross ? n->ask.S : T);
            float *anew = blank(R * C);
            switch ((node_kind)node.kind) {
            case NODE_ADD:
                add_forward(anew, x[0], x[1], R * C);
                CHECK(same_bits(anew, y, R * C), "node %zu is not the sum of its inputs", i);
                adds++;
                break;
            case NODE_NORM: {
                const float *gain = node.weight < 0 ? NULL : f->list[node.weight].data;
                CHECK((gain != NULL) == c.norm_affine, "node %zu: its gain", i);
                /* its bias lies behind its gain in the list */
                bool centred = c.norm_kind == NORM_LAYER;
                const float *bias = gain && centred ? f->list[node.weight + 1].data : NULL;
                if (centred) {
                    norm_forward(anew, NULL, NULL, x[0], gain, bias, c.epsilon, R, C);
                } else {
                    rms_norm_forward(anew, NULL, x[0], gain, c.epsilon, R, C);
                }
                CHECK(same_bits(anew, y, R * C), "node %zu is not the norm of its input", i);
                norms++;
                break;
            }
            case NODE_ATTENTION: {
                const float *w = of_role(f, &node, ROLE_IN_PROJ_WEIGHT),
                            *bias = of_role(f, &node, ROLE_IN_PROJ_BIAS);
                linear_holds("query", of_role(f, &node, ROLE_QUERY), x[0], w, bias, R, C, n->A);
                CHECK((x[1] != NULL) == cross, "node %zu: its memory", i);
                linear_holds("value", of_role(f, &node, ROLE_VALUE), cross ? x[1] : x[0],
                             w + (n->A + n->E) * C, bias ? bias + n->A + n->E : NULL, keys, C,
                             n->E);
                attentions++;
                break;
            }
            case NODE_FFN:
                linear_holds("pre_activation", of_role(f, &node, ROLE_PRE_ACTIVATION), x[0],
                             of_role(f, &node, ROLE_LINEAR1_WEIGHT),
                             of_role(f, &node, ROLE_LINEAR1_BIAS), R, C, n->F);
                ffns++;
                break;
            case NODE_TRANSFORM:
                linear_holds("transform", data_of(f, "", "transform.pre_activation"), x[0],
                             f->list[node.weight].data, data_of(f, "", "transform.dense.bias"), R,
                             C, C);
                CHECK(same_bits(y, data_of(f, "", "transform.activation"), R * C), "node %zu", i);
                transforms++;
                break;
            case NODE_LOGITS:
                scaled_holds("logits", y, x[0], f->list[node.weight].data,
                             (matmul_epilogue){.scale = c.head_scale ? &scale : NULL,
                                               .bias = data_of(f, "", "generator.bias")},
                             R, C, n->VO);
                logits++;
                break;
            default:
                break;
            }
            if (node.stream && i + 1 == count) {
                CHECK(same_bits(y, data_of(f, "", "output"), R * C), "the last state is not out");
            }
        }
        release();
    }
    CHECK(adds > 100 && norms > 100 && attentions > 100 && ffns > 100 && logits > 20 &&
              transforms > 10,
          "%zu adds, %zu norms, %zu attentions, %zu ffns, %zu logits, %zu transforms", adds, norms,
          attentions, ffns, logits, transforms);
}

int main(void) {
    encoders();
    decoders();
    windows();
    alone();
    alone_before();
    uncaptured();
    edges();
    return check_done("model/graph", NULL, 0);
}
