/* Reads FLAC of 4 to 32 bits, block by block. Blocks whose rate, depth or channel count differs from the
 * header, and a second stream after the first, are refused with their position. */
#ifdef HALO_HAVE_FLAC
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flacreader.h"
#include "meta/comment.h"

#define MOST_PICTURES 1000 /* and 64 MiB of them */
#define MOST_PICTURE_BYTES ((int64_t)64 << 20)

/* ---- what libFLAC calls --------------------------------------------------------------------------------- */

static void take_head(FlacReader *state, const FLAC__StreamMetadata_StreamInfo *head)
{
    HaloInfo *info = &state->reader->info;
    if (state->has_head) return;
    state->has_head = true;
    state->bits = (int)head->bits_per_sample;
    state->total = (int64_t)head->total_samples;
    const bool wide = state->bits > 24 && state->reader->options.wide;
    info->shape = (HaloShape){.kind = HALO_AUDIO,
                              .dtype = wide ? HALO_F64 : HALO_F32,
                              .width = state->total > 0 && !state->reader->options.tolerate ? state->total : -1,
                              .height = 1,
                              .channels = (int)head->channels,
                              .alpha = -1,
                              .white = 1.0f,
                              .rate = head->sample_rate};
    info->bits = state->bits;
    info->speakers = flac_usual_speakers(info->shape.channels);
    snprintf(info->encoding, sizeof info->encoding, "%d-bit PCM", state->bits);
    if (state->bits > 24 && !wide) halo_note(&info->notes, HALO_NOTE_THROUGH_F32, (uint64_t)state->bits);
}

static void take_picture(FlacReader *state, const FLAC__StreamMetadata_Picture *picture)
{
    HaloMeta *meta = &state->reader->info.meta;
    state->picture_bytes += picture->data_length;
    if (state->picture_bytes <= MOST_PICTURE_BYTES && meta->pictures < MOST_PICTURES)
        flac_keep_failure(state, flac_take_picture(picture, meta));
}

static void take_block(const FLAC__StreamDecoder *decoder, const FLAC__StreamMetadata *block, void *context)
{
    FlacReader *state = context;
    (void)decoder;
    if (block->type == FLAC__METADATA_TYPE_STREAMINFO) take_head(state, &block->data.stream_info);
    if (block->type == FLAC__METADATA_TYPE_PICTURE) take_picture(state, &block->data.picture);
    if (block->type != FLAC__METADATA_TYPE_VORBIS_COMMENT) return;
    const FLAC__StreamMetadata_VorbisComment *said = &block->data.vorbis_comment;
    for (FLAC__uint32 i = 0; i < said->num_comments; i++) {
        const FLAC__StreamMetadata_VorbisComment_Entry *comment = &said->comments[i];
        HaloInfo *info = &state->reader->info;
        if (flac_take_speakers(comment->entry, comment->length, info)) continue;
        flac_keep_failure(state, halo_comment_take(&info->meta, comment->entry, comment->length));
    }
}

/* The format changes in the middle of the stream: an error, which says where to cut it so that each part can be
 * read. */
static void check_same(FlacReader *state, const FLAC__FrameHeader *head, int64_t at)
{
    const HaloShape *shape = &state->reader->info.shape;
    const double seconds = (double)at / shape->rate;
    const char *what = NULL;
    unsigned from = 0, to = 0;
    if (head->sample_rate != (unsigned)shape->rate)
        what = "rate", from = (unsigned)shape->rate, to = head->sample_rate;
    if (head->channels != (unsigned)shape->channels)
        what = "number of channels", from = (unsigned)shape->channels, to = head->channels;
    if (head->bits_per_sample != (unsigned)state->bits)
        what = "depth", from = (unsigned)state->bits, to = head->bits_per_sample;
    if (what != NULL)
        flac_keep_failure(state,
                          halo_fail(HALO_ERR_INPUT,
                                    "at %.3f s (frame %lld) the %s changes from %u to %u: split it there first",
                                    seconds, (long long)at, what, from, to));
    else if (state->total > 0 && at >= state->total && !state->damaged)
        flac_keep_failure(
            state, halo_fail(HALO_ERR_INPUT,
                             "at %.3f s (frame %lld), where its header says that it ends, another stream "
                             "begins: split it there first",
                             seconds, (long long)at));
}

static HaloStatus ensure_capacity(FlacReader *state, size_t samples)
{
    if (samples <= state->capacity) return HALO_OK;
    double *grown = realloc(state->block, samples * sizeof *grown);
    if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read audio");
    state->block = grown;
    state->capacity = samples;
    return HALO_OK;
}

/* Can the frames between the last block and this one, whose bytes end at `end`, have been lost? A block of
 * 65,535 frames, the largest, takes 12 bytes at least. */
static bool may_be_lost(const FlacReader *state, int64_t frames, int64_t end)
{
    enum { MOST = 65535, LEAST_BYTES = 12 };
    return frames / MOST <= (end - state->end) / LEAST_BYTES;
}

static FLAC__StreamDecoderWriteStatus take_frames(const FLAC__StreamDecoder *decoder, const FLAC__Frame *frame,
                                                  const FLAC__int32 *const samples[], void *context)
{
    FlacReader *state = context;
    const int channels = state->reader->info.shape.channels;
    const size_t count = frame->header.blocksize;
    const int64_t due = state->at + state->frames;
    int64_t at = (int64_t)frame->header.number.sample_number;
    FLAC__uint64 end = 0;
    FLAC__stream_decoder_get_decode_position(decoder, &end);
    /* A second stream counts from 0; and a number may be damaged. */
    if (at < due || (state->reader->options.tolerate && !may_be_lost(state, at - due, (int64_t)end))) at = due;
    state->end = (int64_t)end;
    if (state->reader->options.tolerate && state->total > 0 && at >= state->total)
        return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
    check_same(state, &frame->header, at);
    if (state->failed.status == HALO_OK)
        flac_keep_failure(state, ensure_capacity(state, count * (size_t)channels));
    if (state->failed.status != HALO_OK) return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT;
    const double unit = ldexp(1.0, 1 - state->bits);
    for (int c = 0; c < channels; c++)
        for (size_t i = 0; i < count; i++)
            state->block[i * (size_t)channels + (size_t)c] = samples[c][i] * unit;
    state->at = at;
    state->frames = (int64_t)count;
    return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE;
}

/* The last frame may be followed by anything, such as the tags of other programs. */
static void note_damage(const FLAC__StreamDecoder *decoder, FLAC__StreamDecoderErrorStatus error, void *context)
{
    FlacReader *state = context;
    (void)decoder;
    if (state->total > 0 && state->at + state->frames >= state->total) return;
    state->damaged = true;
    if (!state->has_head || state->reader->options.tolerate) return;
    flac_keep_failure(state, halo_fail(HALO_ERR_INPUT, "damaged at %.3f s: %s",
                                       (double)(state->at + state->frames) / state->reader->info.shape.rate,
                                       error == FLAC__STREAM_DECODER_ERROR_STATUS_FRAME_CRC_MISMATCH
                                           ? "a wrong checksum"
                                           : "no FLAC frame"));
}

/* ---- opening -------------------------------------------------------------------------------------------- */

static HaloStatus check_head(const FlacReader *state)
{
    const HaloShape *shape = &state->reader->info.shape;
    if (!state->has_head) return halo_fail(HALO_ERR_INPUT, "truncated or damaged: no FLAC header");
    if (shape->rate < 1) return halo_fail(HALO_ERR_INPUT, "invalid header: a sample rate of 0");
    return HALO_OK;
}

HaloStatus flac_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    FlacReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read audio");
    state->reader = reader;
    state->decoder = FLAC__stream_decoder_new();
    if (state->decoder == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read audio");
    FLAC__stream_decoder_set_metadata_respond(state->decoder, FLAC__METADATA_TYPE_VORBIS_COMMENT);
    FLAC__stream_decoder_set_metadata_respond(state->decoder, FLAC__METADATA_TYPE_PICTURE);
    if (flac_listen(state, take_frames, take_block, note_damage) != FLAC__STREAM_DECODER_INIT_STATUS_OK)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read audio");
    const bool well = FLAC__stream_decoder_process_until_end_of_metadata(state->decoder);
    HALO_TRY(halo_failure_again(&state->failed));
    if (!well && FLAC__stream_decoder_get_state(state->decoder) == FLAC__STREAM_DECODER_MEMORY_ALLOCATION_ERROR)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read audio");
    HALO_TRY(check_head(state));
out:
    return status;
}

/* ---- samples -------------------------------------------------------------------------------------------- */

/* The next block; *more: there is one. */
static HaloStatus next_block(FlacReader *state, bool *more)
{
    const int64_t end = state->at + state->frames;
    *more = false;
    while (state->at + state->frames == end) {
        const FLAC__StreamDecoderState now = FLAC__stream_decoder_get_state(state->decoder);
        if (now == FLAC__STREAM_DECODER_END_OF_STREAM) return HALO_OK;
        if (!FLAC__stream_decoder_process_single(state->decoder) || state->failed.status != HALO_OK) break;
    }
    if (state->failed.status != HALO_OK) return halo_failure_again(&state->failed);
    *more = state->at + state->frames != end;
    if (*more) return HALO_OK;
    return FLAC__stream_decoder_get_state(state->decoder) == FLAC__STREAM_DECODER_MEMORY_ALLOCATION_ERROR
               ? halo_fail(HALO_ERR_LIMIT, "not enough memory to read audio")
               : halo_fail(HALO_ERR_INPUT, "damaged: %s",
                           FLAC__stream_decoder_get_resolved_state_string(state->decoder));
}

static void give(const HaloBuf *rows, int64_t at, const double *from, int64_t samples)
{
    void *to = halo_at(rows, rows->x0 + at, rows->y0);
    if (rows->shape.dtype == HALO_F64) memcpy(to, from, (size_t)samples * sizeof *from);
    for (int64_t i = 0; i < samples && rows->shape.dtype == HALO_F32; i++) ((float *)to)[i] = (float)from[i];
}

/* Behind the last frame: is there another stream? */
static HaloStatus look_behind(FlacReader *state)
{
    bool more;
    if (state->total == 0 || state->next < state->total || state->reader->options.tolerate) return HALO_OK;
    return next_block(state, &more);
}

HaloStatus flac_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    FlacReader *state = reader->state;
    const int channels = reader->info.shape.channels;
    const bool tolerate = reader->options.tolerate;
    state->reader = reader;
    bool more = true;
    int64_t done = 0;
    *got = 0;
    while (done < rows->cols) {
        if (state->next >= state->at + state->frames) HALO_TRY(next_block(state, &more));
        if (!more) break;
        if (state->next < state->at && !tolerate)
            HALO_FAIL(HALO_ERR_INPUT, "damaged at %.3f s: samples are missing",
                      (double)state->next / reader->info.shape.rate);
        const bool lost = state->next < state->at; /* silence */
        if (lost) halo_note_damaged(&reader->info.notes, state->next, state->total, true);
        const int64_t there = (lost ? state->at : state->at + state->frames) - state->next;
        const int64_t left = rows->cols - done, count = there < left ? there : left;
        const int64_t samples = count * channels;
        if (lost)
            memset(halo_at(rows, rows->x0 + done, rows->y0), 0,
                   (size_t)samples * halo_dtype_size(rows->shape.dtype));
        else
            give(rows, done, state->block + (state->next - state->at) * channels, samples);
        state->next += count;
        done += count;
    }
    if (done < rows->cols && state->total > 0 && !tolerate)
        HALO_FAIL(HALO_ERR_INPUT, "truncated or damaged: it ends at %.3f s, %lld frames before the end",
                  (double)state->next / reader->info.shape.rate, (long long)(state->total - state->next));
    if (done < rows->cols && state->next < state->total)
        halo_note_damaged(&reader->info.notes, state->next, state->total, true);
    else if (done < rows->cols && state->damaged)
        halo_note_damaged(&reader->info.notes, -1, 0, true);
    HALO_TRY(look_behind(state));
    *got = done;
out:
    return status;
}

/* With --tolerate a damaged file is read from its beginning, since the places of its frames are not known. */
HaloStatus flac_seek(HaloReader *reader, int64_t frame, bool *gone)
{
    FlacReader *state = reader->state;
    state->reader = reader;
    *gone = state->total > 0 && !reader->options.tolerate && flac_goes_back(state);
    if (!*gone || frame == state->next) return HALO_OK;
    state->next = frame;
    if (frame >= state->total || (frame >= state->at && frame < state->at + state->frames)) return HALO_OK;
    state->at = frame; /* its block is behind all that was read */
    state->frames = 0;
    const bool well = FLAC__stream_decoder_seek_absolute(state->decoder, (FLAC__uint64)frame);
    if (state->failed.status != HALO_OK) return halo_failure_again(&state->failed);
    if (well && state->at == frame && state->frames > 0) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "damaged: no FLAC frame at %.3f s",
                     (double)frame / reader->info.shape.rate);
}

void flac_close(HaloReader *reader)
{
    FlacReader *state = reader->state;
    if (state == NULL) return;
    if (state->decoder != NULL) FLAC__stream_decoder_delete(state->decoder);
    free(state->block);
    free(state);
    reader->state = NULL;
}

#endif
