#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/text.h"

/* ---- reduced -------------------------------------------------------------------------------------------- */

Picture picture_new(const HaloShape *shape, bool peaks, const Canvas *canvas)
{
    Picture picture = {.shape = *shape, .peaks = peaks};
    picture.across = (int)fmin((double)shape->width, canvas->width / canvas->cell);
    picture.down = (int)fmin((double)shape->height, canvas->panel / canvas->cell);
    const size_t cells = (size_t)picture.across * (size_t)picture.down;
    picture.cell = cli_alloc(cells * (size_t)shape->channels, sizeof *picture.cell);
    picture.count = cli_alloc(cells, sizeof *picture.count);
    return picture;
}

static float sample_at(const HaloBuf *rows, const void *row, int64_t i)
{
    switch (rows->shape.dtype) {
    case HALO_U8: return ((const uint8_t *)row)[i];
    case HALO_U16: return ((const uint16_t *)row)[i];
    case HALO_I64: return (float)((const int64_t *)row)[i];
    case HALO_F64: return (float)((const double *)row)[i];
    default: return ((const float *)row)[i];
    }
}

/* Means are kept as they grow: the mean of n samples moves by the n-th part of the next one's distance. */
static void add_row(Picture *picture, const HaloBuf *rows, int64_t y)
{
    const int channels = picture->shape.channels;
    const int64_t j = y * picture->down / picture->shape.height,
                  size = (int64_t)picture->across * picture->down;
    const void *row = halo_at(rows, 0, y);
    for (int64_t x = 0; x < picture->shape.width; x++) {
        const int64_t at = j * picture->across + x * picture->across / picture->shape.width;
        const float part = 1.0f / (float)++picture->count[at];
        for (int c = 0; c < channels; c++) {
            const float v = sample_at(rows, row, x * channels + c);
            float *cell = &picture->cell[c * size + at];
            if (picture->count[at] == 1)
                *cell = v;
            else
                *cell = picture->peaks ? fmaxf(*cell, v) : *cell + part * (v - *cell);
        }
    }
}

void picture_add(Picture *picture, const HaloBuf *rows)
{
    for (int64_t y = rows->y0; y < rows->y0 + rows->rows; y++) add_row(picture, rows, y);
}

Picture picture_of_trace(const Trace *trace, const Canvas *canvas)
{
    const HaloShape shape = {.kind = HALO_IMAGE,
                             .dtype = HALO_F64,
                             .width = trace->bins,
                             .height = trace->channels,
                             .channels = 1,
                             .alpha = -1,
                             .numbers = true};
    Picture picture = picture_new(&shape, true, canvas);
    double *row = cli_alloc((size_t)trace->bins, sizeof *row);
    for (int64_t y = 0; y < shape.height; y++) {
        for (int64_t bin = 0; bin < trace->bins; bin++)
            row[bin] = trace->most[bin * trace->channels + trace->channels - 1 - y];
        picture_add(&picture, &(HaloBuf){.shape = shape,
                                         .y0 = y,
                                         .rows = 1,
                                         .cols = trace->bins,
                                         .stride = trace->bins * (int64_t)sizeof *row,
                                         .data = row});
    }
    free(row);
    return picture;
}

void picture_free(Picture *picture)
{
    free(picture->cell);
    free(picture->count);
}

/* ---- colours -------------------------------------------------------------------------------------------- */

bool picture_is_plain(const Picture *picture)
{
    const HaloShape *shape = &picture->shape;
    const int colours = shape->channels - (shape->alpha >= 0);
    return (colours == 1 || colours == 3) && !shape->numbers && !picture->peaks;
}

PictureScale picture_range(const Picture *picture)
{
    PictureScale scale = {INFINITY, -INFINITY, ""};
    const int64_t count = (int64_t)picture->across * picture->down * picture->shape.channels;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(picture->cell[i])) continue;
        scale.lo = fmin(scale.lo, (double)picture->cell[i]);
        scale.hi = fmax(scale.hi, (double)picture->cell[i]);
    }
    if (!(scale.lo <= scale.hi)) scale.lo = scale.hi = 0;
    if (scale.lo == scale.hi) scale.hi = scale.lo + 1;
    return scale;
}

/* From black by purple and orange to white, lighter all the way. */
static uint32_t heat(double share)
{
    static const double anchor[][3] = {
        {0, 0, 0}, {70, 15, 105}, {185, 55, 85}, {250, 150, 40}, {255, 255, 235}};
    const double at = share > 0 ? 4.0 * fmin(share, 1.0) : 0; /* NaN is black */
    const int i = at < 3.0 ? (int)at : 3;
    uint32_t rgb = 0;
    for (int c = 0; c < 3; c++)
        rgb = rgb << 8 | (uint32_t)(anchor[i][c] + (at - i) * (anchor[i + 1][c] - anchor[i][c]) + 0.5);
    return rgb;
}

/* The cells that one of a coarser grid stands for. */
typedef struct Block {
    int left, right, top, bottom;
} Block;

static double value_of(const Picture *picture, int channel, const Block *block)
{
    const float *cell = picture->cell + (int64_t)channel * picture->across * picture->down;
    double most = -INFINITY, sum = 0;
    for (int j = block->top; j < block->bottom; j++)
        for (int i = block->left; i < block->right; i++) {
            const double v = (double)cell[(int64_t)j * picture->across + i];
            most = fmax(most, v);
            sum += v;
        }
    return picture->peaks ? most : sum / ((block->right - block->left) * (block->bottom - block->top));
}

/* What is transparent shows white paper. */
static uint32_t colour_of(const Picture *picture, const Block *block)
{
    const HaloShape *shape = &picture->shape;
    const int colours = shape->channels - (shape->alpha >= 0);
    const double white = (double)shape->white;
    const double alpha = shape->alpha >= 0 ? value_of(picture, shape->alpha, block) / white : 1;
    uint32_t rgb = 0;
    for (int c = 0; c < 3; c++) {
        const double v = value_of(picture, colours == 3 ? c : 0, block) / white * alpha + 1 - alpha;
        rgb = rgb << 8 | (uint32_t)(v > 0 ? fmin(v, 1) * 255 + 0.5 : 0);
    }
    return rgb;
}

/* ---- drawn ---------------------------------------------------------------------------------------------- */

static void draw_scale(const Frame *frame, const PictureScale *scale)
{
    Canvas *canvas = frame->canvas;
    const double left = frame->right + 2 * canvas->letter, width = 2 * canvas->letter;
    const double height = frame->bottom - frame->top, cell = canvas->cell;
    const Frame bar = {
        .canvas = canvas, .top = frame->top, .bottom = frame->bottom, .y = {.lo = scale->lo, .hi = scale->hi}};
    const double step = tick_step(scale->hi - scale->lo, frame_count_y(&bar));
    for (double y = 0; y < height; y += cell)
        canvas->shade(canvas, left, frame->top + y, width, fmin(cell, height - y),
                      heat(1 - (y + cell / 2) / height));
    if (!isfinite(step) || step <= 0) return;
    for (double at = ceil(scale->lo / step - 1e-6); at * step <= scale->hi + step * 1e-6; at++) {
        char text[32], label[48];
        const double y = frame_y(&bar, at * step);
        tick_label(at * step, step, text);
        snprintf(label, sizeof label, "%s%s", text, scale->unit);
        canvas->text(canvas, left + width + (canvas->coarse ? canvas->letter : 5),
                     canvas->coarse ? fmin(y, frame->bottom - 1) : y + 4, CANVAS_LEFT, 11, CANVAS_INK, label);
    }
}

/* One of `count` parts of so many cells, at least one of them. */
static void part_of(int cells, int k, int count, int *from, int *to)
{
    *from = (int)((int64_t)k * cells / count);
    *to = (int)((int64_t)(k + 1) * cells / count);
    if (*to == *from) ++*to;
}

static uint32_t shown(const Picture *picture, int channel, const PictureScale *scale, const Block *block)
{
    if (scale == NULL) return colour_of(picture, block);
    return heat((value_of(picture, channel, block) - scale->lo) / (scale->hi - scale->lo));
}

void picture_draw(const Picture *picture, const Frame *frame, int channel, const PictureScale *scale)
{
    Canvas *canvas = frame->canvas;
    const double side = canvas->cell, width = frame->right - frame->left, height = frame->bottom - frame->top;
    const int across = (int)fmax(width / side, 1), down = (int)fmax(height / side, 1);
    Block block;
    for (int j = 0; j < down; j++) {
        uint32_t before = 0;
        int begin = 0;
        part_of(picture->down, j, down, &block.top, &block.bottom);
        for (int i = 0; i <= across; i++) {
            part_of(picture->across, i < across ? i : 0, across, &block.left, &block.right);
            const uint32_t rgb = shown(picture, channel, scale, &block);
            if (i > 0 && (i == across || rgb != before)) { /* neighbours of one colour together */
                canvas->shade(canvas, frame->left + begin * side, frame->top + j * side, (i - begin) * side,
                              side, before);
                begin = i;
            }
            before = rgb;
        }
    }
    if (scale != NULL) draw_scale(frame, scale);
}
