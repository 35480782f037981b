#include "model.h"

#include <math.h>
#include <string.h>

#include "../kernel/activation.h"
#include "../kernel/dropout.h"
#include "../kernel/elementwise.h"
#include "../kernel/matmul.h"
#include "../kernel/softmax.h"
#include "../op/embed.h"
#include "../op/position.h"
#include "block.h"
#include "passes.h"

static const request NOTHING = {0};

size_t model_weight_bytes(const model_config *c) {
    model_dims n = dims_of(c, NOTHING);
    tensors_bytes bytes;
    if (!tensors_size(&bytes, &n)) {
        return 0;
    }
    return bytes.weights > 0 ? bytes.weights : 64;
}

void model_start(model *m, const model_config *c, void *weights) {
    memset(m, 0, sizeof *m);
    m->config = *c;
    m->weights = weights;
    m->weight_bytes = model_weight_bytes(c);
    m->temperature = 1;
    m->dims = dims_of(&m->config, NOTHING);
    tensors_carve(&m->tensors, &m->dims, weights, NULL, NULL);
}

bool model_arrange(model *m, bool panels) {
    model_config *c = &m->config;
    int32_t now = panels ? WEIGHT_PANELS : WEIGHT_F32;
    bool fits = c->d_model % PANEL == 0 && c->d_model <= MOST_ARRANGED && m->dims.A % PANEL == 0 &&
                m->dims.E % PANEL == 0 && m->dims.A <= MOST_ARRANGED && c->d_ff <= MOST_ARRANGED &&
                c->input_width <= MOST_ARRANGED;
    bool floats = c->weights == WEIGHT_F32 || c->weights == WEIGHT_PANELS;
    if (!floats || (panels && (!fits || m->gradients))) {
        return false;
    }
    size_t count = c->weights == now ? 0 : tensors_count(&m->tensors, &m->dims);
    for (size_t i = 0; i < count; i++) {
        tensor_info t;
        tensors_get(&t, &m->tensors, &m->dims, i);
        if (t.region == WEIGHT && role_is_matrix((tensor_role)t.role)) {
            matmul_arrange(t.data, (size_t)t.shape[0], (size_t)t.shape[1], panels);
        }
    }
    c->weights = now;
    return true;
}

/* Whether a later pass may go on from a pass of such a layout. */
static bool model_keeps(const model_config *c, request ask) {
    return ask.B == 1 && c->causal && config_has_decoder(c) && ask.capacity == 0 && !ask.train;
}

/* Lengths, flags and kind must fit: a stack that exists has a length, one that does not has 0. */
static bool request_fits(const model_config *c, request ask) {
    bool encoder = config_has_encoder(c), decoder = config_has_decoder(c);
    bool alone = !encoder && !decoder, attention = c->kind == KIND_ATTENTION;
    size_t longest = ask.S > ask.T ? ask.S : ask.T;
    longest = ask.reserved > longest ? ask.reserved : longest;
    longest = ask.capacity > longest ? ask.capacity : longest;
    size_t limit =
        c->positions == POSITIONS_LEARNED && !alone ? (size_t)c->max_length : CONFIG_MAX_SIZE;
    bool cached = ask.capacity > 0;
    return ask.B >= 1 && ask.B <= CONFIG_MAX_SIZE && longest <= limit &&
           (ask.S > 0 ? encoder || attention : !encoder) &&
           (ask.T > 0 ? decoder || alone : encoder && !decoder) &&
           (!cached ||
            (decoder && ask.B == 1 && ask.capacity >= ask.T && !ask.mask && !ask.train)) &&
           (ask.reserved == 0 || (model_keeps(c, ask) && ask.reserved >= ask.T)) &&
           (!ask.one_row || (!cached && !ask.train && c->head != HEAD_NONE)) &&
           (!ask.train || (c->weights == WEIGHT_F32 && !ask.omit)) &&
           (!ask.vector_targets || ask.train) && (!ask.loss_mask || ask.train) &&
           (!ask.types || c->types > 0) && (!ask.encoder_padding || encoder || attention) &&
           (!ask.decoder_padding || (decoder && !cached)) &&
           (!ask.memory_padding || (encoder && decoder)) &&
           (!ask.mask || c->kind != KIND_FEED_FORWARD);
}

int32_t model_layout_bytes(const model *m, request ask) {
    if (!request_fits(&m->config, ask)) {
        return MODEL_ERROR_ARGUMENT;
    }
    model_dims n = dims_reserved(&m->config, ask);
    tensors_bytes bytes;
    return tensors_size(&bytes, &n) ? (int32_t)bytes.block : MODEL_ERROR_MEMORY;
}

static void fill_positions(const model *m, const stack_tensors *t, size_t K) {
    if (t->positions && m->config.positions == POSITIONS_SINUSOIDAL) {
        position_forward(t->positions, NULL, K, m->dims.C);
    }
    if (t->rotation) {
        rotation_table(t->rotation, NULL, K, m->dims.D, config_rotation(&m->config));
    }
}

void model_layout(model *m, request ask, void *block) {
    model_dims reserved = dims_reserved(&m->config, ask);
    m->dims = dims_of(&m->config, ask);
    tensors_carve(&m->tensors, &reserved, m->weights, m->gradients, block);
    fill_positions(m, &m->tensors.value.encoder, dims_encoder(reserved).K);
    fill_positions(m, &m->tensors.value.decoder, dims_decoder(reserved).K);
    if (m->tensors.value.rotation) { /* of an attention on its own */
        rotation_table(m->tensors.value.rotation, NULL, m->dims.K, m->dims.D,
                       config_rotation(&m->config));
    }
    m->ready = true;
    m->written = 0;
}

size_t model_reserved(const model *m, request ask) {
    const model_config *c = &m->config;
    enum { SPARE_BYTES = 1 << 28 }; /* beyond, a longer text moves */
    size_t most = c->positions == POSITIONS_LEARNED ? (size_t)c->max_length : CONFIG_MAX_SIZE;
    if (!model_keeps(c, ask) || ask.T > most) {
        return 0;
    }
    ask.reserved = ask.T + ask.T / 8 + 8 < most ? ask.T + ask.T / 8 + 8 : most;
    int32_t bytes = model_layout_bytes(m, ask);
    return bytes < 0 || bytes > SPARE_BYTES ? ask.T : ask.reserved;
}

/* Keys and values, all that a cached step reads of what came before. */
static void move_keys(model *m, const model_tensors *from, size_t rows) {
    model_dims n = dims_decoder(m->dims);
    size_t row = n.E * sizeof(float);
    if (from->memory_padding) {
        memcpy(m->tensors.value.memory_padding, from->memory_padding, n.S);
    }
    for (size_t i = 0; n.H > 0 && i < n.L; i++) {
        layer_tensors *to = &m->tensors.value.decoder.layers[i];
        const layer_tensors *of = &from->decoder.layers[i];
        memcpy(attention_key(&to->self_attn), attention_key(&of->self_attn), rows * row);
        memcpy(to->self_attn.value, of->self_attn.value, rows * row);
        if (n.cross) {
            memcpy(attention_key(&to->cross_attn), attention_key(&of->cross_attn), n.S * row);
            memcpy(to->cross_attn.value, of->cross_attn.value, n.S * row);
        }
    }
}

void model_resize(model *m, request ask, void *block, void *former) {
    model_dims was = m->dims, reserved = dims_reserved(&m->config, was.ask);
    size_t most = ask.capacity > 0 ? ask.capacity : ask.T;
    size_t written = m->written < most ? m->written : most;
    if (block == former) {
        m->dims = dims_of(&m->config, ask);
        tensors_move(&m->tensors, &m->dims, &m->tensors, &was);
    } else {
        model_layout(m, ask, block);
        tensor_set *from = tensors_former(&reserved, m->weights, former);
        if (ask.capacity > 0) {
            move_keys(m, &from->value, written);
        } else {
            tensors_move(&m->tensors, &m->dims, from, &was);
        }
    }
    m->written = written;
}

static bool tokens_valid(const stack_tensors *t, const model_dims *n) {
    size_t count = n->B * n->T;
    return (!t->ids || embed_valid(t->ids, count, n->V)) &&
           (!t->types || embed_valid(t->types, count, n->types));
}

float *model_input(const stack_tensors *t, const embed_tensors *e, const model_config *c) {
    return c->embedding_norm ? e->norm.out : t->input;
}

/* Tokens (or vectors) to the input of the first layer. */
static const float *embed(stack_tensors *t, embed_tensors *e, const float *table, const pass *p) {
    const model_dims *n = &p->n;
    const model_config *c = n->c;
    size_t C = n->C, row = n->T * C;
    float *input = t->input;
    if (t->ids) {
        float *to = t->embedding ? t->embedding : input;
        float scale = c->embedding_scale ? sqrtf((float)C) : 1;
        embed_forward(to, t->ids, table, (weight_type)c->weights, scale, n->B * n->T, n->V, C);
        pass_patch(p, t->embedding, n->B * row);
        if (to != input) {
            memcpy(input, to, n->B * row * sizeof *input);
        }
    } else if (e->input_weight) {
        float *to = t->embedding ? t->embedding : input;
        linear_forward(to, t->vectors, e->input_weight, (weight_type)c->weights,
                       (matmul_epilogue){.bias = e->input_bias}, n->B * n->T, n->I, C);
        pass_patch(p, t->embedding, n->B * row);
        if (to != input) {
            memcpy(input, to, n->B * row * sizeof *input);
        }
    } else {
        memcpy(input, t->vectors, n->B * row * sizeof *input);
    }
    if (e->positions) { /* without a past also the spare ones of the cache */
        size_t from = p->past * C, rows = p->past == 0 ? n->K : n->T;
        memcpy(t->positions + from, e->positions + from, rows * C * sizeof *input);
    }
    bool shifted = c->positions_from != POSITION_INDEX && p->padding;
    for (size_t b = 0; t->positions && !shifted && b < n->B; b++) {
        add_forward(input + b * row, input + b * row, t->positions + p->past * C, row);
    }
    for (size_t b = 0; t->positions && shifted && b < n->B; b++) {
        position_count count = {.from = (position_start)c->positions_from};
        const uint8_t *hidden = p->padding + b * n->T;
        for (size_t i = 0; i < p->past + n->T; i++) {
            size_t at = position_next(&count, i, hidden[i]);
            float *x = input + b * row + (i - p->past) * C;
            if (i >= p->past) {
                add_forward(x, x, t->positions + at * C, C);
            }
        }
    }
    if (t->types) {
        embed_add(input, t->types, e->types, n->B * n->T, C);
    }
    pass_patch(p, input, n->B * row);
    if (c->embedding_norm) {
        norm_of_forward(&e->norm, input, n->B * n->T, c);
        pass_patch(p, e->norm.out, n->B * row);
    }
    input = model_input(t, e, c);
    if (p->dropout > 0) {
        dropout_apply(input, input, n->B * row, p->dropout, pass_dropout(p, 0));
    }
    return input;
}

/* All layers and the final LayerNorm; the result is t->out. */
static void run(stack_tensors *t, const float *x, const pass *p) {
    const model_dims *n = &p->n;
    for (size_t i = 0; i < n->L; i++) {
        pass layer = *p;
        layer.n = dims_layer(*n, i);
        x = block_forward(&t->layers[i], x, &layer, i);
    }
    if (n->c->final_norm) {
        norm_of_forward(&t->norm, x, n->B * n->T, n->c);
        pass_patch(p, t->norm.out, n->B * n->T * n->C);
        x = t->norm.out;
    }
    memcpy(t->out, x, n->B * n->T * n->C * sizeof *x);
    pass_patch(p, t->out, n->B * n->T * n->C);
}

pass model_encoder_pass(model *m) {
    model_tensors *t = &m->tensors.value;
    model_dims n = dims_encoder(m->dims);
    return (pass){.n = n,
                  .stride = n.T,
                  .causal = m->config.causal && !n.both,
                  .padding = t->encoder.padding,
                  .rotation = t->encoder.rotation,
                  .mask = n.both ? NULL : t->mask,
                  .scratch = t->scratch,
                  .dropout = m->dropout,
                  .dropout_key = dropout_key(m->dropout_key, 0, 1),
                  .first = m->first,
                  .temperature = m->temperature,
                  .patches = m->patches,
                  .workspace = &t->workspace};
}

pass model_decoder_pass(model *m, size_t past, size_t T) {
    model_tensors *t = &m->tensors.value;
    model_dims n = dims_decoder(m->dims);
    size_t stride = n.T;
    n.T = T;
    return (pass){.n = n,
                  .stride = stride,
                  .past = past,
                  .resumed = past > 0 && !n.cache,
                  .causal = m->config.causal,
                  .padding = t->decoder.padding,
                  .rotation = t->decoder.rotation,
                  .mask = t->mask ? t->mask + past * n.K : NULL,
                  .memory = n.both ? t->encoder.out : NULL,
                  .memory_padding = t->memory_padding,
                  .scratch = t->scratch,
                  .dropout = m->dropout,
                  .dropout_key = dropout_key(m->dropout_key, 0, 2),
                  .first = m->first,
                  .temperature = m->temperature,
                  .patches = m->patches,
                  .workspace = &t->workspace};
}

pass model_alone_pass(model *m) {
    model_tensors *t = &m->tensors.value;
    return (pass){.n = m->dims,
                  .stride = m->dims.T,
                  .causal = m->config.causal,
                  .window = t->memory ? 0 : config_window(&m->config, 0),
                  .padding = t->padding,
                  .rotation = t->rotation,
                  .mask = t->mask,
                  .scratch = t->scratch,
                  .temperature = m->temperature,
                  .patches = m->patches,
                  .workspace = &t->workspace};
}

static void encode(model *m) {
    model_tensors *t = &m->tensors.value;
    pass p = model_encoder_pass(m);
    run(&t->encoder, embed(&t->encoder, &t->source, t->source.table, &p), &p);
}

const float *model_target_table(const model *m) {
    return m->tensors.value.target.table ? m->tensors.value.target.table
                                         : m->tensors.value.source.table;
}

static void decode(model *m, size_t past, size_t T) {
    model_tensors *t = &m->tensors.value;
    pass p = model_decoder_pass(m, past, T);
    run(&t->decoder, embed(&t->decoder, &t->target, model_target_table(m), &p), &p);
}

int32_t model_embed(model *m, float *x, size_t past, size_t T) {
    bool decoder = m->dims.decoder, cached = m->dims.cache;
    if (!m->ready || decoder == m->dims.encoder) {
        return MODEL_ERROR_STATE;
    }
    size_t rows = decoder ? m->dims.T : m->dims.S, end = cached ? m->dims.ask.capacity : rows;
    bool fits = T > 0 && T <= rows && past <= end - T && (cached || past + T == rows);
    if (!fits || (past > 0 && (!decoder || m->dims.B > 1))) {
        return MODEL_ERROR_ARGUMENT;
    }
    model_tensors *t = &m->tensors.value;
    model_dims n = decoder ? dims_decoder(m->dims) : dims_encoder(m->dims);
    stack_tensors *stack = decoder ? &t->decoder : &t->encoder;
    n.T = cached ? T : rows;
    if (!tokens_valid(stack, &n)) {
        return MODEL_ERROR_TOKEN;
    }
    pass p = decoder ? model_decoder_pass(m, past, T) : model_encoder_pass(m);
    ptrdiff_t shift = cached ? 0 : (ptrdiff_t)past;
    tensors_shift(&m->tensors, &m->dims, shift);
    embed_tensors *tables = decoder ? &t->target : &t->source;
    const float *input = embed(stack, tables, tables->table, &p);
    memcpy(x, input, p.n.B * T * p.n.C * sizeof *x);
    tensors_shift(&m->tensors, &m->dims, -shift);
    return MODEL_OK;
}

const float *model_head_weight(const model *m) {
    const model_tensors *t = &m->tensors.value;
    const float *table = m->dims.decoder ? model_target_table(m) : t->source.table;
    return m->config.head == HEAD_TIED ? table
           : t->output_weight          ? t->output_weight
                                       : t->head_weight;
}

/* R rows x of the output through the transform; returns what the output head reads. */
static const float *transform_forward(model *m, const float *x, size_t R) {
    model_tensors *t = &m->tensors.value;
    transform_tensors *own = &t->transform;
    size_t C = m->dims.C;
    float *active = own->activation ? own->activation : own->pre_activation;
    linear_forward(own->pre_activation, x, own->weight, (weight_type)m->config.weights,
                   (matmul_epilogue){.bias = own->bias}, R, C, C);
    patches_apply(m->patches, own->pre_activation, R * C);
    activation_forward(active, own->pre_activation, R * C, (activation)m->config.activation);
    patches_apply(m->patches, active, R * C);
    norm_of_forward(&own->norm, active, R, &m->config);
    patches_apply(m->patches, own->norm.out, R * C);
    return own->norm.out;
}

/* Logits, or values, of R rows x of the output. */
static void logits_of(model *m, const float *x, size_t R) {
    model_tensors *t = &m->tensors.value;
    size_t V = m->dims.VO;
    x = m->config.head_transform ? transform_forward(m, x, R) : x;
    linear_forward(model_scores(t), x, model_head_weight(m), (weight_type)m->config.weights,
                   (matmul_epilogue){.bias = t->output_weight ? t->output_bias : t->head_bias}, R,
                   m->dims.C, V);
    if (t->probabilities) {
        softmax_forward(t->probabilities, V, t->logits, V, R, V);
    }
}

static void logits_forward(model *m, size_t R) {
    if (config_has_head(&m->config) && !m->dims.ask.one_row) {
        logits_of(m, m->tensors.value.out, R);
    }
}

int32_t model_logits(model *m, size_t row) {
    const model_dims *n = &m->dims;
    if (!m->ready || !n->ask.one_row) {
        return MODEL_ERROR_STATE;
    }
    if (row >= n->B * n->TO) {
        return MODEL_ERROR_ARGUMENT;
    }
    logits_of(m, m->tensors.value.out + row * n->C, 1);
    return MODEL_OK;
}

static void forward_alone(model *m) {
    model_tensors *t = &m->tensors.value;
    pass p = model_alone_pass(m);
    if (m->config.kind == KIND_FEED_FORWARD) {
        ffn_forward(&t->ffn, (sublayer_target){.to = t->ffn.out}, t->input, m->dims.B * m->dims.T,
                    &p);
        return;
    }
    multihead_forward(&t->attention, (sublayer_target){.to = t->attention.out}, t->input, t->memory,
                      &p);
}

int32_t model_forward(model *m) {
    if (!m->ready) {
        return MODEL_ERROR_STATE;
    }
    model_dims encoder = dims_encoder(m->dims), decoder = dims_decoder(m->dims);
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
    logits_forward(m, m->dims.B * m->dims.TO);
    return MODEL_OK;
}

int32_t model_step(model *m, size_t past, size_t T) {
    if (!m->ready || !m->dims.cache || past == 0 || past > m->written) {
        return MODEL_ERROR_STATE;
    }
    if (T == 0 || T > m->dims.T || past + T > m->dims.ask.capacity) {
        return MODEL_ERROR_ARGUMENT;
    }
    model_dims n = dims_decoder(m->dims);
    n.T = T;
    if (!tokens_valid(&m->tensors.value.decoder, &n)) {
        return MODEL_ERROR_TOKEN;
    }
    decode(m, past, T);
    m->written = past + T;
    logits_forward(m, T);
    return MODEL_OK;
}

int32_t model_resume(model *m, size_t past) {
    size_t T = m->dims.T;
    if (!m->ready || m->dims.ask.reserved == 0 || past == 0 || past > m->written) {
        return MODEL_ERROR_STATE;
    }
    model_dims n = dims_decoder(m->dims);
    if (!tokens_valid(&m->tensors.value.decoder, &n)) {
        return MODEL_ERROR_TOKEN;
    }
    if (past < T) {
        tensors_shift(&m->tensors, &m->dims, (ptrdiff_t)past);
        decode(m, past, T - past);
        logits_forward(m, T - past);
        tensors_shift(&m->tensors, &m->dims, -(ptrdiff_t)past);
    }
    m->written = T;
    return MODEL_OK;
}
