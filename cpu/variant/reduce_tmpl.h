/* A leaf of integers: define SAMPLE (the type), TYPE (its suffix), WIDE (a type of products: of 16 bits, pairs
 * of them are summed by one instruction), SQUARE (a type that holds HALO_LEAF squares). All sums are exact, so
 * their order is free. */
static void CPU_PASTE(leaf, TYPE)(const void *samples, int64_t n, const void *next, unsigned want,
                                  HaloMoments *leaf, CpuExtremes *extremes)
{
    const SAMPLE *restrict x = samples;
    const bool moments = (want & HALO_WANT_MOMENTS) != 0;
    SAMPLE min = x[0], max = x[0];
    uint16_t zero = 0;
    int32_t sum = 0;
    SQUARE squares = 0;
    int64_t taken = 0;
#if !defined(__AVX2__)
    (void)next;
#else
    taken = moments ? CPU_PASTE(in_vectors, TYPE)(x, n, next, true, &min, &max, leaf)
                    : CPU_PASTE(in_vectors, TYPE)(x, n, next, false, &min, &max, leaf);
#endif
    for (int64_t i = taken; i < n; i++) {
        min = x[i] < min ? x[i] : min;
        max = x[i] > max ? x[i] : max;
    }
    for (int64_t i = taken; i < n; i++) zero += x[i] == 0;
    for (int64_t i = taken; i < n && moments; i++) {
        const WIDE v = x[i];
        sum += (int32_t)(v * (WIDE)1);
        squares += (SQUARE)(v * v);
    }
    *extremes = (CpuExtremes){min, max};
    leaf->count = (uint64_t)n;
    leaf->zero += zero;
    leaf->isum += (uint64_t)sum;
    leaf->isq_lo += (uint64_t)squares;
}
#undef SAMPLE
#undef TYPE
#undef WIDE
#undef SQUARE
