/* What operations on regions have in common. */
#ifndef REGIONS_H
#define REGIONS_H

#include "halo/op.h"
#include "halo/regions.h"

/* *out = `in`, which has to be of one channel: HALO_ERR_INPUT else. `alone`: without its alpha. */
HaloStatus regions_source(HaloBuilder *builder, const char *op, HaloReg in, bool alone, HaloReg *out);
/* *out = the luminance of red, green and blue; anything else as it is. */
HaloStatus regions_gray(HaloBuilder *builder, HaloReg in, HaloReg *out);
/* *out = `in` without its alpha. */
HaloStatus regions_colours(HaloBuilder *builder, HaloReg in, HaloReg *out);
/* HALO_ERR_USAGE where the largest size is less than the least. */
HaloStatus regions_check_sizes(const char *op, const HaloValue *min, const HaloValue *max);
/* 4 or 8, from the choice. */
int regions_connect(const HaloValue *value);

#define REGIONS_MOST_PIXELS 4294967295.0

#define REGIONS_CONNECT(index, default_connect) \
    [index] = {.key = "connect",                \
               .type = HALO_PARAM_CHOICE,       \
               .preset = default_connect,       \
               .choices = "4|8",                \
               .help =                          \
                   "neighbours that are connected: 4 beside, above and below, or 8 with the diagonal ones"}

#endif
