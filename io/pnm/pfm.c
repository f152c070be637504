/* PFM: 32-bit floats, gray or RGB, in either byte order, the last row first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "halo/text.h"
#include "samples/image.h"

typedef struct PfmReader {
    int64_t data;  /* where the samples start in the file, or, where that cannot seek, in `held` */
    int64_t there; /* bytes of them */
    int64_t row;   /* the next one */
    bool little;
    uint8_t *held;
    int64_t held_bytes; /* that count */
    HaloSource *source; /* of the samples */
} PfmReader;

static bool probe(const uint8_t *head, size_t size)
{
    return size >= 3 && head[0] == 'P' && (head[1] == 'F' || head[1] == 'f') &&
           strchr(" \t\n\r", head[2]) != NULL && head[2] != '\0';
}

/* A word of the header and the one space behind it. */
static HaloStatus next_word(HaloSource *source, char word[32])
{
    size_t size = 0;
    for (;;) {
        char c;
        size_t got;
        const HaloStatus status = halo_source_read(source, &c, 1, &got);
        if (status != HALO_OK) return status;
        if (got == 0) return halo_fail(HALO_ERR_INPUT, "truncated in the PFM header");
        if (halo_is_blank(c) && size == 0) continue;
        if (halo_is_blank(c)) break;
        if (size == 31) return halo_fail(HALO_ERR_INPUT, "a field of the PFM header is too long");
        word[size++] = c;
    }
    word[size] = '\0';
    return HALO_OK;
}

static HaloStatus parse_size(const char *word, int64_t *size)
{
    if (!halo_read_int(word, 1, 0x7fffffff, size, NULL))
        return halo_fail(HALO_ERR_INPUT, "bad size '%s' in the PFM header", word);
    return HALO_OK;
}

/* Only the sign counts. */
static HaloStatus parse_scale(const char *word, bool *little)
{
    if (strspn(word, "+-.0123456789eE") != strlen(word) || strpbrk(word, "123456789") == NULL) {
        return halo_fail(HALO_ERR_INPUT, "bad scale '%s' in the PFM header", word);
    }
    *little = word[0] == '-';
    return HALO_OK;
}

/* The last row comes first, so on a pipe all rows are read before any is given out. Bytes after them belong to
 * another image. */
static HaloStatus find_samples(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    PfmReader *state = reader->state;
    int64_t bytes;
    size_t got;
    state->source = reader->source;
    state->data = halo_source_tell(reader->source);
    state->there = halo_source_size(reader->source) - state->data;
    if (halo_source_seekable(reader->source)) return HALO_OK;
    HALO_TRY(halo_shape_bytes(&reader->info.shape, &bytes));
    HALO_TRY(halo_memory_hold(reader->memory, bytes));
    state->held_bytes = bytes;
    state->held = malloc((size_t)bytes);
    if (state->held == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an image");
    HALO_TRY(halo_source_read(reader->source, state->held, (size_t)bytes, &got));
    state->source = NULL;
    state->data = 0;
    state->there = (int64_t)got;
    HALO_TRY(halo_source_from_memory(state->held, got, &state->source));
out:
    return status;
}

static HaloStatus open_pfm(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    char word[32];
    int64_t width, height;
    PfmReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an image");
    HALO_TRY(next_word(reader->source, word));
    const bool colour = strcmp(word, "PF") == 0;
    if (!colour && strcmp(word, "Pf") != 0) HALO_FAIL(HALO_ERR_INPUT, "not a PFM file");
    HALO_TRY(next_word(reader->source, word));
    HALO_TRY(parse_size(word, &width));
    HALO_TRY(next_word(reader->source, word));
    HALO_TRY(parse_size(word, &height));
    HALO_TRY(next_word(reader->source, word));
    HALO_TRY(parse_scale(word, &state->little));
    HALO_TRY(halo_image_open(reader, width, height, colour ? 3 : 1, HALO_F32));
    reader->info.bits = 32;
    reader->info.real = true;
    snprintf(reader->info.encoding, sizeof reader->info.encoding, "32-bit float, %s",
             state->little ? "little-endian" : "big-endian");
    HALO_TRY(find_samples(reader));
out:
    return status;
}

/* What a file that was cut short does not hold of a row is 0. */
static HaloStatus take_row(HaloReader *reader, void *row, size_t size)
{
    size_t got;
    const PfmReader *state = reader->state;
    const HaloStatus status = halo_source_read(state->source, row, size, &got);
    if (status == HALO_OK && got < size) memset((char *)row + got, 0, size - got);
    return status;
}

/* The requested rows are contiguous in the file, the last one first. */
static HaloStatus read_rows(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    PfmReader *state = reader->state;
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &reader->info.shape;
    const int64_t samples = shape->width * shape->channels, row_bytes = samples * 4;
    const int64_t there = state->there;
    if (there < row_bytes * shape->height && !reader->options.tolerate) {
        HALO_FAIL(HALO_ERR_INPUT, "truncated: %lld of %lld rows", (long long)(there / row_bytes),
                  (long long)shape->height);
    }
    const int64_t below = shape->height - state->row - rows->rows;
    const bool gone = below * row_bytes > there; /* tolerated: nothing of these rows is there */
    if (gone)
        halo_rows_clear(rows, 0);
    else
        HALO_TRY(halo_source_seek(state->source, state->data + below * row_bytes));
    for (int64_t y = rows->rows - 1; y >= 0 && !gone; y--) {
        HALO_TRY(take_row(reader, halo_row(rows, y), (size_t)row_bytes));
        if (state->little != halo_host_is_little()) halo_swap_bytes(halo_row(rows, y), (size_t)samples, 4);
    }
    state->row += rows->rows;
    if (state->row == shape->height && state->held == NULL && there >= row_bytes * shape->height)
        HALO_TRY(halo_source_seek(reader->source, state->data + row_bytes * shape->height));
out:
    *got = status == HALO_OK ? rows->rows : 0;
    return status;
}

static void close_pfm(HaloReader *reader)
{
    PfmReader *state = reader->state;
    if (state == NULL) return;
    if (state->source != reader->source) halo_source_close(state->source);
    free(state->held);
    halo_memory_release(reader->memory, state->held_bytes);
    free(state);
    reader->state = NULL;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

/* If the file can seek, rows are written to their places as they arrive; else all are gathered first. */
typedef struct PfmWriter {
    int64_t data, next; /* where the samples begin; the row that comes next, from the top */
} PfmWriter;

static HaloStatus write_head(HaloWriter *writer)
{
    const HaloShape *shape = &writer->info.shape;
    char head[64];
    const int size = snprintf(head, sizeof head, "P%c\n%lld %lld\n-1.0\n", shape->channels == 3 ? 'F' : 'f',
                              (long long)shape->width, (long long)shape->height);
    return halo_sink_write(writer->sink, head, (size_t)size);
}

static HaloStatus write_upwards(HaloSink *sink, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    for (int64_t y = rows->rows - 1; y >= 0; y--) {
        HaloBuf row = *rows;
        row.data = halo_row(rows, y);
        row.rows = 1;
        HALO_TRY(halo_rows_write(sink, &row, true));
    }
out:
    return status;
}

static HaloStatus create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    PfmWriter *state;
    if (!halo_sink_seekable(writer->sink)) return halo_gather_create(writer);
    writer->state = state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write an image");
    HALO_TRY(write_head(writer));
    HALO_TRY(halo_sink_tell(writer->sink, &state->data));
out:
    return status;
}

static HaloStatus write_rows(HaloWriter *writer, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    PfmWriter *state = writer->state;
    if (!halo_sink_seekable(writer->sink)) return halo_gather_write(writer, rows);
    const int64_t below = writer->info.shape.height - state->next - rows->rows;
    if (below < 0) HALO_FAIL(HALO_ERR_BUG, "internal: more rows than the image has");
    HALO_TRY(halo_sink_seek(writer->sink, state->data + below * (int64_t)halo_row_bytes(rows)));
    HALO_TRY(write_upwards(writer->sink, rows));
    state->next += rows->rows;
out:
    return status;
}

static HaloStatus finish_gathered(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *whole;
    HALO_TRY(halo_gather_take(writer, &whole));
    HALO_TRY(write_head(writer));
    HALO_TRY(write_upwards(writer->sink, whole));
out:
    return status;
}

/* The next image begins where the first row ends. */
static HaloStatus finish_placed(HaloWriter *writer)
{
    const PfmWriter *state = writer->state;
    int64_t bytes;
    if (state->next < writer->info.shape.height)
        return halo_fail(HALO_ERR_BUG, "internal: fewer rows than the image has");
    const HaloStatus status = halo_shape_bytes(&writer->info.shape, &bytes);
    return status == HALO_OK ? halo_sink_seek(writer->sink, state->data + bytes) : status;
}

static void discard(HaloWriter *writer)
{
    if (writer->state == NULL) return; /* nor need there be a sink */
    if (!halo_sink_seekable(writer->sink)) {
        halo_gather_discard(writer);
    } else {
        free(writer->state);
        writer->state = NULL;
    }
}

static HaloStatus finish(HaloWriter *writer)
{
    const bool placed = halo_sink_seekable(writer->sink);
    const HaloStatus status = placed ? finish_placed(writer) : finish_gathered(writer);
    if (status == HALO_OK) discard(writer); /* another image may follow */
    return status;
}

const HaloFormat halo_format_pfm = {
    .name = "pfm",
    .help = "PFM: 32-bit floats, gray or RGB",
    .extensions = "pfm",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_F32,
    .channels = 1u << 0 | 1u << 2,
    .plain = true,
    .several = HALO_SEVERAL,
    .probe = probe,
    .open = open_pfm,
    .read = read_rows,
    .close = close_pfm,
    .create = create,
    .write = write_rows,
    .finish = finish,
    .discard = discard,
};
