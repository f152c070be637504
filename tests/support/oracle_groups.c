/* The oracle of samples sorted by the label of their pixel. */
#include <math.h>
#include <stdlib.h>

#include "oracle_device.h"

/* Pixels of a label, one after the other. */
typedef struct LabelledPixel {
    uint32_t label, number;
} LabelledPixel;

static int compare_pixels(const void *a, const void *b)
{
    const LabelledPixel *one = a, *other = b;
    if (one->label != other->label) return one->label < other->label ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

HaloStatus oracle_sort_groups(HaloDevice *device, const HaloBuf *src, const HaloBuf *labels,
                              const HaloGroups *groups, HaloBuf *sorted, HaloBuf *order, HaloGroupList *list)
{
    const int64_t pixels = src->cols * src->rows;
    LabelledPixel *pixel = calloc((size_t)pixels, sizeof *pixel);
    (void)device;
    list->greatest = 0;
    for (int64_t i = 0; i < pixels; i++) {
        const float v = oracle_get(labels, labels->x0 + i % src->cols, labels->y0 + i / src->cols, 0);
        const bool set = v < 0 || v > 0;
        if (set && groups->each && !(v > 0 && v <= HALO_MAX_REGIONS && v == floorf(v))) {
            free(pixel);
            return halo_fail(HALO_ERR_INPUT, HALO_NO_LABEL, (long long)(i % src->cols),
                             (long long)(i / src->cols), (double)v, HALO_MAX_REGIONS);
        }
        pixel[i] = (LabelledPixel){!set ? 0 : groups->each ? (uint32_t)v : 1, (uint32_t)i};
        if (pixel[i].label > list->greatest) list->greatest = pixel[i].label;
    }
    qsort(pixel, (size_t)pixels, sizeof *pixel, compare_pixels);
    list->begin = calloc((size_t)list->greatest + 2, sizeof *list->begin);
    for (int64_t i = 0, k = 0; i <= pixels; i++)
        for (; k <= (i < pixels ? (int64_t)pixel[i].label : (int64_t)list->greatest + 1); k++)
            list->begin[k] = i;
    for (int64_t i = 0; i < pixels; i++) {
        const int64_t x = pixel[i].number % src->cols, y = pixel[i].number / src->cols;
        ((uint32_t *)order->data)[i] = pixel[i].number;
        for (int c = 0; c < src->shape.channels; c++)
            oracle_put(sorted, i, 0, c, oracle_get(src, src->x0 + x, src->y0 + y, c), (HaloStore){1, 1});
    }
    free(pixel);
    return HALO_OK;
}
