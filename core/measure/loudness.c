/* Loudness by ITU-R BS.1770-4 and EBU R 128, block by block. Its recursive filter and gates are sequential, so
 * they run on the host, in libebur128. A build without that library computes the true peak only. */
#include <math.h>
#include <stdlib.h>

#include "halo/pool.h"
#include "halo/speakers.h"
#include "measure.h"

#ifdef HALO_HAVE_EBUR128
#include <ebur128.h>
#endif

struct Loudness {
#ifdef HALO_HAVE_EBUR128
    ebur128_state *state; /* NULL: loudness is undefined for this channel count or sample rate */
#endif
    TruePeak *peak;
    HaloPool *pool; /* the gates and the true peak take about as long: a thread for each */
};

#ifdef HALO_HAVE_EBUR128

/* The limits of libebur128, checked here since it reports them as a lack of memory. */
#define GATES_MOST_CHANNELS 64
#define GATES_LEAST_RATE 16
#define GATES_MOST_RATE 2822400

enum {
    LFE = 1 << 3,
    BACKS = 1 << 4 | 1 << 5,
    SIDES = 1 << 9 | 1 << 10,
};

/* Channels without loudspeakers are those of the usual layout of so many: as FLAC has it, where WAVE has none.
 */
static uint32_t usual_of(int channels)
{
    return channels == 3 ? 0x7 : channels == 5 ? 0x37 : channels == 7 ? 0x70f : halo_usual_speakers(channels);
}

/* Weights by where a channel comes from: 1.41 between 60 and 120 degrees, 0 of LFE, else 1. The backs stand at
 * 110 degrees, but at 135 where there are sides. The only channel counts fully. */
static void set_speakers(ebur128_state *state, int channels, const uint32_t *speakers)
{
    uint32_t all = 0;
    for (int c = 0; c < channels; c++) all |= speakers[c];
    const bool usual = all == 0;
    if (usual) all = usual_of(channels);
    for (int c = 0; c < channels; c++) {
        const uint32_t speaker = usual ? halo_speaker_of(all, c) : speakers[c];
        const bool wide = (speaker & SIDES) != 0 || ((speaker & BACKS) != 0 && (all & SIDES) == 0);
        int role = EBUR128_CENTER;
        if (channels > 1 && wide) role = EBUR128_LEFT_SURROUND;
        if (channels > 1 && speaker == LFE) role = EBUR128_UNUSED;
        ebur128_set_channel(state, (unsigned)c, role);
    }
}

static HaloStatus open_gates(Loudness *loudness, const HaloShape *shape, const uint32_t *speakers)
{
    const double rate = floor(shape->rate + 0.5);
    if (shape->channels > GATES_MOST_CHANNELS || !(rate >= GATES_LEAST_RATE && rate <= GATES_MOST_RATE))
        return HALO_OK;
    loudness->state =
        ebur128_init((unsigned)shape->channels, (unsigned long)rate, EBUR128_MODE_I | EBUR128_MODE_LRA);
    if (loudness->state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for loudness");
    set_speakers(loudness->state, shape->channels, speakers);
    return HALO_OK;
}

/* Without a message, which belongs to a thread. */
static HaloStatus add_gates(Loudness *loudness, const HaloBuf *frames)
{
    if (loudness->state == NULL) return HALO_OK;
    const size_t count = (size_t)frames->cols;
    if ((frames->shape.dtype == HALO_F64
             ? ebur128_add_frames_double(loudness->state, frames->data, count)
             : ebur128_add_frames_float(loudness->state, frames->data, count)) == EBUR128_SUCCESS)
        return HALO_OK;
    return HALO_ERR_LIMIT;
}

static void read_gates(const Loudness *loudness, HaloLoudness *made)
{
    ebur128_state *state = loudness->state;
    made->unknown = "loudness is undefined for this channel count or sample rate";
    if (state == NULL) return;
    made->unknown = NULL;
    if (ebur128_loudness_global(state, &made->integrated) != EBUR128_SUCCESS) made->integrated = NAN;
    if (ebur128_loudness_range(state, &made->range) != EBUR128_SUCCESS) made->range = NAN;
}

static void close_gates(Loudness *loudness)
{
    if (loudness->state != NULL) ebur128_destroy(&loudness->state);
}

#else

static HaloStatus open_gates(Loudness *loudness, const HaloShape *shape, const uint32_t *speakers)
{
    (void)loudness, (void)shape, (void)speakers;
    return HALO_OK;
}

static HaloStatus add_gates(Loudness *loudness, const HaloBuf *frames)
{
    (void)loudness, (void)frames;
    return HALO_OK;
}

static void read_gates(const Loudness *loudness, HaloLoudness *made)
{
    (void)loudness;
    made->unknown = "this build has no libebur128";
}

static void close_gates(Loudness *loudness) { (void)loudness; }

#endif

static HaloStatus open_loudness(Loudness *loudness, const HaloShape *shape, const uint32_t *speakers, int jobs,
                                HaloSimd simd)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_pool_new(jobs == 1 ? 1 : 2, &loudness->pool));
    HALO_TRY(open_gates(loudness, shape, speakers));
    HALO_TRY(true_peak_open(shape->channels, simd, &loudness->peak));
out:
    return status;
}

typedef struct Meters {
    Loudness *loudness;
    const HaloBuf *frames;
    HaloStatus gates;
} Meters;

static void run_meter(void *context, int64_t task, int worker)
{
    Meters *meters = context;
    const HaloBuf *frames = meters->frames;
    (void)worker;
    if (task == 0)
        meters->gates = add_gates(meters->loudness, frames);
    else
        true_peak_add(meters->loudness->peak, frames->shape.dtype, frames->data, frames->cols);
}

HaloStatus loudness_add(Loudness **loudness, const HaloBuf *frames, const uint32_t *speakers, int jobs,
                        HaloSimd simd)
{
    HaloStatus status = HALO_OK;
    if (frames->shape.dtype <= HALO_U16) return HALO_OK;
    if (*loudness == NULL) {
        *loudness = calloc(1, sizeof **loudness);
        if (*loudness == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
        HALO_TRY(open_loudness(*loudness, &frames->shape, speakers, jobs, simd));
    }
    Meters meters = {.loudness = *loudness, .frames = frames};
    halo_pool_run((*loudness)->pool, 2, run_meter, &meters);
    if (meters.gates != HALO_OK)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for the loudness of %lld frames", (long long)frames->cols);
out:
    return status;
}

HaloLoudness loudness_end(Loudness *loudness, bool finite)
{
    HaloLoudness made = {NAN, NAN, NAN, NULL};
    if (!finite) {
        made.unknown = "some samples are NaN or infinite";
    } else if (loudness == NULL) {
        made.unknown = "its samples are integers";
    } else {
        read_gates(loudness, &made);
        made.true_peak = true_peak_end(loudness->peak);
    }
    return made;
}

void loudness_close(Loudness *loudness)
{
    if (loudness == NULL) return;
    close_gates(loudness);
    true_peak_close(loudness->peak);
    halo_pool_free(loudness->pool);
    free(loudness);
}
