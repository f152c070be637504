/* Writes JPEG. */
#ifdef HALO_HAVE_JPEG
#include "jpegfile.h"
#include "meta/meta.h"
#include "samples/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_QUALITY 90
#define MAX_MARKER_BYTES 65533

typedef struct JpegWriter {
    JpegGuard guard;
    HaloWriter *writer;
    struct jpeg_compress_struct jpeg;
    struct jpeg_destination_mgr destination;
    const HaloBuf *rows;      /* what `write_rows` writes */
    HaloBlob exif, photoshop; /* made for this file */
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

/* A marker of `mark`, if there is any, and `bytes`; false where that is too large for one, and left out. */
static bool write_marker(struct jpeg_compress_struct *jpeg, int marker, const char *mark, size_t mark_size,
                         const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    if (size == 0 || size > MAX_MARKER_BYTES - mark_size) return size == 0;
    jpeg_write_m_header(jpeg, marker, (unsigned)(mark_size + size));
    for (size_t i = 0; i < mark_size; i++) jpeg_write_m_byte(jpeg, mark[i]);
    for (size_t i = 0; i < size; i++) jpeg_write_m_byte(jpeg, at[i]);
    return true;
}

/* Where EXIF is too large for a marker, at least the orientation has to be written. */
static HaloStatus prepare_meta(JpegWriter *state)
{
    HaloStatus status = HALO_OK;
    const HaloMeta *meta = &state->writer->info.meta;
    if (meta->exif.size > MAX_MARKER_BYTES - sizeof JPEG_EXIF_MARK) {
        halo_note_left_out(&state->writer->notes, HALO_META_EXIF);
        HALO_TRY(halo_exif_of_orientation(halo_exif_orientation(&meta->exif), &state->exif));
    }
    HALO_TRY(halo_iptc_to_photoshop(&meta->iptc, &state->photoshop));
out:
    return status;
}

static void write_meta(const JpegWriter *state, struct jpeg_compress_struct *jpeg)
{
    HaloNotes *notes = &state->writer->notes;
    const HaloInfo *info = &state->writer->info;
    const HaloMeta *meta = &info->meta;
    const HaloBlob *exif = state->exif.size > 0 ? &state->exif : &meta->exif;
    write_marker(jpeg, JPEG_EXIF, JPEG_EXIF_MARK, sizeof JPEG_EXIF_MARK, exif->data, exif->size);
    if (!write_marker(jpeg, JPEG_EXIF, JPEG_XMP_MARK, sizeof JPEG_XMP_MARK, meta->xmp.data, meta->xmp.size))
        halo_note_left_out(notes, HALO_META_XMP);
    if (!write_marker(jpeg, JPEG_PHOTOSHOP, JPEG_PHOTOSHOP_MARK, sizeof JPEG_PHOTOSHOP_MARK,
                      state->photoshop.data, state->photoshop.size))
        halo_note_left_out(notes, HALO_META_IPTC);
    /* A profile goes in at most 255 markers, each with 14 bytes of its own. */
    if (halo_icc_fits(&meta->icc, &info->shape) && meta->icc.size <= (size_t)255 * (MAX_MARKER_BYTES - 14)) {
        jpeg_write_icc_profile(jpeg, meta->icc.data, (unsigned)meta->icc.size);
    }
    /* Comments have no keys: a text with another key would be read back with a wrong one. */
    for (size_t i = 0; i < meta->texts; i++) {
        const char *value = meta->text[i].value;
        if (strcmp(meta->text[i].key, "Comment") != 0 ||
            !write_marker(jpeg, JPEG_COM, NULL, 0, value, strlen(value)))
            halo_text_left_out(notes, &meta->text[i]);
    }
}

/* JFIF holds integers of 16 bits. */
static void set_density(struct jpeg_compress_struct *jpeg, const HaloMeta *meta)
{
    double dots[2];
    bool inches;
    if (!halo_resolution(meta, &inches, dots)) return;
    if (meta->ratio) halo_whole_ratio(dots, 65535);
    if (dots[0] < 1 || dots[1] < 1 || dots[0] > 65535 || dots[1] > 65535) return;
    jpeg->density_unit = meta->ratio ? 0 : inches ? 1 : 2;
    jpeg->X_density = (UINT16)lround(dots[0]);
    jpeg->Y_density = (UINT16)lround(dots[1]);
}

/* Chroma at half the resolution is visible at edges, so high quality keeps it in full. */
static void set_subsampling(struct jpeg_compress_struct *jpeg, int wish, int quality)
{
    if (wish == 0) wish = quality >= DEFAULT_QUALITY ? 444 : 420;
    jpeg->comp_info[0].h_samp_factor = wish == 444 ? 1 : 2;
    jpeg->comp_info[0].v_samp_factor = wish == 420 ? 2 : 1;
}

static void write_header(void *arg)
{
    JpegWriter *state = arg;
    struct jpeg_compress_struct *jpeg = &state->jpeg;
    const HaloInfo *info = &state->writer->info;
    const int wish = state->writer->options.quality, quality = wish > 0 ? wish : DEFAULT_QUALITY;
    jpeg_create_compress(jpeg);
    jpeg->client_data = state;
    jpeg->dest = &state->destination;
    jpeg->image_width = (JDIMENSION)info->shape.width;
    jpeg->image_height = (JDIMENSION)info->shape.height;
    jpeg->input_components = info->shape.channels;
    jpeg->in_color_space = info->shape.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality, TRUE);
    set_subsampling(jpeg, state->writer->options.subsampling, quality);
    set_density(jpeg, &info->meta);
    jpeg->dct_method = JDCT_ISLOW; /* exact to the last bit, with SIMD or without */
    jpeg_start_compress(jpeg, TRUE);
    write_meta(state, jpeg);
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
    halo_jpeg_discard(writer); /* of the image before */
    JpegWriter *state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write JPEG");
    state->writer = writer;
    state->jpeg.err = halo_jpeg_errors(&state->guard, HALO_ERR_OUTPUT);
    state->destination = (struct jpeg_destination_mgr){
        .init_destination = on_start, .empty_output_buffer = on_full, .term_destination = on_end};
    const HaloStatus status = prepare_meta(state);
    return status == HALO_OK ? halo_jpeg_guard(&state->guard, write_header, state) : status;
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
    free(state->exif.data);
    free(state->photoshop.data);
    free(state);
    writer->state = NULL;
}
#endif
