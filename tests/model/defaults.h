/* defaults.h: the settings of a kind of model as a caller has them who gives none. */
#ifndef GLASSFORMER_TESTS_MODEL_DEFAULTS_H
#define GLASSFORMER_TESTS_MODEL_DEFAULTS_H

#include "../../src/model/config.h"

/* config_default: every field at its default for the kind. */
static inline void config_default(model_config *out, int32_t kind) {
    config_field f;
#define X(field, name, type, ...)                                                                  \
    config_describe(&f, kind, CONFIG_##field);                                                     \
    out->field = (CONFIG_TYPE_##type)f.fallback;
    CONFIG_FIELDS(X)
#undef X
}

#endif
