#include "model.h"

#include <math.h>
#include <string.h>

#include "../kernel/add.h"
#include "../kernel/dropout.h"
#include "../kernel/matmul.h"
#include "../kernel/softmax.h"
#include "../layer/embed.h"
#include "../layer/loss.h"
#include "../layer/position.h"
#include "layer.h"

static const request NOTHING = {0};

size_t model_weight_bytes(const config *c) {
    dims n = dims_of(c, NOTHING);
    tensors_bytes bytes;
    if (!tensors_size(&bytes, &n)) {
        return 0;
    }
    return bytes.weights > 0 ? bytes.weights : 64;
}

void model_start(model *m, const config *c, void *weights) {
    memset(m, 0, sizeof *m);
    m->config = *c;
    m->weights = weights;
    m->dims = dims_of(&m->config, NOTHING);
    tensors_carve(&m->tensors, &m->dims, weights, NULL, NULL);
}

/* Lengths, flags and kind must fit: a stack that exists has a length, one that does not has 0. */
static bool request_fits(const config *c, request ask) {
    bool encoder = config_has_encoder(c), decoder = config_has_decoder(c);
    bool alone = !encoder && !decoder, attention = c->kind == KIND_ATTENTION;
    size_t longest = ask.S > ask.T ? ask.S : ask.T;
    longest = ask.capacity > longest ? ask.capacity : longest;
    size_t limit =
        c->positions == POSITIONS_LEARNED && !alone ? (size_t)c->max_length : CONFIG_MAX_SIZE;
    bool cached = ask.capacity > 0;
    return ask.B >= 1 && ask.B <= CONFIG_MAX_SIZE && longest <= limit &&
           (ask.S > 0 ? encoder || attention : !encoder) &&
           (ask.T > 0 ? decoder || alone : encoder && !decoder) &&
           (!cached ||
            (decoder && ask.B == 1 && ask.capacity >= ask.T && !ask.mask && !ask.train)) &&
           (!ask.vector_targets || ask.train) && (!ask.types || c->types > 0) &&
           (!ask.encoder_padding || encoder || attention) &&
           (!ask.decoder_padding || (decoder && !cached)) &&
           (!ask.memory_padding || (encoder && decoder)) &&
           (!ask.mask || c->kind != KIND_FEED_FORWARD);
}

int32_t model_layout_bytes(const model *m, request ask) {
    if (!request_fits(&m->config, ask)) {
        return MODEL_ERROR_ARGUMENT;
    }
    dims n = dims_of(&m->config, ask);
    tensors_bytes bytes;
    return tensors_size(&bytes, &n) ? (int32_t)bytes.block : MODEL_ERROR_MEMORY;
}

static void fill_sinusoids(const model *m, stack_tensors *t, size_t K) {
    if (t->positions && m->config.positions == POSITIONS_SINUSOIDAL) {
        position_forward(t->positions, NULL, K, m->dims.C);
    }
}

void model_layout(model *m, request ask, void *block) {
    m->dims = dims_of(&m->config, ask);
    tensors_carve(&m->tensors, &m->dims, m->weights, m->gradients, block);
    fill_sinusoids(m, &m->tensors.value.encoder, dims_encoder(m->dims).K);
    fill_sinusoids(m, &m->tensors.value.decoder, dims_decoder(m->dims).K);
    m->ready = true;
    m->written = 0;
}

static bool tokens_valid(const stack_tensors *t, const dims *n) {
    size_t count = n->B * n->T;
    return (!t->ids || embed_valid(t->ids, count, n->V)) &&
           (!t->types || embed_valid(t->types, count, n->types));
}

/* Where the input of the first layer stands. */
static float *stack_input(const stack_tensors *t, const embed_tensors *e, const config *c) {
    return c->embedding_norm ? e->norm.out : t->input;
}

/* Tokens (or vectors) to the input of the first layer. */
static const float *embed(stack_tensors *t, embed_tensors *e, const float *table, const pass *p) {
    const dims *n = &p->n;
    const config *c = n->c;
    size_t C = n->C, row = n->T * C;
    float *input = t->input;
    if (t->ids) {
        float *to = t->embedding ? t->embedding : input;
        float scale = c->embedding_scale ? sqrtf((float)C) : 1;
        embed_forward(to, t->ids, table, scale, n->B * n->T, C);
        if (to != input) {
            memcpy(input, to, n->B * row * sizeof *input);
        }
    } else {
        memcpy(input, t->vectors, n->B * row * sizeof *input);
    }
    if (e->positions && p->past == 0) {
        memcpy(t->positions, e->positions, n->K * C * sizeof *input);
    }
    for (size_t b = 0; t->positions && b < n->B; b++) {
        add_forward(input + b * row, input + b * row, t->positions + p->past * C, row);
    }
    if (t->types) {
        embed_add(input, t->types, e->types, n->B * n->T, C);
    }
    if (c->embedding_norm) {
        layer_norm_forward(&e->norm, input, n->B * n->T, c);
    }
    input = stack_input(t, e, c);
    if (p->dropout > 0) {
        dropout_apply(input, input, n->B * row, p->dropout, dropout_key(p->noise, 0, 0));
    }
    return input;
}

/* All layers and the final LayerNorm; the result is t->out. */
static void run(stack_tensors *t, const float *x, const pass *p) {
    const dims *n = &p->n;
    for (size_t i = 0; i < n->L; i++) {
        x = layer_forward(&t->layers[i], x, p, i);
    }
    if (n->c->final_norm) {
        layer_norm_forward(&t->norm, x, n->B * n->T, n->c);
        x = t->norm.out;
    }
    memcpy(t->out, x, n->B * n->T * n->C * sizeof *x);
}

static pass encoder_pass(model *m) {
    model_tensors *t = &m->tensors.value;
    dims n = dims_encoder(m->dims);
    return (pass){.n = n,
                  .room = n.T,
                  .causal = m->config.causal && !n.both,
                  .padding = t->encoder.padding,
                  .mask = n.both ? NULL : t->mask,
                  .scratch = t->scratch,
                  .dropout = m->dropout,
                  .noise = dropout_key(m->noise, 0, 1),
                  .workspace = &t->workspace};
}

/* T more target tokens after past others. */
static pass decoder_pass(model *m, size_t past, size_t T) {
    model_tensors *t = &m->tensors.value;
    dims n = dims_decoder(m->dims);
    size_t room = n.T;
    n.T = T;
    return (pass){.n = n,
                  .room = room,
                  .past = past,
                  .causal = m->config.causal,
                  .padding = t->decoder.padding,
                  .mask = t->mask,
                  .memory = n.both ? t->encoder.out : NULL,
                  .memory_padding = t->memory_padding,
                  .scratch = t->scratch,
                  .dropout = m->dropout,
                  .noise = dropout_key(m->noise, 0, 2),
                  .workspace = &t->workspace};
}

/* A layer on its own. */
static pass alone_pass(model *m) {
    model_tensors *t = &m->tensors.value;
    return (pass){.n = m->dims,
                  .room = m->dims.T,
                  .causal = m->config.causal,
                  .padding = t->padding,
                  .mask = t->mask,
                  .scratch = t->scratch,
                  .workspace = &t->workspace};
}

static void encode(model *m) {
    model_tensors *t = &m->tensors.value;
    pass p = encoder_pass(m);
    run(&t->encoder, embed(&t->encoder, &t->source, t->source.table, &p), &p);
}

static const float *target_table(const model *m) {
    return m->tensors.value.target.table ? m->tensors.value.target.table
                                         : m->tensors.value.source.table;
}

static void decode(model *m, size_t past, size_t T) {
    model_tensors *t = &m->tensors.value;
    pass p = decoder_pass(m, past, T);
    run(&t->decoder, embed(&t->decoder, &t->target, target_table(m), &p), &p);
}

/* The output table: a tied head uses that of the last stack. */
static const float *head_weight(const model *m) {
    const model_tensors *t = &m->tensors.value;
    const float *table = m->dims.decoder ? target_table(m) : t->source.table;
    return m->config.head == HEAD_TIED ? table : t->head_weight;
}

/* Logits of R rows. */
static void answer(model *m, size_t R) {
    model_tensors *t = &m->tensors.value;
    size_t V = m->dims.VO;
    if (m->config.head == HEAD_NONE) {
        return;
    }
    linear_forward(t->logits, t->out, head_weight(m), t->head_bias, R, m->dims.C, V);
    if (t->probabilities) {
        softmax_forward(t->probabilities, V, t->logits, V, R, V);
    }
}

static void forward_alone(model *m) {
    model_tensors *t = &m->tensors.value;
    if (m->config.kind == KIND_FEED_FORWARD) {
        ffn_forward(&t->ffn, t->input, m->dims.B * m->dims.T, &m->config);
        return;
    }
    pass p = alone_pass(m);
    multihead_forward(&t->attention, t->input, t->memory, &p);
}

int32_t model_forward(model *m) {
    if (!m->ready) {
        return MODEL_ERROR_STATE;
    }
    dims encoder = dims_encoder(m->dims), decoder = dims_decoder(m->dims);
    if (!tokens_valid(&m->tensors.value.encoder, &encoder) ||
        !tokens_valid(&m->tensors.value.decoder, &decoder)) {
        return MODEL_ERROR_TOKEN;
    }
    if (m->dims.alone) {
        forward_alone(m);
        return MODEL_OK;
    }
    if (m->dims.encoder) {
        encode(m);
    }
    if (m->dims.decoder) {
        decode(m, 0, m->dims.T);
        m->written = m->dims.T;
    }
    answer(m, m->dims.B * m->dims.TO);
    return MODEL_OK;
}

int32_t model_step(model *m, size_t past, size_t T) {
    if (!m->ready || !m->dims.cache || past == 0 || past > m->written) {
        return MODEL_ERROR_STATE;
    }
    if (T == 0 || T > m->dims.T || past + T > m->dims.ask.capacity) {
        return MODEL_ERROR_ARGUMENT;
    }
    dims n = dims_decoder(m->dims);
    n.T = T;
    if (!tokens_valid(&m->tensors.value.decoder, &n)) {
        return MODEL_ERROR_TOKEN;
    }
    decode(m, past, T);
    m->written = past + T;
    answer(m, T);
    return MODEL_OK;
}

/* ---- backward ---- */

/* g: the gradient of the stack's result becomes that of its first layer's input. */
static void run_backward(stack_tensors *t, stack_tensors *d, float *g, float *dmemory,
                         const float *input, const pass *p) {
    const dims *n = &p->n;
    size_t R = n->B * n->T;
    layer_note(d->out, g, R * n->C);
    if (n->c->final_norm) {
        const float *x = n->L > 0 ? t->layers[n->L - 1].out : input;
        layer_norm_backward(&t->norm, &d->norm, g, x, R, n->c);
    }
    for (size_t i = n->L; i-- > 0;) {
        const float *x = i > 0 ? t->layers[i - 1].out : input;
        layer_backward(&t->layers[i], &d->layers[i], g, dmemory, x, p, i);
    }
}

/* g: the gradient of the first layer's input goes to the tables, or to the vectors. */
static void embed_pass_backward(stack_tensors *t, stack_tensors *d, embed_tensors *e,
                                embed_tensors *de, float *dtable, float *g, const pass *p) {
    const dims *n = &p->n;
    const config *c = n->c;
    size_t C = n->C, R = n->B * n->T;
    if (p->dropout > 0) {
        dropout_apply(g, g, R * C, p->dropout, dropout_key(p->noise, 0, 0));
    }
    if (c->embedding_norm) {
        layer_norm_backward(&e->norm, &de->norm, g, t->input, R, c);
    }
    layer_note(d->input, g, R * C);
    layer_note(d->vectors, g, R * C);
    for (size_t b = 0; de->positions && b < n->B; b++) {
        add_forward(de->positions, de->positions, g + b * n->T * C, n->T * C);
    }
    if (t->types) {
        embed_backward(de->types, t->types, g, 1, R, C);
    }
    if (t->ids) {
        embed_backward(dtable, t->ids, g, c->embedding_scale ? sqrtf((float)C) : 1, R, C);
    }
}

static float *target_table_gradient(model *m) {
    model_tensors *d = &m->tensors.gradient;
    return d->target.table ? d->target.table : d->source.table;
}

/* What a token target ranges over. */
static size_t classes(const dims *n) { return n->alone ? n->O : n->VO; }

/* The loss of what the forward pass left; with workspace its gradient: of the logits there, of the
 * output in stream. */
static float loss_of(model *m, const objective *o, size_t *counted, bool backward) {
    model_tensors *t = &m->tensors.value;
    const dims *n = &m->dims;
    size_t R = n->B * n->TO;
    float loss;
    if (o->kind == OBJECTIVE_CROSS_ENTROPY) { /* a layer on its own puts out logits itself */
        const float *logits = n->alone ? t->out : t->logits;
        float *dlogits = n->alone ? t->workspace.stream : t->workspace.logits;
        size_t V = classes(n);
        *counted = loss_cross_entropy(&loss, dlogits, logits, t->targets, R, V, o->ignore_index,
                                      o->smoothing, true);
        if (backward) {
            loss_cross_entropy_backward(dlogits, dlogits, t->targets, R, V, o->ignore_index,
                                        o->smoothing, *counted);
        }
        return loss;
    }
    float *g = t->workspace.stream;
    size_t count = R * n->O;
    *counted = R;
    if (o->kind == OBJECTIVE_SQUARED) {
        return (float)loss_squared(g, t->out, t->target_vectors, count);
    }
    memcpy(g, t->target_vectors, count * sizeof *g);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (double)t->out[i] * t->target_vectors[i];
    }
    return (float)sum;
}

/* From the gradient of the logits to that of the output. */
static void answer_backward(model *m) {
    model_tensors *t = &m->tensors.value, *d = &m->tensors.gradient;
    size_t R = m->dims.B * m->dims.TO, V = m->dims.VO;
    const float *dlogits = t->workspace.logits;
    layer_note(d->logits, dlogits, R * V);
    float *dtable = m->dims.decoder ? target_table_gradient(m) : d->source.table;
    linear_backward(t->workspace.stream, false,
                    m->config.head == HEAD_TIED ? dtable : d->head_weight, d->head_bias, dlogits,
                    t->out, head_weight(m), R, m->dims.C, V);
}

static void alone_backward(model *m) {
    model_tensors *t = &m->tensors.value, *d = &m->tensors.gradient;
    workspace_tensors *w = &t->workspace;
    const dims *n = &m->dims;
    size_t R = n->B * n->T;
    if (m->config.kind == KIND_FEED_FORWARD) {
        ffn_backward(&t->ffn, &d->ffn, w->branch, w->hidden, w->stream, t->input, R, &m->config);
    } else {
        pass p = alone_pass(m);
        size_t keys = n->B * n->S * n->C;
        if (t->memory) {
            memset(w->memory, 0, keys * sizeof *w->memory);
        }
        multihead_backward(&t->attention, &d->attention, w->branch, w->memory, w->stream, t->input,
                           t->memory, &p);
        layer_note(d->memory, w->memory, keys);
    }
    layer_note(d->input, w->branch, R * n->C);
}

/* From the gradient of the output (in stream) to those of the weights. */
static void backward(model *m) {
    model_tensors *t = &m->tensors.value, *d = &m->tensors.gradient;
    workspace_tensors *w = &t->workspace;
    if (m->dims.alone) {
        alone_backward(m);
        return;
    }
    float *g = w->stream;
    if (m->dims.decoder) {
        pass p = decoder_pass(m, 0, m->dims.T);
        if (m->dims.both) {
            memset(w->memory, 0, m->dims.B * m->dims.S * m->dims.C * sizeof *w->memory);
        }
        run_backward(&t->decoder, &d->decoder, g, w->memory,
                     stack_input(&t->decoder, &t->target, &m->config), &p);
        embed_pass_backward(&t->decoder, &d->decoder, &t->target, &d->target,
                            target_table_gradient(m), g, &p);
        g = w->memory;
    }
    if (m->dims.encoder) {
        pass p = encoder_pass(m);
        run_backward(&t->encoder, &d->encoder, g, NULL,
                     stack_input(&t->encoder, &t->source, &m->config), &p);
        embed_pass_backward(&t->encoder, &d->encoder, &t->source, &d->source, d->source.table, g,
                            &p);
    }
}

static bool targets_valid(const model *m, int32_t ignore_index) {
    const int32_t *targets = m->tensors.value.targets;
    for (size_t i = 0; i < m->dims.B * m->dims.TO; i++) {
        if (targets[i] != ignore_index &&
            (targets[i] < 0 || (size_t)targets[i] >= classes(&m->dims))) {
            return false;
        }
    }
    return true;
}

static int32_t train(model *m, const objective *o, float *loss, size_t *counted, bool learn) {
    bool tokens = o->kind == OBJECTIVE_CROSS_ENTROPY;
    if (!m->ready || !m->dims.train || tokens == m->dims.vector_targets ||
        (tokens && m->config.head == HEAD_NONE && !m->dims.alone)) {
        return MODEL_ERROR_STATE;
    }
    if (tokens && !targets_valid(m, o->ignore_index)) {
        return MODEL_ERROR_TOKEN;
    }
    m->dropout = learn ? o->dropout : 0;
    m->noise = o->noise;
    int32_t result = model_forward(m);
    if (result == MODEL_OK) {
        *loss = loss_of(m, o, counted, learn);
    }
    if (result == MODEL_OK && learn) {
        if (tokens && !m->dims.alone) {
            answer_backward(m);
        } else if (m->tensors.gradient.logits) { /* the loss does not depend on them */
            memset(m->tensors.gradient.logits, 0,
                   m->dims.B * m->dims.TO * m->dims.VO * sizeof(float));
        }
        backward(m);
    }
    m->dropout = 0;
    return result;
}

int32_t model_loss(model *m, const objective *o, float *loss, size_t *counted) {
    return train(m, o, loss, counted, false);
}

int32_t model_learn(model *m, const objective *o, float *loss, size_t *counted) {
    return train(m, o, loss, counted, true);
}
