/* What the scans along x and along y share: values, how they are joined, and how blocks pass them on. */
#ifndef HALO_CUDA_SCAN_CUH
#define HALO_CUDA_SCAN_CUH

#include "common.cuh"

/* ---- kinds of scans -------------------------------------------------------------------------------------- */

/* A kind is a type to compute in and an operation: of(sample), joined to `Value`s, are stored as `Stored`, the
 * type of results, which restored() reads. Along x, which has most kernels, squares or sums, and maxima or
 * minima, are chosen at run time: the kernels would differ by one instruction, and each takes as long to
 * compile as the next. */

struct ScanArgs {
    const char *src;
    char *dst;
    int64_t src_stride, dst_stride;
    int64_t width, height;
    int channels;
    HaloDtype dtype; /* of the source */
    bool integers;   /* results are integers */
    bool squares;    /* ScanSum is of squares */
    uint32_t sign;   /* flips the sign of ScanLeast's samples: maxima as minima */
    bool exclusive;
    bool x_first;      /* scan_narrow scans rows along x, too */
    bool totals_first; /* totals of runs come first: the image is narrow, and so tall that bands would wait
                          for one another */
    void *state; /* [3][columns] for rows of a band (halo/scan.h): read for its first row, and updated for the
                    next band. NULL: all rows are there */
    int runs_before; /* of the first row's group, in earlier bands */
};

/* An operation at compile time. Results of an earlier scan are not squared again. */
template <typename T, HaloScanOp Op> struct ScanKind {
    using Value = T;
    using Stored = T;
    static constexpr bool any = false, real = std::is_same<T, double>::value;
    template <typename S> __device__ static T of(S sample, const ScanArgs &)
    {
        const T v = (T)sample;
        return Op == HALO_SCAN_SQUARES && sizeof(S) <= 4 ? v * v : v;
    }
    __device__ static T identity()
    {
        if constexpr (real) return halo_scan_identity(Op);
        return halo_scan_identity_i64(Op);
    }
    __device__ static T join(T a, T b)
    {
        if constexpr (real) return halo_scan_join(Op, a, b);
        return halo_scan_join_i64(Op, a, b);
    }
    __device__ static T stored(T v, const ScanArgs &)
    {
        if constexpr (real) return halo_canonical_f64(v);
        return v;
    }
    __device__ static T restored(T v, const ScanArgs &) { return v; }
};

/* Sums, of squares or not. */
template <typename T> struct ScanSum : ScanKind<T, HALO_SCAN_SUM> {
    template <typename S> __device__ static T of(S sample, const ScanArgs &a)
    {
        const T v = (T)sample;
        return a.squares ? v * v : v;
    }
};

/* Products of samples of any type, as floats. */
struct ScanProduct : ScanKind<double, HALO_SCAN_PRODUCT> {
    static constexpr bool any = true;
};

/* The least of samples of any type, as floats, which hold them all. Infinity, the identity, converts to the
 * least or greatest integer. */
struct ScanLeast {
    using Value = float;
    using Stored = long long;
    static constexpr bool any = true;
    __device__ static float signed_as(float v, const ScanArgs &a)
    {
        return __uint_as_float(__float_as_uint(v) ^ a.sign);
    }
    __device__ static float of(float sample, const ScanArgs &a) { return signed_as(sample, a); }
    __device__ static float identity() { return INFINITY; }
    /* By `<`, the first wins; NaN is kept. */
    __device__ static float join(float a, float b) { return !(b >= a) && a == a ? b : a; }
    __device__ static long long stored(float v, const ScanArgs &a)
    {
        const float made = signed_as(v, a);
        return a.integers ? __float2ll_rz(made) : __double_as_longlong(halo_canonical_f64((double)made));
    }
    __device__ static float restored(long long v, const ScanArgs &a)
    {
        return signed_as(a.integers ? (float)v : (float)__longlong_as_double(v), a);
    }
};

/* An operation at run time. */
__device__ __forceinline__ double scan_join(HaloScanOp op, double a, double b)
{
    return halo_scan_join(op, a, b);
}
__device__ __forceinline__ int64_t scan_join(HaloScanOp op, int64_t a, int64_t b)
{
    return halo_scan_join_i64(op, a, b);
}
__device__ __forceinline__ double scan_stored(double v) { return halo_canonical_f64(v); }
__device__ __forceinline__ int64_t scan_stored(int64_t v) { return v; }

/* Along x, any native source; along y, also i64 or f64 in place (`src` and `dst` the same). */
HaloStatus scan_x(HaloDevice *device, const ScanArgs *args, HaloScanOp op);
HaloStatus scan_y(HaloDevice *device, const ScanArgs *args, HaloScanOp op);
/* Does it need the totals of runs first: is it narrow and tall? */
bool scan_y_totals_first(const ScanArgs *args);
/* The same for less than a warp of columns, in rows without gaps. */
HaloStatus scan_narrow(HaloDevice *device, const ScanArgs *args, HaloScanOp op);
bool scan_narrow_fits(const ScanArgs *args);
/* Are rows so short that it scans along x, too? */
static const int scan_narrow_most = 4; /* samples of a row */
bool scan_narrow_takes_x(const ScanArgs *args);

/* Along y, in place or not, for rows of a picture from y0 on, after earlier bands (halo/scan.h). */
HaloStatus scan_band(HaloDevice *device, const ScanArgs *args, HaloScanOp op, int64_t y0, void *state);

/* The prefix left of every run along x. */
template <typename T> struct ScanLeft {
    T *run; /* [row][run][channel] */
    int64_t runs;
};
template <typename Kind>
HaloStatus scan_left(HaloDevice *device, const ScanArgs *args, const ScanLeft<typename Kind::Value> *left);
bool scan_left_fits(const HaloDevice *device, const ScanArgs *args);

/* Along x and then y, any native source, if scan_xy_fits. */
HaloStatus scan_xy(HaloDevice *device, const ScanArgs *args, HaloScanOp op);
bool scan_xy_fits(const HaloDevice *device, const ScanArgs *args);
/* Along x alone by the same kernel, for several channels and more than a few rows. */
HaloStatus scan_pixels(HaloDevice *device, const ScanArgs *args, HaloScanOp op);
bool scan_pixels_fits(const HaloDevice *device, const ScanArgs *args);

/* The runs of narrow images, in groups: their totals, and then the prefix above each. */
template <typename T> struct ScanGroups {
    int64_t columns, runs, groups;
    T *run;   /* [run][column]: totals, then P of docs/numerics.md */
    T *group; /* [group][column]: G */
};
/* After `ahead` bytes of other workspace. */
template <typename T>
HaloStatus scan_groups_workspace(HaloDevice *device, const ScanArgs *args, int64_t ahead, void **workspace,
                                 ScanGroups<T> *groups);
template <typename T> HaloStatus scan_groups(HaloDevice *device, HaloScanOp op, const ScanGroups<T> *groups);

/* Returns launch<source, Kind>(...) for the operation: all in type `sum`, but products in f64. */
#define SCAN_BY_OP(launch, source, sum, ...)                                                         \
    switch (op) {                                                                                    \
    case HALO_SCAN_SUM: return launch<source, ScanKind<sum, HALO_SCAN_SUM>>(__VA_ARGS__);            \
    case HALO_SCAN_MIN: return launch<source, ScanKind<sum, HALO_SCAN_MIN>>(__VA_ARGS__);            \
    case HALO_SCAN_MAX: return launch<source, ScanKind<sum, HALO_SCAN_MAX>>(__VA_ARGS__);            \
    case HALO_SCAN_PRODUCT: return launch<source, ScanKind<double, HALO_SCAN_PRODUCT>>(__VA_ARGS__); \
    case HALO_SCAN_SQUARES: return launch<source, ScanKind<sum, HALO_SCAN_SQUARES>>(__VA_ARGS__);    \
    }                                                                                                \
    break;

/* ---- samples in words ------------------------------------------------------------------------------------ */

/* Sample i of those packed in a word. */
template <typename S> __device__ __forceinline__ S scan_sample(uint32_t word, int i)
{
    if constexpr (sizeof(S) == 4)
        return __uint_as_float(word);
    else
        return (S)(word >> (i * 8 * (int)sizeof(S)));
}
__device__ __forceinline__ uint32_t scan_word(float v) { return __float_as_uint(v); }
__device__ __forceinline__ uint32_t scan_word(uint8_t v) { return v; }
__device__ __forceinline__ uint32_t scan_word(uint16_t v) { return v; }

/* The value is computed again from here on: else the compiler keeps the first fold's partial results for the
 * second, and runs out of registers. */
__device__ __forceinline__ void scan_forget(uint32_t &v) { asm volatile("" : "+r"(v)); }
__device__ __forceinline__ void scan_forget(float &v) { asm volatile("" : "+f"(v)); }
__device__ __forceinline__ void scan_forget(double &v) { asm volatile("" : "+d"(v)); }
__device__ __forceinline__ void scan_forget(int64_t &v) { asm volatile("" : "+l"(v)); }
__device__ __forceinline__ void scan_forget(uint16_t &v) { asm volatile("" : "+h"(v)); }
__device__ __forceinline__ void scan_forget(uint8_t &v)
{
    uint32_t word = v;
    scan_forget(word);
    v = (uint8_t)word;
}

/* ---- values passed between blocks ------------------------------------------------------------------------ */

/* One kernel scans in one pass: every block takes a ticket, and reads what it needs of earlier tickets from
 * slots in device memory. All slots are initially all ones. No value has these bits: NaNs are stored in their
 * one pattern, and integers are sums, least or greatest samples, or an identity. A slot is its own flag, so no
 * fence is needed. */

/* The memory of the tickets and of `slots` values, cleared, after `ahead` bytes of other workspace, a multiple
 * of 16. The tickets' counter comes first. */
HaloStatus scan_slots(HaloDevice *device, int64_t ahead, int64_t slots, void **workspace, unsigned **tickets,
                      void **values);

/* The block's number in the order in which blocks started; earlier blocks need no later one. All threads call
 * it. */
__device__ __forceinline__ unsigned scan_ticket(unsigned *tickets)
{
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(tickets, 1u) + 1u; /* from all ones */
    __syncthreads();
    return ticket;
}

template <typename Kind>
__device__ __forceinline__ void scan_publish(typename Kind::Stored *slot, typename Kind::Value value,
                                             const ScanArgs &a)
{
    const typename Kind::Stored v = Kind::stored(value, a);
    long long bits;
    memcpy(&bits, &v, sizeof bits);
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(slot), "l"(bits) : "memory");
}

/* The bits in the slot; all ones while there is no value. */
__device__ __forceinline__ long long scan_peek(const void *slot)
{
    long long bits;
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(bits) : "l"(slot) : "memory");
    return bits;
}

/* Waits for the value in the slot; `bits` were read before. */
template <typename Kind>
__device__ __forceinline__ typename Kind::Value scan_await(const typename Kind::Stored *slot, const ScanArgs &a,
                                                           long long bits = -1)
{
    typename Kind::Stored v;
    while (bits == -1) bits = scan_peek(slot);
    memcpy(&v, &bits, sizeof v);
    return Kind::restored(v, a);
}

#endif
