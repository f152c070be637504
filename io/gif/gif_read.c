/* Reads GIF. Each page is the whole canvas as it is shown: frames are drawn over those before them, and what
 * they leave behind is as their disposal says. Nothing is drawn of the background colour, as in browsers: what
 * no frame covers is transparent. */
#ifdef HALO_HAVE_GIF
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "giffile.h"
#include "meta/meta.h"
#include "samples/image.h"
#include "samples/whole.h"

enum { PIXEL = 4 };

typedef struct GifReader {
    GifWalk walk;
    int64_t width, height, frames;
    bool alpha, ended; /* the file, before its mark */
    bool clears;       /* the latest frame that was counted leaves a hole */
    int plays;         /* HaloMeta::plays */
    uint16_t *delay;   /* [frames]: in hundredths of a second */
    HaloWhole whole;
    uint8_t *canvas;         /* RGBA */
    uint8_t *before;         /* the canvas before the latest frame, if that is to be taken away again */
    int64_t drawn;           /* frames that are on the canvas */
    GifImageDesc at;         /* where the latest of them is */
    int disposal;            /* and what it leaves */
    GifByteType line[65536]; /* of a frame; its width is a number of 16 bits */
} GifReader;

/* ---- the header ----------------------------------------------------------------------------------------- */

static HaloStatus add_frame(GifReader *state)
{
    const GraphicsControlBlock *control = &state->walk.control;
    if ((state->frames & (state->frames - 1)) == 0) {
        const size_t count = state->frames > 0 ? 2 * (size_t)state->frames : 1;
        uint16_t *more = realloc(state->delay, count * sizeof *more);
        if (more == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read GIF");
        state->delay = more;
    }
    state->delay[state->frames] = (uint16_t)control->DelayTime;
    if (state->frames == 0) {
        const GifFileType *file = state->walk.file;
        const GifImageDesc *at = &file->Image;
        state->width = file->SWidth > 0 ? file->SWidth : at->Left + at->Width;
        state->height = file->SHeight > 0 ? file->SHeight : at->Top + at->Height;
        state->alpha = control->TransparentColor != NO_TRANSPARENT_COLOR || at->Left > 0 || at->Top > 0 ||
                       at->Width < state->width || at->Height < state->height;
    }
    state->alpha |= state->clears;
    state->clears = control->DisposalMode == DISPOSE_BACKGROUND ||
                    (control->DisposalMode == DISPOSE_PREVIOUS && state->frames == 0);
    state->frames++;
    return HALO_OK;
}

/* Goes through the file once: how many frames there are, and whether any of them shows what is behind it. */
static HaloStatus count_frames(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    GifReader *state = reader->state;
    bool there = false;
    state->walk.comments = &reader->info.meta;
    HALO_TRY(gif_walk_open(&state->walk));
    for (;;) {
        status = gif_walk_on(&state->walk, &there);
        if (status != HALO_OK || !there) break;
        HALO_TRY(add_frame(state));
        status = gif_walk_past(&state->walk);
        if (status != HALO_OK) break;
    }
    state->walk.comments = NULL;
    state->plays = state->walk.plays;
    gif_walk_close(&state->walk);
    if (state->frames == 0)
        return status != HALO_OK ? status : halo_fail(HALO_ERR_INPUT, "GIF without an image");
    /* A damaged frame fails when it is drawn, and damage behind a frame counts as one. Only the end mark may be
     * missing. */
    state->ended = status == HALO_ERR_INPUT && state->walk.record == state->walk.size;
    if (status == HALO_ERR_INPUT && !there && !state->ended) HALO_TRY(add_frame(state));
    if (status == HALO_ERR_INPUT) status = HALO_OK;
    HALO_TRY(status);
    HALO_TRY(gif_walk_open(&state->walk));
out:
    return status;
}

static HaloStatus look_at_page(HaloReader *reader)
{
    const GifReader *state = reader->state;
    const int64_t page = reader->options.image;
    if (page >= state->frames)
        return halo_fail(HALO_ERR_INPUT, "there is no page %lld of %lld", (long long)page + 1,
                         (long long)state->frames);
    const HaloStatus status =
        halo_image_open(reader, state->width, state->height, state->alpha ? 4 : 3, HALO_U8);
    if (status != HALO_OK) return status;
    if (state->alpha) reader->info.shape.alpha = 3;
    reader->info.bits = 8;
    reader->info.images = state->frames;
    reader->info.meta.plays = state->frames > 1 ? state->plays : 0;
    reader->info.meta.shown = state->frames > 1 ? state->delay[page] / 100.0 : 0;
    snprintf(reader->info.encoding, sizeof reader->info.encoding, "palette%s",
             state->frames > 1 ? ", animation" : "");
    if (page == 0 && state->ended) halo_note(&reader->info.notes, HALO_NOTE_NO_END, 1);
    return HALO_OK;
}

HaloStatus gif_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    GifReader *state = NULL;
    HALO_TRY(gif_load());
    state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read GIF");
    HALO_TRY(halo_source_slurp(reader->source, &state->walk.bytes, &state->walk.size));
    HALO_TRY(count_frames(reader));
    HALO_TRY(look_at_page(reader));
out:
    return status;
}

HaloStatus gif_next(HaloReader *reader)
{
    ((GifReader *)reader->state)->whole.next = 0;
    return look_at_page(reader);
}

/* ---- drawing -------------------------------------------------------------------------------------------- */

static HaloStatus begin(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    GifReader *state = reader->state;
    const size_t pixels = (size_t)(state->width * state->height);
    if (state->canvas != NULL) return HALO_OK;
    HALO_TRY(halo_whole_begin(reader, 2 * PIXEL * (int64_t)pixels, &state->whole));
    state->canvas = calloc(pixels, PIXEL);
    state->before = calloc(pixels, PIXEL);
    if (state->canvas == NULL || state->before == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read GIF");
out:
    return status;
}

/* The columns of a frame that are on the canvas, and whether this row is. */
static int64_t columns(const GifReader *state, int64_t y)
{
    const int64_t left = state->width - state->at.Left;
    if (y >= state->height || left <= 0) return 0;
    return left < state->at.Width ? left : state->at.Width;
}

static uint8_t *pixel_at(uint8_t *canvas, const GifReader *state, int64_t y)
{
    return canvas + (size_t)(y * state->width + state->at.Left) * PIXEL;
}

/* Takes away what the latest frame does not leave. */
static void dispose(GifReader *state)
{
    for (int64_t y = state->at.Top; y < state->at.Top + state->at.Height; y++) {
        const size_t size = (size_t)columns(state, y) * PIXEL;
        if (size == 0) continue;
        if (state->disposal == DISPOSE_BACKGROUND) memset(pixel_at(state->canvas, state, y), 0, size);
        if (state->disposal == DISPOSE_PREVIOUS)
            memcpy(pixel_at(state->canvas, state, y), pixel_at(state->before, state, y), size);
    }
}

static void draw_line(GifReader *state, int64_t y)
{
    const ColorMapObject *map = state->at.ColorMap != NULL ? state->at.ColorMap : state->walk.file->SColorMap;
    const int64_t count = columns(state, y);
    uint8_t *to = count > 0 ? pixel_at(state->canvas, state, y) : NULL;
    for (int64_t x = 0; x < count; x++) {
        const int index = state->line[x];
        if (index == state->walk.control.TransparentColor || map == NULL || index >= map->ColorCount) continue;
        const GifColorType *colour = &map->Colors[index];
        const uint8_t pixel[PIXEL] = {colour->Red, colour->Green, colour->Blue, 255};
        memcpy(to + x * PIXEL, pixel, PIXEL);
    }
}

/* Rows of interlaced frames come in four passes. */
static HaloStatus draw_lines(GifReader *state)
{
    static const int first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    const bool woven = state->at.Interlace;
    for (int pass = 0; pass < (woven ? 4 : 1); pass++)
        for (int64_t y = woven ? first[pass] : 0; y < state->at.Height; y += woven ? step[pass] : 1) {
            if (gif.DGifGetLine(state->walk.file, state->line, state->at.Width) == GIF_ERROR)
                return gif_walk_fail(&state->walk);
            draw_line(state, state->at.Top + y);
        }
    return HALO_OK;
}

static HaloStatus draw_frame(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    GifReader *state = reader->state;
    bool there;
    dispose(state);
    state->disposal = DISPOSAL_UNSPECIFIED;
    HALO_TRY(gif_walk_on(&state->walk, &there));
    if (!there) HALO_FAIL(HALO_ERR_INPUT, "GIF is damaged or truncated: a frame is missing");
    state->at = state->walk.file->Image;
    if (!halo_image_fits(reader, (int64_t)state->at.Width * state->at.Height, 1))
        HALO_FAIL(HALO_ERR_LIMIT, "a frame of %d x %d pixels is too large: raise the limit with --max-pixels",
                  state->at.Width, state->at.Height);
    state->disposal = state->walk.control.DisposalMode;
    if (state->disposal == DISPOSE_PREVIOUS)
        memcpy(state->before, state->canvas, (size_t)(state->width * state->height) * PIXEL);
    HALO_TRY(draw_lines(state));
out:
    return status;
}

/* Draws up to the page that is wanted. */
static HaloStatus draw(HaloReader *reader)
{
    GifReader *state = reader->state;
    const HaloBuf *data = &state->whole.data;
    const int channels = data->shape.channels;
    while (state->drawn <= reader->options.image) {
        const HaloStatus status = draw_frame(reader);
        if (status != HALO_OK && (status != HALO_ERR_INPUT || !reader->options.tolerate)) return status;
        if (status != HALO_OK) halo_image_damaged(reader, -1);
        state->drawn = status == HALO_OK ? state->drawn + 1 : state->frames;
    }
    for (int64_t i = 0; i < data->rows * data->cols; i++)
        memcpy((uint8_t *)data->data + i * channels, state->canvas + i * PIXEL, (size_t)channels);
    state->whole.next = 0;
    return HALO_OK;
}

HaloStatus gif_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    GifReader *state = reader->state;
    *got = 0;
    HALO_TRY(begin(reader));
    if (state->drawn <= reader->options.image) HALO_TRY(draw(reader));
    halo_whole_give(&state->whole, rows);
    *got = rows->rows;
out:
    return status;
}

void gif_close(HaloReader *reader)
{
    GifReader *state = reader->state;
    if (state == NULL) return;
    gif_walk_close(&state->walk);
    halo_whole_free(reader, &state->whole);
    free(state->canvas);
    free(state->before);
    free(state->delay);
    free(state);
    reader->state = NULL;
}
#endif
