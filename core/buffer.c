/* Buffers in host memory. */
#include "halo/buffer.h"

#include <stdio.h>
#include <stdlib.h>

#define ALIGNMENT 64 /* a cache line, and the widest vector */

const char *halo_dtype_name(HaloDtype dtype)
{
    static const char *const name[HALO_DTYPES] = {"u8", "u16", "f32", "i64", "f64"};
    return (unsigned)dtype < HALO_DTYPES ? name[dtype] : "?";
}

const char *halo_channel_name(const HaloShape *shape, int channel, char room[16])
{
    static const char *const rgb[] = {"r", "g", "b"};
    const int colours = shape->channels - (shape->alpha >= 0);
    if (shape->kind == HALO_IMAGE) {
        if (channel == shape->alpha) return "alpha";
        if (colours == 1) return "gray";
        if (colours == 3 && channel < 3) return rgb[channel];
    }
    snprintf(room, 16, "%d", channel);
    return room;
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

HaloStatus halo_buf_alloc(HaloBuf *buf, const HaloShape *shape)
{
    int64_t bytes = 0;
    *buf = (HaloBuf){.shape = *shape, .cols = shape->width, .rows = shape->height};
    const HaloStatus status = halo_shape_bytes(shape, &bytes);
    if (status != HALO_OK) return status;
    buf->stride = halo_row_bytes(buf);
    const size_t rounded = ((size_t)bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    buf->data = aligned_alloc(ALIGNMENT, rounded > 0 ? rounded : ALIGNMENT);
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
