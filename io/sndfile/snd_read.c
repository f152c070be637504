/* Reads audio. libsndfile reads bytes through SndInput; halo checks the result. */
#include "ogg.h"
#include "samples/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAY_OUT ": convert it first, as by ffmpeg -i IN -c:a pcm_f32le OUT.wav"

typedef struct SndReader {
    SndInput input;
    SNDFILE *file;
    const SndCodec *codec;
    bool truncated, tolerate;
    bool ogg, checked; /* that no other stream follows */
    SndBlock block;
} SndReader;

static sf_count_t vio_length(void *user) { return ((SndInput *)user)->size; }
static sf_count_t vio_tell(void *user) { return ((SndInput *)user)->at; }

static sf_count_t vio_seek(sf_count_t offset, int whence, void *user)
{
    SndInput *input = user;
    const int64_t from = whence == SEEK_CUR ? input->at : whence == SEEK_END ? input->size : 0;
    if (offset < -from || offset > INT64_MAX - from) return -1;
    return input->at = from + offset;
}

static sf_count_t vio_read(void *bytes, sf_count_t size, void *user)
{
    SndInput *input = user;
    const int64_t from = input->at;
    const sf_count_t got = size <= 0 ? 0 : (sf_count_t)snd_input_read(input, bytes, (size_t)size);
    for (int64_t i = 0; input->patch_at >= 0 && i < (int64_t)sizeof input->patch; i++) {
        const int64_t at = input->patch_at + i - from;
        if (at >= 0 && at < got) ((uint8_t *)bytes)[at] = input->patch[i];
    }
    return got;
}

/* ---- the header ----------------------------------------------------------------------------------------- */

/* Ogg says its length at its end; where damage is tolerated fewer frames may be there. Elsewhere libsndfile
 * counts the bytes of samples. */
static bool length_unknown(const SndReader *state, const SF_INFO *sf)
{
    return sf->frames == SF_COUNT_MAX || (state->ogg && state->tolerate);
}

static HaloStatus check_header(const SndReader *state, const SF_INFO *sf, int major)
{
    const int type = sf->format & SF_FORMAT_TYPEMASK;
    if (type != major) return halo_fail(HALO_ERR_INPUT, "its header contradicts its contents");
    if (!state->codec)
        return halo_fail(HALO_ERR_INPUT, "this sample encoding (libsndfile's type 0x%x) is not supported%s",
                         (unsigned)(sf->format & SF_FORMAT_SUBMASK), WAY_OUT);
    if (sf->channels < 1 || sf->channels > 1024)
        return halo_fail(HALO_ERR_INPUT, "invalid header: %d channels", sf->channels);
    if (sf->samplerate < 1)
        return halo_fail(HALO_ERR_INPUT, "invalid header: a sample rate of %d", sf->samplerate);
    if (sf->frames < 1) return halo_fail(HALO_ERR_INPUT, "it has no samples");
    /* No codec here has more than 65,536 frames per byte, so a header with more is wrong. */
    if (!length_unknown(state, sf) && sf->frames / 65536 > state->input.size)
        return halo_fail(HALO_ERR_INPUT, "invalid header: %lld frames, more than its %lld bytes can hold",
                         (long long)sf->frames, (long long)state->input.size);
    return HALO_OK;
}

static void describe(HaloInfo *info, const SndReader *state, const SF_INFO *sf, bool wide)
{
    const bool more = state->codec->bits > (state->codec->real ? 32 : 24);
    info->shape = (HaloShape){.kind = HALO_AUDIO,
                              .dtype = wide && more ? HALO_F64 : HALO_F32,
                              .width = length_unknown(state, sf) ? -1 : sf->frames,
                              .height = 1,
                              .channels = sf->channels,
                              .alpha = -1,
                              .white = 1.0f,
                              .rate = sf->samplerate};
    info->bits = state->codec->bits;
    info->real = state->codec->real;
    snprintf(info->encoding, sizeof info->encoding, "%s", state->codec->name);
    if (state->truncated)
        halo_note(&info->notes, HALO_NOTE_CUT, 1);
    else if (more && !wide)
        halo_note(&info->notes, HALO_NOTE_THROUGH_F32, (uint64_t)info->bits);
}

HaloStatus snd_open(HaloReader *reader, int major)
{
    static SF_VIRTUAL_IO vio = {vio_length, vio_seek, vio_read, NULL, vio_tell};
    HaloStatus status = HALO_OK;
    SndReader *state = NULL;
    HALO_TRY(snd_load());
    reader->state = state = malloc(sizeof *state);
    if (!state) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read audio");
    state->file = NULL;
    state->ogg = major == SF_FORMAT_OGG;
    state->tolerate = reader->options.tolerate;
    state->checked = !state->ogg || state->tolerate;
    HALO_TRY(snd_input_open(&state->input, reader->source));

    SndHead head;
    HALO_TRY(snd_head_read(&state->input, major, &head));
    state->truncated = head.cut || head.end > state->input.size;
    if (major == SF_FORMAT_OGG && head.end >= 0)
        state->input.size = head.end; /* libsndfile cannot handle half a page */

    SF_INFO sf = {0};
    state->input.at = 0;
    state->file = sf_open_virtual(&vio, SFM_READ, &sf, &state->input);
    HALO_TRY(state->input.status);
    if (!state->file && sf_error(NULL) == SF_ERR_UNSUPPORTED_ENCODING)
        HALO_FAIL(HALO_ERR_INPUT, "this sample encoding is not supported" WAY_OUT);
    if (!state->file)
        HALO_FAIL(HALO_ERR_INPUT, "not a readable %s file%s: %s", reader->format->name,
                  state->truncated ? ", truncated" : "", sf_strerror(NULL));
    state->codec = snd_codec(sf.format & SF_FORMAT_SUBMASK);
    HALO_TRY(check_header(state, &sf, major));
    describe(&reader->info, state, &sf, reader->options.wide);
    HALO_TRY(state->ogg ? snd_ogg_take_comments(&state->input, &reader->info.meta)
                        : snd_take_texts(state->file, &reader->info.meta));
    if (major == SF_FORMAT_AIFF) HALO_TRY(snd_take_cues(&state->input, &reader->info));
out:
    return status;
}

/* ---- the samples ---------------------------------------------------------------------------------------- */

/* The next `frames` frames as f64. */
static sf_count_t read_wide(SndReader *state, double *to, sf_count_t frames, int channels)
{
    if (state->codec->samples != SND_INTS) return sf_readf_double(state->file, to, frames);
    const sf_count_t got = sf_readf_int(state->file, state->block.i, frames);
    for (sf_count_t i = 0; i < got * channels; i++) to[i] = state->block.i[i] * 0x1p-31;
    return got < 0 ? 0 : got;
}

/* The next `frames` frames as floats; fewer where the file ends. Integers of up to 24 bits arrive exactly. */
static sf_count_t read_block(SndReader *state, float *to, sf_count_t frames, int channels)
{
    sf_count_t got = 0;
    switch (state->codec->samples) {
    case SND_INTS:
        got = sf_readf_int(state->file, state->block.i, frames);
        for (sf_count_t i = 0; i < got * channels; i++) to[i] = (float)(state->block.i[i] * 0x1p-31);
        break;
    case SND_FLOATS: got = sf_readf_float(state->file, to, frames); break;
    case SND_DOUBLES:
        got = sf_readf_double(state->file, state->block.d, frames);
        for (sf_count_t i = 0; i < got * channels; i++) to[i] = (float)state->block.d[i];
        break;
    }
    return got < 0 ? 0 : got;
}

HaloStatus snd_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    SndReader *state = reader->state;
    const int channels = reader->info.shape.channels;
    int64_t done = 0;
    *got = 0;
    if (state->truncated && !state->tolerate)
        return halo_fail(HALO_ERR_INPUT, "truncated: only the beginning is there (--tolerate keeps it)");
    if (!state->checked) {
        const HaloStatus status = snd_ogg_check_streams(&state->input);
        if (status != HALO_OK) return status;
        state->checked = true;
    }
    while (done < rows->cols) {
        const int64_t most = SND_BLOCK / channels, left = rows->cols - done;
        const sf_count_t want = left < most ? left : most;
        void *const to = halo_at(rows, rows->x0 + done, rows->y0);
        const sf_count_t have = rows->shape.dtype == HALO_F64 ? read_wide(state, to, want, channels)
                                                              : read_block(state, to, want, channels);
        if (state->input.status != HALO_OK) return state->input.status;
        if (sf_error(state->file) != SF_ERR_NO_ERROR && !state->tolerate)
            return halo_fail(HALO_ERR_INPUT, "damaged: %s", sf_strerror(state->file));
        if (sf_error(state->file) != SF_ERR_NO_ERROR) halo_image_damaged(reader, -1);
        done += have;
        if (have < want) break;
    }
    if (done < rows->cols && reader->info.shape.width >= 0)
        return halo_fail(HALO_ERR_INPUT, "truncated or damaged: samples are missing");
    *got = done;
    return HALO_OK;
}

void snd_close(HaloReader *reader)
{
    SndReader *state = reader->state;
    if (state && state->file) sf_close(state->file);
    free(state);
    reader->state = NULL;
}
