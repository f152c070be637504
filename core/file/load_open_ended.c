/* Reads all of a sound of unknown length: in blocks, which are joined at its end. */
#include <stdlib.h>
#include <string.h>

#include "file.h"

/* The frames of the first block; each further one is as long as all before it together, up to this many bytes.
 */
#define FIRST_FRAMES ((int64_t)1 << 16)
#define PIECE_BYTES ((int64_t)4 << 20)

typedef struct Piece {
    struct Piece *next;
    int64_t frames; /* read so far */
    HaloBuf buffer;
} Piece;

static void drop(HaloMemory *memory, Piece *piece)
{
    halo_memory_free(memory, &piece->buffer);
    free(piece);
}

/* The length of the next piece: as many frames as there are already, within the limit on memory. */
static int64_t frames_of_next(const HaloReader *reader, int64_t frame_bytes, int64_t frames)
{
    const int64_t left = halo_memory_left(reader->memory) / frame_bytes;
    const int64_t most = larger(PIECE_BYTES / frame_bytes, 1),
                  wish = smaller(larger(FIRST_FRAMES, frames), most);
    return left > 0 ? smaller(left, wish) : wish;
}

static HaloStatus read_piece(HaloReader *reader, int64_t frames, Piece **made)
{
    HaloStatus status = HALO_OK;
    HaloShape shape = reader->info.shape;
    Piece *piece = *made = calloc(1, sizeof *piece);
    shape.width = frames;
    if (piece == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    status = halo_memory_alloc(reader->memory, &piece->buffer, &shape);
    if (status != HALO_OK) halo_fail_at(status, "sound of unknown length is held in memory");
    HALO_TRY(status);
    for (int64_t got = 1; got > 0 && piece->frames < frames; piece->frames += got) {
        HaloBuf rest = piece->buffer;
        rest.x0 = piece->frames;
        rest.cols = frames - piece->frames;
        rest.data = halo_at(&piece->buffer, piece->frames, 0);
        HALO_TRY(reader->format->read(reader, &rest, &got));
    }
out:
    return status;
}

/* Each piece is freed as soon as it has been copied, so that only one of them is in memory twice. */
static HaloStatus join(HaloReader *reader, Piece **first, HaloBuf *data)
{
    HaloMemory *memory = reader->memory;
    HaloStatus status = HALO_OK;
    int64_t held = 0, bytes, at = 0;
    HALO_TRY(halo_shape_bytes(&reader->info.shape, &bytes));
    for (const Piece *piece = *first; piece != NULL; piece = piece->next) held += piece->buffer.stride;
    HALO_TRY(halo_buf_alloc(data, &reader->info.shape));
    halo_memory_release(memory, held);
    status = halo_memory_hold(memory, bytes);
    while (*first != NULL) {
        Piece *piece = *first;
        *first = piece->next;
        const size_t size = (size_t)(piece->frames * (bytes / reader->info.shape.width));
        memcpy((char *)data->data + at, piece->buffer.data, size);
        at += (int64_t)size;
        halo_buf_free(&piece->buffer);
        drop(NULL, piece);
    }
out:
    return status;
}

HaloStatus load_open_ended(HaloReader *reader, Device *device, HaloBuf *data)
{
    HaloStatus status = HALO_OK;
    const int64_t frame_bytes =
        reader->info.shape.channels * (int64_t)halo_dtype_size(reader->info.shape.dtype);
    Piece *first = NULL, **last = &first;
    int64_t frames = 0;
    for (bool more = true; more; last = &(*last)->next) {
        if (progress_is_due(device)) HALO_TRY(progress_tell(device, -1.0));
        const int64_t want = frames_of_next(reader, frame_bytes, frames);
        HALO_TRY(read_piece(reader, want, last));
        frames += (*last)->frames;
        more = (*last)->frames == want;
    }
    if (frames == 0) HALO_FAIL(HALO_ERR_INPUT, "has no samples");
    reader->info.shape.width = frames;
    HALO_TRY(join(reader, &first, data));
out:
    while (first != NULL) {
        Piece *piece = first;
        first = piece->next;
        drop(reader->memory, piece);
    }
    return status;
}
