/* What the files of this folder share. Each is compiled once per instruction set, CPU_VARIANT. A file exports
 * one table whose name carries the variant's, and all else in it is static: no instruction that a machine
 * lacks can stray into another variant's code. */
#ifndef CPU_VARIANT_H
#define CPU_VARIANT_H

#include <string.h>

#include "kernels.h"

#if defined(CPU_NEON) /* the variant of that name: what is said of it is for its kernels alone */
#include <arm_neon.h>
#endif

#define CPU_PASTE2(a, b) a##_##b
#define CPU_PASTE(a, b) CPU_PASTE2(a, b)
#define CPU_TABLE(name) CPU_PASTE(cpu_##name, CPU_VARIANT)

/* For functions whose arguments are constants at each call, and loops whose arrays are to become registers.
 * Without vectors of the machine's own, a sanitizer would make so much code of them that one file takes
 * minutes. */
#if (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)) && !defined(__AVX__) && !defined(CPU_NEON)
#define CPU_INLINE inline
#define CPU_UNROLL
#elif defined(__GNUC__)
#define CPU_INLINE inline __attribute__((always_inline))
#define CPU_UNROLL _Pragma("GCC unroll 16")
#else
#define CPU_INLINE inline
#define CPU_UNROLL
#endif
#if defined(__GNUC__)
/* Hides what a variable holds: GCC 12 makes branches of a select between a sample and a constant. */
#define CPU_OPAQUE(variable) __asm__("" : "+m"(variable))
/* Asks for the cache line of at[i], which may lie past what is there. */
#define CPU_FETCH(at, i) __builtin_prefetch((const void *)((uintptr_t)(at) + (uintptr_t)(i) * sizeof *(at)))
#else
#define CPU_OPAQUE(variable) ((void)0)
#define CPU_FETCH(at, i) ((void)0)
#endif

/* Before a loop whose iterations are independent, although its arrays may overlap. */
#if defined(__clang__)
#define CPU_APART _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CPU_APART _Pragma("GCC ivdep")
#else
#define CPU_APART
#endif

/* Before a loop that is to stay one. */
#if defined(__GNUC__)
#define CPU_LOOP _Pragma("GCC unroll 1")
#else
#define CPU_LOOP
#endif

/* Keeps a chain of sums one by one: GCC 12 makes vectors of it by shuffles, which take longer. */
#if defined(__GNUC__) && defined(__SSE2__)
#define CPU_ONE_BY_ONE(sum) __asm__("" : "+x"(sum))
#elif defined(__GNUC__) && defined(CPU_NEON)
#define CPU_ONE_BY_ONE(sum) __asm__("" : "+w"(sum))
#else
#define CPU_ONE_BY_ONE(sum) ((void)0)
#endif

extern const CpuRowKernels CPU_TABLE(rows);
extern const CpuU8Kernels CPU_TABLE(u8);
extern const CpuPixelKernels CPU_TABLE(pixels);
extern const CpuPairKernels CPU_TABLE(pairs);
extern const CpuExprKernels CPU_TABLE(expr);
extern const CpuColorKernels CPU_TABLE(color);
extern const CpuConvKernels CPU_TABLE(conv);
extern const CpuDirectKernels CPU_TABLE(direct);
extern const CpuFusedKernels CPU_TABLE(fused);
extern const CpuDotKernels CPU_TABLE(dot_product);
extern const CpuNodeKernels CPU_TABLE(nodes);
extern const CpuHorizontalKernels CPU_TABLE(horizontal);
extern const CpuReduceKernels CPU_TABLE(reduce);
extern const CpuFoldKernels CPU_TABLE(fold);
extern const CpuHistKernels CPU_TABLE(hist);
extern const CpuEqualizeKernels CPU_TABLE(equalize);
extern const CpuScanKernels CPU_TABLE(scan);
extern const CpuRankKernels CPU_TABLE(rank);
extern const CpuCountKernels CPU_TABLE(count);
extern const CpuMeanKernels CPU_TABLE(mean);
extern const CpuIntegerKernels CPU_TABLE(integers);
extern const CpuResampleKernels CPU_TABLE(resample);
extern const CpuBlockKernels CPU_TABLE(blocks);
extern const CpuSpreadKernels CPU_TABLE(spread);
extern const CpuBilateralKernels CPU_TABLE(bilateral);
extern const CpuLocalKernels CPU_TABLE(local);
extern const CpuWarpKernels CPU_TABLE(warp);
extern const CpuRegionKernels CPU_TABLE(regions);
extern const CpuSectionKernels CPU_TABLE(sections);
extern const CpuFourierKernels CPU_TABLE(fourier);
extern const CpuCeilingKernels CPU_TABLE(ceiling);
extern const CpuDoubleKernels CPU_TABLE(doubles);

#endif
