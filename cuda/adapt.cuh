/* Runs window operations on images that their kernels do not suit: narrow ones, and ones of five and more
 * channels. The samples are gathered into one wide picture of one channel, in which every window lies inside;
 * the ordinary kernels run on that; and the results are scattered. */
#ifndef HALO_CUDA_ADAPT_CUH
#define HALO_CUDA_ADAPT_CUH

#include "common.cuh"

/* Is this image so narrow, and so tall, that most threads of a wide block would be idle? */
bool cuda_is_narrow(const HaloBuf *dst, const HaloWindow *window);

/* More channels than the kernels of pictures have planes for. */
static inline bool cuda_has_planes(const HaloBuf *dst) { return dst->shape.channels > 4; }

/* Computes `dst` from `src`, channel by channel, with calls of make(src, dst, window) on pictures of one
 * channel; these results have the type `made` and are stored as `store` says afterwards. */
typedef HaloStatus CudaMake(void *context, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window);
HaloStatus cuda_adapt_with(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window,
                           HaloDtype made, HaloStore store, CudaMake *make, void *context);

template <typename Make>
static HaloStatus cuda_adapt(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloWindow *window,
                             HaloDtype made, HaloStore store, Make make)
{
    const auto call = [](void *context, const HaloBuf *from, HaloBuf *to, const HaloWindow *inside) {
        return (*(Make *)context)(from, to, inside);
    };
    return cuda_adapt_with(device, src, dst, window, made, store, call, &make);
}

#endif
