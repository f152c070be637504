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

/* begin[k + 1] is where label k begins, and moves to its end while pixels are sorted. */
static int64_t *count_labels(const uint32_t *label, int64_t pixels, uint32_t greatest)
{
    int64_t *begin = calloc((size_t)greatest + 3, sizeof *begin);
    if (begin == NULL) return NULL;
    for (int64_t i = 0; i < pixels; i++) begin[(int64_t)label[i] + 2]++;
    for (int64_t k = 2; k <= (int64_t)greatest + 2; k++) begin[k] += begin[k - 1];
    return begin;
}

/* Pixels of `size` bytes. */
static inline void sort_pixels(const HaloBuf *src, const uint32_t *label, size_t size, int64_t *begin,
                               char *sorted, uint32_t *order)
{
    for (int64_t y = 0, i = 0; y < src->rows; y++) {
        const char *row = halo_at(src, src->x0, src->y0 + y);
        for (int64_t x = 0; x < src->cols; x++, i++) {
            const int64_t at = begin[(int64_t)label[i] + 1]++;
            memcpy(sorted + (size_t)at * size, row + (size_t)x * size, size);
            order[at] = (uint32_t)i;
        }
    }
}

HaloStatus cpu_sort_groups(HaloDevice *device, const HaloBuf *src, const HaloBuf *labels,
                           const HaloGroups *groups, HaloBuf *sorted, HaloBuf *order, int64_t **begin,
                           uint32_t *greatest)
{
    HaloStatus status = HALO_OK;
    const int64_t pixels = src->cols * src->rows;
    const size_t size = (size_t)src->shape.channels * halo_dtype_size(src->shape.dtype);
    int64_t total = 0, at;
    void *label;
    if (pixels >= UINT32_MAX || !cpu_reserve(&total, pixels, sizeof(uint32_t), &at))
        HALO_FAIL(HALO_ERR_LIMIT,
                  "%lld x %lld pixels are too many to be sorted by labels: crop or resize before",
                  (long long)src->cols, (long long)src->rows);
    HALO_TRY(cpu_scratch(device, total, &label));
    *greatest = 0;
    HALO_TRY(read_labels(labels, groups, label, greatest));
    *begin = count_labels(label, pixels, *greatest);
    if (*begin == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    switch (size) { /* copies of known size are single moves */
    case 1: sort_pixels(src, label, 1, *begin, sorted->data, order->data); break;
    case 2: sort_pixels(src, label, 2, *begin, sorted->data, order->data); break;
    case 4: sort_pixels(src, label, 4, *begin, sorted->data, order->data); break;
    default: sort_pixels(src, label, size, *begin, sorted->data, order->data); break;
    }
out:
    return status;
}
