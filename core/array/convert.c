/* Copies between arrays of any layout and element type, and buffers. */
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

/* Results so large, or 0, that something of a sample may be lost. */
#define IS_LARGE(most) ((result >= (most)) | (result <= -(most)))
#define IS_LARGE_OR_0(most) (IS_LARGE(most) | ((result == 0.0f) & (v != 0.0)))
#define NONE(most) 0

#define LOOP(From, To, is_suspect, from_stride, to_stride, expression) \
    for (int64_t i = 0; i < count; i++) {                              \
        From v;                                                        \
        memcpy(&v, from + i * (from_stride), sizeof v);                \
        const To result = (To)(expression);                            \
        memcpy(to + i * (to_stride), &result, sizeof result);          \
        suspects |= (is_suspect);                                      \
    }
/* Samples without gaps are read and written by vectors. */
#define CONVERT(From, To, is_suspect, expression)                                          \
    if (line->from_stride == sizeof(From) && line->to_stride == sizeof(To))                \
        LOOP(From, To, is_suspect, (int64_t)sizeof(From), (int64_t)sizeof(To), expression) \
    else                                                                                   \
        LOOP(From, To, is_suspect, line->from_stride, line->to_stride, expression)
#define CONVERT_SCALED(From, is_suspect)                          \
    if (wide)                                                     \
        CONVERT(From, double, IS_LARGE(0x1p53), (double)v *scale) \
    else                                                          \
        CONVERT(From, float, is_suspect(0x1p23f), (float)v *(float)scale)

/* `wide`: to f64, else to f32; the types that halo computes with stay as they are. Returns whether some may
 * have lost something. */
static bool convert_line(HaloType type, bool wide, const Line *line)
{
    const char *restrict from = line->from;
    char *restrict to = line->to;
    const int64_t count = line->count;
    const double scale = line->scale;
    int suspects = 0;
    switch (type) {
    case HALO_TYPE_U8: CONVERT_SCALED(uint8_t, NONE) break;
    case HALO_TYPE_U16: CONVERT_SCALED(uint16_t, NONE) break;
    case HALO_TYPE_U32: CONVERT_SCALED(uint32_t, IS_LARGE) break;
    case HALO_TYPE_I8: CONVERT_SCALED(int8_t, NONE) break;
    case HALO_TYPE_I16: CONVERT_SCALED(int16_t, NONE) break;
    case HALO_TYPE_I32: CONVERT_SCALED(int32_t, IS_LARGE) break;
    case HALO_TYPE_I64: CONVERT_SCALED(int64_t, IS_LARGE) break;
    case HALO_TYPE_F16: CONVERT(uint16_t, float, 0, halo_float_of_half(v)) break;
    case HALO_TYPE_F32: CONVERT_SCALED(float, NONE) break;
    case HALO_TYPE_F64: CONVERT_SCALED(double, IS_LARGE_OR_0) break;
    }
    return suspects != 0;
}

#define COUNT(From, convert)                                      \
    for (int64_t i = 0; i < line->count; i++) {                   \
        From v;                                                   \
        memcpy(&v, line->from + i * line->from_stride, sizeof v); \
        convert(v, lost);                                         \
    }

static void count_lost(HaloType type, bool wide, const Line *line, HaloLost *lost)
{
    if (wide) {
        if (type == HALO_TYPE_I64) COUNT(int64_t, halo_double_of_signed)
        return;
    }
    switch (type) {
    case HALO_TYPE_U32: COUNT(uint32_t, halo_float_of_signed) break;
    case HALO_TYPE_I32: COUNT(int32_t, halo_float_of_signed) break;
    case HALO_TYPE_I64: COUNT(int64_t, halo_float_of_signed) break;
    case HALO_TYPE_F64: COUNT(double, halo_float_of_double) break;
    default: break;
    }
}

#define COPY(Type)                            \
    for (int64_t i = 0; i < line->count; i++) \
        memcpy(line->to + i * line->to_stride, line->from + i * line->from_stride, sizeof(Type));

static void copy_line(size_t size, const Line *line)
{
    if (line->from_stride == (int64_t)size && line->to_stride == (int64_t)size) {
        memcpy(line->to, line->from, size * (size_t)line->count);
        return;
    }
    switch (size) {
    case 1: COPY(uint8_t) break;
    case 2: COPY(uint16_t) break;
    case 4: COPY(uint32_t) break;
    default: COPY(uint64_t) break;
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
            if (convert_line(layout->array.type, wide, &line))
                count_lost(layout->array.type, wide, &line, lost);
        }
}

HaloStatus convert_in(const Layout *layout, int64_t page, HaloBuf *buf, LayoutLost *lost)
{
    const HaloStatus status = halo_buf_alloc(buf, &layout->shape);
    HaloLost found = {0};
    if (status != HALO_OK) return status;
    const bool converts = layout_type(layout->shape.dtype) != layout->array.type || layout->scale != 1.0f;
    each_line(&layout->shape, layout_page(layout, page), strides_of(layout), buf->data, strides_of_buffer(buf),
              layout, converts ? &found : NULL);
    /* Of fractions of full scale floats keep 24 bits, and sound that fades away becomes silence. */
    HaloLost *to = layout->shape.dtype == HALO_F64 ? &lost->wide : &lost->single;
    if (layout->scale == 1.0f) to->rounded += found.rounded;
    if (!halo_is_sound(&layout->shape)) to->vanished += found.vanished;
    return HALO_OK;
}

void convert_note_lost(const LayoutLost *lost, HaloNotes *notes)
{
    halo_note_lost(notes, &lost->single, false);
    halo_note(notes, HALO_NOTE_ROUNDED_WIDE, lost->wide.rounded);
}

void convert_out(const HaloBuf *buf, const Layout *layout, int64_t page)
{
    each_line(&buf->shape, buf->data, strides_of_buffer(buf), layout_page(layout, page), strides_of(layout),
              layout, NULL);
}
