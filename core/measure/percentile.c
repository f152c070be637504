/* Percentiles: samples at given ranks of the sorted order, with linear interpolation. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/measures.h"
#include "measure.h"
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

/* The sample of a given rank is found by successive histograms: the counts tell its bin, and the smallest and
 * largest float of that bin are the range of the next histogram, until they are equal. Two histograms are
 * usually enough, since a bin seldom holds more floats than the next has bins. */
#define BINS_LEAST 256
#define BINS_MOST 8192

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

/* More bins than samples, or than twice the floats of the range, would only take time. */
static int64_t bins_for(const HaloBuf *src, double lo, double hi, int64_t most)
{
    const int64_t floats = (int64_t)key_of(hi) - key_of(lo) + 1;
    int64_t bins = BINS_LEAST;
    while (2 * bins <= most && bins < src->cols * src->rows && bins < 2 * floats) bins *= 2;
    return bins;
}

static double of_key(int32_t key)
{
    const int32_t bits = key < 0 ? INT32_MIN - key - 1 : key;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* The least float in [lo, hi] whose bin is at least `bin`; the greatest has one. */
static double first_in(const HaloHistPart *part, int64_t bin)
{
    const HaloBins bins = halo_bins(part->lo, part->hi, part->bins);
    int64_t below = (int64_t)key_of(part->lo) - 1, here = key_of(part->hi);
    while (here - below > 1) {
        const int64_t middle = below + (here - below) / 2;
        if (halo_bin(&bins, of_key((int32_t)middle)) >= bin)
            here = middle;
        else
            below = middle;
    }
    return of_key((int32_t)here);
}

/* A histogram, and how many samples of some channels are below each bin of one of its parts. */
typedef struct Counted {
    HaloHistogram made;
    int alpha, channel; /* the channel that `below` is of, -1 for all but alpha */
    int64_t first;      /* the first bin of the part that it is of */
    uint64_t *below;    /* [bins + 1]; NULL: not computed yet */
} Counted;

static void counted_free(Counted *counted)
{
    free(counted->below);
    counted->below = NULL;
    halo_histogram_free(&counted->made);
}

/* Is channel c the wanted one, or, of all but alpha, one? */
static bool counts_for(const Counted *counted, int wanted, int c)
{
    return wanted >= 0 ? c == wanted : c != counted->alpha;
}

/* The sum of what the function counts of these, one number a channel. */
static uint64_t sum_over(const Counted *counted, int wanted, const uint64_t *of)
{
    uint64_t sum = 0;
    for (int c = 0; c < counted->made.channels; c++)
        if (counts_for(counted, wanted, c)) sum += of[c];
    return sum;
}

static HaloStatus sum_up(Counted *counted, const HaloHistPart *part, int channel)
{
    const uint64_t *of = counted->made.count + part->first;
    if (counted->below != NULL && counted->channel == channel && counted->first == part->first) return HALO_OK;
    free(counted->below);
    counted->channel = channel;
    counted->first = part->first;
    counted->below = calloc((size_t)part->bins + 1, sizeof *counted->below);
    if (counted->below == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 0; c < counted->made.channels; c++, of += counted->made.bins)
        for (int64_t b = 0; b < part->bins; b++)
            counted->below[b + 1] += counts_for(counted, channel, c) ? of[b] : 0;
    for (int64_t b = 0; b < part->bins; b++) counted->below[b + 1] += counted->below[b];
    return HALO_OK;
}

/* Goes into the bin of the part that holds it; the last, if none does. */
static HaloStatus narrow(Wanted *w, Counted *counted, const HaloHistPart *part)
{
    int64_t bin = 0, end = part->bins;
    const HaloStatus status = sum_up(counted, part, w->channel);
    if (status != HALO_OK) return status;
    while (end - bin > 1) {
        const int64_t middle = bin + (end - bin) / 2;
        if (counted->below[middle] <= w->rank)
            bin = middle;
        else
            end = middle;
    }
    w->rank -= counted->below[bin];
    w->lo = first_in(part, bin);
    if (bin < part->bins - 1) w->hi = of_key(key_of(first_in(part, bin + 1)) - 1);
    return HALO_OK;
}

/* Infinities lie outside every histogram: ranks among them follow from their numbers below and above. */
static HaloStatus settle_infinite(Wanted *w, Counted *counted, const HaloHistPart *whole)
{
    const uint64_t below = sum_over(counted, w->channel, counted->made.below);
    const uint64_t above = sum_over(counted, w->channel, counted->made.above);
    const HaloStatus status = sum_up(counted, whole, w->channel);
    if (status != HALO_OK) return status;
    if (w->rank < below)
        w->lo = w->hi = -(double)INFINITY;
    else if (w->rank - below >= counted->below[whole->bins] && above > 0)
        w->lo = w->hi = (double)INFINITY;
    else
        w->rank -= below;
    return HALO_OK;
}

/* The ranges that samples are still looked for in, as parts of one histogram: as many as go into one. */
static int ranges_left(const HaloBuf *src, const Wanted *wanted, int64_t n, HaloHistPart part[HALO_MAX_PARTS])
{
    int parts = 0;
    for (int64_t i = 0; i < n && parts < HALO_MAX_PARTS; i++) {
        int k = 0;
        if (!(wanted[i].lo < wanted[i].hi)) continue;
        while (k < parts && part[k].lo != wanted[i].lo) k++; /* neighbours often lie in the same bin */
        if (k == parts) part[parts++] = (HaloHistPart){.lo = wanted[i].lo, .hi = wanted[i].hi};
    }
    for (int k = 0; k < parts; k++) {
        part[k].first = k > 0 ? part[k - 1].first + part[k - 1].bins : 0;
        part[k].bins = bins_for(src, part[k].lo, part[k].hi, HALO_MAX_PART_BINS / parts);
    }
    return parts;
}

/* All of them to the end; the range of `made` holds every finite sample. */
static HaloStatus find_all(Device *device, const HaloBuf *src, HaloHistogram *made, Wanted *wanted, int64_t n)
{
    HaloStatus status = HALO_OK;
    Counted counted = {.made = *made, .alpha = src->shape.alpha};
    HaloHistPart part[HALO_MAX_PARTS];
    const HaloHistPart whole = {.bins = made->bins, .lo = made->lo, .hi = made->hi};
    *made = (HaloHistogram){0};
    for (int64_t i = 0; i < n; i++) {
        wanted[i].lo = whole.lo;
        wanted[i].hi = whole.hi;
        HALO_TRY(settle_infinite(&wanted[i], &counted, &whole));
        if (wanted[i].lo < wanted[i].hi) HALO_TRY(narrow(&wanted[i], &counted, &whole));
    }
    bool again = false; /* do all parts lie inside of those before? */
    for (int parts; (parts = ranges_left(src, wanted, n, part)) > 0;) {
        const HaloHistPart *const last = &part[parts - 1];
        const HaloHist hist = {.bins = last->first + last->bins, .parts = parts, .again = again, .part = part};
        counted_free(&counted);
        HALO_TRY(measure_hist(device, src, &hist, &counted.made));
        again = true;
        for (int64_t i = 0; i < n; i++) {
            int k = 0;
            if (!(wanted[i].lo < wanted[i].hi)) continue;
            while (k < parts && (wanted[i].lo != part[k].lo || wanted[i].hi != part[k].hi)) k++;
            if (k < parts)
                HALO_TRY(narrow(&wanted[i], &counted, &part[k]));
            else
                again = false; /* there was no space for it */
        }
    }
out:
    counted_free(&counted);
    return status;
}

static HaloStats *stats_at(HaloResult *result, int scope)
{
    return scope < result->shape.channels ? &result->channel[scope] : &result->all;
}

/* Channels, and all but alpha together, which is no other where there is just one. */
static int scopes_of(const HaloShape *shape)
{
    return shape->channels == 1 && shape->alpha != 0 ? 1 : shape->channels + 1;
}

static bool has_samples(const HaloStats *s) { return s->count > s->nan; }

bool percentile_bins(const HaloBuf *src, const HaloDetail *detail, HaloResult *result, HaloHist *hist)
{
    double lo = (double)FLT_MAX, hi = -(double)FLT_MAX;
    bool any = false;
    for (int scope = 0; scope < scopes_of(&src->shape); scope++) {
        const HaloStats *s = stats_at(result, scope);
        if (!has_samples(s)) continue;
        any = true;
        if (s->min < lo) lo = s->min > -(double)FLT_MAX ? s->min : -(double)FLT_MAX;
        if (s->max > hi) hi = s->max < (double)FLT_MAX ? s->max : (double)FLT_MAX;
    }
    if (!any || detail->percents == 0) return false;
    if (!(lo < hi)) { /* a single value, widened to the next float, so that infinities do not share its bin */
        if (lo < (double)FLT_MAX)
            hi = of_key(key_of(lo) + 1);
        else
            lo = of_key(key_of(hi) - 1);
    }
    *hist = (HaloHist){.bins = bins_for(src, lo, hi, BINS_MOST), .lo = lo, .hi = hi};
    return true;
}

bool percentile_shares(const HaloHist *hist, const HaloHist *scale)
{
    return hist->lo >= scale->lo && hist->hi <= scale->hi &&
           (hist->hi - hist->lo) * 4.0 >= scale->hi - scale->lo && hist->bins % scale->bins == 0;
}

/* The samples before and behind every percentile of a channel, or of all but alpha. */
static int64_t want(const HaloDetail *detail, const HaloStats *s, int channel, Wanted *wanted)
{
    int64_t n = 0;
    for (int i = 0; i < detail->percents && has_samples(s); i++) {
        const Place place = place_of(detail->percent[i], s->count - s->nan);
        wanted[n++] = (Wanted){.channel = channel, .rank = place.before};
        wanted[n++] = (Wanted){.channel = channel, .rank = place.after};
    }
    return n;
}

HaloStatus float_percentiles(Device *device, const HaloBuf *src, const HaloDetail *detail, HaloHistogram *made,
                             HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const int channels = src->shape.channels, percents = detail->percents, scopes = scopes_of(&src->shape);
    int64_t n = 0;
    Wanted *wanted = calloc(2 * (size_t)scopes * (size_t)percents + 1, sizeof *wanted);
    if (wanted == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int scope = 0; scope < scopes; scope++)
        n += want(detail, stats_at(result, scope), scope < channels ? scope : -1, wanted + n);
    if (n > 0) HALO_TRY(find_all(device, src, made, wanted, n));
    n = 0;
    for (int scope = 0; scope < scopes; scope++) {
        HaloStats *s = stats_at(result, scope);
        for (int i = 0; i < percents; i++, n += 2 * has_samples(s)) {
            const Place place = place_of(detail->percent[i], s->count - s->nan);
            s->percentile[i] =
                has_samples(s) ? place_value(&place, wanted[n].lo + 0.0, wanted[n + 1].lo + 0.0) : NAN;
        }
    }
    if (scopes <= channels)
        memcpy(result->all.percentile, result->channel[0].percentile, sizeof result->all.percentile);
out:
    free(wanted);
    return status;
}
