/* Frames of joined sounds in a queue: if another input follows, the last ones stay in it for the crossfade. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/fade.h"
#include "part.h"

/* f32 becomes f64 in place. */
static void widen(void *samples, int64_t count)
{
    for (int64_t i = count - 1; i >= 0; i--) {
        float narrow;
        memcpy(&narrow, (const char *)samples + i * 4, sizeof narrow);
        const double wide = (double)narrow;
        memcpy((char *)samples + i * 8, &wide, sizeof wide);
    }
}

/* Up to `frames` of an input, behind those that `to` has already. */
static HaloStatus read_frames(JoinInput *input, HaloBuf *to, int64_t frames, int64_t *got)
{
    const int64_t width = input->reader.info.shape.width;
    HaloBuf rest = *to;
    rest.x0 = to->x0 + to->cols;
    rest.cols = *got = width < 0 ? frames : smaller(frames, width - input->frames);
    rest.data = halo_at(to, rest.x0, 0);
    if (rest.cols < 1) return HALO_OK;
    rest.shape.dtype = input->reader.info.shape.dtype;
    const HaloStatus status = load_rows(&input->reader, &rest, got);
    if (rest.shape.dtype != to->shape.dtype) widen(rest.data, *got * to->shape.channels);
    input->frames += *got;
    to->cols += *got;
    return status;
}

static HaloStatus too_short(const JoinRun *run, const JoinInput *input)
{
    return halo_fail_on(HALO_ERR_INPUT, input->path, " has %lld frame%s, fewer than the %lld of a crossfade",
                        (long long)input->frames, halo_s(input->frames), (long long)run->overlap);
}

HaloStatus frames_make_gain(HaloCrossfade curve, float **gain)
{
    const double pi = 3.14159265358979323846;
    if (curve == HALO_CROSSFADE_LINEAR) return HALO_OK;
    *gain = malloc((HALO_FADE_PLACES + 1) * sizeof **gain);
    if (*gain == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int i = 0; i <= HALO_FADE_PLACES; i++) {
        const double t = (double)i / HALO_FADE_PLACES;
        (*gain)[i] = (float)(curve == HALO_CROSSFADE_POWER ? sin(pi / 2 * t) : 0.5 - 0.5 * cos(pi * t));
    }
    return HALO_OK;
}

/* The gain of the sound that begins, at frame k of n. */
static double gain_at(const float *gain, int64_t k, int64_t n)
{
    return gain != NULL ? (double)halo_fade_gain(gain, k, n) : (double)(2 * k + 1) / (double)(2 * n);
}

static void cross_wide(const JoinRun *run)
{
    const int64_t channels = run->shape.channels, n = run->overlap;
    double *tail = (double *)run->waiting.data + (run->waiting.cols - n) * channels;
    const double *head = run->head.data;
    for (int64_t k = 0; k < n; k++) {
        const double come = gain_at(run->gain, k, n), gone = gain_at(run->gain, n - 1 - k, n);
        for (int64_t c = 0; c < channels; c++, tail++, head++) *tail = halo_fma_f64(*head, come, *tail * gone);
    }
}

/* Crossfades the head of an input with the last frames of the queue. */
static void cross(const JoinRun *run)
{
    if (run->shape.dtype == HALO_F64) {
        cross_wide(run);
        return;
    }
    const int64_t channels = run->shape.channels, n = run->overlap;
    float *tail = (float *)run->waiting.data + (run->waiting.cols - n) * channels;
    const float *head = run->head.data;
    for (int64_t k = 0; k < n; k++) {
        const float come = (float)gain_at(run->gain, k, n), gone = (float)gain_at(run->gain, n - 1 - k, n);
        for (int64_t c = 0; c < channels; c++, tail++, head++) *tail = halo_fma(*head, come, *tail * gone);
    }
}

static HaloStatus next_input(JoinRun *run)
{
    HaloStatus status = HALO_OK;
    JoinInput *input = &run->input[run->at];
    run->ended = run->at + 1 == run->join->inputs;
    if (run->ended) return HALO_OK;
    if (input->frames < run->overlap) return too_short(run, input);
    if (run->at > 0) inputs_end(run, input);
    input = &run->input[++run->at];
    HALO_TRY(inputs_open(run, input));
    run->head.cols = 0;
    for (int64_t got = 1; run->head.cols < run->overlap && got > 0;)
        HALO_TRY(read_frames(input, &run->head, run->overlap - run->head.cols, &got));
    if (run->head.cols < run->overlap) HALO_TRY(too_short(run, input));
    cross(run);
out:
    return status;
}

HaloStatus frames_fill(JoinRun *run)
{
    HaloStatus status = HALO_OK;
    while (!run->ended && run->waiting.cols < run->band + run->overlap) {
        const int64_t capacity = run->band + run->overlap - run->waiting.cols;
        int64_t got;
        HALO_TRY(read_frames(&run->input[run->at], &run->waiting, capacity, &got));
        if (got < capacity) HALO_TRY(next_input(run));
    }
out:
    return status;
}
