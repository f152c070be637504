/* Writes animated PNG: each page is written as a PNG of its own, whose samples become a frame. A frame is the
 * whole image, and replaces the one before it, so that each is read back as it was. */
#include "apng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "bytes/sums.h"

#define BLOCK_BYTES 65536
#define FRAME_SECONDS 0.1 /* of frames that come without a time */

typedef struct ApngWriter {
    HaloWriter page;         /* of the PNG that the page becomes, in `pages` */
    HaloSink *page_to;       /* NULL between pages */
    HaloSink *to;            /* the output's, or `all` */
    HaloSink *all;           /* where the output cannot seek: it gets everything at the end */
    HaloShape shape;         /* of all pages */
    uint32_t plays;          /* HaloMeta::plays */
    uint32_t frames, number; /* the number of the animation's next chunk */
    int64_t counted;         /* where the number of frames is written */
    uint8_t *tail;           /* chunks behind the first page's samples, which come last */
    size_t tail_size;
    uint8_t block[BLOCK_BYTES];
} ApngWriter;

static HaloStatus fail_memory(void) { return halo_fail(HALO_ERR_LIMIT, "not enough memory to write PNG"); }

/* A file without a name, of which what is written is read back, so that no function gets it. */
static int64_t give_none(void *context, const void *bytes, size_t size)
{
    (void)context, (void)bytes;
    return (int64_t)size;
}

static HaloStatus open_unnamed(HaloSink **sink)
{
    return halo_sink_to_function("a page of PNG", give_none, NULL, sink);
}

/* ---- chunks --------------------------------------------------------------------------------------------- */

static HaloStatus put_chunk(HaloSink *to, const char *name, const uint8_t *data, size_t size)
{
    HaloStatus status = HALO_OK;
    uint8_t head[PNG_HEAD_BYTES], sum[4];
    halo_put_be(head, size, 4);
    memcpy(head + 4, name, 4);
    halo_put_be(sum, halo_crc32(halo_crc32(0, head + 4, 4), data, size), 4);
    HALO_TRY(halo_sink_write(to, head, sizeof head));
    HALO_TRY(halo_sink_write(to, data, size));
    HALO_TRY(halo_sink_write(to, sum, sizeof sum));
out:
    return status;
}

/* How many frames there are, and how often they are shown. */
static HaloStatus put_count(const ApngWriter *state)
{
    uint8_t data[8] = {0};
    halo_put_be(data, state->frames, 4);
    halo_put_be(data + 4, state->plays, 4);
    return put_chunk(state->to, "acTL", data, sizeof data);
}

/* In thousandths of a second, or in larger parts where those are too many. */
static void put_delay(double shown, uint8_t to[4])
{
    int parts = 1000;
    while (parts > 1 && shown * parts > UINT16_MAX) parts /= 10;
    const double count = shown > 0 ? nearbyint(shown * parts) : FRAME_SECONDS * parts;
    halo_put_be(to, count < UINT16_MAX ? (uint64_t)count : UINT16_MAX, 2);
    halo_put_be(to + 2, (uint64_t)parts, 2);
}

static HaloStatus put_control(ApngWriter *state, double shown)
{
    uint8_t data[APNG_CONTROL_BYTES] = {0};
    halo_put_be(data, state->number++, 4);
    halo_put_be(data + 4, (uint64_t)state->shape.width, 4);
    halo_put_be(data + 8, (uint64_t)state->shape.height, 4);
    put_delay(shown, data + 20);
    return put_chunk(state->to, "fcTL", data, sizeof data);
}

/* ---- from the page's PNG -------------------------------------------------------------------------------- */

static HaloStatus take(HaloSink *from, int64_t at, void *bytes, size_t size)
{
    size_t got;
    const HaloStatus status = halo_sink_read(from, at, bytes, size, &got);
    if (status != HALO_OK || got == size) return status;
    return halo_fail(HALO_ERR_BUG, "internal: a page of PNG ends early");
}

/* Copies bytes that begin at `at`; *crc, of what came before, includes them then. */
static HaloStatus copy(ApngWriter *state, HaloSink *from, int64_t at, int64_t size, HaloSink *to, uint32_t *crc)
{
    HaloStatus status = HALO_OK;
    for (int64_t part; size > 0; size -= part, at += part) {
        part = size < BLOCK_BYTES ? size : BLOCK_BYTES;
        HALO_TRY(take(from, at, state->block, (size_t)part));
        HALO_TRY(halo_sink_write(to, state->block, (size_t)part));
        if (crc != NULL) *crc = halo_crc32(*crc, state->block, (size_t)part);
    }
out:
    return status;
}

/* A chunk of samples, of `size` bytes at `at`, as one of a later frame. */
static HaloStatus put_samples(ApngWriter *state, int64_t at, size_t size)
{
    HaloStatus status = HALO_OK;
    uint8_t head[PNG_HEAD_BYTES + 4], sum[4];
    halo_put_be(head, size + 4, 4);
    memcpy(head + 4, "fdAT", 4);
    halo_put_be(head + 8, state->number++, 4);
    uint32_t crc = halo_crc32(0, head + 4, 8);
    HALO_TRY(halo_sink_write(state->to, head, sizeof head));
    HALO_TRY(copy(state, state->page_to, at, (int64_t)size, state->to, &crc));
    halo_put_be(sum, crc, 4);
    HALO_TRY(halo_sink_write(state->to, sum, sizeof sum));
out:
    return status;
}

static HaloStatus keep_tail(ApngWriter *state, int64_t at, int64_t end)
{
    state->tail_size = (size_t)(end - at);
    state->tail = malloc(state->tail_size);
    return state->tail != NULL ? take(state->page_to, at, state->tail, state->tail_size) : fail_memory();
}

/* What stands before the samples is the first page's, and so is what follows them, up to IEND. */
static HaloStatus put_page(ApngWriter *state, int64_t end, double shown)
{
    HaloStatus status = HALO_OK;
    const bool first = state->frames == 0;
    bool begun = false;
    uint8_t head[PNG_HEAD_BYTES];
    size_t size;
    if (first) HALO_TRY(copy(state, state->page_to, 0, 8, state->to, NULL));
    for (int64_t at = 8; at < end; at += 12 + (int64_t)size) {
        HALO_TRY(take(state->page_to, at, head, sizeof head));
        size = halo_get_be(head, 4);
        const bool samples = memcmp(head + 4, "IDAT", 4) == 0;
        if (!samples && begun) return first ? keep_tail(state, at, end) : HALO_OK;
        if (samples && !begun && first) {
            HALO_TRY(halo_sink_tell(state->to, &state->counted));
            HALO_TRY(put_count(state));
        }
        if (samples && !begun) HALO_TRY(put_control(state, shown));
        begun = begun || samples;
        if (first)
            HALO_TRY(copy(state, state->page_to, at, (int64_t)size + 12, state->to, NULL));
        else if (samples)
            HALO_TRY(put_samples(state, at + PNG_HEAD_BYTES, size));
    }
out:
    return status;
}

/* ---- the format's functions ----------------------------------------------------------------------------- */

static HaloStatus begin(HaloWriter *writer)
{
    ApngWriter *state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return fail_memory();
    state->shape = writer->info.shape;
    state->to = writer->sink;
    if (halo_sink_seekable(writer->sink)) return HALO_OK;
    const HaloStatus status = open_unnamed(&state->all);
    state->to = state->all;
    return status;
}

HaloStatus apng_create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &writer->info.shape;
    if (writer->state == NULL) HALO_TRY(begin(writer));
    ApngWriter *state = writer->state;
    if (shape->width != state->shape.width || shape->height != state->shape.height ||
        shape->channels != state->shape.channels || shape->dtype != state->shape.dtype)
        HALO_FAIL(
            HALO_ERR_OUTPUT,
            "a page of %lld x %lld pixels, %d channels, %s behind one of %lld x %lld, %d, %s: frames of an "
            "animation are alike; --split writes a file for each page",
            (long long)shape->width, (long long)shape->height, shape->channels, halo_dtype_name(shape->dtype),
            (long long)state->shape.width, (long long)state->shape.height, state->shape.channels,
            halo_dtype_name(state->shape.dtype));
    HALO_TRY(open_unnamed(&state->page_to));
    state->page = (HaloWriter){.format = writer->format,
                               .sink = state->page_to,
                               .options = writer->options,
                               .jobs = writer->jobs,
                               .memory = writer->memory,
                               .info = writer->info,
                               .changes = writer->changes};
    if (state->frames > 0) state->page.info.meta = (HaloMeta){0};
    HALO_TRY(halo_png_create(&state->page));
out:
    return status;
}

HaloStatus apng_write(HaloWriter *writer, const HaloBuf *rows)
{
    return halo_png_write(&((ApngWriter *)writer->state)->page, rows);
}

HaloStatus apng_finish(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    ApngWriter *state = writer->state;
    int64_t end;
    if (state->frames == 0) state->page.info.meta = writer->info.meta; /* some of it may have come late */
    HALO_TRY(halo_png_finish(&state->page));
    halo_notes_join(&writer->notes, &state->page.notes);
    HALO_TRY(halo_sink_tell(state->page_to, &end));
    state->plays = (uint32_t)writer->info.meta.plays;
    HALO_TRY(put_page(state, end, writer->info.meta.shown));
    state->frames++;
out:
    halo_sink_abandon(state->page_to);
    state->page_to = NULL;
    return status;
}

HaloStatus apng_end(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    ApngWriter *state = writer->state;
    int64_t end;
    if (state == NULL || state->frames == 0) return HALO_OK;
    HALO_TRY(halo_sink_write(state->to, state->tail, state->tail_size));
    HALO_TRY(halo_sink_tell(state->to, &end));
    HALO_TRY(halo_sink_seek(state->to, state->counted));
    HALO_TRY(put_count(state));
    if (state->all != NULL) HALO_TRY(copy(state, state->all, 0, end, writer->sink, NULL));
out:
    return status;
}

void apng_discard(HaloWriter *writer)
{
    ApngWriter *state = writer->state;
    if (state == NULL) return;
    halo_png_discard(&state->page);
    halo_sink_abandon(state->page_to);
    halo_sink_abandon(state->all);
    free(state->tail);
    free(state);
    writer->state = NULL;
}
