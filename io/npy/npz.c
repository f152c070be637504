/* NPZ: NumPy arrays in a ZIP archive, of which one is read: the only one, or that of FILE.npz:NAME. One is
 * written, arr_0, without compression. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "npy.h"
#include "zip.h"

static bool is_array(const char *name, size_t size)
{
    return size > 4 && memcmp(name + size - 4, ".npy", 4) == 0;
}

static bool probe(const uint8_t *head, size_t size)
{
    if (size < 30 || memcmp(head, "PK\3\4", 4) != 0) return false;
    const size_t name = head[26] | (size_t)head[27] << 8;
    return size >= 30 + name && is_array((const char *)head + 30, name);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

typedef struct Choice {
    const char *wanted; /* NULL: the only one */
    ZipMember member;
    int arrays, found;
    char names[160]; /* of all of them, or as many as fit */
} Choice;

static bool look_at(void *context, const ZipMember *member)
{
    Choice *choice = context;
    const size_t size = strlen(member->name), used = strlen(choice->names);
    if (!is_array(member->name, size)) return true;
    choice->arrays++;
    if (used + size + 6 < sizeof choice->names)
        snprintf(choice->names + used, sizeof choice->names - used, "%s%.*s", used > 0 ? ", " : "",
                 (int)size - 4, member->name);
    const bool this_one = choice->wanted == NULL || (strlen(choice->wanted) == size - 4 &&
                                                     memcmp(choice->wanted, member->name, size - 4) == 0);
    if (this_one && choice->found++ == 0) choice->member = *member;
    return true;
}

/* Behind the colon of FILE.npz:NAME (io/bytes/source.c). */
static const char *wanted_of(const HaloSource *source)
{
    const char *colon = strstr(halo_source_name(source), HALO_MEMBER_MARK);
    return colon != NULL ? colon + strlen(HALO_MEMBER_MARK) : NULL;
}

static HaloStatus choose(HaloSource *source, ZipMember *member)
{
    Choice choice = {.wanted = wanted_of(source)};
    const HaloStatus status = zip_members(source, look_at, &choice);
    if (status != HALO_OK) return status;
    if (choice.arrays == 0) return halo_fail(HALO_ERR_INPUT, "holds no arrays");
    if (choice.found == 0)
        return halo_fail(HALO_ERR_INPUT, "holds no array of that name; there is %s", choice.names);
    if (choice.wanted == NULL && choice.arrays > 1)
        return halo_fail(HALO_ERR_INPUT, "holds %d arrays: choose one by FILE.npz:NAME, of %s", choice.arrays,
                         choice.names);
    *member = choice.member;
    if (member->method == 0 || member->method == 8) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "the array is compressed by an unknown method, or encrypted");
}

/* What is stored can be read anywhere; a pipe is kept in a file first. */
static HaloStatus open_npz(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state;
    ZipMember member;
    HALO_TRY(halo_array_new(reader, &state));
    if (!halo_source_seekable(reader->source)) HALO_TRY(halo_source_to_file(reader->source));
    if (!halo_source_seekable(reader->source))
        HALO_FAIL(HALO_ERR_INPUT, "NPZ has its directory at the end: give it as a file");
    HALO_TRY(choose(reader->source, &member));
    HALO_TRY(zip_go_to(reader->source, &member));
    if (member.method == 8) HALO_TRY(halo_array_inflate(reader, HALO_DEFLATE, member.packed));
    const int64_t begin = halo_source_tell(state->source);
    HALO_TRY(halo_npy_read_head(state->source, &state->head, &state->sum.crc));
    state->start = halo_source_tell(state->source);
    state->sum.wanted = member.crc;
    /* Bytes behind the array are in the member's sum, too, and are not read. */
    state->sum.checked =
        !reader->options.tolerate && member.bytes == state->start - begin + halo_array_bytes(&state->head);
    if (member.method == 0) HALO_TRY(halo_array_expect(reader, member.packed - (state->start - begin)));
    HALO_TRY(reader->options.rate > 0 ? halo_array_open_series(reader) : halo_array_open(reader));
out:
    return status;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static HaloStatus put(HaloWriter *writer, const void *bytes, size_t size)
{
    ZipOutput *zip = ((HaloArrayWriter *)writer->state)->more;
    zip->crc = (uint32_t)crc32(zip->crc, bytes, (unsigned)size);
    zip->bytes += (int64_t)size;
    return halo_sink_write(writer->sink, bytes, size);
}

static HaloStatus write_rows(HaloWriter *writer, const HaloBuf *rows)
{
    return halo_array_put(writer, rows, put);
}

static HaloStatus create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    bool first;
    HALO_TRY(halo_array_create(writer, NPY_TYPES, &first));
    if (!first) return HALO_OK;
    HaloArrayWriter *state = writer->state;
    if (writer->info.shape.width < 0 && !halo_sink_seekable(writer->sink))
        HALO_FAIL(HALO_ERR_OUTPUT, "NPZ starts with the length, which is not known yet: write to a file");
    ZipOutput *zip = state->more = calloc(1, sizeof *zip);
    if (zip == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write an array");
    zip->name = "arr_0.npy";
    HALO_TRY(zip_begin(zip, writer->sink));
    HALO_TRY(halo_npy_write_head(writer->sink, &state->head));
out:
    return status;
}

/* The header as it is at the end; the checksum of both parts is made of theirs. */
static HaloStatus end(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HaloArrayWriter *state = writer->state;
    ZipOutput *zip = state != NULL ? state->more : NULL;
    char head[NPY_HEAD_BYTES + 1];
    if (zip == NULL) return HALO_OK;
    const bool longer = writer->info.shape.kind == HALO_AUDIO && state->frames != state->head.dim[0];
    if (longer) state->head.dim[0] = state->frames;
    if (state->pages > 1) halo_npy_add_pages(&state->head, state->pages);
    if (state->pages > 1 && (state->head.dims == 3 || state->head.dim[3] > 4))
        halo_note(&writer->notes, HALO_NOTE_AXES, 1);
    HALO_TRY(halo_npy_print_head(&state->head, head));
    if (state->pages > 1 || longer) {
        int64_t here;
        HALO_TRY(halo_sink_tell(writer->sink, &here));
        HALO_TRY(halo_sink_seek(writer->sink, (int64_t)zip_header_bytes(zip)));
        HALO_TRY(halo_sink_write(writer->sink, head, NPY_HEAD_BYTES));
        HALO_TRY(halo_sink_seek(writer->sink, here));
    }
    const uLong crc = crc32(0, (const Bytef *)head, NPY_HEAD_BYTES);
    zip->crc = (uint32_t)crc32_combine(crc, zip->crc, (z_off_t)zip->bytes);
    zip->bytes += NPY_HEAD_BYTES;
    HALO_TRY(zip_end(zip, writer->sink));
out:
    return status;
}

static void discard(HaloWriter *writer)
{
    HaloArrayWriter *state = writer->state;
    if (state != NULL) free(state->more);
    halo_array_discard(writer);
}

const HaloFormat halo_format_npz = {
    .name = "npz",
    .help = "NumPy arrays in a ZIP archive: one is read (FILE.npz:NAME), arr_0 is written",
    .extensions = "npz",
    .kinds = HALO_IMAGE | HALO_AUDIO,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32 | 1u << HALO_I64 | 1u << HALO_F64,
    .channels = HALO_ANY_CHANNELS,
    .keeps_units = true,
    .plain = true,
    .no_rate = true,
    .several = HALO_SEVERAL_ALIKE,
    .probe = probe,
    .open = open_npz,
    .next = halo_array_next,
    .read = halo_array_read,
    .skip = halo_array_skip,
    .close = halo_array_close,
    .create = create,
    .write = write_rows,
    .finish = halo_array_finish,
    .end = end,
    .discard = discard,
};
