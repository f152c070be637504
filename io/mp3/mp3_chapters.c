/* Reads the chapters of ID3v2 (frames CHAP, id3.org's "ID3v2 Chapter Frame Addendum") as texts such as Vorbis
 * comments have them: CHAPTER001=HH:MM:SS.mmm and CHAPTER001NAME. */
#ifdef HALO_HAVE_MPG123
#include <stdio.h>
#include <string.h>

#include "libmpg123.h"
#include "meta/meta.h"
#include "mp3.h"

enum { LEAD = 10, TIMES = 16, MOST_CHAPTERS = 999 };
enum { UNSYNCHRONISED = 0x80, EXTENDED = 0x40 };

typedef struct Frames {
    uint8_t *at, *end;
    bool sevens; /* lengths have seven bits a byte (ID3v2.4) */
} Frames;

typedef struct Frame {
    const char *id;
    uint8_t *bytes;
    size_t size;
} Frame;

static uint32_t get(const uint8_t *at, int bits)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) value = value << bits | (at[i] & ((1u << bits) - 1));
    return value;
}

/* Takes out the zeros that keep 0xff from looking like a frame of sound; returns how many bytes are left. */
static size_t resynchronise(uint8_t *bytes, size_t size)
{
    size_t left = 0;
    for (size_t i = 0; i < size; i++) {
        bytes[left++] = bytes[i];
        if (bytes[i] == 0xff && i + 1 < size && bytes[i + 1] == 0) i++;
    }
    return left;
}

/* The next frame that is neither compressed nor encrypted; false: there is none. */
static bool next(Frames *frames, Frame *frame)
{
    while (frames->end - frames->at > LEAD && frames->at[0] != 0) {
        uint8_t *at = frames->at;
        const size_t left = (size_t)(frames->end - at) - LEAD;
        *frame = (Frame){(const char *)at, at + LEAD, get(at + 4, frames->sevens ? 7 : 8)};
        if (frame->size > left) return false;
        frames->at = frame->bytes + frame->size;
        if (at[9] == 0) return true;
        if (!frames->sevens || (at[9] & ~3) != 0 || frame->size < 4) continue;
        if ((at[9] & 1) != 0) { /* its length without them stands before it */
            frame->bytes += 4;
            frame->size -= 4;
        }
        if ((at[9] & 2) != 0) frame->size = resynchronise(frame->bytes, frame->size);
        return true;
    }
    return false;
}

static HaloStatus add_name(const Frame *title, const char *key, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    mpg123_string text;
    if (title->size < 2 || title->bytes[0] > 3) return HALO_OK;
    mpg123_init_string(&text);
    mpg123_store_utf8(&text, mpg123_enc_from_id3(title->bytes[0]), title->bytes + 1, title->size - 1);
    if (text.p != NULL && text.p[0] != 0) status = halo_text_add(meta, key, text.p, strlen(text.p), HALO_UTF_8);
    mpg123_free_string(&text);
    return status;
}

static HaloStatus add_chapter(const Frame *chapter, bool sevens, int number, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    char key[32], time[48];
    Frame inner;
    uint8_t *times = memchr(chapter->bytes, 0, chapter->size);
    Frames frames = {.end = chapter->bytes + chapter->size, .sevens = sevens};
    if (times == NULL || frames.end - ++times < TIMES) return HALO_OK;
    snprintf(key, sizeof key, "CHAPTER%03d", number);
    halo_print_clock(get(times, 8) / 1000.0, time);
    HALO_TRY(halo_text_add(meta, key, time, strlen(time), HALO_UTF_8));
    snprintf(key, sizeof key, "CHAPTER%03dNAME", number);
    frames.at = times + TIMES;
    while (next(&frames, &inner))
        if (memcmp(inner.id, "TIT2", 4) == 0) return add_name(&inner, key, meta);
out:
    return status;
}

HaloStatus mp3_take_chapters(uint8_t *tag, size_t size, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    Frame frame;
    int number = 0;
    if (size < LEAD + 4 || tag[3] < 3 || tag[3] > 4) return HALO_OK;
    if (tag[3] == 3 && (tag[5] & UNSYNCHRONISED) != 0) size = LEAD + resynchronise(tag + LEAD, size - LEAD);
    Frames frames = {.at = tag + LEAD, .end = tag + size, .sevens = tag[3] == 4};
    if ((tag[5] & EXTENDED) != 0) {
        const size_t extended = get(tag + LEAD, frames.sevens ? 7 : 8);
        if (size < LEAD + 4 || extended > size - LEAD - 4) return HALO_OK;
        frames.at += extended + (frames.sevens ? 0 : 4);
    }
    while (number < MOST_CHAPTERS && next(&frames, &frame))
        if (memcmp(frame.id, "CHAP", 4) == 0) HALO_TRY(add_chapter(&frame, frames.sevens, ++number, meta));
out:
    return status;
}

#endif
