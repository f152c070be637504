/* TGA and Radiance HDR: written by stb_image_write, read by tga/ and hdr/.
 *
 * It hands its bytes to a callback, never to a file: its own file functions report success on a full disk. Its
 * arithmetic is in int, so sizes are checked before it is called. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hdr/hdr.h"
#include "samples/image.h"
#include "tga/tga.h"

/* stb allocates memory only for HDR: once, four bytes for each pixel of a row, and does not check the result.
 * So the memory is allocated here first. */
static _Thread_local void *hdr_row;
#define STBIW_MALLOC(size) ((void)(size), hdr_row)
#define STBIW_REALLOC(memory, size) ((void)(memory), (void)(size), NULL)
#define STBIW_FREE(memory) (void)(memory)

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb_image_write.h>

/* The largest value RGBE holds: the mantissa 255/256 with the exponent 127. stb wraps above it. */
#define RGBE_MAX 0x1.fep+126f

typedef struct StbOutput {
    HaloSink *sink;
    HaloStatus status; /* of the first write that failed */
} StbOutput;

static void put(void *context, void *bytes, int size)
{
    StbOutput *output = context;
    if (output->status == HALO_OK && size > 0)
        output->status = halo_sink_write(output->sink, bytes, (size_t)size);
}

/* Does the file, rows padded and header included, fit `int`, and each side `side`? */
static HaloStatus create(HaloWriter *writer, int64_t side)
{
    const HaloShape *shape = &writer->info.shape;
    int64_t bytes;
    if (shape->width > side || shape->height > side || !halo_mul(shape->width + 1, shape->height + 1, &bytes) ||
        !halo_mul(bytes, 4 * (int64_t)halo_dtype_size(shape->dtype), &bytes) || bytes > INT_MAX - 1024) {
        return halo_fail(HALO_ERR_OUTPUT, "%lld x %lld pixels are too many for %s", (long long)shape->width,
                         (long long)shape->height, writer->format->name);
    }
    return halo_gather_create(writer);
}

static HaloStatus create_any(HaloWriter *writer) { return create(writer, INT_MAX / 8); }
static HaloStatus create_tga(HaloWriter *writer) { return create(writer, 65535); }

/* After stb's work: its own failures are memory only. */
static HaloStatus outcome(const StbOutput *output, int worked)
{
    if (output->status != HALO_OK) return output->status;
    return worked ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "not enough memory to write an image");
}

static HaloStatus finish_tga(HaloWriter *writer)
{
    const HaloBuf *whole;
    StbOutput output = {.sink = writer->sink};
    const HaloStatus status = halo_gather_take(writer, &whole);
    if (status != HALO_OK) return status;
    return outcome(&output, stbi_write_tga_to_func(put, &output, (int)whole->cols, (int)whole->rows,
                                                   whole->shape.channels, whole->data));
}

/* RGBE has no negative values, no NaN and no infinity: they become 0 or the largest value, and are counted. */
static uint64_t limit_to_rgbe(const HaloBuf *whole)
{
    uint64_t clipped = 0;
    float *v = whole->data;
    const int64_t samples = whole->cols * whole->rows * whole->shape.channels;
    for (int64_t i = 0; i < samples; i++) {
        const float limited = v[i] > RGBE_MAX ? RGBE_MAX : v[i] >= 0.0f ? v[i] : 0.0f;
        clipped += limited != v[i];
        v[i] = limited;
    }
    return clipped;
}

static HaloStatus finish_hdr(HaloWriter *writer)
{
    const HaloBuf *whole;
    StbOutput output = {.sink = writer->sink};
    const HaloStatus status = halo_gather_take(writer, &whole);
    if (status != HALO_OK) return status;
    writer->clipped += limit_to_rgbe(whole);
    hdr_row = malloc(4 * (size_t)whole->cols);
    if (hdr_row == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write an image");
    const int worked = stbi_write_hdr_to_func(put, &output, (int)whole->cols, (int)whole->rows,
                                              whole->shape.channels, whole->data);
    free(hdr_row);
    hdr_row = NULL;
    return outcome(&output, worked);
}

const HaloFormat halo_format_tga = {
    .name = "tga",
    .help = "TGA: gray, RGB, palettes, run lengths, alpha; 8 bits are written",
    .extensions = "tga,vda,icb,vst",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_U8,
    .channels = 1u << 0 | 1u << 2,
    .with_alpha = 1u << 1 | 1u << 3,
    .named = true,
    .open = tga_open,
    .read = tga_read,
    .skip = tga_skip,
    .close = tga_close,
    .create = create_tga,
    .write = halo_gather_write,
    .finish = finish_tga,
    .discard = halo_gather_discard,
};

const HaloFormat halo_format_hdr = {
    .name = "hdr",
    .help = "Radiance HDR: RGB floats of 8 bits each with a common exponent; gray becomes RGB",
    .extensions = "hdr,rgbe",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_F32,
    .channels = 1u << 0 | 1u << 2,
    .probe = hdr_probe,
    .open = hdr_open,
    .read = hdr_read,
    .close = hdr_close,
    .create = create_any,
    .write = halo_gather_write,
    .finish = finish_hdr,
    .discard = halo_gather_discard,
};
