/* Peaks between samples, as meters show them. Four values between two samples tell whether there may be one;
 * then eight, and the vertex of the parabola through the greatest and its neighbours, come within 0.01 dB of
 * the true peak. Meters with a short filter, such as FFmpeg's ebur128, show more than that of what is close to
 * half the rate: so what such a filter makes counts, too. Which places FFmpeg shows depends on the rate, since
 * it converts to 192 kHz: at 44.1 kHz 640 of them between two samples. */
#include "peaks.h"

#include <math.h>

enum { LINE = PEAKS_TAPS + PEAKS_BLOCK, POINTS = PEAKS_PARTS * PEAKS_BLOCK + 2 };

/* Sound that nowhere exceeds P is at most P (pi h)^2 / 8 above the greater of two points h samples apart
 * (core/measure/truepeak.c), and P is at most 3 times the greatest sample in reach: the sum of the taps'
 * magnitudes. So values between points are computed only where they may exceed the limit. */
#define ABOVE(h) (3.0 * 1.2338 * (h) * (h))

#define FEW_BETA 9.0
enum { FEW_TAPS = 32 };

typedef double Two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double Eight __attribute__((vector_size(64), aligned(8), may_alias));

void peaks_open(Peaks *peaks, double limit)
{
    PeaksFilter *full = &peaks->full, *few = &peaks->few;
    peaks->limit = limit;
    full->taps = PEAKS_TAPS;
    few->taps = FEW_TAPS;
    for (int p = 1; p < PEAKS_PARTS; p++) {
        const double place = (double)p / PEAKS_PARTS;
        double sum = 0.0;
        for (int i = 0; i < PEAKS_TAPS; i++)
            full->tap[p][i] = halo_true_peak_tap(HALO_TRUE_PEAK_SIDE, HALO_TRUE_PEAK_BETA, place, i);
        for (int i = 0; i < FEW_TAPS; i++) {
            few->tap[p][i] = halo_true_peak_tap(FEW_TAPS / 2, FEW_BETA, place, i);
            sum += few->tap[p][i];
        }
        for (int i = 0; i < FEW_TAPS; i++) few->tap[p][i] /= sum;
    }
}

/* A channel: line[0] is the sample PEAKS_TAPS / 2 before the block. Outside of the sound is silence or,
 * `mirrored`, its mirror image about the first sample and behind the last, as FFmpeg's resampler has it. */
static void fill(const HaloSequenceLines *src, int channel, int64_t from, bool mirrored, double line[LINE])
{
    for (int64_t i = 0; i < LINE; i++) {
        int64_t x = from + i;
        if (mirrored && x < 0) x = -x;
        if (mirrored && x >= src->width) x = 2 * src->width - 1 - x;
        line[i] = x >= src->from && x < src->to ? src->at[channel][x - src->from] : 0.0;
    }
}

static double greatest(const double *at, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        if (fabs(at[i]) > most) most = fabs(at[i]);
    return most;
}

/* The values behind each sample of the block, which taps of a place give. These are added in their order. */
#define BETWEEN(name, target, Vector)                                                                     \
    target static void name(const double *tap, int taps, const double *sample, double value[PEAKS_BLOCK]) \
    {                                                                                                     \
        enum { LANES = sizeof(Vector) / sizeof(double), VECTORS = PEAKS_BLOCK / LANES };                  \
        const double *first = sample - (taps / 2 - 1);                                                    \
        Vector sum[VECTORS] = {{0}};                                                                      \
        for (int k = 0; k < taps; k++) {                                                                  \
            const Vector *at = (const Vector *)(first + k), weight = (Vector){0} + tap[k];                \
            _Pragma("GCC unroll 8") for (int i = 0; i < VECTORS; i++) sum[i] += weight * at[i];           \
        }                                                                                                 \
        for (int i = 0; i < PEAKS_BLOCK; i++) value[i] = sum[i / LANES][i % LANES];                       \
    }

BETWEEN(between_baseline, , Two)
BETWEEN(between_v3, HALO_SIMD_TARGET_V3, Four)
BETWEEN(between_v4, HALO_SIMD_TARGET_V4, Eight)

static void between(HaloSimd simd, const double *tap, int taps, const double *sample, double value[PEAKS_BLOCK])
{
    if (simd == HALO_SIMD_V4)
        between_v4(tap, taps, sample, value);
    else if (simd == HALO_SIMD_V3)
        between_v3(tap, taps, sample, value);
    else
        between_baseline(tap, taps, sample, value);
}

/* The magnitude at the vertex of the parabola through three points, the second of which is the greatest. */
static double vertex(double before, double at, double after)
{
    const double sign = at < 0 ? -1.0 : 1.0;
    const double bend = 2.0 * at - before - after, tilt = after - before;
    return sign * (bend * sign > 0 ? at + tilt * tilt / (8.0 * bend) : at);
}

static void add_peak(double found, double limit, double *peak)
{
    if (found > limit && found > *peak) *peak = found;
}

/* Of frames `first` to `end` of the block. point[0] is 1/8 before the block, point[1] its first sample. */
static void add_vertices(const double point[POINTS], double limit, int64_t first, int64_t end,
                         double peak[PEAKS_BLOCK])
{
    for (int64_t i = 1 + first * PEAKS_PARTS; i <= end * PEAKS_PARTS; i++) {
        const double at = fabs(point[i]);
        if (!(at > 0.95 * limit) || at < fabs(point[i - 1]) || at < fabs(point[i + 1])) continue;
        add_peak(vertex(point[i - 1], point[i], point[i + 1]), limit, &peak[(i - 1) / PEAKS_PARTS]);
    }
}

/* All points of the block, that of 1/8 before it, and the one behind it. */
static void gather(const PeaksFilter *filter, const double *sample, double (*value)[PEAKS_BLOCK],
                   double point[POINTS])
{
    const double *first = sample - filter->taps / 2;
    point[0] = 0.0;
    for (int k = 0; k < filter->taps; k++) point[0] += filter->tap[PEAKS_PARTS - 1][k] * first[k];
    for (int i = 0; i < PEAKS_BLOCK; i++) {
        point[1 + i * PEAKS_PARTS] = sample[i];
        for (int p = 1; p < PEAKS_PARTS; p++) point[1 + i * PEAKS_PARTS + p] = value[p][i];
    }
    point[POINTS - 1] = sample[PEAKS_BLOCK];
}

static void find_by(const PeaksFilter *filter, double limit, HaloSimd simd, const double line[LINE],
                    int64_t first, int64_t end, double peak[PEAKS_BLOCK])
{
    const double *sample = line + PEAKS_TAPS / 2, reach = greatest(line, LINE);
    double value[PEAKS_PARTS][PEAKS_BLOCK], point[POINTS], most = greatest(sample, PEAKS_BLOCK + 1);
    for (int step = PEAKS_PARTS; step > 1; step /= 2) {
        const double h = (double)step / PEAKS_PARTS;
        if (!(most + ABOVE(h) * reach > limit)) return;
        for (int p = step / 2; p < PEAKS_PARTS; p += step) {
            between(simd, filter->tap[p], filter->taps, sample, value[p]);
            most = fmax(most, greatest(value[p], PEAKS_BLOCK));
        }
    }
    gather(filter, sample, value, point);
    add_vertices(point, limit, first, end, peak);
}

void peaks_find(const Peaks *peaks, HaloSimd simd, const HaloSequenceLines *src, int64_t block,
                double peak[PEAKS_BLOCK])
{
    const int64_t from = block * PEAKS_BLOCK - PEAKS_TAPS / 2;
    const bool inside = from >= 0 && from + LINE <= src->width;
    const int64_t first = block < 0 ? PEAKS_BLOCK : 0, left = src->width - block * PEAKS_BLOCK;
    double line[LINE];
    for (int i = 0; i < PEAKS_BLOCK; i++) peak[i] = 0.0;
    for (int c = 0; c < src->channels; c++) {
        fill(src, c, from, false, line);
        find_by(&peaks->full, peaks->limit, simd, line, 0, PEAKS_BLOCK, peak);
        if (!inside) fill(src, c, from, true, line);
        find_by(&peaks->few, peaks->limit, simd, line, first, left < PEAKS_BLOCK ? left : PEAKS_BLOCK, peak);
    }
}
