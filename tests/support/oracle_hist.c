/* The oracle of histograms. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

double oracle_edge(double lo, double hi, int64_t bins, int64_t k)
{
    if (hi / 2 - lo / 2 > 1e290) /* k * (hi - lo) might be infinite */
        return ldexp(oracle_edge(ldexp(lo, -60), ldexp(hi, -60), bins, k), 60);
    /* Pairs of f64 that add up to a number of twice the digits, by TwoSum and by fma. */
    const double n = (double)bins, span = hi - lo, back = span + lo,
                 span_rest = (hi - back) - (lo - (back - span));
    const double product = (double)k * span,
                 product_rest = fma((double)k, span, -product) + (double)k * span_rest;
    const double share = product / n, share_rest = (fma(-share, n, product) + product_rest) / n;
    const double sum = lo + share, other = sum - lo, sum_rest = (lo - (sum - other)) + (share - other);
    return k == bins ? hi : sum + (sum_rest + share_rest);
}

int64_t oracle_bin(double v, double lo, double hi, int64_t bins)
{
    if (isnan(v)) return -3;
    if (v < lo) return -1;
    if (v > hi) return -2;
    int64_t bin = 0, end = bins; /* the last bin that begins at v or before it */
    while (end - bin > 1) {
        const int64_t middle = bin + (end - bin) / 2;
        if (oracle_edge(lo, hi, bins, middle) <= v)
            bin = middle;
        else
            end = middle;
    }
    return bin;
}

void oracle_hist(const HaloBuf *src, HaloHistogram *out)
{
    const int64_t bins = out->bins;
    for (int c = 0; c < src->shape.channels; c++)
        for (int64_t y = 0; y < src->shape.height; y++)
            for (int64_t x = 0; x < src->shape.width; x++) {
                const double v = oracle_wide(src, x, y, c);
                const int64_t bin =
                    src->shape.dtype > HALO_U16 ? oracle_bin(v, out->lo, out->hi, bins) : (int64_t)v;
                if (bin >= 0) out->count[c * bins + bin]++;
                out->below[c] += bin == -1;
                out->above[c] += bin == -2;
                out->nan[c] += bin == -3;
            }
}

void oracle_hist_parts(const HaloBuf *src, const HaloHist *hist, HaloHistogram *out)
{
    for (int c = 0; c < src->shape.channels; c++)
        for (int64_t y = 0; y < src->shape.height; y++)
            for (int64_t x = 0; x < src->shape.width; x++)
                for (int k = 0; k < hist->parts; k++) {
                    const HaloHistPart *const part = &hist->part[k];
                    const int64_t bin = oracle_bin(oracle_wide(src, x, y, c), part->lo, part->hi, part->bins);
                    if (bin >= 0) out->count[c * hist->bins + part->first + bin]++;
                }
}
