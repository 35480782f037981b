/* settings.h: the settings of a trainer, their defaults and ranges: the only place for these facts,
 * as config.h is for models. Every setting is a double. */
#ifndef GLASSFORMER_TRAIN_SETTINGS_H
#define GLASSFORMER_TRAIN_SETTINGS_H

#include <stddef.h>

#include "../kernel/optimizer.h"
#include "../model/config.h"
#include "../model/model.h"

enum { OPTIMIZER_ADAMW, OPTIMIZER_ADAM, OPTIMIZER_SGD, OPTIMIZER_COUNT };
enum { SCHEDULE_CONSTANT, SCHEDULE_LINEAR, SCHEDULE_COSINE, SCHEDULE_NOAM, SCHEDULE_COUNT };

/* The settings of a trainer; columns as in config.h. */
#define TRAINER_FIELDS(X)                                                                          \
    X(optimizer, "optimizer", c, OPTIMIZER_ADAMW, 0, OPTIMIZER_COUNT - 1, "adamw|adam|sgd",        \
      "Optimizer", "AdamW|Adam|SGD", "as PyTorch defines them")                                    \
    X(learning_rate, "learningRate", f, 1e-3, 0, 1e6, "", "Learning rate", "",                     \
      "the highest; for noam a factor")                                                            \
    X(beta1, "beta1", f, 0.9, 0, 0.9999999, "", "Beta 1", "",                                      \
      "decay of the mean of gradients; adamw, adam")                                               \
    X(beta2, "beta2", f, 0.999, 0, 0.9999999, "", "Beta 2", "",                                    \
      "decay of the mean of squared gradients; adamw, adam")                                       \
    X(epsilon, "epsilon", f, 1e-8, 0, 1, "", "Epsilon", "",                                        \
      "added to the root of that mean; adamw, adam")                                               \
    X(weight_decay, "weightDecay", f, 0, 0, 1e6, "", "Weight decay", "",                           \
      "of every weight, biases and gains too")                                                     \
    X(momentum, "momentum", f, 0, 0, 1, "", "Momentum", "", "sgd")                                 \
    X(clip, "clip", f, 0, 0, 1e30, "", "Clip gradients at", "",                                    \
      "largest norm of all gradients together; 0: no limit")                                       \
    X(schedule, "schedule", c, SCHEDULE_CONSTANT, 0, SCHEDULE_COUNT - 1,                           \
      "constant|linear|cosine|noam", "Schedule", "Constant|Linear|Cosine|Noam",                    \
      "of the learning rate after warm-up; formulas in src/train/settings.h")                      \
    X(warmup, "warmup", i, 0, 0, 1e9, "", "Warm-up steps", "", "steps of linear rise")             \
    X(steps, "steps", i, 0, 0, 1e9, "", "Steps", "",                                               \
      "the step, counted from 1, at which linear and cosine end")                                  \
    X(floor, "floor", f, 0, 0, 1, "", "Floor", "",                                                 \
      "the last learning rate of linear and cosine, as a share of the highest")                    \
    X(loss, "loss", c, OBJECTIVE_CROSS_ENTROPY, 0, OBJECTIVE_COUNT - 1, "crossEntropy|mse|linear", \
      "Loss", "Cross-entropy|Mean squared error|Linear",                                           \
      "cross-entropy of the logits (of a layer on its own: of its output, as d_model logits); "    \
      "mse and linear: mean squared error of the output, or its sum of products with the "         \
      "labels, to probe gradients")                                                                \
    X(ignore_index, "ignoreIndex", i, -100, -2147483648.0, 2147483647, "", "Ignored label", "",    \
      "a label that does not count")                                                               \
    X(label_smoothing, "labelSmoothing", f, 0, 0, 1, "", "Label smoothing", "",                    \
      "share of the target that is spread over the vocabulary; Szegedy et al. 2016, section 7")    \
    X(dropout, "dropout", f, 0, 0, 0.999, "", "Dropout", "",                                       \
      "rate, after each sublayer and on the input of a stack; the kinds attention and "            \
      "feed-forward have neither")                                                                 \
    X(seed, "seed", i, 0, 0, 4294967295.0, "", "Seed", "", "of dropout")

typedef struct trainer_settings {
#define X(field, ...) double field;
    TRAINER_FIELDS(X)
#undef X
} trainer_settings;

enum {
#define X(field, ...) TRAINER_##field,
    TRAINER_FIELDS(X)
#undef X
        TRAINER_COUNT
};

/* settings_describe: row index of the table. settings_invalid: index of the first setting that is
 * out of range or at odds with another, or -1. */
void settings_describe(config_field *out, size_t index);
int settings_invalid(const trainer_settings *s);

/* settings_rate: the learning rate of step number t (from 1), for a model of width d_model
 *   warm-up: t / warmup of the rate up to step `warmup`, then
 *   constant 1;  linear 1 - (1 - floor) p;  cosine floor + (1 - floor) (1 + cos(pi p)) / 2,
 *   p = (t - warmup) / (steps - warmup), at most 1
 *   noam     learning_rate * d_model^-0.5 * min(t^-0.5, t * warmup^-1.5)
 * source Vaswani et al. 2017, section 5.3; Loshchilov and Hutter 2017 (cosine) */
double settings_rate(const trainer_settings *s, size_t t, size_t d_model);

/* settings_rates: what the optimiser needs for a step at that learning rate, gradients unscaled. */
optimizer_rates settings_rates(const trainer_settings *s, double rate);

#endif
