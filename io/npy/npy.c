/* NPY: NumPy arrays, (W,), (H, W) or (H, W, C), or as --axes says; pages are written as (N, H, W) or (N, H, W,
 * C), audio as (N, C). Samples keep their units. */
#include "npy.h"

#include <string.h>

static HaloStatus create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &writer->info.shape;
    bool first;
    HALO_TRY(halo_array_create(writer, NPY_TYPES, &first));
    if (!first) return HALO_OK;
    if (shape->width < 0 && !halo_sink_seekable(writer->sink))
        HALO_FAIL(HALO_ERR_OUTPUT, "NPY starts with the length, which is not known yet: write to a file");
    HALO_TRY(halo_npy_write_head(writer->sink, &((HaloArrayWriter *)writer->state)->head));
out:
    return status;
}

static HaloStatus finish(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HaloArrayWriter *state = writer->state;
    if (writer->info.shape.kind != HALO_AUDIO || state->frames == state->head.dim[0]) return HALO_OK;
    state->head.dim[0] = state->frames;
    HALO_TRY(halo_sink_seek(writer->sink, 0));
    HALO_TRY(halo_npy_write_head(writer->sink, &state->head));
out:
    return status;
}

/* After the last image: of several the first dimension counts them. */
static HaloStatus end(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HaloArrayWriter *state = writer->state;
    if (state == NULL || state->pages < 2) return HALO_OK;
    halo_npy_add_pages(&state->head, state->pages);
    if (state->head.dims == 3 || state->head.dim[3] > 4) halo_note(&writer->notes, HALO_NOTE_AXES, 1);
    HALO_TRY(halo_sink_seek(writer->sink, 0));
    HALO_TRY(halo_npy_write_head(writer->sink, &state->head));
out:
    return status;
}

static bool probe(const uint8_t *head, size_t size) { return size >= 6 && memcmp(head, "\x93NUMPY", 6) == 0; }

static HaloStatus open_npy(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state;
    HALO_TRY(halo_array_new(reader, &state));
    HALO_TRY(halo_npy_read_head(reader->source, &state->head, NULL));
    state->start = halo_source_tell(reader->source);
    HALO_TRY(reader->options.rate > 0 ? halo_array_open_series(reader) : halo_array_open(reader));
out:
    return status;
}

const HaloFormat halo_format_npy = {
    .name = "npy",
    .help = "NumPy array: 8- and 16-bit, float, and 64-bit scans; units are kept",
    .extensions = "npy",
    .kinds = HALO_IMAGE | HALO_AUDIO,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32 | 1u << HALO_I64 | 1u << HALO_F64,
    .channels = HALO_ANY_CHANNELS,
    .keeps_units = true,
    .plain = true,
    .no_rate = true,
    .several = HALO_SEVERAL_ALIKE,
    .probe = probe,
    .open = open_npy,
    .next = halo_array_next,
    .read = halo_array_read,
    .skip = halo_array_skip,
    .close = halo_array_close,
    .create = create,
    .write = halo_array_write,
    .finish = finish,
    .end = end,
    .discard = halo_array_discard,
};
