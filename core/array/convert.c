/* Copies between arrays of any layout and element type, and buffers. */
#include <string.h>

#include "array.h"

/* IEEE 754 binary16 as f32, which holds every one. */
static float from_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = half >> 10 & 31u, fraction = half & 1023u;
    uint32_t bits;
    float value;
    if (exponent == 0) {
        value = (float)fraction * 0x1p-24f;
        memcpy(&bits, &value, sizeof bits);
    } else {
        bits = (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13;
    }
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Samples along one dimension, with the strides of both sides in bytes. */
typedef struct Line {
    const char *from;
    char *to;
    int64_t from_stride, to_stride, count;
    double scale;
} Line;

#define CONVERT(From, To, expression)                                   \
    for (int64_t i = 0; i < line->count; i++) {                         \
        From v;                                                         \
        memcpy(&v, line->from + i * line->from_stride, sizeof v);       \
        const To result = (To)(expression);                             \
        memcpy(line->to + i * line->to_stride, &result, sizeof result); \
    }
#define CONVERT_SCALED(From)                           \
    if (wide)                                          \
        CONVERT(From, double, (double)v * line->scale) \
    else                                               \
        CONVERT(From, float, (float)v *(float)line->scale)

/* `wide`: to f64, else to f32; the types that halo computes with stay as they are. */
static void convert_line(HaloType type, bool wide, const Line *line)
{
    switch (type) {
    case HALO_TYPE_U8: CONVERT_SCALED(uint8_t) break;
    case HALO_TYPE_U16: CONVERT_SCALED(uint16_t) break;
    case HALO_TYPE_U32: CONVERT_SCALED(uint32_t) break;
    case HALO_TYPE_I8: CONVERT_SCALED(int8_t) break;
    case HALO_TYPE_I16: CONVERT_SCALED(int16_t) break;
    case HALO_TYPE_I32: CONVERT_SCALED(int32_t) break;
    case HALO_TYPE_I64: CONVERT_SCALED(int64_t) break;
    case HALO_TYPE_F16: CONVERT(uint16_t, float, from_half(v)) break;
    case HALO_TYPE_F32: CONVERT_SCALED(float) break;
    case HALO_TYPE_F64: CONVERT_SCALED(double) break;
    }
}

static void copy_line(size_t size, const Line *line)
{
    switch (size) {
    case 1: CONVERT(uint8_t, uint8_t, v) break;
    case 2: CONVERT(uint16_t, uint16_t, v) break;
    case 4: CONVERT(uint32_t, uint32_t, v) break;
    default: CONVERT(uint64_t, uint64_t, v) break;
    }
}

typedef struct Strides {
    int64_t row, column, channel;
} Strides;

static Strides strides_of(const Layout *layout)
{
    int64_t stride[3];
    for (int k = 0; k < 3; k++) stride[k] = layout->dim[k] < 0 ? 0 : layout->array.stride[layout->dim[k]];
    return (Strides){stride[LAYOUT_ROWS], stride[LAYOUT_COLUMNS], stride[LAYOUT_CHANNELS]};
}

static Strides strides_of_buffer(const HaloBuf *buf)
{
    const int64_t size = (int64_t)halo_dtype_size(buf->shape.dtype);
    return (Strides){buf->stride, size * buf->shape.channels, size};
}

/* Calls a line for each row and channel. */
static void each_line(const HaloShape *shape, const char *from, Strides a, char *to, Strides b,
                      const Layout *layout, bool converts)
{
    const bool wide = shape->dtype == HALO_F64;
    for (int64_t y = 0; y < shape->height; y++)
        for (int c = 0; c < shape->channels; c++) {
            const Line line = {.from = from + y * a.row + c * a.channel,
                               .to = to + y * b.row + c * b.channel,
                               .from_stride = a.column,
                               .to_stride = b.column,
                               .count = shape->width,
                               .scale = (double)layout->scale};
            if (converts)
                convert_line(layout->array.type, wide, &line);
            else
                copy_line(halo_dtype_size(shape->dtype), &line);
        }
}

HaloStatus convert_in(const Layout *layout, int64_t page, HaloBuf *buf)
{
    const HaloStatus status = halo_buf_alloc(buf, &layout->shape);
    if (status != HALO_OK) return status;
    const bool converts = layout_type(layout->shape.dtype) != layout->array.type || layout->scale != 1.0f;
    each_line(&layout->shape, layout_page(layout, page), strides_of(layout), buf->data, strides_of_buffer(buf),
              layout, converts);
    return HALO_OK;
}

void convert_out(const HaloBuf *buf, const Layout *layout, int64_t page)
{
    each_line(&buf->shape, buf->data, strides_of_buffer(buf), layout_page(layout, page), strides_of(layout),
              layout, false);
}
