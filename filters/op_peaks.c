/* peaks: local maxima of sound and series, as scipy.signal.find_peaks has them; and of pictures (maxima.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "filter.h"
#include "halo/table.h"
#include "maxima.h"
#include "ops.h"
#include "regions.h"

enum { PEAKS_HEIGHT, PEAKS_DISTANCE, PEAKS_PROMINENCE, PEAKS_WIDTH, PEAKS_THRESHOLD, PEAKS_BORDER, PEAKS_KEYS };
enum { COLUMN_FRAME, COLUMN_TIME, COLUMN_VALUE, COLUMN_PROMINENCE, COLUMN_WIDTH, COLUMNS };
static const char *const column[COLUMNS] = {"frame", "time", "value", "prominence", "width"};

typedef struct Peaks {
    double height, prominence, width; /* at least; -inf: any */
    int64_t distance;
} Peaks;

/* A peak, and the greater one of the least samples on its two sides, each up to a greater sample. */
typedef struct Peak {
    int64_t frame;
    double base;
} Peak;

/* A maximum whose samples behind it have not risen above it yet. */
typedef struct Open {
    double value;
    double before;  /* the least sample from the last greater one before it on, */
    double behind;  /* and up to the next open one, or up to here */
    int64_t number; /* of the peak; -1: it is too low to be one */
} Open;

/* Open maxima, each no greater than the one below it. The first stands for the beginning. */
typedef struct Search {
    const HaloTableLine *line;
    Peak *peak; /* [peaks], in order */
    int64_t peaks, peak_capacity;
    Open *open; /* [depth] */
    int64_t depth, open_capacity;
} Search;

static const Open beginning = {(double)INFINITY, (double)INFINITY, (double)INFINITY, -1};

static double sample_at(const Search *search, int64_t i) { return halo_table_sample(search->line, i); }

static void search_free(Search *search)
{
    free(search->peak);
    free(search->open);
}

static HaloStatus add_peak(Search *search, int64_t frame)
{
    if (search->peaks == search->peak_capacity) {
        const int64_t more = search->peaks + search->peaks / 2 + 64;
        Peak *grown = realloc(search->peak, (size_t)more * sizeof *grown);
        if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to find peaks");
        search->peak = grown;
        search->peak_capacity = more;
    }
    search->peak[search->peaks++] = (Peak){.frame = frame};
    return HALO_OK;
}

static HaloStatus add_open(Search *search, Open open)
{
    if (search->depth == search->open_capacity) {
        const int64_t more = 2 * search->depth + 64;
        Open *grown = realloc(search->open, (size_t)more * sizeof *grown);
        if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to find peaks");
        search->open = grown;
        search->open_capacity = more;
    }
    search->open[search->depth++] = open;
    return HALO_OK;
}

/* ---- maxima --------------------------------------------------------------------------------------------- */

/* What comes after the last open maximum is greater: both its sides are known. */
static void close_last(Search *search)
{
    const Open *last = &search->open[--search->depth];
    Open *below = &search->open[search->depth - 1];
    if (last->number >= 0) search->peak[last->number].base = fmax(last->before, last->behind);
    below->behind = fmin(below->behind, last->behind);
}

static HaloStatus open_maximum(Search *search, int64_t frame, double value, double height)
{
    HaloStatus status = HALO_OK;
    while (search->open[search->depth - 1].value < value) close_last(search);
    const Open *last = &search->open[search->depth - 1];
    Open open = {.value = value, .before = last->behind, .behind = value, .number = -1};
    if (last->value == value) open.before = fmin(open.before, last->before);
    if (value >= height) {
        open.number = search->peaks;
        HALO_TRY(add_peak(search, frame));
    }
    HALO_TRY(add_open(search, open));
out:
    return status;
}

/* At a NaN, and at the end: nothing there is related to what comes behind. */
static void close_all(Search *search)
{
    while (search->depth > 1) close_last(search);
    search->open[0] = beginning;
}

/* Samples greater than both neighbours; of equal ones side by side the middle, or left of the middle. */
static HaloStatus find_maxima(Search *search, double height)
{
    HaloStatus status = HALO_OK;
    int64_t rise = -1; /* the first of equal samples that are greater than the one before */
    HALO_TRY(add_open(search, beginning));
    for (int64_t i = 0; i < search->line->frames; i++) {
        const double v = sample_at(search, i), before = i > 0 ? sample_at(search, i - 1) : (double)NAN;
        if (rise >= 0 && v < before) HALO_TRY(open_maximum(search, (rise + i - 1) / 2, before, height));
        rise = before < v ? i : v == before ? rise : -1;
        Open *last = &search->open[search->depth - 1];
        if (isnan(v))
            close_all(search);
        else if (v < last->behind)
            last->behind = v;
    }
    close_all(search);
out:
    return status;
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
static HaloStatus keep_apart(Search *search, int64_t distance)
{
    HaloStatus status = HALO_OK;
    Peak *peak = search->peak;
    const int64_t count = search->peaks;
    Ranked *ranked = malloc((size_t)(count + 1) * sizeof *ranked);
    bool *dropped = calloc((size_t)count + 1, sizeof *dropped);
    if (ranked == NULL || dropped == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to find peaks");
    for (int64_t k = 0; k < count; k++) ranked[k] = (Ranked){sample_at(search, peak[k].frame), k};
    qsort(ranked, (size_t)count, sizeof *ranked, by_value);
    for (int64_t r = 0; r < count; r++) {
        const int64_t k = ranked[r].number;
        if (dropped[k]) continue;
        for (int64_t i = k - 1; i >= 0 && peak[k].frame - peak[i].frame < distance; i--) dropped[i] = true;
        for (int64_t i = k + 1; i < count && peak[i].frame - peak[k].frame < distance; i++) dropped[i] = true;
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++)
        if (!dropped[k]) peak[kept++] = peak[k];
    search->peaks = kept;
out:
    free(ranked);
    free(dropped);
    return status;
}

/* ---- width ---------------------------------------------------------------------------------------------- */

/* Where the line through the samples first falls to `level`, going from i by `step`. */
static double crossing(const Search *search, int64_t i, int step, double level)
{
    double v = sample_at(search, i), last = v;
    while (i + step >= 0 && i + step < search->line->frames && level < v) {
        i += step;
        last = v;
        v = sample_at(search, i);
    }
    const double place = (double)i;
    return v < level ? place - step * ((level - v) / (last - v)) : place;
}

static HaloStatus peaks_run(const void *how, const HaloTableLine *line, const HaloTableLine *other,
                            HaloTable *table)
{
    HaloStatus status = HALO_OK;
    const Peaks *peaks = how;
    Search search = {.line = line};
    (void)other;
    HALO_TRY(find_maxima(&search, peaks->height));
    if (peaks->distance > 1) HALO_TRY(keep_apart(&search, peaks->distance));
    for (int64_t k = 0; k < search.peaks; k++) {
        const int64_t i = search.peak[k].frame;
        const double value = sample_at(&search, i), prominence = value - search.peak[k].base;
        if (!(prominence >= peaks->prominence)) continue;
        const double level = value - 0.5 * prominence;
        const double width = crossing(&search, i, 1, level) - crossing(&search, i, -1, level);
        const double row[COLUMNS] = {(double)i, (double)i / line->rate, value, prominence, width};
        if (width >= peaks->width) HALO_TRY(halo_table_add(table, row));
    }
out:
    search_free(&search);
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
                                   .bytes = 16.0,
                                   .fewer = "height= or prominence= keeps fewer",
                                   .describe = describe,
                                   .run = peaks_run};

/* ---- the operation -------------------------------------------------------------------------------------- */

static const bool of_pictures[PEAKS_KEYS] = {
    [PEAKS_WIDTH] = true, [PEAKS_THRESHOLD] = true, [PEAKS_BORDER] = true};
static const HaloParam param[PEAKS_KEYS];

static HaloStatus check_keys(const HaloValue *arg, bool sound)
{
    for (int k = 0; k < PEAKS_KEYS; k++)
        if (arg[k].given && k != PEAKS_WIDTH && of_pictures[k] == sound)
            return halo_fail(HALO_ERR_USAGE, "peaks: %s= is for %s; %s have %s", param[k].key,
                             sound ? "pictures" : "sound", sound ? "sound and series" : "pictures",
                             sound ? "height=, distance=, prominence= and width="
                                   : "width=, threshold= and border=");
    return HALO_OK;
}

#define DEFAULT_WINDOW 9

static HaloStatus build_of_picture(HaloBuilder *builder, const HaloValue *arg, HaloReg in)
{
    HaloStatus status = HALO_OK;
    Maxima how = {.width = DEFAULT_WINDOW, .threshold = (double)NAN, .border = arg[PEAKS_BORDER].integer};
    if (arg[PEAKS_WIDTH].given) HALO_TRY(filter_samples("peaks: width", &arg[PEAKS_WIDTH], &how.width));
    if (how.width % 2 == 0)
        HALO_FAIL(HALO_ERR_USAGE,
                  "peaks: width has to be an odd number, so that a window has a middle, not %lld",
                  (long long)how.width);
    if (arg[PEAKS_THRESHOLD].given) how.threshold = arg[PEAKS_THRESHOLD].number;
    HALO_TRY(regions_colours(builder, in, &in));
    HALO_TRY(maxima_append(builder, &how, in));
out:
    return status;
}

static HaloStatus build_of_sound(HaloBuilder *builder, const HaloValue *arg, HaloReg in)
{
    Peaks *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    double least[PEAKS_KEYS];
    for (int k = 0; k < PEAKS_KEYS; k++) least[k] = arg[k].given ? arg[k].number : -INFINITY;
    *how = (Peaks){.height = least[PEAKS_HEIGHT],
                   .prominence = least[PEAKS_PROMINENCE],
                   .width = least[PEAKS_WIDTH],
                   .distance = arg[PEAKS_DISTANCE].given ? (int64_t)ceil(arg[PEAKS_DISTANCE].number) : 1};
    return halo_build_table(builder, in, &kind, how);
}

static HaloStatus build_peaks(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const bool sound = halo_build_shape(builder, in)->kind == HALO_AUDIO;
    *out = in;
    HALO_TRY(check_keys(arg, sound));
    HALO_TRY(sound ? build_of_sound(builder, arg, in) : build_of_picture(builder, arg, in));
out:
    return status;
}

static const HaloParam param[PEAKS_KEYS] = {
    [PEAKS_HEIGHT] = {.key = "height",
                      .type = HALO_PARAM_LEVEL,
                      .preset = "",
                      .help =
                          "of sound: least value of a peak, in units of the samples or percent of full scale"},
    [PEAKS_DISTANCE] = {.key = "distance",
                        .type = HALO_PARAM_LENGTH,
                        .preset = "",
                        .min = 1,
                        .max = 1e12,
                        .unit = "samples",
                        .help = "of sound: least distance of two peaks, such as 250ms: the greater one stays"},
    [PEAKS_PROMINENCE] = {.key = "prominence",
                          .type = HALO_PARAM_LEVEL,
                          .preset = "",
                          .help =
                              "of sound: how far it has to fall on both sides before it rises above the peak"},
    [PEAKS_WIDTH] = {.key = "width",
                     .type = HALO_PARAM_LENGTH,
                     .preset = "",
                     .min = 0,
                     .max = 1e12,
                     .unit = "samples",
                     .help =
                         "of sound: least width at half of the prominence; of pictures: side of the window, an "
                         "odd number of pixels, in whose middle a peak is the greatest sample; default: 9"},
    [PEAKS_THRESHOLD] = {.key = "threshold",
                         .type = HALO_PARAM_LEVEL,
                         .preset = "",
                         .help = "of pictures: peaks are greater than this; default: than the least sample"},
    [PEAKS_BORDER] = {.key = "border",
                      .type = HALO_PARAM_INTEGER,
                      .preset = "0",
                      .min = 0,
                      .max = HALO_MASK_MAX_SIDE,
                      .unit = "pixels",
                      .help = "of pictures: peaks so close to its sides are left out"},
};

const HaloOp halo_op_peaks = {
    .name = "peaks",
    .help = "a table of local maxima: frame, time, value, prominence, width; of pictures x, "
            "y, value",
    .known_as = "find_peaks peak_local_max maxima beats spikes detect spots stars",
    .example = "peaks:width=9",
    .kinds = HALO_AUDIO | HALO_IMAGE,
    .result = true,
    HALO_PARAMS(param),
    .build = build_peaks};
