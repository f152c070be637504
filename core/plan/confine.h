/* Operations that apply to some channels alone (on=), or where a mask says so (mask=). */
#ifndef CORE_PLAN_CONFINE_H
#define CORE_PLAN_CONFINE_H

#include "builder.h"
#include "halo/channel_list.h"

typedef struct Confine {
    const HaloValue *on, *mask; /* NULL: not given */
    HaloReg in, taken;
    HaloChannelList channels;
} Confine;

/* *inner: what the operation is given in place of `in`. */
HaloStatus confine_begin(HaloBuilder *builder, const HaloOp *op, const HaloValue *value, Confine *confine,
                         HaloReg in, HaloReg *inner);
/* `made`: what it made of that. */
HaloStatus confine_end(HaloBuilder *builder, const Confine *confine, HaloReg made, HaloReg *out);

#endif
