/* Percentiles of f64: all samples of a channel, in order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "measure.h"
#include "percentile.h"

/* -0 before +0. */
static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    if (a != b) return a < b ? -1 : 1;
    return (signbit(b) != 0) - (signbit(a) != 0);
}

/* The samples of a channel that are not NaN; or, with -1, those of all but alpha. */
static int64_t take_samples(const HaloBuf *src, int channel, double *to)
{
    const int channels = src->shape.channels;
    int64_t n = 0;
    for (int64_t y = 0; y < src->rows; y++) {
        const double *row = halo_at(src, src->x0, src->y0 + y);
        for (int64_t i = 0; i < src->cols * channels; i++) {
            const int c = (int)(i % channels);
            if ((channel < 0 ? c != src->shape.alpha : c == channel) && row[i] == row[i]) to[n++] = row[i];
        }
    }
    return n;
}

static void take_percentiles(const HaloDetail *detail, const double *sorted, int64_t n, HaloStats *s)
{
    for (int i = 0; i < detail->percents; i++) {
        const Place place = place_of(detail->percent[i], (uint64_t)n);
        s->percentile[i] =
            n > 0 ? place_value(&place, sorted[place.before] + 0.0, sorted[place.after] + 0.0) : (double)NAN;
    }
}

HaloStatus wide_percentiles(const HaloBuf *src, const HaloDetail *detail, HaloResult *result)
{
    const int channels = src->shape.channels;
    if (detail->percents == 0) return HALO_OK;
    double *sorted = malloc((size_t)(src->cols * src->rows * channels) * sizeof *sorted);
    if (sorted == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int c = channels == 1 && src->shape.alpha < 0 ? 0 : -1; c < channels; c++) {
        HaloStats *s = c < 0 ? &result->all : &result->channel[c];
        const int64_t n = take_samples(src, c, sorted);
        qsort(sorted, (size_t)n, sizeof *sorted, compare);
        take_percentiles(detail, sorted, n, s);
    }
    if (channels == 1 && src->shape.alpha < 0)
        memcpy(result->all.percentile, result->channel[0].percentile, sizeof result->all.percentile);
    free(sorted);
    return HALO_OK;
}
