/* Writes audio: halo rounds, libsndfile packs. For Ogg, and if the sink cannot seek, the file is assembled in
 * memory first, so that its header is right. */
#include "bytes/spool.h"
#include "halo/thread.h"
#include "meta/id3.h"
#include "ogg.h"
#include "samples/pcm.h"
#include "snd_rate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct SndWriter {
    HaloSink *sink;
    bool spools;
    HaloSpool spool;   /* the file so far, where it is put together in memory */
    HaloBlob lead;     /* bytes before libsndfile's */
    int64_t end, at;   /* of libsndfile's */
    int64_t frames;    /* so far */
    HaloStatus status; /* the first failure of the sink */
    SNDFILE *file;
    const SndCodec *codec;
    SndBlock block;
} SndWriter;

/* ---- bytes to any place --------------------------------------------------------------------------------- */

static sf_count_t vio_length(void *user) { return ((SndWriter *)user)->end; }
static sf_count_t vio_tell(void *user) { return ((SndWriter *)user)->at; }

static sf_count_t vio_seek(sf_count_t offset, int whence, void *user)
{
    SndWriter *state = user;
    const int64_t from = whence == SEEK_CUR ? state->at : whence == SEEK_END ? state->end : 0;
    if (state->status != HALO_OK || offset < -from || offset > INT64_MAX - from) return -1;
    if (!state->spools && from + offset != state->at)
        state->status = halo_sink_seek(state->sink, (int64_t)state->lead.size + from + offset);
    if (state->status != HALO_OK) return -1;
    return state->at = from + offset;
}

static HaloStatus put(SndWriter *state, const void *bytes, size_t size)
{
    const HaloStatus status = state->spools ? halo_spool_write(&state->spool, state->at, bytes, size)
                                            : halo_sink_write(state->sink, bytes, size);
    if (status != HALO_OK) return status;
    state->at += (int64_t)size;
    if (state->at > state->end) state->end = state->at;
    return HALO_OK;
}

static sf_count_t vio_write(const void *bytes, sf_count_t size, void *user)
{
    SndWriter *state = user;
    if (state->status != HALO_OK || size <= 0) return 0;
    state->status = put(state, bytes, (size_t)size);
    if (state->status != HALO_OK) return 0;
    return size;
}

/* libsndfile never reads while it writes, but requires the function. */
static sf_count_t vio_read(void *bytes, sf_count_t size, void *user)
{
    SndWriter *state = user;
    const int64_t left = state->end - state->at;
    if (!state->spools || left <= 0 || size <= 0) return 0;
    if (size > left) size = left;
    memcpy(bytes, state->spool.bytes + state->at, (size_t)size);
    state->at += size;
    return size;
}

static SF_VIRTUAL_IO vio = {vio_length, vio_seek, vio_read, vio_write, vio_tell};

/* ---- the header ----------------------------------------------------------------------------------------- */

/* The nearest sample format to the input's that the container holds without loss, or its best. */
static int choose_subtype(int major, int bits, bool real)
{
    if ((major & SF_FORMAT_SUBMASK) != 0) return major & SF_FORMAT_SUBMASK;
    if (major == SF_FORMAT_MPEG) return SF_FORMAT_MPEG_LAYER_III;
    if (major == SF_FORMAT_OGG) return SF_FORMAT_VORBIS;
    if (real) return bits > 32 ? SF_FORMAT_DOUBLE : SF_FORMAT_FLOAT;
    if (bits > 24) return SF_FORMAT_PCM_32;
    if (bits > 16) return SF_FORMAT_PCM_24;
    if (bits > 8 || bits <= 0) return SF_FORMAT_PCM_16;
    return SF_FORMAT_PCM_S8;
}

static HaloStatus put_lead(HaloWriter *writer)
{
    const HaloBlob *lead = &((const SndWriter *)writer->state)->lead;
    return lead->size > 0 ? halo_sink_write(writer->sink, lead->data, lead->size) : HALO_OK;
}

HaloStatus snd_create(HaloWriter *writer, int major)
{
    HaloStatus status = HALO_OK;
    const bool ogg = (major & SF_FORMAT_TYPEMASK) == SF_FORMAT_OGG;
    const HaloShape *shape = &writer->info.shape;
    double rate;
    SndWriter *state = NULL;
    HALO_TRY(snd_load());
    writer->state = state = malloc(sizeof *state);
    if (!state) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write audio");
    memset(state, 0, offsetof(SndWriter, block));
    state->sink = writer->sink;
    state->spool.memory = writer->memory;
    state->spools = ogg || !halo_sink_seekable(writer->sink);

    const int subtype = choose_subtype(major, writer->info.bits, writer->info.real);
    state->codec = snd_codec(subtype);
    HALO_TRY(halo_pcm_whole_rate(writer, 0x7fffffff, &rate));
    SF_INFO sf = {.samplerate = (int)rate, .channels = shape->channels, .format = major | subtype};
    HALO_TRY(snd_check_shape(writer, &sf));
    if (major == SF_FORMAT_MPEG) HALO_TRY(halo_id3_make(&writer->info.meta, &writer->notes, &state->lead));
    if (!state->spools) HALO_TRY(put_lead(writer));
    state->file = sf_open_virtual(&vio, SFM_WRITE, &sf, state);
    HALO_TRY(state->status);
    if (!state->file) HALO_TRY(snd_refuse_codec(writer, &sf));
    /* A PEAK chunk holds the time of day, which must not make two runs differ. */
    sf_command(state->file, SFC_SET_ADD_PEAK_CHUNK, NULL, SF_FALSE);
    HALO_TRY(snd_set_rate(writer, state->file, &sf));
    if (major == SF_FORMAT_AIFF || major == SF_FORMAT_CAF) snd_put_texts(state->file, major, writer);
    if (major == SF_FORMAT_AIFF) HALO_TRY(snd_put_cues(state->file, writer));
out:
    return status;
}

/* ---- the samples ---------------------------------------------------------------------------------------- */

/* A sample as an integer of `bits` bits, moved to the upper end of 32. */
static int quantise(double sample, int bits, uint64_t *clipped)
{
    return (int)(halo_pcm_quantise(sample, bits, clipped) * ((int64_t)1 << (32 - bits)));
}

/* Vorbis is for samples from -1 to 1, and its encoder must not get infinities. */
static float limit(float sample, uint64_t *clipped)
{
    if (sample >= -1.0f && sample <= 1.0f) return sample;
    ++*clipped;
    return sample > 1.0f ? 1.0f : sample < -1.0f ? -1.0f : 0.0f;
}

/* From f64; only formats that hold it are given it. */
static sf_count_t write_wide(SndWriter *state, const double *from, sf_count_t frames, int channels,
                             uint64_t *clipped)
{
    const int64_t samples = frames * channels;
    SndBlock *block = &state->block;
    switch (state->codec->samples) {
    case SND_INTS:
        for (int64_t i = 0; i < samples; i++) block->i[i] = quantise(from[i], state->codec->bits, clipped);
        return sf_writef_int(state->file, block->i, frames);
    case SND_FLOATS:
        for (int64_t i = 0; i < samples; i++) block->f[i] = (float)from[i];
        return sf_writef_float(state->file, block->f, frames);
    case SND_DOUBLES: return sf_writef_double(state->file, from, frames);
    }
    return 0;
}

static sf_count_t write_block(SndWriter *state, const float *from, sf_count_t frames, int channels,
                              uint64_t *clipped)
{
    const int64_t samples = frames * channels;
    SndBlock *block = &state->block;
    switch (state->codec->samples) {
    case SND_INTS:
        for (int64_t i = 0; i < samples; i++) block->i[i] = quantise(from[i], state->codec->bits, clipped);
        return sf_writef_int(state->file, block->i, frames);
    case SND_FLOATS:
        if (state->codec->subtype == SF_FORMAT_FLOAT) return sf_writef_float(state->file, from, frames);
        for (int64_t i = 0; i < samples; i++) block->f[i] = limit(from[i], clipped);
        return sf_writef_float(state->file, block->f, frames);
    case SND_DOUBLES:
        for (int64_t i = 0; i < samples; i++) block->d[i] = from[i];
        return sf_writef_double(state->file, block->d, frames);
    }
    return 0;
}

static HaloStatus put_frames(HaloWriter *writer, const HaloBuf *rows)
{
    SndWriter *state = writer->state;
    const int channels = writer->info.shape.channels;
    for (int64_t done = 0; done < rows->cols;) {
        const int64_t most = SND_BLOCK / channels, left = rows->cols - done;
        const sf_count_t want = left < most ? left : most;
        const void *from = halo_at(rows, rows->x0 + done, rows->y0);
        const sf_count_t put = rows->shape.dtype == HALO_F64
                                   ? write_wide(state, from, want, channels, &writer->clipped)
                                   : write_block(state, from, want, channels, &writer->clipped);
        if (state->status != HALO_OK) return state->status;
        if (put != want) return halo_fail(HALO_ERR_OUTPUT, "a short write: %s", sf_strerror(state->file));
        done += want;
        state->frames += want;
    }
    return HALO_OK;
}

/* ---- on a thread ---------------------------------------------------------------------------------------- */

typedef struct Frames {
    HaloWriter *writer;
    const HaloBuf *rows;
} Frames;

static HaloStatus write_frames(void *context)
{
    const Frames *frames = context;
    return put_frames(frames->writer, frames->rows);
}

/* Ends libsndfile's file. */
static HaloStatus end_file(void *context)
{
    SndWriter *state = context;
    const int error = sf_close(state->file);
    state->file = NULL;
    if (state->status != HALO_OK) return state->status;
    if (error == SF_ERR_NO_ERROR) return HALO_OK;
    return halo_fail(HALO_ERR_OUTPUT, "the end could not be written: %s", sf_error_number(error));
}

static HaloStatus drop_file(void *context)
{
    SndWriter *state = context;
    state->spools = false; /* discards what libsndfile still writes */
    state->status = HALO_ERR_OUTPUT;
    sf_close(state->file);
    return HALO_OK;
}

static bool is_ogg(const SndWriter *state)
{
    return state->codec->subtype == SF_FORMAT_VORBIS || state->codec->subtype == SF_FORMAT_OPUS;
}

/* Vorbis and Opus take the memory to encode in from the stack: hundreds of kilobytes for some channels. */
static HaloStatus encode(const SndWriter *state, HaloStatus (*call)(void *), void *context)
{
    return is_ogg(state) ? halo_thread_call(call, context) : call(context);
}

HaloStatus snd_write(HaloWriter *writer, const HaloBuf *rows)
{
    return encode(writer->state, write_frames, &(Frames){writer, rows});
}

/* ---- the end -------------------------------------------------------------------------------------------- */

/* Out of memory, libogg drops frames or the codec's tables, and libsndfile reports success: so the written file
 * is read back. */
static HaloStatus check_ogg(SndWriter *state)
{
    SF_INFO sf = {0};
    if (state->frames == 0) return HALO_OK;
    state->at = 0;
    SNDFILE *back = sf_open_virtual(&vio, SFM_READ, &sf, state);
    const bool whole = back != NULL && sf.frames == state->frames;
    if (back != NULL) sf_close(back);
    return whole ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "not enough memory to encode Ogg");
}

/* libsndfile's pages, except those with comments. */
static HaloStatus finish_ogg(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    SndWriter *state = writer->state;
    uint8_t *bytes = state->spool.bytes;
    const size_t size = (size_t)state->end;
    HaloBlob head = {0};
    size_t body = 0;
    snd_ogg_fix_serial(bytes, size);
    HALO_TRY(check_ogg(state));
    HALO_TRY(snd_ogg_put_comments(bytes, size, &writer->info.meta, &writer->notes, &head, &body));
    if (head.size > 0) {
        snd_ogg_fix_serial(head.data, head.size);
        snd_ogg_fix_serial(bytes + body, size - body);
        HALO_TRY(halo_sink_write(writer->sink, head.data, head.size));
    }
    HALO_TRY(halo_sink_write(writer->sink, bytes + body, size - body));
out:
    free(head.data);
    return status;
}

HaloStatus snd_finish(HaloWriter *writer)
{
    SndWriter *state = writer->state;
    const HaloStatus status = encode(state, end_file, state);
    if (status != HALO_OK || !state->spools) return status;
    if (is_ogg(state)) return finish_ogg(writer);
    const HaloStatus led = put_lead(writer);
    if (led != HALO_OK) return led;
    return halo_sink_write(writer->sink, state->spool.bytes, (size_t)state->end);
}

void snd_discard(HaloWriter *writer)
{
    SndWriter *state = writer->state;
    if (!state) return;
    if (state->file) encode(state, drop_file, state);
    halo_spool_free(&state->spool);
    free(state->lead.data);
    free(state);
    writer->state = NULL;
}
