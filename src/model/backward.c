#include <math.h>
#include <string.h>

#include "../kernel/activation.h"
#include "../kernel/dropout.h"
#include "../kernel/elementwise.h"
#include "../kernel/matmul.h"
#include "../op/embed.h"
#include "../op/loss.h"
#include "block.h"
#include "model.h"
#include "passes.h"

/* In place: g, the gradient of the stack's output, becomes that of its first layer's input. */
static void run_backward(stack_tensors *t, stack_tensors *d, float *g, float *dmemory,
                         const float *input, const pass *p) {
    const model_dims *n = &p->n;
    size_t R = n->B * n->T;
    pass_gradient(p, d->out, g, t->out, R * n->C);
    if (n->c->final_norm) {
        const float *x = n->L > 0 ? t->layers[n->L - 1].out : input;
        norm_of_backward(&t->norm, &d->norm, g, x, R, p);
    }
    for (size_t i = n->L; i-- > 0;) {
        const float *x = i > 0 ? t->layers[i - 1].out : input;
        block_backward(&t->layers[i], &d->layers[i], g, dmemory, x, p, i);
    }
}

/* From g, the gradient of the first layer's input, to those of the tables, or of the vectors. */
static void embed_pass_backward(stack_tensors *t, stack_tensors *d, embed_tensors *e,
                                embed_tensors *de, float *dtable, float *g, const pass *p) {
    const model_dims *n = &p->n;
    const model_config *c = n->c;
    size_t C = n->C, R = n->B * n->T;
    if (p->dropout > 0) {
        dropout_apply(g, g, R * C, p->dropout, pass_dropout(p, 0));
    }
    if (c->embedding_norm) {
        norm_of_backward(&e->norm, &de->norm, g, t->input, R, p);
    }
    pass_gradient(p, d->input, g, t->input, R * C);
    bool shifted = c->positions_from != POSITION_INDEX && p->padding;
    for (size_t b = 0; de->positions && !shifted && b < n->B; b++) {
        add_forward(de->positions, de->positions, g + b * n->T * C, n->T * C);
    }
    for (size_t b = 0; de->positions && shifted && b < n->B; b++) {
        position_count count = {.from = (position_start)c->positions_from};
        for (size_t i = 0; i < n->T; i++) {
            float *to = de->positions + position_next(&count, i, p->padding[b * n->T + i]) * C;
            add_forward(to, to, g + (b * n->T + i) * C, C);
        }
    }
    if (t->types) {
        embed_backward(de->types, t->types, g, 1, R, C);
    }
    pass_gradient(p, d->embedding, g, t->embedding, R * C);
    if (e->input_weight) { /* the gradient of vectors is computed where it is captured alone */
        linear_backward(d->vectors, false, de->input_weight, de->input_bias, g, t->vectors,
                        e->input_weight, R, n->I, C);
    }
    if (e->input_weight && d->vectors) {
        pass_gradient(p, NULL, d->vectors, t->vectors, R * n->I);
    } else {
        pass_gradient(p, d->vectors, g, t->vectors, R * C);
    }
    if (t->ids) {
        embed_backward(dtable, t->ids, g, c->embedding_scale ? sqrtf((float)C) : 1, R, C);
    }
}

static float *target_table_gradient(model *m) {
    model_tensors *d = &m->tensors.gradient;
    return d->target.table ? d->target.table : d->source.table;
}

/* The number of classes that a token target is one of. */
static size_t classes(const model_dims *n) { return n->alone ? n->O : n->VO; }

/* The rows of the loss that lossMask lets count. */
static size_t rows_that_count(const uint8_t *mask, size_t R) {
    size_t count = 0;
    for (size_t r = 0; r < R; r++) {
        count += !mask || mask[r];
    }
    return count;
}

/* The loss of the last forward pass; with backward its gradient as well, in the workspace: of the
 * logits or values in logits, of the output in stream. */
static float loss_of(model *m, const objective *o, size_t *counted, bool backward) {
    model_tensors *t = &m->tensors.value;
    const model_dims *n = &m->dims;
    size_t R = n->B * n->TO;
    float loss;
    if (o->kind ==
        OBJECTIVE_CROSS_ENTROPY) { /* the output of a layer on its own is taken as logits */
        const float *logits = n->alone ? t->out : model_scores(t);
        float *dlogits = n->alone ? t->workspace.stream : t->workspace.logits;
        size_t V = classes(n);
        *counted = loss_cross_entropy(&loss, dlogits, logits, t->targets, R, V, o->ignore_index,
                                      o->smoothing, o->count == 0);
        size_t count = o->count ? o->count : *counted;
        if (backward) {
            loss_cross_entropy_backward(dlogits, dlogits, t->targets, R, V, o->ignore_index,
                                        o->smoothing, count);
        }
        return o->count ? loss / (float)count : loss;
    }
    float *g = t->values ? t->workspace.logits : t->workspace.stream;
    const float *y = t->values ? t->values : t->out;
    *counted = rows_that_count(t->loss_mask, R);
    if (o->kind == OBJECTIVE_MSE) {
        return (float)loss_mse(backward ? g : NULL, y, t->target_vectors, t->loss_mask, R, n->O,
                               (o->count ? o->count : *counted) * n->O);
    }
    double sum = 0;
    for (size_t i = 0; i < R * n->O; i++) {
        float weight = t->loss_mask && !t->loss_mask[i / n->O] ? 0 : t->target_vectors[i];
        sum += (double)y[i] * weight;
        if (backward) {
            g[i] = weight;
        }
    }
    return (float)sum;
}

/* From g, the gradient of what the output head reads, to that of the output, in stream. */
static void transform_backward(model *m, float *g, size_t R) {
    const model_tensors *t = &m->tensors.value;
    transform_tensors *own = &m->tensors.value.transform, *d = &m->tensors.gradient.transform;
    size_t C = m->dims.C;
    pass p = {.n = m->dims, .patches = m->patches};
    if (m->config.head_transform) {
        norm_of_backward(&own->norm, &d->norm, g, own->activation, R, &p);
    }
    pass_gradient(&p, d->activation, g, own->activation, R * C);
    if (m->config.head_pooler == POOLER_TANH) {
        for (size_t i = 0; i < R * C; i++) { /* tanh' = 1 - tanh^2 */
            g[i] *= 1 - own->activation[i] * own->activation[i];
        }
    } else {
        activation_backward(g, g, own->pre_activation, R * C, model_transform_activation(m));
    }
    pass_gradient(&p, d->pre_activation, g, own->pre_activation, R * C);
    linear_backward(t->workspace.stream, false, d->weight, d->bias, g, t->out, own->weight, R, C,
                    C);
}

/* From the gradient of the logits, or values, to that of the output. */
static void logits_backward(model *m) {
    model_tensors *t = &m->tensors.value, *d = &m->tensors.gradient;
    size_t R = m->dims.B * m->dims.TO, V = m->dims.VO;
    float *dlogits = t->workspace.logits;
    patches_backward(m->patches, model_scores(d), dlogits, model_scores(t), R * V);
    float *dtable = m->dims.decoder ? target_table_gradient(m) : d->source.table;
    float *dweight = t->output_weight ? d->output_weight : d->head_weight;
    float *dbias = t->output_weight ? d->output_bias : d->head_bias;
    bool transforms = config_has_transform(&m->config);
    const float *x = m->config.head_transform ? t->transform.norm.out
                     : transforms             ? t->transform.activation
                                              : t->out;
    float *g = transforms ? t->workspace.branch : t->workspace.stream;
    dweight = m->config.head == HEAD_TIED ? dtable : dweight;
    linear_backward(g, false, dweight, dbias, dlogits, x, model_head_weight(m), R, m->dims.C, V);
    if (m->config.head_scale) { /* a tied table has no other gradients yet */
        scale_forward(g, g, model_head_scale(m), R * m->dims.C);
        scale_forward(dweight, dweight, model_head_scale(m), V * m->dims.C);
    }
    if (transforms) {
        transform_backward(m, g, R);
    }
}

/* Captured gradients of what comes after the output, where the loss does not depend on it. */
static void head_gradients_clear(model *m) {
    model_tensors *d = &m->tensors.gradient;
    size_t R = m->dims.B * m->dims.TO, bytes = R * m->dims.C * sizeof(float);
    memset(d->logits, 0, R * m->dims.VO * sizeof(float));
    if (config_has_transform(&m->config)) {
        memset(d->transform.pre_activation, 0, bytes);
        memset(d->transform.activation, 0, bytes);
    }
    if (m->config.head_transform) {
        memset(d->transform.norm.out, 0, bytes);
    }
}

static void alone_backward(model *m) {
    model_tensors *t = &m->tensors.value, *d = &m->tensors.gradient;
    workspace_tensors *w = &t->workspace;
    const model_dims *n = &m->dims;
    size_t R = n->B * n->T;
    pass p = model_alone_pass(m);
    if (m->config.kind == KIND_FEED_FORWARD) {
        float *dx = d->input ? w->branch : NULL; /* nobody else reads it */
        ffn_backward(&t->ffn, &d->ffn, dx, w->hidden, w->stream, t->input, R, &p);
        if (!dx) {
            return;
        }
    } else {
        size_t keys = n->B * n->S * n->C;
        if (t->memory) {
            memset(w->memory, 0, keys * sizeof *w->memory);
        }
        multihead_backward(&t->attention, &d->attention, w->branch, w->memory, w->stream, t->input,
                           t->memory, &p);
        if (t->memory) {
            pass_gradient(&p, d->memory, w->memory, t->memory, keys);
        }
    }
    pass_gradient(&p, d->input, w->branch, t->input, R * n->C);
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
        pass p = model_decoder_pass(m, 0, m->dims.T);
        if (m->dims.both) {
            memset(w->memory, 0, m->dims.B * m->dims.S * m->dims.C * sizeof *w->memory);
        }
        run_backward(&t->decoder, &d->decoder, g, w->memory,
                     model_input(&t->decoder, &t->target, &m->config), &p);
        embed_pass_backward(&t->decoder, &d->decoder, &t->target, &d->target,
                            target_table_gradient(m), g, &p);
        g = w->memory;
    }
    if (m->dims.encoder) {
        pass p = model_encoder_pass(m);
        run_backward(&t->encoder, &d->encoder, g, NULL,
                     model_input(&t->encoder, &t->source, &m->config), &p);
        embed_pass_backward(&t->encoder, &d->encoder, &t->source, &d->source, d->source.table, g,
                            &p);
    }
}

/* Token targets that do not count by lossMask are those to ignore. */
static void hide_targets(model *m, int32_t ignore_index) {
    model_tensors *t = &m->tensors.value;
    for (size_t r = 0; t->loss_mask && t->targets && r < m->dims.B * m->dims.TO; r++) {
        t->targets[r] = t->loss_mask[r] ? t->targets[r] : ignore_index;
    }
}

static int32_t train(model *m, const objective *o, float *loss, size_t *counted, bool gradients) {
    bool tokens = o->kind == OBJECTIVE_CROSS_ENTROPY;
    if (!m->ready || !m->dims.train || tokens == m->dims.vector_targets ||
        (tokens && !config_has_head(&m->config) && !m->dims.alone)) {
        return MODEL_ERROR_STATE;
    }
    hide_targets(m, o->ignore_index);
    if (tokens && !loss_targets_valid(m->tensors.value.targets, m->dims.B * m->dims.TO,
                                      classes(&m->dims), o->ignore_index)) {
        return MODEL_ERROR_TOKEN;
    }
    m->dropout = gradients ? o->dropout : 0;
    m->dropout_key = o->dropout_key;
    m->first = o->first;
    int32_t result = model_forward(m);
    if (result == MODEL_OK) {
        *loss = loss_of(m, o, counted, gradients);
    }
    if (result == MODEL_OK && gradients) {
        memset(m->gradients, 0, m->weight_bytes);
        if (m->tensors.value.values || (tokens && !m->dims.alone)) {
            logits_backward(m);
        } else if (m->tensors.gradient.logits) { /* the loss does not depend on them */
            head_gradients_clear(m);
        }
        backward(m);
    }
    m->dropout = 0;
    return result;
}

int32_t model_loss(model *m, const objective *o, float *loss, size_t *counted) {
    return train(m, o, loss, counted, false);
}

int32_t model_gradients(model *m, const objective *o, float *loss, size_t *counted) {
    return train(m, o, loss, counted, true);
}

int32_t model_vjp(model *m) {
    if (!m->ready || !m->dims.train || !m->dims.capture) {
        return MODEL_ERROR_STATE;
    }
    int32_t result = model_forward(m);
    if (result != MODEL_OK) {
        return result;
    }
    workspace_tensors *w = &m->tensors.value.workspace;
    const model_dims *n = &m->dims;
    size_t R = n->B * n->TO;
    memset(m->gradients, 0, m->weight_bytes);
    if (w->logits) { /* a layer on its own has none */
        memset(w->logits, 0, R * n->VO * sizeof *w->logits);
        logits_backward(m);
    } else {
        memset(w->stream, 0, R * n->O * sizeof *w->stream);
    }
    backward(m);
    return MODEL_OK;
}
