/* BMP: the row of the format, and its writer: 8 bits gray, 24 bits RGB, 32 bits with alpha (V4); with a profile
 * V5. Rows stand from the bottom up, which every reader knows. */
#include "bmp.h"

#include <math.h>
#include <string.h>

#include "bytes/endian.h"
#include "meta/meta.h"
#include "samples/image.h"

#define MOST_BYTES UINT32_MAX

static int64_t row_bytes(const HaloShape *shape) { return (shape->width * shape->channels + 3) / 4 * 4; }

static bool has_profile(const HaloWriter *writer)
{
    return halo_icc_fits(&writer->info.meta.icc, &writer->info.shape);
}

static unsigned header_size(const HaloWriter *writer)
{
    return has_profile(writer) ? BMP_V5 : writer->info.shape.channels == 4 ? BMP_V4 : BMP_INFO;
}

static int64_t pixels_at(const HaloWriter *writer)
{
    return BMP_FILE_BYTES + header_size(writer) + (writer->info.shape.channels == 1 ? 1024 : 0);
}

static int64_t file_bytes(const HaloWriter *writer)
{
    const HaloShape *shape = &writer->info.shape;
    return pixels_at(writer) + row_bytes(shape) * shape->height +
           (has_profile(writer) ? (int64_t)writer->info.meta.icc.size : 0);
}

static uint32_t per_metre(const HaloMeta *meta, int axis)
{
    const double dots = rint(meta->resolution[axis]);
    return !meta->ratio && dots >= 1 && dots <= INT32_MAX ? (uint32_t)dots : 0;
}

/* From the size of the header on; V4 and V5 beyond the first 40 bytes. */
static void make_header(const HaloWriter *writer, uint8_t *at)
{
    const HaloShape *shape = &writer->info.shape;
    const unsigned size = header_size(writer);
    halo_put_le(at, size, 4);
    halo_put_le(at + 4, (uint64_t)shape->width, 4);
    halo_put_le(at + 8, (uint64_t)shape->height, 4);
    halo_put_le(at + 12, 1, 2);
    halo_put_le(at + 14, 8 * (uint64_t)shape->channels, 2);
    halo_put_le(at + 16, shape->channels == 4 ? BMP_BITFIELDS : BMP_RGB, 4);
    halo_put_le(at + 20, (uint64_t)(row_bytes(shape) * shape->height), 4);
    halo_put_le(at + 24, per_metre(&writer->info.meta, 0), 4);
    halo_put_le(at + 28, per_metre(&writer->info.meta, 1), 4);
    halo_put_le(at + 32, shape->channels == 1 ? 256 : 0, 4);
    if (size == BMP_INFO) return;
    for (int c = 0; c < 4 && shape->channels == 4; c++)
        halo_put_le(at + BMP_INFO + 4 * c, c == 3 ? 0xff000000u : 0xff0000u >> 8 * c, 4);
    halo_put_le(at + 56, size == BMP_V5 ? BMP_EMBEDDED : BMP_SRGB, 4);
    if (size == BMP_V4) return;
    halo_put_le(at + 108, 4, 4); /* LCS_GM_IMAGES: perceptual */
    halo_put_le(at + 112, (uint64_t)(pixels_at(writer) - BMP_FILE_BYTES + row_bytes(shape) * shape->height), 4);
    halo_put_le(at + 116, writer->info.meta.icc.size, 4);
}

static HaloStatus write_head(HaloWriter *writer)
{
    uint8_t head[BMP_FILE_BYTES + BMP_V5 + 1024] = {'B', 'M'};
    const size_t palette = BMP_FILE_BYTES + header_size(writer);
    halo_put_le(head + 2, (uint64_t)file_bytes(writer), 4);
    halo_put_le(head + 10, (uint64_t)pixels_at(writer), 4);
    make_header(writer, head + BMP_FILE_BYTES);
    for (size_t i = 0; i < 256 && writer->info.shape.channels == 1; i++)
        memset(head + palette + 4 * i, (int)i, 3);
    return halo_sink_write(writer->sink, head, (size_t)pixels_at(writer));
}

static void pack(const HaloWriter *writer, const void *from, uint8_t *to)
{
    const HaloShape *shape = &writer->info.shape;
    const size_t channels = (size_t)shape->channels;
    const uint8_t *v = from;
    if (channels == 1) {
        memcpy(to, v, (size_t)shape->width);
        return;
    }
    for (int64_t x = 0; x < shape->width; x++, v += channels, to += channels) {
        for (int c = 0; c < 3; c++) to[c] = v[2 - c];
        if (channels == 4) to[3] = v[3];
    }
}

/* Sides up to INT32_MAX, and 4 GB in all. */
static HaloStatus create(HaloWriter *writer)
{
    const HaloShape *shape = &writer->info.shape;
    int64_t bytes;
    if (shape->width > INT32_MAX / 4 || shape->height > INT32_MAX ||
        !halo_mul(row_bytes(shape), shape->height, &bytes) || bytes > MOST_BYTES - (32 << 20))
        return halo_fail(HALO_ERR_OUTPUT, "%lld x %lld pixels are too many for bmp", (long long)shape->width,
                         (long long)shape->height);
    const HaloUpwardRow row = {.row_bytes = row_bytes(shape), .head = write_head, .pack = pack};
    return halo_upward_create(writer, &row);
}

static HaloStatus finish(HaloWriter *writer)
{
    const HaloBlob *icc = &writer->info.meta.icc;
    const HaloStatus status = halo_upward_finish(writer);
    if (icc->size > 0 && !has_profile(writer)) halo_note_left_out(&writer->notes, HALO_META_ICC);
    if (writer->info.meta.ratio && writer->info.meta.resolution[0] != writer->info.meta.resolution[1])
        halo_note_left_out(&writer->notes, HALO_META_RESOLUTION);
    if (status != HALO_OK || !has_profile(writer)) return status;
    return halo_sink_write(writer->sink, icc->data, icc->size);
}

const HaloFormat halo_format_bmp = {
    .name = "bmp",
    .help = "BMP: 1 to 32 bits, palettes, bit fields, run lengths; gray, RGB and RGBA of 8 bits are written",
    .extensions = "bmp,dib",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_U8,
    .channels = 1u << 0 | 1u << 2,
    .with_alpha = 1u << 3,
    .holds = HALO_META_ICC | HALO_META_RESOLUTION,
    .plain = true,
    .several = HALO_SEVERAL_IN_STREAMS,
    .meta_first = true,
    .probe = bmp_probe,
    .open = bmp_open,
    .read = bmp_read,
    .skip = bmp_skip,
    .close = bmp_close,
    .create = create,
    .write = halo_upward_write,
    .finish = finish,
    .discard = halo_upward_discard,
};
