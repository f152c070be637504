/* The oracle of bilateral filters: every window by itself. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

/* What is read for a rectangle: for each of its columns and rows, and those of the windows round it. */
typedef struct Places {
    const HaloBuf *src;
    const HaloBilateral *how;
    int64_t *column, *row;
    float outside;
} Places;

static float scaled(const Places *places, int64_t i, int64_t j, int c)
{
    const int64_t x = places->column[i], y = places->row[j];
    return (x < 0 || y < 0 ? places->outside : oracle_get(places->src, x, y, c)) * places->how->scale;
}

static float weight_of(float y, float bend)
{
    if (!(y > 0.0f)) return 0.0f;
    const float s = y * y;
    const float u = s * fmaf(s, s, bend);
    return u * u;
}

/* One output in all channels; x and y are counted in the rectangle. `sum` and `middle`: [channels]. */
static void make(const Places *places, int64_t x, int64_t y, int channels, float *sum, float *middle,
                 float *out)
{
    const HaloBilateral *how = places->how;
    const int64_t width = how->window.width, height = how->window.height;
    float weight = 0.0f;
    for (int c = 0; c < channels; c++) {
        sum[c] = 0.0f;
        middle[c] = scaled(places, x + width / 2, y + height / 2, c);
    }
    for (int64_t j = 0; j < height; j++)
        for (int64_t i = how->span[j].from; i < how->span[j].to; i++) {
            float rest = how->start[j * width + i];
            for (int c = 0; c < channels; c++) {
                const float d = scaled(places, x + i, y + j, c) - middle[c];
                rest = fmaf(-d, d, rest);
            }
            const bool left_out = how->window.nan_ignore && isnan(rest);
            const float w = weight_of(rest, how->bend);
            for (int c = 0; c < channels; c++) {
                const float d = scaled(places, x + i, y + j, c) - middle[c];
                sum[c] = fmaf(w, left_out ? 0.0f : d, sum[c]);
            }
            weight += w;
        }
    for (int c = 0; c < channels; c++) out[c] = (middle[c] + sum[c] / weight) * how->unscale;
}

uint64_t oracle_bilateral(const HaloBuf *src, HaloBuf *dst, const HaloBilateral *bilateral, HaloStore store)
{
    const HaloWindow *window = &bilateral->window;
    const int channels = dst->shape.channels;
    Places places = {.src = src,
                     .how = bilateral,
                     .column = oracle_memory(dst->cols + window->width, sizeof(int64_t)),
                     .row = oracle_memory(dst->rows + window->height, sizeof(int64_t)),
                     .outside = window->border == HALO_BORDER_CONSTANT ? window->value : 0.0f};
    float *const sum = oracle_memory(channels, sizeof *sum),
                 *const middle = oracle_memory(channels, sizeof *sum),
                 *const out = oracle_memory(channels, sizeof *sum);
    uint64_t clipped = 0;
    oracle_border(dst->x0 + window->ox, dst->cols + window->width - 1, src->shape.width, window->border,
                  places.column);
    oracle_border(dst->y0 + window->oy, dst->rows + window->height - 1, src->shape.height, window->border,
                  places.row);
    for (int64_t y = 0; y < dst->rows; y++)
        for (int64_t x = 0; x < dst->cols; x++) {
            make(&places, x, y, channels, sum, middle, out);
            for (int c = 0; c < channels; c++)
                clipped += oracle_put(dst, dst->x0 + x, dst->y0 + y, c, out[c], store);
        }
    free(places.column);
    free(places.row);
    free(sum);
    free(middle);
    free(out);
    return clipped;
}
