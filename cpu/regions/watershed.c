/* Flooding from markers: pixels leave a queue in the order of their level, and of equal ones in the order in
 * which they came. */
#include "halo/morphology.h"

#include <math.h>

#include "primitives.h"
#include "runs.h"

/* Labels of pixels that no flood reaches: those outside of the mask, those that are NaN, and the margin. */
#define WALL NAN

typedef struct Item {
    float level;
    uint32_t order, pixel;
} Item;

/* Planes have a margin of one pixel. */
typedef struct Watershed {
    const HaloBuf *src, *labels, *mask;
    HaloBuf *dst;
    HaloStore store;
    HaloDevice *device;
    int64_t width, height, pitch;
    bool diagonal;
    float *level, *label;
    Item *item; /* a heap: the first one is the least */
    int64_t items;
    uint32_t order;
    float *row;
} Watershed;

/* ---- the queue ------------------------------------------------------------------------------------------ */

static inline bool is_before(const Item *a, const Item *b)
{
    return a->level < b->level || (a->level == b->level && a->order < b->order);
}

static void push(Watershed *w, uint32_t pixel)
{
    const Item item = {w->level[pixel], w->order++, pixel};
    int64_t at = w->items++;
    for (int64_t up; at > 0 && is_before(&item, &w->item[up = (at - 1) / 2]); at = up)
        w->item[at] = w->item[up];
    w->item[at] = item;
}

static uint32_t pop(Watershed *w)
{
    const uint32_t pixel = w->item[0].pixel;
    const Item last = w->item[--w->items];
    int64_t at = 0;
    for (int64_t down; (down = 2 * at + 1) < w->items; at = down) {
        if (down + 1 < w->items && is_before(&w->item[down + 1], &w->item[down])) down++;
        if (!is_before(&w->item[down], &last)) break;
        w->item[at] = w->item[down];
    }
    w->item[at] = last;
    return pixel;
}

/* ---- flooding ------------------------------------------------------------------------------------------- */

static void flood(Watershed *w)
{
    const int64_t p = w->pitch;
    const int64_t step[2][8] = {{-p, -1, 1, p}, {-p - 1, -p, -p + 1, -1, 1, p - 1, p, p + 1}};
    const int64_t *const way = step[w->diagonal];
    const int ways = w->diagonal ? 8 : 4;
    for (int64_t y = 1; y <= w->height; y++)
        for (int64_t at = y * p + 1; at <= y * p + w->width; at++)
            if (!isnan(w->label[at]) && w->label[at] != 0.0f) push(w, (uint32_t)at);
    while (w->items > 0) {
        const uint32_t from = pop(w);
        for (int k = 0; k < ways; k++) {
            const int64_t at = from + way[k];
            if (w->label[at] != 0.0f) continue;
            w->label[at] = w->label[from];
            push(w, (uint32_t)at);
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static void load(const Watershed *w, const HaloBuf *from, int64_t y, float *out)
{
    w->device->kernels->rows->load[from->shape.dtype](halo_at(from, 0, y), w->width, out);
}

static void load_all(const Watershed *w)
{
    for (int64_t x = 0; x < w->pitch; x++) w->label[x] = w->label[(w->height + 1) * w->pitch + x] = WALL;
    for (int64_t y = 0; y < w->height; y++) {
        const int64_t at = (y + 1) * w->pitch + 1;
        float *const level = w->level + at, *const label = w->label + at;
        load(w, w->src, y, level);
        load(w, w->labels, y, label);
        if (w->mask != NULL) load(w, w->mask, y, w->row);
        for (int64_t x = 0; x < w->width; x++) {
            const bool inside = w->mask == NULL || w->row[x] > 0 || w->row[x] < 0;
            if (isnan(label[x])) label[x] = 0.0f;
            if (isnan(level[x]) || !inside) label[x] = WALL;
        }
        label[-1] = label[w->width] = WALL;
    }
}

static void write_all(const Watershed *w)
{
    uint64_t clipped = 0;
    for (int64_t y = 0; y < w->height; y++) {
        float *const label = w->label + (y + 1) * w->pitch + 1;
        for (int64_t x = 0; x < w->width; x++) w->row[x] = isnan(label[x]) ? 0.0f : label[x] + 0.0f;
        w->device->kernels->rows->store[w->dst->shape.dtype](w->row, w->width, w->store, halo_at(w->dst, 0, y),
                                                             &clipped);
    }
    cpu_count_clipped(w->device, clipped);
}

static HaloStatus prepare(Watershed *w)
{
    HaloStatus status = HALO_OK;
    int64_t total = 0, pixels, at_level, at_label, at_item, at_row;
    void *scratch;
    w->pitch = w->width + 2;
    if (!halo_mul(w->pitch, w->height + 2, &pixels) || pixels >= UINT32_MAX ||
        !cpu_reserve(&total, pixels, sizeof(float), &at_level) ||
        !cpu_reserve(&total, pixels, sizeof(float), &at_label) ||
        !cpu_reserve(&total, w->width * w->height, sizeof(Item), &at_item) ||
        !cpu_reserve(&total, w->width, sizeof(float), &at_row))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld x %lld pixels are too many to be flooded: crop or resize before",
                  (long long)w->width, (long long)w->height);
    HALO_TRY(cpu_scratch(w->device, total, &scratch));
    w->level = (float *)(void *)((char *)scratch + at_level);
    w->label = (float *)(void *)((char *)scratch + at_label);
    w->item = (Item *)(void *)((char *)scratch + at_item);
    w->row = (float *)(void *)((char *)scratch + at_row);
out:
    return status;
}

static bool is_plane(const HaloBuf *buf, const HaloBuf *like)
{
    return buf->shape.channels == 1 && buf->shape.dtype <= HALO_F32 && halo_buf_is_whole(buf) &&
           buf->cols == like->cols && buf->rows == like->rows;
}

HaloStatus cpu_watershed(HaloDevice *device, const HaloBuf *src, const HaloBuf *labels, const HaloBuf *mask,
                         HaloBuf *dst, const HaloWatershed *how, HaloStore store)
{
    HaloStatus status = HALO_OK;
    Watershed w = {.src = src,
                   .labels = labels,
                   .mask = mask,
                   .dst = dst,
                   .store = store,
                   .device = device,
                   .width = src->cols,
                   .height = src->rows,
                   .diagonal = how->connect == 8};
    if (!is_plane(src, src) || !is_plane(labels, src) || !is_plane(dst, src) ||
        (mask != NULL && !is_plane(mask, src)))
        HALO_FAIL(HALO_ERR_BUG, "internal: flooding of colours, or of pictures that differ");
    if (dst->cols < 1 || dst->rows < 1) goto out;
    HALO_TRY(prepare(&w));
    load_all(&w);
    flood(&w);
    write_all(&w);
out:
    return status;
}
