/* Rows that become longer: neighbouring outputs read from the same or the next pixel on, so that what a vector
 * of outputs reads for one tap lies within as many elements of the source, unless a pixel has more channels.
 * Outputs at the ends that have fewer taps get zeros behind them; over integers these change nothing, as a sum
 * is never -0. */
#include <string.h>

#include "primitives.h"
#include "resample.h"

/* Of more taps what is read and permuted again for each of them costs more than transposing once. */
#define MOST_TAPS 6

bool cpu_spread_suits(const HaloDevice *device, const HaloBuf *src, const HaloResampleAxis *axis)
{
    return device->kernels->spread->rows != NULL && src->shape.dtype <= HALO_U16 && axis->length < axis->size &&
           axis->taps <= MOST_TAPS && src->shape.channels <= device->kernels->spread->lanes;
}

bool cpu_spread_reserve(CpuSpreadLayout *layout, const HaloDevice *device, int64_t cols, int64_t channels,
                        const HaloResampleAxis *axis, int64_t *total)
{
    const int64_t lanes = device->kernels->spread->lanes, taps = axis->taps;
    layout->taps = taps;
    layout->channels = channels;
    layout->period = axis->up > 0 ? axis->up * channels / halo_common_divisor(axis->up * channels, lanes) : 1;
    layout->vectors = divide_up(cols * channels, lanes);
    layout->line = divide_up((cols + 2 * taps) * channels + 2 * lanes, 16) * 16;
    return cpu_reserve(total, layout->vectors, sizeof(int64_t), &layout->at_base) &&
           cpu_reserve(total, layout->vectors, sizeof(int32_t), &layout->at_kind) &&
           cpu_reserve(total, layout->vectors * lanes, sizeof(int32_t), &layout->at_place) &&
           cpu_reserve(total, layout->vectors * lanes * taps, sizeof(float), &layout->at_tap) &&
           cpu_reserve(total, layout->line * CPU_SPREAD_ROWS, sizeof(float), &layout->at_lines);
}

static bool are_alike(const CpuSpread *s, int64_t lanes, int64_t a, int64_t b)
{
    return memcmp(s->place + a * lanes, s->place + b * lanes, (size_t)lanes * sizeof *s->place) == 0 &&
           memcmp(s->tap + a * lanes * s->taps, s->tap + b * lanes * s->taps,
                  (size_t)(lanes * s->taps) * sizeof *s->tap) == 0;
}

CpuSpread cpu_spread_begin(const CpuSpreadLayout *layout, const HaloDevice *device,
                           const HaloResampleTaps *taps, int64_t cols, char *scratch)
{
    const int64_t lanes = device->kernels->spread->lanes, channels = layout->channels, n = cols * channels;
    CpuSpread s = {.vectors = divide_up(n, lanes), .taps = layout->taps, .channels = channels};
    int64_t kinds = 0;
    s.base = (int64_t *)(void *)(scratch + layout->at_base);
    s.kind = (int32_t *)(void *)(scratch + layout->at_kind);
    s.place = (int32_t *)(void *)(scratch + layout->at_place);
    s.tap = (float *)(void *)(scratch + layout->at_tap);
    memset(scratch + layout->at_lines, 0, (size_t)(layout->line * CPU_SPREAD_ROWS) * sizeof(float));
    for (int64_t v = 0; v < s.vectors; v++) {
        int64_t from[CPU_RESAMPLE_LANES], base = INT64_MAX;
        for (int64_t l = 0; l < lanes; l++) {
            const int64_t e = least(v * lanes + l, n - 1);
            const HaloResampleTaps *const t = &taps[e / channels];
            from[l] = (t->first - taps[0].first) * channels + e % channels;
            base = least(base, from[l]);
            for (int64_t j = 0; j < s.taps; j++)
                s.tap[(kinds * s.taps + j) * lanes + l] = j < t->count ? t->tap[j] : 0.0f;
        }
        s.base[v] = base;
        for (int64_t l = 0; l < lanes; l++) s.place[kinds * lanes + l] = (int32_t)(from[l] - base);
        const bool again = v >= layout->period && are_alike(&s, lanes, s.kind[v - layout->period], kinds);
        s.kind[v] = again ? s.kind[v - layout->period] : (int32_t)kinds++;
    }
    return s;
}

void cpu_spread_load(const CpuSpreadLayout *layout, const HaloDevice *device, const HaloBuf *src, int64_t first,
                     int64_t pixels, int64_t y, int64_t rows, char *scratch, const float *line[CPU_SPREAD_ROWS])
{
    float *const lines = (float *)(void *)(scratch + layout->at_lines);
    for (int64_t r = 0; r < CPU_SPREAD_ROWS; r++) {
        line[r] = lines + least(r, rows - 1) * layout->line;
        if (r < rows)
            device->kernels->rows->load[src->shape.dtype](halo_at(src, first, y + r), pixels * layout->channels,
                                                          lines + r * layout->line);
    }
}
