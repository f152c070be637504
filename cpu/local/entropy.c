/* The entropy of windows: counts of bins, from one window to the next. */
#include <math.h>
#include <string.h>

#include "local.h"

#define NO_BIN (-1)
#define NAN_BIN (-2)

typedef struct Counts {
    const CpuLocalTile *tile;
    const int64_t *information;
    uint32_t *count; /* [bins] */
    int64_t n, nan;  /* samples in bins; and NaN */
    int64_t sum;     /* of the information of all counts */
} Counts;

int64_t cpu_local_entropy_bytes(const CpuLocal *l)
{
    const int64_t samples = l->how->window.width * l->how->window.height;
    return (samples + 1) * (int64_t)sizeof(int64_t) + l->how->bins * (int64_t)sizeof(uint32_t);
}

void cpu_local_bins(const CpuLocalTile *tile, float *line, int64_t n)
{
    const HaloLocal *how = tile->l->how;
    const HaloBins bins = halo_bins(how->lo, how->hi, how->bins);
    for (int64_t i = 0; i < n; i++) {
        const float v = line[i];
        const int64_t bin = v != v ? NAN_BIN : halo_bin(&bins, (double)v);
        const int32_t kept = v != v ? NAN_BIN : bin < 0 ? NO_BIN : (int32_t)bin;
        memcpy(&line[i], &kept, sizeof kept);
    }
}

static void take(Counts *counts, int64_t row, int64_t x, int64_t c, int by)
{
    const CpuLocal *l = counts->tile->l;
    const float *at = counts->tile->line + row * l->pitch + x * l->dst->shape.channels + c;
    for (int64_t j = 0; j < l->how->window.height; j++, at += l->pitch) {
        int32_t bin;
        memcpy(&bin, at, sizeof bin);
        if (bin == NAN_BIN) counts->nan += by;
        if (bin < 0) continue;
        const uint32_t was = counts->count[bin], is = was + (uint32_t)by;
        counts->count[bin] = is;
        counts->sum += counts->information[is] - counts->information[was];
        counts->n += by;
    }
}

static float entropy_of(const Counts *counts)
{
    if (counts->n == 0 || (counts->nan > 0 && !counts->tile->l->how->window.nan_ignore)) return NAN;
    const int64_t bits = counts->information[counts->n] - counts->sum;
    return (float)((double)bits / ((double)counts->n * 4294967296.0));
}

void cpu_local_entropy(const CpuLocalTile *tile, int64_t row)
{
    const CpuLocal *l = tile->l;
    const int64_t width = l->how->window.width, channels = l->dst->shape.channels;
    const int64_t samples = width * l->how->window.height;
    int64_t *const information = (int64_t *)(void *)tile->own;
    Counts counts = {
        .tile = tile, .information = information, .count = (uint32_t *)(information + samples + 1)};
    if (row == 0) halo_local_information(samples, information);
    for (int64_t c = 0; c < channels; c++) {
        memset(counts.count, 0, (size_t)l->how->bins * sizeof *counts.count);
        counts.n = counts.nan = counts.sum = 0;
        for (int64_t x = 0; x < width - 1; x++) take(&counts, row, x, c, 1);
        for (int64_t x = 0; x < tile->cols; x++) {
            take(&counts, row, x + width - 1, c, 1);
            tile->out[x * channels + c] = entropy_of(&counts);
            take(&counts, row, x, c, -1);
        }
    }
}
