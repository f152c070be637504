/* Converts comments of Vorbis, FLAC and Opus to HaloMeta and back. */
#include "comment.h"

#include <stdlib.h>
#include <string.h>

#include "meta.h"

/* Keys that other formats have, too; all others are kept unchanged. */
static const struct {
    const char *vorbis, *key;
} keys[] = {
    {"TITLE", "Title"},         {"ARTIST", "Author"},           {"COMMENT", "Comment"},
    {"COPYRIGHT", "Copyright"}, {"DATE", "Creation Time"},      {"ALBUM", "Album"},
    {"GENRE", "Genre"},         {"TRACKNUMBER", "Track"},       {"LICENSE", "License"},
    {"SOFTWARE", "Software"},   {"DESCRIPTION", "Description"},
};
enum { KEYS = sizeof keys / sizeof *keys };

static const char picture_key[] = "METADATA_BLOCK_PICTURE";

/* ---- base64 (RFC 4648) ---------------------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static size_t encode(const uint8_t *from, size_t size, char *to)
{
    char *const start = to;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t v = (uint32_t)from[i] << 16 | (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                           (left > 2 ? from[i + 2] : 0);
        *to++ = digits[v >> 18];
        *to++ = digits[v >> 12 & 63];
        *to++ = left > 1 ? digits[v >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[v & 63] : '=';
    }
    return (size_t)(to - start);
}

/* Up to what is no digit. */
static size_t decode(const char *from, size_t size, uint8_t *to)
{
    uint8_t *const start = to;
    uint32_t bits = 0;
    int held = 0;
    for (size_t i = 0; i < size; i++) {
        const char *digit = from[i] != 0 ? strchr(digits, from[i]) : NULL;
        if (digit == NULL) break;
        bits = bits << 6 | (uint32_t)(digit - digits);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        *to++ = (uint8_t)(bits >> held);
    }
    return (size_t)(to - start);
}

/* ---- in ------------------------------------------------------------------------------------------------- */

static bool same_key(const char *vorbis, const uint8_t *key, size_t size)
{
    if (strlen(vorbis) != size) return false;
    for (size_t i = 0; i < size; i++)
        if ((key[i] >= 'a' && key[i] <= 'z' ? key[i] - 32 : key[i]) != vorbis[i]) return false;
    return true;
}

static HaloStatus take_picture(HaloMeta *meta, const char *text, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a picture of %zu bytes", size);
    const HaloStatus status = halo_picture_add(meta, bytes, decode(text, size, bytes));
    free(bytes);
    return status;
}

HaloStatus halo_comment_take(HaloMeta *meta, const uint8_t *comment, size_t size)
{
    const uint8_t *equals = size > 0 ? memchr(comment, '=', size) : NULL;
    if (equals == NULL || equals == comment) return HALO_OK;
    const size_t length = (size_t)(equals - comment), rest = size - length - 1;
    const char *value = (const char *)equals + 1;
    char *own = NULL;
    if (same_key(picture_key, comment, length)) return take_picture(meta, value, rest);
    for (int i = 0; i < KEYS; i++)
        if (same_key(keys[i].vorbis, comment, length))
            return halo_text_add(meta, keys[i].key, value, rest, HALO_UTF_8);
    own = strndup((const char *)comment, length);
    if (own == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a text of %zu bytes", size);
    const HaloStatus status = own[0] != 0 ? halo_text_add(meta, own, value, rest, HALO_UTF_8) : HALO_OK;
    free(own);
    return status;
}

/* ---- out ------------------------------------------------------------------------------------------------ */

/* Vorbis I, 5.2.2: a key is ASCII from 0x20 to 0x7d without '='. */
static bool is_key(const char *key)
{
    if (*key == 0) return false;
    for (; *key != 0; key++)
        if (*key < ' ' || *key > '}' || *key == '=') return false;
    return true;
}

static HaloStatus put_line(const char *key, const char *value, HaloCommentPut *put, void *context)
{
    const size_t length = strlen(key), rest = strlen(value);
    char *line = malloc(length + rest + 2);
    if (line == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a text of %zu bytes", rest);
    memcpy(line, key, length);
    line[length] = '=';
    memcpy(line + length + 1, value, rest + 1);
    const HaloStatus status = put(context, line, length + 1 + rest);
    free(line);
    return status;
}

static HaloStatus put_picture(const HaloBlob *picture, HaloCommentPut *put, void *context)
{
    const size_t length = sizeof picture_key;
    char *line = picture->size < SIZE_MAX / 2 ? malloc(length + picture->size / 3 * 4 + 5) : NULL;
    if (line == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for a picture of %zu bytes", picture->size);
    memcpy(line, picture_key, length - 1);
    line[length - 1] = '=';
    const HaloStatus status = put(context, line, length + encode(picture->data, picture->size, line + length));
    free(line);
    return status;
}

HaloStatus halo_comments_put(const HaloMeta *meta, bool with_pictures, HaloNotes *notes, HaloCommentPut *put,
                             void *context)
{
    HaloStatus status = HALO_OK;
    for (size_t i = 0; i < meta->texts; i++) {
        const char *key = meta->text[i].key;
        for (int k = 0; k < KEYS; k++)
            if (strcmp(keys[k].key, key) == 0) key = keys[k].vorbis;
        if (is_key(key))
            HALO_TRY(put_line(key, meta->text[i].value, put, context));
        else
            halo_text_left_out(notes, &meta->text[i]);
    }
    for (size_t i = 0; i < meta->pictures && with_pictures; i++)
        HALO_TRY(put_picture(&meta->picture[i], put, context));
out:
    return status;
}
