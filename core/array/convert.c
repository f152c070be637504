/* Copies between arrays of any layout and element type, and buffers. */
#include <math.h>
#include <string.h>

#include "array.h"
#include "halo/half.h"

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
    case HALO_TYPE_F16: CONVERT(uint16_t, float, halo_float_of_half(v)) break;
    case HALO_TYPE_F32: CONVERT_SCALED(float) break;
    case HALO_TYPE_F64: CONVERT_SCALED(double) break;
    }
}

/* Counts what samples lose as f32, where there is one so large, or so small, that it may lose something. */
#define COUNT_LOST(From, is_suspect, convert)                         \
    {                                                                 \
        From v;                                                       \
        int suspects = 0;                                             \
        for (int64_t i = 0; i < line->count; i++) {                   \
            memcpy(&v, line->from + i * line->from_stride, sizeof v); \
            suspects |= (is_suspect);                                 \
        }                                                             \
        for (int64_t i = 0; i < line->count && suspects; i++) {       \
            memcpy(&v, line->from + i * line->from_stride, sizeof v); \
            convert(v, lost);                                         \
        }                                                             \
    }
#define IS_LARGE(bits) (((uint64_t)v ^ (v < 0 ? ~(uint64_t)0 : 0)) >> (bits) != 0)

static void count_lost(HaloType type, bool wide, const Line *line, HaloLost *lost)
{
    if (wide) {
        if (type == HALO_TYPE_I64) COUNT_LOST(int64_t, IS_LARGE(52), halo_double_of_signed)
        return;
    }
    switch (type) {
    case HALO_TYPE_U32: COUNT_LOST(uint32_t, v >> 24 != 0, halo_float_of_signed) break;
    case HALO_TYPE_I32: COUNT_LOST(int32_t, IS_LARGE(23), halo_float_of_signed) break;
    case HALO_TYPE_I64: COUNT_LOST(int64_t, IS_LARGE(23), halo_float_of_signed) break;
    case HALO_TYPE_F64:
        COUNT_LOST(double, (fabs(v) >= 0x1p23) | (fabs(v) < 0x1p-126), halo_float_of_double)
        break;
    default: break;
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

/* Calls a line for each row and channel. lost NULL: the types are the same. */
static void each_line(const HaloShape *shape, const char *from, Strides a, char *to, Strides b,
                      const Layout *layout, HaloLost *lost)
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
            if (lost == NULL) {
                copy_line(halo_dtype_size(shape->dtype), &line);
                continue;
            }
            convert_line(layout->array.type, wide, &line);
            count_lost(layout->array.type, wide, &line, lost);
        }
}

HaloStatus convert_in(const Layout *layout, int64_t page, HaloBuf *buf, HaloLost *lost)
{
    const HaloStatus status = halo_buf_alloc(buf, &layout->shape);
    HaloLost found = {0};
    if (status != HALO_OK) return status;
    const bool converts = layout_type(layout->shape.dtype) != layout->array.type || layout->scale != 1.0f;
    each_line(&layout->shape, layout_page(layout, page), strides_of(layout), buf->data, strides_of_buffer(buf),
              layout, converts ? &found : NULL);
    /* Of fractions of full scale floats keep 24 bits, and sound that fades away becomes silence. */
    if (layout->scale == 1.0f) lost->rounded += found.rounded;
    if (!halo_is_sound(&layout->shape)) lost->vanished += found.vanished;
    return HALO_OK;
}

void convert_out(const HaloBuf *buf, const Layout *layout, int64_t page)
{
    each_line(&buf->shape, buf->data, strides_of_buffer(buf), layout_page(layout, page), strides_of(layout),
              layout, NULL);
}
