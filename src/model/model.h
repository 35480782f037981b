/* model.h: a Transformer: its weights, one layout of activations, the passes over them. */
#ifndef GLASSFORMER_MODEL_MODEL_H
#define GLASSFORMER_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../op/patch.h"
#include "block.h"
#include "config.h"
#include "dims.h"
#include "tensors.h"

/* Results of the calls below; the ABI hands them on as they are. */
enum {
    MODEL_OK = 0,
    MODEL_ERROR_MEMORY = -1,
    MODEL_ERROR_ARGUMENT = -3,
    MODEL_ERROR_TOKEN = -4,
    MODEL_ERROR_STATE = -5
};

/* stepped: a pass that goes on step by step; see model_begin. */
typedef struct stepped {
    bool running, decoder, ended;
    slice slice; /* of the pass; where none runs, of the model */
    size_t step, past, T;
    ptrdiff_t shift; /* rows by which the tensors are shifted */
    pass pass;       /* through the stack at hand */
    const float *x;  /* the state of its stream */
} stepped;

/* model: everything but the two blocks of memory, which the caller owns. Nothing here allocates. */
typedef struct model {
    model_config config;
    model_dims dims; /* of the present layout; before the first model_layout all lengths are 0 */
    tensor_set tensors;
    void *weights, *gradients; /* of the same size and layout; gradients may be NULL */
    size_t weight_bytes;       /* model_weight_bytes of the configuration */
    bool ready;                /* model_layout has been called */
    size_t written;            /* with a cache: positions whose keys and values are there */
    float dropout;             /* of the pass at hand; 0 outside of training */
    uint32_t dropout_key;      /* of the pass at hand, see dropout.h */
    size_t first;              /* sequences of the batch before those of the pass at hand */
    float temperature;         /* the scores of attention are divided by it; default 1 */
    const patches *patches;    /* of the pass at hand, and cotangents; default none */
    stepped steps;
} model;

/* model_weight_bytes: bytes of the weights block of a valid configuration, at least 64 (a model
 *   need not have weights), 0 when they are 2^31 or more.
 * model_start: makes *m a model on such a block (64-byte aligned, kept as it is).
 * s: the slice of the weights that it holds, {0} for all. A slice computes by model_begin and model_next alone,
 * and has
 *   no layouts with capture, training or one row of logits. */
size_t model_weight_bytes(const model_config *c, slice s);
void model_start(model *m, const model_config *c, slice s, void *weights);

/* model_arrange: the matrices of a float32 model in place as products read them fastest, or as rows again; see
 * gf_model_arrange. Returns whether they are. */
bool model_arrange(model *m, bool panels);

/* model_layout_bytes: bytes of the activation block for a request, or MODEL_ERROR_ARGUMENT when
 *   the request does not fit the model, MODEL_ERROR_MEMORY when it needs 2^31 bytes or more.
 * model_layout: lays tensors out in such a block, and fills the positions. */
int32_t model_layout_bytes(const model *m, request ask);
void model_layout(model *m, request ask, void *block);

/* model_reserved: target rows that a layout reserves by itself: 0 where no pass may go on from another, that is
 * but for
 *   one sequence of a causal decoder, without cache and training.
 * model_resize: lays so many target rows out instead of the present ones, what both have keeping its numbers: in the
 *   same block, with as many rows reserved, or in a zeroed one of model_layout_bytes. With a capacity instead and
 *   capture it keeps keys and values, from which model_step goes on. Nothing else of the request differs.
 * model_resume: as model_forward, where the encoder's inputs and what belongs to the first past target tokens are as
 *   they were; only what comes after those is computed, for the same bits. Not with patches. */
size_t model_reserved(const model *m, request ask);
void model_resize(model *m, request ask, void *block, void *former);
int32_t model_resume(model *m, size_t past);

/* model_forward: one pass over the inputs. model_step: with a cache, T more target tokens at
 * positions past .. past+T-1; see gf_model_step. Both compute nothing when they return an error.
 * model_copy: see gf_model_copy. */
int32_t model_forward(model *m);
int32_t model_step(model *m, size_t past, size_t T);
int32_t model_copy(model *m, size_t from, size_t to);

/* model_logits: in a layout with one_row the logits of that row of all the batch's, of the output that stands there;
 * passes compute none. */
int32_t model_logits(model *m, size_t row);

/* model_begin: begins a pass that this model shares with `others`, each a slice; a whole model is the first. T target
 * tokens, without decoder source tokens, after past others: with a cache as model_step, or as model_resume, else all.
 *   It needs a layout without capture, training and one row of logits.
 * model_next: computes on until there is something to exchange, and says what: 1; 0 at the end of the pass.
 * model_end: ends a pass that is under way; everything else that is asked of a model needs that first. */
int32_t model_begin(model *m, size_t others, size_t past, size_t T);
int32_t model_next(model *m, exchange *due);
void model_end(model *m);

/* objective: what a training pass minimises. */
enum { OBJECTIVE_CROSS_ENTROPY, OBJECTIVE_MSE, OBJECTIVE_LINEAR, OBJECTIVE_COUNT };
typedef struct objective {
    int32_t kind; /* cross-entropy of the logits or values (of a layer alone: of the output, taken
                             as d_model logits) against `targets`; mean squared error of the
                             values, without them of the output, or its sum of products, with
                             `targetVectors`. Rows that `lossMask` has as 0 do not count */
    int32_t ignore_index; /* cross-entropy: rows with this target do not count */
    float smoothing;      /* cross-entropy: label smoothing, 0..1 */
    float dropout;        /* rate, 0 for none */
    uint32_t dropout_key; /* of this step, see dropout.h */
    size_t first;         /* of a shard: sequences of the batch before it */
    size_t count; /* of a shard: rows that the mean is over, those of other shards too; 0: those
                             that count here */
} objective;

/* model_loss: forward pass without dropout, then the loss. model_gradients: forward pass with
 * dropout, the loss, and backward, which overwrites the gradients of all weights. Both need a layout
 * with train; MODEL_ERROR_STATE without, MODEL_ERROR_TOKEN for a bad target; then nothing is
 * computed. *counted: the rows that the mean is over. With patches and another temperature, of the
 * model that these make.
 * model_vjp: forward pass without dropout, then backward from the model's cotangents alone; it
 * overwrites the gradients of all weights. It needs a layout with train and capture. */
int32_t model_loss(model *m, const objective *o, float *loss, size_t *counted);
int32_t model_gradients(model *m, const objective *o, float *loss, size_t *counted);
int32_t model_vjp(model *m);

/* model_initialize: fresh weights from a seed; see gf_model_initialize.
 * source Glorot and Bengio 2010, equation 16 (uniform in +-sqrt(6 / (fan_in + fan_out))) */
void model_initialize(model *m, uint32_t seed);

#endif
