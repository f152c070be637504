/* Loudness by ITU-R BS.1770-4 and EBU R 128, block by block: a recursive filter and gates that follow the sound
 * in time, so they run on the host and are libebur128's. A build without it measures no loudness. */
#include <math.h>
#include <stdlib.h>

#include "core.h"

#ifdef HALO_HAVE_EBUR128
#include <ebur128.h>

struct Loudness {
    ebur128_state *state; /* NULL: so many channels or such a rate have no loudness */
};

static HaloStatus open_loudness(const HaloShape *shape, bool true_peak, Loudness **loudness)
{
    const int mode = EBUR128_MODE_I | EBUR128_MODE_LRA | (true_peak ? EBUR128_MODE_TRUE_PEAK : 0);
    *loudness = calloc(1, sizeof **loudness);
    if (*loudness == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    if (shape->rate >= 1 && shape->rate < 1e9)
        (*loudness)->state = ebur128_init((unsigned)shape->channels, (unsigned long)(shape->rate + 0.5), mode);
    return HALO_OK;
}

HaloStatus loudness_add(Loudness **loudness, const HaloBuf *frames, bool true_peak)
{
    if (frames->shape.dtype != HALO_F32) return HALO_OK;
    if (*loudness == NULL) {
        const HaloStatus status = open_loudness(&frames->shape, true_peak, loudness);
        if (status != HALO_OK) return status;
    }
    ebur128_state *state = (*loudness)->state;
    if (state == NULL) return HALO_OK;
    if (ebur128_add_frames_float(state, frames->data, (size_t)frames->cols) != EBUR128_SUCCESS)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for the loudness of %lld frames",
                         (long long)frames->cols);
    return HALO_OK;
}

HaloLoudness loudness_of(const Loudness *loudness)
{
    HaloLoudness made = {NAN, NAN, NAN};
    ebur128_state *state = loudness != NULL ? loudness->state : NULL;
    if (state == NULL) return made;
    if (ebur128_loudness_global(state, &made.integrated) != EBUR128_SUCCESS) made.integrated = NAN;
    if (ebur128_loudness_range(state, &made.range) != EBUR128_SUCCESS) made.range = NAN;
    if ((state->mode & EBUR128_MODE_TRUE_PEAK) != EBUR128_MODE_TRUE_PEAK) return made;
    double most = 0.0;
    for (unsigned c = 0; c < state->channels; c++) {
        double peak;
        if (ebur128_true_peak(state, c, &peak) == EBUR128_SUCCESS && peak > most) most = peak;
    }
    made.true_peak = 20.0 * log10(most);
    return made;
}

void loudness_close(Loudness *loudness)
{
    if (loudness != NULL && loudness->state != NULL) ebur128_destroy(&loudness->state);
    free(loudness);
}

#else

HaloStatus loudness_add(Loudness **loudness, const HaloBuf *frames, bool true_peak)
{
    (void)loudness;
    (void)frames;
    (void)true_peak;
    return HALO_OK;
}

HaloLoudness loudness_of(const Loudness *loudness)
{
    (void)loudness;
    return (HaloLoudness){NAN, NAN, NAN};
}

void loudness_close(Loudness *loudness) { (void)loudness; }

#endif
