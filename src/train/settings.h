/* settings.h: what a trainer can be told, its defaults and ranges: the one home of these facts,
 * as config.h is for models. Every setting is a double. */
#ifndef GLASSFORMER_TRAIN_SETTINGS_H
#define GLASSFORMER_TRAIN_SETTINGS_H

#include <stddef.h>

#include "../kernel/optimizer.h"
#include "../model/config.h"

enum { OPTIMIZER_ADAMW, OPTIMIZER_ADAM, OPTIMIZER_SGD };
enum { SCHEDULE_CONSTANT, SCHEDULE_LINEAR, SCHEDULE_COSINE, SCHEDULE_PAPER };

/* X(field, "name in JavaScript", type, default, smallest, largest, choices), as in config.h.
 *   steps, floor   linear and cosine end at step `steps` with `floor` times the learning rate
 *   clip           largest norm of all gradients together; 0 for none
 *   loss           cross-entropy of the logits, or of the output of a layer alone; squared: mean squared error of the
 *                  output; linear: sum of output times targets (for probing gradients) */
#define TRAINER_FIELDS(X)                                                                          \
    X(optimizer, "optimizer", c, OPTIMIZER_ADAMW, 0, 2, "adamw|adam|sgd")                          \
    X(learning_rate, "learningRate", f, 1e-3, 0, 1e6, "")                                          \
    X(beta1, "beta1", f, 0.9, 0, 0.9999999, "")                                                    \
    X(beta2, "beta2", f, 0.999, 0, 0.9999999, "")                                                  \
    X(epsilon, "epsilon", f, 1e-8, 0, 1, "")                                                       \
    X(weight_decay, "weightDecay", f, 0, 0, 1e6, "")                                               \
    X(momentum, "momentum", f, 0, 0, 1, "")                                                        \
    X(clip, "clip", f, 0, 0, 1e30, "")                                                             \
    X(schedule, "schedule", c, SCHEDULE_CONSTANT, 0, 3, "constant|linear|cosine|paper")            \
    X(warmup, "warmup", i, 0, 0, 1e9, "")                                                          \
    X(steps, "steps", i, 0, 0, 1e9, "")                                                            \
    X(floor, "floor", f, 0, 0, 1, "")                                                              \
    X(loss, "loss", c, 0, 0, 2, "cross-entropy|squared|linear")                                    \
    X(ignore_index, "ignoreIndex", i, -100, -2147483648.0, 2147483647, "")                         \
    X(label_smoothing, "labelSmoothing", f, 0, 0, 1, "")                                           \
    X(dropout, "dropout", f, 0, 0, 0.999, "")                                                      \
    X(seed, "seed", i, 0, 0, 4294967295.0, "")

typedef struct settings {
#define X(field, name, type, fallback, low, high, choices) double field;
    TRAINER_FIELDS(X)
#undef X
} settings;

enum {
#define X(field, name, type, fallback, low, high, choices) TRAINER_##field,
    TRAINER_FIELDS(X)
#undef X
        TRAINER_COUNT
};

/* settings_describe: row index of the table. settings_invalid: index of the first setting that is
 * out of range or at odds with another, or -1. */
void settings_describe(config_field *out, size_t index);
int settings_invalid(const settings *s);

/* settings_rate: the learning rate of step number t (from 1), for a model of width d_model
 *   warm-up: t / warmup of the rate up to step `warmup`, then
 *   constant 1;  linear 1 - (1 - floor) p;  cosine floor + (1 - floor) (1 + cos(pi p)) / 2,
 *   p = (t - warmup) / (steps - warmup), at most 1
 *   paper    learning_rate * d_model^-0.5 * min(t^-0.5, t * warmup^-1.5)
 * source Vaswani et al. 2017, section 5.3; Loshchilov and Hutter 2017 (cosine) */
double settings_rate(const settings *s, size_t t, size_t d_model);

/* settings_rates: what the optimiser needs for a step at that learning rate, gradients unscaled. */
optimizer_rates settings_rates(const settings *s, double rate);

#endif
