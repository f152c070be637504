/* Levels found in a histogram, as skimage.filters defines them. */
#include "level_methods.h"

#include <math.h>
#include <stdlib.h>

#include "halo/curves.h"

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

/* N. Otsu, "A threshold selection method from gray-level histograms", 1979: the first of the best. */
HaloStatus level_otsu(const Counts *c, int64_t *last)
{
    uint64_t below = 0, part = 0;
    double best = 0.0;
    for (int64_t b = 0; b < c->bins; b++) {
        below += c->count[b];
        part += c->count[b] * (uint64_t)b;
        const double far = apart(c->n, c->sum, below, part);
        if (far > best) *last = b;
        if (far > best) best = far;
    }
    return HALO_OK;
}

/* C. Li and P. Tam, "An iterative algorithm for minimum cross entropy thresholding", 1998: from the mean on,
 * until a step is half a bin or less. */
HaloStatus level_li(const Counts *c, int64_t *last)
{
    double next = (double)c->sum / (double)c->n, now = -1.0;
    while (fabs(next - now) > 0.5) {
        uint64_t below = 0, part = 0;
        now = next;
        for (int64_t b = 0; b < c->bins && (double)b <= now; b++) {
            below += c->count[b];
            part += c->count[b] * (uint64_t)b;
        }
        if (part == 0 || below == c->n) break;
        const double dark = (double)part / (double)below,
                     bright = (double)(c->sum - part) / (double)(c->n - below);
        next = (dark - bright) / ((halo_log2(dark) - halo_log2(bright)) * 0.693147180559945309);
    }
    *last = (int64_t)floor(next);
    return HALO_OK;
}

/* G. Zack, W. Rogers and S. Latt, 1977: the bin farthest below the line from the peak to the end of the longer
 * tail; of equal ones the one farthest from the peak. */
HaloStatus level_triangle(const Counts *c, int64_t *last)
{
    int64_t peak = 0;
    for (int64_t b = 1; b < c->bins; b++)
        if (c->count[b] > c->count[peak]) peak = b;
    const bool turned = peak < c->bins - 1 - peak;
    const int64_t width = turned ? c->bins - 1 - peak : peak;
    double best = -INFINITY;
    for (int64_t x = 0; x < width; x++) {
        const int64_t b = turned ? c->bins - 1 - x : x;
        const double far = (double)c->count[peak] * (double)x - (double)width * (double)c->count[b];
        if (far > best) *last = b;
        if (far > best) best = far;
    }
    return HALO_OK;
}

/* J. Yen, F. Chang and S. Chang, "A new criterion for automatic multilevel thresholding", 1995. Squares are
 * summed exactly: those of a small tail would get lost in differences of floats. */
HaloStatus level_yen(const Counts *c, int64_t *last)
{
    __extension__ typedef unsigned __int128 wide;
    wide low = 0, high = 0;
    uint64_t below = 0;
    double best = -INFINITY;
    for (int64_t b = 0; b < c->bins; b++) high += (wide)c->count[b] * c->count[b];
    for (int64_t b = 0; b + 1 < c->bins; b++) {
        const wide square = (wide)c->count[b] * c->count[b];
        below += c->count[b];
        low += square;
        high -= square;
        const double both = (double)below * (double)(c->n - below);
        const double value = both / (double)low * (both / (double)high);
        if (value > best) *last = b;
        if (value > best) best = value;
    }
    return HALO_OK;
}

/* T. Ridler and S. Calvard, 1978: the first bin with half of the sum of both classes' means in it. */
HaloStatus level_isodata(const Counts *c, int64_t *last)
{
    uint64_t below = 0, part = 0;
    for (int64_t b = 0; b + 1 < c->bins; b++) {
        below += c->count[b];
        part += c->count[b] * (uint64_t)b;
        const double dark = (double)part / (double)below,
                     bright = (double)(c->sum - part) / (double)(c->n - below);
        const double over = (dark + bright) / 2 - (double)b;
        *last = b;
        if (over >= 0 && over < 1) return HALO_OK;
    }
    return HALO_OK;
}

#define MOST_SMOOTHINGS 10000

/* The first two maxima, and how many there are; 3: more than two. */
static int find_maxima(const double *v, int64_t bins, int64_t at[2])
{
    int maxima = 0;
    bool rises = true;
    for (int64_t b = 0; b + 1 < bins; b++) {
        if (rises && v[b + 1] < v[b]) {
            if (maxima == 2) return 3;
            at[maxima++] = b;
            rises = false;
        } else if (!rises && v[b + 1] > v[b]) {
            rises = true;
        }
    }
    return maxima;
}

/* The mean of each bin and its two neighbours; at the ends of the bin, twice, and its one. */
static void smooth(const double *restrict v, int64_t bins, double *restrict to)
{
    to[0] = (v[0] + v[0] + v[1]) / 3;
    for (int64_t b = 1; b + 1 < bins; b++) to[b] = (v[b - 1] + v[b] + v[b + 1]) / 3;
    to[bins - 1] = (v[bins - 2] + v[bins - 1] + v[bins - 1]) / 3;
}

/* The histogram is smoothed until it has two maxima; the minimum between them (Prewitt and others, 1966). */
HaloStatus level_minimum(const Counts *c, int64_t *last)
{
    HaloStatus status = HALO_OK;
    int64_t peak[2] = {0, 0};
    int maxima = 3;
    double *v = malloc((size_t)c->bins * sizeof *v), *other = malloc((size_t)c->bins * sizeof *v);
    if (v == NULL || other == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t b = 0; b < c->bins; b++) v[b] = (double)c->count[b];
    for (int i = 0; i < MOST_SMOOTHINGS && maxima > 2; i++) {
        double *const before = v;
        smooth(before, c->bins, other);
        v = other;
        other = before;
        maxima = find_maxima(v, c->bins, peak);
    }
    if (maxima != 2)
        HALO_FAIL(HALO_ERR_INPUT,
                  "threshold:minimum needs a histogram with two maxima, which the input has not: "
                  "use otsu, or another method");
    *last = peak[0];
    for (int64_t b = peak[0]; b <= peak[1]; b++)
        if (v[b] < v[*last]) *last = b;
out:
    free(v);
    free(other);
    return status;
}
