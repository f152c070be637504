/* Turns images upright by EXIF's orientation: if the output's format cannot hold EXIF, or does not follow it,
 * or if an operation of the pipeline takes coordinates or sizes as the viewer sees them. */

#include "file.h"
#include "halo/pixels.h"

#define BAND_ROWS 64 /* that are read at a time */

HaloShape turn_shape(const HaloShape *shape, int orientation)
{
    HaloShape turned = *shape;
    if (orientation >= 5) {
        turned.width = shape->height;
        turned.height = shape->width;
    }
    return turned;
}

/* Is the image one of several in an output that says one thing of all of them, and the input does not? */
static bool shares_exif(const HaloReader *reader, const HaloWriter *writer)
{
    const int64_t pages = writer->changes.pages; /* 0: not known */
    return writer->format->one_meta && pages != 1 && !(reader->format->one_meta && pages > 1);
}

/* Is there an output, and one that does not say how the input's rows lie? */
static bool exif_ends(const HaloReader *reader, const HaloWriter *writer)
{
    const HaloFormat *format = writer->format;
    return format != NULL && (writer->options.strip || format->upright ||
                              (format->holds & HALO_META_EXIF) == 0 || shares_exif(reader, writer));
}

bool turn_applies(const HaloReader *reader, const HaloWriter *writer, bool upright)
{
    return reader->info.shape.kind == HALO_IMAGE && (upright || exif_ends(reader, writer));
}

int turn_wanted(const HaloReader *reader, const HaloWriter *writer, bool upright)
{
    return turn_applies(reader, writer, upright) ? halo_exif_orientation(&reader->info.meta.exif) : 1;
}

bool turn_unknown(HaloReader *reader, const HaloWriter *writer, bool upright)
{
    return turn_applies(reader, writer, upright) && reader->format->trailing_meta != NULL &&
           (reader->format->trailing_meta(reader) & HALO_META_EXIF) != 0;
}

typedef struct Point {
    int64_t x, y;
} Point;

/* Maps pixel (x, y) of a shape to its position in the turned image. */
static Point place(const HaloShape *from, int orientation, int64_t x, int64_t y)
{
    const int64_t right = from->width - 1 - x, up = from->height - 1 - y;
    switch (orientation) {
    case 2: return (Point){right, y};
    case 3: return (Point){right, up};
    case 4: return (Point){x, up};
    case 5: return (Point){y, x};
    case 6: return (Point){up, x};
    case 7: return (Point){up, right};
    case 8: return (Point){y, right};
    default: return (Point){x, y};
    }
}

/* Some rows of the image into the turned one, row by row of that one. */
static void turn_rows(const HaloBuf *rows, int orientation, const HaloBuf *to)
{
    const HaloShape *shape = &rows->shape;
    const int64_t size = shape->channels * (int64_t)halo_dtype_size(shape->dtype);
    const bool tall = orientation >= 5; /* columns become rows */
    const int64_t lines = tall ? rows->cols : rows->rows, count = tall ? rows->rows : rows->cols;
    for (int64_t i = 0; i < lines; i++) {
        const int64_t x = tall ? i : 0, y = rows->y0 + (tall ? 0 : i);
        const Point first = place(shape, orientation, x, y);
        const Point next = place(shape, orientation, x + !tall, y + tall);
        halo_copy_pixels(halo_at(to, first.x, first.y), (next.x - first.x) * size, halo_at(rows, x, y),
                         tall ? rows->stride : size, count, size);
    }
}

HaloStatus turn_samples(HaloMemory *memory, const HaloBuf *lies, int orientation, HaloBuf *data)
{
    const HaloShape shape = turn_shape(&lies->shape, orientation);
    const HaloStatus status = halo_memory_alloc(memory, data, &shape);
    if (status == HALO_OK) turn_rows(lies, orientation, data);
    return status;
}

void turn_info(HaloInfo *info, int orientation)
{
    double *dots = info->meta.resolution;
    info->shape = turn_shape(&info->shape, orientation);
    if (orientation >= 5) {
        const double x = dots[0];
        dots[0] = dots[1];
        dots[1] = x;
    }
    info->meta.grid = (HaloGrid){0}; /* of rows as they lie */
    halo_exif_set_upright(&info->meta.exif);
}

/* A band at a time, so that only one whole image is in memory. */
static HaloStatus load_bands(HaloReader *reader, int orientation, const HaloBuf *data)
{
    HaloStatus status = HALO_OK;
    HaloShape shape = reader->info.shape;
    const int64_t height = shape.height;
    HaloBuf band = {0};
    int64_t got;
    shape.height = smaller(height, BAND_ROWS);
    HALO_TRY(halo_memory_alloc(reader->memory, &band, &shape));
    band.shape.height = height;
    for (; band.y0 < height; band.y0 += band.rows) {
        band.rows = smaller(shape.height, height - band.y0);
        HALO_TRY(load_rows(reader, &band, &got));
        turn_rows(&band, orientation, data);
    }
out:
    band.shape = shape;
    halo_memory_free(reader->memory, &band);
    return status;
}

HaloStatus turn_load(HaloReader *reader, const HaloWriter *writer, int orientation, HaloBuf *data)
{
    HaloStatus status = HALO_OK;
    HaloBuf lies = {0};
    const bool trailing = orientation == 1;
    *data = (HaloBuf){0};
    if (trailing) {
        HALO_TRY(load_samples(reader, &lies));
        orientation = halo_exif_orientation(&reader->info.meta.exif);
        if (orientation == 1) {
            *data = lies;
            return HALO_OK;
        }
    }
    const HaloShape shape = turn_shape(&reader->info.shape, orientation);
    HALO_TRY(halo_memory_alloc(reader->memory, data, &shape));
    if (trailing)
        turn_rows(&lies, orientation, data);
    else
        HALO_TRY(load_bands(reader, orientation, data));
    turn_info(&reader->info, orientation);
    if (exif_ends(reader, writer) && (writer->options.strip || !writer->format->upright))
        halo_note(&reader->info.notes, HALO_NOTE_TURNED, 1);
out:
    halo_memory_free(reader->memory, &lies);
    if (status != HALO_OK) halo_memory_free(reader->memory, data);
    return status;
}
