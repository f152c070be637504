/* Pictures of FLAC: a block holds the picture type, the MIME type and a description, four numbers and the image
 * data (RFC 9639, 8.8), all numbers big-endian. Ogg has the same bytes in a comment. */
#ifdef HALO_HAVE_FLAC
#include <FLAC/metadata.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "flac.h"
#include "meta/meta.h"

static uint8_t *put(uint8_t *to, const void *bytes, size_t size)
{
    if (size > 0) memcpy(to, bytes, size);
    return to + size;
}

static uint8_t *put_number(uint8_t *to, uint32_t value)
{
    halo_put_be(to, value, 4);
    return to + 4;
}

HaloStatus flac_take_picture(const FLAC__StreamMetadata_Picture *picture, HaloMeta *meta)
{
    const size_t mime = strlen(picture->mime_type), words = strlen((const char *)picture->description);
    const size_t size = 32 + mime + words + picture->data_length;
    uint8_t *bytes = malloc(size), *to = bytes;
    if (bytes == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a picture of %zu bytes", size);
    to = put_number(to, (uint32_t)picture->type);
    to = put(put_number(to, (uint32_t)mime), picture->mime_type, mime);
    to = put(put_number(to, (uint32_t)words), picture->description, words);
    to = put_number(put_number(to, picture->width), picture->height);
    to = put_number(put_number(to, picture->depth), picture->colors);
    put(put_number(to, picture->data_length), picture->data, picture->data_length);
    const HaloStatus status = halo_picture_add(meta, bytes, size);
    free(bytes);
    return status;
}

/* What is left of the bytes. */
typedef struct Left {
    const uint8_t *at;
    size_t size;
    bool wrong; /* they ended too early */
} Left;

static uint32_t take_number(Left *left)
{
    left->wrong = left->wrong || left->size < 4;
    if (left->wrong) return 0;
    const uint8_t *at = left->at;
    left->at += 4, left->size -= 4;
    return (uint32_t)halo_get_be(at, 4);
}

/* A number and so many bytes; NULL without memory, or where they are wrong. Ends with a zero. */
static char *take_bytes(Left *left, uint32_t *size)
{
    *size = take_number(left);
    left->wrong = left->wrong || *size > left->size;
    char *bytes = left->wrong ? NULL : malloc((size_t)*size + 1);
    if (bytes == NULL) return NULL;
    memcpy(bytes, left->at, *size);
    bytes[*size] = 0;
    left->at += *size, left->size -= *size;
    return bytes;
}

FLAC__StreamMetadata *flac_make_picture(const HaloBlob *blob, HaloStatus *status)
{
    Left left = {blob->data, blob->size, false};
    uint32_t mime_size = 0, words_size = 0, size = 0, number[4];
    FLAC__StreamMetadata *block = FLAC__metadata_object_new(FLAC__METADATA_TYPE_PICTURE);
    const uint32_t type = take_number(&left);
    char *mime = take_bytes(&left, &mime_size), *words = take_bytes(&left, &words_size);
    for (int i = 0; i < 4; i++) number[i] = take_number(&left);
    char *data = take_bytes(&left, &size);
    bool made = block != NULL && mime != NULL && words != NULL && data != NULL;
    if (made) {
        FLAC__StreamMetadata_Picture *picture = &block->data.picture;
        picture->type = (FLAC__StreamMetadata_Picture_Type)type;
        picture->width = number[0], picture->height = number[1];
        picture->depth = number[2], picture->colors = number[3];
        made = FLAC__metadata_object_picture_set_mime_type(block, mime, true) &&
               FLAC__metadata_object_picture_set_description(block, (FLAC__byte *)words, true) &&
               FLAC__metadata_object_picture_set_data(block, (FLAC__byte *)data, size, true) &&
               FLAC__metadata_object_picture_is_legal(block, NULL) &&
               block->length < 1u << FLAC__STREAM_METADATA_LENGTH_LEN;
        left.wrong = left.wrong || !FLAC__metadata_object_picture_is_legal(block, NULL);
    }
    free(mime), free(words), free(data);
    if (!made && block != NULL) FLAC__metadata_object_delete(block);
    *status = made || left.wrong
                  ? HALO_OK
                  : halo_fail(HALO_ERR_LIMIT, "not enough memory for a picture of %zu bytes", blob->size);
    return made ? block : NULL;
}

#endif
