/* Greyscale reconstruction: a sweep over the rows, one back, and then a queue of the pixels from which samples
 * can still rise (L. Vincent, 1993). By erosion the same is done with the signs changed. */
#include "halo/morphology.h"

#include <math.h>
#include <string.h>

#include "primitives.h"
#include "runs.h"

#define NONE UINT32_MAX

/* Planes have a margin of one pixel, of -inf, so that every pixel has eight neighbours. */
typedef struct Reconstruct {
    const HaloBuf *src, *marker;
    HaloBuf *dst;
    HaloStore store;
    HaloDevice *device;
    float sign;
    int64_t width, height, pitch; /* of a plane: width + 2 */
    int channel, marker_channel;
    bool diagonal;
    float *limit;   /* the picture; -inf where it is NaN */
    float *value;   /* what has been reconstructed */
    uint32_t *next; /* in the queue; NONE: the pixel is not in it. The last one's is its own. */
    uint32_t first, last;
    float *row; /* [width * channels] */
} Reconstruct;

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* One channel with its sign; NaN become -inf. */
static void load_plane(const Reconstruct *r, const HaloBuf *from, int channel, int64_t y, float *out)
{
    const int64_t channels = from->shape.channels;
    r->device->kernels->rows->load[from->shape.dtype](halo_at(from, 0, y), r->width * channels, r->row);
    for (int64_t x = 0; x < r->width; x++) {
        const float v = r->sign * r->row[x * channels + channel];
        out[x] = v == v ? v : -INFINITY;
    }
}

static void fill(float *at, int64_t n)
{
    for (int64_t i = 0; i < n; i++) at[i] = -INFINITY;
}

/* The marker, cut to the picture. */
static void load_all(const Reconstruct *r)
{
    fill(r->limit, r->pitch);
    fill(r->value, r->pitch);
    for (int64_t y = 0; y < r->height; y++) {
        float *const limit = r->limit + (y + 1) * r->pitch + 1, *const value =
                                                                    r->value + (y + 1) * r->pitch + 1;
        load_plane(r, r->src, r->channel, y, limit);
        load_plane(r, r->marker, r->marker_channel, y, value);
        for (int64_t x = 0; x < r->width; x++) value[x] = value[x] < limit[x] ? value[x] : limit[x];
        limit[-1] = value[-1] = limit[r->width] = value[r->width] = -INFINITY;
    }
    fill(r->limit + (r->height + 1) * r->pitch, r->pitch);
    fill(r->value + (r->height + 1) * r->pitch, r->pitch);
}

/* What another row, up or down, gives to this one. */
static void grow_from(const Reconstruct *r, const float *other, const float *limit, float *value)
{
    for (int64_t x = 0; x < r->width; x++) {
        float v = other[x] > value[x] ? other[x] : value[x];
        if (r->diagonal) {
            v = other[x - 1] > v ? other[x - 1] : v;
            v = other[x + 1] > v ? other[x + 1] : v;
        }
        value[x] = v < limit[x] ? v : limit[x];
    }
}

static void grow_along(const float *limit, float *value, int64_t n, int64_t step)
{
    float before = -INFINITY;
    for (int64_t i = 0; i < n; i++, limit += step, value += step) {
        const float v = before > *value ? before : *value;
        before = *value = v < *limit ? v : *limit;
    }
}

/* ---- the queue ------------------------------------------------------------------------------------------ */

static void push(Reconstruct *r, uint32_t pixel)
{
    if (r->next[pixel] != NONE) return;
    r->next[pixel] = pixel;
    if (r->first == NONE)
        r->first = pixel;
    else
        r->next[r->last] = pixel;
    r->last = pixel;
}

static uint32_t pop(Reconstruct *r)
{
    const uint32_t pixel = r->first;
    r->first = r->next[pixel] == pixel ? NONE : r->next[pixel];
    r->next[pixel] = NONE;
    return pixel;
}

/* Pixels of the row that one of those behind them, in raster order, could still take from. */
static void push_row(Reconstruct *r, int64_t y)
{
    const int64_t at = (y + 1) * r->pitch + 1;
    for (int64_t x = 0; x < r->width; x++) {
        const float *const value = r->value + at + x, *const limit = r->limit + at + x, v = *value;
        const int64_t down = r->pitch;
#define TAKES(k) ((value[k] < v) & (value[k] < limit[k]))
        bool takes = TAKES(1) | TAKES(down);
        if (r->diagonal) takes = takes | TAKES(down - 1) | TAKES(down + 1);
#undef TAKES
        if (takes) push(r, (uint32_t)(at + x));
    }
}

static void raise(Reconstruct *r, uint32_t pixel, float v)
{
    float *const value = &r->value[pixel];
    const float limit = r->limit[pixel];
    if (!(*value < v) || !(*value < limit)) return;
    *value = v < limit ? v : limit;
    push(r, pixel);
}

static void empty_queue(Reconstruct *r)
{
    const uint32_t pitch = (uint32_t)r->pitch;
    while (r->first != NONE) {
        const uint32_t at = pop(r);
        const float v = r->value[at];
        raise(r, at - pitch, v);
        raise(r, at - 1, v);
        raise(r, at + 1, v);
        raise(r, at + pitch, v);
        if (!r->diagonal) continue;
        raise(r, at - pitch - 1, v);
        raise(r, at - pitch + 1, v);
        raise(r, at + pitch - 1, v);
        raise(r, at + pitch + 1, v);
    }
}

static void sweep(Reconstruct *r)
{
    for (int64_t y = 0; y < r->height; y++) {
        const int64_t at = (y + 1) * r->pitch + 1;
        grow_from(r, r->value + at - r->pitch, r->limit + at, r->value + at);
        grow_along(r->limit + at, r->value + at, r->width, 1);
    }
    for (int64_t y = r->height - 1; y >= 0; y--) {
        const int64_t at = (y + 1) * r->pitch + 1, end = at + r->width - 1;
        grow_from(r, r->value + at + r->pitch, r->limit + at, r->value + at);
        grow_along(r->limit + end, r->value + end, r->width, -1);
        push_row(r, y);
    }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

/* NaN stay; every 0 is +0. */
static void write_all(const Reconstruct *r)
{
    const CpuRowKernels *kernels = r->device->kernels->rows;
    const int64_t channels = r->src->shape.channels;
    uint64_t clipped = 0;
    for (int64_t y = 0; y < r->height; y++) {
        const float *const value = r->value + (y + 1) * r->pitch + 1;
        float *const out = r->row + r->channel;
        kernels->load[r->src->shape.dtype](halo_at(r->src, 0, y), r->width * channels, r->row);
        for (int64_t x = 0; x < r->width; x++)
            if (!isnan(out[x * channels])) out[x * channels] = r->sign * value[x] + 0.0f;
        kernels->store[r->dst->shape.dtype](r->row, r->width * channels, r->store, halo_at(r->dst, 0, y),
                                            &clipped);
    }
    cpu_count_clipped(r->device, clipped);
}

static HaloStatus prepare(Reconstruct *r)
{
    HaloStatus status = HALO_OK;
    int64_t total = 0, pixels, at_limit, at_value, at_next, at_row;
    const int64_t channels =
        r->src->shape.channels > r->marker->shape.channels ? r->src->shape.channels : r->marker->shape.channels;
    void *scratch;
    r->pitch = r->width + 2;
    if (!halo_mul(r->pitch, r->height + 2, &pixels) || pixels >= NONE ||
        !cpu_reserve(&total, pixels, sizeof(float), &at_limit) ||
        !cpu_reserve(&total, pixels, sizeof(float), &at_value) ||
        !cpu_reserve(&total, pixels, sizeof(uint32_t), &at_next) ||
        !cpu_reserve(&total, r->width * channels, sizeof(float), &at_row))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld x %lld pixels are too many for reconstruction: crop or resize before",
                  (long long)r->width, (long long)r->height);
    HALO_TRY(cpu_scratch(r->device, total, &scratch));
    r->limit = (float *)(void *)((char *)scratch + at_limit);
    r->value = (float *)(void *)((char *)scratch + at_value);
    r->next = (uint32_t *)(void *)((char *)scratch + at_next);
    r->row = (float *)(void *)((char *)scratch + at_row);
    memset(r->next, 0xff, (size_t)pixels * sizeof *r->next);
out:
    return status;
}

HaloStatus cpu_reconstruct(HaloDevice *device, const HaloBuf *src, const HaloBuf *marker, HaloBuf *dst,
                           const HaloReconstruct *how, HaloStore store)
{
    HaloStatus status = HALO_OK;
    Reconstruct r = {.src = src,
                     .marker = marker,
                     .dst = dst,
                     .store = store,
                     .device = device,
                     .sign = how->erosion ? -1.0f : 1.0f,
                     .width = src->cols,
                     .height = src->rows,
                     .channel = src->shape.alpha == 0,
                     .marker_channel = marker->shape.alpha == 0,
                     .diagonal = how->connect == 8,
                     .first = NONE,
                     .last = NONE};
    if (!cpu_are_planes(src, dst) || !halo_buf_is_whole(marker) || marker->shape.dtype > HALO_F32 ||
        marker->cols != src->cols || marker->rows != src->rows ||
        marker->shape.channels - (marker->shape.alpha >= 0) != 1)
        HALO_FAIL(HALO_ERR_BUG, "internal: reconstruction of colours, or from a marker that differs");
    if (dst->cols < 1 || dst->rows < 1) goto out;
    HALO_TRY(prepare(&r));
    load_all(&r);
    sweep(&r);
    empty_queue(&r);
    write_all(&r);
out:
    return status;
}
