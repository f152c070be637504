/* Sums of windows along a line: docs/numerics.md, "Means of windows". What lies between a window's first and
 * last run is a window over the totals of runs, so it is made the same way. */
#include <string.h>

#include "halo/means.h"
#include "mean.h"

/* The runs that windows begin in, and whole runs behind the first. */
typedef struct Runs {
    int64_t begun, whole;
} Runs;

static Runs runs_of(const CpuMeanLine *line)
{
    const int64_t first = line->position / line->run, last = (line->position + line->count - 1) / line->run;
    const int64_t end = line->position + line->count + line->window - 1;
    return (Runs){last - first + 1, end / line->run - first - 1};
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

int64_t cpu_mean_horizontal_workspace(int64_t count, int64_t window, int64_t channels)
{
    int64_t workspace = 0;
    while (window > 1) { /* each level is a 32nd of the one before, or the last */
        const int64_t run = halo_mean_run(window), pixels = count + window - 1, runs = pixels / run + 2;
        int64_t elements;
        if (pixels > INT64_MAX / 64 || !halo_mul(pixels + 3 * runs, channels, &elements) ||
            elements > INT64_MAX / 64 - workspace)
            return -1;
        workspace += elements;
        count = larger(1, count / run + 2);
        window = (window - 1) / run;
    }
    return workspace;
}

void cpu_mean_horizontal(const CpuMeanKernels *kernels, bool doubles, const void *x, const CpuMeanLine *line,
                         double *workspace, double *sum)
{
    const int64_t channels = line->channels, n = line->count * channels;
    if (line->window == 1) {
        memcpy(sum, x, (size_t)n * sizeof *sum);
        return;
    }
    const Runs runs = runs_of(line);
    double *const end = workspace, *const total = end + (line->count + line->window - 1) * channels;
    double *const between = total + runs.whole * channels, *const rest = between + 2 * runs.begun * channels;
    const double *lies[2] = {NULL, NULL};
    kernels->ends[doubles](x, line, end, total);
    for (int later = 0; later < 2; later++) {
        const int64_t window = (line->window - 1) / line->run - 1 + later;
        const int64_t count = runs.whole - window + 1 < runs.begun ? runs.whole - window + 1 : runs.begun;
        const CpuMeanLine of_runs = {line->position / line->run + 1, count, window,
                                     window > 0 ? halo_mean_run(window) : 0, channels};
        if (window == 0 || count < 1 || (later && (line->window - 1) % line->run == 0)) continue;
        double *const made = between + later * runs.begun * channels;
        cpu_mean_horizontal(kernels, true, total, &of_runs, rest, made);
        lies[later] = made;
    }
    kernels->starts[doubles](x, line, lies, end + (line->window - 1) * channels, sum);
}
