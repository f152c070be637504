/* Run lengths of BMP: pairs of a count and a byte, from the last row up. */
#include "bmp.h"
#include "samples/image.h"

typedef struct Runs {
    HaloReader *reader;
    BmpReader *state;
    int64_t x, y; /* y counts from the last row */
    bool nibbles; /* RLE4: two indices a byte */
} Runs;

/* `ended`: where the data stop before their end. */
static HaloStatus next_byte(const Runs *runs, uint8_t *byte, bool *ended)
{
    size_t got;
    const HaloStatus status = halo_source_read(runs->reader->source, byte, 1, &got);
    *ended = got == 0;
    if (got == 0) *byte = 0;
    return status;
}

/* What lies outside of the picture is left out. */
static void put(Runs *runs, uint8_t index)
{
    const HaloShape *shape = &runs->reader->info.shape;
    if (runs->x < shape->width && runs->y < shape->height)
        runs->state->rows.held[runs->y * shape->width + runs->x] = index;
    runs->x++;
}

static uint8_t index_of(const Runs *runs, uint8_t byte, int i)
{
    if (!runs->nibbles) return byte;
    return i % 2 == 0 ? byte >> 4 : byte & 15;
}

/* `count` indices as they are, padded to two bytes. */
static HaloStatus copy(Runs *runs, int count, bool *ended)
{
    HaloStatus status = HALO_OK;
    uint8_t byte = 0;
    const int bytes = runs->nibbles ? (count + 1) / 2 : count;
    for (int i = 0; i < count && !*ended; i++) {
        if (!runs->nibbles || i % 2 == 0) HALO_TRY(next_byte(runs, &byte, ended));
        if (!*ended) put(runs, index_of(runs, byte, i));
    }
    if (bytes % 2 != 0 && !*ended) HALO_TRY(next_byte(runs, &byte, ended));
out:
    return status;
}

/* What a count of 0 announces: the end of the row or of the picture, a jump, or indices. */
static HaloStatus escape(Runs *runs, uint8_t code, bool *last, bool *ended)
{
    HaloStatus status = HALO_OK;
    uint8_t right = 0, up = 0;
    switch (code) {
    case 0:
        runs->x = 0;
        runs->y++;
        break;
    case 1: *last = true; break;
    case 2:
        HALO_TRY(next_byte(runs, &right, ended));
        HALO_TRY(next_byte(runs, &up, ended));
        runs->x += right;
        runs->y += up;
        break;
    default: HALO_TRY(copy(runs, code, ended));
    }
out:
    return status;
}

/* After the last row only the mark of the end may come, which some files lack. */
HaloStatus bmp_read_runs(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &reader->info.shape;
    Runs runs = {.reader = reader, .state = reader->state};
    bool last = false, ended = false;
    runs.nibbles = runs.state->coding == BMP_RLE4;
    while (!last && !ended && runs.y < shape->height) {
        uint8_t count, byte;
        HALO_TRY(next_byte(&runs, &count, &ended));
        if (!ended) HALO_TRY(next_byte(&runs, &byte, &ended));
        if (ended) break;
        if (count == 0)
            HALO_TRY(escape(&runs, byte, &last, &ended));
        else
            for (int i = 0; i < count; i++) put(&runs, index_of(&runs, byte, i));
    }
    const bool all = runs.y >= shape->height || (runs.y == shape->height - 1 && runs.x >= shape->width);
    if (ended && !all) HALO_TRY(halo_image_ends(reader, reader->options.tolerate ? -1 : runs.y));
    if (!last && !ended) { /* the mark */
        const uint8_t *head;
        size_t got;
        HALO_TRY(halo_source_peek(reader->source, 2, &head, &got));
        if (got == 2 && head[0] == 0 && head[1] == 1) {
            uint8_t mark[2];
            HALO_TRY(halo_source_read(reader->source, mark, 2, &got));
        }
    }
out:
    return status;
}
