/* Small loops outside of cpu/ that are worth the wider vectors of x86-64: a function for each level, all with
 * the same bits. Which one may run is the backend's choice. */
#ifndef HALO_SIMD_H
#define HALO_SIMD_H

#ifdef __cplusplus
extern "C" {
#endif

/* As the variants of the kernels (cpu/variant.c). */
typedef enum HaloSimd { HALO_SIMD_BASELINE, HALO_SIMD_V3, HALO_SIMD_V4 } HaloSimd;

#ifdef __clang__
#define HALO_SIMD_WIDTH /* it has no such attribute */
#else
#define HALO_SIMD_WIDTH ",prefer-vector-width=512"
#endif
#if defined(__x86_64__) && defined(__GNUC__)
#define HALO_SIMD_TARGET_V3 __attribute__((target("avx2")))
#define HALO_SIMD_TARGET_V4 \
    __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl" HALO_SIMD_WIDTH)))
#else
#define HALO_SIMD_TARGET_V3
#define HALO_SIMD_TARGET_V4
#endif

/* A body that is compiled into each of them. */
#define HALO_SIMD_BODY static inline __attribute__((always_inline))

#ifdef __cplusplus
}
#endif
#endif
