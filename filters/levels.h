/* Levels that separate dark samples from bright ones. */
#ifndef LEVELS_H
#define LEVELS_H

#include "halo/op.h"

#define LEVELS_METHODS "otsu|li|triangle|yen|isodata|minimum|mean"

/* *out = `in`, black and white at a level, which is a number or one of the methods. */
HaloStatus levels_append(HaloBuilder *builder, const HaloValue *level, HaloReg in, HaloReg *out);

#endif
