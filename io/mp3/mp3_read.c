/* Reads MP3. In a file all frames are counted before the first is decoded; on a pipe the length is unknown and
 * frames are decoded as they arrive. */
#ifdef HALO_HAVE_MPG123
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libmpg123.h"
#include "mp3.h"
#include "samples/image.h"

typedef struct Mp3Reader {
    Mp3Stream stream;
    mpg123_handle *decoder;
    HaloFailure failed; /* what counting found wrong */
    int from, to;       /* what is left of `block`, in frames of sound */
    float block[MP3_MOST_SAMPLES];
} Mp3Reader;

/* ---- decoding ------------------------------------------------------------------------------------------- */

/* The same result on every processor: libmpg123's other decoders round differently. */
static HaloStatus make_decoder(mpg123_handle **decoder)
{
    int why = MPG123_OK;
    *decoder = mpg123_new("generic", &why);
    if (*decoder == NULL && why == MPG123_BAD_DECODER) *decoder = mpg123_new(NULL, NULL);
    if (*decoder == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read audio");
    mpg123_param(*decoder, MPG123_REMOVE_FLAGS, MPG123_GAPLESS | MPG123_AUTO_RESAMPLE, 0);
    mpg123_param(*decoder, MPG123_ADD_FLAGS,
                 MPG123_QUIET | MPG123_FORCE_FLOAT | MPG123_IGNORE_INFOFRAME | MPG123_NO_READAHEAD, 0);
    if (mpg123_open_feed(*decoder) == MPG123_OK) return HALO_OK;
    return halo_fail(HALO_ERR_LIMIT, "not enough memory to read audio");
}

static HaloStatus decode(HaloReader *reader, const Mp3Frame *frame, const uint8_t *bytes)
{
    Mp3Reader *state = reader->state;
    const size_t size = (size_t)(frame->samples * frame->channels) * sizeof(float);
    unsigned char *const to = (unsigned char *)state->block;
    size_t done = 0;
    state->from = frame->from;
    state->to = frame->to;
    if (frame->anew && mpg123_open_feed(state->decoder) != MPG123_OK)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory to read audio");
    const int said = mpg123_decode(state->decoder, bytes, (size_t)frame->bytes, to, size, &done);
    if (said == MPG123_NEW_FORMAT) mpg123_decode(state->decoder, NULL, 0, to, size, &done);
    if (done == size) return HALO_OK;
    if (!reader->options.tolerate)
        return halo_fail(HALO_ERR_INPUT,
                         "damaged at %.3f s: a frame cannot be decoded (--tolerate replaces it with silence)",
                         (double)(state->stream.sound - (frame->to - frame->from)) / frame->rate);
    memset(state->block, 0, size);
    halo_image_damaged(reader, -1);
    if (mpg123_open_feed(state->decoder) == MPG123_OK) return HALO_OK;
    return halo_fail(HALO_ERR_LIMIT, "not enough memory to read audio");
}

/* ---- opening -------------------------------------------------------------------------------------------- */

/* Counts frames through the rest of the file, and goes back. Damage is reported when samples are read, not
 * here. */
static HaloStatus count_frames(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    Mp3Reader *state = reader->state;
    Mp3Stream stream = state->stream;
    Mp3Frame frame;
    uint8_t bytes[MP3_MOST_BYTES];
    bool more = true;
    const int64_t here = halo_source_tell(reader->source);
    while (more) {
        status = mp3_next(&stream, &frame, bytes, &more);
        if (status == HALO_ERR_INPUT && !stream.tolerate) {
            halo_failure_keep(&state->failed, status);
            stream.tolerate = more = true; /* goes on from there */
            status = HALO_OK;
        }
        HALO_TRY(status);
    }
    if (stream.cut) halo_note(&reader->info.notes, HALO_NOTE_CUT, 1);
    reader->info.shape.width = stream.sound;
    if (reader->info.shape.width == 0) HALO_FAIL(HALO_ERR_INPUT, "it has no samples");
    if (reader->info.meta.texts == 0) HALO_TRY(mp3_take_id3v1(stream.id3v1, &reader->info.meta));
    HALO_TRY(halo_source_seek(reader->source, here));
out:
    return status;
}

static void describe(HaloInfo *info, const Mp3Frame *frame)
{
    info->shape = (HaloShape){.kind = HALO_AUDIO,
                              .dtype = HALO_F32,
                              .width = -1,
                              .height = 1,
                              .channels = frame->channels,
                              .alpha = -1,
                              .white = 1.0f,
                              .rate = frame->rate};
    info->bits = 32;
    info->real = true;
    snprintf(info->encoding, sizeof info->encoding, "MPEG layer III");
}

HaloStatus mp3_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    Mp3Reader *state = NULL;
    Mp3Frame frame;
    uint8_t bytes[MP3_MOST_BYTES];
    bool more;
    HALO_TRY(mp3_load());
    reader->state = state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read audio");
    HALO_TRY(make_decoder(&state->decoder));
    state->stream =
        (Mp3Stream){.source = reader->source, .tolerate = reader->options.tolerate, .meta = &reader->info.meta};
    HALO_TRY(mp3_next(&state->stream, &frame, bytes, &more));
    state->stream.meta = NULL;
    if (!more) HALO_FAIL(HALO_ERR_INPUT, "not a readable mp3 file: it has no MPEG layer III frame");
    describe(&reader->info, &frame);
    HALO_TRY(decode(reader, &frame, bytes));
    if (halo_source_seekable(reader->source)) HALO_TRY(count_frames(reader));
out:
    return status;
}

/* ---- samples -------------------------------------------------------------------------------------------- */

/* Samples for `block`; *more false: there are none. */
static HaloStatus fill(HaloReader *reader, bool *more)
{
    HaloStatus status = HALO_OK;
    Mp3Reader *state = reader->state;
    Mp3Frame frame;
    uint8_t bytes[MP3_MOST_BYTES];
    *more = true;
    while (state->from >= state->to && *more) {
        HALO_TRY(mp3_next(&state->stream, &frame, bytes, more));
        if (state->stream.damaged) halo_image_damaged(reader, -1);
        if (state->stream.cut) reader->info.notes.count[HALO_NOTE_CUT] = 1;
        if (*more) HALO_TRY(decode(reader, &frame, bytes));
    }
out:
    return status;
}

HaloStatus mp3_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    Mp3Reader *state = reader->state;
    const int channels = reader->info.shape.channels;
    const bool unknown = reader->info.shape.width < 0;
    float *to = rows->data;
    int64_t done = 0;
    bool more = true;
    *got = 0;
    if (!reader->options.tolerate) HALO_TRY(halo_failure_again(&state->failed));
    while (done < rows->cols) {
        HALO_TRY(fill(reader, &more));
        if (!more) break;
        const int64_t there = state->to - state->from, left = rows->cols - done;
        const int64_t frames = there < left ? there : left;
        memcpy(to + done * channels, state->block + state->from * channels,
               (size_t)(frames * channels) * sizeof *to);
        state->from += (int)frames;
        done += frames;
    }
    if (!more && !unknown) HALO_FAIL(HALO_ERR_INPUT, "truncated: it became shorter while it was read");
    if (!more && reader->info.meta.texts == 0)
        HALO_TRY(mp3_take_id3v1(state->stream.id3v1, &reader->info.meta));
    *got = done;
out:
    return status;
}

void mp3_close(HaloReader *reader)
{
    Mp3Reader *state = reader->state;
    if (state != NULL && state->decoder != NULL) mpg123_delete(state->decoder);
    free(state);
    reader->state = NULL;
}

#endif
