/* resample: series at evenly spaced times, whatever those of the input are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "gaps.h"
#include "halo/sequence.h"
#include "halo/text.h"
#include "ops.h"

enum { RESAMPLE_EVERY, RESAMPLE_HOW };
enum { HOW_LINEAR, HOW_MEAN };

/* Frame j of the result is at grid.start + j * grid.span. */
typedef struct Resample {
    const HaloFrameTimes *times; /* rising */
    int64_t frames, width;
    int64_t longest; /* gap of NaN, in frames */
    HaloSpacing grid;
    double rate, scale, offset; /* scale, offset: of places, where the input's times are evenly spaced, too */
} Resample;

static int64_t source_time(const Resample *how, int64_t k) { return halo_frame_time(how->times, k); }
static int64_t time_at(const Resample *how, int64_t j) { return how->grid.start + j * how->grid.span; }

static int64_t frame_from(const Resample *how, int64_t time)
{
    return halo_frame_from(how->times, how->frames, time);
}

static HaloStatus shape_of(const void *parameters, const HaloShape *src, HaloShape *dst)
{
    const Resample *how = parameters;
    (void)src;
    dst->width = how->width;
    dst->rate = how->rate;
    return HALO_OK;
}

static void moves(const void *parameters, HaloMove *move)
{
    const Resample *how = parameters;
    move->times = &how->grid;
    move->scale[0] = how->scale;
    move->offset[0] = how->offset;
}

/* ---- mean of each interval ------------------------------------------------------------------------------ */

static HaloSpan mean_reads(const void *how, int k, const HaloShape *src, HaloSpan part)
{
    (void)k, (void)src;
    return (HaloSpan){frame_from(how, time_at(how, part.from)), frame_from(how, time_at(how, part.to))};
}

static void run_mean(const void *parameters, const HaloSequencePart *part)
{
    const Resample *how = parameters;
    const HaloSequenceLines *src = part->src[0];
    int64_t k = frame_from(how, time_at(how, part->dst->from));
    for (int64_t j = part->dst->from; j < part->dst->to; j++) {
        const int64_t end = time_at(how, j + 1);
        double sum = 0, count = 0;
        for (; k < how->frames && source_time(how, k) < end; k++) {
            const double value = src->at[0][k - src->from];
            if (isnan(value)) continue;
            sum += value;
            count++;
        }
        part->dst->at[0][j - part->dst->from] = count > 0 ? sum / count : NAN;
    }
}

/* ---- between neighbours --------------------------------------------------------------------------------- */

/* The known frames before and behind each time, over any gap. */
static HaloSpan linear_reads(const void *parameters, int k, const HaloShape *src, HaloSpan part)
{
    const Resample *how = parameters;
    const int64_t beside = how->longest + 1;
    (void)k, (void)src;
    return (HaloSpan){frame_from(how, time_at(how, part.from)) - beside,
                      frame_from(how, time_at(how, part.to - 1) + 1) + beside};
}

/* The first known frame from k on, or the end of those that are there. */
static int64_t next_known(const HaloSequenceLines *src, int64_t k)
{
    while (k < src->to && isnan(src->at[0][k - src->from])) k++;
    return k;
}

/* Frames a and b are the known ones round each time: time[a] <= t < time[b]. */
static void run_linear(const void *parameters, const HaloSequencePart *part)
{
    const Resample *how = parameters;
    const HaloSequenceLines *src = part->src[0];
    const double *x = src->at[0] - src->from;
    int64_t a = -1, b = next_known(src, src->from), time_a = 0, time_b = b < src->to ? source_time(how, b) : 0;
    for (int64_t j = part->dst->from; j < part->dst->to; j++) {
        const int64_t t = time_at(how, j);
        while (b < src->to && time_b <= t) {
            a = b;
            time_a = time_b;
            b = next_known(src, b + 1);
            if (b < src->to) time_b = source_time(how, b);
        }
        double value = NAN;
        if (a >= 0 && time_a == t)
            value = x[a];
        else if (a >= 0 && b < src->to)
            value = x[a] + (double)(t - time_a) / (double)(time_b - time_a) * (x[b] - x[a]);
        part->dst->at[0][j - part->dst->from] = value;
    }
}

static void describe(const char *what, const Resample *how, char *text, size_t size)
{
    halo_snprintf(text, size, "%s every %.9g s", what, 1e-9 * (double)how->grid.span);
}

static void describe_mean(const void *how, char *text, size_t size)
{
    describe("the mean of", how, text, size);
}
static void describe_linear(const void *how, char *text, size_t size)
{
    describe("linear interpolation", how, text, size);
}

static const HaloSequenceKind mean = {.name = "mean of intervals",
                                      .by_channel = true,
                                      .shape = shape_of,
                                      .reads = mean_reads,
                                      .moves = moves,
                                      .ns = 4.0,
                                      .describe = describe_mean,
                                      .run = run_mean};
static const HaloSequenceKind linear = {.name = "interpolate",
                                        .by_channel = true,
                                        .shape = shape_of,
                                        .reads = linear_reads,
                                        .moves = moves,
                                        .ns = 6.0,
                                        .describe = describe_linear,
                                        .run = run_linear};
static const HaloSequenceKind linear_at_once = {.name = "interpolate",
                                                .by_channel = true,
                                                .whole = true,
                                                .shape = shape_of,
                                                .moves = moves,
                                                .ns = 6.0,
                                                .describe = describe_linear,
                                                .run = run_linear};

/* ---- the operation -------------------------------------------------------------------------------------- */

/* "1s", "500ms", "5min", "1h", "1d"; a number without a unit is of seconds. In nanoseconds; 0: it is none. */
static int64_t read_interval(const char *text)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1},     {"s", 1},     {"ms", 1e-3},   {"us", 1e-6}, {"min", 60},
                 {"h", 3600}, {"d", 86400}, {"day", 86400}, {"w", 604800}};
    double number;
    const char *unit;
    if (!halo_read_number(text, &number, &unit)) return 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0 && number * units[i].seconds < 9e9)
            return (int64_t)rint(number * units[i].seconds * 1e9);
    return 0;
}

static HaloStatus check_every(const char *where, const char *text)
{
    if (read_interval(text) > 0) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "%s: expected an interval such as 1s, 500ms, 5min, 1h or 1d, found '%.40s'", where, text);
}

static int64_t floor_divided(int64_t value, int64_t by) { return value / by - (value % by < 0); }

/* The grid goes through midnight of the first day. Intervals begin on it; between neighbours it stays within
 * the times that there are. */
static HaloStatus set_grid(Resample *how, int64_t origin, bool whole_intervals)
{
    const int64_t every = how->grid.span, first = source_time(how, 0), last = source_time(how, how->frames - 1);
    int64_t j = floor_divided(first - origin, every);
    if (!whole_intervals && origin + j * every < first) j++;
    how->grid.start = origin + j * every;
    how->width = floor_divided(last - how->grid.start, every) + 1;
    if (how->width >= 1) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT,
                     "resample: no multiple of the interval lies between the first and the last time");
}

/* Row k is before the one before it: do all rows run backwards, or are they in no order? */
static HaloStatus refuse_times(const Resample *how, int64_t k)
{
    bool falls = true;
    for (int64_t i = 1; i < how->frames && falls; i++) falls = source_time(how, i) <= source_time(how, i - 1);
    return halo_fail(HALO_ERR_INPUT,
                     "resample: times have to rise, and that of row %lld is before the one of row %lld; %s",
                     (long long)k + 1, (long long)k,
                     falls ? "reverse turns a series that runs backwards"
                           : "others rise: sort the rows by their times first");
}

static HaloStatus check_times(const Resample *how)
{
    const int64_t checked = halo_frames_are_even(how->times) && how->frames > 2 ? 2 : how->frames;
    for (int64_t k = 1; k < checked; k++)
        if (source_time(how, k) < source_time(how, k - 1)) return refuse_times(how, k);
    return HALO_OK;
}

static HaloStatus build_resample(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const bool by_mean = arg[RESAMPLE_HOW].integer == HOW_MEAN;
    bool at_once = false;
    int64_t origin;
    *out = in;
    if (halo_build_endless(builder, in)) {
        halo_build_wants_length(builder);
        return HALO_OK;
    }
    Resample *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *how = (Resample){.frames = halo_build_shape(builder, in)->width};
    how->grid = (HaloSpacing){.span = read_interval(arg[RESAMPLE_EVERY].text), .steps = 1};
    HALO_TRY(halo_build_times(builder, in, &how->times, &origin));
    HALO_TRY(check_times(how));
    HALO_TRY(set_grid(how, origin, by_mean));
    if (how->width > (int64_t)1 << 36)
        HALO_FAIL(HALO_ERR_LIMIT,
                  "resample: %s between the first and the last time, %.6g days apart, gives %lld frames, and "
                  "%lld are the most: use a longer interval, or trim away what lies far from the others",
                  arg[RESAMPLE_EVERY].text,
                  1e-9 / 86400 * (double)(source_time(how, how->frames - 1) - source_time(how, 0)),
                  (long long)how->width, (long long)1 << 36);
    how->rate = 1e9 / (double)how->grid.span;
    const double step = how->frames > 1 ? (double)(source_time(how, how->frames - 1) - source_time(how, 0)) /
                                              (double)(how->frames - 1)
                                        : 0;
    how->scale = step > 0 ? step / (double)how->grid.span : 1.0;
    how->offset = (double)(source_time(how, 0) - how->grid.start) / (double)how->grid.span;
    if (!by_mean) HALO_TRY(gaps_find(builder, in, &at_once, &how->longest));
    HALO_TRY(halo_build_sequence(builder, in, by_mean ? &mean : at_once ? &linear_at_once : &linear, how, out));
out:
    return status;
}

static const HaloParam resample_param[] = {
    [RESAMPLE_EVERY] =
        {.key = "every",
         .type = HALO_PARAM_TEXT,
         .check = check_every,
         .help = "the interval between two frames of the result: 1s, 500ms, 5min, 1h, 1d; the times are "
                 "multiples of it since midnight of the first day"},
    [RESAMPLE_HOW] = {.key = "how",
                      .type = HALO_PARAM_CHOICE,
                      .preset = "linear",
                      .choices = "linear|mean",
                      .help =
                          "linear: on a line between the known samples before and after; mean: of those in the "
                          "interval that begins with the frame, NaN where there are none"},
};

const HaloOp halo_op_resample = {
    .name = "resample",
    .help = "a series at evenly spaced times, from rows at any times; for sound use rate",
    .known_as = "asfreq interpolate regular grid downsample time bins",
    .example = "resample:1s",
    .kinds = HALO_AUDIO,
    HALO_PARAMS(resample_param),
    .build = build_resample};
