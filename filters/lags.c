/* Correlation at few lags. Frames n ... n + block of the first sound meet frames n - behind ... n + block +
 * before of the second one in a transform; products of transforms are summed, and go back once. */
#include "lags.h"

#include <math.h>
#include <string.h>

#include "found.h"
#include "halo/fourier.h"
#include "halo/sequence.h"

#define LEAST_SIZE 65536

int64_t lags_size(int64_t before, int64_t behind)
{
    int64_t size = LEAST_SIZE;
    while (size < 2 * (before + behind + 1)) size *= 2;
    return size;
}

/* ---- both sounds as channels of one ---------------------------------------------------------------------- */

static HaloStatus beside_shape(const void *how, const HaloShape *src, HaloShape *dst)
{
    (void)how;
    dst->channels = 2 * src->channels;
    return HALO_OK;
}

static void beside_run(const void *how, const HaloSequencePart *part)
{
    const int channels = ((const Lags *)how)->channels;
    for (int c = 0; c < 2 * channels; c++) {
        const double *from = part->src[c / channels]->at[c % channels];
        for (int64_t i = 0; i < part->dst->to - part->dst->from; i++) part->dst->at[c][i] = from[i];
    }
}

static const HaloSequenceKind beside = {
    .name = "both sounds", .shape = beside_shape, .ns = 1.0, .run = beside_run};

/* *out = `in` with zeros behind it, `width` frames. */
static HaloStatus extend(HaloBuilder *builder, HaloReg in, int64_t width, HaloReg *out)
{
    const HaloGather longer = {
        .width = width, .height = 1, .step_x = 1, .step_y = 1, .border = HALO_BORDER_ZERO};
    *out = in;
    if (halo_build_shape(builder, in)->width == width) return HALO_OK;
    return halo_build_gather(builder, in, &longer, out);
}

/* ---- blocks ---------------------------------------------------------------------------------------------- */

/* Behind it, of each channel: `ahead` frames of the first sound, `behind` more of the second one, the spectrum,
 * both energies; and two transforms. */
typedef struct Blocks {
    int64_t frames; /* so far */
    int64_t done;   /* frames in blocks */
} Blocks;

/* Frames of the first sound that wait for a block. */
static int64_t ahead(const Lags *how) { return how->block + how->before; }

static int64_t doubles_of_channel(const Lags *how) { return 2 * ahead(how) + how->behind + how->size + 2 + 2; }

static int64_t blocks_bytes(const Lags *how)
{
    return (int64_t)sizeof(Blocks) +
           (int64_t)sizeof(double) * (how->channels * doubles_of_channel(how) + 2 * (how->size + 2));
}

static double *channel_of(const Lags *how, const void *found, int c)
{
    return (double *)(void *)((char *)found + sizeof(Blocks)) + c * doubles_of_channel(how);
}

static double *second_of(const Lags *how, double *channel) { return channel + ahead(how); }

static double *spectrum_of(const Lags *how, double *channel)
{
    return second_of(how, channel) + how->behind + ahead(how);
}

static double *energy_of(const Lags *how, double *channel) { return spectrum_of(how, channel) + how->size + 2; }

/* Lag 0 is at frame 0 of the second sound's block: those before it are at the end of the transform. */
static void correlate(const Lags *how, double *channel, double *x, double *y)
{
    const int64_t n = how->size;
    double *const second = second_of(how, channel), *const sum = spectrum_of(how, channel);
    for (int64_t i = 0; i < n; i++) x[i] = i < how->block ? channel[i] : 0.0;
    for (int64_t i = 0; i < n; i++) y[i] = i < ahead(how) ? second[how->behind + i] : 0.0;
    for (int64_t i = 0; i < how->behind; i++) y[n - how->behind + i] = second[i];
    halo_fourier_real(x, n, how->turn);
    halo_fourier_real(y, n, how->turn);
    for (int64_t k = 0; k <= n; k += 2) {
        sum[k] = sum[k] + (x[k] * y[k] + x[k + 1] * y[k + 1]);
        sum[k + 1] = sum[k + 1] + (x[k + 1] * y[k] - x[k] * y[k + 1]);
    }
}

static void add_block(const Lags *how, Blocks *found)
{
    double *const x = channel_of(how, found, how->channels), *const y = x + how->size + 2;
    for (int c = 0; c < how->channels; c++) {
        double *const channel = channel_of(how, found, c), *const second = second_of(how, channel);
        const size_t kept = sizeof(double) * (size_t)how->before, block = sizeof(double) * (size_t)how->block;
        correlate(how, channel, x, y);
        memmove(channel, channel + how->block, kept);
        memset(channel + how->before, 0, block);
        memmove(second, second + how->block, kept + sizeof(double) * (size_t)how->behind);
        memset(second + how->before + how->behind, 0, block);
    }
    found->done += how->block;
}

static void take_frames(const void *parameters, void *found_at, const HaloBuf *frames)
{
    const Lags *how = parameters;
    Blocks *found = found_at;
    for (int64_t i = 0; i < frames->cols; i++) {
        const int64_t at = found->frames++ - found->done;
        for (int c = 0; c < how->channels; c++) {
            double *const channel = channel_of(how, found, c), *const energy = energy_of(how, channel);
            const double a = found_sample(frames, i, c), b = found_sample(frames, i, how->channels + c);
            channel[at] = a;
            second_of(how, channel)[how->behind + at] = b;
            energy[0] = energy[0] + a * a;
            energy[1] = energy[1] + b * b;
        }
        if (at + 1 == ahead(how)) add_block(how, found);
        while (found->frames == how->width && found->done < how->width) add_block(how, found);
    }
}

HaloStatus lags_find(HaloBuilder *builder, HaloReg in, HaloReg other, Lags *how, double **value)
{
    HaloStatus status = HALO_OK;
    HaloReg both;
    const int64_t lags = how->before + how->behind + 1, n = how->size;
    const HaloAnalysis analysis = {
        .part = {0, how->width}, .bytes = blocks_bytes(how), .how = how, .take = take_frames};
    const void *found;
    double *const turn = halo_build_keep(builder, (size_t)(n + 2) * sizeof *turn);
    double *const back = halo_build_keep(builder, (size_t)(n + 2) * sizeof *back);
    *value = halo_build_keep(builder, (size_t)(how->channels * lags) * sizeof **value);
    if (turn == NULL || back == NULL || *value == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    halo_fourier_turns(n, turn);
    how->turn = turn;
    HALO_TRY(extend(builder, in, how->width, &in));
    HALO_TRY(extend(builder, other, how->width, &other));
    HALO_TRY(halo_build_sequence_of_two(builder, in, other, &beside, how, &both));
    HALO_TRY(halo_build_analysis_of_frames(builder, both, &analysis, &found));
    for (int c = 0; c < how->channels; c++) {
        double *const channel = channel_of(how, found, c), *const energy = energy_of(how, channel);
        const double scale = how->coefficient ? sqrt(energy[0]) * sqrt(energy[1]) : 1.0;
        memcpy(back, spectrum_of(how, channel), (size_t)(n + 2) * sizeof *back);
        halo_fourier_real_back(back, n, turn);
        for (int64_t k = 0; k < lags; k++) (*value)[c * lags + k] = back[(k - how->before + n) % n] / scale;
    }
out:
    return status;
}
