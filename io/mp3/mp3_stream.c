/* Finds frames. Only thirteen bits of a header are constant, so the first frame, a frame of another kind, and a
 * frame after bytes that are none are accepted only if two more like it follow, or the end or a tag. */
#ifdef HALO_HAVE_MPG123
#include <string.h>

#include "mp3.h"

/* Is this frame followed by what has to follow one? */
static HaloStatus confirm(Mp3Stream *stream, const Mp3Frame *frame, bool *confirmed)
{
    enum { MORE = 2 };
    const uint8_t *at;
    size_t got;
    int64_t bytes;
    Mp3Frame next = *frame;
    const HaloStatus status = halo_source_peek(stream->source, MORE * MP3_MOST_BYTES + MP3_TAG_LEAD, &at, &got);
    size_t end = (size_t)frame->bytes;
    *confirmed = status == HALO_OK && end <= got;
    for (int i = 0; i < MORE && *confirmed && end + MP3_HEADER <= got; i++) {
        if (mp3_tag(at + end, got - end, &bytes) != MP3_NO_TAG) break;
        *confirmed = mp3_frame(at + end, &next) && mp3_alike(frame, &next);
        end += (size_t)next.bytes;
    }
    return status;
}

/* Is this header a frame's? `skipped` bytes are none before it. */
static HaloStatus accept(Mp3Stream *stream, const Mp3Frame *frame, int64_t skipped, bool *accepted)
{
    const bool begun = stream->first.bytes > 0;
    *accepted = begun && skipped == 0 && mp3_alike(&stream->first, frame);
    return *accepted ? HALO_OK : confirm(stream, frame, accepted);
}

static HaloStatus skip_bytes(HaloSource *source, int64_t size)
{
    uint8_t bytes[4096];
    size_t got;
    for (HaloStatus status; size > 0; size -= (int64_t)got) {
        const size_t want = size < (int64_t)sizeof bytes ? (size_t)size : sizeof bytes;
        status = halo_source_read(source, bytes, want, &got);
        if (status != HALO_OK || got < want) return status;
    }
    return HALO_OK;
}

/* The tag that begins here, if one does. */
static HaloStatus take_tag(Mp3Stream *stream, bool *taken)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = stream->source;
    const uint8_t *at;
    size_t got;
    int64_t size;
    HALO_TRY(halo_source_peek(source, MP3_TAG_LEAD, &at, &got));
    const Mp3TagKind kind = mp3_tag(at, got, &size);
    *taken = kind != MP3_NO_TAG;
    if (kind == MP3_IS_ID3V1) {
        memset(stream->id3v1, 0, sizeof stream->id3v1);
        HALO_TRY(halo_source_read(source, stream->id3v1, sizeof stream->id3v1, &got));
    } else if (kind == MP3_IS_ID3V2 && stream->meta != NULL && stream->first.bytes == 0) {
        HALO_TRY(mp3_take_id3v2(source, size, stream->meta));
    } else if (*taken) {
        HALO_TRY(skip_bytes(source, size));
    }
out:
    return status;
}

/* Skips a byte, and those behind it with which neither a frame nor a tag begins. */
static HaloStatus skip_others(Mp3Stream *stream, int64_t *skipped)
{
    HaloStatus status = HALO_OK;
    const uint8_t *at;
    size_t got, count = 1;
    HALO_TRY(halo_source_peek(stream->source, 4096, &at, &got));
    while (count < got && at[count] != 0xff && at[count] != 'I' && at[count] != 'T' && at[count] != 'A')
        count++;
    *skipped += (int64_t)count;
    HALO_TRY(skip_bytes(stream->source, (int64_t)count));
out:
    return status;
}

/* Goes to the next header of a frame; *skipped: bytes before it that are neither frame nor tag. */
static HaloStatus find_frame(Mp3Stream *stream, Mp3Frame *frame, int64_t *skipped, bool *found)
{
    HaloStatus status = HALO_OK;
    const uint8_t *at;
    size_t got;
    bool taken;
    *skipped = 0;
    for (*found = false; !*found;) {
        HALO_TRY(halo_source_peek(stream->source, MP3_HEADER, &at, &got));
        if (got < MP3_HEADER) break;
        if (mp3_frame(at, frame)) HALO_TRY(accept(stream, frame, *skipped, found));
        if (*found) break;
        HALO_TRY(take_tag(stream, &taken));
        if (!taken) HALO_TRY(skip_others(stream, skipped));
    }
out:
    return status;
}

/* ---- what is wrong -------------------------------------------------------------------------------------- */

static HaloStatus refuse_change(const Mp3Stream *stream, const Mp3Frame *frame)
{
    const Mp3Frame *first = &stream->first;
    const bool rate = frame->rate != first->rate;
    return halo_fail(
        HALO_ERR_INPUT, "at %.3f s (frame %lld) the %s changes from %d to %d: split it there first",
        (double)stream->sound / first->rate, (long long)stream->sound, rate ? "rate" : "number of channels",
        rate ? first->rate : first->channels, rate ? frame->rate : frame->channels);
}

/* Before a frame is taken: checks it up to its end. */
static HaloStatus check_frame(Mp3Stream *stream, const Mp3Frame *frame, int64_t skipped, bool changes)
{
    const uint8_t *at;
    size_t got;
    const double seconds = (double)stream->sound / frame->rate;
    const HaloStatus status = halo_source_peek(stream->source, (size_t)frame->bytes, &at, &got);
    const bool strange = stream->first.bytes > 0 && skipped > 0;
    if (stream->tolerate) {
        stream->damaged = stream->damaged || changes || strange || got < (size_t)frame->bytes;
        return status;
    }
    if (changes) return refuse_change(stream, frame);
    if (strange)
        return halo_fail(HALO_ERR_INPUT,
                         "damaged at %.3f s: %lld bytes are not a frame (--tolerate skips them)", seconds,
                         (long long)skipped);
    if (status == HALO_OK && got < (size_t)frame->bytes)
        return halo_fail(HALO_ERR_INPUT,
                         "truncated at %.3f s: the last frame is cut off (--tolerate keeps what is there)",
                         seconds);
    return status;
}

/* A part has ended: is it as long as its header says? Some encoders count one frame too many, so bytes must be
 * missing, too. */
static HaloStatus check_part(Mp3Stream *stream)
{
    Mp3Part *part = &stream->part;
    if (stream->first.bytes == 0) return HALO_OK;
    const int64_t frames = part->samples / stream->first.samples, said = part->info.frames;
    const bool whole = part->info.bytes > 0 && part->end - part->begin >= part->info.bytes;
    if (frames >= said || whole) return HALO_OK;
    part->info.frames = 0; /* is said once */
    stream->cut = true;
    if (stream->tolerate) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT,
                     "truncated at %.3f s: %lld of %lld frames are there (--tolerate keeps them)",
                     (double)stream->sound / stream->first.rate, (long long)frames, (long long)said);
}

/* ---- frames --------------------------------------------------------------------------------------------- */

/* The delay of a decoder's filters in samples, which encoders' counts do not include. */
#define DECODER_DELAY 529

/* Removes the encoder's padding, as FFmpeg and mpg123 do. Frames after those that the header counts belong to a
 * concatenated stream without header: all of their samples are sound. */
static void set_sound(Mp3Stream *stream, Mp3Frame *frame)
{
    Mp3Part *part = &stream->part;
    const Mp3Info *info = &part->info;
    const int64_t start = part->samples, end = start + frame->samples;
    const int64_t said = info->frames * frame->samples;
    int64_t from = start, to = end;
    if (info->gapless && from < info->delay + DECODER_DELAY) from = info->delay + DECODER_DELAY;
    if (info->gapless && end <= said && to > said - info->padding + DECODER_DELAY)
        to = said - info->padding + DECODER_DELAY;
    frame->from = (int)((from < end ? from : end) - start);
    frame->to = (int)((to > start ? to : start) - start);
    if (frame->to < frame->from) frame->to = frame->from;
    frame->anew = part->samples == 0;
    part->samples = end;
    stream->sound += frame->to - frame->from;
}

/* Takes the frame that begins here; *header: it is one of Xing, Info or VBRI, and begins another part. */
static HaloStatus take_frame(Mp3Stream *stream, const Mp3Frame *frame, uint8_t *bytes, bool *header)
{
    HaloStatus status = HALO_OK;
    Mp3Info info = {0};
    const uint8_t *at;
    size_t got;
    HALO_TRY(halo_source_peek(stream->source, (size_t)frame->bytes, &at, &got));
    *header = got == (size_t)frame->bytes && mp3_info(at, frame, &info);
    if (*header) HALO_TRY(check_part(stream));
    if (*header || stream->first.bytes == 0)
        stream->part = (Mp3Part){.info = info, .begin = halo_source_tell(stream->source)};
    if (stream->first.bytes == 0) stream->first = *frame;
    memset(bytes, 0, MP3_MOST_BYTES);
    HALO_TRY(halo_source_read(stream->source, bytes, (size_t)frame->bytes, &got));
    if (got < (size_t)frame->bytes) stream->cut = true;
    stream->part.end = halo_source_tell(stream->source);
out:
    return status;
}

HaloStatus mp3_next(Mp3Stream *stream, Mp3Frame *frame, uint8_t bytes[MP3_MOST_BYTES], bool *more)
{
    HaloStatus status = HALO_OK;
    int64_t skipped;
    bool header = true;
    while (header) {
        HALO_TRY(find_frame(stream, frame, &skipped, more));
        if (!*more) return check_part(stream);
        *more = stream->first.bytes == 0 || mp3_alike(&stream->first, frame);
        HALO_TRY(check_frame(stream, frame, skipped, !*more));
        if (!*more) return HALO_OK;
        HALO_TRY(take_frame(stream, frame, bytes, &header));
    }
    set_sound(stream, frame);
out:
    return status;
}

#endif
