/* passes.h: what the forward (model.c) and backward passes (backward.c) of a model share, and the
 * model graph (graph.c). */
#ifndef GLASSFORMER_MODEL_PASSES_H
#define GLASSFORMER_MODEL_PASSES_H

#include <math.h>
#include <stddef.h>

#include "block.h"
#include "model.h"

/* model_input: where the input (B,T,C) of a stack's first layer stands. */
float *model_input(const stack_tensors *t, const embed_tensors *e, const model_config *c);

/* model_encoder_pass, model_decoder_pass: a run through a stack of the present layout; the decoder
 * takes T tokens after past others. model_alone_pass: of a layer on its own. */
pass model_encoder_pass(model *m);
pass model_decoder_pass(model *m, size_t past, size_t T);
pass model_alone_pass(model *m);

/* model_transform_activation: the function behind the map before the output head, unless that is tanh. */
static inline activation model_transform_activation(const model *m) {
    return m->config.head_pooler == POOLER_RELU ? ACTIVATION_RELU
                                                : (activation)m->config.activation;
}

/* model_head_scale: what the output head multiplies its input by, where c->head_scale.
 * source Raffel et al. 2020 as Hugging Face's T5 computes it */
static inline float model_head_scale(const model *m) { return 1 / sqrtf((float)m->config.d_model); }

/* model_target_table: the decoder's embedding (V,C), its own or the source's.
 * model_head_weight: the output table (V,C), also that of values; a tied head uses that of the last stack. */
const float *model_target_table(const model *m);
const float *model_head_weight(const model *m);

/* model_scores: what the output head computes: logits, or values; NULL without one. */
static inline float *model_scores(const model_tensors *t) {
    return t->logits ? t->logits : t->values;
}

#endif
