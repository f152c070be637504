/* Sums along lines of one type: define SAMPLE and TYPE, its suffix. */

/* One after the other from the left, in `many` runs at once, since each sum waits for the one before. */
static CPU_INLINE void CPU_PASTE(ends_runs, TYPE)(const SAMPLE *restrict x, int64_t run, int64_t channels,
                                                  int many, double *restrict end, double *restrict total)
{
    const int64_t step = run * channels;
    for (int64_t c = 0; c < channels; c++) {
        double sum[CPU_MEAN_RUNS];
        for (int l = 0; l < many; l++) end[l * step + c] = sum[l] = (double)x[l * step + c];
        for (int64_t i = channels + c; i < step; i += channels)
            for (int l = 0; l < many; l++) end[l * step + i] = sum[l] = sum[l] + (double)x[l * step + i];
        for (int l = 0; l < many; l++) total[l * channels + c] = sum[l];
    }
}

/* The same of one run, CPU_MEAN_LINES channels at a time, for lines of so many side by side. */
static CPU_INLINE void CPU_PASTE(ends_interleaved, TYPE)(const SAMPLE *restrict x, int64_t run,
                                                         int64_t channels, double *restrict end,
                                                         double *restrict total)
{
    for (int64_t c = 0; c < channels; c += CPU_MEAN_LINES) {
        CpuSums sum = CPU_PASTE(sums, TYPE)(x + c);
        sums_store(end + c, sum);
        for (int64_t i = channels + c; i < run * channels; i += channels) {
            sum = sums_add(sum, CPU_PASTE(sums, TYPE)(x + i));
            sums_store(end + i, sum);
        }
        sums_store(total + c, sum);
    }
}

static void CPU_PASTE(ends, TYPE)(const void *samples, const CpuMeanLine *line, double *end, double *total)
{
    const int64_t run = line->run, channels = line->channels;
    const int64_t skip = (line->position / run + 1) * run - line->position;
    const int64_t left = line->count + line->window - 1 - skip, runs = left / run;
    const SAMPLE *const x = (const SAMPLE *)samples + skip * channels;
    int64_t done = 0;
    end += skip * channels;
    for (; channels % CPU_MEAN_LINES == 0 && done < runs; done++) CPU_PASTE(ends_interleaved, TYPE)
    (x + done * run * channels, run, channels, end + done * run * channels, total + done * channels);
    for (; done + CPU_MEAN_RUNS <= runs; done += CPU_MEAN_RUNS) {
        const int64_t at = done * run * channels;
        if (channels == 1 && run == HALO_MEAN_RUN)
            CPU_PASTE(ends_runs, TYPE)(x + at, HALO_MEAN_RUN, 1, CPU_MEAN_RUNS, end + at, total + done);
        else
            CPU_PASTE(ends_runs, TYPE)
        (x + at, run, channels, CPU_MEAN_RUNS, end + at, total + done * channels);
    }
    for (; done < runs; done++) CPU_PASTE(ends_runs, TYPE)
    (x + done * run * channels, run, channels, 1, end + done * run * channels, total + done * channels);
    for (int64_t i = runs * run * channels; i < left * channels; i++)
        end[i] = i < (runs * run + 1) * channels ? (double)x[i] : end[i - channels] + (double)x[i];
}

/* One after the other from the right. Of every run the windows that begin at its row `later` or later end one
 * run further on: they get `more`, which for the others lacks that run; and each what its last run comes to. */
static CPU_INLINE void CPU_PASTE(starts_runs, TYPE)(const SAMPLE *restrict x, int64_t run, int64_t later,
                                                    int64_t channels, int many, const double *const between[2],
                                                    const double *restrict end, double *restrict sum)
{
    const int64_t step = run * channels;
    for (int64_t c = 0; c < channels; c++) {
        double here[CPU_MEAN_RUNS], less[CPU_MEAN_RUNS], more[CPU_MEAN_RUNS];
        int64_t i = step - channels + c;
        for (int l = 0; l < many; l++) {
            less[l] = between[0] == NULL ? HALO_MEAN_NOTHING : between[0][l * channels + c];
            more[l] = between[1] == NULL ? HALO_MEAN_NOTHING : between[1][l * channels + c];
            here[l] = (double)x[l * step + i];
            sum[l * step + i] = (here[l] + (later < run ? more[l] : less[l])) + end[l * step + i];
        }
        for (i -= channels; i >= later * channels; i -= channels)
            for (int l = 0; l < many; l++) {
                here[l] = here[l] + (double)x[l * step + i];
                sum[l * step + i] = (here[l] + more[l]) + end[l * step + i];
            }
        for (; i >= 0; i -= channels)
            for (int l = 0; l < many; l++) {
                here[l] = here[l] + (double)x[l * step + i];
                sum[l * step + i] = (here[l] + less[l]) + end[l * step + i];
            }
    }
}

/* The same of one run, as in ends_interleaved. */
static CPU_INLINE void CPU_PASTE(starts_interleaved, TYPE)(const SAMPLE *restrict x, int64_t run, int64_t later,
                                                           int64_t channels, const double *const between[2],
                                                           const double *restrict end, double *restrict sum)
{
    for (int64_t c = 0; c < channels; c += CPU_MEAN_LINES) {
        const CpuSums less = between[0] == NULL ? sums_of(HALO_MEAN_NOTHING) : sums_f64(between[0] + c);
        const CpuSums more = between[1] == NULL ? sums_of(HALO_MEAN_NOTHING) : sums_f64(between[1] + c);
        int64_t i = (run - 1) * channels + c;
        CpuSums here = CPU_PASTE(sums, TYPE)(x + i);
        sums_store(sum + i, sums_add(sums_add(here, later < run ? more : less), sums_f64(end + i)));
        for (i -= channels; i >= later * channels; i -= channels) {
            here = sums_add(here, CPU_PASTE(sums, TYPE)(x + i));
            sums_store(sum + i, sums_add(sums_add(here, more), sums_f64(end + i)));
        }
        for (; i >= 0; i -= channels) {
            here = sums_add(here, CPU_PASTE(sums, TYPE)(x + i));
            sums_store(sum + i, sums_add(sums_add(here, less), sums_f64(end + i)));
        }
    }
}

/* The same for a run of which just pixels from `from` on, and below `upto`, have outputs. */
static void CPU_PASTE(starts_part, TYPE)(const SAMPLE *x, const CpuMeanLine *line, int64_t later, int64_t from,
                                         int64_t upto, const double *const between[2], const double *end,
                                         double *sum)
{
    for (int64_t c = 0; c < line->channels; c++) {
        double here = HALO_MEAN_NOTHING;
        for (int64_t k = line->run - 1; k >= from; k--) {
            const double *const more = between[k >= later];
            const int64_t i = k * line->channels + c;
            here = here + (double)x[i];
            if (k < upto) sum[i] = (here + (more == NULL ? HALO_MEAN_NOTHING : more[c])) + end[i];
        }
    }
}

static void CPU_PASTE(starts, TYPE)(const void *samples, const CpuMeanLine *line,
                                    const double *const between[2], const double *end, double *sum)
{
    const SAMPLE *const x = samples;
    const int64_t run = line->run, channels = line->channels, later = run - (line->window - 1) % run;
    const double *lies[2] = {between[0], between[1]};
    for (int64_t first = -(line->position % run), runs = 1; first < line->count; first += runs * run) {
        const int64_t at = first * channels, whole = first < 0 ? 0 : (line->count - first) / run;
        const bool interleaved = channels % CPU_MEAN_LINES == 0;
        runs = whole >= CPU_MEAN_RUNS && !interleaved ? CPU_MEAN_RUNS : 1;
        if (whole >= 1 && interleaved)
            CPU_PASTE(starts_interleaved, TYPE)(x + at, run, later, channels, lies, end + at, sum + at);
        else if (whole >= CPU_MEAN_RUNS && channels == 1 && run == HALO_MEAN_RUN)
            CPU_PASTE(starts_runs, TYPE)
        (x + at, HALO_MEAN_RUN, later, 1, CPU_MEAN_RUNS, lies, end + at, sum + at);
        else if (whole >= CPU_MEAN_RUNS && !interleaved)
            CPU_PASTE(starts_runs, TYPE)(x + at, run, later, channels, CPU_MEAN_RUNS, lies, end + at, sum + at);
        else CPU_PASTE(starts_part, TYPE)(x + at, line, later, first < 0 ? -first : 0, line->count - first,
                                          lies, end + at, sum + at);
        for (int k = 0; k < 2; k++)
            if (lies[k] != NULL) lies[k] += runs * channels;
    }
}
#undef SAMPLE
#undef TYPE
