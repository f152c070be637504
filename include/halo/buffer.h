/* The buffer of samples, for images and audio.
 *
 * Samples are interleaved (pixel after pixel, or frame after frame). Audio is a buffer of height 1 whose width
 * is its number of frames and which has a sample rate. */
#ifndef HALO_BUFFER_H
#define HALO_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "halo/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HaloDtype {
    HALO_U8,
    HALO_U16,
    HALO_F32, /* the native sample types: every primitive takes them */
    HALO_I64, /* results of scans only */
    HALO_F64, /* those, and what a backend with `doubles` (backend.h) takes everywhere */
    HALO_DTYPES
} HaloDtype;

typedef enum HaloKind { HALO_IMAGE = 1, HALO_AUDIO = 2 } HaloKind;

/* What a buffer holds, whole. */
typedef struct HaloShape {
    HaloKind kind;
    HaloDtype dtype;
    int64_t width;  /* pixels, or frames */
    int64_t height; /* rows; 1 for audio */
    int channels;   /* samples per pixel or frame, >= 1 */
    int alpha;      /* the channel that is alpha, or -1 */
    float white;    /* the value of full scale: 255, 65535, 1 or what --white says */
    double rate;    /* frames per second; 0 for images */
    bool numbers;   /* samples have no full scale (`white` is 1 and has no meaning): of an image; or of audio,
                       which then is a series, such as a table's columns, and no sound */
} HaloShape;

/* Audio with a full scale, for which decibels and loudness have a meaning. */
static inline bool halo_is_sound(const HaloShape *shape)
{
    return shape->kind == HALO_AUDIO && !shape->numbers;
}

/* A rectangle of a whole: columns [x0, x0+cols) and rows [y0, y0+rows) of `shape`. Most buffers hold all of
 * it. `data` points at sample (x0, y0); host or device memory, as its owner knows. */
typedef struct HaloBuf {
    HaloShape shape;
    int64_t x0, y0;
    int64_t cols, rows;
    int64_t stride; /* bytes from one row to the next, >= cols * channels * size of a sample */
    void *data;
} HaloBuf;

/* Bytes of one sample. */
static inline size_t halo_dtype_size(HaloDtype dtype)
{
    return dtype == HALO_U8 ? 1 : dtype == HALO_U16 ? 2 : dtype == HALO_F32 ? 4 : 8;
}

/* Full scale of a sample type: 255, 65535, else 1. */
static inline float halo_dtype_white(HaloDtype dtype)
{
    return dtype == HALO_U8 ? 255.0f : dtype == HALO_U16 ? 65535.0f : 1.0f;
}

/* "u8", "u16", "f32", "i64", "f64". */
HALO_API const char *halo_dtype_name(HaloDtype dtype);

/* "r", "gray", "alpha", "0", …: the name of a channel in reports. `text` is a buffer of 16 bytes for names that
 * have to be made. */
HALO_API const char *halo_channel_name(const HaloShape *shape, int channel, char text[16]);

/* The address of the first sample of pixel (x, y), counted in the whole. */
static inline void *halo_at(const HaloBuf *buf, int64_t x, int64_t y)
{
    return (char *)buf->data + (y - buf->y0) * buf->stride +
           (x - buf->x0) * buf->shape.channels * (int64_t)halo_dtype_size(buf->shape.dtype);
}

/* A single pixel; of sound, a single frame. */
static inline bool halo_is_pixel(const HaloShape *shape) { return shape->width == 1 && shape->height == 1; }

static inline bool halo_buf_is_whole(const HaloBuf *buf)
{
    return buf->x0 == 0 && buf->y0 == 0 && buf->cols == buf->shape.width && buf->rows == buf->shape.height;
}

/* Bytes in one row without padding. Shapes are checked when they are made, so this cannot overflow. */
static inline int64_t halo_row_bytes(const HaloBuf *buf)
{
    return buf->cols * buf->shape.channels * (int64_t)halo_dtype_size(buf->shape.dtype);
}

/* Memory for samples, 64-byte aligned, not cleared, in huge pages where it is large; `free` frees it. NULL
 * without memory. */
HALO_API void *halo_large_alloc(size_t bytes);
/* A buffer in host memory that holds all of `shape`: rows without padding. HALO_ERR_LIMIT when there is not
 * enough memory. */
HALO_API HaloStatus halo_buf_alloc(HaloBuf *buf, const HaloShape *shape);
HALO_API void halo_buf_free(HaloBuf *buf);

/* *product = a * b, or false when it does not fit; the arithmetic before every allocation. Negative: false. */
static inline bool halo_mul(int64_t a, int64_t b, int64_t *product)
{
    if (a < 0 || b < 0 || (a != 0 && b > INT64_MAX / a)) return false;
    *product = a * b;
    return true;
}

/* Bytes of a whole, tightly packed; HALO_ERR_LIMIT when that does not fit 63 bits. */
HALO_API HaloStatus halo_shape_bytes(const HaloShape *shape, int64_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
