/* Separable convolution: what its files share. */
#ifndef HALO_CUDA_SEP_CUH
#define HALO_CUDA_SEP_CUH

#include "conv/conv.cuh"
#include "halo/chain.h"

/* Masks of a common length, the same along x and y, have a kernel with everything unrolled: sep_rolling.cuh,
 * compiled once for each type of source. */
#define SEP_ROLLING_SHORT_SIZES(X) X(3) X(5) X(7) X(9) X(11) X(13) X(15) X(17)
/* Kernels in pairs, to compile fewer: the lengths of Gaussians whose sigma is a multiple of 1/2, and those
 * before them, which leave two taps out. The length, the length of the kernel, and whether it serves two. */
#define SEP_ROLLING_SHORT_PAIRS(X) \
    X(3, 5, true)                  \
    X(5, 5, true)                  \
    X(7, 9, true)                  \
    X(9, 9, true)                  \
    X(11, 13, true)                \
    X(13, 13, true) X(15, 15, false) X(17, 17, false) /* with 17 a thread computes half as many outputs */
#define SEP_ROLLING_LONG_PAIRS(X) \
    X(19, 21, true)               \
    X(21, 21, true)               \
    X(23, 25, true)               \
    X(25, 25, true)               \
    X(27, 29, true)               \
    X(29, 29, true) X(31, 31, false) X(33, 33, false) X(35, 35, false) /* for 31 that would cost a tenth */
#define SEP_ROLLING_SHORT_MOST 17 /* two channels, and combined results, have only these */

/* A mask of such a length, and its result combined with the sample in the middle of its window. Here and below
 * `points` are point operations on the result; NULL: none. */
bool sep_combined_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain);
HaloStatus sep_combined(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                        const HaloMap *points, HaloStore store);

/* Such a mask, followed by point operations. */
bool sep_points_takes(const HaloShape *src, const HaloShape *dst, const HaloSep *sep);
HaloStatus sep_then_points(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                           const HaloMap *points, HaloStore store);

/* The minimum and maximum of the result of such a mask over one channel of u8 or f32, which is not stored:
 * `made` has no data. */
bool sep_extremes_takes(const HaloShape *src, const HaloShape *made, const HaloSep *sep);
HaloStatus sep_extremes(HaloDevice *device, const HaloBuf *src, HaloBuf *made, const HaloSep *sep,
                        float found[2]);

/* RGB8 to gray, and such a mask over that (sep_gray.cu). */
bool sep_gray_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain);
HaloStatus sep_gray(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                    const HaloMap *points, HaloStore store);

/* The fix-up pass: stores results that were computed without regard to NaN, and recomputes those that are NaN,
 * into the destination of `conv`. */
HaloStatus sep_fixup(HaloDevice *device, const ConvArgs *conv, const HaloBuf *made, const HaloSep *sep);

/* The two passes of a mask, and the intermediate rows, as written by one and read by the other. Where NaN are
 * ignored, weights follow `weights_at` bytes behind it. */
struct SepPasses {
    HaloBuf across, down;
    HaloConv row, column;
    int64_t weights_at;
};

/* The fix-up pass after two passes (sep_fixup_passes.cu). */
HaloStatus sep_fixup_passes(HaloDevice *device, const HaloBuf *src, SepPasses *passes, const HaloBuf *made,
                            HaloBuf *dst, const HaloSep *sep, HaloStore store);

HaloStatus sep_rolling_u8(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep);
HaloStatus sep_rolling_u16(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep);
/* Do the rolling kernels have this length of mask, and hold the border's value; and their arguments. */
bool sep_rolling_takes(const HaloBuf *src, const HaloBuf *dst, const HaloSep *sep);
ConvArgs sep_rolling_args(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                          HaloStore store);
HaloStatus sep_rolling_f32(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep);

#endif
