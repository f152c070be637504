/* Recursive filters along time: second-order sections, one after the other. */
#ifndef HALO_SECTIONS_H
#define HALO_SECTIONS_H

#include "halo/primitive.h"

/* A biquad: (b0 + b1/z + b2/z^2) / (1 + a1/z + a2/z^2). z0 and z1 are its steady state for a constant input of
 * 1 to the first section (as of scipy.signal.sosfilt_zi). */
typedef struct HaloSection {
    double b0, b1, b2, a1, a2;
    double z0, z1;
} HaloSection;

/* For every sample x of a channel, in f64, each operation rounded, one section after the other:
 *
 *     y = b0 * x + z0;  z0 = (b1 * x + z1) - a1 * y;  z1 = b2 * x - a2 * y;  x = y
 *
 * and the output of the last one is rounded to f32, then stored. Before each sample whose number is a multiple
 * of HALO_SECTIONS_REST, a z0 or z1 of less than HALO_SECTIONS_LEAST in magnitude becomes +0, which avoids slow
 * denormals.
 *
 * CAUSAL begins with z0 = z1 = 0 at the first sample. `state`, [channels][count][2], holds z0 and z1 of the
 * sample at dst's left edge, and then of that behind its right edge; NULL: the result begins with the first
 * sample of the whole.
 *
 * ZERO is the forward-backward (zero-phase) filter, and needs the whole of the source. n samples are extended
 * by e = min(extend, n - 1) at either end (odd extension): 2 * x(0) - x(i) before them and 2 * x(n - 1) - x(n -
 * 1 - i) after them. The sections filter all of these in f64, from z0 and z1 times the first of them; then, in
 * the same way, the result, from its last sample to its first. Samples are numbered from 0 at the start of each
 * pass.
 *
 * With `states` ZERO goes over parts of a source, which holds what the blocks of a part need
 * (halo_sections_frames). A block is HALO_SECTIONS_BLOCK samples of the forward pass, the extension at the
 * start included. There are [channels][blocks + 1][2][count][2] states: at the start of each block in the
 * forward pass, and at its end in the backward pass, counted as the start of the next block. First the forward
 * pass (`forward_only`) runs over parts from the first to the last, which finds only these states and leaves
 * dst alone. Then parts from the last to the first give the others, and their results; from then on any part
 * can be computed. */
struct HaloSections {
    int count;
    const HaloSection *section;
    bool zero_phase;
    int64_t extend;
    double *state;
    double *states;
    bool forward_only;
    bool states_known; /* all of them */
};

#define HALO_SECTIONS_REST 1024
#define HALO_SECTIONS_LEAST 0x1p-600
#define HALO_SECTIONS_BLOCK (16 * HALO_SECTIONS_REST)

/* Of a source of `width` frames: the length of the extension at either end, the number of blocks, the blocks of
 * frames [from, to) of the result, and the frames that these need. */
static inline int64_t halo_sections_extent(const HaloSections *how, int64_t width)
{
    return how->extend < width - 1 ? how->extend : width - 1;
}

static inline int64_t halo_sections_blocks(const HaloSections *how, int64_t width)
{
    const int64_t samples = width + 2 * halo_sections_extent(how, width);
    return (samples + HALO_SECTIONS_BLOCK - 1) / HALO_SECTIONS_BLOCK;
}

static inline HaloSpan halo_sections_span(const HaloSections *how, int64_t width, int64_t from, int64_t to)
{
    const int64_t extent = halo_sections_extent(how, width);
    const HaloSpan blocks = {from == 0 ? 0 : (from + extent) / HALO_SECTIONS_BLOCK,
                             to == width ? halo_sections_blocks(how, width)
                                         : (to - 1 + extent) / HALO_SECTIONS_BLOCK + 1};
    return blocks;
}

static inline HaloSpan halo_sections_frames(const HaloSections *how, int64_t width, HaloSpan blocks)
{
    const int64_t extent = halo_sections_extent(how, width);
    int64_t from = blocks.from * HALO_SECTIONS_BLOCK - extent, to = blocks.to * HALO_SECTIONS_BLOCK - extent;
    if (from < 0 && to < extent + 1) to = extent + 1; /* the extension mirrors these */
    if (to > width && from > width - 1 - extent) from = width - 1 - extent;
    const HaloSpan frames = {from < 0 ? 0 : from, to > width ? width : to};
    return frames;
}

#endif
