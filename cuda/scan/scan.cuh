/* What the scans along x and along y share: values and how they join, and how blocks hand them on. */
#ifndef HALO_CUDA_SCAN_CUH
#define HALO_CUDA_SCAN_CUH

#include "common.cuh"

/* What a sample is joined as. Results of an earlier scan are not squared again. */
template <typename T, HaloScanOp Op, typename S> __device__ __forceinline__ T scan_value(S sample)
{
    const T v = (T)sample;
    return Op == HALO_SCAN_SQUARES && sizeof(S) <= 4 ? v * v : v;
}

/* One kind of scan: the type it computes in and its operation. */
template <typename T, HaloScanOp Op> struct ScanKind;

template <HaloScanOp Op> struct ScanKind<double, Op> {
    using Value = double;
    static constexpr HaloScanOp op = Op;
    template <typename S> __device__ static double of(S sample) { return scan_value<double, Op>(sample); }
    __device__ static double identity() { return halo_scan_identity(Op); }
    __device__ static double join(double a, double b) { return halo_scan_join(Op, a, b); }
    __device__ static double stored(double v) { return halo_canonical_f64(v); }
};

template <HaloScanOp Op> struct ScanKind<int64_t, Op> {
    using Value = int64_t;
    static constexpr HaloScanOp op = Op;
    template <typename S> __device__ static int64_t of(S sample) { return scan_value<int64_t, Op>(sample); }
    __device__ static int64_t identity() { return halo_scan_identity_i64(Op); }
    __device__ static int64_t join(int64_t a, int64_t b) { return halo_scan_join_i64(Op, a, b); }
    __device__ static int64_t stored(int64_t v) { return v; }
};

struct ScanArgs {
    const char *src;
    char *dst;
    int64_t src_stride, dst_stride;
    int64_t width, height;
    int channels;
    bool exclusive;
    bool first;  /* no other scan came before: how much scratch this one takes can still be said */
    void *above; /* [columns] of rows behind others: what lies above the first, and then above what comes next.
                    NULL: all rows are there */
};

/* Along x, any native source; along y, also i64 or f64 in place (`src` and `dst` the same). */
HaloStatus scan_x(HaloDevice *device, const ScanArgs *args, HaloDtype dtype, HaloScanOp op);
HaloStatus scan_y(HaloDevice *device, const ScanArgs *args, HaloDtype dtype, HaloScanOp op);

/* Along y, in place or not, of rows from y0 on of an image, with what came down to them (halo/scan.h). */
HaloStatus scan_band(HaloDevice *device, const ScanArgs *args, HaloDtype dtype, HaloScanOp op, int64_t y0,
                     void *state);

/* Along x and then y, any native source, where scan_xy_fits. */
HaloStatus scan_xy(HaloDevice *device, const ScanArgs *args, HaloDtype dtype, HaloScanOp op);
bool scan_xy_fits(const HaloDevice *device, const ScanArgs *args);

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

/* ---- samples in words ----------------------------------------------------------------------------------- */

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

/* What is made of the value from here on is computed again: or else the compiler keeps a first fold's partial
 * results for the second, and runs out of registers. */
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

/* ---- what blocks hand on ------------------------------------------------------------------------------------
 * One kernel scans in one pass: every block takes a ticket, and what it needs of earlier tickets it finds in
 * slots of device memory. All of them hold all ones at first. No value has these bits: NaNs are stored in their
 * one pattern, and integers are sums, least or greatest of samples, or an identity. A slot is its own flag, so
 * no fence is needed. */

/* The memory of the tickets and of `slots` values, cleared. The tickets' counter is the first. */
HaloStatus scan_slots(HaloDevice *device, int64_t slots, unsigned **tickets, void **values);

/* The block's place in the order in which blocks started; earlier ones need no later one. All threads call it.
 */
__device__ __forceinline__ unsigned scan_ticket(unsigned *tickets)
{
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(tickets, 1u) + 1u; /* from all ones */
    __syncthreads();
    return ticket;
}

template <typename Kind>
__device__ __forceinline__ void scan_publish(typename Kind::Value *slot, typename Kind::Value value)
{
    const typename Kind::Value v = Kind::stored(value);
    long long bits;
    memcpy(&bits, &v, sizeof bits);
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(slot), "l"(bits) : "memory");
}

/* The bits in the slot now; all ones while there is no value. */
__device__ __forceinline__ long long scan_peek(const void *slot)
{
    long long bits;
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(bits) : "l"(slot) : "memory");
    return bits;
}

/* The value in the slot; `bits` were there a moment ago. */
template <typename T> __device__ __forceinline__ T scan_await(const T *slot, long long bits = -1)
{
    T value;
    while (bits == -1) bits = scan_peek(slot);
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
