/* NRRD: attached headers both ways, detached ones read. Volumes are pages; spacing, directions and origin are
 * kept. The header that is written has a length that does not depend on how many pages there are, so that it
 * can be written again over itself: a comment fills it up. */
#include "nrrd.h"

#include <stdlib.h>
#include <string.h>

#include "bytes/head_text.h"
#include "meta/meta.h"
#include "samples/image.h"

static bool probe(const uint8_t *head, size_t size)
{
    return size >= 9 && memcmp(head, "NRRD000", 7) == 0 && (head[8] == '\n' || head[8] == '\r');
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static HaloStatus open_nrrd(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state;
    NrrdHead head;
    HALO_TRY(halo_array_new(reader, &state));
    HALO_TRY(nrrd_read_head(reader->source, &head, &state->meta));
    HALO_TRY(nrrd_array(&head, &state->head, &state->meta.grid));
    HALO_TRY(
        halo_array_find(reader, &(HaloArrayPlace){head.file, head.skip_lines, head.skip_bytes, head.gzip}));
    HALO_TRY(halo_array_open(reader));
out:
    return status;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

/* Is there an axis of pages? ITK wants as many axes as the space has, and a picture may lie anywhere in it. */
static bool is_deep(const HaloWriter *writer, int64_t pages)
{
    const HaloGrid *grid = &halo_array_meta(writer)->grid;
    return pages > 1 || (grid->known && (grid->patient || grid->turned || grid->origin[2] != 0));
}

static HaloStatus add_array(HaloHeadText *text, const HaloWriter *writer, int64_t pages, int64_t depth)
{
    static const char *const names[] = {"int8",  "int16",  "int32",  "int64",
                                        "uint8", "uint16", "uint32", "uint64"};
    const HaloArrayHead *head = &((HaloArrayWriter *)writer->state)->head;
    const bool channels = head->dims == 3, deep = is_deep(writer, pages);
    const int log = head->size == 1 ? 0 : head->size == 2 ? 1 : head->size == 4 ? 2 : 3;
    const char *type = head->kind == 'f'   ? (head->size == 8 ? "double" : "float")
                       : head->kind == 'i' ? names[log]
                                           : names[4 + log];
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_head_add(text, "type: %s\ndimension: %d\n", type, 2 + channels + deep + (depth > 0)));
    HALO_TRY(halo_head_add(text, "sizes:"));
    if (channels) HALO_TRY(halo_head_add(text, " %lld", (long long)head->dim[2]));
    HALO_TRY(halo_head_add(text, " %lld %lld", (long long)head->dim[1], (long long)head->dim[0]));
    if (depth > 0) HALO_TRY(halo_head_add(text, " %lld", (long long)depth));
    if (deep) HALO_TRY(halo_head_add(text, " %lld", (long long)(depth > 0 ? pages / depth : pages)));
    HALO_TRY(halo_head_add(text, "\nencoding: raw\nendian: little\n"));
out:
    return status;
}

/* The spacing of the last axis, behind `others` that have directions in its place. */
static HaloStatus add_interval(HaloHeadText *text, double seconds, int others)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_head_add(text, "spacings:"));
    for (int i = 0; i < others; i++) HALO_TRY(halo_head_add(text, " nan"));
    HALO_TRY(halo_head_add(text, " "));
    HALO_TRY(halo_head_add_number(text, seconds));
    HALO_TRY(halo_head_add(text, "\nunits:"));
    for (int i = 0; i < others; i++) HALO_TRY(halo_head_add(text, " \"\""));
    HALO_TRY(halo_head_add(text, " \"s\"\n"));
out:
    return status;
}

/* Of four axes the last is time, which is no direction of the space. */
static HaloStatus add_axes(HaloHeadText *text, const HaloWriter *writer, int64_t pages, int64_t depth)
{
    HaloStatus status = HALO_OK;
    const HaloGrid *grid = &halo_array_meta(writer)->grid;
    const HaloShape *shape = &writer->info.shape;
    const bool channels = shape->channels > 1, deep = is_deep(writer, pages);
    const int dimensions = deep ? 3 : 2;
    if (channels || depth > 0) {
        const char *colour = shape->alpha >= 0 && shape->channels == 4 ? " RGBA-color"
                             : shape->channels == 3                    ? " RGB-color"
                                                                       : " vector";
        HALO_TRY(halo_head_add(text, "kinds:%s domain domain%s%s\n", channels ? colour : "",
                               deep ? " domain" : "", depth > 0 ? " time" : ""));
    }
    if (!grid->known) return HALO_OK;
    if (depth > 0 && grid->interval > 0) HALO_TRY(add_interval(text, grid->interval, 3 + channels));
    if (grid->patient)
        HALO_TRY(halo_head_add(text, "space: left-posterior-superior\n"));
    else
        HALO_TRY(halo_head_add(text, "space dimension: %d\n", dimensions));
    HALO_TRY(halo_head_add(text, "space directions:%s", channels ? " none" : ""));
    for (int axis = 0; axis < dimensions; axis++) {
        const bool known = axis < 2 || grid->step[2][0] != 0 || grid->step[2][1] != 0 || grid->step[2][2] != 0;
        const double usual[3] = {0, 0, 1};
        HALO_TRY(halo_head_add_vector(text, " (", known ? grid->step[axis] : usual, dimensions, ")"));
    }
    HALO_TRY(halo_head_add(text, "%s\n", depth > 0 ? " none" : ""));
    HALO_TRY(halo_head_add_vector(text, "space origin: (", grid->origin, dimensions, ")\n"));
    if (grid->unit[0] == 0) return HALO_OK;
    HALO_TRY(halo_head_add(text, "space units:"));
    for (int axis = 0; axis < dimensions; axis++) HALO_TRY(halo_head_add(text, " \"%s\"", grid->unit));
    HALO_TRY(halo_head_add(text, "\n"));
out:
    return status;
}

/* A key with a colon or line break cannot be told from a field; ImageJ's description is said by the axes. */
static HaloStatus add_texts(HaloHeadText *text, const HaloMeta *meta, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    for (size_t i = 0; i < meta->texts; i++) {
        const HaloText *t = &meta->text[i];
        if (strcmp(t->key, "Description") == 0 && strncmp(t->value, "ImageJ=", 7) == 0) continue;
        if (strpbrk(t->key, ":\n\r#\\") != NULL || t->key[0] == 0 || strchr(t->value, '\r') != NULL) {
            if (notes != NULL) halo_text_left_out(notes, t);
            continue;
        }
        const bool content = strcmp(t->key, "Description") == 0 && strpbrk(t->value, "\n\\") == NULL &&
                             halo_text_find(meta, "Description") == t->value && t->value[0] > ' ';
        HALO_TRY(halo_head_add(text, "%s%s", content ? "content" : t->key, content ? ": " : ":="));
        for (const char *at = t->value; *at != 0; at++)
            HALO_TRY(*at == '\n'   ? halo_head_add(text, "\\n")
                     : *at == '\\' ? halo_head_add(text, "\\\\")
                                   : halo_head_add(text, "%c", *at));
        HALO_TRY(halo_head_add(text, "\n"));
    }
out:
    return status;
}

static HaloStatus make_head(const HaloWriter *writer, int64_t pages, int64_t depth, HaloNotes *notes,
                            HaloHeadText *text)
{
    HaloStatus status = HALO_OK;
    text->size = 0;
    HALO_TRY(halo_head_add(text, "NRRD0005\n"));
    HALO_TRY(add_array(text, writer, pages, depth));
    HALO_TRY(add_axes(text, writer, pages, depth));
    HALO_TRY(add_texts(text, halo_array_meta(writer), notes));
out:
    return status;
}

static HaloStatus write_head(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HaloArrayWriter *state = writer->state;
    HaloHeadText text = {0};
    int64_t depth;
    const int64_t pages = halo_array_pages(writer, &depth);
    HALO_TRY(make_head(writer, INT64_MAX, halo_array_meta(writer)->grid.depth, NULL, &text));
    const size_t whole = text.size + 2;
    HALO_TRY(make_head(writer, pages, depth, state->said == 0 ? &writer->notes : NULL, &text));
    state->said = pages;
    HALO_TRY(halo_head_add(&text, "#%*s\n\n", (int)(whole - 2 - text.size), ""));
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
    if (writer->info.shape.alpha >= 0 && writer->info.shape.channels != 4)
        halo_note(&writer->notes, HALO_NOTE_ALPHA, 1);
    return write_head(writer);
}

static HaloStatus end(HaloWriter *writer) { return halo_array_end(writer, 0, write_head); }

const HaloFormat halo_format_nrrd = {
    .name = "nrrd",
    .help =
        "NRRD: volumes as pages, integers and floats, raw and gzip, with spacing and origin; raw is written",
    .extensions = "nrrd,nhdr",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32 | 1u << HALO_I64 | 1u << HALO_F64,
    .channels = HALO_ANY_CHANNELS,
    .with_alpha = 1u << 3,
    .holds = HALO_META_TEXT | HALO_META_GRID | HALO_META_RESOLUTION,
    .keeps_units = true,
    .plain = true,
    .meta_first = true,
    .several = HALO_SEVERAL_ALIKE,
    .probe = probe,
    .open = open_nrrd,
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
