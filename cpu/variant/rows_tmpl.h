/* Rows of one sample type as f32: define SAMPLE (the type) and TYPE (its suffix). The native types go back
 * too, except where READ_ONLY is defined; WHITE is what integers saturate to. */
static void CPU_PASTE(load, TYPE)(const void *samples, int64_t n, float *restrict row)
{
    int64_t i = 0;
#ifdef LOAD_VECTORS
    i = CPU_PASTE(load_vectors, TYPE)(samples, n, row);
#undef LOAD_VECTORS
#endif
    for (; i < n; i++) {
        SAMPLE v;
        memcpy(&v, (const char *)samples + i * (int64_t)sizeof v, sizeof v);
        row[i] = (float)v;
    }
}

#ifndef READ_ONLY
static void CPU_PASTE(store, TYPE)(float *restrict row, int64_t n, HaloStore how, void *restrict samples,
                                   uint64_t *clipped)
{
    rescale(row, n, how);
#ifdef WHITE
    float lowest = -1.0f;
    CPU_OPAQUE(lowest);
#endif
    for (int64_t start = 0; start < n; start += COUNT_BLOCK) {
        const int64_t end = n - start < COUNT_BLOCK ? n : start + COUNT_BLOCK;
        unsigned lost = 0;
        int64_t i = start;
#ifdef WHITE
        SAMPLE *const whole = (SAMPLE *)samples;
        i += CPU_PASTE(store_vectors, TYPE)(row + start, end - start, whole + start, &lost);
#endif
        for (; i < end; i++) {
#ifdef WHITE
            const float low = row[i] > lowest ? row[i] : lowest; /* NaN becomes -1 */
            const int32_t r = rounded(low), least = r > ROUNDED_ZERO ? r : ROUNDED_ZERO;
            const int32_t q = least < ROUNDED_ZERO + WHITE ? least : ROUNDED_ZERO + WHITE;
            const SAMPLE v = (SAMPLE)q;
            lost += q != r;
#else
            const SAMPLE v = halo_canonical(row[i]);
#endif
            memcpy((char *)samples + i * (int64_t)sizeof v, &v, sizeof v);
        }
        *clipped += lost;
    }
}
#endif

#undef SAMPLE
#undef TYPE
#undef WHITE
