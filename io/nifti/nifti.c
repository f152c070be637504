/* NIfTI: the rows of the formats, and their writer: NIfTI-1, or NIfTI-2 where a side is too long for that. In a
 * .nii.gz the header is a stored block, so that it can be written again over itself when all pages are known.
 */
#include "nifti.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "bytes/endian.h"
#include "meta/meta.h"
#include "samples/image.h"

#define MOST_SIDE 32767
#define BLOCK_BYTES 65536
#define GZIP_BYTES 10 /* and 5 of the stored block */

typedef struct Gzip {
    z_stream zlib;
    uLong head_crc, crc; /* of the header, and of what follows; how many bytes: */
    int64_t head_bytes, bytes;
    uint8_t block[BLOCK_BYTES];
} Gzip;

/* ---- header --------------------------------------------------------------------------------------------- */

static int type_of(const HaloWriter *writer)
{
    static const struct {
        char kind;
        int size, type;
    } types[] = {{'u', 1, 2},   {'i', 2, 4},   {'i', 4, 8},   {'f', 4, 16},   {'f', 8, 64},
                 {'i', 1, 256}, {'u', 2, 512}, {'u', 4, 768}, {'i', 8, 1024}, {'u', 8, 1280}};
    const HaloArrayHead *head = &((HaloArrayWriter *)writer->state)->head;
    if (writer->info.shape.channels > 1) return writer->info.shape.channels == 3 ? NIFTI_RGB : NIFTI_RGBA;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].kind == head->kind && types[i].size == head->size) return types[i].type;
    return 0;
}

static HaloStatus make_head(HaloWriter *writer, uint8_t bytes[NIFTI_2_BYTES + 4], size_t *size)
{
    HaloArrayWriter *state = writer->state;
    const HaloMeta *meta = halo_array_meta(writer);
    const HaloShape *shape = &writer->info.shape;
    const char *text = halo_text_find(meta, "Description");
    const bool second = shape->width > MOST_SIDE || shape->height > MOST_SIDE;
    int64_t depth;
    const int64_t pages = state->said = halo_array_pages(writer, &depth);
    NiftiHead head = {.version = second ? 2 : 1, .type = type_of(writer), .slope = 1};
    if (!second && pages > MOST_SIDE)
        return halo_fail(HALO_ERR_OUTPUT, "%lld pages are too many for NIfTI-1: write nrrd", (long long)pages);
    for (int i = 1; i < 8; i++) head.dim[i] = head.dim[0] = 1;
    for (int i = 0; i < 8; i++) head.pixdim[i] = 1;
    head.dim[0] = depth > 0 ? 4 : pages > 1 ? 3 : 2;
    head.dim[1] = shape->width;
    head.dim[2] = shape->height;
    head.dim[3] = depth > 0 ? depth : pages;
    head.dim[4] = depth > 0 ? pages / depth : 1;
    if (meta->grid.known) nifti_place(&meta->grid, &head);
    if (text != NULL && strncmp(text, "ImageJ=", 7) != 0) strncpy(head.text, text, 79);
    head.start = second ? NIFTI_2_BYTES + 4 : NIFTI_1_BYTES + 4;
    *size = nifti_print(&head, bytes);
    return HALO_OK;
}

/* Of the texts only a description of up to 79 bytes has a place; ImageJ's is said by dimensions. */
static void note_texts(HaloWriter *writer)
{
    const HaloMeta *meta = halo_array_meta(writer);
    const char *description = halo_text_find(meta, "Description");
    for (size_t i = 0; i < meta->texts; i++) {
        const char *value = meta->text[i].value;
        const bool said = value == description && (strlen(value) < 80 || strncmp(value, "ImageJ=", 7) == 0);
        if (!said) halo_text_left_out(&writer->notes, &meta->text[i]);
    }
}

static HaloStatus begin(HaloWriter *writer, bool *first)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &writer->info.shape;
    if (shape->channels > 1 && shape->dtype != HALO_U8)
        HALO_FAIL(HALO_ERR_INPUT, "NIfTI holds RGB of 8 bits alone: depth:u8, or channels:1, or write nrrd");
    HALO_TRY(halo_array_create(writer, "u1i2i4f4f8i1u2u4i8u8", first));
    if (*first) note_texts(writer);
out:
    return status;
}

static HaloStatus write_head(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    Gzip *gzip = ((HaloArrayWriter *)writer->state)->more;
    uint8_t bytes[NIFTI_2_BYTES + 4];
    size_t size;
    HALO_TRY(make_head(writer, bytes, &size));
    if (gzip != NULL) gzip->head_crc = crc32(0, bytes, (unsigned)size);
    HALO_TRY(halo_sink_write(writer->sink, bytes, size));
out:
    return status;
}

static HaloStatus create(HaloWriter *writer)
{
    bool first;
    const HaloStatus status = begin(writer, &first);
    return status == HALO_OK && first ? write_head(writer) : status;
}

static HaloStatus end(HaloWriter *writer) { return halo_array_end(writer, 0, write_head); }

/* ---- gzip ----------------------------------------------------------------------------------------------- */

static HaloStatus create_gz(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    uint8_t bytes[NIFTI_2_BYTES + 4], start[GZIP_BYTES + 5] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    size_t size;
    bool first;
    HALO_TRY(begin(writer, &first));
    if (!first) return HALO_OK;
    HALO_TRY(make_head(writer, bytes, &size));
    Gzip *gzip = ((HaloArrayWriter *)writer->state)->more = calloc(1, sizeof *gzip);
    if (gzip == NULL || deflateInit2(&gzip->zlib, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(gzip);
        ((HaloArrayWriter *)writer->state)->more = NULL;
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write an array");
    }
    halo_put_le(start + GZIP_BYTES + 1, size, 2);
    halo_put_le(start + GZIP_BYTES + 3, ~(uint64_t)size & 0xffff, 2);
    gzip->head_crc = crc32(0, bytes, (unsigned)size);
    gzip->head_bytes = (int64_t)size;
    HALO_TRY(halo_sink_write(writer->sink, start, sizeof start));
    HALO_TRY(halo_sink_write(writer->sink, bytes, size));
out:
    return status;
}

/* Writes what the compressor gives, until it wants more, or has ended. */
static HaloStatus drain(HaloWriter *writer, Gzip *gzip, int flush)
{
    HaloStatus status = HALO_OK;
    int result = Z_OK;
    do {
        gzip->zlib.next_out = gzip->block;
        gzip->zlib.avail_out = BLOCK_BYTES;
        result = deflate(&gzip->zlib, flush);
        if (result == Z_STREAM_ERROR) HALO_FAIL(HALO_ERR_BUG, "internal: zlib refuses samples");
        HALO_TRY(halo_sink_write(writer->sink, gzip->block, BLOCK_BYTES - gzip->zlib.avail_out));
    } while (gzip->zlib.avail_out == 0 && result != Z_STREAM_END);
out:
    return status;
}

static HaloStatus put(HaloWriter *writer, const void *bytes, size_t size)
{
    Gzip *gzip = ((HaloArrayWriter *)writer->state)->more;
    gzip->crc = crc32(gzip->crc, bytes, (unsigned)size);
    gzip->bytes += (int64_t)size;
    gzip->zlib.next_in = (uint8_t *)(uintptr_t)bytes;
    gzip->zlib.avail_in = (unsigned)size;
    return drain(writer, gzip, Z_NO_FLUSH);
}

static HaloStatus write_gz(HaloWriter *writer, const HaloBuf *rows)
{
    return halo_array_put(writer, rows, put);
}

/* The checksum of both parts is made of theirs. */
static HaloStatus end_gz(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HaloArrayWriter *state = writer->state;
    Gzip *gzip = state != NULL ? state->more : NULL;
    uint8_t last[8];
    if (gzip == NULL) return HALO_OK;
    gzip->zlib.avail_in = 0;
    HALO_TRY(drain(writer, gzip, Z_FINISH));
    if (state->pages != state->said) {
        int64_t here;
        HALO_TRY(halo_sink_tell(writer->sink, &here));
        HALO_TRY(halo_array_end(writer, GZIP_BYTES + 5, write_head));
        HALO_TRY(halo_sink_seek(writer->sink, here));
    }
    halo_put_le(last, crc32_combine(gzip->head_crc, gzip->crc, (z_off_t)gzip->bytes), 4);
    halo_put_le(last + 4, (uint64_t)(gzip->head_bytes + gzip->bytes) & 0xffffffff, 4);
    HALO_TRY(halo_sink_write(writer->sink, last, sizeof last));
out:
    return status;
}

static void discard_gz(HaloWriter *writer)
{
    HaloArrayWriter *state = writer->state;
    Gzip *gzip = state != NULL ? state->more : NULL;
    if (gzip != NULL) deflateEnd(&gzip->zlib);
    free(gzip);
    halo_array_discard(writer);
}

/* ---- the rows ------------------------------------------------------------------------------------------- */

#define NIFTI                                                                                                 \
    .kinds = HALO_IMAGE,                                                                                      \
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32 | 1u << HALO_I64 | 1u << HALO_F64,              \
    .channels = 1u << 0 | 1u << 2, .with_alpha = 1u << 3,                                                     \
    .holds = HALO_META_TEXT | HALO_META_GRID | HALO_META_RESOLUTION, .keeps_units = true, .meta_first = true, \
    .several = HALO_SEVERAL_ALIKE, .next = halo_array_next, .read = halo_array_read, .skip = halo_array_skip, \
    .close = halo_array_close, .finish = halo_array_finish

const HaloFormat halo_format_nii = {
    NIFTI,
    .name = "nii",
    .help = "NIfTI-1 and -2: volumes as pages, integers, floats, RGB of 8 bits, with spacing and origin",
    .extensions = "nii",
    .plain = true,
    .probe = nifti_probe,
    .open = nifti_open,
    .create = create,
    .write = halo_array_write,
    .end = end,
    .discard = halo_array_discard,
};

const HaloFormat halo_format_niigz = {
    NIFTI,
    .name = "nii.gz",
    .help = "NIfTI, compressed",
    .extensions = "nii.gz",
    .decodes = 100,
    .encodes = 30,
    .probe = nifti_probe_gz,
    .open = nifti_open_gz,
    .create = create_gz,
    .write = write_gz,
    .end = end_gz,
    .discard = discard_gz,
};
