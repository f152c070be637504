/* Goes over the chunks of an animated PNG: which frames there are, and where their samples lie. */
#include "apng.h"

#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "bytes/sums.h"

#define SUM_BYTES 4

bool apng_is(const ApngChunk *chunk, const char *name) { return memcmp(chunk->name, name, 4) == 0; }

bool apng_chunk(const ApngBytes *bytes, size_t *at, ApngChunk *chunk)
{
    const size_t total = PNG_HEAD_BYTES + bytes->size;
    if (total - *at < PNG_HEAD_BYTES) return false;
    const uint8_t *data = bytes->at + *at, *head = *at > 0 ? data - PNG_HEAD_BYTES : bytes->head;
    const size_t left = total - *at - PNG_HEAD_BYTES, size = halo_get_be(head, 4);
    *chunk = (ApngChunk){.name = head + 4, .data = data, .size = size};
    chunk->there = size < left ? size : left;
    const bool whole = size <= INT32_MAX && size + SUM_BYTES <= left;
    if (whole) {
        const uint32_t sum = halo_crc32(halo_crc32(0, chunk->name, 4), chunk->data, size);
        chunk->odds = sum ^ (uint32_t)halo_get_be(chunk->data + size, SUM_BYTES);
    }
    *at = whole ? *at + PNG_HEAD_BYTES + size + SUM_BYTES : total;
    return true;
}

/* ---- frames --------------------------------------------------------------------------------------------- */

typedef struct Walk {
    const HaloReader *reader;
    ApngList *list;
    uint64_t number; /* of the next chunk of the animation */
    size_t capacity;
} Walk;

static HaloStatus take_number(Walk *walk, const uint8_t *number)
{
    const bool right = halo_get_be(number, 4) == walk->number++;
    return right || walk->reader->options.tolerate
               ? HALO_OK
               : halo_fail(HALO_ERR_INPUT, "PNG: chunks of the animation are missing, or out of order");
}

static HaloStatus refuse_damaged(const Walk *walk, const ApngChunk *chunk)
{
    if (chunk->odds == 0 || walk->reader->options.tolerate) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "PNG: the checksum of chunk %.4s is wrong", (const char *)chunk->name);
}

/* A frame without a denominator is shown for hundredths of a second. */
static HaloStatus read_control(const Walk *walk, const uint8_t *said, ApngFrame *frame)
{
    const HaloShape *shape = &walk->reader->info.shape;
    const int delay = (int)halo_get_be(said + 20, 2), parts = (int)halo_get_be(said + 22, 2);
    *frame = (ApngFrame){.width = (int64_t)halo_get_be(said + 4, 4),
                         .height = (int64_t)halo_get_be(said + 8, 4),
                         .left = (int64_t)halo_get_be(said + 12, 4),
                         .top = (int64_t)halo_get_be(said + 16, 4),
                         .shown = (double)delay / (parts > 0 ? parts : 100),
                         .leaves = said[24],
                         .over = said[25] == 1};
    if (frame->width < 1 || frame->height < 1 || frame->left + frame->width > shape->width ||
        frame->top + frame->height > shape->height)
        return halo_fail(
            HALO_ERR_INPUT, "PNG: a frame of %lld x %lld pixels at %lld, %lld is not within the image",
            (long long)frame->width, (long long)frame->height, (long long)frame->left, (long long)frame->top);
    if (said[24] > APNG_RESTORE || said[25] > 1)
        return halo_fail(HALO_ERR_INPUT, "PNG: a frame is drawn in an unknown way (dispose_op %d, blend_op %d)",
                         said[24], said[25]);
    return HALO_OK;
}

static HaloStatus add_frame(Walk *walk, const uint8_t *said, size_t from)
{
    HaloStatus status = HALO_OK;
    ApngList *list = walk->list;
    ApngFrame frame;
    HALO_TRY(take_number(walk, said));
    HALO_TRY(read_control(walk, said, &frame));
    if ((size_t)list->frames == walk->capacity) {
        walk->capacity = walk->capacity > 0 ? 2 * walk->capacity : 8;
        ApngFrame *more = realloc(list->frame, walk->capacity * sizeof *more);
        if (more == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read PNG");
        list->frame = more;
    }
    frame.from = frame.to = from;
    /* Nothing was there before the first one. */
    if (list->frames == 0 && frame.leaves == APNG_RESTORE) frame.leaves = APNG_CLEAR;
    list->frame[list->frames++] = frame;
out:
    return status;
}

/* `end`: where the chunk ends. */
static HaloStatus take_chunk(Walk *walk, const ApngChunk *chunk, size_t end)
{
    HaloStatus status = HALO_OK;
    ApngList *list = walk->list;
    if (apng_is(chunk, "fcTL") && chunk->there >= APNG_CONTROL_BYTES) {
        HALO_TRY(refuse_damaged(walk, chunk));
        HALO_TRY(add_frame(walk, chunk->data, end));
    } else if (apng_is(chunk, "fdAT") && chunk->there >= 4) {
        HALO_TRY(take_number(walk, chunk->data));
        if (list->frames == 0) HALO_FAIL(HALO_ERR_INPUT, "PNG: samples of a frame that has no header (fcTL)");
        list->frame[list->frames - 1].to = end;
    }
out:
    return status;
}

HaloStatus apng_list(const ApngBytes *bytes, const uint8_t *first, const HaloReader *reader, ApngList *list)
{
    HaloStatus status = HALO_OK;
    Walk walk = {.reader = reader, .list = list};
    ApngChunk chunk;
    size_t at = 0;
    bool behind = false;
    *list = (ApngList){0};
    if (first != NULL) HALO_TRY(add_frame(&walk, first, 0));
    if (first != NULL &&
        (list->frame->width < reader->info.shape.width || list->frame->height < reader->info.shape.height))
        HALO_FAIL(HALO_ERR_INPUT, "PNG: the first frame is smaller than the image");
    while (!list->ended && apng_chunk(bytes, &at, &chunk)) {
        behind = behind || !apng_is(&chunk, "IDAT");
        if (!behind) list->behind = at;
        if (!behind && first != NULL) list->frame[0].to = at;
        list->ended = apng_is(&chunk, "IEND");
        HALO_TRY(take_chunk(&walk, &chunk, at));
    }
    list->rest = PNG_HEAD_BYTES + bytes->size - at;
out:
    /* What is damaged ends the animation where damage is tolerated. */
    return status == HALO_ERR_INPUT && reader->options.tolerate && list->frames > 0 ? HALO_OK : status;
}
