/* objects: a table of the regions of a picture. */
#include "halo/objects.h"

#include "levels.h"
#include "ops.h"
#include "regions.h"

enum { OBJECTS_OF, OBJECTS_THRESHOLD, OBJECTS_MIN, OBJECTS_MAX, OBJECTS_CONNECT, OBJECTS_LABELS };
enum { LABELS_AUTO, LABELS_YES, LABELS_NO };

/* Numbers without a full scale are labels, as label makes them; other pictures have regions of samples that are
 * not 0. */
static HaloStatus find_labels(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const bool selects = arg[OBJECTS_THRESHOLD].given || arg[OBJECTS_MIN].integer > 0 || arg[OBJECTS_MAX].given;
    const int64_t labels = arg[OBJECTS_LABELS].integer;
    const HaloRegions regions = {.make = HALO_REGIONS_NUMBERS,
                                 .connect = regions_connect(&arg[OBJECTS_CONNECT]),
                                 .least = arg[OBJECTS_MIN].integer,
                                 .most = arg[OBJECTS_MAX].given ? arg[OBJECTS_MAX].integer : 0};
    HALO_TRY(regions_check_sizes("objects", &arg[OBJECTS_MIN], &arg[OBJECTS_MAX]));
    if (labels == LABELS_YES && selects)
        HALO_FAIL(HALO_ERR_USAGE, "objects: labels=yes takes the numbers of the input as they are, without "
                                  "threshold, min and max");
    if (arg[OBJECTS_THRESHOLD].given) HALO_TRY(regions_gray(builder, in, &in));
    HALO_TRY(regions_source(builder, "objects", in, true, out));
    if (arg[OBJECTS_THRESHOLD].given) HALO_TRY(levels_append(builder, &arg[OBJECTS_THRESHOLD], 2, *out, out));
    if (labels == LABELS_YES) return HALO_OK;
    if (labels == LABELS_AUTO && !selects && halo_build_shape(builder, *out)->numbers) return HALO_OK;
    HALO_TRY(halo_build_regions(builder, *out, &regions, out));
out:
    return status;
}

/* Where a threshold finds the regions, the samples of the input are measured in them. */
static HaloStatus build_objects(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloReg labels, of = -1;
    const HaloObjects objects = {.connect = regions_connect(&arg[OBJECTS_CONNECT])};
    HALO_TRY(find_labels(builder, arg, in, &labels));
    if (arg[OBJECTS_OF].given)
        HALO_TRY(halo_build_source(builder, &arg[OBJECTS_OF], in, HALO_FIT_SIZE, &of));
    else if (arg[OBJECTS_THRESHOLD].given)
        of = in;
    if (of >= 0) HALO_TRY(regions_colours(builder, of, &of));
    if (of >= 0 && halo_build_shape(builder, of)->channels > HALO_MAX_OBJECT_CHANNELS)
        HALO_FAIL(HALO_ERR_INPUT,
                  "objects measures up to %d channels, and there are %d: of=[channels:1,2] "
                  "takes some",
                  HALO_MAX_OBJECT_CHANNELS, halo_build_shape(builder, of)->channels);
    HALO_TRY(halo_build_objects(builder, labels, of, &objects));
    *out = in;
out:
    return status;
}

static const HaloParam objects_param[] = {
    [OBJECTS_OF] =
        {.key = "of",
         .type = HALO_PARAM_SOURCE,
         .preset = "",
         .help = "picture whose samples are measured in the regions: a file, or [a pipeline]; default: the "
                 "input if threshold is given, else only shapes are measured"},
    [OBJECTS_THRESHOLD] = {.key = "threshold",
                           .type = HALO_PARAM_LEVEL,
                           .preset = "",
                           .choices = LEVELS_METHODS,
                           .help = "regions consist of samples from this level on; of colours, of their gray"},
    [OBJECTS_MIN] = {.key = "min",
                     .type = HALO_PARAM_INTEGER,
                     .preset = "0",
                     .min = 0,
                     .max = REGIONS_MOST_PIXELS,
                     .unit = "pixels",
                     .help = "smaller regions are left out"},
    [OBJECTS_MAX] = {.key = "max",
                     .type = HALO_PARAM_INTEGER,
                     .preset = "",
                     .min = 1,
                     .max = REGIONS_MOST_PIXELS,
                     .unit = "pixels",
                     .help = "larger regions are left out"},
    REGIONS_CONNECT(OBJECTS_CONNECT, "8"),
    [OBJECTS_LABELS] =
        {.key = "labels",
         .type = HALO_PARAM_CHOICE,
         .preset = "auto",
         .choices = "auto|yes|no",
         .help = "yes: samples are the numbers of their regions, 0 outside, as label makes them; no: regions "
                 "of samples that are not 0 are numbered first; auto: yes for samples without full "
                 "scale, such as 32-bit integers, else no"},
};

const HaloOp halo_op_objects = {.name = "objects",
                                .help = "a table of regions: area, place, axes, perimeter …, and of samples in "
                                        "them",
                                .known_as = "regionprops regionprops_table particles blobs count measure cells "
                                            "grains connectedcomponentswithstats analyze",
                                .example = "objects:threshold=otsu,min=20",
                                .upright = true,
                                .kinds = HALO_IMAGE,
                                .result = true,
                                HALO_PARAMS(objects_param),
                                .build = build_objects};
