/* PFM: 32-bit floats, gray or RGB, in either byte order, the last row first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "halo/text.h"
#include "samples/image.h"
#include "samples/upward.h"

typedef struct PfmReader {
    HaloUpward rows;
    bool little;
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
    state->rows.row_bytes = width * (colour ? 3 : 1) * 4;
    HALO_TRY(halo_upward_open(reader, &state->rows));
out:
    return status;
}

static void unpack(const HaloReader *reader, const uint8_t *from, void *to)
{
    const PfmReader *state = reader->state;
    memcpy(to, from, (size_t)state->rows.row_bytes);
    if (state->little != halo_host_is_little()) halo_swap_bytes(to, (size_t)state->rows.row_bytes / 4, 4);
}

static HaloStatus read_rows(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    PfmReader *state = reader->state;
    const HaloStatus status = halo_upward_read(reader, &state->rows, rows, unpack);
    *got = status == HALO_OK ? rows->rows : 0;
    return status;
}

static HaloStatus skip_rows(HaloReader *reader, int64_t rows, int64_t *skipped)
{
    PfmReader *state = reader->state;
    return halo_upward_skip(reader, &state->rows, rows, skipped);
}

static void close_pfm(HaloReader *reader)
{
    PfmReader *state = reader->state;
    if (state == NULL) return;
    halo_upward_close(reader, &state->rows);
    free(state);
    reader->state = NULL;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static HaloStatus write_head(HaloWriter *writer)
{
    const HaloShape *shape = &writer->info.shape;
    char head[64];
    const int size = snprintf(head, sizeof head, "P%c\n%lld %lld\n-1.0\n", shape->channels == 3 ? 'F' : 'f',
                              (long long)shape->width, (long long)shape->height);
    return halo_sink_write(writer->sink, head, (size_t)size);
}

static size_t samples_of(const HaloWriter *writer)
{
    return (size_t)(writer->info.shape.width * writer->info.shape.channels);
}

static void pack(const HaloWriter *writer, const void *from, uint8_t *to)
{
    memcpy(to, from, 4 * samples_of(writer));
    if (!halo_host_is_little()) halo_swap_bytes(to, samples_of(writer), 4);
}

static HaloStatus create(HaloWriter *writer)
{
    const HaloUpwardRow row = {.row_bytes = 4 * (int64_t)samples_of(writer), .head = write_head, .pack = pack};
    return halo_upward_create(writer, &row);
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
    .skip = skip_rows,
    .close = close_pfm,
    .create = create,
    .write = halo_upward_write,
    .finish = halo_upward_finish,
    .discard = halo_upward_discard,
};
