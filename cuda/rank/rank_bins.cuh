/* 256 bins of a thread in shared memory. Counters are of type C, several in a word; the words of a warp's lanes
 * are interleaved, so that each lane has a bank of its own. */
#ifndef HALO_CUDA_RANK_BINS_CUH
#define HALO_CUDA_RANK_BINS_CUH

#include "rank.cuh"

template <typename C> struct RankBins {
    static constexpr unsigned each = 4 / sizeof(C), bits = 8 * sizeof(C), words = 256 / each;
    uint32_t *word;
    unsigned at;    /* where the search stands: the first bin of a word */
    unsigned below; /* what the bins before it have counted */

    __device__ __forceinline__ void open(uint32_t *memory)
    {
        word = memory;
        at = 128;
        clear();
    }
    __device__ __forceinline__ void clear()
    {
#pragma unroll 8
        for (unsigned i = 0; i < words; i++) word[i * CUDA_WARP] = 0;
        below = 0;
    }
    __device__ __forceinline__ uint32_t &word_of(unsigned bin) const
    {
        return word[(bin & ~(each - 1)) * (CUDA_WARP / each)];
    }
    /* Adds 1 or -1. No other thread has these words, but an atomic addition is asynchronous. */
    __device__ __forceinline__ void add(unsigned bin, unsigned change)
    {
        atomicAdd(&word_of(bin), __funnelshift_l(0, change, bin * bits)); /* by the bits modulo 32 */
        if (bin < at) below += change;
    }
    __device__ __forceinline__ unsigned sum() const
    {
        const uint32_t v = word_of(at);
        return each == 4 ? __dp4a(v, 0x01010101u, 0u) : each == 2 ? (v & 0xffff) + (v >> 16) : v;
    }
    /* The bin of the key at `index` of all that were counted; `index` becomes its place among the `count` keys
     * of that bin. */
    __device__ __forceinline__ unsigned find(unsigned *index, unsigned *count)
    {
        while (below > *index) {
            at -= each;
            below -= sum();
        }
        for (unsigned n = sum(); below + n <= *index; n = sum()) {
            below += n;
            at += each;
        }
        uint32_t v = word_of(at);
        unsigned left = *index - below, bin = at;
        constexpr uint32_t all = each == 1 ? UINT32_MAX : (1u << bits % 32) - 1;
#pragma unroll
        for (unsigned i = 1; i < each; i++)
            if (left >= (v & all)) {
                left -= v & all;
                v >>= bits % 32;
                bin++;
            }
        *index = left;
        *count = v & all;
        return bin;
    }
};

#endif
