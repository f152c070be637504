/* ISA-L 2.30 returns without vzeroupper. The dirty upper halves of the vector registers give each SSE
 * instruction of this thread a false dependency, which costs 1.7 ns per pixel where latency matters. */
#ifndef HALO_IO_AFTERISAL_H
#define HALO_IO_AFTERISAL_H

#ifdef __x86_64__
#include <immintrin.h>

__attribute__((target("avx"))) static inline void halo_zero_upper(void) { _mm256_zeroupper(); }

/* To be called behind the last of several calls of ISA-L. */
static inline void halo_after_isal(void)
{
    if (__builtin_cpu_supports("avx")) halo_zero_upper();
}
#else
static inline void halo_after_isal(void) {}
#endif

#endif
