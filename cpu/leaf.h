/* The samples of one leaf of a reduction or a fold, channels apart. */
#ifndef CPU_LEAF_H
#define CPU_LEAF_H

#include "device.h"
#include "halo/buffer.h"

/* Channels whose leaves are parted from each other at a time, and space for these. */
#define CPU_LEAF_TOGETHER 4
#define CPU_LEAF_BYTES ((int64_t)CPU_LEAF_TOGETHER * HALO_LEAF * (int64_t)sizeof(double))

/* The samples of channels c, c + 1, … of pixels [first, first + n) of the whole, each channel side by side and
 * HALO_LEAF from the one before: in place where they lie so, else copied to `workspace`. */
const void *cpu_leaf_samples(HaloDevice *device, const HaloBuf *src, int64_t first, int64_t n, int c,
                             int wanted, char *workspace);

#endif
