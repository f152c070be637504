/* fill: replaces NaN by what stands beside it, or by a number. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "gaps.h"
#include "halo/sequence.h"
#include "halo/text.h"
#include "ops.h"

enum { FILL_WITH };

typedef struct Linear {
    const int64_t *time; /* of the frames; NULL: they are evenly spaced */
    int64_t longest;     /* gap, in frames */
} Linear;

/* How far frame k is on the way from a to b, 0 to 1. */
static double part_of_way(const Linear *how, int64_t a, int64_t k, int64_t b)
{
    if (how->time == NULL || how->time[a] == how->time[b]) return (double)(k - a) / (double)(b - a);
    return (double)(how->time[k] - how->time[a]) / (double)(how->time[b] - how->time[a]);
}

/* Both sides of every gap. */
static HaloSpan linear_reads(const void *how, int k, const HaloShape *src, HaloSpan part)
{
    const int64_t longest = ((const Linear *)how)->longest;
    (void)k, (void)src;
    return (HaloSpan){part.from - longest, part.to + longest};
}

/* On a line between the known samples on both sides; before the first of them, and after the last, their value.
 */
static void run_linear(const void *how, const HaloSequencePart *part)
{
    const HaloSequenceLines *src = part->src[0];
    const int64_t from = src->from, to = src->to, first = part->dst->from, end = part->dst->to;
    const double *x = src->at[0] - from;
    double *y = part->dst->at[0] - first;
    int64_t known = from - 1;
    for (int64_t i = from; i <= to; i++) {
        if (i < to && isnan(x[i])) continue;
        for (int64_t k = known + 1 > first ? known + 1 : first; k < i && k < end; k++) {
            if (known >= from && i < to)
                y[k] = x[known] + part_of_way(how, known, k, i) * (x[i] - x[known]);
            else
                y[k] = known >= from ? x[known] : i < to ? x[i] : NAN;
        }
        if (i >= first && i < end) y[i] = x[i];
        known = i;
    }
}

typedef struct Last {
    double value;
    bool known;
} Last;

static int64_t last_bytes(const void *how, const HaloShape *src)
{
    (void)how, (void)src;
    return sizeof(Last);
}

/* NaN before the first known sample stays. */
static void run_previous(const void *how, const HaloSequencePart *part)
{
    const double *x = part->src[0]->at[0];
    double *y = part->dst->at[0];
    Last last = *(Last *)part->state;
    (void)how;
    for (int64_t i = 0; i < part->dst->to - part->dst->from; i++) {
        if (!isnan(x[i])) last = (Last){x[i], true};
        y[i] = last.known ? last.value : NAN;
    }
    *(Last *)part->state = last;
}

static void run_number(const void *how, const HaloSequencePart *part)
{
    const double *x = part->src[0]->at[0];
    for (int64_t i = 0; i < part->dst->to - part->dst->from; i++)
        part->dst->at[0][i] = isnan(x[i]) ? *(const double *)how : x[i];
}

static void describe_number(const void *how, char *text, size_t size)
{
    halo_snprintf(text, size, "NaN becomes %.6g", *(const double *)how);
}

static const HaloSequenceKind linear = {
    .name = "fill gaps linearly", .by_channel = true, .reads = linear_reads, .ns = 2.0, .run = run_linear};
static const HaloSequenceKind linear_at_once = {
    .name = "fill gaps linearly", .by_channel = true, .whole = true, .ns = 2.0, .run = run_linear};
static const HaloSequenceKind previous = {.name = "fill gaps with the sample before",
                                          .by_channel = true,
                                          .state = last_bytes,
                                          .ns = 2.0,
                                          .run = run_previous};
static const HaloSequenceKind number = {
    .name = "fill", .by_channel = true, .ns = 1.5, .describe = describe_number, .run = run_number};

static HaloStatus check_with(const char *where, const char *text)
{
    double value;
    if (strcmp(text, "linear") == 0 || strcmp(text, "previous") == 0 ||
        (halo_read_number(text, &value, NULL) && isfinite(value)))
        return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "%s: expected linear, previous or a number, found '%.40s'", where, text);
}

/* Of little all is kept; of more the longest gap is found first, in a pass of its own. */
static HaloStatus build_linear(HaloBuilder *builder, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    bool at_once;
    Linear *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    *how = (Linear){0};
    HALO_TRY(halo_build_uneven_times(builder, in, &how->time));
    HALO_TRY(gaps_find(builder, in, &at_once, &how->longest));
    HALO_TRY(halo_build_sequence(builder, in, at_once ? &linear_at_once : &linear, how, out));
out:
    return status;
}

static HaloStatus build_fill(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const char *with = arg[FILL_WITH].text;
    double *value = halo_build_keep(builder, sizeof *value);
    if (value == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (strcmp(with, "previous") == 0) HALO_TRY(halo_build_rising(builder, in));
    if (strcmp(with, "linear") == 0)
        HALO_TRY(build_linear(builder, in, out));
    else if (strcmp(with, "previous") == 0)
        HALO_TRY(halo_build_sequence(builder, in, &previous, value, out));
    else if (halo_read_number(with, value, NULL))
        HALO_TRY(halo_build_sequence(builder, in, &number, value, out));
out:
    return status;
}

static const HaloParam fill_param[] = {
    [FILL_WITH] = {.key = "with",
                   .type = HALO_PARAM_TEXT,
                   .preset = "linear",
                   .check = check_with,
                   .help = "linear: on a line between the known samples, over time, at the ends the nearest of "
                           "them; previous: the "
                           "known sample before, NaN where there is none; or a number"},
};

const HaloOp halo_op_fill = {.name = "fill",
                             .help = "replace NaN, such as the gaps of a table",
                             .known_as = "fillna interpolate ffill gaps missing nan",
                             .example = "fill:linear",
                             .kinds = HALO_AUDIO,
                             HALO_PARAMS(fill_param),
                             .build = build_fill};
