/* threshold: black and white, at a level that is given or that the histogram gives. */
#include "filter.h"
#include "halo/measures.h"
#include "ops.h"

enum { LEVEL_GIVEN, LEVEL_OTSU };

/* ---- Otsu's level --------------------------------------------------------------------------------------- */

/* How far apart two classes of samples are: the variance between them, but for a constant factor. Of `n`
 * samples whose bins add up to `sum`, `below` with `part` are the one class. Exact but for the last two steps.
 */
static double apart(uint64_t n, uint64_t sum, uint64_t below, uint64_t part)
{
    __extension__ typedef __int128 wide;
    const double distance = (double)((wide)n * part - (wide)below * sum);
    if (below == 0 || below == n) return 0.0;
    return distance / (double)below * (distance / (double)(n - below));
}

/* Samples of all colours in a bin. */
static uint64_t count_in(const HaloResult *measured, int64_t bin)
{
    const HaloHistogram *hist = &measured->hist;
    uint64_t count = 0;
    for (int c = 0; c < hist->channels; c++)
        if (c != measured->shape.alpha) count += hist->count[c * hist->bins + bin];
    return count;
}

/* The last bin of the lower class: the first of the best. Where all samples share a bin, that one. */
static int64_t split(const HaloResult *measured)
{
    uint64_t n = 0, sum = 0, below = 0, part = 0;
    int64_t best = 0;
    double most = 0.0;
    for (int64_t b = 0; b < measured->hist.bins; b++) {
        const uint64_t here = count_in(measured, b);
        n += here;
        sum += here * (uint64_t)b;
        if (here > 0) best = b;
    }
    for (int64_t b = 0; b < measured->hist.bins; b++) {
        const uint64_t here = count_in(measured, b);
        below += here;
        part += here * (uint64_t)b;
        const double far = apart(n, sum, below, part);
        if (far > most) best = b;
        if (far > most) most = far;
    }
    return best;
}

/* N. Otsu, "A threshold selection method from gray-level histograms", 1979: over all colours together. The
 * level is where the upper class begins. */
static HaloStatus resolve(HaloStep *step, const HaloResult *measured)
{
    const HaloHistogram *hist = &measured->hist;
    const HaloBins bins = halo_bins(hist->lo, hist->hi, hist->bins);
    step->u.map.point[0].a = halo_bin_edge(&bins, (double)(split(measured) + 1));
    return HALO_OK;
}

/* ---- the operation -------------------------------------------------------------------------------------- */

static HaloStatus build_threshold(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloMap map = {.kind = HALO_MAP_POINTS, .points = 1};
    map.point[0] = (HaloPoint){.op = HALO_POINT_THRESHOLD, .b = halo_build_shape(builder, in)->white};
    if (arg[0].integer == LEVEL_OTSU) return halo_build_map_from_hist(builder, in, &map, resolve, out);
    HALO_TRY(filter_number("threshold: level", arg[0].number, &map.point[0].a));
    HALO_TRY(halo_build_map(builder, in, &map, out));
out:
    return status;
}

static const HaloParam threshold_param[] = {
    {.key = "level",
     .type = HALO_PARAM_LEVEL,
     .choices = "otsu",
     .help = "samples from this level on become full scale, those below 0; otsu finds the level that best "
             "separates two classes"},
};

const HaloOp halo_op_threshold = {.name = "threshold",
                                  .help = "black and white at a level",
                                  .synonyms = "binarize binarise",
                                  .known_as = "otsu",
                                  .example = "threshold:128",
                                  .scale = HALO_SCALE_SETS,
                                  .kinds = HALO_IMAGE | HALO_AUDIO,
                                  HALO_PARAMS(threshold_param),
                                  .build = build_threshold};
