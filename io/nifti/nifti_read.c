/* Reads NIfTI: single files and pairs of .hdr and .img, in either byte order, gzip'ed or not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/beside.h"
#include "halo/words.h"
#include "meta/meta.h"
#include "nifti.h"
#include "samples/image.h"

bool nifti_probe(const uint8_t *head, size_t size) { return nifti_begins(head, size); }

bool nifti_probe_gz(const uint8_t *head, size_t size)
{
    uint8_t start[64];
    if (size < 18 || head[0] != 0x1f || head[1] != 0x8b) return false;
    return nifti_begins(start, halo_inflate_start(head, size, start, sizeof start));
}

static HaloStatus set_type(const NiftiHead *head, HaloArrayHead *array)
{
    static const struct {
        int type;
        char kind;
        int size;
    } types[] = {{2, 'u', 1},    {4, 'i', 2},    {8, 'i', 4},         {16, 'f', 4},
                 {64, 'f', 8},   {256, 'i', 1},  {512, 'u', 2},       {768, 'u', 4},
                 {1024, 'i', 8}, {1280, 'u', 8}, {NIFTI_RGB, 'u', 1}, {NIFTI_RGBA, 'u', 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == head->type) {
            array->kind = types[i].kind;
            array->size = types[i].size;
            return HALO_OK;
        }
    return halo_fail(HALO_ERR_INPUT, "NIfTI of type %d; halo reads integers, floats and RGB", head->type);
}

/* Columns, rows, and up to three dimensions of pages; an array keeps its slowest dimension first. */
static HaloStatus set_axes(const NiftiHead *head, HaloArrayHead *array)
{
    const int colours = head->type == NIFTI_RGB ? 3 : head->type == NIFTI_RGBA ? 4 : 1;
    int count = 0;
    for (int i = 7; i >= 1; i--) {
        const int64_t size = i <= head->dim[0] ? head->dim[i] : 1;
        if (i > 2 && size == 1) continue;
        if (count == HALO_MOST_AXES - (colours > 1))
            return halo_fail(
                HALO_ERR_INPUT,
                "a NIfTI of more than five dimensions, width and height among them, is not supported");
        array->dim[count] = size;
        array->axes.letter[count++] = i == 1 ? 'w' : i == 2 ? 'h' : i == 3 ? 'n' : 't';
    }
    if (colours > 1) {
        array->dim[count] = colours;
        array->axes.letter[count++] = 'c';
    }
    array->dims = array->axes.count = count;
    array->axes.alpha = colours == 4;
    return HALO_OK;
}

static HaloStatus set_array(const NiftiHead *head, HaloArrayHead *array)
{
    HaloStatus status = HALO_OK;
    *array = (HaloArrayHead){.little = !head->big, .counts = true};
    HALO_TRY(set_type(head, array));
    HALO_TRY(set_axes(head, array));
    const bool scales = isfinite(head->slope) && head->slope != 0 && isfinite(head->offset);
    array->scaled = scales && (head->slope != 1 || head->offset != 0) && head->type != NIFTI_RGB &&
                    head->type != NIFTI_RGBA;
    array->slope = head->slope;
    array->offset = head->offset;
out:
    return status;
}

/* "x.img" of "x.hdr". */
static HaloStatus open_pair(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state = reader->state;
    const char *base = halo_base_name(halo_source_name(reader->source));
    const size_t stem = strlen(base) - strlen(halo_extension(base));
    HaloSource *beside;
    char *name = malloc(strlen(base) + 5);
    if (name == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a name");
    memcpy(name, base, stem);
    strcpy(name + stem, stem < strlen(base) ? "img" : ".img");
    HALO_TRY(halo_source_open_beside(reader->source, name, &beside));
    state->source = beside;
out:
    free(name);
    return status;
}

static HaloStatus read_head(HaloSource *source, NiftiHead *head)
{
    HaloStatus status = HALO_OK;
    uint8_t bytes[NIFTI_2_BYTES] = {0};
    size_t got, more = 0;
    HALO_TRY(halo_source_read(source, bytes, NIFTI_1_BYTES, &got));
    const bool second = got == NIFTI_1_BYTES && memcmp(bytes + 4, "n+2", 4) == 0;
    if (second) HALO_TRY(halo_source_read(source, bytes + got, NIFTI_2_BYTES - NIFTI_1_BYTES, &more));
    if (got + more < (second ? (size_t)NIFTI_2_BYTES : NIFTI_1_BYTES))
        HALO_FAIL(HALO_ERR_INPUT, "truncated in the NIfTI header");
    if (!nifti_begins(bytes, got)) HALO_FAIL(HALO_ERR_INPUT, "not a NIfTI file");
    HALO_TRY(nifti_parse(bytes, head));
out:
    return status;
}

static HaloStatus open_from(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state = reader->state;
    NiftiHead head;
    HALO_TRY(read_head(state->source, &head));
    HALO_TRY(set_array(&head, &state->head));
    nifti_grid(&head, &state->meta.grid);
    if (head.text[0] != 0) HALO_TRY(halo_text_add(&state->meta, "Description", head.text, 80, HALO_UTF_8));
    if (head.beside) HALO_TRY(open_pair(reader));
    const int64_t least = head.beside ? 0 : halo_source_tell(state->source);
    state->start = head.start > least ? head.start : least;
    HALO_TRY(halo_array_seek(reader, 0));
    HALO_TRY(halo_array_open(reader));
out:
    return status;
}

HaloStatus nifti_open(HaloReader *reader)
{
    HaloArrayReader *state;
    const HaloStatus status = halo_array_new(reader, &state);
    return status == HALO_OK ? open_from(reader) : status;
}

HaloStatus nifti_open_gz(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state;
    HALO_TRY(halo_array_new(reader, &state));
    HALO_TRY(halo_array_inflate(reader, HALO_GZIP_OR_ZLIB, INT64_MAX));
    HALO_TRY(open_from(reader));
out:
    return status;
}
