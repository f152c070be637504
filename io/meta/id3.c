/* Writes texts and pictures as a tag of ID3v2.4 (id3.org), which MP3 begins with: frames of a name, a length
 * and what they hold, texts in UTF-8. */
#include "id3.h"

#include <stdlib.h>
#include <string.h>

#include "picture.h"

enum { HEADER = 10, MOST = 0x0fffffff }; /* of a length of four times seven bits */
enum { UTF_8 = 3 };

/* NULL: a frame TXXX, which begins with the name. */
static const char *frame_of(const char *key)
{
    static const struct {
        char frame[5];
        const char *key;
    } frames[] = {{"TIT2", "Title"},         {"TPE1", "Author"},   {"TALB", "Album"},
                  {"TDRC", "Creation Time"}, {"TCON", "Genre"},    {"TRCK", "Track"},
                  {"TCOP", "Copyright"},     {"TSSE", "Software"}, {"COMM", "Comment"}};
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++)
        if (strcmp(frames[i].key, key) == 0) return frames[i].frame;
    return NULL;
}

static void put_length(uint8_t *to, size_t length)
{
    for (int i = 3; i >= 0; i--, length >>= 7) to[i] = (uint8_t)(length & 0x7f);
}

static uint8_t *put(uint8_t *to, const void *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return to + size;
}

/* What stands between a frame's header and its text: the encoding, the language of a comment and its empty
 * description, the name of a TXXX. Its length; `to` may be NULL. */
static size_t put_lead(const char *frame, const char *key, uint8_t *to)
{
    static const uint8_t text[1] = {UTF_8}, comment[5] = {UTF_8, 'X', 'X', 'X', 0};
    const bool comments = frame != NULL && strcmp(frame, "COMM") == 0;
    const size_t size = comments ? sizeof comment : sizeof text;
    if (to != NULL) to = put(to, comments ? comment : text, size);
    if (frame != NULL) return size;
    if (to != NULL) put(to, key, strlen(key) + 1);
    return size + strlen(key) + 1;
}

static uint8_t *put_frame(uint8_t *to, const HaloText *text)
{
    const char *frame = frame_of(text->key);
    const size_t lead = put_lead(frame, text->key, NULL), size = strlen(text->value);
    memset(to, 0, HEADER);
    memcpy(to, frame != NULL ? frame : "TXXX", 4);
    put_length(to + 4, lead + size);
    put_lead(frame, text->key, to + HEADER);
    return put(to + HEADER + lead, text->value, size);
}

/* The length of what a frame of a picture holds; 0: it is none, or too long. */
static size_t picture_size(const HaloBlob *block)
{
    HaloPicture picture;
    if (!halo_picture_take(block, &picture) || block->size > MOST) return 0;
    return 4 + picture.mime_size + picture.words_size + picture.size;
}

static uint8_t *put_picture(uint8_t *to, const HaloBlob *block)
{
    HaloPicture picture;
    halo_picture_take(block, &picture);
    memcpy(to, "APIC\0\0\0\0\0\0", HEADER);
    put_length(to + 4, picture_size(block));
    to += HEADER;
    *to++ = UTF_8;
    to = put(to, picture.mime, picture.mime_size);
    *to++ = 0;
    *to++ = (uint8_t)picture.type;
    to = put(to, picture.words, picture.words_size);
    *to++ = 0;
    return put(to, picture.data, picture.size);
}

/* How many bytes all texts take, and all pictures. */
static size_t size_of_texts(const HaloMeta *meta)
{
    size_t size = 0;
    for (size_t i = 0; i < meta->texts; i++)
        size += HEADER + put_lead(frame_of(meta->text[i].key), meta->text[i].key, NULL) +
                strlen(meta->text[i].value);
    return size;
}

static size_t size_of_pictures(const HaloMeta *meta)
{
    size_t size = 0;
    for (size_t i = 0; i < meta->pictures; i++)
        if (picture_size(&meta->picture[i]) > 0) size += HEADER + picture_size(&meta->picture[i]);
    return size;
}

HaloStatus halo_id3_make(const HaloMeta *meta, HaloNotes *notes, HaloBlob *tag)
{
    const size_t most = MOST, texts = size_of_texts(meta), pictures = size_of_pictures(meta);
    const bool with_texts = texts > 0 && texts <= most;
    const bool with_pictures = pictures > 0 && pictures <= most - (with_texts ? texts : 0);
    *tag = (HaloBlob){0};
    if (texts > 0 && !with_texts) halo_note_left_out(notes, HALO_META_TEXT);
    if (!with_texts && !with_pictures) {
        if (meta->pictures > 0) halo_note_left_out(notes, HALO_META_PICTURES);
        return HALO_OK;
    }
    const size_t size = HEADER + (with_texts ? texts : 0) + (with_pictures ? pictures : 0);
    uint8_t *to = tag->data = malloc(size);
    if (to == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for %zu bytes of tags", size);
    to = put(to, "ID3\4\0\0\0\0\0\0", HEADER);
    for (size_t i = 0; i < meta->texts && with_texts; i++)
        if (halo_text_find(meta, meta->text[i].key) == meta->text[i].value) /* frames with a name are unique */
            to = put_frame(to, &meta->text[i]);
        else
            halo_text_left_out(notes, &meta->text[i]);
    for (size_t i = 0; i < meta->pictures; i++)
        if (with_pictures && picture_size(&meta->picture[i]) > 0)
            to = put_picture(to, &meta->picture[i]);
        else
            halo_note_left_out(notes, HALO_META_PICTURES);
    tag->size = (size_t)(to - tag->data);
    put_length(tag->data + 6, tag->size - HEADER);
    return HALO_OK;
}
