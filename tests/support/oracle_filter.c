/* The oracle of conv, sep, map, combine, and of storing samples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/curves.h"
#include "oracle.h"

void *oracle_memory(int64_t count, size_t size)
{
    void *const memory = calloc((size_t)(count > 0 ? count : 1), size);
    if (memory == NULL) {
        fputs("the oracle has no memory left\n", stderr);
        abort();
    }
    return memory;
}

/* ---- single values -------------------------------------------------------------------------------------- */

/* One step from *at; the direction *way is +1 or -1 and is reversed at a reflecting end. */
static void border_step(int64_t *at, int *way, int64_t n, HaloBorder border)
{
    const int64_t next = *at + *way;
    const bool leaves = next < 0 || next >= n;
    switch (border) {
    case HALO_BORDER_REPLICATE:
    case HALO_BORDER_KEEP:
        if (!leaves) *at = next;
        break;
    case HALO_BORDER_WRAP: *at = next < 0 ? n - 1 : next >= n ? 0 : next; break;
    case HALO_BORDER_REFLECT: /* the end is read twice */
        if (leaves)
            *way = -*way;
        else
            *at = next;
        break;
    case HALO_BORDER_MIRROR: /* the end is read once */
        if (leaves) *way = -*way;
        if (n > 1) *at += *way;
        break;
    default: *at = leaves || *at < 0 ? -1 : next;
    }
}

void oracle_border(int64_t first, int64_t count, int64_t n, HaloBorder border, int64_t *index)
{
    for (int side = -1; side <= 1; side += 2) {
        int64_t at = 0, i = 0;
        int way = side;
        while (side < 0 ? i >= first : i < first + count) {
            if (i >= first && i < first + count) index[i - first] = at;
            border_step(&at, &way, n, border);
            i += side;
        }
    }
}

float oracle_quantise(float v, float white, unsigned *clipped)
{
    const float r = nearbyintf(v);
    *clipped = isnan(v) || r < 0.0f || r > white;
    if (isnan(v) || r <= 0.0f) return 0.0f;
    return r > white ? white : r;
}

float oracle_point(float v, const HaloPoint *point)
{
    const float a = (float)point->a, b = (float)point->b;
    unsigned clipped;
    switch (point->op) {
    case HALO_POINT_MUL: return v * a;
    case HALO_POINT_ADD: return v + a;
    case HALO_POINT_RSUB: return a - v;
    case HALO_POINT_FMA: return fmaf(v, a, b);
    case HALO_POINT_CLAMP:
        if (v < a) return a;
        return v > b ? b : v;
    case HALO_POINT_THRESHOLD: return v >= a ? b : 0.0f;
    case HALO_POINT_ABS: return fabsf(v);
    case HALO_POINT_QUANTISE: return oracle_quantise(v, a, &clipped);
    /* The curves are defined by their arithmetic; check_curves holds that against the C library. */
    case HALO_POINT_POWER: return halo_curve_power(v, a, b);
    case HALO_POINT_LINEAR: return halo_curve_linear(v, a);
    case HALO_POINT_SRGB: return halo_curve_srgb(v, a);
    }
    return v;
}

float oracle_get(const HaloBuf *buf, int64_t x, int64_t y, int c)
{
    const void *const pixel = halo_at(buf, x, y);
    switch (buf->shape.dtype) {
    case HALO_U8: return (float)((const uint8_t *)pixel)[c];
    case HALO_U16: return (float)((const uint16_t *)pixel)[c];
    case HALO_I64: return (float)((const int64_t *)pixel)[c];
    case HALO_F64: return (float)((const double *)pixel)[c];
    default: return ((const float *)pixel)[c];
    }
}

double oracle_wide(const HaloBuf *buf, int64_t x, int64_t y, int c)
{
    if (buf->shape.dtype == HALO_F64) return ((const double *)halo_at(buf, x, y))[c];
    if (buf->shape.dtype == HALO_I64) return (double)((const int64_t *)halo_at(buf, x, y))[c];
    return (double)oracle_get(buf, x, y, c);
}

void oracle_put_wide(HaloBuf *buf, int64_t x, int64_t y, int c, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (isnan(v)) bits = 0x7ff8000000000000u;
    memcpy((double *)halo_at(buf, x, y) + c, &bits, sizeof bits);
}

uint64_t oracle_put(HaloBuf *buf, int64_t x, int64_t y, int c, float v, HaloStore store)
{
    void *const pixel = halo_at(buf, x, y);
    unsigned clipped = 0;
    if (store.num != 1.0f) v *= store.num;
    if (store.den != 1.0f) v /= store.den;
    switch (buf->shape.dtype) {
    case HALO_U8: ((uint8_t *)pixel)[c] = (uint8_t)oracle_quantise(v, 255.0f, &clipped); break;
    case HALO_U16: ((uint16_t *)pixel)[c] = (uint16_t)oracle_quantise(v, 65535.0f, &clipped); break;
    default: {
        uint32_t bits;
        memcpy(&bits, &v, sizeof bits);
        if (isnan(v)) bits = 0x7fc00000u;
        memcpy((float *)pixel + c, &bits, sizeof bits);
    }
    }
    return clipped;
}

/* ---- convolution ---------------------------------------------------------------------------------------- */

/* One output from the n samples under its taps. */
static float weigh(const float *tap, const float *sample, int64_t n, bool nan_ignore)
{
    float acc = 0.0f, weight = 0.0f, total = 0.0f;
    bool any = false;
    for (int64_t i = 0; i < n; i++) {
        total += tap[i];
        if (nan_ignore && isnan(sample[i])) continue;
        any = true;
        weight += tap[i];
        acc = fmaf(tap[i], sample[i], acc);
    }
    if (!nan_ignore) return acc;
    if (!any) return NAN;
    return total == 0.0f ? acc : acc * (total / weight);
}

uint64_t oracle_conv(const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store)
{
    const int64_t w = conv->window.width, h = conv->window.height;
    const float outside = conv->window.border == HALO_BORDER_CONSTANT ? conv->window.value : 0.0f;
    int64_t *const column = oracle_memory(dst->cols + w, sizeof *column);
    int64_t *const row = oracle_memory(dst->rows + h, sizeof *row);
    float *const sample = oracle_memory(w * h, sizeof *sample);
    uint64_t clipped = 0;
    oracle_border(dst->x0 + conv->window.ox, dst->cols + w - 1, src->shape.width, conv->window.border, column);
    oracle_border(dst->y0 + conv->window.oy, dst->rows + h - 1, src->shape.height, conv->window.border, row);
    for (int64_t y = 0; y < dst->rows; y++)
        for (int64_t x = 0; x < dst->cols; x++)
            for (int c = 0; c < dst->shape.channels; c++) {
                for (int64_t j = 0; j < h; j++)
                    for (int64_t i = 0; i < w; i++)
                        sample[j * w + i] = column[x + i] < 0 || row[y + j] < 0
                                                ? outside
                                                : oracle_get(src, column[x + i], row[y + j], c);
                float v = weigh(conv->tap, sample, w * h, conv->window.nan_ignore);
                if (conv->affine) v = fmaf(v, conv->scale, conv->bias);
                clipped += oracle_put(dst, dst->x0 + x, dst->y0 + y, c, v, store);
            }
    free(column);
    free(row);
    free(sample);
    return clipped;
}

/* A plane of f32 like this one, in the columns of `like`. */
static HaloBuf plane_of(const HaloBuf *rows, const HaloBuf *cols)
{
    HaloBuf plane = *rows;
    plane.shape.dtype = HALO_F32;
    plane.shape.width = cols->shape.width;
    plane.x0 = cols->x0;
    plane.cols = cols->cols;
    plane.stride = halo_row_bytes(&plane);
    plane.data = oracle_memory(plane.rows, (size_t)plane.stride);
    return plane;
}

/* The samples with 0 for each NaN; or, if `counts`, 1 for every other. */
static HaloBuf without_nan(const HaloBuf *src, bool counts)
{
    HaloBuf plane = plane_of(src, src);
    for (int64_t y = src->y0; y < src->y0 + src->rows; y++)
        for (int64_t x = src->x0; x < src->x0 + src->cols; x++)
            for (int c = 0; c < src->shape.channels; c++) {
                const float v = oracle_get(src, x, y, c);
                oracle_put(&plane, x, y, c, isnan(v) ? 0.0f : counts ? 1.0f : v, (HaloStore){1, 1});
            }
    return plane;
}

/* Rows, then columns, for which the border has other values than for rows. */
static HaloBuf two_passes(const HaloBuf *src, const HaloBuf *like, const HaloSep *sep, const float *tap_x,
                          const float *tap_y, float beside, float above)
{
    HaloConv row = {.window = sep->window, .tap = tap_x}, column = {.window = sep->window, .tap = tap_y};
    HaloBuf between = plane_of(src, like), made = plane_of(like, like);
    row.window.height = column.window.width = 1;
    row.window.oy = column.window.ox = 0;
    row.window.nan_ignore = column.window.nan_ignore = false;
    if (sep->window.border == HALO_BORDER_ZERO || sep->window.border == HALO_BORDER_CONSTANT)
        row.window.border = column.window.border = HALO_BORDER_CONSTANT;
    row.window.value = beside;
    column.window.value = above;
    oracle_conv(src, &between, &row, (HaloStore){1, 1});
    oracle_conv(&between, &made, &column, (HaloStore){1, 1});
    free(between.data);
    return made;
}

/* NaN are left out: weighted sums and weights over the whole window, then one division. */
static uint64_t sep_without_nan(const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store)
{
    const int64_t w = sep->window.width, h = sep->window.height;
    const float outside = sep->window.border == HALO_BORDER_CONSTANT ? sep->window.value : 0.0f;
    const float value = isnan(outside) ? 0.0f : outside, there = isnan(outside) ? 0.0f : 1.0f;
    float total_x = 0.0f, total = 0.0f, *const ones = oracle_memory(w + h, sizeof *ones);
    uint64_t clipped = 0;
    for (int64_t i = 0; i < w; i++) total_x += sep->tap_x[i];
    for (int64_t j = 0; j < h; j++) total = fmaf(sep->tap_y[j], total_x, total);
    for (int64_t i = 0; i < w + h; i++) ones[i] = 1.0f;
    HaloBuf values = without_nan(src, false), counts = without_nan(src, true);
    HaloBuf sums = two_passes(&values, dst, sep, sep->tap_x, sep->tap_y, value, value),
            weights = two_passes(&counts, dst, sep, sep->tap_x, sep->tap_y, there, there * total_x),
            numbers = two_passes(&counts, dst, sep, ones, ones, there, there * (float)w);
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
            for (int c = 0; c < dst->shape.channels; c++) {
                float v = oracle_get(&sums, x, y, c);
                if (total != 0.0f) v *= total / oracle_get(&weights, x, y, c);
                if (oracle_get(&numbers, x, y, c) == 0.0f) v = NAN;
                if (sep->affine) v = fmaf(v, sep->scale, sep->bias);
                clipped += oracle_put(dst, x, y, c, v, store);
            }
    free(values.data);
    free(counts.data);
    free(sums.data);
    free(weights.data);
    free(numbers.data);
    free(ones);
    return clipped;
}

uint64_t oracle_sep(const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store)
{
    /* The row pass makes every row the source holds, in the columns of dst; the column pass reads those. */
    HaloConv row_pass = {.window = sep->window, .tap = sep->tap_x};
    HaloConv column_pass = {.window = sep->window,
                            .tap = sep->tap_y,
                            .affine = sep->affine,
                            .scale = sep->scale,
                            .bias = sep->bias};
    if (sep->window.nan_ignore) return sep_without_nan(src, dst, sep, store);
    HaloBuf between = plane_of(src, dst);
    row_pass.window.height = column_pass.window.width = 1;
    row_pass.window.oy = column_pass.window.ox = 0;
    oracle_conv(src, &between, &row_pass, (HaloStore){1, 1});
    const uint64_t clipped = oracle_conv(&between, dst, &column_pass, store);
    free(between.data);
    return clipped;
}

/* ---- points --------------------------------------------------------------------------------------------- */

/* What a map starts from for channel c of the destination. */
static float map_input(const HaloBuf *src, const HaloMap *map, int64_t x, int64_t y, int c, int alpha)
{
    const float v = oracle_get(src, x, y, c);
    if (map->kind == HALO_MAP_GRAY) {
        if (c == alpha) return oracle_get(src, x, y, 3);
        const float g = oracle_get(src, x, y, 1), b = oracle_get(src, x, y, 2);
        return fmaf(b, map->w[2], fmaf(g, map->w[1], v * map->w[0]));
    }
    if (map->kind == HALO_MAP_PREMUL && c != alpha) return v * (oracle_get(src, x, y, alpha) / map->white);
    return v;
}

uint64_t oracle_map(const HaloBuf *src, HaloBuf *dst, const HaloMap *map, HaloStore store)
{
    const int alpha = dst->shape.alpha;
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
            for (int c = 0; c < dst->shape.channels; c++) {
                float v = map_input(src, map, x, y, c, alpha);
                if (c != alpha)
                    for (int p = 0; p < map->points; p++) v = oracle_point(v, &map->point[p]);
                clipped += oracle_put(dst, x, y, c, v, store);
            }
    return clipped;
}
