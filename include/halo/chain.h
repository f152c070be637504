/* Neighbouring steps as one: a small plan within a plan. What lies between its steps is never written to memory
 * that others see, so that a backend may keep it where it is fastest. The result is, to the bit, that of the
 * steps one after the other. */
#ifndef HALO_CHAIN_H
#define HALO_CHAIN_H

#include "halo/plan.h"

#define HALO_CHAIN_LINKS 8

/* Links are steps of the primitives conv, sep, mean, map and combine, on images. All values have the width and
 * height of the source, all but the last are f32, and store as they are. Value 0 is the source, value k + 1 the
 * result of link k, which reads values up to k; the last one's is that of the chain. */
struct HaloChain {
    int links;
    HaloStep link[HALO_CHAIN_LINKS];
    HaloShape value[HALO_CHAIN_LINKS + 1];
};

#endif
