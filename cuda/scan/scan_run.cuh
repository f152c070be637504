/* Runs of 16 samples along x, one per thread: loaded, joined over a warp, and stored. */
#ifndef HALO_CUDA_SCAN_RUN_CUH
#define HALO_CUDA_SCAN_RUN_CUH

#include "scan.cuh"

/* The pitch of a lane's 16 samples in shared memory: odd, so that lanes use different banks. */
static const int scan_pitch = HALO_SCAN_RUN + 1;

/* ---- loading a run --------------------------------------------------------------------------------------- */

/* A run of C channels in packed words, so that u8 and u16 take few registers. */
template <typename S, int C> struct ScanRun {
    static const int each = 4 / (int)sizeof(S); /* samples of a word */
    static const int samples = HALO_SCAN_RUN * C, words = samples / each;
    uint32_t word[words];

    __device__ __forceinline__ S at(int i) const { return scan_sample<S>(word[i / each], i % each); }
    /* Else the compiler keeps the first fold's values for the second, and runs out of registers. */
    __device__ __forceinline__ void forget()
    {
#pragma unroll
        for (int i = 0; i < words; i++) scan_forget(word[i]);
    }
};

/* Loads a run of `count` pixels, `step` samples apart. Missing samples are zero: they affect only results
 * beyond the end of the line. */
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

/* The same from sample `first` of a row on, in the type of the kind. */
template <typename Kind, typename S, int C>
__device__ __forceinline__ void load_kind(ScanRun<S, C> *run, const ScanArgs &a, int64_t row, int64_t first,
                                          int64_t step, int count, bool packed)
{
    const char *const from = a.src + row * a.src_stride;
    if constexpr (!Kind::any)
        load_run(run, (const S *)from + first, step, count, packed);
    else
        cuda_typed(a.dtype, [&](auto zero) {
            using From = decltype(zero);
            ScanRun<From, C> raw;
            load_run(&raw, (const From *)from + first, step, count, packed);
#pragma unroll
            for (int i = 0; i < ScanRun<S, C>::samples; i++) run->word[i] = scan_word((float)raw.at(i));
        });
}

/* Joins a warp's run totals (Kogge and Stone), where a line has lanes of consecutive places `at`. Returns the
 * prefix before the run in the warp; *total becomes that joined with the run. */
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

/* The totals of a warp's runs: before[c] is the prefix before the run in the warp, and the last lane stores the
 * warp's total. Lanes of a line have consecutive places `at`. */
template <typename S, typename Kind, int C>
__device__ __forceinline__ void fold_run(const ScanRun<S, C> &run, const ScanArgs &a, int at,
                                         typename Kind::Value *before,
                                         typename Kind::Value (*warp_total)[HALO_SCAN_WARPS])
{
    using T = typename Kind::Value;
#pragma unroll
    for (int c = 0; c < C; c++) {
        T total = Kind::of(run.at(c), a);
#pragma unroll
        for (int k = 1; k < HALO_SCAN_RUN; k++) total = Kind::join(total, Kind::of(run.at(k * C + c), a));
        before[c] = scan_warp<Kind>(&total, at);
        if (threadIdx.x % CUDA_WARP == CUDA_WARP - 1) warp_total[c][threadIdx.x / CUDA_WARP] = total;
    }
}

/* Stores 16 samples of every lane. `to` is the lane's destination and `left` the number of samples there. Half
 * a warp stores one lane's samples; `place` is the offset of a thread's sample from any lane's destination. */
template <typename T>
__device__ __forceinline__ void store_runs(const T *workspace, T *to, int left, int64_t place)
{
    const int lane = (int)threadIdx.x % CUDA_WARP, i = lane % HALO_SCAN_RUN;
#pragma unroll
    for (int t = 0; t < HALO_SCAN_RUN; t++) {
        const int run = 2 * t + lane / HALO_SCAN_RUN;
        T *const at = (T *)__shfl_sync(CUDA_ALL, (unsigned long long)to, run);
        const int count = __shfl_sync(CUDA_ALL, left, run);
        if (i < count) at[place] = workspace[run * scan_pitch + i];
    }
}

/* The same for lanes whose runs are `apart` samples apart in one line, with no sample missing. */
template <typename T>
__device__ __forceinline__ void store_warp(const T *workspace, T *to, int64_t apart, int64_t place)
{
    const int lane = (int)threadIdx.x % CUDA_WARP, i = lane % HALO_SCAN_RUN;
    T *const at = to + lane / HALO_SCAN_RUN * apart + place;
#pragma unroll
    for (int t = 0; t < HALO_SCAN_RUN; t++)
        at[2 * t * apart] = workspace[(2 * t + lane / HALO_SCAN_RUN) * scan_pitch + i];
}

/* The position of a thread's run. */
struct ScanPlace {
    int64_t row, first; /* `first`: its first sample in the row */
    int count;          /* its number of pixels */
};

/* Joins every sample of the warp's runs with the prefix before each run, and stores them. */
template <typename S, typename Kind, int C>
__device__ __forceinline__ void write_run(ScanRun<S, C> run, const typename Kind::Value *before,
                                          const ScanPlace &p, const ScanArgs &a,
                                          typename Kind::Stored *workspace, bool one_line)
{
    using T = typename Kind::Value;
    using Stored = typename Kind::Stored;
    run.forget();
    T sum[C];
    const int lane = (int)threadIdx.x % CUDA_WARP;
    Stored *const own = workspace + lane * scan_pitch;
    Stored *const to = (Stored *)(a.dst + p.row * a.dst_stride) + p.first;
    const bool complete = __all_sync(CUDA_ALL, p.count == HALO_SCAN_RUN) && one_line;
    Stored *const warp_to = (Stored *)__shfl_sync(CUDA_ALL, (unsigned long long)to, 0);
#pragma unroll
    for (int part = 0; part < C; part++) {
        const int sample =
            part * HALO_SCAN_RUN + lane % HALO_SCAN_RUN; /* the other channels lie between pixels */
        const int64_t place = sample + (int64_t)(sample / C) * (a.channels - C);
#pragma unroll
        for (int i = 0; i < HALO_SCAN_RUN; i++) {
            const int k = part * HALO_SCAN_RUN + i, c = k % C;
            const T was = k < C ? Kind::identity() : sum[c];
            sum[c] = k < C ? Kind::of(run.at(k), a) : Kind::join(sum[c], Kind::of(run.at(k), a));
            own[i] = Kind::stored(!a.exclusive ? Kind::join(before[c], sum[c])
                                  : k < C      ? before[c]
                                               : Kind::join(before[c], was),
                                  a);
        }
        __syncwarp();
        if (complete)
            store_warp(workspace, warp_to, HALO_SCAN_RUN * (int64_t)a.channels, place);
        else
            store_runs(workspace, to, p.count * C - part * HALO_SCAN_RUN, place);
        __syncwarp();
    }
}

#endif
