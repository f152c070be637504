/* A row of taps over two streams of blocks of outputs, which share the taps: define NAME and LIVE, how many
 * vectors of taps, the last of which may be short, there are. A block is `step` vectors long, and a stream
 * makes one of them.
 *
 * A vector of samples lies under tap s of the newest block, under tap s + CPU_LANES of the one before it, and
 * so on: so one load serves LIVE sums, and every sum takes its taps in their order. */
static void NAME(const CpuMask *mask, const float *const in[2], float *const out[2], int64_t blocks, bool first)
{
    const int64_t step = mask->step, block = CPU_LANES * step, rest = mask->width - (LIVE - 1) * CPU_LANES;
    CpuVector acc[LIVE][2];
    CPU_UNROLL for (int g = 0; g < LIVE; g++)
    {
        CPU_UNROLL for (int m = 0; m < 2; m++) acc[g][m] = vector_of(0.0f);
    }
    for (int64_t a = 0; a < blocks + LIVE - 1; a++) {
        const int64_t last = a < blocks + LIVE - 2 ? CPU_LANES : rest;
        const float *x[2] = {in[0] + a * block, in[1] + a * block}, *tap = mask->tap;
        CPU_UNROLL for (int m = 0; m < 2; m++)
        {
            acc[0][m] = first || a >= blocks ? vector_of(0.0f) : vector_load(out[m] + a * block);
        }
        for (int64_t s = 0; s < last; s++, tap++, x[0] += step, x[1] += step) {
            CpuVector v[2] = {vector_load(x[0]), vector_load(x[1])};
            CPU_KEEP(v[0]);
            CPU_KEEP(v[1]);
            CPU_UNROLL for (int g = 0; g < LIVE - 1; g++)
            {
                const CpuVector t = vector_of(tap[g * CPU_LANES]);
                CPU_UNROLL for (int m = 0; m < 2; m++) acc[g][m] = vector_fma(t, v[m], acc[g][m]);
            }
            if (s >= rest) continue;
            const CpuVector t = vector_of(tap[(LIVE - 1) * CPU_LANES]);
            CPU_UNROLL for (int m = 0; m < 2; m++) acc[LIVE - 1][m] = vector_fma(t, v[m], acc[LIVE - 1][m]);
        }
        CPU_UNROLL for (int m = 0; m < 2; m++)
        {
            if (a >= LIVE - 1) vector_store(out[m] + (a - LIVE + 1) * block, acc[LIVE - 1][m]);
            CPU_UNROLL for (int g = LIVE - 1; g > 0; g--) acc[g][m] = acc[g - 1][m];
        }
    }
}

#undef NAME
#undef LIVE
