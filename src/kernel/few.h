/* few.h: products of a few rows with all of a matrix as it stands: a token with a cache. */
#ifndef GLASSFORMER_KERNEL_FEW_H
#define GLASSFORMER_KERNEL_FEW_H

#include "product.h"

/* few_tilings: as tilings, of panels that are whole and of this type. */
const tiling *few_tilings(weight_type type);

#endif
