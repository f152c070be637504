/* Channels made of channels. */
#ifndef HALO_MIX_H
#define HALO_MIX_H

#include "halo/numerics.h"

typedef struct HaloMixTerm {
    int channel; /* of the source */
    double weight;
} HaloMixTerm;

/* Channel c of the result is the sum over terms [begin[c], begin[c + 1]), one at least: the first is weight *
 * sample, rounded, and takes every other by one fma in their order. What no term names has no part in it. */
struct HaloMix {
    int channels, alpha; /* of the result; alpha -1: none */
    const int *begin;    /* [channels + 1] */
    const HaloMixTerm *term;
    uint32_t speakers; /* of the result, where they were asked for by name; 0: those of the channels chosen */
};

/* The channel that channel c of the result is, unchanged, or -1. */
static inline int halo_mix_source(const struct HaloMix *mix, int c)
{
    const HaloMixTerm *term = &mix->term[mix->begin[c]];
    return mix->begin[c + 1] == mix->begin[c] + 1 && term->weight == 1.0f ? term->channel : -1;
}

/* From the sum of the terms before it, where there are any. */
HALO_FN float halo_mix_add(HaloMixTerm term, float sample, bool first, float sum)
{
    const float weight = (float)term.weight;
    return first ? weight * sample : halo_fma(weight, sample, sum);
}

#endif
