/* Reads Radiance HDR (RGBE): plain pixels, both kinds of run lengths, and scan lines in any of eight
 * directions. A sample is mantissa * 2^(exponent - 136), as stb, OpenCV and FFmpeg have it. */
#include "hdr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/text.h"
#include "meta/meta.h"
#include "samples/image.h"

#define MOST_LINE 2048
#define MOST_LINES 1000

typedef struct HdrReader {
    int64_t length, lines; /* of a scan line, in pixels; how many there are */
    bool columns;          /* scan lines are columns */
    bool from_right, from_below;
    int64_t row;
    uint8_t *line; /* [4 * length] */
    uint8_t *held; /* all lines, unless they are rows from the top */
    int64_t held_bytes;
    bool damaged; /* tolerated: the rest is 0 */
} HdrReader;

bool hdr_probe(const uint8_t *head, size_t size)
{
    return (size >= 10 && memcmp(head, "#?RADIANCE", 10) == 0) || (size >= 6 && memcmp(head, "#?RGBE", 6) == 0);
}

/* ---- header --------------------------------------------------------------------------------------------- */

static HaloStatus next_line(HaloSource *source, char line[MOST_LINE])
{
    for (size_t size = 0;;) {
        char c;
        size_t got;
        const HaloStatus status = halo_source_read(source, &c, 1, &got);
        if (status != HALO_OK) return status;
        if (got == 0) return halo_fail(HALO_ERR_INPUT, "truncated in the HDR header");
        if (c == '\n') {
            line[size] = 0;
            return HALO_OK;
        }
        if (size == MOST_LINE - 1) return halo_fail(HALO_ERR_INPUT, "a line of the HDR header is too long");
        line[size++] = c;
    }
}

/* The exposure by which samples were multiplied is kept as a text; samples stay as the file has them. */
static HaloStatus parse_line(HaloReader *reader, const char *line)
{
    if (strncmp(line, "FORMAT=", 7) == 0 && strncmp(line + 7, "32-bit_rle_rgbe", 15) != 0)
        return halo_fail(HALO_ERR_INPUT, "HDR of '%.40s' is not supported, only 32-bit_rle_rgbe", line + 7);
    if (strncmp(line, "EXPOSURE=", 9) != 0) return HALO_OK;
    const char *value = line + 9, *end;
    double exposure;
    while (halo_is_blank(*value)) value++;
    if (!halo_read_number(value, &exposure, &end) || exposure == 1.0) return HALO_OK;
    return halo_text_add(&reader->info.meta, "Exposure", value, strlen(value), HALO_UTF_8);
}

/* "-Y 480 +X 640": the axis of lines first, with the direction of each. */
static HaloStatus parse_size(HaloReader *reader, const char *line)
{
    HdrReader *state = reader->state;
    int64_t first, second;
    const char *at = line;
    char axis[2], direction[2];
    for (int i = 0; i < 2; i++) {
        int64_t *size = i == 0 ? &first : &second;
        while (halo_is_blank(*at)) at++;
        direction[i] = *at;
        if (*at != '+' && *at != '-') break;
        axis[i] = *++at;
        if (axis[i] != 'X' && axis[i] != 'Y') break;
        at++;
        while (halo_is_blank(*at)) at++;
        if (!halo_read_int(at, 1, INT32_MAX, size, &at)) break;
        if (i == 0) continue;
        if (axis[0] == axis[1]) break;
        state->columns = axis[0] == 'X';
        state->lines = first;
        state->length = second;
        state->from_below = direction[state->columns] == '+';
        state->from_right = direction[!state->columns] == '-';
        return HALO_OK;
    }
    return halo_fail(HALO_ERR_INPUT, "bad size in the HDR header: '%.40s'", line);
}

static HaloStatus read_head(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    char line[MOST_LINE];
    HALO_TRY(next_line(reader->source, line));
    if (strncmp(line, "#?", 2) != 0) HALO_FAIL(HALO_ERR_INPUT, "not a Radiance HDR file");
    for (int lines = 0; line[0] != 0; lines++) {
        if (lines == MOST_LINES) HALO_FAIL(HALO_ERR_INPUT, "the HDR header is too long");
        HALO_TRY(next_line(reader->source, line));
        HALO_TRY(parse_line(reader, line));
    }
    HALO_TRY(next_line(reader->source, line));
    HALO_TRY(parse_size(reader, line));
out:
    return status;
}

/* ---- scan lines ----------------------------------------------------------------------------------------- */

static HaloStatus take(HaloReader *reader, uint8_t *bytes, size_t size)
{
    size_t got;
    const HaloStatus status = halo_source_read(reader->source, bytes, size, &got);
    if (status == HALO_OK && got < size) return halo_fail(HALO_ERR_INPUT, "truncated");
    return status;
}

static HaloStatus bad_run(void) { return halo_fail(HALO_ERR_INPUT, "a run in a scan line is too long"); }

/* Four components one after the other, each as runs (above 128) and literals. */
static HaloStatus read_components(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const HdrReader *state = reader->state;
    uint8_t count, bytes[128];
    for (int c = 0; c < 4; c++)
        for (int64_t x = 0; x < state->length;) {
            HALO_TRY(take(reader, &count, 1));
            const bool run = count > 128;
            const int n = run ? count - 128 : count;
            if (n == 0 || n > state->length - x) return bad_run();
            HALO_TRY(take(reader, bytes, run ? 1 : (size_t)n));
            for (int i = 0; i < n; i++, x++) state->line[4 * x + c] = bytes[run ? 0 : i];
        }
out:
    return status;
}

/* Pixels, of which 1 1 1 n repeats the one before n times; several of these in a row count in powers of 256. */
static HaloStatus read_pixels(HaloReader *reader, int64_t x)
{
    HaloStatus status = HALO_OK;
    const HdrReader *state = reader->state;
    for (int shift = 0; x < state->length;) {
        uint8_t *pixel = state->line + 4 * x;
        HALO_TRY(take(reader, pixel, 4));
        if (x == 0 || pixel[0] != 1 || pixel[1] != 1 || pixel[2] != 1) {
            shift = 0;
            x++;
            continue;
        }
        const int64_t count = shift <= 24 ? (int64_t)pixel[3] << shift : INT64_MAX;
        if (count > state->length - x) return bad_run();
        for (int64_t i = 0; i < count; i++) memcpy(pixel + 4 * i, state->line + 4 * (x - 1), 4);
        x += count;
        shift += 8;
    }
out:
    return status;
}

static HaloStatus read_line(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const HdrReader *state = reader->state;
    const bool may_run = state->length >= 8 && state->length < 32768;
    const uint8_t *head;
    size_t got;
    HALO_TRY(halo_source_peek(reader->source, 4, &head, &got));
    if (may_run && got == 4 && head[0] == 2 && head[1] == 2 && head[2] < 128) {
        if ((head[2] << 8 | head[3]) != state->length)
            HALO_FAIL(HALO_ERR_INPUT, "a scan line of another length");
        uint8_t start[4];
        HALO_TRY(take(reader, start, 4));
        HALO_TRY(read_components(reader));
    } else {
        HALO_TRY(read_pixels(reader, 0));
    }
out:
    return status;
}

/* Scan line `line`; with --tolerate the first damaged one, and those behind it, are 0. */
static HaloStatus next_scan_line(HaloReader *reader, int64_t line)
{
    HdrReader *state = reader->state;
    HaloStatus status = state->damaged ? HALO_ERR_INPUT : read_line(reader);
    if (status != HALO_ERR_INPUT) return status;
    if (!reader->options.tolerate)
        return halo_fail_at(status, "in scan line %lld of %lld", (long long)line + 1, (long long)state->lines);
    if (!state->damaged) halo_image_damaged(reader, state->columns ? -1 : line);
    state->damaged = true;
    memset(state->line, 0, 4 * (size_t)state->length);
    return HALO_OK;
}

static HaloStatus hold(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HdrReader *state = reader->state;
    const int64_t bytes = 4 * state->length * state->lines;
    HALO_TRY(halo_memory_hold(reader->memory, bytes));
    state->held_bytes = bytes;
    state->held = malloc((size_t)bytes);
    if (state->held == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an image");
    for (int64_t line = 0; line < state->lines; line++) {
        HALO_TRY(next_scan_line(reader, line));
        memcpy(state->held + 4 * line * state->length, state->line, 4 * (size_t)state->length);
    }
out:
    return status;
}

/* ---- the format's functions ----------------------------------------------------------------------------- */

HaloStatus hdr_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HdrReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an image");
    HALO_TRY(read_head(reader));
    HALO_TRY(halo_image_open(reader, state->columns ? state->lines : state->length,
                             state->columns ? state->length : state->lines, 3, HALO_F32));
    reader->info.bits = 32;
    reader->info.real = true;
    snprintf(reader->info.encoding, sizeof reader->info.encoding, "RGBE");
    state->line = malloc(4 * (size_t)state->length);
    if (state->line == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a row");
out:
    return status;
}

static void unpack(const uint8_t *rgbe, float *to)
{
    const float scale = rgbe[3] == 0 ? 0.0f : ldexpf(1.0f, rgbe[3] - 136);
    for (int c = 0; c < 3; c++) to[c] = (float)rgbe[c] * scale;
}

/* The pixel in the direction in which the picture is seen. */
static const uint8_t *held_pixel(const HaloReader *reader, int64_t x, int64_t y)
{
    const HdrReader *state = reader->state;
    const HaloShape *shape = &reader->info.shape;
    if (state->from_right) x = shape->width - 1 - x;
    if (state->from_below) y = shape->height - 1 - y;
    return state->held + 4 * (state->columns ? x * state->length + y : y * state->length + x);
}

HaloStatus hdr_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    HdrReader *state = reader->state;
    const int64_t width = reader->info.shape.width;
    const bool held = state->columns || state->from_right || state->from_below;
    *got = 0;
    if (held && state->held == NULL) HALO_TRY(hold(reader));
    for (; *got < rows->rows; ++*got, state->row++) {
        float *to = halo_row(rows, *got);
        if (!held) HALO_TRY(next_scan_line(reader, state->row));
        for (int64_t x = 0; x < width; x++)
            unpack(held ? held_pixel(reader, x, state->row) : state->line + 4 * x, to + 3 * x);
    }
out:
    return status;
}

void hdr_close(HaloReader *reader)
{
    HdrReader *state = reader->state;
    if (state == NULL) return;
    free(state->line);
    free(state->held);
    halo_memory_release(reader->memory, state->held_bytes);
    free(state);
    reader->state = NULL;
}
