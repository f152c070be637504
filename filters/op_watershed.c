/* watershed: a picture is flooded from markers. */
#include "halo/morphology.h"
#include "ops.h"
#include "regions.h"

enum { WATERSHED_MARKERS, WATERSHED_MASK, WATERSHED_CONNECT };

/* Numbers without a full scale are labels, as label makes them; of other pictures regions of samples that are
 * not 0 are numbered. */
static HaloStatus find_labels(HaloBuilder *builder, const HaloValue *markers, int connect, HaloReg in,
                              HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloRegions regions = {.make = HALO_REGIONS_NUMBERS, .connect = connect};
    HALO_TRY(halo_build_source(builder, markers, in, HALO_FIT_SIZE, out));
    HALO_TRY(regions_source(builder, "watershed: markers=", *out, true, out));
    if (!halo_build_shape(builder, *out)->numbers) HALO_TRY(halo_build_regions(builder, *out, &regions, out));
out:
    return status;
}

static HaloStatus build_watershed(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const int connect = regions_connect(&arg[WATERSHED_CONNECT]);
    HaloStep step = {.primitive = HALO_WATERSHED, .sources = 2, .u.watershed.connect = connect};
    HALO_TRY(regions_source(builder, "watershed", in, true, &step.src[0]));
    HALO_TRY(find_labels(builder, &arg[WATERSHED_MARKERS], connect, step.src[0], &step.src[1]));
    if (arg[WATERSHED_MASK].given) {
        HALO_TRY(halo_build_source(builder, &arg[WATERSHED_MASK], step.src[0], HALO_FIT_SIZE, &step.src[2]));
        HALO_TRY(regions_source(builder, "watershed: mask=", step.src[2], true, &step.src[2]));
        step.sources = 3;
    }
    HALO_TRY(halo_build_step(builder, &step, out));
out:
    return status;
}

static const HaloParam watershed_param[] = {
    [WATERSHED_MARKERS] = {.key = "markers",
                           .type = HALO_PARAM_SOURCE,
                           .help =
                               "where floods begin: labels, as label makes them, or a picture whose regions of "
                               "samples that are not 0 are numbered; a file, or [a pipeline]"},
    [WATERSHED_MASK] = {.key = "mask",
                        .type = HALO_PARAM_SOURCE,
                        .preset = "",
                        .help =
                            "only samples that are not 0 in this picture are flooded: a file, or [a pipeline]"},
    REGIONS_CONNECT(WATERSHED_CONNECT, "8"),
};

const HaloOp halo_op_watershed = {
    .name = "watershed",
    .help =
        "part a picture into basins: floods rise from markers, lowest samples first, until they meet; samples "
        "become the labels of their markers; of one channel",
    .known_as = "split touching separate segment basins flood",
    .example = "gray | gauss:2 | sobel | watershed:[threshold:2% | invert]",
    .upright = true,
    .kinds = HALO_IMAGE,
    HALO_PARAMS(watershed_param),
    .build = build_watershed};
