/* Reads animated PNG. Each page is the whole image as it is shown: frames are drawn over those before them, and
 * what they leave behind is as their header says. The samples of a frame are decoded as a PNG of its own, which
 * is made of the header of the file and the chunks of the frame. Where the file has no alpha, and some frame
 * shows what no frame has covered, all pages have alpha. */
#include "apng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "bytes/sums.h"
#include "samples/image.h"

/* ---- the PNG of a frame --------------------------------------------------------------------------------- */

static size_t put_chunk(uint8_t *to, const char *name, const void *data, size_t size)
{
    halo_put_be(to, size, 4);
    memcpy(to + 4, name, 4);
    if (size > 0) memcpy(to + 8, data, size);
    halo_put_be(to + 8 + size, halo_crc32(0, to + 4, size + 4), 4);
    return size + CHUNK_BYTES;
}

static size_t put_head(uint8_t *to, const uint8_t samples[5], int64_t width, int64_t height)
{
    uint8_t head[13];
    halo_put_be(head, (uint64_t)width, 4);
    halo_put_be(head + 4, (uint64_t)height, 4);
    memcpy(head + 8, samples, 5);
    return put_chunk(to, "IHDR", head, sizeof head);
}

static size_t put_colours(const PngReader *state, uint8_t *to)
{
    uint8_t table[768];
    png_colorp palette = NULL;
    png_bytep alphas = NULL;
    png_color_16p key = NULL;
    int colours = 0, count = 0;
    size_t size = 0;
    const int type = png_get_color_type(state->png, state->info);
    if (png_get_PLTE(state->png, state->info, &palette, &colours) != 0) {
        for (int i = 0; i < colours; i++)
            memcpy(table + 3 * i, (const uint8_t[]){palette[i].red, palette[i].green, palette[i].blue}, 3);
        size += put_chunk(to, "PLTE", table, 3 * (size_t)colours);
    }
    if (png_get_tRNS(state->png, state->info, &alphas, &count, &key) == 0) return size;
    if (type == PNG_COLOR_TYPE_PALETTE) return size + put_chunk(to + size, "tRNS", alphas, (size_t)count);
    halo_put_be(table, type == PNG_COLOR_TYPE_GRAY ? key->gray : key->red, 2);
    halo_put_be(table + 2, key->green, 2);
    halo_put_be(table + 4, key->blue, 2);
    return size + put_chunk(to + size, "tRNS", table, type == PNG_COLOR_TYPE_GRAY ? 2 : 6);
}

/* What libpng has read of the header, before another instance takes its place. */
static void put_start(const PngReader *state, Apng *apng)
{
    const png_const_structp png = state->png;
    const uint8_t samples[5] = {png_get_bit_depth(png, state->info), png_get_color_type(png, state->info), 0, 0,
                                png_get_interlace_type(png, state->info)};
    uint8_t *to = apng->start;
    memcpy(to, "\x89PNG\r\n\x1a\n", SIGNATURE_BYTES);
    apng->start_size = SIGNATURE_BYTES;
    apng->start_size += put_head(to + apng->start_size, samples, 1, 1);
    apng->start_size += put_colours(state, to + apng->start_size);
}

/* A damaged chunk stays damaged, and a truncated one truncated, so that reading the frame says so. */
static size_t put_samples(const Apng *apng, int64_t k, uint8_t *to)
{
    const ApngFrame *frame = &apng->list.frame[k];
    const bool first = k == 0 && !apng->still;
    const size_t number = first ? 0 : 4;
    uint8_t *const begin = to;
    size_t at = frame->from;
    ApngChunk chunk;
    while (at < frame->to && apng_chunk(&apng->bytes, &at, &chunk)) {
        if (!apng_is(&chunk, first ? "IDAT" : "fdAT") || chunk.there < number) continue;
        uint8_t *const head = to;
        to += put_chunk(to, "IDAT", chunk.data + number, chunk.there - number);
        halo_put_be(to - 4, halo_get_be(to - 4, 4) ^ chunk.odds, 4);
        if (chunk.there == chunk.size) continue;
        halo_put_be(head, chunk.size - number, 4);
        return (size_t)(to - 4 - begin);
    }
    return (size_t)(to - begin) + put_chunk(to, "IEND", NULL, 0);
}

static uint8_t *make_frame(const Apng *apng, int64_t k, size_t *size)
{
    const ApngFrame *frame = &apng->list.frame[k];
    uint8_t *file = malloc(apng->start_size + (frame->to - frame->from) + 4 * CHUNK_BYTES);
    if (file == NULL) return NULL;
    memcpy(file, apng->start, apng->start_size);
    put_head(file + SIGNATURE_BYTES, apng->start + SIGNATURE_BYTES + 16, frame->width, frame->height);
    *size = apng->start_size + put_samples(apng, k, file + apng->start_size);
    return file;
}

HaloStatus apng_decode(const HaloReader *reader, int64_t k, HaloBuf *data)
{
    HaloStatus status = HALO_OK;
    const Apng *apng = ((const PngReader *)reader->state)->animation;
    HaloReader one = {
        .format = reader->format,
        .options = {.tolerate = reader->options.tolerate, .max_pixels = reader->options.max_pixels},
        .jobs = reader->jobs,
        .memory = reader->memory};
    size_t size = 0;
    int64_t got;
    uint8_t *file = make_frame(apng, k, &size);
    if (file == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read PNG");
    HALO_TRY(halo_source_from_memory(file, size, &one.source));
    HALO_TRY(halo_png_open(&one));
    HALO_TRY(halo_memory_alloc(reader->memory, data, &one.info.shape));
    HALO_TRY(halo_png_read(&one, data, &got));
    if (one.info.notes.count[HALO_NOTE_DAMAGED] > 0)
        halo_image_damaged(((PngReader *)reader->state)->reader, -1);
out:
    halo_png_close(&one);
    halo_meta_free(&one.info.meta);
    halo_source_close(one.source);
    free(file);
    return status;
}

/* ---- pages ---------------------------------------------------------------------------------------------- */

static HaloStatus look_at_page(HaloReader *reader)
{
    Apng *apng = ((PngReader *)reader->state)->animation;
    const int64_t page = reader->options.image;
    if (page >= apng->list.frames)
        return halo_fail(HALO_ERR_INPUT, "there is no page %lld of %lld", (long long)page + 1,
                         (long long)apng->list.frames);
    reader->info = apng->info;
    reader->info.meta = (HaloMeta){0};
    apng->info.notes = (HaloNotes){0};
    const HaloStatus status = halo_meta_copy(&apng->info.meta, &reader->info.meta);
    reader->info.meta.shown = apng->list.frame[page].shown;
    return status;
}

HaloStatus apng_next(HaloReader *reader)
{
    ((PngReader *)reader->state)->animation->whole.next = 0;
    return look_at_page(reader);
}

static bool lies_within(const ApngFrame *inner, const ApngFrame *outer)
{
    return inner->left >= outer->left && inner->top >= outer->top &&
           inner->left + inner->width <= outer->left + outer->width &&
           inner->top + inner->height <= outer->top + outer->height;
}

/* Is the place of a frame that is cleared afterwards seen, before another frame that stays covers it? */
static bool is_seen(const ApngList *list, int64_t cleared)
{
    for (int64_t k = cleared + 1; k < list->frames; k++) {
        if (!lies_within(&list->frame[cleared], &list->frame[k])) return true;
        if (list->frame[k].leaves != APNG_RESTORE) return false;
    }
    return false;
}

/* Does a page show what no frame has covered? */
static bool shows_behind(const ApngList *list, const HaloShape *shape)
{
    bool shows = !apng_covers(list->frame, shape);
    for (int64_t k = 0; k < list->frames && !shows; k++)
        shows = list->frame[k].leaves == APNG_CLEAR && is_seen(list, k);
    return shows;
}

/* The frames are known. */
static HaloStatus describe(PngReader *state, Apng *apng)
{
    HaloStatus status = HALO_OK;
    HaloReader *reader = state->reader;
    HaloInfo *info = &reader->info;
    const ApngList *list = &apng->list;
    const HaloShape shape = info->shape;
    for (int64_t k = 0; k < list->frames; k++) apng->restores |= list->frame[k].leaves == APNG_RESTORE;
    if (shape.alpha < 0 && shows_behind(list, &shape)) {
        HALO_TRY(halo_image_open(reader, shape.width, shape.height, shape.channels + 1, shape.dtype));
        info->shape.alpha = shape.channels;
    }
    info->images = list->frames;
    const size_t used = strlen(info->encoding);
    snprintf(info->encoding + used, sizeof info->encoding - used, ", animation");
    if (apng->still) halo_note(&info->notes, HALO_NOTE_STILL, 1);
    if (list->frames < state->announced)
        halo_note(&info->notes, HALO_NOTE_MISSING, state->announced - (uint64_t)list->frames);
    else if (!list->ended)
        halo_note(&info->notes, HALO_NOTE_NO_END, 1);
    if (list->rest > 0) halo_note(&info->notes, HALO_NOTE_REST, list->rest);
out:
    return status;
}

static HaloStatus find_frames(PngReader *state, Apng *apng)
{
    const HaloReader *reader = state->reader;
    const uint8_t *first = state->controlled ? state->control : NULL;
    memcpy(apng->bytes.head, state->head, PNG_HEAD_BYTES);
    apng->still = first == NULL;
    const HaloStatus status = halo_source_slurp(reader->source, &apng->bytes.at, &apng->bytes.size);
    return status == HALO_OK ? apng_list(&apng->bytes, first, reader, &apng->list) : status;
}

static void end_animation(HaloReader *reader, PngReader *state)
{
    Apng *apng = state->animation;
    if (apng == NULL) return;
    halo_whole_free(reader, &apng->whole);
    halo_memory_free(reader->memory, &apng->before);
    halo_meta_free(&apng->info.meta);
    free(apng->list.frame);
    free(apng);
    state->animation = NULL;
}

/* The header says that this is an animation. Goes to the page options.image; where there are no frames after
 * all, the default image is left to be read. */
static HaloStatus begin_animation(PngReader *state)
{
    HaloStatus status = HALO_OK;
    HaloReader *reader = state->reader;
    HaloSource *source = reader->source;
    const int64_t here = halo_source_tell(source);
    Apng *apng = state->animation = calloc(1, sizeof *apng);
    if (apng == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read PNG");
    HALO_TRY(find_frames(state, apng));
    if (apng->list.frames <= (apng->still ? 0 : 1)) {
        end_animation(reader, state);
        if (state->announced > 1) halo_note(&reader->info.notes, HALO_NOTE_MISSING, state->announced - 1);
        return halo_source_seek(source, here);
    }
    put_start(state, apng);
    HALO_TRY(describe(state, apng));
    HALO_TRY(halo_source_seek(source, here + (int64_t)apng->list.behind - PNG_HEAD_BYTES));
    if (apng->list.ended) HALO_TRY(halo_png_pass_samples(state));
    apng->info = reader->info;
    reader->info = (HaloInfo){0};
    HALO_TRY(look_at_page(reader));
out:
    return status;
}

HaloStatus apng_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const bool first = halo_source_tell(reader->source) == 0;
    HALO_TRY(halo_png_open(reader));
    PngReader *state = reader->state;
    if (state->announced > 0 && first)
        HALO_TRY(begin_animation(state));
    else if (state->announced > 1) /* in a stream a page is an image of it */
        halo_note(&reader->info.notes, HALO_NOTE_PAGES, state->announced - 1);
out:
    return status;
}

void apng_close(HaloReader *reader)
{
    if (reader->state != NULL) end_animation(reader, reader->state);
    halo_png_close(reader);
}
