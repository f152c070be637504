/* peaks: local maxima of sound and series, as scipy.signal.find_peaks has them; and of pictures (maxima.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "filter.h"
#include "halo/table.h"
#include "maxima.h"
#include "ops.h"
#include "prominence.h"
#include "regions.h"

enum { PEAKS_HEIGHT, PEAKS_DISTANCE, PEAKS_PROMINENCE, PEAKS_WIDTH, PEAKS_THRESHOLD, PEAKS_BORDER, PEAKS_KEYS };
static const char *const column[PEAK_COLUMNS] = {"frame", "time", "value", "prominence", "width"};

static void describe(const void *how, char *text, size_t size)
{
    (void)how;
    snprintf(text, size, "find peaks");
}

static const HaloTableKind kind = {.name = "peaks",
                                   .columns = PEAK_COLUMNS,
                                   .column = column,
                                   .ns = 10.0,
                                   .fewer = "height= or prominence= keeps fewer",
                                   .describe = describe,
                                   .open = peak_search_open,
                                   .add = peak_search_add,
                                   .end = peak_search_end,
                                   .close = peak_search_close};

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
    PeakLimits *how = halo_build_keep(builder, sizeof *how);
    if (how == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    double least[PEAKS_KEYS];
    for (int k = 0; k < PEAKS_KEYS; k++) least[k] = arg[k].given ? arg[k].number : -INFINITY;
    *how = (PeakLimits){.height = least[PEAKS_HEIGHT],
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
    .upright = true,
    .kinds = HALO_AUDIO | HALO_IMAGE,
    .result = true,
    HALO_PARAMS(param),
    .build = build_peaks};
