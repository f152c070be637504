/* Pictures between the parts of them and blocks: a block holds the picture type, the media type and a
 * description, four numbers and the image data. */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"

enum { NUMBERS = 32 }; /* bytes of all numbers of a block */

static uint8_t *put_number(uint8_t *to, size_t value)
{
    halo_put_be(to, value, 4);
    return to + 4;
}

static uint8_t *put(uint8_t *to, const void *bytes, size_t size)
{
    to = put_number(to, size);
    if (size > 0) memcpy(to, bytes, size);
    return to + size;
}

HaloStatus halo_picture_put(const HaloPicture *picture, HaloMeta *meta)
{
    const size_t size = NUMBERS + picture->mime_size + picture->words_size + picture->size;
    uint8_t *bytes = malloc(size), *to = bytes;
    if (bytes == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a picture of %zu bytes", size);
    to = put_number(to, picture->type);
    to = put(to, picture->mime, picture->mime_size);
    to = put(to, picture->words, picture->words_size);
    to = put_number(put_number(to, picture->width), picture->height);
    to = put_number(put_number(to, picture->depth), picture->colors);
    put(to, picture->data, picture->size);
    const HaloStatus status = halo_picture_add(meta, bytes, size);
    free(bytes);
    return status;
}

/* What is left of a block. */
typedef struct Left {
    const uint8_t *at;
    size_t size;
    bool wrong; /* it ended too early */
} Left;

static uint32_t take_number(Left *left)
{
    left->wrong = left->wrong || left->size < 4;
    if (left->wrong) return 0;
    const uint8_t *at = left->at;
    left->at += 4, left->size -= 4;
    return (uint32_t)halo_get_be(at, 4);
}

/* A number and so many bytes. */
static const uint8_t *take_bytes(Left *left, size_t *size)
{
    const uint32_t stated = take_number(left);
    const uint8_t *at = left->at;
    left->wrong = left->wrong || stated > left->size;
    *size = left->wrong ? 0 : stated;
    left->at += *size, left->size -= *size;
    return at;
}

bool halo_picture_take(const HaloBlob *block, HaloPicture *picture)
{
    Left left = {block->data, block->size, false};
    picture->type = take_number(&left);
    picture->mime = (const char *)take_bytes(&left, &picture->mime_size);
    picture->words = (const char *)take_bytes(&left, &picture->words_size);
    picture->width = take_number(&left), picture->height = take_number(&left);
    picture->depth = take_number(&left), picture->colors = take_number(&left);
    picture->data = take_bytes(&left, &picture->size);
    return !left.wrong;
}
