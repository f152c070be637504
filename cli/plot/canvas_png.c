/* Drawing in pixels. All there is are boxes: letters, too, are made of them, by stb_easy_font, so that a plot
 * needs neither a font nor a library for drawing. What covers a part of a pixel mixes with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "letters.h"
#include "text/text.h"

#include <stb_easy_font.h>

#define LINE 1.25  /* the width of an outline */
#define STROKE 1.5 /* of a line */
#define DASH 6.0   /* drawn, and then as much of a gap: */
#define GAP 4.0
#define MOST_LETTERS 90 /* as many as fit the picture */
#define MOST_CORNERS 80 /* of a letter */

typedef struct Png {
    Canvas canvas;
    int height;
    float (*pixel)[CANVAS_WIDTH][3]; /* [height]: 0 to 255 */
    float (*cover)[CANVAS_WIDTH];    /* [height]: of a line while it is drawn: 0 to 1 */
} Png;

/* How much of [i, i + 1) lies in [from, to). */
static double covered(double i, double from, double to)
{
    const double low = from > i ? from : i, high = to < i + 1 ? to : i + 1;
    return high > low ? high - low : 0.0;
}

static int within(double at, int most) { return at < 0 ? 0 : at > most ? most : (int)at; }

static void mix(Png *png, double x, double y, double width, double height, uint32_t rgb, double opacity)
{
    const int left = within(x, CANVAS_WIDTH), right = within(x + width + 1, CANVAS_WIDTH);
    const int above = within(y, png->height), below = within(y + height + 1, png->height);
    for (int j = above; j < below; j++)
        for (int i = left; i < right; i++) {
            const double part = opacity * covered(i, x, x + width) * covered(j, y, y + height);
            for (int k = 0; k < 3; k++) {
                const float colour = (float)(rgb >> (16 - 8 * k) & 0xff);
                png->pixel[j][i][k] += (float)part * (colour - png->pixel[j][i][k]);
            }
        }
}

static void box(Canvas *canvas, double x, double y, double width, double height, uint32_t rgb)
{
    mix((Png *)canvas, x, y, width, height, rgb, 1.0);
}

static void draw_steps(Canvas *canvas, const CanvasSteps *steps, uint32_t rgb)
{
    Png *png = (Png *)canvas;
    double x = steps->left, before = steps->bottom;
    for (int k = 0; k <= steps->count; k++) {
        const bool last = k == steps->count; /* back to the bottom */
        const double top = last ? steps->bottom : steps->top[k], right = last ? x : steps->right[k];
        const double high = top < before ? top : before, low = top < before ? before : top;
        /* Between whole pixels: parts that neighbours share would not add up to what lies inside. */
        mix(png, rint(x), top, rint(right) - rint(x), steps->bottom - top, rgb, 0.3);
        mix(png, x - LINE / 2, high - LINE / 2, LINE, low - high + LINE, rgb, 1.0);
        mix(png, x, top - LINE / 2, right - x, LINE, rgb, 1.0);
        x = right;
        before = top;
    }
}

/* How much of a pixel a stroke covers: by the distance of its middle from a segment from `a` to `b`. */
static void cover_segment(Png *png, const double a[2], const double b[2])
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy, reach = STROKE / 2 + 0.5;
    const int left = within(fmin(a[0], b[0]) - reach, CANVAS_WIDTH),
              right = within(fmax(a[0], b[0]) + reach + 1, CANVAS_WIDTH);
    const int above = within(fmin(a[1], b[1]) - reach, png->height),
              below = within(fmax(a[1], b[1]) + reach + 1, png->height);
    for (int j = above; j < below; j++)
        for (int i = left; i < right; i++) {
            const double x = i + 0.5 - a[0], y = j + 0.5 - a[1];
            const double at = square > 0 ? fmin(fmax((x * dx + y * dy) / square, 0), 1) : 0;
            const double part = reach - hypot(x - at * dx, y - at * dy);
            png->cover[j][i] = fmaxf(png->cover[j][i], (float)fmin(fmax(part, 0), 1));
        }
}

/* One segment of a dashed line; `done` is how long the line was before it. */
static void cover_dashes(Png *png, const double a[2], const double b[2], double done)
{
    const double length = hypot(b[0] - a[0], b[1] - a[1]);
    for (double from = -fmod(done, DASH + GAP); from < length; from += DASH + GAP) {
        const double first = fmax(from, 0) / length, last = fmin(from + DASH, length) / length;
        const double begin[2] = {a[0] + first * (b[0] - a[0]), a[1] + first * (b[1] - a[1])};
        const double end[2] = {a[0] + last * (b[0] - a[0]), a[1] + last * (b[1] - a[1])};
        if (first < last) cover_segment(png, begin, end);
    }
}

/* Where segments meet they cover the same pixels: only the most counts, or joints would be darker. */
static void draw_line(Canvas *canvas, const CanvasLine *line, uint32_t rgb)
{
    Png *png = (Png *)canvas;
    double done = 0;
    memset(png->cover, 0, sizeof *png->cover * (size_t)png->height);
    for (int64_t k = 0; k + 1 < line->count; k++) {
        const double a[2] = {line->x[k], line->y[k]}, b[2] = {line->x[k + 1], line->y[k + 1]};
        if (line->dashed)
            cover_dashes(png, a, b, done);
        else
            cover_segment(png, a, b);
        done += hypot(b[0] - a[0], b[1] - a[1]);
    }
    for (int j = 0; j < png->height; j++)
        for (int i = 0; i < CANVAS_WIDTH; i++)
            if (png->cover[j][i] > 0) mix(png, i, j, 1, 1, rgb, (double)png->cover[j][i]);
}

static void draw_text(Canvas *canvas, double x, double y, CanvasAlign align, double size, uint32_t rgb,
                      const char *text)
{
    static const float tall = 8.0f; /* of its letters, which stand on line 7 */
    typedef struct Corner {
        float x, y, z;
        unsigned char colour[4];
    } Corner;
    Corner corner[MOST_CORNERS];
    char shown[MOST_LETTERS + 1], letter[2] = "";
    const size_t length = plot_letters(text, shown, sizeof shown);
    const double scale = size / (double)tall;
    const double width = scale * stb_easy_font_width(shown);
    const double left = align == CANVAS_LEFT ? x : align == CANVAS_MIDDLE ? x - width / 2 : x - width;
    float at = 0;
    for (size_t i = 0; i < length; i++) {
        letter[0] = shown[i];
        const int boxes = stb_easy_font_print(at, 0, letter, NULL, corner, (int)sizeof corner);
        for (int b = 0; b < boxes; b++) {
            const Corner *first = &corner[4 * b], *third = first + 2; /* they lie across from each other */
            mix((Png *)canvas, left + scale * (double)first->x, y + scale * ((double)first->y - 7.0),
                scale * (double)(third->x - first->x), scale * (double)(third->y - first->y), rgb, 1.0);
        }
        at += (float)stb_easy_font_width(letter);
    }
}

static HaloStatus write_png(Canvas *canvas, HaloSink *sink)
{
    const Png *png = (const Png *)canvas;
    HaloStatus status = HALO_OK;
    HaloBuf rgb = {0};
    HaloWriter writer = {.format = halo_find_format("png"), .sink = sink};
    writer.info.shape = (HaloShape){.kind = HALO_IMAGE,
                                    .dtype = HALO_U8,
                                    .width = CANVAS_WIDTH,
                                    .height = png->height,
                                    .channels = 3,
                                    .alpha = -1,
                                    .white = 255};
    writer.info.bits = 8;
    HALO_TRY(halo_buf_alloc(&rgb, &writer.info.shape));
    for (int64_t y = 0; y < png->height; y++)
        for (int i = 0; i < CANVAS_WIDTH * 3; i++)
            ((uint8_t *)halo_at(&rgb, 0, y))[i] = (uint8_t)(png->pixel[y][i / 3][i % 3] + 0.5f);
    HALO_TRY(writer.format->create(&writer));
    HALO_TRY(writer.format->write(&writer, &rgb));
    HALO_TRY(writer.format->finish(&writer));
out:
    writer.format->discard(&writer);
    halo_buf_free(&rgb);
    return status;
}

static void free_png(Canvas *canvas)
{
    Png *png = (Png *)canvas;
    free(png->pixel);
    free(png->cover);
    free(png);
}

Canvas *canvas_png(double height)
{
    Png *png = cli_alloc(1, sizeof *png);
    png->canvas = (Canvas){.width = CANVAS_WIDTH,
                           .height = height,
                           .letter = 6,
                           .line = 15,
                           .cell = 1,
                           .box = box,
                           .shade = box,
                           .steps = draw_steps,
                           .draw = draw_line,
                           .text = draw_text,
                           .write = write_png,
                           .free = free_png};
    png->height = (int)height;
    png->pixel = cli_alloc((size_t)png->height, sizeof *png->pixel);
    png->cover = cli_alloc((size_t)png->height, sizeof *png->cover);
    box(&png->canvas, 0, 0, CANVAS_WIDTH, height, 0xffffff);
    return &png->canvas;
}
