#include "graph.h"

#include <stdbool.h>

#include "passes.h"

/* Nodes are emitted in order; the one that is wanted is kept. */
typedef struct builder {
    model *m;
    int32_t wanted, count;
    graph_node *out; /* NULL: count only */
} builder;

/* The facts of a node besides its kind and place; -1 for an input that is not there. */
typedef struct facts {
    int32_t input, second_input;
    const void *output, *weight;
    bool stream, residual;
} facts;

static int32_t emit(builder *b, node_kind kind, graph_place at, facts f) {
    if (b->out && b->count == b->wanted) {
        model *m = b->m;
        bool windowed = kind == NODE_ATTENTION && (m->dims.alone || at.attention == ATTENTION_SELF);
        size_t layer = at.layer < 0 ? 0 : (size_t)at.layer;
        *b->out = (graph_node){.kind = (int32_t)kind,
                               .place = at,
                               .tensor = tensors_index(&m->tensors, &m->dims, f.output),
                               .weight = tensors_index(&m->tensors, &m->dims, f.weight),
                               .inputs = {f.input, f.second_input},
                               .stream = f.stream,
                               .residual = f.residual,
                               .window = windowed ? (int32_t)config_window(&m->config, layer) : 0};
    }
    return b->count++;
}

static int32_t emit_norm(builder *b, graph_place at, const norm_tensors *t, int32_t input,
                         bool stream, bool residual) {
    return emit(b, NODE_NORM, at, (facts){input, -1, t->out, t->weight, stream, residual});
}

/* The nodes of one sublayer on the stream x, which reads the state `from`; memory: what cross-attention reads, or -1.
 * Returns the next state of the stream. */
static int32_t emit_sublayer(builder *b, node_kind kind, graph_place at, int32_t x, int32_t from,
                             int32_t memory, const norm_tensors *norm, const float *sum,
                             const float *branch) {
    const model_config *c = &b->m->config;
    bool residual = c->residual, post = c->norm == NORM_POST;
    int32_t input = c->norm == NORM_PRE ? emit_norm(b, at, norm, from, false, residual) : from;
    int32_t y =
        emit(b, kind, at, (facts){input, memory, branch, NULL, !residual && !post, residual});
    if (residual) {
        y = emit(b, NODE_ADD, at, (facts){x, y, sum, NULL, !post, true});
    }
    return post ? emit_norm(b, at, norm, y, true, residual) : y;
}

static int32_t emit_layer(builder *b, graph_place at, const layer_tensors *t, const model_dims *n,
                          int32_t x, int32_t memory) {
    int32_t input = x;
    at.sublayer = 1;
    at.attention = ATTENTION_SELF;
    if (n->H > 0) {
        x = emit_sublayer(b, NODE_ATTENTION, at, x, x, -1, &t->norm1, t->residual1,
                          t->self_attn.out);
    }
    if (n->cross) {
        at.sublayer++;
        at.attention = ATTENTION_CROSS;
        x = emit_sublayer(b, NODE_ATTENTION, at, x, x, memory, &t->norm2, t->residual2,
                          t->cross_attn.out);
    }
    if (n->F > 0) {
        at.sublayer++;
        at.attention = ATTENTION_NONE;
        x = emit_sublayer(b, NODE_FFN, at, x, n->c->parallel ? input : x, -1, &t->norm3,
                          t->residual3, t->ffn.out);
    }
    return x;
}

/* From tokens to the input of the first layer. Token types have no node: where there are any, the
 * last node before the layers has the sum for its output. */
static int32_t emit_input(builder *b, graph_place at, const stack_tensors *t,
                          const embed_tensors *e, const float *table, const model_dims *n) {
    bool positions = config_adds_positions(n->c), words = n->V > 0;
    const void *last = t->types && !positions ? t->input : NULL;
    const void *tokens = words ? (const void *)t->ids : t->vectors;
    bool embedded = words || e->input_weight;
    int32_t x = emit(b, NODE_TOKENS, at, (facts){-1, -1, tokens, NULL, !embedded, false});
    if (embedded) {
        const void *rows = last ? last : t->embedding;
        x = emit(b, NODE_EMBEDDING, at,
                 (facts){x, -1, rows, words ? table : e->input_weight, true, false});
    }
    if (positions) {
        x = emit(b, NODE_POSITIONS, at, (facts){x, -1, t->input, e->positions, true, false});
    }
    return n->c->embedding_norm ? emit_norm(b, at, &e->norm, x, true, false) : x;
}

static int32_t emit_stack(builder *b, int32_t stack, const stack_tensors *t, const embed_tensors *e,
                          const float *table, const model_dims *n, int32_t memory) {
    graph_place at = {stack, -1, 0, ATTENTION_NONE};
    int32_t x = emit_input(b, at, t, e, table, n);
    for (size_t i = 0; i < n->L; i++) {
        at.layer = (int32_t)i;
        x = emit_layer(b, at, &t->layers[i], n, x, memory);
    }
    at.layer = -1;
    return n->c->final_norm ? emit_norm(b, at, &t->norm, x, true, false) : x;
}

static void emit_alone(builder *b) {
    const model *m = b->m;
    const model_tensors *t = &m->tensors.value;
    bool attention = m->config.kind == KIND_ATTENTION, cross = attention && m->dims.S > 0;
    graph_place at = {STACK_NONE, -1, 0, ATTENTION_NONE};
    int32_t memory = -1;
    int32_t x = emit(b, NODE_TOKENS, at, (facts){-1, -1, t->input, NULL, false, false});
    if (cross) {
        memory = emit(b, NODE_TOKENS, at, (facts){-1, -1, t->memory, NULL, false, false});
    }
    if (attention) {
        at.attention = cross ? ATTENTION_CROSS : ATTENTION_SELF;
    }
    emit(b, attention ? NODE_ATTENTION : NODE_FFN, at,
         (facts){x, memory, attention ? t->attention.out : t->ffn.out, NULL, false, false});
}

static void emit_model(builder *b) {
    const model *m = b->m;
    const model_tensors *t = &m->tensors.value;
    int32_t x = -1;
    if (m->dims.alone) {
        emit_alone(b);
        return;
    }
    if (m->dims.encoder) {
        model_dims n = dims_encoder(m->dims);
        x = emit_stack(b, STACK_ENCODER, &t->encoder, &t->source, t->source.table, &n, -1);
    }
    if (m->dims.decoder) {
        model_dims n = dims_decoder(m->dims);
        x = emit_stack(b, STACK_DECODER, &t->decoder, &t->target, model_target_table(m), &n, x);
    }
    if (config_has_head(&m->config)) {
        graph_place at = {m->dims.decoder ? STACK_DECODER : STACK_ENCODER, -1, 0, ATTENTION_NONE};
        bool values = t->output_weight;
        if (config_has_transform(&m->config)) {
            const transform_tensors *own = &t->transform;
            const float *out = own->activation ? own->activation : own->pre_activation;
            x = emit(b, NODE_TRANSFORM, at, (facts){x, -1, out, own->weight, false, false});
            x = m->config.head_transform ? emit_norm(b, at, &own->norm, x, false, false) : x;
        }
        x = emit(b, values ? NODE_VALUES : NODE_LOGITS, at,
                 (facts){x, -1, model_scores(t), model_head_weight(m), false, false});
        if (!values) {
            emit(b, NODE_PROBABILITIES, at, (facts){x, -1, t->probabilities, NULL, false, false});
        }
    }
}

size_t graph_count(model *m) {
    builder b = {.m = m};
    emit_model(&b);
    return (size_t)b.count;
}

void graph_get(graph_node *out, model *m, size_t index) {
    builder b = {.m = m, .wanted = (int32_t)index, .out = out};
    emit_model(&b);
}
