/* Writing WAVE, and RF64 (EBU Tech 3306) where 32 bits do not hold the length.
 *
 * Where the length is known the header is right from the start, also on pipes. Where it is not, a file leaves
 * room for RF64's sizes and is put right at the end; on a pipe both lengths are 0xffffffff, which readers of
 * pipes take for "until the end". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "image.h" /* metadata */
#include "wav.h"

#define BLOCK_SAMPLES 16384
#define WIDEST 0xffffffffll
#define DS64_BYTES 28

typedef struct WavWriter {
    HaloPcm pcm;
    bool wide, endless;
    bool wanted_wide; /* RF64 was asked for */
    int64_t at;       /* bytes so far */
    int64_t start;    /* of the samples */
    int64_t fact;     /* where the number of frames stands, or 0 */
    int64_t frames;   /* so far */
    int64_t behind;   /* bytes of chunks that the header has counted behind the samples */
    HaloBlob info;    /* texts of other formats, as a LIST */
    uint8_t block[BLOCK_SAMPLES * 8];
} WavWriter;

/* ---- small pieces --------------------------------------------------------------------------------------- */

static HaloStatus put(HaloWriter *writer, const void *bytes, size_t size)
{
    WavWriter *state = writer->state;
    state->at += (int64_t)size;
    return halo_sink_write(writer->sink, bytes, size);
}

static HaloStatus put_number(HaloWriter *writer, uint64_t value, size_t bytes)
{
    uint8_t b[8];
    for (size_t i = 0; i < bytes; i++) b[i] = (uint8_t)(value >> 8 * i);
    return put(writer, b, bytes);
}

/* A name and a number of 32 bits: how chunks begin. */
static HaloStatus put_lead(HaloWriter *writer, const char *id, uint64_t size)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(put(writer, id, 4));
    HALO_TRY(put_number(writer, size, 4));
out:
    return status;
}

/* ---- chunks around the samples -------------------------------------------------------------------------- */

static int64_t chunk_bytes(const HaloBlob *bytes) { return 8 + (int64_t)(bytes->size + bytes->size % 2); }

static int64_t chunks_bytes(const HaloMeta *meta, bool behind)
{
    int64_t total = 0;
    for (size_t i = 0; i < meta->chunks; i++)
        if (meta->chunk[i].behind == behind) total += chunk_bytes(&meta->chunk[i].bytes);
    return total;
}

static HaloStatus put_chunk(HaloWriter *writer, const char *id, const HaloBlob *bytes)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(put_lead(writer, id, bytes->size));
    HALO_TRY(put(writer, bytes->data, bytes->size));
    if (bytes->size % 2 == 1) HALO_TRY(put_number(writer, 0, 1));
out:
    return status;
}

static HaloStatus put_chunks(HaloWriter *writer, bool behind)
{
    HaloStatus status = HALO_OK;
    const HaloMeta *meta = &writer->info.meta;
    for (size_t i = 0; i < meta->chunks; i++)
        if (meta->chunk[i].behind == behind)
            HALO_TRY(put_chunk(writer, meta->chunk[i].id, &meta->chunk[i].bytes));
out:
    return status;
}

/* ---- the header ----------------------------------------------------------------------------------------- */

/* Which loudspeakers the channels are for, where nobody has said it: mono, stereo, quad, 5.1, 7.1. */
static uint32_t usual_speakers(int channels)
{
    static const uint32_t usual[9] = {0, 0x4, 0x3, 0, 0x33, 0, 0x3f, 0, 0xff};
    return channels <= 8 ? usual[channels] : 0;
}

static HaloStatus put_format(HaloWriter *writer)
{
    /* The tail of the GUIDs that stand for WAVE's old tags. */
    static const uint8_t guid[14] = {0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    HaloStatus status = HALO_OK;
    const WavWriter *state = writer->state;
    const HaloShape *shape = &writer->info.shape;
    const uint32_t usual = usual_speakers(shape->channels), said = writer->info.speakers;
    const bool extended = shape->channels > 2 || (said != 0 && said != usual);
    const unsigned tag = state->pcm.real ? WAV_FLOAT : WAV_PCM;
    const uint64_t frame = (uint64_t)(shape->channels * halo_pcm_size(&state->pcm)),
                   rate = (uint64_t)shape->rate;
    HALO_TRY(put_lead(writer, "fmt ", extended ? 40 : state->pcm.real ? 18 : 16));
    HALO_TRY(put_number(writer, extended ? WAV_EXTENSIBLE : tag, 2));
    HALO_TRY(put_number(writer, (uint64_t)shape->channels, 2));
    HALO_TRY(put_number(writer, rate, 4));
    HALO_TRY(put_number(writer, rate * frame, 4));
    HALO_TRY(put_number(writer, frame, 2));
    HALO_TRY(put_number(writer, (uint64_t)state->pcm.bits, 2));
    if (!extended) return state->pcm.real ? put_number(writer, 0, 2) : HALO_OK;
    HALO_TRY(put_number(writer, 22, 2));
    HALO_TRY(put_number(writer, (uint64_t)state->pcm.bits, 2));
    HALO_TRY(put_number(writer, said != 0 ? said : usual, 4));
    HALO_TRY(put_number(writer, tag, 2));
    HALO_TRY(put(writer, guid, sizeof guid));
out:
    return status;
}

/* Everything up to the samples, for `bytes` of them in `frames` and a whole of `total`. */
static HaloStatus put_header(HaloWriter *writer, int64_t total, int64_t bytes, int64_t frames)
{
    HaloStatus status = HALO_OK;
    WavWriter *state = writer->state;
    const bool open = bytes < 0;
    const int64_t narrow_total = open || state->wide ? WIDEST : total - 8;
    const int64_t narrow_bytes = open || state->wide ? WIDEST : bytes;
    HALO_TRY(put_lead(writer, state->wide ? "RF64" : "RIFF", (uint64_t)narrow_total));
    HALO_TRY(put(writer, "WAVE", 4));
    if (state->wide || (state->endless && halo_sink_seekable(writer->sink))) {
        HALO_TRY(put_lead(writer, state->wide ? "ds64" : "JUNK", DS64_BYTES));
        HALO_TRY(put_number(writer, state->wide ? (uint64_t)(total - 8) : 0, 8));
        HALO_TRY(put_number(writer, state->wide ? (uint64_t)bytes : 0, 8));
        HALO_TRY(put_number(writer, state->wide ? (uint64_t)frames : 0, 8));
        HALO_TRY(put_number(writer, 0, 4)); /* no table of further sizes */
    }
    HALO_TRY(put_format(writer));
    if (state->pcm.real) {
        HALO_TRY(put_lead(writer, "fact", 4));
        HALO_TRY(put_number(writer, (uint64_t)(open || frames > WIDEST ? WIDEST : frames), 4));
    }
    HALO_TRY(put_chunks(writer, false));
    if (state->info.size > 0) HALO_TRY(put_chunk(writer, "LIST", &state->info));
    HALO_TRY(put_lead(writer, "data", (uint64_t)narrow_bytes));
out:
    return status;
}

/* Bytes of it: those of RF64's sizes, of the format, of chunks, of the lead of the samples. */
static int64_t header_bytes(const HaloWriter *writer)
{
    const WavWriter *state = writer->state;
    const HaloShape *shape = &writer->info.shape;
    const uint32_t said = writer->info.speakers;
    const bool extended = shape->channels > 2 || (said != 0 && said != usual_speakers(shape->channels));
    const bool room = state->wide || (state->endless && halo_sink_seekable(writer->sink));
    return 12 + (room ? 8 + DS64_BYTES : 0) + 8 +
           (extended          ? 40
            : state->pcm.real ? 18
                              : 16) +
           (state->pcm.real ? 12 : 0) + chunks_bytes(&writer->info.meta, false) +
           (state->info.size > 0 ? chunk_bytes(&state->info) : 0) + 8;
}

/* The texts that came with other formats; WAVE's own stand in its chunks. */
static HaloStatus make_info(HaloWriter *writer)
{
    const HaloMeta *meta = &writer->info.meta;
    WavWriter *state = writer->state;
    for (size_t i = 0; i < meta->chunks; i++)
        if (memcmp(meta->chunk[i].id, "LIST", 4) == 0) return HALO_OK;
    return wav_make_info(meta, &state->info);
}

static int64_t total_bytes(const HaloWriter *writer, int64_t bytes, int64_t behind)
{
    return header_bytes(writer) + bytes + (bytes & 1) + behind;
}

HaloStatus wav_create(HaloWriter *writer, int major)
{
    HaloStatus status = HALO_OK;
    HaloShape *shape = &writer->info.shape;
    WavWriter *state = writer->state = malloc(sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write audio");
    memset(state, 0, offsetof(WavWriter, block));
    state->pcm = halo_pcm_like(writer->info.bits, writer->info.real);
    state->pcm.raised = state->pcm.bits == 8;
    state->endless = shape->width < 0;
    const int64_t frame = shape->channels * halo_pcm_size(&state->pcm);
    shape->rate = rint(shape->rate);
    if (!(shape->rate >= 1 && shape->rate <= 0x7fffffff))
        HALO_FAIL(HALO_ERR_INPUT, "a sample rate of %g cannot be written", shape->rate);
    if (shape->channels > 1024 || (!state->endless && shape->width > INT64_MAX / 4 / frame))
        HALO_FAIL(HALO_ERR_INPUT, "%s cannot hold %d channels", writer->format->name, shape->channels);
    HALO_TRY(make_info(writer));
    state->behind = chunks_bytes(&writer->info.meta, true);
    const int64_t bytes = state->endless ? -1 : shape->width * frame;
    state->wanted_wide = major == SF_FORMAT_RF64;
    state->wide = state->wanted_wide && !state->endless;
    if (!state->endless && total_bytes(writer, bytes, state->behind) > WIDEST) state->wide = true;
    HALO_TRY(put_header(writer, state->endless ? -1 : total_bytes(writer, bytes, state->behind), bytes,
                        shape->width));
    state->start = state->at;
out:
    return status;
}

/* ---- samples and the end -------------------------------------------------------------------------------- */

HaloStatus wav_write(HaloWriter *writer, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    WavWriter *state = writer->state;
    const int64_t samples = rows->cols * rows->shape.channels, size = halo_pcm_size(&state->pcm);
    const float *from = rows->data;
    for (int64_t done = 0; done < samples;) {
        const int64_t count = samples - done < BLOCK_SAMPLES ? samples - done : BLOCK_SAMPLES;
        halo_pcm_pack(&state->pcm, from + done, state->block, count, &writer->clipped);
        HALO_TRY(put(writer, state->block, (size_t)(count * size)));
        done += count;
    }
    state->frames += rows->cols;
out:
    return status;
}

/* The header again, with what is known now. */
static HaloStatus rewrite_header(HaloWriter *writer, int64_t bytes, int64_t behind)
{
    HaloStatus status = HALO_OK;
    WavWriter *state = writer->state;
    const int64_t end = state->at, total = total_bytes(writer, bytes, behind);
    state->wide = state->wide || (state->endless && (state->wanted_wide || total > WIDEST));
    HALO_TRY(halo_sink_seek(writer->sink, 0));
    HALO_TRY(put_header(writer, total, bytes, state->frames));
    HALO_TRY(halo_sink_seek(writer->sink, end));
out:
    return status;
}

/* Chunks that the header has not counted, since they came behind the samples of a pipe, go along only where the
 * header can be put right. */
HaloStatus wav_finish(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    WavWriter *state = writer->state;
    const int64_t bytes = state->at - state->start;
    int64_t behind = chunks_bytes(&writer->info.meta, true);
    const bool seeks = halo_sink_seekable(writer->sink);
    const bool room = state->wide || state->endless || total_bytes(writer, bytes, behind) <= WIDEST;
    if (bytes % 2 == 1) HALO_TRY(put_number(writer, 0, 1));
    if (behind != state->behind && (!seeks || !room)) behind = state->behind;
    if (behind > 0 && behind == chunks_bytes(&writer->info.meta, true)) HALO_TRY(put_chunks(writer, true));
    if (seeks && (state->endless || behind != state->behind)) HALO_TRY(rewrite_header(writer, bytes, behind));
out:
    return status;
}

void wav_discard(HaloWriter *writer)
{
    WavWriter *state = writer->state;
    if (state != NULL) free(state->info.data);
    free(state);
    writer->state = NULL;
}
