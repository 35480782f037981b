/* trainer.h: steps of training. */
#ifndef GLASSFORMER_TRAIN_TRAINER_H
#define GLASSFORMER_TRAIN_TRAINER_H

#include <stddef.h>
#include <stdint.h>

#include "../model/model.h"
#include "settings.h"

#define TRAINER_ERROR_NUMBER (-6)

/* trainer_span: floats of the weights block, from begin up to end. */
typedef struct trainer_span {
    int32_t begin, end;
} trainer_span;

/* trainer: the state beside the model's weights. The moments have the weights' size and layout;
 * the caller owns them and keeps them zeroed at the start. */
typedef struct trainer {
    trainer_settings settings;
    float *moment1, *moment2;
    size_t count;              /* floats in the weights block */
    size_t steps;              /* taken so far; set by trainer_resume */
    optimizer_sizes sizes;     /* of the weights that train */
    const trainer_span *spans; /* the weights that train, ascending and apart; NULL: all */
    size_t span_count;
    const float *data, *labels; /* rows of C numbers; may be the same */
    size_t rows;                /* of the data set, 0: none */
} trainer;

/* step_report: the results of a step. */
typedef struct step_report {
    double rate;         /* learning rate of the step */
    float loss;          /* before the step */
    float gradient_norm; /* of the gradients of what trains, together, before clipping */
    int32_t counted;     /* rows that the loss is the mean of */
    int32_t steps;       /* taken, this one included */
    char where[64];      /* TRAINER_ERROR_NUMBER: the first tensor that is not finite */
    int32_t gradient;    /* TRAINER_ERROR_NUMBER: 1 that is a gradient, 2 a weight after the step */
} step_report;

/* trainer_loss: the loss of the batch that stands in the inputs, without dropout.
 * trainer_gradients: its gradients (overwriting those before), no step.
 * trainer_shard: the gradients of a part of a batch, with first and count of its objective: those of
 *   all parts add up to those of the batch, and their losses to its loss.
 * trainer_apply: one step of the optimiser on the gradients that stand there. out holds their loss.
 * trainer_step: trainer_gradients and trainer_apply. When the loss or a gradient is not finite, or a
 *   weight or moment would not be after the step, it returns TRAINER_ERROR_NUMBER and weights,
 *   moments and step count stay as they are.
 *   Weights that do not train have gradients outside the norm; they and their moments stay.
 * trainer_draw: fills the batch of a feed-forward layer, B T rows and their labels, with rows of the data set, each as
 *   likely as any other, by the settings' seed and the number of steps taken alone. MODEL_ERROR_STATE where
 *   there is no data set, or no layout for training with vectors as labels.
 * trainer_resume: so many steps were taken, and other moments may have been written: finite ones, the
 *   second not negative.
 * Other errors are those of model_gradients. */
int32_t trainer_loss(trainer *t, model *m, step_report *out);
int32_t trainer_gradients(trainer *t, model *m, step_report *out);
int32_t trainer_shard(trainer *t, model *m, step_report *out, size_t first, size_t count);
int32_t trainer_apply(trainer *t, model *m, step_report *out);
int32_t trainer_step(trainer *t, model *m, step_report *out);
int32_t trainer_draw(const trainer *t, model *m);
void trainer_resume(trainer *t, size_t steps);

#endif
