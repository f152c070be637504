/* MetaImage: .mha both ways, .mhd with its samples in another file read; plain or compressed by zlib. Volumes
 * are pages. The header that is written is filled up with blanks, so that it can be written again over itself.
 */
#include "mha.h"

#include <stdlib.h>
#include <string.h>

#include "bytes/head_text.h"
#include "meta/grid.h"
#include "meta/meta.h"
#include "samples/image.h"

static bool probe(const uint8_t *head, size_t size)
{
    static const char *const starts[] = {"ObjectType = Image", "ObjectType=Image", "NDims = ", "NDims="};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (size >= strlen(starts[i]) && memcmp(head, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static HaloStatus open_mha(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state;
    MhaHead head;
    HALO_TRY(halo_array_new(reader, &state));
    HALO_TRY(mha_read_head(reader->source, &head, &state->meta));
    HALO_TRY(mha_array(&head, &state->head, &state->meta.grid));
    HALO_TRY(halo_array_find(reader, &(HaloArrayPlace){head.file, 0, head.skip, head.compressed}));
    HALO_TRY(halo_array_open(reader));
out:
    return status;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static const char *type_of(const HaloArrayHead *head)
{
    static const char *const names[3][4] = {{"MET_UCHAR", "MET_USHORT", "MET_UINT", "MET_ULONG_LONG"},
                                            {"MET_CHAR", "MET_SHORT", "MET_INT", "MET_LONG_LONG"},
                                            {"", "", "MET_FLOAT", "MET_DOUBLE"}};
    const int log = head->size == 1 ? 0 : head->size == 2 ? 1 : head->size == 4 ? 2 : 3;
    return names[head->kind == 'f' ? 2 : head->kind == 'i' ? 1 : 0][log];
}

/* Directions are vectors of length 1. */
static HaloStatus add_grid(HaloHeadText *text, const HaloGrid *grid, int dimensions)
{
    HaloStatus status = HALO_OK;
    const double factor = halo_grid_factor(grid, "mm");
    if (!grid->known) return HALO_OK;
    HALO_TRY(halo_head_add(text, "TransformMatrix ="));
    for (int axis = 0; axis < dimensions; axis++)
        for (int i = 0; i < dimensions; i++) {
            const double spacing = halo_grid_spacing(grid, axis), *step = axis < 3 ? grid->step[axis] : NULL;
            const bool known = step != NULL && (step[0] != 0 || step[1] != 0 || step[2] != 0);
            HALO_TRY(halo_head_add(text, " "));
            HALO_TRY(halo_head_add_number(text, known && i < 3 ? step[i] / spacing + 0.0 : i == axis));
        }
    HALO_TRY(halo_head_add(text, "\nOffset ="));
    for (int i = 0; i < dimensions; i++) {
        HALO_TRY(halo_head_add(text, " "));
        HALO_TRY(halo_head_add_number(text, i < 3 ? grid->origin[i] * factor + 0.0 : 0));
    }
    HALO_TRY(halo_head_add(text, "\nElementSpacing ="));
    for (int i = 0; i < dimensions; i++) {
        HALO_TRY(halo_head_add(text, " "));
        HALO_TRY(halo_head_add_number(text, i < 3                ? halo_grid_spacing(grid, i) * factor
                                            : grid->interval > 0 ? grid->interval
                                                                 : 1));
    }
    HALO_TRY(halo_head_add(text, "\n"));
out:
    return status;
}

/* A description of one line is a comment, up to the length that MetaIO reads. */
static bool is_comment(const HaloText *text)
{
    return strcmp(text->key, "Description") == 0 && strlen(text->value) < 255 &&
           strpbrk(text->value, "\r\n") == NULL;
}

static HaloStatus make_head(const HaloWriter *writer, int64_t pages, int64_t depth, size_t blanks,
                            HaloHeadText *text)
{
    HaloStatus status = HALO_OK;
    const HaloArrayHead *head = &((HaloArrayWriter *)writer->state)->head;
    const HaloMeta *meta = halo_array_meta(writer);
    const bool deep = meta->grid.turned || meta->grid.origin[2] != 0; /* a picture somewhere in space */
    const int dimensions = depth > 0 ? 4 : pages > 1 || deep ? 3 : 2;
    text->size = 0;
    HALO_TRY(halo_head_add(text, "ObjectType = Image\nNDims = %d\n", dimensions));
    for (size_t i = 0; i < meta->texts; i++)
        if (is_comment(&meta->text[i])) HALO_TRY(halo_head_add(text, "Comment = %s\n", meta->text[i].value));
    HALO_TRY(
        halo_head_add(text, "BinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False\n"));
    HALO_TRY(add_grid(text, &meta->grid, dimensions));
    HALO_TRY(halo_head_add(text, "DimSize = %lld %lld", (long long)head->dim[1], (long long)head->dim[0]));
    if (dimensions > 2) HALO_TRY(halo_head_add(text, " %lld", (long long)(depth > 0 ? depth : pages)));
    if (depth > 0) HALO_TRY(halo_head_add(text, " %lld", (long long)(pages / depth)));
    HALO_TRY(halo_head_add(text, "%*s\n", (int)blanks, ""));
    if (head->dims == 3)
        HALO_TRY(halo_head_add(text, "ElementNumberOfChannels = %lld\n", (long long)head->dim[2]));
    HALO_TRY(halo_head_add(text, "ElementType = %s\nElementDataFile = LOCAL\n", type_of(head)));
out:
    return status;
}

static HaloStatus write_head(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HaloArrayWriter *state = writer->state;
    HaloHeadText text = {0};
    int64_t depth;
    const int64_t pages = state->said = halo_array_pages(writer, &depth);
    HALO_TRY(make_head(writer, INT64_MAX, halo_array_meta(writer)->grid.depth, 0, &text));
    const size_t whole = text.size;
    HALO_TRY(make_head(writer, pages, depth, 0, &text));
    HALO_TRY(make_head(writer, pages, depth, whole - text.size, &text));
    HALO_TRY(halo_sink_write(writer->sink, text.at, text.size));
out:
    free(text.at);
    return status;
}

static HaloStatus create(HaloWriter *writer)
{
    bool first;
    const HaloStatus status = halo_array_create(writer, "u1i1u2i2u4i4f4u8i8f8", &first);
    if (status != HALO_OK || !first) return status;
    const HaloMeta *meta = halo_array_meta(writer);
    if (meta->grid.unit[0] != 0 && !halo_grid_is_length(&meta->grid)) halo_array_drop_grid(writer);
    for (size_t i = 0; i < meta->texts; i++)
        if (!is_comment(&meta->text[i]) && strncmp(meta->text[i].value, "ImageJ=", 7) != 0)
            halo_text_left_out(&writer->notes, &meta->text[i]);
    return write_head(writer);
}

static HaloStatus end(HaloWriter *writer) { return halo_array_end(writer, 0, write_head); }

const HaloFormat halo_format_mha = {
    .name = "mha",
    .help = "MetaImage: volumes as pages, integers and floats, plain and compressed, with spacing; plain is "
            "written",
    .extensions = "mha,mhd",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32 | 1u << HALO_I64 | 1u << HALO_F64,
    .channels = HALO_ANY_CHANNELS,
    .holds = HALO_META_TEXT | HALO_META_GRID | HALO_META_RESOLUTION,
    .keeps_units = true,
    .plain = true,
    .meta_first = true,
    .several = HALO_SEVERAL_ALIKE,
    .probe = probe,
    .open = open_mha,
    .next = halo_array_next,
    .read = halo_array_read,
    .skip = halo_array_skip,
    .close = halo_array_close,
    .create = create,
    .write = halo_array_write,
    .finish = halo_array_finish,
    .end = end,
    .discard = halo_array_discard,
};
