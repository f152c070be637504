/* trim and reverse: a part of a sound, or all of it backwards, every sample as it was. */
#include "ops.h"
#include "times.h"

static HaloStatus gather(HaloBuilder *builder, HaloReg in, int64_t from, int64_t length, int64_t step,
                         HaloReg *out)
{
    const HaloGather how = {
        .width = length, .height = 1, .x0 = from, .step_x = step, .step_y = 1, .border = HALO_BORDER_ZERO};
    return halo_build_gather(builder, in, &how, out);
}

/* ---- trim ----------------------------------------------------------------------------------------------- */

enum { TRIM_PART, TRIM_LENGTH };

/* Nothing lies between the two: of dates the rows say why. */
static HaloStatus refuse_order(const Time *part, int64_t from, int64_t to)
{
    if (from == to && part[0].moment != HALO_MOMENT_NONE && part[1].moment != HALO_MOMENT_NONE)
        return halo_fail(HALO_ERR_INPUT, "trim: no row has a time from '%.*s' on and before '%.*s'",
                         (int)part[0].length, part[0].text, (int)part[1].length, part[1].text);
    if (from == to)
        return halo_fail(HALO_ERR_INPUT,
                         "trim: no frame lies between the beginning and the end: both are frame %lld",
                         (long long)from);
    return halo_fail(HALO_ERR_INPUT, "trim: the end, frame %lld, is before the beginning, frame %lld",
                     (long long)to, (long long)from);
}

static HaloStatus build_trim(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    const int64_t all = shape->width;
    Time part[2] = {0}, length;
    int count, one;
    int64_t from, to = all, frames;
    *out = in;
    HALO_TRY(times_read("trim: part", arg[TRIM_PART].text, 2, part, &count));
    HALO_TRY(times_place(builder, "trim: part", in, &part[0], &from));
    if (count == 2 && arg[TRIM_LENGTH].given)
        HALO_FAIL(HALO_ERR_USAGE, "trim: give either the end or the length, not both");
    if (count == 2) HALO_TRY(times_place(builder, "trim: part", in, &part[1], &to));
    if (arg[TRIM_LENGTH].given) {
        HALO_TRY(times_read("trim: length", arg[TRIM_LENGTH].text, 1, &length, &one));
        HALO_TRY(times_frames("trim: length", &length, shape->rate, &frames));
        to = from + frames;
    }
    if (part[0].waits || part[1].waits) return HALO_OK; /* the plan will be made again */
    if (to <= from && (count == 2 || arg[TRIM_LENGTH].given)) HALO_TRY(refuse_order(part, from, to));
    if (from >= all && part[0].moment != HALO_MOMENT_NONE)
        HALO_FAIL(HALO_ERR_INPUT, "trim: no row has a time from '%.*s' on", (int)part[0].length, part[0].text);
    if (from >= all)
        HALO_FAIL(HALO_ERR_INPUT,
                  "trim: the beginning, frame %lld, is after the last of %lld frames, which last %.6g s",
                  (long long)from, (long long)all, (double)all / shape->rate);
    if (to > all) to = all;
    if (from > 0 || to < all) HALO_TRY(gather(builder, in, from, to - from, 1, out));
out:
    return status;
}

static const HaloParam trim_param[] = {
    [TRIM_PART] =
        {.key = "part",
         .type = HALO_PARAM_TEXT,
         .list = 2,
         .check = times_check_places,
         .help =
             "its beginning and end in seconds, such as 1.5,2:30 or 500ms,-1 (from the end); or the beginning "
             "alone; 480f is frames; of a table with dates or clocks also 2024-03-01,2024-03-02 and 8:00,9:30"},
    [TRIM_LENGTH] = {.key = "length",
                     .type = HALO_PARAM_TEXT,
                     .preset = "",
                     .check = times_check_length,
                     .help = "maximum length in seconds, instead of an end"},
};

const HaloOp halo_op_trim = {.name = "trim",
                             .help = "keep a part of a sound or series",
                             .known_as = "cut atrim crop slice split segment",
                             .example = "trim:1ms,-1ms",
                             .kinds = HALO_AUDIO,
                             HALO_PARAMS(trim_param),
                             .build = build_trim};

/* ---- reverse -------------------------------------------------------------------------------------------- */

static HaloStatus build_reverse(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    const int64_t all = halo_build_shape(builder, in)->width;
    (void)arg;
    halo_build_wants_length(builder);
    return gather(builder, in, all - 1, all, -1, out);
}

const HaloOp halo_op_reverse = {.name = "reverse",
                                .help = "reverse a sound",
                                .known_as = "areverse flip backwards",
                                .example = "reverse",
                                .kinds = HALO_AUDIO,
                                .build = build_reverse};
