/* Writes the headers and chunks of WAVE, RF64 and Wave64: everything but the samples. */
#include <string.h>

#include "bytes/endian.h"
#include "meta/apply.h"
#include "wav_out.h"

#define DS64_BYTES 28
#define WIDEST 0xffffffffll

/* ---- small parts ---------------------------------------------------------------------------------------- */

HaloStatus wav_put(HaloWriter *writer, const void *bytes, size_t size)
{
    WavWriter *state = writer->state;
    state->at += (int64_t)size;
    return halo_sink_write(writer->sink, bytes, size);
}

static HaloStatus put_number(HaloWriter *writer, uint64_t value, size_t bytes)
{
    uint8_t b[8];
    halo_put_le(b, value, bytes);
    return wav_put(writer, b, bytes);
}

static bool is_w64(const WavWriter *state) { return state->layout == &wav_w64; }

/* A name and a length: how chunks begin. */
static HaloStatus put_lead(HaloWriter *writer, const char *id, int64_t size)
{
    const WavWriter *state = writer->state;
    uint8_t lead[24];
    wav_chunk_lead(state->layout, id, size, lead);
    return wav_put(writer, lead, (size_t)state->layout->lead);
}

HaloStatus wav_put_pad(HaloWriter *writer, int64_t size)
{
    return put_number(writer, 0, (size_t)wav_pad(((const WavWriter *)writer->state)->layout, size));
}

/* The bytes that a chunk of this length takes. */
static int64_t taken(const WavWriter *state, int64_t size)
{
    return state->layout->lead + size + wav_pad(state->layout, size);
}

/* ---- chunks around the samples -------------------------------------------------------------------------- */

int64_t wav_chunks_bytes(const HaloWriter *writer, bool behind)
{
    const HaloMeta *meta = &writer->info.meta;
    int64_t total = 0;
    for (size_t i = 0; i < meta->chunks; i++)
        if (meta->chunk[i].behind == behind) total += taken(writer->state, (int64_t)meta->chunk[i].bytes.size);
    return total;
}

static HaloStatus put_chunk(HaloWriter *writer, const char *id, const HaloBlob *bytes)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(put_lead(writer, id, (int64_t)bytes->size));
    HALO_TRY(wav_put(writer, bytes->data, bytes->size));
    HALO_TRY(wav_put_pad(writer, (int64_t)bytes->size));
out:
    return status;
}

HaloStatus wav_put_chunks(HaloWriter *writer, bool behind)
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

/* The mask of the channels' loudspeakers. */
static uint32_t speakers_of(const HaloWriter *writer)
{
    const uint32_t said = writer->info.speakers;
    if (said == HALO_SPEAKERS_UNKNOWN) return 0;
    return said != 0 ? said : halo_usual_speakers(writer->info.shape.channels);
}

/* Does the channel mask differ from the default for that count? The plain header of mono and stereo has none.
 */
static bool is_extended(const HaloWriter *writer)
{
    const int channels = writer->info.shape.channels;
    const uint32_t speakers = speakers_of(writer);
    return channels > 2 || (speakers != 0 && speakers != halo_usual_speakers(channels));
}

static int64_t format_bytes(const HaloWriter *writer)
{
    const WavWriter *state = writer->state;
    return is_extended(writer) ? 40 : state->pcm.real ? 18 : 16;
}

static HaloStatus put_format(HaloWriter *writer)
{
    /* The tail of the GUIDs that stand for WAVE's old tags. */
    static const uint8_t guid[14] = {0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    HaloStatus status = HALO_OK;
    const WavWriter *state = writer->state;
    const HaloShape *shape = &writer->info.shape;
    const bool extended = is_extended(writer);
    const unsigned tag = state->pcm.real ? WAV_FLOAT : WAV_PCM;
    const uint64_t frame = (uint64_t)(shape->channels * halo_pcm_size(&state->pcm)),
                   rate = (uint64_t)shape->rate;
    HALO_TRY(put_lead(writer, "fmt ", format_bytes(writer)));
    HALO_TRY(put_number(writer, extended ? WAV_EXTENSIBLE : tag, 2));
    HALO_TRY(put_number(writer, (uint64_t)shape->channels, 2));
    HALO_TRY(put_number(writer, rate, 4));
    HALO_TRY(put_number(writer, rate * frame, 4));
    HALO_TRY(put_number(writer, frame, 2));
    HALO_TRY(put_number(writer, (uint64_t)state->pcm.bits, 2));
    if (extended) {
        HALO_TRY(put_number(writer, 22, 2));
        HALO_TRY(put_number(writer, (uint64_t)state->pcm.bits, 2));
        HALO_TRY(put_number(writer, speakers_of(writer), 4));
        HALO_TRY(put_number(writer, tag, 2));
        HALO_TRY(wav_put(writer, guid, sizeof guid));
    } else if (state->pcm.real) {
        HALO_TRY(put_number(writer, 0, 2));
    }
    HALO_TRY(wav_put_pad(writer, format_bytes(writer)));
out:
    return status;
}

/* How many frames there are, where they are floats. */
static HaloStatus put_fact(HaloWriter *writer, bool open, int64_t frames)
{
    HaloStatus status = HALO_OK;
    const bool w64 = is_w64(writer->state);
    HALO_TRY(put_lead(writer, "fact", w64 ? 8 : 4));
    if (w64)
        HALO_TRY(put_number(writer, (uint64_t)(open ? 0 : frames), 8));
    else
        HALO_TRY(put_number(writer, (uint64_t)(open || frames > WIDEST ? WIDEST : frames), 4));
out:
    return status;
}

/* Space for RF64's sizes, or these. */
static bool has_sizes(const HaloWriter *writer)
{
    const WavWriter *state = writer->state;
    return !is_w64(state) && (state->wide || (state->endless && halo_sink_seekable(writer->sink)));
}

static HaloStatus put_begin(HaloWriter *writer, int64_t total, int64_t bytes, int64_t frames)
{
    HaloStatus status = HALO_OK;
    const WavWriter *state = writer->state;
    uint8_t begin[40];
    if (is_w64(state)) {
        wav_w64_begin(total, begin);
        return wav_put(writer, begin, sizeof begin);
    }
    HALO_TRY(put_lead(writer, state->wide ? "RF64" : "RIFF", total < 0 || state->wide ? WIDEST : total - 8));
    HALO_TRY(wav_put(writer, "WAVE", 4));
    if (has_sizes(writer)) {
        HALO_TRY(put_lead(writer, state->wide ? "ds64" : "JUNK", DS64_BYTES));
        HALO_TRY(put_number(writer, state->wide ? (uint64_t)(total - 8) : 0, 8));
        HALO_TRY(put_number(writer, state->wide ? (uint64_t)bytes : 0, 8));
        HALO_TRY(put_number(writer, state->wide ? (uint64_t)frames : 0, 8));
        HALO_TRY(put_number(writer, 0, 4)); /* no table of further sizes */
    }
out:
    return status;
}

HaloStatus wav_put_header(HaloWriter *writer, int64_t total, int64_t bytes, int64_t frames)
{
    HaloStatus status = HALO_OK;
    WavWriter *state = writer->state;
    const bool open = bytes < 0;
    HALO_TRY(put_begin(writer, total, bytes, frames));
    HALO_TRY(put_format(writer));
    if (state->pcm.real) HALO_TRY(put_fact(writer, open, frames));
    HALO_TRY(wav_put_chunks(writer, false));
    if (state->info.size > 0) HALO_TRY(put_chunk(writer, "LIST", &state->info));
    if (is_w64(state))
        HALO_TRY(put_lead(writer, "data", open ? WAV_UNKNOWN : bytes));
    else
        HALO_TRY(put_lead(writer, "data", open || state->wide ? WIDEST : bytes));
out:
    return status;
}

/* Bytes of it: those of RF64's sizes, of the format, of chunks, of the lead of the samples. */
static int64_t header_bytes(const HaloWriter *writer)
{
    const WavWriter *state = writer->state;
    int64_t total = state->layout->first + taken(state, format_bytes(writer)) + state->layout->lead;
    if (has_sizes(writer)) total += taken(state, DS64_BYTES);
    if (state->pcm.real) total += taken(state, is_w64(state) ? 8 : 4);
    if (state->info.size > 0) total += taken(state, (int64_t)state->info.size);
    return total + wav_chunks_bytes(writer, false);
}

int64_t wav_total_bytes(const HaloWriter *writer, int64_t bytes, int64_t behind)
{
    return header_bytes(writer) + bytes + wav_pad(((const WavWriter *)writer->state)->layout, bytes) + behind;
}

bool wav_needs_wide(const HaloWriter *writer, int64_t total)
{
    return !is_w64(writer->state) && total > WIDEST;
}
