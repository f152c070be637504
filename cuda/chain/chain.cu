/* Which chains have a kernel: gradients, what is made of a blur and its source, and blurs of what becomes gray (sep/sep.cuh). */
#include "chain.cuh"
#include "sep/sep.cuh"

bool cuda_chains(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    return gradient_takes(src, dst, chain) || sep_combined_takes(src, dst, chain) || sep_gray_takes(src, dst, chain);
}

HaloStatus cuda_chain(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain, HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    if (gradient_takes(&src->shape, &dst->shape, chain)) return gradient(device, src, dst, chain, store);
    if (sep_gray_takes(&src->shape, &dst->shape, chain)) return sep_gray(device, src, dst, chain, store);
    return sep_combined(device, src, dst, chain, store);
}
