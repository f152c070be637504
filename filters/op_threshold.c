/* threshold: black and white, at a level that is given or that the histogram gives. */
#include "classes.h"
#include "levels.h"
#include "ops.h"

static HaloStatus build_threshold(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    return levels_append(builder, &arg[0], arg[1].integer, in, out);
}

static const HaloParam threshold_param[] = {
    {.key = "level",
     .type = HALO_PARAM_LEVEL,
     .choices = LEVELS_METHODS,
     .help = "samples from this level on become full scale, those below 0; otsu and the other methods find it "
             "in the histogram, mean is the mean of all samples; -v prints what was found"},
    {.key = "classes",
     .type = HALO_PARAM_INTEGER,
     .preset = "2",
     .min = 2,
     .max = CLASSES_MOST,
     .help = "of otsu: as many classes of samples become as many shades, from 0 to full scale"},
};

const HaloOp halo_op_threshold = {
    .name = "threshold",
    .help = "black and white at a level",
    .synonyms = "binarize binarise",
    .known_as =
        "otsu threshold_otsu threshold_multiotsu multiotsu threshold_li threshold_triangle threshold_yen "
        "threshold_isodata threshold_minimum threshold_mean auto",
    .example = "threshold:128",
    .scale = HALO_SCALE_SETS,
    .kinds = HALO_IMAGE | HALO_AUDIO,
    HALO_PARAMS(threshold_param),
    .build = build_threshold};
