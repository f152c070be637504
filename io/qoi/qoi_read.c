#include "qoi.h"

#include <stdio.h>
#include <stdlib.h>

#include "bytes/endian.h"
#include "samples/image.h"

typedef struct QoiReader {
    QoiState state;
    int64_t row;
    bool damaged; /* tolerated: the rest is 0 */
} QoiReader;

bool qoi_probe(const uint8_t *head, size_t size)
{
    return size >= QOI_HEADER && memcmp(head, "qoif", 4) == 0 && head[12] >= 3 && head[12] <= 4 &&
           head[13] <= 1;
}

HaloStatus qoi_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    uint8_t head[QOI_HEADER];
    size_t got;
    QoiReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an image");
    state->state = qoi_start();
    HALO_TRY(halo_source_read(reader->source, head, sizeof head, &got));
    if (got < sizeof head) HALO_FAIL(HALO_ERR_INPUT, "truncated in the QOI header");
    if (!qoi_probe(head, got)) HALO_FAIL(HALO_ERR_INPUT, "not a QOI file");
    HALO_TRY(halo_image_open(reader, (int64_t)halo_get_be(head + 4, 4), (int64_t)halo_get_be(head + 8, 4),
                             head[12], HALO_U8));
    if (head[12] == 4) reader->info.shape.alpha = 3;
    if (head[13] == 1) reader->info.meta.gamma = 1.0;
    reader->info.bits = 8;
    snprintf(reader->info.encoding, sizeof reader->info.encoding, "QOI%s", head[13] == 1 ? ", linear" : "");
out:
    return status;
}

static HaloStatus take(HaloReader *reader, uint8_t *bytes, size_t size)
{
    size_t got;
    const QoiReader *state = reader->state;
    const HaloStatus status = halo_source_read(reader->source, bytes, size, &got);
    return status == HALO_OK && got < size ? halo_image_truncated(reader, state->row) : status;
}

/* The next pixel becomes state->last. */
static HaloStatus next_pixel(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    QoiState *s = &((QoiReader *)reader->state)->state;
    uint8_t *v = s->last.v, code, more;
    if (s->run > 0) {
        s->run--;
        return HALO_OK;
    }
    HALO_TRY(take(reader, &code, 1));
    if (code >= QOI_RGB) {
        HALO_TRY(take(reader, v, code == QOI_RGB ? 3 : 4));
    } else if (code >> 6 == 0) {
        s->last = s->seen[code];
    } else if (code >> 6 == 1) {
        for (int c = 0; c < 3; c++) v[c] = (uint8_t)(v[c] + (code >> (4 - 2 * c) & 3) - 2);
    } else if (code >> 6 == 2) {
        HALO_TRY(take(reader, &more, 1));
        const int green = (code & 63) - 32;
        v[0] = (uint8_t)(v[0] + green + (more >> 4) - 8);
        v[1] = (uint8_t)(v[1] + green);
        v[2] = (uint8_t)(v[2] + green + (more & 15) - 8);
    } else {
        s->run = code & 63;
    }
    s->seen[qoi_hash(&s->last)] = s->last;
out:
    return status;
}

static HaloStatus read_row(HaloReader *reader, uint8_t *to)
{
    QoiReader *state = reader->state;
    HaloStatus status = HALO_OK;
    const size_t channels = (size_t)reader->info.shape.channels;
    int64_t x = 0;
    for (; x < reader->info.shape.width && !state->damaged; x++, to += channels) {
        HALO_TRY(next_pixel(reader));
        memcpy(to, state->state.last.v, channels);
    }
out:
    if (status == HALO_ERR_INPUT && reader->options.tolerate) {
        state->damaged = true;
        halo_image_damaged(reader, state->row);
        status = HALO_OK;
    }
    if (state->damaged) memset(to, 0, (size_t)(reader->info.shape.width - x) * channels);
    return status;
}

/* Behind the last row: seven bytes of 0 and one of 1. */
static HaloStatus read_end(HaloReader *reader)
{
    static const uint8_t end[QOI_END] = {0, 0, 0, 0, 0, 0, 0, 1};
    const uint8_t *bytes;
    uint8_t passed[QOI_END];
    size_t got;
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_source_peek(reader->source, QOI_END, &bytes, &got));
    if (got == QOI_END && memcmp(bytes, end, QOI_END) == 0)
        return halo_source_read(reader->source, passed, QOI_END, &got);
    if (!reader->options.tolerate) HALO_FAIL(HALO_ERR_INPUT, "the QOI file lacks its end marker");
    if (!((QoiReader *)reader->state)->damaged) halo_note(&reader->info.notes, HALO_NOTE_NO_END, 1);
out:
    return status;
}

HaloStatus qoi_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    QoiReader *state = reader->state;
    for (*got = 0; *got < rows->rows; ++*got, state->row++) HALO_TRY(read_row(reader, halo_row(rows, *got)));
    if (state->row == reader->info.shape.height) HALO_TRY(read_end(reader));
out:
    return status;
}

void qoi_close(HaloReader *reader)
{
    free(reader->state);
    reader->state = NULL;
}
