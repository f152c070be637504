/* Writes texts as a tag of ID3v2.4 (id3.org), which MP3 begins with: frames of a name, a length and UTF-8. */
#include "id3.h"

#include <stdlib.h>
#include <string.h>

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

HaloStatus halo_id3_make(const HaloMeta *meta, HaloNotes *notes, HaloBlob *tag)
{
    size_t size = HEADER;
    *tag = (HaloBlob){0};
    for (size_t i = 0; i < meta->texts; i++)
        size += HEADER + put_lead(frame_of(meta->text[i].key), meta->text[i].key, NULL) +
                strlen(meta->text[i].value);
    if (meta->texts == 0) return HALO_OK;
    if (size - HEADER > MOST) {
        halo_note_left_out(notes, HALO_META_TEXT);
        return HALO_OK;
    }
    uint8_t *to = tag->data = malloc(size);
    if (to == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for %zu bytes of texts", size);
    to = put(to, "ID3\4\0\0\0\0\0\0", HEADER);
    for (size_t i = 0; i < meta->texts; i++)
        if (halo_text_find(meta, meta->text[i].key) == meta->text[i].value) /* frames with a name are unique */
            to = put_frame(to, &meta->text[i]);
        else
            halo_text_left_out(notes, &meta->text[i]);
    tag->size = (size_t)(to - tag->data);
    put_length(tag->data + 6, tag->size - HEADER);
    return HALO_OK;
}
