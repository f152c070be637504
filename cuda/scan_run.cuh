/* Runs of 16 samples along x, one a thread: loaded, joined over a warp, and stored. */
#ifndef HALO_CUDA_SCAN_RUN_CUH
#define HALO_CUDA_SCAN_RUN_CUH

#include "scan.cuh"

/* Room for a lane's 16 samples on their way to memory; one more, so that lanes do not meet in a bank. */
static const int scan_room_run = HALO_SCAN_RUN + 1;

/* ---- runs --------------------------------------------------------------------------------------------- */

/* A run of C channels as it lies in memory, so that u8 and u16 take few registers. */
template <typename S, int C> struct ScanRun {
    static const int each = 4 / (int)sizeof(S); /* samples of a word */
    static const int samples = HALO_SCAN_RUN * C, words = samples / each;
    uint32_t word[words];

    __device__ __forceinline__ S at(int i) const { return scan_sample<S>(word[i / each], i % each); }
    /* Or else the compiler keeps the first fold's values for the second, and runs out of registers. */
    __device__ __forceinline__ void forget()
    {
#pragma unroll
        for (int i = 0; i < words; i++) scan_forget(word[i]);
    }
};

/* Loads a run of which `count` pixels are there, `step` samples apart. Missing samples are zero: what they
 * spoil lies behind the end of the line, where nobody looks. */
template <typename S, int C>
__device__ __forceinline__ void load_run(ScanRun<S, C> *run, const S *from, int64_t step, int count,
                                         bool packed)
{
    if (packed && count == HALO_SCAN_RUN) {
#pragma unroll
        for (int i = 0; i < ScanRun<S, C>::words / 4; i++) {
            const uint4 pack = __ldg((const uint4 *)from + i);
            run->word[4 * i] = pack.x;
            run->word[4 * i + 1] = pack.y;
            run->word[4 * i + 2] = pack.z;
            run->word[4 * i + 3] = pack.w;
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < ScanRun<S, C>::words; i++) run->word[i] = 0;
#pragma unroll
    for (int i = 0; i < ScanRun<S, C>::samples; i++)
        if (i / C < count) {
            const S v = __ldg(from + i / C * step + i % C);
            run->word[i / run->each] |= scan_word(v) << (i % run->each * 8 * (int)sizeof(S));
        }
}

/* Joins a warp's run totals by Kogge and Stone, where a line has lanes of consecutive places `at`. Returns what
 * lies before the run in the warp; *total becomes that with the run. */
template <typename Kind>
__device__ __forceinline__ typename Kind::Value scan_warp(typename Kind::Value *total, int at)
{
#pragma unroll
    for (int d = 1; d < HALO_SCAN_WARP; d *= 2) {
        const typename Kind::Value before = __shfl_up_sync(CUDA_ALL, *total, d);
        if (at >= d) *total = Kind::join(before, *total);
    }
    const typename Kind::Value before = __shfl_up_sync(CUDA_ALL, *total, 1);
    return at == 0 ? Kind::identity() : before;
}

/* Stores 16 samples of every lane. `to` is the lane's destination and `left` how many samples, one `step` after
 * the other, there is room for. Half a warp stores one lane's. */
template <typename T> __device__ __forceinline__ void store_runs(const T *room, T *to, int left, int64_t step)
{
    const int lane = (int)threadIdx.x % CUDA_WARP, i = lane % HALO_SCAN_RUN;
#pragma unroll
    for (int t = 0; t < HALO_SCAN_RUN; t++) {
        const int run = 2 * t + lane / HALO_SCAN_RUN;
        T *const at = (T *)__shfl_sync(CUDA_ALL, (unsigned long long)to, run);
        const int count = __shfl_sync(CUDA_ALL, left, run);
        if (i < count) at[i * step] = room[run * scan_room_run + i];
    }
}

/* The same where the lanes' runs are `apart` samples apart in one line and all samples are there. */
template <typename T>
__device__ __forceinline__ void store_warp(const T *room, T *to, int64_t apart, int64_t step)
{
    const int lane = (int)threadIdx.x % CUDA_WARP, i = lane % HALO_SCAN_RUN;
    T *const at = to + lane / HALO_SCAN_RUN * apart + i * step;
#pragma unroll
    for (int t = 0; t < HALO_SCAN_RUN; t++)
        at[2 * t * apart] = room[(2 * t + lane / HALO_SCAN_RUN) * scan_room_run + i];
}

#endif
