/* MRC2014, the format of electron microscopes (Cheng et al., J. Struct. Biol. 192, 2015): integers of 8 and 16
 * bits and floats of 16 and 32, in either byte order. Volumes are pages; lengths are in angstroms. */
#include <math.h>
#include <string.h>

#include "bytes/endian.h"
#include "meta/grid.h"
#include "meta/meta.h"
#include "samples/array.h"
#include "samples/image.h"

enum { HEADER = 1024, LABELS = 10, LABEL_BYTES = 80 };
/* Places of fields in the header. */
enum {
    SIZES = 0,
    MODE = 12,
    STARTS = 16,
    CELL_SIZES = 28,
    CELL = 40,
    ANGLES = 52,
    AXES = 64,
    RANGE = 76,
    GROUP = 88,
    EXTENDED = 92,
    VERSION = 108,
    IMOD_STAMP = 152,
    IMOD_FLAGS = 156,
    ORIGIN = 196,
    MAP = 208,
    MACHINE = 212,
    DEVIATION = 216,
    LABEL_COUNT = 220,
    LABEL = 224
};
#define IMOD 1146047817u
#define STACK_OF_VOLUMES 401

static bool is_big(const uint8_t *head)
{
    if (head[MACHINE] == 0x44 || head[MACHINE] == 0x11) return head[MACHINE] == 0x11;
    return halo_get_le(head + MODE, 4) > 0xffff; /* some programs write nothing there */
}

static bool probe(const uint8_t *head, size_t size)
{
    if (size < LABEL || memcmp(head + MAP, "MAP", 3) != 0) return false;
    const bool big = is_big(head);
    bool sized = true;
    for (int i = 0; i < 3; i++) sized = sized && (int32_t)halo_get(head + SIZES + 4 * i, 4, big) > 0;
    return sized && halo_get(head + MODE, 4, big) <= 127;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static int32_t get_int(const uint8_t *at, bool big) { return (int32_t)(uint32_t)halo_get(at, 4, big); }

static double get_real(const uint8_t *at, bool big)
{
    const uint32_t bits = (uint32_t)halo_get(at, 4, big);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static HaloStatus set_type(const uint8_t *head, HaloArrayHead *array)
{
    static const struct {
        int mode;
        char kind;
        int size;
    } modes[] = {{0, 'i', 1}, {1, 'i', 2}, {2, 'f', 4}, {6, 'u', 2}, {12, 'f', 2}};
    const bool big = is_big(head);
    const int mode = get_int(head + MODE, big);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (modes[i].mode == mode) {
            array->kind = modes[i].kind;
            array->size = modes[i].size;
            array->little = !big;
            const bool imod = halo_get(head + IMOD_STAMP, 4, big) == IMOD;
            if (mode == 0 && imod && (halo_get(head + IMOD_FLAGS, 4, big) & 1) == 0) array->kind = 'u';
            return HALO_OK;
        }
    return halo_fail(HALO_ERR_INPUT, "MRC of mode %d; halo reads integers and floats (0, 1, 2, 6, 12)", mode);
}

/* The axes of the file may be others of the space. */
static void set_grid(const uint8_t *head, HaloGrid *grid)
{
    const bool big = is_big(head);
    *grid = (HaloGrid){.known = true, .unit = "A"};
    bool placed = false;
    for (int i = 0; i < 3; i++) placed = placed || get_real(head + ORIGIN + 4 * i, big) != 0;
    for (int i = 0; i < 3; i++) {
        const int axis = get_int(head + AXES + 4 * i, big), to = axis >= 1 && axis <= 3 ? axis - 1 : i;
        const int32_t cells = get_int(head + CELL_SIZES + 4 * to, big);
        const double length = get_real(head + CELL + 4 * to, big);
        if (length == 0 || cells <= 0) {
            *grid = (HaloGrid){0};
            return;
        }
        grid->step[i][to] = length / cells;
        grid->origin[to] = placed ? get_real(head + ORIGIN + 4 * to, big)
                                  : get_int(head + STARTS + 4 * i, big) * (length / cells);
    }
    const int64_t slices = get_int(head + CELL_SIZES + 8, big), pages = get_int(head + SIZES + 8, big);
    if (get_int(head + GROUP, big) >= STACK_OF_VOLUMES && slices > 0 && pages > slices) grid->depth = slices;
    halo_grid_check(grid);
}

static HaloStatus take_labels(const uint8_t *head, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    const int count = get_int(head + LABEL_COUNT, is_big(head));
    for (int i = 0; i < count && i < LABELS; i++) {
        const char *label = (const char *)head + LABEL + i * LABEL_BYTES;
        size_t size = LABEL_BYTES;
        while (size > 0 && (label[size - 1] == ' ' || label[size - 1] == 0)) size--;
        if (size > 0) HALO_TRY(halo_text_add(meta, "Comment", label, size, HALO_UTF_8));
    }
out:
    return status;
}

static HaloStatus open_mrc(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state;
    uint8_t head[HEADER];
    size_t got;
    HALO_TRY(halo_array_new(reader, &state));
    HALO_TRY(halo_source_read(reader->source, head, HEADER, &got));
    if (got < HEADER) HALO_FAIL(HALO_ERR_INPUT, "truncated in the MRC header");
    if (!probe(head, HEADER)) HALO_FAIL(HALO_ERR_INPUT, "not an MRC file, or one without pixels");
    HaloArrayHead *array = &state->head;
    HALO_TRY(set_type(head, array));
    array->dims = 3;
    array->counts = true;
    array->axes = (HaloAxes){.letter = "nhw", .count = 3};
    for (int i = 0; i < 3; i++) array->dim[2 - i] = get_int(head + SIZES + 4 * i, is_big(head));
    set_grid(head, &state->meta.grid);
    HALO_TRY(take_labels(head, &state->meta));
    const int32_t extended = get_int(head + EXTENDED, is_big(head));
    if (extended < 0) HALO_FAIL(HALO_ERR_INPUT, "an extended MRC header of %d bytes", (int)extended);
    state->start = (int64_t)HEADER + extended;
    HALO_TRY(halo_array_seek(reader, 0));
    HALO_TRY(halo_array_open(reader));
out:
    return status;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static void put_real(uint8_t *at, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    halo_put_le(at, bits, 4);
}

static int mode_of(const HaloArrayHead *head)
{
    if (head->kind == 'f') return head->size == 2 ? 12 : 2;
    return head->kind == 'u' ? 6 : head->size == 1 ? 0 : 1;
}

/* Lengths of the cell in angstroms; directions have no place here. */
static void put_grid(const HaloWriter *writer, const int64_t size[3], int64_t depth, uint8_t *head)
{
    const HaloGrid *grid = &halo_array_meta(writer)->grid;
    const double factor = halo_grid_factor(grid, "A");
    for (int i = 0; i < 3; i++) {
        const int64_t cells = i == 2 && depth > 0 ? depth : size[i];
        halo_put_le(head + CELL_SIZES + 4 * i, (uint64_t)cells, 4);
        halo_put_le(head + AXES + 4 * i, (uint64_t)i + 1, 4);
        put_real(head + ANGLES + 4 * i, 90);
        if (!grid->known) continue;
        put_real(head + CELL + 4 * i, halo_grid_spacing(grid, i) * factor * (double)cells);
        put_real(head + ORIGIN + 4 * i, grid->origin[i] * factor);
    }
}

/* Texts of one line of up to 80 bytes, as labels; *left: of the others. */
static void put_labels(const HaloMeta *meta, uint8_t *head, HaloNotes *notes)
{
    uint64_t count = 0;
    memset(head + LABEL, ' ', LABELS * LABEL_BYTES);
    for (size_t i = 0; i < meta->texts; i++) {
        const HaloText *text = &meta->text[i];
        const size_t size = strlen(text->value);
        const bool label = strcmp(text->key, "Comment") == 0 || strcmp(text->key, "Description") == 0;
        if (label && strncmp(text->value, "ImageJ=", 7) == 0) continue; /* said by sizes */
        if (label && size <= LABEL_BYTES && count < LABELS && strchr(text->value, '\n') == NULL)
            memcpy(head + LABEL + LABEL_BYTES * count++, text->value, size);
        else if (notes != NULL)
            halo_text_left_out(notes, text);
    }
    halo_put_le(head + LABEL_COUNT, count, 4);
}

/* The range of samples is not known before the last one: a largest value below the smallest says so. */
static HaloStatus write_head(HaloWriter *writer)
{
    HaloArrayWriter *state = writer->state;
    const HaloShape *shape = &writer->info.shape;
    uint8_t head[HEADER] = {0};
    int64_t depth;
    const int64_t pages = halo_array_pages(writer, &depth), size[3] = {shape->width, shape->height, pages};
    for (int i = 0; i < 3; i++) {
        if (size[i] > INT32_MAX)
            return halo_fail(HALO_ERR_OUTPUT, "%lld x %lld pixels on %lld pages are too many for mrc",
                             (long long)shape->width, (long long)shape->height, (long long)pages);
        halo_put_le(head + SIZES + 4 * i, (uint64_t)size[i], 4);
    }
    halo_put_le(head + MODE, (uint64_t)mode_of(&state->head), 4);
    put_grid(writer, size, depth, head);
    const double range[3] = {0, -1, -2};
    for (int i = 0; i < 3; i++) put_real(head + RANGE + 4 * i, range[i]);
    put_real(head + DEVIATION, -1);
    halo_put_le(head + GROUP,
                depth > 0                                          ? STACK_OF_VOLUMES
                : pages > 1 && halo_array_meta(writer)->grid.known ? 1
                                                                   : 0,
                4);
    halo_put_le(head + VERSION, 20141, 4);
    memcpy(head + MAP, "MAP \x44\x44\0\0", 8);
    put_labels(halo_array_meta(writer), head, state->said == 0 ? &writer->notes : NULL);
    state->said = pages;
    return halo_sink_write(writer->sink, head, HEADER);
}

static HaloStatus create(HaloWriter *writer)
{
    bool first;
    const HaloStatus status = halo_array_create(writer, "i1i2f4u2f2", &first);
    if (status != HALO_OK || !first) return status;
    const HaloGrid *grid = &halo_array_meta(writer)->grid;
    if (grid->known && !halo_grid_is_length(grid)) halo_array_drop_grid(writer);
    if (grid->turned) halo_note_left_out(&writer->notes, HALO_META_DIRECTIONS);
    return write_head(writer);
}

static HaloStatus end(HaloWriter *writer) { return halo_array_end(writer, 0, write_head); }

const HaloFormat halo_format_mrc = {
    .name = "mrc",
    .help = "MRC: volumes of electron microscopes as pages, signed 8 and 16 bits, u16, f16, f32, with spacing",
    .extensions = "mrc,mrcs,ccp4,rec",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_U16 | 1u << HALO_F32,
    .channels = 1u << 0,
    .holds = HALO_META_TEXT | HALO_META_GRID | HALO_META_RESOLUTION,
    .keeps_units = true,
    .plain = true,
    .meta_first = true,
    .several = HALO_SEVERAL_ALIKE,
    .probe = probe,
    .open = open_mrc,
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
