#include "model.h"

#include <math.h>
#include <string.h>

#include "../kernel/activation.h"
#include "../kernel/dropout.h"
#include "../kernel/elementwise.h"
#include "../kernel/matmul.h"
#include "../kernel/softmax.h"
#include "../kernel/vecmath.h"
#include "../op/embed.h"
#include "../op/position.h"
#include "block.h"
#include "passes.h"

size_t model_weight_bytes(const model_config *c, slice s) {
    model_dims n = dims_of(c, (request){.slice = s});
    tensors_bytes bytes;
    if (!tensors_size(&bytes, &n)) {
        return 0;
    }
    return bytes.weights > 0 ? bytes.weights : 64;
}

void model_start(model *m, const model_config *c, slice s, void *weights) {
    memset(m, 0, sizeof *m);
    m->config = *c;
    m->weights = weights;
    m->weight_bytes = model_weight_bytes(c, s);
    m->temperature = 1;
    m->dims = dims_of(&m->config, (request){.slice = s});
    m->steps.slice = s;
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
           (!cached || (decoder && ask.capacity >= ask.T && !ask.mask && !ask.train &&
                        (ask.B == 1 || !ask.capture))) &&
           (ask.reserved == 0 || (model_keeps(c, ask) && ask.reserved >= ask.T)) &&
           (!ask.one_row || (!cached && !ask.train && c->head != HEAD_NONE)) &&
           (ask.slice.others == 0 || !(alone || ask.capture || ask.train || ask.one_row)) &&
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
        rotation_table(t->rotation, NULL, K, m->dims.turned, config_rotation(&m->config));
    }
}

void model_layout(model *m, request ask, void *block) {
    model_dims reserved = dims_reserved(&m->config, ask);
    m->dims = dims_of(&m->config, ask);
    tensors_carve(&m->tensors, &reserved, m->weights, m->gradients, block);
    fill_positions(m, &m->tensors.value.encoder, dims_encoder(reserved).K);
    fill_positions(m, &m->tensors.value.decoder, dims_decoder(reserved).K);
    if (m->tensors.value.rotation) { /* of an attention on its own */
        rotation_table(m->tensors.value.rotation, NULL, m->dims.K, m->dims.turned,
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

static bool tokens_valid(const stack_tensors *t, size_t count, size_t V, const model_config *c) {
    return (!t->ids || embed_valid(t->ids, count, V)) &&
           (!t->types || embed_valid(t->types, count, (size_t)c->types));
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
    float *to = t->embedding ? t->embedding : input;
    if (t->ids) {
        float scale = c->embedding_scale ? sqrtf((float)C) : 1;
        embed_forward(to, t->ids, table, (weight_type)c->weights, scale, n->B * n->T, n->V, C);
    } else if (e->input_weight) {
        linear_forward(to, t->vectors, e->input_weight, (weight_type)c->weights,
                       (matmul_epilogue){.bias = e->input_bias}, n->B * n->T, n->I, C);
    } else {
        memcpy(to, t->vectors, n->B * row * sizeof *to);
    }
    if (t->embedding) {
        pass_patch(p, to, n->B * row);
        memcpy(input, to, n->B * row * sizeof *input);
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

pass model_encoder_pass(model *m) {
    model_tensors *t = &m->tensors.value;
    model_dims n = dims_encoder(m->dims);
    return (pass){.n = n,
                  .stride = n.T,
                  .causal = m->config.causal && !n.both,
                  .padding = t->encoder.padding,
                  .rotation = t->encoder.rotation,
                  .relative = n.relates ? &t->encoder.relative : NULL,
                  .drelative = &m->tensors.gradient.encoder.relative,
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
    size_t stride = n.cache && n.B > 1 ? T : n.T; /* the rows of a step stand side by side */
    n.T = T;
    return (pass){.n = n,
                  .stride = stride,
                  .past = past,
                  .resumed = past > 0 && !n.cache,
                  .causal = m->config.causal,
                  .padding = t->decoder.padding,
                  .rotation = t->decoder.rotation,
                  .relative = n.relates ? &t->decoder.relative : NULL,
                  .drelative = &m->tensors.gradient.decoder.relative,
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
                  .relative = m->dims.relates ? &t->relative : NULL,
                  .drelative = &m->tensors.gradient.relative,
                  .mask = t->mask,
                  .scratch = t->scratch,
                  .temperature = m->temperature,
                  .patches = m->patches,
                  .workspace = &t->workspace};
}

const float *model_target_table(const model *m) {
    return m->tensors.value.target.table ? m->tensors.value.target.table
                                         : m->tensors.value.source.table;
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
    if (m->config.head_pooler == POOLER_TANH) {
        for (size_t i = 0; i < R * C; i++) {
            active[i] = (float)math_tanh(own->pre_activation[i]);
        }
    } else {
        activation_forward(active, own->pre_activation, R * C, model_transform_activation(m));
    }
    patches_apply(m->patches, active, R * C);
    if (!m->config.head_transform) {
        return active;
    }
    norm_of_forward(&own->norm, active, R, &m->config);
    patches_apply(m->patches, own->norm.out, R * C);
    return own->norm.out;
}

/* Logits, or values, of R rows x of the output; of so many words. */
static void logits_of(model *m, const float *x, size_t R, size_t words) {
    model_tensors *t = &m->tensors.value;
    size_t V = m->dims.VO;
    x = config_has_transform(&m->config) ? transform_forward(m, x, R) : x;
    float scale = model_head_scale(m);
    matmul_epilogue epilogue = {.scale = m->config.head_scale ? &scale : NULL,
                                .bias = t->output_weight ? t->output_bias : t->head_bias};
    linear_into(model_scores(t), V, x, model_head_weight(m), (weight_type)m->config.weights,
                epilogue, R, m->dims.C, words);
    if (t->probabilities) {
        softmax_forward(t->probabilities, V, t->logits, V, R, V);
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
    logits_of(m, m->tensors.value.out + row * n->C, 1, n->VO);
    return MODEL_OK;
}

static void forward_alone(model *m) {
    model_tensors *t = &m->tensors.value;
    pass p = model_alone_pass(m);
    if (m->config.kind == KIND_FEED_FORWARD) {
        ffn_forward(&t->ffn, (sublayer_target){.to = t->ffn.out}, t->input, &p);
        return;
    }
    pass_relate(&p);
    multihead_forward(&t->attention, (sublayer_target){.to = t->attention.out}, t->input, t->memory,
                      &p);
}

/* Whether a pass over T tokens after past others may begin. */
static int32_t begin_error(const model *m, size_t others, size_t past, size_t T) {
    const model_dims *n = &m->dims;
    const request *ask = &n->ask;
    bool whole = n->alone || ask->capture || ask->train || ask->one_row || T == 0;
    bool goes_on = past == 0 || ((n->cache || ask->reserved > 0) && past <= m->written);
    bool mine = ask->slice.others == 0 || ask->slice.others == others;
    if (!m->ready || !goes_on || !mine || (whole && others > 0)) {
        return MODEL_ERROR_STATE;
    }
    bool step = n->cache && past > 0;
    if (step ? T == 0 || T > n->T || past + T > ask->capacity : past + T != n->TO) {
        return MODEL_ERROR_ARGUMENT;
    }
    size_t V = n->both ? (size_t)config_target_vocabulary(n->c) : n->V;
    const model_tensors *t = &m->tensors.value;
    bool valid = (past > 0 || tokens_valid(&t->encoder, n->B * n->S, n->V, n->c)) &&
                 tokens_valid(&t->decoder, n->B * (step ? T : n->T), V, n->c);
    return valid || ask->slice.index > 0 ? MODEL_OK : MODEL_ERROR_TOKEN;
}

int32_t model_begin(model *m, size_t others, size_t past, size_t T) {
    int32_t error = begin_error(m, others, past, T);
    if (error) {
        return error;
    }
    m->steps = (stepped){.running = true,
                         .ended = T == 0,
                         .decoder = !m->dims.encoder || past > 0,
                         .slice = {m->dims.ask.slice.index, others},
                         .past = past,
                         .T = T,
                         .shift = m->dims.cache ? 0 : (ptrdiff_t)past};
    m->written = past;
    if (m->steps.shift) {
        tensors_shift(&m->tensors, &m->dims, m->steps.shift);
    }
    return MODEL_OK;
}

void model_end(model *m) {
    if (m->steps.running && m->steps.shift) {
        tensors_shift(&m->tensors, &m->dims, -m->steps.shift);
    }
    m->steps = (stepped){.slice = m->dims.ask.slice};
}

/* After the last stack: the logits. */
static void complete(model *m, const pass *p, exchange *due) {
    m->written = m->steps.past + m->steps.T;
    m->steps.ended = true;
    if (config_has_head(&m->config) && !m->dims.ask.one_row) {
        logits_of(m, m->tensors.value.out, p->n.B * p->n.T, p->n.VO);
        pass_exchange(p, due, model_scores(&m->tensors.value), m->dims.VO, SHARE_WORDS);
    }
}

/* The next step of a stack: its input, which the first slice alone embeds, a step of a layer, or its end: the final
 * LayerNorm, whose result is t->out. */
static void advance(model *m, exchange *due) {
    stepped *at = &m->steps;
    model_tensors *t = &m->tensors.value;
    bool decoder = at->decoder;
    stack_tensors *stack = decoder ? &t->decoder : &t->encoder;
    embed_tensors *tables = decoder ? &t->target : &t->source;
    pass *p = &at->pass;
    size_t step = at->step++, layer = (step - 1) / BLOCK_STEPS, C = m->dims.C;
    if (step == 0) {
        *p = decoder ? model_decoder_pass(m, at->past, at->T) : model_encoder_pass(m);
        dims_slice(&p->n, at->slice);
        pass_relate(p);
        if (at->slice.index == 0) {
            embed(stack, tables, decoder ? model_target_table(m) : tables->table, p);
        }
        float *input = model_input(stack, tables, &m->config);
        at->x = input;
        pass_exchange(p, due, input, C, SHARE_INPUT);
    } else if (layer < p->n.L) {
        p->n = dims_layer(p->n, layer);
        p->input = (step - 1) % BLOCK_STEPS == 0 ? at->x : p->input;
        at->x = block_step(&stack->layers[layer], at->x, p, layer, (step - 1) % BLOCK_STEPS, due);
    } else {
        size_t rows = p->n.B * p->n.T;
        p->n.capture = m->dims.capture;
        if (m->config.final_norm) {
            norm_of_forward(&stack->norm, at->x, rows, &m->config);
            pass_patch(p, stack->norm.out, rows * C);
            at->x = stack->norm.out;
        }
        memcpy(stack->out, at->x, rows * C * sizeof(float));
        pass_patch(p, stack->out, rows * C);
        at->step = 0;
        at->decoder = true;
        if (decoder || !m->dims.decoder) {
            complete(m, p, due);
        }
    }
}

int32_t model_next(model *m, exchange *due) {
    if (!m->steps.running) {
        return MODEL_ERROR_STATE;
    }
    due->to = NULL;
    while (!due->to && !m->steps.ended) {
        advance(m, due);
    }
    if (due->to) {
        return 1;
    }
    model_end(m);
    return MODEL_OK;
}

/* All of a pass. */
static int32_t pass_over(model *m, size_t past, size_t T) {
    exchange due;
    int32_t result = model_begin(m, 0, past, T);
    while (m->steps.running) {
        model_next(m, &due);
    }
    return result;
}

int32_t model_forward(model *m) {
    if (m->ready && m->dims.alone) {
        forward_alone(m);
        return MODEL_OK;
    }
    return pass_over(m, 0, m->dims.TO);
}

int32_t model_step(model *m, size_t past, size_t T) {
    return m->dims.cache && past > 0 ? pass_over(m, past, T) : MODEL_ERROR_STATE;
}

int32_t model_copy(model *m, size_t from, size_t to) {
    if (!m->ready || !m->dims.cache || m->written == 0) {
        return MODEL_ERROR_STATE;
    }
    model_dims n = dims_decoder(m->dims);
    if (from >= n.B || to >= n.B) {
        return MODEL_ERROR_ARGUMENT;
    }
    size_t item = n.K * n.E, bytes = m->written * n.E * sizeof(float);
    for (size_t i = 0; from != to && n.H > 0 && i < n.L; i++) {
        attention_tensors *t = &m->tensors.value.decoder.layers[i].self_attn;
        memcpy(attention_key(t) + to * item, attention_key(t) + from * item, bytes);
        memcpy(t->value + to * item, t->value + from * item, bytes);
    }
    return MODEL_OK;
}

int32_t model_resume(model *m, size_t past) {
    bool goes_on = m->dims.ask.reserved > 0 && past > 0 && past <= m->written;
    return goes_on ? pass_over(m, past, m->dims.T - past) : MODEL_ERROR_STATE;
}
