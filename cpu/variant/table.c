/* The table of one instruction set. */
#include "variant.h"

#define QUOTE2(word) #word
#define QUOTE(word) QUOTE2(word)

const CpuKernels CPU_TABLE(kernels) = {
    .name = QUOTE(CPU_VARIANT),
    .rows = &CPU_TABLE(rows),
    .bytes = &CPU_TABLE(bytes),
    .pixels = &CPU_TABLE(pixels),
    .pairs = &CPU_TABLE(pairs),
    .conv = &CPU_TABLE(conv),
    .direct = &CPU_TABLE(direct),
    .both = &CPU_TABLE(both),
    .dots = &CPU_TABLE(dots),
    .nodes = &CPU_TABLE(nodes),
    .along = &CPU_TABLE(along),
    .reduce = &CPU_TABLE(reduce),
    .fold = &CPU_TABLE(fold),
    .hist = &CPU_TABLE(hist),
    .equalize = &CPU_TABLE(equalize),
    .scan = &CPU_TABLE(scan),
    .rank = &CPU_TABLE(rank),
    .count = &CPU_TABLE(count),
    .mean = &CPU_TABLE(mean),
    .whole = &CPU_TABLE(whole),
    .resample = &CPU_TABLE(resample),
    .bilateral = &CPU_TABLE(bilateral),
    .ceiling = &CPU_TABLE(ceiling),
};
