/* Percentiles: samples at places of the sorted order, and interpolation between two of them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/measures.h"
#include "percentile.h"

/* NumPy's default, "linear": percent p of n samples is at p/100 * (n - 1), counted from 0. */
Place place_of(double percent, uint64_t n)
{
    const double at = n > 0 ? percent / 100.0 * (double)(n - 1) : 0.0, whole = floor(at);
    const uint64_t before = (uint64_t)whole;
    return (Place){.before = before, .after = before + 1 < n ? before + 1 : before, .part = at - whole};
}

double place_value(const Place *place, double before, double after)
{
    if (before == after || place->part == 0.0) return before; /* infinities, too */
    const double step = after - before;
    return place->part < 0.5 ? before + step * place->part : after - step * (1.0 - place->part);
}

int64_t count_rank(const uint64_t *count, int64_t values, uint64_t rank)
{
    uint64_t below = 0;
    int64_t v = 0;
    for (; v < values - 1 && below + count[v] <= rank; v++) below += count[v];
    return v;
}

/* ---- floats --------------------------------------------------------------------------------------------- */

/* The sample at a place in order is looked for by histograms: the bin it lies in is known by the counts, and
 * its least and greatest float are the ends of the next histogram, until they are the same. Two do for most,
 * for a bin seldom holds more floats than there are bins. More bins than samples would only be waited for. */
#define BINS_LEAST 256
#define BINS_MOST 65536

static int64_t bins_for(const HaloBuf *src)
{
    int64_t bins = BINS_LEAST;
    while (bins < BINS_MOST && bins < src->cols * src->rows) bins *= 2;
    return bins;
}

/* One sample that is wanted: `rank`-th of a channel, or of all but alpha (-1). */
typedef struct Wanted {
    int channel;
    uint64_t rank; /* among the samples from lo on */
    double lo, hi; /* it is one of these floats or between them */
} Wanted;

/* Floats as integers in the same order; -0 lies just below 0. */
static int32_t key_of(double v)
{
    const float f = (float)v;
    int32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits < 0 ? INT32_MIN - bits - 1 : bits;
}

static double of_key(int32_t key)
{
    const int32_t bits = key < 0 ? INT32_MIN - key - 1 : key;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* The least float in [lo, hi] whose bin is at least `bin`; the greatest has one. */
static double first_in(const HaloHist *hist, int64_t bin)
{
    int64_t below = (int64_t)key_of(hist->lo) - 1, here = key_of(hist->hi);
    while (here - below > 1) {
        const int64_t middle = below + (here - below) / 2;
        if (halo_bin(of_key((int32_t)middle), hist->lo, hist->hi, hist->bins) >= bin)
            here = middle;
        else
            below = middle;
    }
    return of_key((int32_t)here);
}

/* How many samples of a wanted one's channels the function counts. */
static uint64_t sum_over(const Wanted *w, const uint64_t *count, int channels, int64_t apart, int alpha)
{
    uint64_t sum = 0;
    if (w->channel >= 0) return count[w->channel * apart];
    for (int c = 0; c < channels; c++)
        if (c != alpha) sum += count[c * apart];
    return sum;
}

/* Goes into the bin of the histogram that holds it. */
static void narrow(Wanted *w, const HaloHistogram *made, int alpha)
{
    const HaloHist hist = {.bins = made->bins, .lo = made->lo, .hi = made->hi};
    int64_t bin = 0;
    for (; bin < made->bins - 1; bin++) {
        const uint64_t here = sum_over(w, made->count + bin, made->channels, made->bins, alpha);
        if (w->rank < here) break;
        w->rank -= here;
    }
    w->lo = first_in(&hist, bin);
    if (bin < made->bins - 1) w->hi = of_key(key_of(first_in(&hist, bin + 1)) - 1);
}

/* Infinities lie outside every histogram: a place among them is known by how many there are below and above. */
static void settle_infinite(Wanted *w, const HaloHistogram *made, int alpha)
{
    const uint64_t below = sum_over(w, made->below, made->channels, 1, alpha);
    const uint64_t above = sum_over(w, made->above, made->channels, 1, alpha);
    uint64_t within = 0;
    for (int64_t b = 0; b < made->bins; b++)
        within += sum_over(w, made->count + b, made->channels, made->bins, alpha);
    if (w->rank < below)
        w->lo = w->hi = -(double)INFINITY;
    else if (w->rank - below >= within && above > 0)
        w->lo = w->hi = (double)INFINITY;
    else
        w->rank -= below;
}

static HaloStatus count(Device *device, const HaloBuf *src, double lo, double hi, HaloHistogram *made)
{
    const HaloHist hist = {.bins = bins_for(src), .lo = lo, .hi = hi};
    halo_histogram_free(made);
    const HaloStatus status = halo_histogram_alloc(made, src->shape.channels, hist.bins, lo, hi);
    return status == HALO_OK ? device->backend->hist(device->handle, src, &hist, made) : status;
}

/* All of them to the end; [lo, hi] holds every finite sample. */
static HaloStatus find_all(Device *device, const HaloBuf *src, double lo, double hi, Wanted *wanted, int64_t n)
{
    HaloStatus status = HALO_OK;
    HaloHistogram made = {0};
    const int alpha = src->shape.alpha;
    if (!(lo < hi)) hi = nextafter(lo, (double)INFINITY); /* one value: still to be told from infinities */
    HALO_TRY(count(device, src, lo, hi, &made));
    for (int64_t i = 0; i < n; i++) {
        wanted[i].lo = lo;
        wanted[i].hi = hi;
        settle_infinite(&wanted[i], &made, alpha);
        if (wanted[i].lo < wanted[i].hi) narrow(&wanted[i], &made, alpha);
    }
    for (int64_t i = 0; i < n; i++) {
        while (wanted[i].lo < wanted[i].hi) {
            lo = wanted[i].lo;
            hi = wanted[i].hi;
            HALO_TRY(count(device, src, lo, hi, &made));
            for (int64_t j = i; j < n; j++) /* neighbours often lie in the same bin */
                if (wanted[j].lo == lo && wanted[j].hi == hi) narrow(&wanted[j], &made, alpha);
        }
    }
out:
    halo_histogram_free(&made);
    return status;
}

static HaloStats *stats_at(HaloResult *result, int scope)
{
    return scope < result->shape.channels ? &result->channel[scope] : &result->all;
}

HaloStatus float_percentiles(Device *device, const HaloBuf *src, const HaloDetail *detail, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const int channels = src->shape.channels, percents = detail->percents;
    double lo = (double)FLT_MAX, hi = -(double)FLT_MAX;
    int64_t n = 0;
    Wanted *wanted = calloc(2 * ((size_t)channels + 1) * (size_t)percents + 1, sizeof *wanted);
    if (wanted == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int scope = 0; scope <= channels; scope++) {
        const HaloStats *s = stats_at(result, scope);
        if (s->count == s->nan) continue;
        if (s->min < lo) lo = s->min > -(double)FLT_MAX ? s->min : -(double)FLT_MAX;
        if (s->max > hi) hi = s->max < (double)FLT_MAX ? s->max : (double)FLT_MAX;
        for (int i = 0; i < percents; i++) {
            const Place place = place_of(detail->percent[i], s->count - s->nan);
            const int channel = scope < channels ? scope : -1;
            wanted[n++] = (Wanted){.channel = channel, .rank = place.before};
            wanted[n++] = (Wanted){.channel = channel, .rank = place.after};
        }
    }
    if (n > 0) HALO_TRY(find_all(device, src, lo, hi, wanted, n));
    n = 0;
    for (int scope = 0; scope <= channels; scope++) {
        HaloStats *s = stats_at(result, scope);
        for (int i = 0; i < percents; i++, n += 2 * (s->count > s->nan)) {
            const Place place = place_of(detail->percent[i], s->count - s->nan);
            s->percentile[i] =
                s->count == s->nan ? NAN : place_value(&place, wanted[n].lo + 0.0, wanted[n + 1].lo + 0.0);
        }
    }
out:
    free(wanted);
    return status;
}
