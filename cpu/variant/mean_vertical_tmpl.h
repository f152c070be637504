/* Sums down columns of lines of one type: define SAMPLE and TYPE, its suffix. */

static void CPU_PASTE(lay, TYPE)(const void *samples, int64_t n, bool first, double *restrict sum)
{
    const SAMPLE *restrict const line = samples;
    if (first)
        for (int64_t i = 0; i < n; i++) sum[i] = (double)line[i];
    else
        for (int64_t i = 0; i < n; i++) sum[i] = sum[i] + (double)line[i];
}

/* From each line of the run to its last, for lines from `at` on. The place in the ring is stepped from line to
 * line here and below: in a narrow image a division takes as long as a line. */
static CPU_INLINE void CPU_PASTE(sums_of_starts, TYPE)(const CpuMeanVertical *d, int64_t run, int64_t at,
                                                       int64_t first, int chunk,
                                                       double (*restrict start)[CPU_MEAN_CHUNK])
{
    int64_t place = (d->position + run - 1 - at) % d->ring;
    for (int64_t k = run - 1 - at; k >= 0; k--, place = (place > 0 ? place : d->ring) - 1) {
        const SAMPLE *const line = (const SAMPLE *)d->line + place * d->pitch + first;
        if (k == run - 1 - at)
            for (int i = 0; i < chunk; i++) start[k][i] = (double)line[i];
        else
            for (int i = 0; i < chunk; i++) start[k][i] = start[k + 1][i] + (double)line[i];
    }
}

/* `chunk` is a constant where this is called. */
static CPU_INLINE void CPU_PASTE(vertical_chunk, TYPE)(const CpuMeanVertical *d, int64_t first, int chunk,
                                                       double (*restrict sum)[CPU_MEAN_CHUNK])
{
    const int64_t run = halo_mean_run(d->window), at = d->position % run, begun = d->position / run;
    const Rows totals = {d->total + first, begun + 1, d->total_ring, d->pitch};
    double between[CPU_MEAN_CHUNK];
    double *const sofar = d->sofar + first;
    const int64_t end = d->position + d->window - 1; /* the first output's last line */
    int64_t in_run = end % run, ends_in = end / run, place = end % d->ring;
    CPU_PASTE(sums_of_starts, TYPE)(d, run, at, first, chunk, sum);
    for (int64_t j = 0; j < d->rows; j++) {
        const bool begins_run = in_run == 0;
        const SAMPLE *const line = (const SAMPLE *)d->line + place * d->pitch + first;
        if (begins_run && ends_in - 1 > begun)
            memcpy(d->total + (ends_in - 1) % d->total_ring * d->pitch + first, sofar,
                   (size_t)chunk * sizeof *sofar);
        if (ends_in - 1 == begun)
            for (int i = 0; i < chunk; i++) between[i] = HALO_MEAN_NOTHING;
        else if (begins_run || j == 0)
            window_of(&totals, begun + 1, ends_in - 1 - begun, chunk, d->workspace, between);
        CPU_PASTE(lay, TYPE)(line, chunk, begins_run, sofar);
        if (d->mean == NULL)
            for (int i = 0; i < chunk; i++) sum[j][i] = (sum[j][i] + between[i]) + sofar[i];
        else
            means(sum[j], between, sofar, d, chunk, d->mean + j * d->mean_pitch + first);
        place = place + 1 < d->ring ? place + 1 : 0;
        in_run = in_run + 1 < run ? in_run + 1 : 0;
        ends_in += in_run == 0;
    }
}

static void CPU_PASTE(vertical, TYPE)(const CpuMeanVertical *d, int64_t first, double (*sum)[CPU_MEAN_CHUNK])
{
    if (d->pitch == CPU_MEAN_SHORT)
        CPU_PASTE(vertical_chunk, TYPE)(d, first, CPU_MEAN_SHORT, sum);
    else if (d->pitch < CPU_MEAN_CHUNK)
        CPU_PASTE(vertical_chunk, TYPE)(d, first, 2 * CPU_MEAN_SHORT, sum);
    else
        CPU_PASTE(vertical_chunk, TYPE)(d, first, CPU_MEAN_CHUNK, sum);
}
#undef SAMPLE
#undef TYPE
