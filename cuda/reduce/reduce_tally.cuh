/* Counts of u8 and u16 for reduce_integer.cu: words of four u8 or two u16 are counted at once. */
#ifndef HALO_CUDA_REDUCE_TALLY_CUH
#define HALO_CUDA_REDUCE_TALLY_CUH

#include "reduce.cuh"

/* The counts of a channel. Extremes are known by their tile until the end, where their sample is searched. */
struct Tally {
    uint64_t count, nonzero, sum, square_low,
        square_high; /* squares: the sum of their lower 32 bits, and of the rest */
    Extremes best;

    static __device__ __forceinline__ Tally none() { return {0, 0, 0, 0, 0, Extremes::none()}; }
    __device__ __forceinline__ void join(const Tally &other)
    {
        count += other.count;
        nonzero += other.nonzero;
        sum += other.sum;
        square_low += other.square_low;
        square_high += other.square_high;
        best.join(other.best);
    }
    __device__ __forceinline__ void join_warp()
    {
        count = cuda_warp_sum(count);
        nonzero = cuda_warp_sum(nonzero);
        sum = cuda_warp_sum(sum);
        square_low = cuda_warp_sum(square_low);
        square_high = cuda_warp_sum(square_high);
        best.join_warp();
    }
    __device__ __forceinline__ void take_squares(uint64_t squares)
    {
        square_low += squares & 0xffffffffu;
        square_high += squares >> 32;
    }
    __device__ __forceinline__ void take_extremes(unsigned low, unsigned high, int64_t tile)
    {
        best.join({{(int)low, -(int)high}, {(int)tile, (int)tile}});
    }
};

/* Joins the threads' tallies of every channel, then those of all blocks: true in the last block, where
 * all[channel] is the total. The loop over channels is not unrolled: instructions that run once are slow to
 * load. All threads of the block call it. */
template <int Channels>
__device__ __forceinline__ bool join_tallies(Tally (*own)[reduce_threads], Tally *partial, int64_t block,
                                             int64_t blocks, unsigned *arrival, Tally *all)
{
    __shared__ Tally warp[Channels][reduce_warps];
    __shared__ bool last;
    const int me = (int)threadIdx.x;
    for (int round = 0;; round++) {
#pragma unroll 1
        for (int c = 0; c < Channels; c++) {
            Tally tally = own[c][me];
            tally.join_warp();
            if (me % CUDA_WARP == 0) warp[c][me / CUDA_WARP] = tally;
        }
        __syncthreads();
        if (me < Channels) {
            Tally tally = warp[me][0];
            for (int w = 1; w < reduce_warps; w++) tally.join(warp[me][w]);
            all[me] = tally;
            if (round == 0) partial[block * Channels + me] = tally;
        }
        __syncthreads();
        if (round == 1 || blocks == 1) return true;
        if (me == 0) last = reduce_last(arrival, blocks);
        __syncthreads();
        if (!last) return false;
#pragma unroll 1
        for (int c = 0; c < Channels; c++) {
            Tally tally = Tally::none();
            for (int64_t b = me; b < blocks; b += reduce_threads) tally.join(partial[b * Channels + c]);
            own[c][me] = tally;
        }
    }
}

/* ---- units and tiles ------------------------------------------------------------------------------------- */

/* Pixels of a unit: a pack of 16 bytes for every channel. */
template <typename S> __host__ __device__ constexpr int unit_pixels() { return 16 / (int)sizeof(S); }

/* A block works on a tile at a time: as many units for each of its threads, all their loads in flight. */
__host__ __device__ constexpr int tile_units(int channels)
{
    return channels == 1 ? 8 : channels <= 4 ? 16 / channels : 1;
}
template <typename S> __host__ __device__ constexpr int tile_pixels(int channels)
{
    return tile_units(channels) * reduce_threads * unit_pixels<S>();
}

template <typename S> CUDA_INLINE void take_one(Tally *t, S v, int64_t tile)
{
    t->count++;
    t->nonzero += v != 0;
    t->sum += v;
    t->take_squares((uint64_t)v * v);
    t->take_extremes(v, v, tile);
}

/* ---- words ----------------------------------------------------------------------------------------------- */

/* Sums over the words of a thread's part of a tile; `nonzero` is 128 times too large. Extremes are pairs of 16
 * bits, for which there are instructions: of a word's even bytes, and of its odd ones, whose lower neighbours
 * do not affect the comparison. u16 has no odd ones. */
struct Unit {
    unsigned nonzero, sum, low, high, odd_low, odd_high;
    uint64_t squares;
};

CUDA_INLINE void take_word(Unit *t, unsigned w, uint8_t)
{
    t->sum = __dp4a(w, 0x01010101u, t->sum);
    t->squares = __dp4a(w, w, (unsigned)t->squares); /* 64 * 255^2 fit 32 bits */
    t->nonzero = __dp4a((((w & 0x7f7f7f7fu) + 0x7f7f7f7fu) | w) & 0x80808080u, 0x01010101u, t->nonzero);
    t->low = __vminu2(t->low, w & 0x00ff00ffu);
    t->high = __vmaxu2(t->high, w & 0x00ff00ffu);
    t->odd_low = __vminu2(t->odd_low, w);
    t->odd_high = __vmaxu2(t->odd_high, w);
}

CUDA_INLINE void take_word(Unit *t, unsigned w, uint16_t)
{
    const unsigned even = w & 0xffffu, odd = w >> 16;
    t->sum += even + odd;
    t->squares += (uint64_t)even * even;
    t->squares += (uint64_t)odd * odd;
    t->nonzero += ((even != 0) + (odd != 0)) * 128;
    t->low = __vminu2(t->low, w);
    t->high = __vmaxu2(t->high, w);
}

/* Gathers every Step-th sample of a pack from `from` on in a word. */
template <int Step> CUDA_INLINE unsigned gather(const uint8_t *from)
{
    return from[0] | (unsigned)from[Step] << 8 | (unsigned)from[2 * Step] << 16 |
           (unsigned)from[3 * Step] << 24;
}

template <int Step> CUDA_INLINE unsigned gather(const uint16_t *from)
{
    return from[0] | (unsigned)from[Step] << 16;
}

template <typename S, int Channels> CUDA_INLINE void take_unit(Unit *t, const S *sample, int channel)
{
    constexpr int each = 4 / (int)sizeof(S);
#pragma unroll
    for (int i = 0; i < unit_pixels<S>(); i += each)
        take_word(t, gather<Channels>(sample + i * Channels + channel), S());
}

template <typename S> CUDA_INLINE void take_part(Tally *t, Unit unit, int units, int64_t tile)
{
    t->count += units * unit_pixels<S>();
    t->nonzero += unit.nonzero / 128;
    t->sum += unit.sum;
    t->take_squares(unit.squares);
    if (sizeof(S) == 1) {
        unit.low = __vminu2(unit.low, unit.odd_low >> 8 & 0x00ff00ffu);
        unit.high = __vmaxu2(unit.high, unit.odd_high >> 8 & 0x00ff00ffu);
    }
    t->take_extremes(min(unit.low & 0xffffu, unit.low >> 16), max(unit.high & 0xffffu, unit.high >> 16), tile);
}

#endif
