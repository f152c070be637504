/* The table of one instruction set. */
#include "variant.h"

#define QUOTE2(word) #word
#define QUOTE(word) QUOTE2(word)

const CpuKernels CPU_TABLE(kernels) = {
    .name = QUOTE(CPU_VARIANT),
    .rows = &CPU_TABLE(rows),
    .u8 = &CPU_TABLE(u8),
    .pixels = &CPU_TABLE(pixels),
    .pairs = &CPU_TABLE(pairs),
    .expr = &CPU_TABLE(expr),
    .color = &CPU_TABLE(color),
    .conv = &CPU_TABLE(conv),
    .direct = &CPU_TABLE(direct),
    .fused = &CPU_TABLE(fused),
    .dot_product = &CPU_TABLE(dot_product),
    .nodes = &CPU_TABLE(nodes),
    .horizontal = &CPU_TABLE(horizontal),
    .reduce = &CPU_TABLE(reduce),
    .fold = &CPU_TABLE(fold),
    .hist = &CPU_TABLE(hist),
    .equalize = &CPU_TABLE(equalize),
    .scan = &CPU_TABLE(scan),
    .rank = &CPU_TABLE(rank),
    .count = &CPU_TABLE(count),
    .mean = &CPU_TABLE(mean),
    .integers = &CPU_TABLE(integers),
    .resample = &CPU_TABLE(resample),
    .blocks = &CPU_TABLE(blocks),
    .spread = &CPU_TABLE(spread),
    .bilateral = &CPU_TABLE(bilateral),
    .local = &CPU_TABLE(local),
    .warp = &CPU_TABLE(warp),
    .regions = &CPU_TABLE(regions),
    .sections = &CPU_TABLE(sections),
    .fourier = &CPU_TABLE(fourier),
    .ceiling = &CPU_TABLE(ceiling),
    .doubles = &CPU_TABLE(doubles),
};
