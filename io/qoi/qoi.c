/* QOI: the row of the format, and its writer, which codes as the specification's own encoder does. */
#include "qoi.h"

#include <stdlib.h>

#include "bytes/endian.h"
#include "samples/image.h"

typedef struct QoiWriter {
    QoiState state;
    uint8_t *bytes; /* of a row: at most 5 a pixel and a run before it */
} QoiWriter;

static HaloStatus create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &writer->info.shape;
    uint8_t head[QOI_HEADER] = "qoif";
    QoiWriter *state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write an image");
    if (shape->width > UINT32_MAX || shape->height > UINT32_MAX)
        HALO_FAIL(HALO_ERR_OUTPUT, "%lld x %lld pixels are too many for qoi", (long long)shape->width,
                  (long long)shape->height);
    state->state = qoi_start();
    state->bytes = malloc(5 * (size_t)shape->width + 1);
    if (state->bytes == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write an image");
    halo_put_be(head + 4, (uint64_t)shape->width, 4);
    halo_put_be(head + 8, (uint64_t)shape->height, 4);
    head[12] = shape->alpha >= 0 ? 4 : 3;
    head[13] = writer->info.meta.gamma == 1.0;
    HALO_TRY(halo_sink_write(writer->sink, head, sizeof head));
out:
    return status;
}

static uint8_t *put_run(QoiState *s, uint8_t *to)
{
    if (s->run > 0) *to++ = (uint8_t)(0xc0 | (s->run - 1));
    s->run = 0;
    return to;
}

/* Differences wrap round at 256. */
static uint8_t *put_difference(const QoiPixel *last, const QoiPixel *p, uint8_t *to)
{
    int d[3];
    for (int c = 0; c < 3; c++) d[c] = (p->v[c] - last->v[c] + 384) % 256 - 128;
    const int red = d[0] - d[1], blue = d[2] - d[1];
    if (d[0] >= -2 && d[0] <= 1 && d[1] >= -2 && d[1] <= 1 && d[2] >= -2 && d[2] <= 1) {
        *to++ = (uint8_t)(0x40 | (d[0] + 2) << 4 | (d[1] + 2) << 2 | (d[2] + 2));
    } else if (d[1] >= -32 && d[1] <= 31 && red >= -8 && red <= 7 && blue >= -8 && blue <= 7) {
        *to++ = (uint8_t)(0x80 | (d[1] + 32));
        *to++ = (uint8_t)((red + 8) << 4 | (blue + 8));
    } else {
        *to++ = QOI_RGB;
        memcpy(to, p->v, 3);
        to += 3;
    }
    return to;
}

static uint8_t *put_pixel(QoiState *s, const QoiPixel *p, uint8_t *to)
{
    QoiPixel *seen = &s->seen[qoi_hash(p)];
    if (qoi_same(p, &s->last)) {
        if (++s->run == QOI_MOST_RUN) to = put_run(s, to);
        return to;
    }
    to = put_run(s, to);
    if (qoi_same(seen, p)) {
        *to++ = (uint8_t)qoi_hash(p);
    } else if (p->v[3] == s->last.v[3]) {
        to = put_difference(&s->last, p, to);
    } else {
        *to++ = QOI_RGBA;
        memcpy(to, p->v, 4);
        to += 4;
    }
    *seen = s->last = *p;
    return to;
}

static HaloStatus write_rows(HaloWriter *writer, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    QoiWriter *state = writer->state;
    const int channels = rows->shape.channels;
    for (int64_t y = 0; y < rows->rows; y++) {
        const uint8_t *v = halo_row(rows, y);
        uint8_t *to = state->bytes;
        for (int64_t x = 0; x < rows->cols; x++, v += channels) {
            QoiPixel p = {{v[0], v[0], v[0], 255}};
            if (channels > 1) memcpy(p.v, v, (size_t)channels);
            to = put_pixel(&state->state, &p, to);
        }
        HALO_TRY(halo_sink_write(writer->sink, state->bytes, (size_t)(to - state->bytes)));
    }
out:
    return status;
}

static void discard(HaloWriter *writer)
{
    QoiWriter *state = writer->state;
    if (state == NULL) return;
    free(state->bytes);
    free(state);
    writer->state = NULL;
}

static HaloStatus finish(HaloWriter *writer)
{
    QoiWriter *state = writer->state;
    uint8_t end[1 + QOI_END] = {0}, *to = put_run(&state->state, end);
    to[QOI_END - 1] = 1;
    const HaloStatus status = halo_sink_write(writer->sink, end, (size_t)(to - end) + QOI_END);
    if (writer->info.meta.gamma != 1.0)
        halo_note_left_out(&writer->notes, halo_meta_colours(&writer->info.meta) & HALO_META_COLOURS);
    discard(writer); /* another image may follow */
    return status;
}

const HaloFormat halo_format_qoi = {
    .name = "qoi",
    .help = "QOI: RGB and RGBA of 8 bits; gray becomes RGB",
    .extensions = "qoi",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_U8,
    .channels = 1u << 0 | 1u << 2,
    .with_alpha = 1u << 3,
    .holds = HALO_META_COLOURS, /* linear or not */
    .several = HALO_SEVERAL,
    .probe = qoi_probe,
    .open = qoi_open,
    .read = qoi_read,
    .close = qoi_close,
    .create = create,
    .write = write_rows,
    .finish = finish,
    .discard = discard,
};
