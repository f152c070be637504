/* stats, hist, scan and integral: the whole image or recording. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/text.h"
#include "ops.h"
#include "regions.h"

/* ---- samples that are selected --------------------------------------------------------------------------- */

/* selection->by: -1 where all samples are measured. */
static HaloStatus select_samples(HaloBuilder *builder, const char *op, const HaloValue *mask,
                                 const HaloValue *labels, HaloReg in, HaloSelection *selection)
{
    HaloStatus status = HALO_OK;
    *selection = (HaloSelection){.by = -1, .each = labels->given};
    if (!mask->given && !labels->given) return HALO_OK;
    if (mask->given && labels->given)
        HALO_FAIL(HALO_ERR_USAGE,
                  "%s: mask and labels are mutually exclusive: a mask of the labels is "
                  "[multiply:…]",
                  op);
    if (halo_build_shape(builder, in)->kind != HALO_IMAGE)
        HALO_FAIL(HALO_ERR_INPUT, "%s: mask and labels are for pictures; trim and crop cut sound", op);
    HALO_TRY(halo_build_source(builder, mask->given ? mask : labels, in, HALO_FIT_SIZE, &selection->by));
    HALO_TRY(regions_source(builder, mask->given ? "mask=" : "labels=", selection->by, true, &selection->by));
out:
    return status;
}

#define MASK_PARAM(index)                                                                                    \
    [index] = {.key = "mask",                                                                                \
               .type = HALO_PARAM_SOURCE,                                                                    \
               .preset = "",                                                                                 \
               .help = "picture of one channel: only samples are measured where it is not 0; a file, or [a " \
                       "pipeline]"}
#define LABELS_PARAM(index, rows)                                                                            \
    [index] = {.key = "labels",                                                                              \
               .type = HALO_PARAM_SOURCE,                                                                    \
               .preset = "",                                                                                 \
               .help = "picture of one channel with the number of a region, as label makes it: " rows "; a " \
                       "file, or [a pipeline]"}

/* ---- stats ----------------------------------------------------------------------------------------------- */

enum { STATS_PERCENTILES, STATS_FULL, STATS_PRODUCT, STATS_MASK, STATS_LABELS };

/* "1, 50 99.5": numbers from 0 to 100, apart by commas or blanks. */
static HaloStatus read_percentiles(const char *where, const char *text, HaloDetail *detail)
{
    detail->percents = 0;
    if (strcmp(text, "none") == 0) return HALO_OK;
    for (const char *at = text;;) {
        const char *end;
        double percent;
        at += strspn(at, " \t,");
        if (*at == 0 && detail->percents > 0) return HALO_OK;
        if (!halo_read_number(at, &percent, &end) || !(percent >= 0 && percent <= 100) ||
            (*end != 0 && strchr(" \t,", *end) == NULL))
            return halo_fail(HALO_ERR_USAGE,
                             "%s: expected numbers from 0 to 100, such as \"1,50,99\", found '%.40s'", where,
                             at);
        if (detail->percents == HALO_MAX_PERCENTS)
            return halo_fail(HALO_ERR_USAGE, "%s: more than %d at a time", where, HALO_MAX_PERCENTS);
        detail->percent[detail->percents++] = percent;
        at = end;
    }
}

static HaloStatus check_percentiles(const char *where, const char *text)
{
    HaloDetail detail;
    return read_percentiles(where, text, &detail);
}

/* A series is described by its percentiles. They need all samples at once, so that beside an output, which may
 * be a stream, there are none. */
static bool describes(const HaloBuilder *builder, HaloReg in)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    return shape->kind == HALO_AUDIO && shape->numbers && halo_build_only_measures(builder);
}

static HaloStatus build_stats(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloDetail detail = {.full = arg[STATS_FULL].integer != 0, .percents = 5, .percent = {1, 25, 50, 75, 99}};
    HaloSelection selection;
    *out = in;
    if (arg[STATS_PERCENTILES].given) {
        HALO_TRY(read_percentiles("stats: percentiles", arg[STATS_PERCENTILES].text, &detail));
    } else if (!detail.full && !describes(builder, in)) {
        detail.percents = 0;
    }
    const unsigned want = arg[STATS_PRODUCT].integer ? HALO_WANT_ALL : HALO_WANT_ALL & ~HALO_WANT_PRODUCT;
    const HaloDetail *wanted = detail.full || detail.percents > 0 ? &detail : NULL;
    HALO_TRY(select_samples(builder, "stats", &arg[STATS_MASK], &arg[STATS_LABELS], in, &selection));
    status = selection.by >= 0 ? halo_build_stats_of(builder, in, &selection, want, wanted)
                               : halo_build_stats(builder, in, want, wanted);
out:
    return status;
}

/* ---- hist ------------------------------------------------------------------------------------------------ */

enum { HIST_BINS, HIST_MIN, HIST_MAX, HIST_MASK, HIST_LABELS };

static HaloStatus build_hist(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const double lo = arg[HIST_MIN].given ? arg[HIST_MIN].number : (double)NAN;
    const double hi = arg[HIST_MAX].given ? arg[HIST_MAX].number : (double)NAN;
    const int64_t bins = arg[HIST_BINS].given ? arg[HIST_BINS].integer : 0;
    HaloStatus status = HALO_OK;
    HaloSelection selection;
    *out = in;
    if (lo >= hi) HALO_FAIL(HALO_ERR_USAGE, "hist: min %g has to be below max %g", lo, hi);
    HALO_TRY(select_samples(builder, "hist", &arg[HIST_MASK], &arg[HIST_LABELS], in, &selection));
    status = selection.by >= 0 ? halo_build_hist_of(builder, in, &selection, bins, lo, hi)
                               : halo_build_hist(builder, in, bins, lo, hi);
out:
    return status;
}

/* ---- scan ------------------------------------------------------------------------------------------------ */

enum { SCAN_OP, SCAN_AXIS, SCAN_EXCLUSIVE };

static HaloStatus build_scan(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    static const HaloScanOp op[] = {HALO_SCAN_SUM, HALO_SCAN_MIN, HALO_SCAN_MAX, HALO_SCAN_PRODUCT};
    static const HaloScanAxis axis[] = {HALO_AXIS_XY, HALO_AXIS_X, HALO_AXIS_Y};
    HaloScan scan = {.op = op[arg[SCAN_OP].integer],
                     .axis = axis[arg[SCAN_AXIS].integer],
                     .exclusive = arg[SCAN_EXCLUSIVE].integer != 0};
    if (halo_build_shape(builder, in)->kind == HALO_AUDIO) {
        if (scan.axis == HALO_AXIS_Y) return halo_fail(HALO_ERR_USAGE, "scan: audio has no axis y");
        scan.axis = HALO_AXIS_X;
    }
    return halo_build_scan(builder, in, &scan, out);
}

static const HaloParam stats_param[] = {
    [STATS_PERCENTILES] =
        {.key = "percentiles",
         .type = HALO_PARAM_TEXT,
         .list = INT_MAX,
         .preset = "",
         .help = "percentiles to compute, up to 16, each from 0 to 100, or none; default: those of full for a "
                 "series without an output, else none",
         .check = check_percentiles},
    [STATS_FULL] = {.key = "full",
                    .type = HALO_PARAM_SWITCH,
                    .preset = "0",
                    .help = "also skewness, kurtosis, entropy and the percentiles 1, 25, 50, 75 and 99"},
    [STATS_PRODUCT] = {.key = "product",
                       .type = HALO_PARAM_SWITCH,
                       .preset = "0",
                       .help = "also the product of all samples"},
    MASK_PARAM(STATS_MASK),
    LABELS_PARAM(STATS_LABELS, "a row of statistics for each"),
};

static HaloStatus build_integral(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const HaloScan scan = {.op = arg[0].integer ? HALO_SCAN_SQUARES : HALO_SCAN_SUM, .axis = HALO_AXIS_XY};
    return halo_build_scan(builder, in, &scan, out);
}

static const HaloParam hist_param[] = {
    {.key = "bins",
     .type = HALO_PARAM_INTEGER,
     .preset = "",
     .min = 1,
     .max = HALO_MAX_BINS,
     .help = "number of bins; default 256, or 65536 for 16 bits"},
    {.key = "min",
     .type = HALO_PARAM_LEVEL,
     .preset = "",
     .help =
         "lower end of the first bin; default 0, for sound -1, for float images and series the finite minimum"},
    {.key = "max",
     .type = HALO_PARAM_LEVEL,
     .preset = "",
     .help =
         "upper end of the last bin; default 256 or 65536, for sound 1, for float images and series the finite "
         "maximum"},
    MASK_PARAM(HIST_MASK),
    LABELS_PARAM(HIST_LABELS, "a histogram for each"),
};

static const HaloParam scan_param[] = {
    {.key = "op",
     .type = HALO_PARAM_CHOICE,
     .preset = "sum",
     .choices = "sum|min|max|product",
     .help = "operation that accumulates the samples"},
    {.key = "axis",
     .type = HALO_PARAM_CHOICE,
     .preset = "xy",
     .choices = "xy|x|y",
     .help = "along rows, columns, or both (integral image); on audio along time"},
    {.key = "exclusive", .type = HALO_PARAM_SWITCH, .preset = "0", .help = "exclude the sample itself"},
};

const HaloOp halo_op_stats = {
    .name = "stats",
    .help =
        "minimum, maximum, sum, mean, standard deviation, percentiles … of every channel; loudness of sound",
    .synonyms = "statistics",
    .known_as = "mean min max sum stat astats volumedetect peaks percentile",
    .example = "stats",
    .kinds = HALO_IMAGE | HALO_AUDIO,
    .result = true,
    HALO_PARAMS(stats_param),
    .build = build_stats};

const HaloOp halo_op_hist = {.name = "hist",
                             .help = "histogram of every channel",
                             .synonyms = "histogram",
                             .example = "hist:bins=64",
                             .kinds = HALO_IMAGE | HALO_AUDIO,
                             .result = true,
                             HALO_PARAMS(hist_param),
                             .build = build_hist};

const HaloOp halo_op_scan = {.name = "scan",
                             .help = "cumulative (prefix) sums, minima, maxima or products",
                             .known_as = "cumsum prefix accumulate cumulative integrate",
                             .example = "scan:op=sum,axis=xy",
                             .upright = true,
                             .kinds = HALO_IMAGE | HALO_AUDIO,
                             HALO_PARAMS(scan_param),
                             .build = build_scan};

static const HaloParam integral_param[] = {
    {.key = "squares", .type = HALO_PARAM_SWITCH, .preset = "0", .help = "sum the squares of the samples"},
};

const HaloOp halo_op_integral = {.name = "integral",
                                 .help = "integral image: the sum of all samples above and to the left",
                                 .known_as = "sat summed",
                                 .example = "integral",
                                 .upright = true,
                                 .kinds = HALO_IMAGE,
                                 HALO_PARAMS(integral_param),
                                 .build = build_integral};
