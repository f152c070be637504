/* The level of a channel of sound, from its statistics. */
#include <math.h>

#include "report.h"

static double decibels(double ratio) { return 20.0 * log10(ratio); }

CliLevel cli_level(const HaloShape *shape, const HaloStats *stats)
{
    const double low = fabs(stats->min), high = fabs(stats->max), peak = high < low ? low : high;
    return (CliLevel){.peak = peak,
                      .peak_dbfs = decibels(peak / (double)shape->white),
                      .rms_dbfs = decibels(stats->rms / (double)shape->white),
                      .crest = stats->rms > 0 ? peak / stats->rms : NAN};
}
