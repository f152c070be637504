/* Sums down columns of lines of one type: define SAMPLE and TYPE, its suffix. */

static void CPU_PASTE(lay, TYPE)(const void *samples, int64_t n, bool first, double *restrict sum)
{
    const SAMPLE *restrict const line = samples;
    if (first)
        for (int64_t i = 0; i < n; i++) sum[i] = (double)line[i];
    else
        for (int64_t i = 0; i < n; i++) sum[i] = sum[i] + (double)line[i];
}

static const SAMPLE *CPU_PASTE(line, TYPE)(const CpuMeanDown *d, int64_t position, int64_t first)
{
    return (const SAMPLE *)d->line + position % d->ring * d->pitch + first;
}

/* From each line of the run to its last, for lines from `at` on. */
static void CPU_PASTE(sums_of_starts, TYPE)(const CpuMeanDown *d, int64_t run, int64_t at, int64_t first,
                                            double (*restrict start)[CPU_MEAN_CHUNK])
{
    for (int64_t k = run - 1 - at; k >= 0; k--) {
        const SAMPLE *const line = CPU_PASTE(line, TYPE)(d, d->position + k, first);
        if (k == run - 1 - at)
            for (int i = 0; i < CPU_MEAN_CHUNK; i++) start[k][i] = (double)line[i];
        else
            for (int i = 0; i < CPU_MEAN_CHUNK; i++) start[k][i] = start[k + 1][i] + (double)line[i];
    }
}

static void CPU_PASTE(down, TYPE)(const CpuMeanDown *d, int64_t first, double (*restrict sum)[CPU_MEAN_CHUNK])
{
    const int64_t run = halo_mean_run(d->window), at = d->position % run, begun = d->position / run;
    const Rows totals = {d->total + first, begun + 1, d->total_ring, d->pitch};
    double between[CPU_MEAN_CHUNK];
    double *const sofar = d->sofar + first;
    CPU_PASTE(sums_of_starts, TYPE)(d, run, at, first, sum);
    for (int64_t j = 0; j < d->rows; j++) {
        const int64_t last = d->position + j + d->window - 1, ends_in = last / run;
        const bool turns = last % run == 0;
        const SAMPLE *const line = CPU_PASTE(line, TYPE)(d, last, first);
        if (turns && ends_in - 1 > begun)
            memcpy(d->total + (ends_in - 1) % d->total_ring * d->pitch + first, sofar, sizeof between);
        if (ends_in - 1 == begun)
            for (int i = 0; i < CPU_MEAN_CHUNK; i++) between[i] = HALO_MEAN_NOTHING;
        else if (turns || j == 0)
            window_of(&totals, begun + 1, ends_in - 1 - begun, d->room, between);
        CPU_PASTE(lay, TYPE)(line, CPU_MEAN_CHUNK, turns, sofar);
        if (d->mean == NULL)
            for (int i = 0; i < CPU_MEAN_CHUNK; i++) sum[j][i] = (sum[j][i] + between[i]) + sofar[i];
        else
            means(sum[j], between, sofar, d, d->mean + j * d->mean_pitch + first);
    }
}
#undef SAMPLE
#undef TYPE
