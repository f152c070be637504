/* Reads WAVE, RF64 and Wave64. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wav.h"

#define BLOCK_BYTES 65536

typedef struct WavReader {
    WavHead head;
    int64_t left; /* frames; -1: up to the end */
    bool open;    /* fewer may come: then it ends there */
    bool truncated;
    HaloReader other; /* with a format: libsndfile reads */
    uint8_t block[BLOCK_BYTES];
} WavReader;

static void describe(HaloReader *reader, const WavHead *head, int64_t frames)
{
    const WavReader *state = reader->state;
    HaloInfo *info = &reader->info;
    const bool wide = reader->options.wide && halo_pcm_is_wide(&head->pcm);
    info->shape = (HaloShape){.kind = HALO_AUDIO,
                              .dtype = wide ? HALO_F64 : HALO_F32,
                              .width = frames,
                              .height = 1,
                              .channels = head->channels,
                              .alpha = -1,
                              .white = 1.0f,
                              .rate = head->rate};
    info->bits = head->pcm.bits;
    info->real = head->pcm.real;
    info->speakers = head->speakers;
    snprintf(info->encoding, sizeof info->encoding, "%d-bit %s", head->pcm.bits,
             head->pcm.real ? "float" : "PCM");
    if (state->truncated)
        halo_note(&info->notes, HALO_NOTE_CUT, 1);
    else if (halo_pcm_is_wide(&head->pcm) && info->shape.dtype == HALO_F32)
        halo_note(&info->notes, HALO_NOTE_THROUGH_F32, (uint64_t)info->bits);
}

/* What stands behind the samples of a file is read first: then a header can say how long all of it is. */
static HaloStatus take_meta(HaloReader *reader, const WavHead *head)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = reader->source;
    uint8_t begin[40];
    size_t got;
    HALO_TRY(halo_source_read(source, begin, (size_t)head->layout->first, &got));
    HALO_TRY(wav_chunks(source, head, false, &reader->info.meta));
    const int64_t end = head->start + head->bytes + wav_pad(head->layout, head->bytes);
    if (!halo_source_seekable(source) || head->bytes < 0 || end > halo_source_size(source)) return HALO_OK;
    HALO_TRY(halo_source_seek(source, end));
    HALO_TRY(wav_chunks(source, head, true, &reader->info.meta));
    HALO_TRY(halo_source_seek(source, head->start));
out:
    return status;
}

static HaloStatus open_ours(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    WavReader *state = reader->state;
    const WavHead *head = &state->head;
    const int64_t size = halo_source_size(reader->source), there = size - head->start;
    const int64_t frame = head->channels * halo_pcm_size(&head->pcm);
    int64_t bytes = head->bytes;
    state->truncated = size >= 0 && bytes > there;
    if (size >= 0 && (bytes < 0 || bytes > there)) bytes = there;
    state->left = bytes < 0 ? -1 : bytes / frame;
    if (state->left == 0)
        HALO_FAIL(HALO_ERR_INPUT, state->truncated ? "truncated before the first sample" : "it has no samples");
    /* A pipe may be cut off, too. */
    state->open = state->left < 0 || (size < 0 && reader->options.tolerate);
    HALO_TRY(take_meta(reader, head));
    describe(reader, head, state->open ? -1 : state->left);
out:
    return status;
}

/* libsndfile has a reader of its own, whose information is copied to this one. */
static HaloStatus open_other(HaloReader *reader, int major)
{
    WavReader *state = reader->state;
    state->other = *reader;
    state->other.state = NULL;
    const HaloStatus status = snd_open(&state->other, major);
    reader->info = state->other.info;
    return status;
}

HaloStatus wav_open(HaloReader *reader, int major)
{
    HaloStatus status = HALO_OK;
    bool ours;
    WavReader *state = reader->state = malloc(sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read audio");
    state->other.format = NULL;
    HALO_TRY(wav_head(reader->source, &state->head, &ours));
    /* Programs disagree: they read them as integers at either end of these bytes, or as floats. */
    if (state->head.padded > 0)
        HALO_FAIL(HALO_ERR_INPUT,
                  "%d-bit samples that take %d bytes each are not supported: convert it to 24-bit or 32-bit "
                  "PCM first",
                  state->head.pcm.bits, state->head.padded);
    status = ours ? open_ours(reader) : open_other(reader, major);
out:
    return status;
}

/* Behind the last sample of a pipe. */
static HaloStatus take_rest(HaloReader *reader)
{
    const WavReader *state = reader->state;
    uint8_t pad[8];
    size_t got;
    HaloStatus status = HALO_OK;
    if (halo_source_seekable(reader->source)) return HALO_OK;
    const int64_t fill = wav_pad(state->head.layout, state->head.bytes);
    HALO_TRY(halo_source_read(reader->source, pad, (size_t)fill, &got));
    HALO_TRY(wav_chunks(reader->source, &state->head, true, &reader->info.meta));
out:
    return status;
}

HaloStatus wav_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    WavReader *state = reader->state;
    const int channels = reader->info.shape.channels;
    *got = 0;
    if (state->other.format != NULL) {
        status = snd_read(&state->other, rows, got);
        reader->info.notes = state->other.info.notes;
        return status;
    }
    const int64_t frame = channels * halo_pcm_size(&state->head.pcm), most = BLOCK_BYTES / frame;
    if (state->truncated && !reader->options.tolerate)
        HALO_FAIL(HALO_ERR_INPUT, "truncated: only the beginning is there (--tolerate keeps it)");
    const int64_t cols = state->left >= 0 && state->left < rows->cols ? state->left : rows->cols;
    while (*got < cols) {
        const int64_t want = cols - *got < most ? cols - *got : most;
        size_t bytes;
        HALO_TRY(halo_source_read(reader->source, state->block, (size_t)(want * frame), &bytes));
        const int64_t have = (int64_t)bytes / frame;
        void *const to = halo_at(rows, rows->x0 + *got, rows->y0);
        if (rows->shape.dtype == HALO_F64)
            halo_pcm_unpack_f64(&state->head.pcm, state->block, to, have * channels);
        else
            halo_pcm_unpack(&state->head.pcm, state->block, to, have * channels,
                            &reader->info.notes.count[HALO_NOTE_ROUNDED]);
        *got += have;
        if (have < want) break;
    }
    if (*got < cols && !state->open)
        HALO_FAIL(HALO_ERR_INPUT, "truncated: %lld frames are missing", (long long)(state->left - *got));
    if (*got < cols && state->left >= 0)
        reader->info.notes.count[HALO_NOTE_CUT] = 1; /* a pipe's header says so */
    if (state->left >= 0) state->left -= *got;
    if (state->left == 0) HALO_TRY(take_rest(reader));
out:
    return status;
}

HaloStatus wav_seek(HaloReader *reader, int64_t frame, bool *gone)
{
    WavReader *state = reader->state;
    const WavHead *head = &state->head;
    *gone = state->other.format == NULL && !state->open && halo_source_seekable(reader->source);
    if (!*gone) return HALO_OK;
    state->left = reader->info.shape.width - frame;
    return halo_source_seek(reader->source, head->start + frame * head->channels * halo_pcm_size(&head->pcm));
}

void wav_close(HaloReader *reader)
{
    WavReader *state = reader->state;
    if (state != NULL && state->other.format != NULL) snd_close(&state->other);
    free(state);
    reader->state = NULL;
}
