/* Writing JPEG. */
#ifdef HALO_HAVE_JPEG
#include "jpegfile.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_QUALITY 90
#define MAX_MARKER_BYTES 65533

typedef struct JpegWriter {
    JpegGuard guard;
    HaloWriter *writer;
    struct jpeg_compress_struct jpeg;
    struct jpeg_destination_mgr destination;
    const HaloBuf *rows; /* what `write_rows` writes */
    JOCTET buffer[JPEG_BUFFER_BYTES];
} JpegWriter;

/* ---- libjpeg's destination of bytes --------------------------------------------------------------------- */

static void on_start(j_compress_ptr jpeg)
{
    JpegWriter *state = jpeg->client_data;
    jpeg->dest->next_output_byte = state->buffer;
    jpeg->dest->free_in_buffer = sizeof state->buffer;
}

static void put(j_compress_ptr jpeg, size_t size)
{
    const JpegWriter *state = jpeg->client_data;
    const HaloStatus status = halo_sink_write(state->writer->sink, state->buffer, size);
    if (status != HALO_OK) halo_jpeg_leave((j_common_ptr)jpeg, status);
}

static boolean on_full(j_compress_ptr jpeg)
{
    put(jpeg, JPEG_BUFFER_BYTES);
    on_start(jpeg);
    return TRUE;
}

static void on_end(j_compress_ptr jpeg) { put(jpeg, JPEG_BUFFER_BYTES - jpeg->dest->free_in_buffer); }

/* ---- steps ---------------------------------------------------------------------------------------------- */

static void write_meta(struct jpeg_compress_struct *jpeg, const HaloInfo *info)
{
    static const char mark[6] = "Exif"; /* and two zeros */
    const HaloBlob *exif = &info->meta.exif, *icc = &info->meta.icc;
    if (exif->size > 0 && exif->size <= MAX_MARKER_BYTES - sizeof mark) {
        jpeg_write_m_header(jpeg, JPEG_EXIF, (unsigned)(exif->size + sizeof mark));
        for (size_t i = 0; i < sizeof mark; i++) jpeg_write_m_byte(jpeg, mark[i]);
        for (size_t i = 0; i < exif->size; i++) jpeg_write_m_byte(jpeg, exif->data[i]);
    }
    /* A profile goes in at most 255 markers, each with 14 bytes of its own. */
    if (halo_icc_fits(icc, &info->shape) && icc->size <= (size_t)255 * (MAX_MARKER_BYTES - 14)) {
        jpeg_write_icc_profile(jpeg, icc->data, (unsigned)icc->size);
    }
}

static void write_header(void *arg)
{
    JpegWriter *state = arg;
    struct jpeg_compress_struct *jpeg = &state->jpeg;
    const HaloInfo *info = &state->writer->info;
    const int quality = state->writer->options.quality;
    jpeg_create_compress(jpeg);
    jpeg->client_data = state;
    jpeg->dest = &state->destination;
    jpeg->image_width = (JDIMENSION)info->shape.width;
    jpeg->image_height = (JDIMENSION)info->shape.height;
    jpeg->input_components = info->shape.channels;
    jpeg->in_color_space = info->shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality > 0 ? quality : DEFAULT_QUALITY, TRUE);
    jpeg->dct_method = JDCT_ISLOW; /* exact to the last bit, with SIMD or without */
    jpeg_start_compress(jpeg, TRUE);
    write_meta(jpeg, info);
}

static void write_rows(void *arg)
{
    JpegWriter *state = arg;
    for (int64_t y = 0; y < state->rows->rows; y++) {
        JSAMPROW row = halo_row(state->rows, y);
        jpeg_write_scanlines(&state->jpeg, &row, 1);
    }
}

static void write_end(void *arg)
{
    JpegWriter *state = arg;
    jpeg_finish_compress(&state->jpeg);
}

/* ---- the format's functions ----------------------------------------------------------------------------- */

HaloStatus halo_jpeg_create(HaloWriter *writer)
{
    const HaloShape *shape = &writer->info.shape;
    if (shape->width > JPEG_MAX_DIMENSION || shape->height > JPEG_MAX_DIMENSION) {
        return halo_fail(HALO_ERR_OUTPUT, "%lld x %lld pixels: JPEG holds at most %ld each way",
                         (long long)shape->width, (long long)shape->height, (long)JPEG_MAX_DIMENSION);
    }
    JpegWriter *state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write JPEG");
    state->writer = writer;
    state->jpeg.err = halo_jpeg_errors(&state->guard, HALO_ERR_OUTPUT);
    state->destination = (struct jpeg_destination_mgr){
        .init_destination = on_start, .empty_output_buffer = on_full, .term_destination = on_end};
    return halo_jpeg_guard(&state->guard, write_header, state);
}

HaloStatus halo_jpeg_write(HaloWriter *writer, const HaloBuf *rows)
{
    JpegWriter *state = writer->state;
    state->rows = rows;
    return halo_jpeg_guard(&state->guard, write_rows, state);
}

HaloStatus halo_jpeg_finish(HaloWriter *writer)
{
    JpegWriter *state = writer->state;
    return halo_jpeg_guard(&state->guard, write_end, state);
}

void halo_jpeg_discard(HaloWriter *writer)
{
    JpegWriter *state = writer->state;
    if (state == NULL) return;
    jpeg_destroy_compress(&state->jpeg);
    free(state);
    writer->state = NULL;
}
#endif
