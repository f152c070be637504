/* Levels that separate dark samples from bright ones. */
#ifndef LEVELS_H
#define LEVELS_H

#include "halo/op.h"

#define LEVELS_METHODS "otsu|li|triangle|yen|isodata|minimum|mean"

/* *out = `in`, black and white at a level, which is a number or one of the methods; with more than 2 classes,
 * which only otsu finds, in as many shades from 0 to full scale. */
HaloStatus levels_append(HaloBuilder *builder, const HaloValue *level, int64_t classes, HaloReg in,
                         HaloReg *out);

#endif
