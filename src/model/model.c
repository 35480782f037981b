#include "model.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "../kernel/add.h"
#include "../kernel/matmul.h"
#include "../kernel/softmax.h"
#include "../layer/embed.h"
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
    tensors_carve(&m->tensors, &m->dims, weights, NULL);
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
           (!cached || (decoder && ask.B == 1 && ask.capacity >= ask.T && !ask.mask)) &&
           (!ask.types || c->types > 0) && (!ask.encoder_padding || encoder || attention) &&
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
    tensors_carve(&m->tensors, &m->dims, m->weights, block);
    fill_sinusoids(m, &m->tensors.encoder, dims_encoder(m->dims).K);
    fill_sinusoids(m, &m->tensors.decoder, dims_decoder(m->dims).K);
    m->ready = true;
    m->written = 0;
}

static bool tokens_valid(const stack_tensors *t, const dims *n) {
    size_t count = n->B * n->T;
    return (!t->ids || embed_valid(t->ids, count, n->V)) &&
           (!t->types || embed_valid(t->types, count, n->types));
}

/* Tokens (or vectors) to the input of the first layer. */
static const float *embed(stack_tensors *t, const embed_tensors *e, const float *table, dims n,
                          size_t past) {
    const config *c = n.c;
    size_t C = n.C, row = n.T * C;
    float *input = t->input;
    if (t->ids) {
        float *to = t->embedding ? t->embedding : input;
        float scale = c->embedding_scale ? sqrtf((float)C) : 1;
        embed_forward(to, t->ids, table, scale, n.B * n.T, C);
        if (to != input) {
            memcpy(input, to, n.B * row * sizeof *input);
        }
    } else {
        memcpy(input, t->vectors, n.B * row * sizeof *input);
    }
    if (e->positions) {
        memcpy(t->positions, e->positions, n.K * C * sizeof *input);
    }
    for (size_t b = 0; t->positions && b < n.B; b++) {
        add_forward(input + b * row, input + b * row, t->positions + past * C, row);
    }
    if (t->types) {
        embed_add(input, t->types, e->types, n.B * n.T, C);
    }
    if (!c->embedding_norm) {
        return input;
    }
    norm_tensors norm = e->norm;
    layer_norm_forward(&norm, input, n.B * n.T, c);
    return norm.out;
}

/* All layers and the final LayerNorm; the result is t->out. */
static void run(stack_tensors *t, const float *x, const pass *p) {
    const dims *n = &p->n;
    for (size_t i = 0; i < n->L; i++) {
        x = layer_forward(&t->layers[i], x, p);
    }
    if (n->c->final_norm) {
        layer_norm_forward(&t->norm, x, n->B * n->T, n->c);
        x = t->norm.out;
    }
    memcpy(t->out, x, n->B * n->T * n->C * sizeof *x);
}

static void encode(model *m) {
    model_tensors *t = &m->tensors;
    dims n = dims_encoder(m->dims);
    pass p = {.n = n,
              .room = n.T,
              .causal = m->config.causal && !n.both,
              .padding = t->encoder.padding,
              .mask = n.both ? NULL : t->mask,
              .scratch = t->scratch};
    run(&t->encoder, embed(&t->encoder, &t->source, t->source.table, n, 0), &p);
}

static const float *target_table(const model *m) {
    return m->tensors.target.table ? m->tensors.target.table : m->tensors.source.table;
}

/* T more target tokens after past others. */
static void decode(model *m, size_t past, size_t T) {
    model_tensors *t = &m->tensors;
    dims n = dims_decoder(m->dims);
    size_t room = n.T;
    n.T = T;
    pass p = {.n = n,
              .room = room,
              .past = past,
              .causal = m->config.causal,
              .padding = t->decoder.padding,
              .mask = t->mask,
              .memory = n.both ? t->encoder.out : NULL,
              .memory_padding = t->memory_padding,
              .scratch = t->scratch};
    run(&t->decoder, embed(&t->decoder, &t->target, target_table(m), n, past), &p);
}

/* Logits of R rows, from the stack whose table a tied head uses. */
static void answer(model *m, size_t R) {
    model_tensors *t = &m->tensors;
    size_t C = m->dims.C, V = m->dims.VO;
    if (m->config.head == HEAD_NONE) {
        return;
    }
    const float *table = m->dims.decoder ? target_table(m) : t->source.table;
    const float *weight = m->config.head == HEAD_TIED ? table : t->head_weight;
    linear_forward(t->logits, t->out, weight, t->head_bias, R, C, V);
    if (t->probabilities) {
        softmax_forward(t->probabilities, V, t->logits, V, R, V);
    }
}

/* A layer on its own. */
static void forward_alone(model *m) {
    model_tensors *t = &m->tensors;
    dims n = m->dims;
    if (m->config.kind == KIND_FEED_FORWARD) {
        ffn_forward(&t->ffn, t->input, n.B * n.T, &m->config);
        return;
    }
    pass p = {.n = n,
              .room = n.T,
              .causal = m->config.causal,
              .padding = t->padding,
              .mask = t->mask,
              .scratch = t->scratch};
    multihead_forward(&t->attention, t->input, t->memory, &p);
}

int32_t model_forward(model *m) {
    if (!m->ready) {
        return MODEL_ERROR_STATE;
    }
    dims encoder = dims_encoder(m->dims), decoder = dims_decoder(m->dims);
    if (!tokens_valid(&m->tensors.encoder, &encoder) ||
        !tokens_valid(&m->tensors.decoder, &decoder)) {
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
    if (!tokens_valid(&m->tensors.decoder, &n)) {
        return MODEL_ERROR_TOKEN;
    }
    decode(m, past, T);
    m->written = past + T;
    answer(m, T);
    return MODEL_OK;
}
