/* Both passes of a separable mask over one row of n outputs, to samples of the type that fused_tmpl.h says.
 *
 * The row pass of a block becomes the last line; the column takes it before it leaves the registers, and what
 * it makes is a sample before it does. */
static CPU_INLINE void CPU_PASTE(fused_block, TYPE)(const CpuFused *both, int64_t at, int vectors,
                                                    CpuVector *made)
{
    const int64_t width = both->row->width, last = both->column->height - 1, step = both->row->step;
    CpuVector newest[FUSED_VECTORS], acc[FUSED_VECTORS];
    float *const to = both->line[last] + at;
    if (both->source != NULL) {
        const float *const in = both->source + at;
        CPU_UNROLL for (int k = 0; k < vectors; k++) newest[k] = vector_of(0.0f);
        for (int64_t i = 0; i < width; i++) {
            const CpuVector t = vector_of(both->row->tap[i]);
            CPU_UNROLL for (int k = 0; k < vectors; k++)
            {
                newest[k] = vector_fma(t, vector_load(in + i * step + k * CPU_LANES), newest[k]);
            }
        }
        CPU_UNROLL for (int k = 0; k < vectors; k++) vector_store(to + k * CPU_LANES, newest[k]);
    } else {
        CPU_UNROLL for (int k = 0; k < vectors; k++) newest[k] = vector_load(to + k * CPU_LANES);
    }
    if (both->out == NULL) return;
    CPU_UNROLL for (int k = 0; k < vectors; k++) acc[k] = vector_of(0.0f);
    for (int64_t j = 0; j < last; j++) {
        const float *const in = both->line[j] + at;
        const CpuVector t = vector_of(both->column->tap[j]);
        CPU_UNROLL for (int k = 0; k < vectors; k++)
        {
            acc[k] = vector_fma(t, vector_load(in + k * CPU_LANES), acc[k]);
        }
    }
    const CpuVector t = vector_of(both->column->tap[last]);
    CPU_UNROLL for (int k = 0; k < vectors; k++) made[k] = vector_fma(t, newest[k], acc[k]);
}

/* Outputs from `at` on. */
static void CPU_PASTE(fused_from, TYPE)(const CpuFused *of, int64_t at)
{
    const CpuFused both = *of;
    char *const out = both.out;
    CpuVector made[FUSED_VECTORS];
    for (; at + FUSED_VECTORS * CPU_LANES <= both.n; at += FUSED_VECTORS * CPU_LANES) {
        vectors_fetch(both.prefetch + at, FUSED_VECTORS);
        CPU_PASTE(fused_block, TYPE)(&both, at, FUSED_VECTORS, made);
        if (out != NULL) PUT(made, FUSED_VECTORS, both.past, out + at * SIZE);
    }
    for (; at < both.n; at += CPU_LANES) {
        char some[FUSED_VECTORS * CPU_LANES * SIZE];
        CPU_PASTE(fused_block, TYPE)(&both, at, 1, made);
        if (out == NULL) continue;
        for (int k = 1; k < FUSED_VECTORS; k++) made[k] = made[0];
        PUT(made, FUSED_VECTORS, false, some);
        memcpy(out + at * SIZE, some, (size_t)((both.n - at < CPU_LANES ? both.n - at : CPU_LANES) * SIZE));
    }
}
