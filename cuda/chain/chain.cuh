/* Chains (halo/chain.h): fused steps. */
#ifndef HALO_CUDA_CHAIN_CUH
#define HALO_CUDA_CHAIN_CUH

#include "common.cuh"
#include "halo/chain.h"

/* What backend.h says; chain.cu. */
bool cuda_chains(const HaloShape *src, const HaloShape *dst, const HaloChain *chain);
HaloStatus cuda_chain(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                      HaloStore store);

/* The minimum and maximum of one channel, which is not stored; extremes.cu. */
bool cuda_measures(const HaloShape *src, const HaloShape *dst, const HaloChain *chain);
HaloStatus cuda_extremes(HaloDevice *device, const HaloBuf *src, const HaloChain *chain, HaloMoments *out);

/* gradient.cu: two masks of 3 x 3 or 2 x 2 and their magnitude, followed by point operations (NULL: none). */
bool gradient_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain);
HaloStatus gradient(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                    const HaloMap *points, HaloStore store);
bool gradient_measures(const HaloShape *src, const HaloShape *made, const HaloChain *chain);
HaloStatus gradient_extremes(HaloDevice *device, const HaloBuf *src, HaloBuf *made, const HaloChain *chain,
                             float found[2]);

/* The same from u8 to u8, by masks of (side, middle, side) across a difference. */
struct ConvArgs;
bool gradient_u8_takes(float side, float middle);
HaloStatus gradient_u8(HaloDevice *device, const ConvArgs *conv, float side, float middle);

#endif
