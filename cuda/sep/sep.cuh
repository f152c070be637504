/* Separable convolution: what its files share. */
#ifndef HALO_CUDA_SEP_CUH
#define HALO_CUDA_SEP_CUH

#include "conv/conv.cuh"
#include "halo/chain.h"

/* Masks of a common length, the same along x and y, have a kernel with everything unrolled: sep_walk.cuh,
 * compiled once for each type of source. */
#define SEP_WALK_SHORT_SIZES(X) X(3) X(5) X(7) X(9) X(11) X(13) X(15) X(17)
/* Some have one in pairs, for kernels take long to compile: the lengths that a Gaussian has where twice its
 * sigma is a whole number, and those before them, which leave two taps out. The length, the kernel's, and
 * whether that is for two. Short ones are so where less is asked for. */
#define SEP_WALK_SHORT_PAIRS(X)                                                                \
    X(3, 5, true)                                                                              \
    X(5, 5, true) X(7, 9, true) X(9, 9, true) X(11, 13, true) X(13, 13, true) X(15, 15, false) \
        X(17, 17, false) /* of 17 a thread makes half as many outputs as of 15 */
#define SEP_WALK_LONG_PAIRS(X)                                                                       \
    X(19, 21, true)                                                                                  \
    X(21, 21, true) X(23, 25, true) X(25, 25, true) X(27, 29, true) X(29, 29, true) X(31, 31, false) \
        X(33, 33, false) X(35, 35, false) /* of 31 that costs a tenth */
#define SEP_WALK_SHORT_MOST 17 /* for two channels there are only these, and so where results are combined */

/* Two links as one pass: a mask of such a length over the source, and its result combined with the sample in
 * its middle. Of these, as of the following, `points` lie behind the result; NULL: none. */
bool sep_combined_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain);
HaloStatus sep_combined(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                        const HaloMap *points, HaloStore store);

/* Such a mask and points alone. */
bool sep_points_takes(const HaloShape *src, const HaloShape *dst, const HaloSep *sep);
HaloStatus sep_then_points(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                           const HaloMap *points, HaloStore store);

/* The extremes of what such a mask makes of one channel of bytes or floats, which is not kept: `made` has no
 * data. */
bool sep_extremes_takes(const HaloShape *src, const HaloShape *made, const HaloSep *sep);
HaloStatus sep_extremes(HaloDevice *device, const HaloBuf *src, HaloBuf *made, const HaloSep *sep,
                        float found[2]);

/* Bytes of red, green and blue to gray, and such a mask over that (sep_gray.cu). */
bool sep_gray_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain);
HaloStatus sep_gray(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                    const HaloMap *points, HaloStore store);

/* Stores what was made as if nothing were left out, and anew where that is NaN, into the destination of `conv`.
 */
HaloStatus sep_mend(HaloDevice *device, const ConvArgs *conv, const HaloBuf *made, const HaloSep *sep);

/* The two passes of a mask: their masks, and what lies between them, as the one writes it and as the other
 * reads it. Where NaN are left out, as much again lies behind it for weights, so many bytes on. */
struct SepPasses {
    HaloBuf across, down;
    HaloConv row, column;
    int64_t weights_at;
};

/* The same as sep_mend of what two passes have made (sep_mend_passes.cu). */
HaloStatus sep_mend_passes(HaloDevice *device, const HaloBuf *src, SepPasses *passes, const HaloBuf *made,
                           HaloBuf *dst, const HaloSep *sep, HaloStore store);

HaloStatus sep_walk_u8(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep);
HaloStatus sep_walk_u16(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep);
/* What its kernels take of a source: masks of a length that has one, and the border's value in its type; and
 * what they are given. */
bool sep_walk_takes(const HaloBuf *src, const HaloBuf *dst, const HaloSep *sep);
ConvArgs sep_walk_args(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                       HaloStore store);
HaloStatus sep_walk_f32(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep);

#endif
