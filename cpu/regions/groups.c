/* Sorts pixels by their labels. */
#include "halo/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "halo/regions.h"
#include "primitives.h"

static double sample_at(const void *row, HaloDtype dtype, int64_t x)
{
    switch (dtype) {
    case HALO_U8: return ((const uint8_t *)row)[x];
    case HALO_U16: return ((const uint16_t *)row)[x];
    case HALO_F32: return (double)((const float *)row)[x];
    default: return ((const double *)row)[x];
    }
}

/* Of a mask, 1 where it is neither 0 nor NaN. */
static HaloStatus read_labels(const HaloBuf *of, const HaloGroups *groups, uint32_t *label, uint32_t *greatest)
{
    for (int64_t y = 0; y < of->rows; y++, label += of->cols) {
        const void *row = halo_at(of, of->x0, of->y0 + y);
        for (int64_t x = 0; x < of->cols; x++) {
            const double v = sample_at(row, of->shape.dtype, x);
            label[x] = v < 0 || v > 0;
            if (label[x] == 0 || !groups->each) continue;
            if (!(v >= 0 && v <= HALO_MAX_REGIONS && v == floor(v)))
                return halo_fail(HALO_ERR_INPUT, HALO_NO_LABEL, (long long)x, (long long)y, v,
                                 HALO_MAX_REGIONS);
            label[x] = (uint32_t)v;
        }
        for (int64_t x = 0; x < of->cols; x++) *greatest = label[x] > *greatest ? label[x] : *greatest;
    }
    return HALO_OK;
}

/* begin[k] is where label k begins, */
static void count_labels(const uint32_t *label, int64_t pixels, const HaloGroupList *list)
{
    int64_t *const begin = list->begin;
    for (int64_t i = 0; i < pixels; i++) begin[(int64_t)label[i] + 1]++;
    for (int64_t k = 1; k <= (int64_t)list->greatest + 1; k++) begin[k] += begin[k - 1];
}

/* and moves to its end, where the next one begins, while pixels are sorted. */
static void move_back(const HaloGroupList *list)
{
    memmove(list->begin + 1, list->begin, ((size_t)list->greatest + 1) * sizeof *list->begin);
    list->begin[0] = 0;
}

/* Pixels of `size` bytes. */
static inline void sort_pixels(const HaloBuf *src, const uint32_t *label, size_t size, int64_t *begin,
                               char *sorted, uint32_t *order)
{
    for (int64_t y = 0, i = 0; y < src->rows; y++) {
        const char *row = halo_at(src, src->x0, src->y0 + y);
        for (int64_t x = 0; x < src->cols; x++, i++) {
            const int64_t at = begin[label[i]]++;
            memcpy(sorted + (size_t)at * size, row + (size_t)x * size, size);
            order[at] = (uint32_t)i;
        }
    }
}

HaloStatus cpu_sort_groups(HaloDevice *device, const HaloBuf *src, const HaloBuf *labels,
                           const HaloGroups *groups, HaloBuf *sorted, HaloBuf *order, HaloGroupList *list)
{
    HaloStatus status = HALO_OK;
    const int64_t pixels = src->cols * src->rows;
    const size_t size = (size_t)src->shape.channels * halo_dtype_size(src->shape.dtype);
    int64_t total = 0, at;
    uint32_t greatest = 0;
    void *label;
    if (pixels >= UINT32_MAX || !cpu_reserve(&total, pixels, sizeof(uint32_t), &at))
        HALO_FAIL(HALO_ERR_LIMIT,
                  "%lld x %lld pixels are too many to be sorted by labels: crop or resize before",
                  (long long)src->cols, (long long)src->rows);
    HALO_TRY(cpu_scratch(device, total, &label));
    HALO_TRY(read_labels(labels, groups, label, &greatest));
    HALO_TRY(halo_group_list_alloc(list, greatest));
    count_labels(label, pixels, list);
    switch (size) { /* copies of known size are single moves */
    case 1: sort_pixels(src, label, 1, list->begin, sorted->data, order->data); break;
    case 2: sort_pixels(src, label, 2, list->begin, sorted->data, order->data); break;
    case 4: sort_pixels(src, label, 4, list->begin, sorted->data, order->data); break;
    default: sort_pixels(src, label, size, list->begin, sorted->data, order->data); break;
    }
    move_back(list);
out:
    return status;
}
