/* peaks: local maxima of sound and series, as scipy.signal.find_peaks has them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "halo/table.h"
#include "ops.h"

enum { PEAKS_HEIGHT, PEAKS_DISTANCE, PEAKS_PROMINENCE, PEAKS_WIDTH, PEAKS_KEYS };
enum { COLUMN_FRAME, COLUMN_TIME, COLUMN_VALUE, COLUMN_PROMINENCE, COLUMN_WIDTH, COLUMNS };
static const char *const column[COLUMNS] = {"frame", "time", "value", "prominence", "width"};

typedef struct Peaks {
    double height, prominence, width; /* at least; -inf: any */
    int64_t distance;
} Peaks;

/* Arrays of as many numbers as there are samples. */
typedef struct Space {
    double *least;  /* the least sample from the last greater one before it on, */
    double *behind; /* and up to the next greater one */
    int64_t *peak;  /* frames, in order; and, while the others are made, a stack */
} Space;

static Space space_of(void *scratch, int64_t n)
{
    double *const at = scratch;
    return (Space){at, at + n, (int64_t *)(void *)(at + 2 * n)};
}

static int64_t peaks_scratch(const void *how, int64_t samples)
{
    (void)how;
    return 3 * samples * (int64_t)sizeof(double);
}

/* ---- maxima --------------------------------------------------------------------------------------------- */

/* Samples greater than both neighbours; of equal ones side by side the middle, or left of the middle. Returns
 * how many. */
static int64_t find_maxima(const double *x, int64_t n, double height, int64_t *peak)
{
    int64_t count = 0;
    for (int64_t i = 1; i < n - 1; i++) {
        if (!(x[i - 1] < x[i])) continue;
        int64_t last = i;
        while (last < n - 1 && x[last + 1] == x[i]) last++;
        if (last < n - 1 && x[last + 1] < x[i] && x[i] >= height) peak[count++] = (i + last) / 2;
        i = last;
    }
    return count;
}

/* least[i]: the minimum of the samples from i towards the one that is greater than x[i], or NaN, or the end.
 * `step` 1: those before i; -1: those behind. `stack`: samples without a greater one so far. */
static void find_bases(const double *x, int64_t n, int step, int64_t *stack, double *least)
{
    int64_t depth = 0;
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = step > 0 ? k : n - 1 - k;
        least[i] = x[i];
        if (isnan(x[i])) {
            depth = 0;
            continue;
        }
        while (depth > 0 && x[stack[depth - 1]] <= x[i]) {
            const double below = least[stack[--depth]];
            if (below < least[i]) least[i] = below;
        }
        stack[depth++] = i;
    }
}

/* ---- distance ------------------------------------------------------------------------------------------- */

typedef struct Ranked {
    double value;
    int64_t number;
} Ranked;

/* The greatest first; of equal ones the last, as SciPy takes them. */
static int by_value(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return x->number > y->number ? -1 : 1;
}

/* Drops peaks that are nearer than `distance` to a greater one that stays. */
static HaloStatus keep_apart(const double *x, int64_t distance, int64_t *peak, int64_t *count)
{
    HaloStatus status = HALO_OK;
    Ranked *ranked = malloc((size_t)(*count + 1) * sizeof *ranked);
    bool *dropped = calloc((size_t)*count + 1, sizeof *dropped);
    if (ranked == NULL || dropped == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to find peaks");
    for (int64_t k = 0; k < *count; k++) ranked[k] = (Ranked){x[peak[k]], k};
    qsort(ranked, (size_t)*count, sizeof *ranked, by_value);
    for (int64_t r = 0; r < *count; r++) {
        const int64_t k = ranked[r].number;
        if (dropped[k]) continue;
        for (int64_t i = k - 1; i >= 0 && peak[k] - peak[i] < distance; i--) dropped[i] = true;
        for (int64_t i = k + 1; i < *count && peak[i] - peak[k] < distance; i++) dropped[i] = true;
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < *count; k++)
        if (!dropped[k]) peak[kept++] = peak[k];
    *count = kept;
out:
    free(ranked);
    free(dropped);
    return status;
}

/* ---- width ---------------------------------------------------------------------------------------------- */

/* Where the line through the samples first falls to `level`, going from i by `step`. */
static double crossing(const double *x, int64_t n, int64_t i, int step, double level)
{
    while (i + step >= 0 && i + step < n && level < x[i]) i += step;
    const double place = (double)i;
    return x[i] < level ? place - step * ((level - x[i]) / (x[i - step] - x[i])) : place;
}

static HaloStatus peaks_run(const void *how, const double *x, int64_t n, double rate, void *scratch,
                            HaloTable *table)
{
    HaloStatus status = HALO_OK;
    const Peaks *peaks = how;
    const Space space = space_of(scratch, n);
    find_bases(x, n, 1, space.peak, space.least);
    find_bases(x, n, -1, space.peak, space.behind);
    int64_t count = find_maxima(x, n, peaks->height, space.peak);
    if (peaks->distance > 1) HALO_TRY(keep_apart(x, peaks->distance, space.peak, &count));
    for (int64_t k = 0; k < count; k++) {
        const int64_t i = space.peak[k];
        const double base = space.least[i] > space.behind[i] ? space.least[i] : space.behind[i];
        const double prominence = x[i] - base, level = x[i] - 0.5 * prominence;
        const double width = crossing(x, n, i, 1, level) - crossing(x, n, i, -1, level);
        const double row[COLUMNS] = {(double)i, (double)i / rate, x[i], prominence, width};
        if (prominence >= peaks->prominence && width >= peaks->width) HALO_TRY(halo_table_add(table, row));
    }
out:
    return status;
}

static void describe(const void *how, char *text, size_t size)
{
    (void)how;
    snprintf(text, size, "find peaks");
}

static const HaloTableKind kind = {.name = "peaks",
                                   .columns = COLUMNS,
                                   .column = column,
                                   .ns = 10.0,
                                   .scratch = peaks_scratch,
                                   .describe = describe,
                                   .run = peaks_run};

static HaloStatus build_peaks(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Peaks *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    double least[PEAKS_KEYS];
    for (int k = 0; k < PEAKS_KEYS; k++) least[k] = arg[k].given ? arg[k].number : -INFINITY;
    *how = (Peaks){.height = least[PEAKS_HEIGHT],
                   .prominence = least[PEAKS_PROMINENCE],
                   .width = least[PEAKS_WIDTH],
                   .distance = arg[PEAKS_DISTANCE].given ? (int64_t)ceil(arg[PEAKS_DISTANCE].number) : 1};
    *out = in;
    HALO_TRY(halo_build_table(builder, in, &kind, how));
out:
    return status;
}

static const HaloParam param[] = {
    [PEAKS_HEIGHT] = {.key = "height",
                      .type = HALO_PARAM_LEVEL,
                      .preset = "",
                      .help = "least value of a peak, in units of the samples or percent of full scale"},
    [PEAKS_DISTANCE] = {.key = "distance",
                        .type = HALO_PARAM_LENGTH,
                        .preset = "",
                        .min = 1,
                        .max = 1e12,
                        .unit = "samples",
                        .help = "least distance of two peaks, such as 250ms: the greater one stays"},
    [PEAKS_PROMINENCE] = {.key = "prominence",
                          .type = HALO_PARAM_LEVEL,
                          .preset = "",
                          .help =
                              "how far the signal has to fall on both sides before it rises above the peak"},
    [PEAKS_WIDTH] = {.key = "width",
                     .type = HALO_PARAM_LENGTH,
                     .preset = "",
                     .min = 0,
                     .max = 1e12,
                     .unit = "samples",
                     .help = "least width at half of the prominence"},
};

const HaloOp halo_op_peaks = {.name = "peaks",
                              .help = "a table of local maxima: frame, time, value, prominence, width",
                              .known_as = "find_peaks maxima beats spikes detect",
                              .example = "peaks:prominence=0.1",
                              .kinds = HALO_AUDIO,
                              .result = true,
                              HALO_PARAMS(param),
                              .build = build_peaks};
