/* One block of outputs of a row, VECTORS vectors whose sums stay in registers, by runs of taps: define NAME and
 * VECTORS. */
static void NAME(const CpuMask *mask, const CpuRuns *runs, const float *const *line, int64_t at, float *out,
                 bool first)
{
    const int64_t step = mask->step;
    CpuVector acc[VECTORS];
    out += at;
    CPU_UNROLL for (int k = 0; k < VECTORS; k++)
    {
        acc[k] = first ? vector_of(0.0f) : vector_load(out + k * CPU_LANES);
    }
    for (const CpuRun *run = runs->run, *end = run + runs->count; run < end; run++) {
        const float *in = line[run->y - runs->top] + run->x * step + at;
        const float *tap = mask->tap + run->y * mask->width + run->x;
        for (int64_t i = 0; i < run->taps; i++, in += step) {
            const CpuVector t = vector_of(tap[i]);
            CPU_UNROLL for (int k = 0; k < VECTORS; k++)
            {
                acc[k] = vector_fma(t, vector_load(in + k * CPU_LANES), acc[k]);
            }
        }
    }
    CPU_UNROLL for (int k = 0; k < VECTORS; k++) vector_store(out + k * CPU_LANES, acc[k]);
}

#undef NAME
#undef VECTORS
