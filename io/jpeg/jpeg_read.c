/* Reads JPEG. */
#ifdef HALO_HAVE_JPEG
#include "jpegfile.h"
#include "meta/meta.h"
#include "samples/image.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SCANS \
    500 /* of a progressive file; real ones have about ten, and each costs a pass over the image */

#define MAX_SHRINK 8 /* a sample of a block */

typedef struct JpegReader {
    JpegGuard guard;
    HaloReader *reader;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    bool started, damaged; /* damaged: tolerated, nothing more is decoded */
    bool ended;            /* the file, before its mark */
    bool parts, finished;  /* see has_parts; the end of the image has been read */
    const HaloBuf *rows;   /* what `decode` fills */
    int64_t done;          /* of them */
    int64_t held;          /* bytes that libjpeg keeps of an image of several scans */
    JOCTET buffer[JPEG_BUFFER_BYTES];
} JpegReader;

/* ---- libjpeg's source of bytes -------------------------------------------------------------------------- */

static void on_start(j_decompress_ptr jpeg) { (void)jpeg; }

/* How many rows of the file there are, used or not. */
static int64_t rows_there(const struct jpeg_decompress_struct *jpeg)
{
    const int64_t rows = (int64_t)jpeg->output_scanline * jpeg->scale_denom / jpeg->scale_num;
    return rows < jpeg->image_height ? rows : jpeg->image_height;
}

static HaloStatus truncated(const struct jpeg_decompress_struct *jpeg)
{
    return halo_fail(HALO_ERR_INPUT, "truncated: %lld of %lld rows", (long long)rows_there(jpeg),
                     (long long)jpeg->image_height);
}

/* Damage that is tolerated. Rows of several scans are made when all of these have been read. */
static void note_damage(JpegReader *state)
{
    const struct jpeg_decompress_struct *jpeg = &state->jpeg;
    halo_note_damaged(&state->reader->info.notes, jpeg->progressive_mode ? -1 : rows_there(jpeg),
                      jpeg->image_height, false);
}

static boolean on_empty(j_decompress_ptr jpeg)
{
    static const JOCTET end[2] = {0xff, JPEG_EOI};
    JpegReader *state = jpeg->client_data;
    size_t got;
    const HaloStatus status =
        halo_source_take(state->reader->source, state->buffer, sizeof state->buffer, &got);
    if (status != HALO_OK) halo_jpeg_leave((j_common_ptr)jpeg, status);
    jpeg->src->next_input_byte = state->buffer;
    jpeg->src->bytes_in_buffer = got;
    if (got > 0) return TRUE;
    if (state->rows == NULL) {
        halo_jpeg_leave((j_common_ptr)jpeg, halo_fail(HALO_ERR_INPUT, "truncated before the first row"));
    }
    /* All rows may be there, with only the end marker missing: if more is missing, libjpeg warns that its data
     * end too early. It does not with arithmetic coding, where missing bits are 0. */
    if (!state->reader->options.tolerate && (state->ended || jpeg->arith_code)) {
        halo_jpeg_leave((j_common_ptr)jpeg, truncated(jpeg));
    }
    state->ended = true;
    jpeg->src->next_input_byte = end; /* missing bytes become an end marker */
    jpeg->src->bytes_in_buffer = sizeof end;
    return TRUE;
}

static void on_skip(j_decompress_ptr jpeg, long count)
{
    while (count > (long)jpeg->src->bytes_in_buffer) {
        count -= (long)jpeg->src->bytes_in_buffer;
        on_empty(jpeg);
    }
    if (count <= 0) return;
    jpeg->src->next_input_byte += count;
    jpeg->src->bytes_in_buffer -= (size_t)count;
}

static void on_progress(j_common_ptr jpeg)
{
    if (((j_decompress_ptr)jpeg)->input_scan_number > MAX_SCANS) {
        halo_jpeg_leave(jpeg, halo_fail(HALO_ERR_INPUT, "JPEG: more than %d scans", MAX_SCANS));
    }
}

/* ---- the header ----------------------------------------------------------------------------------------- */

/* The density of JFIF: a resolution, or only the pixel aspect ratio. */
static void take_density(const struct jpeg_decompress_struct *jpeg, HaloMeta *meta)
{
    static const double per_metre[] = {1, 1 / 0.0254, 100}; /* no unit, inches, centimetres */
    const bool square = jpeg->X_density == jpeg->Y_density;
    if (!jpeg->saw_JFIF_marker || jpeg->density_unit > 2 || (jpeg->density_unit == 0 && square)) return;
    meta->resolution[0] = jpeg->X_density * per_metre[jpeg->density_unit];
    meta->resolution[1] = jpeg->Y_density * per_metre[jpeg->density_unit];
    meta->ratio = jpeg->density_unit == 0;
}

/* Copies the marker's bytes behind `mark`, unless the blob has some already. */
static HaloStatus take_marked(const struct jpeg_marker_struct *at, const char *mark, size_t size,
                              HaloBlob *blob)
{
    if (blob->data != NULL || at->data_length <= size || memcmp(at->data, mark, size) != 0) return HALO_OK;
    return halo_blob_set(blob, at->data + size, at->data_length - size);
}

static HaloStatus take_photoshop(const struct jpeg_marker_struct *at, HaloBlob *iptc)
{
    const size_t mark = sizeof JPEG_PHOTOSHOP_MARK;
    if (at->data_length <= mark || memcmp(at->data, JPEG_PHOTOSHOP_MARK, mark) != 0) return HALO_OK;
    return halo_iptc_from_photoshop(at->data + mark, at->data_length - mark, iptc);
}

static HaloStatus take_meta(struct jpeg_decompress_struct *jpeg, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    JOCTET *profile = NULL;
    unsigned size = 0;
    if (jpeg_read_icc_profile(jpeg, &profile, &size)) meta->icc = (HaloBlob){profile, size};
    take_density(jpeg, meta);
    for (jpeg_saved_marker_ptr at = jpeg->marker_list; at != NULL; at = at->next) {
        if (at->marker == JPEG_COM) {
            HALO_TRY(halo_text_add(meta, "Comment", (const char *)at->data, at->data_length, HALO_UTF_8));
        } else if (at->marker == JPEG_EXIF) { /* XMP is in the same one */
            HALO_TRY(take_marked(at, JPEG_EXIF_MARK, sizeof JPEG_EXIF_MARK, &meta->exif));
            HALO_TRY(take_marked(at, JPEG_XMP_MARK, sizeof JPEG_XMP_MARK, &meta->xmp));
        } else if (at->marker == JPEG_PHOTOSHOP) {
            HALO_TRY(take_photoshop(at, &meta->iptc));
        }
    }
out:
    return status;
}

/* Phones and stereo cameras append further pictures to the one that is meant: smaller ones, gain maps (CIPA
 * DC-007). */
static bool has_parts(const struct jpeg_decompress_struct *jpeg)
{
    for (jpeg_saved_marker_ptr at = jpeg->marker_list; at != NULL; at = at->next)
        if (at->marker == JPEG_ICC && at->data_length >= 4 && memcmp(at->data, "MPF", 4) == 0) return true;
    return false;
}

static HaloStatus refuse_colour(const struct jpeg_decompress_struct *jpeg)
{
    switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE:
    case JCS_YCbCr:
    case JCS_RGB: return HALO_OK;
    case JCS_CMYK:
    case JCS_YCCK: return halo_image_refuse_cmyk("JPEG", "jpg");
    default: return halo_fail(HALO_ERR_INPUT, "JPEG with %d components is not supported", jpeg->num_components);
    }
}

/* A step. */
static void read_header(void *arg)
{
    JpegReader *state = arg;
    struct jpeg_decompress_struct *jpeg = &state->jpeg;
    HaloInfo *info = &state->reader->info;
    jpeg_create_decompress(jpeg);
    jpeg->client_data = state;
    jpeg->src = &state->source;
    jpeg->progress = &state->progress;
    jpeg_save_markers(jpeg, JPEG_EXIF, 0xffff);
    jpeg_save_markers(jpeg, JPEG_ICC, 0xffff);
    jpeg_save_markers(jpeg, JPEG_COM, 0xffff);
    jpeg_save_markers(jpeg, JPEG_PHOTOSHOP, 0xffff);
    jpeg_read_header(jpeg, TRUE);

    HaloStatus status = refuse_colour(jpeg);
    const bool gray = jpeg->jpeg_color_space == JCS_GRAYSCALE;
    if (status == HALO_OK) {
        status = halo_image_open(state->reader, jpeg->image_width, jpeg->image_height, gray ? 1 : 3, HALO_U8);
    }
    if (status == HALO_OK) status = take_meta(jpeg, &info->meta);
    if (status != HALO_OK) halo_jpeg_leave((j_common_ptr)jpeg, status);
    info->bits = 8;
    info->last = true; /* as far as is known */
    state->parts = has_parts(jpeg);
    snprintf(info->encoding, sizeof info->encoding, "%s%s", gray ? "gray" : "colour",
             jpeg->progressive_mode ? ", progressive" : "");
    jpeg->out_color_space = gray ? JCS_GRAYSCALE : JCS_RGB;
    jpeg->dct_method = JDCT_ISLOW; /* exact to the last bit, with SIMD or without */
}

HaloStatus halo_jpeg_open(HaloReader *reader)
{
    JpegReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read JPEG");
    state->reader = reader;
    state->jpeg.err = halo_jpeg_errors(&state->guard, HALO_ERR_INPUT);
    state->guard.notes = &reader->info.notes;
    state->guard.strict = !reader->options.tolerate;
    state->source = (struct jpeg_source_mgr){.init_source = on_start,
                                             .fill_input_buffer = on_empty,
                                             .skip_input_data = on_skip,
                                             .resync_to_restart = jpeg_resync_to_restart,
                                             .term_source = on_start};
    state->progress.progress_monitor = on_progress;
    return halo_jpeg_guard(&state->guard, read_header, state);
}

/* ---- a smaller image ------------------------------------------------------------------------------------ */

/* A step. Decodes blocks of 8 x 8 samples to smaller ones, from their lower frequencies alone. */
static void shrink(void *arg)
{
    JpegReader *state = arg;
    struct jpeg_decompress_struct *jpeg = &state->jpeg;
    jpeg_calc_output_dimensions(jpeg);
    state->reader->info.shape.width = jpeg->output_width;
    state->reader->info.shape.height = jpeg->output_height;
}

HaloStatus halo_jpeg_shrink(HaloReader *reader, int64_t most, int64_t *times)
{
    JpegReader *state = reader->state;
    *times = most < MAX_SHRINK ? most : MAX_SHRINK;
    state->jpeg.scale_num = 1;
    state->jpeg.scale_denom = (unsigned)*times;
    return halo_jpeg_guard(&state->guard, shrink, state);
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* Of an image in several scans: have all bits of the coefficients of every component been read? */
static bool has_all_scans(const struct jpeg_decompress_struct *jpeg)
{
    for (int c = 0; c < jpeg->num_components; c++) {
        if (jpeg->comp_info[c].quant_table == NULL) return false; /* set by its first scan */
        for (int k = 0; k < DCTSIZE2 && jpeg->coef_bits != NULL; k++)
            if (jpeg->coef_bits[c][k] != 0) return false;
    }
    return true;
}

/* Of an image in several scans libjpeg keeps all coefficients, 16 bits each, until the last one. */
static int64_t coefficients_bytes(const struct jpeg_decompress_struct *jpeg)
{
    int64_t blocks = 0;
    for (int i = 0; i < jpeg->num_components; i++)
        blocks += (int64_t)jpeg->comp_info[i].width_in_blocks * jpeg->comp_info[i].height_in_blocks;
    return blocks * DCTSIZE2 * (int64_t)sizeof(JCOEF);
}

static void start(JpegReader *state)
{
    struct jpeg_decompress_struct *jpeg = &state->jpeg;
    const int64_t bytes = jpeg_has_multiple_scans(jpeg) ? coefficients_bytes(jpeg) : 0;
    const HaloStatus status = halo_memory_hold(state->reader->memory, bytes);
    if (status != HALO_OK) halo_jpeg_leave((j_common_ptr)jpeg, status);
    state->held = bytes;
    jpeg_start_decompress(jpeg);
    state->started = true;
    if (!state->ended || has_all_scans(jpeg)) return;
    if (!state->reader->options.tolerate) halo_jpeg_leave((j_common_ptr)jpeg, truncated(jpeg));
    state->guard.damaged = true;
}

/* Behind the end of the image: gives back bytes that libjpeg has not used. Another image may begin there. */
static HaloStatus leave(JpegReader *state)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = state->reader->source;
    const uint8_t *head;
    size_t got;
    if (!state->finished || state->ended || state->parts) return HALO_OK;
    state->finished = false;
    HALO_TRY(halo_source_seek(source, halo_source_tell(source) - (int64_t)state->source.bytes_in_buffer));
    state->source.bytes_in_buffer = 0;
    HALO_TRY(halo_source_peek(source, 3, &head, &got));
    state->reader->info.last = got < 3 || memcmp(head, "\xff\xd8\xff", 3) != 0;
out:
    return status;
}

/* A step. Behind the last row it reads to the end of the image. */
static void decode(void *arg)
{
    JpegReader *state = arg;
    struct jpeg_decompress_struct *jpeg = &state->jpeg;
    if (!state->started) start(state);
    while (state->done < state->rows->rows) {
        JSAMPROW row = halo_row(state->rows, state->done);
        state->done += jpeg_read_scanlines(jpeg, &row, 1);
        if (state->guard.damaged) note_damage(state);
    }
    if (jpeg->output_scanline < jpeg->output_height) return;
    jpeg_finish_decompress(jpeg);
    state->finished = true;
    if (state->guard.damaged)
        note_damage(state);
    else if (state->ended)
        halo_note(&state->reader->info.notes, HALO_NOTE_NO_END, 1);
}

HaloStatus halo_jpeg_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    JpegReader *state = reader->state;
    HaloStatus status = HALO_OK;
    state->rows = rows;
    state->done = 0;
    if (!state->damaged) status = halo_jpeg_guard(&state->guard, decode, state);
    if (status == HALO_OK) status = leave(state);
    if (status == HALO_ERR_INPUT && state->ended) status = truncated(&state->jpeg);
    if (status == HALO_ERR_INPUT && reader->options.tolerate) {
        state->damaged = true;
        note_damage(state);
        status = HALO_OK;
    }
    if (state->damaged) halo_rows_clear(rows, state->done);
    *got = status == HALO_OK ? rows->rows : 0;
    return status;
}

void halo_jpeg_close(HaloReader *reader)
{
    JpegReader *state = reader->state;
    if (state == NULL) return;
    jpeg_destroy_decompress(&state->jpeg);
    halo_memory_release(reader->memory, state->held);
    free(state);
    reader->state = NULL;
}
#endif
