/* Reading the Netpbm family: P1 to P6 and P7 (PAM), after the pages pbm(5), pgm(5), ppm(5) and pam(5).
 *
 * Samples with an uncommon maxval are scaled like PNG's depths below 8: v * white / maxval, rounded half to
 * even. */
#include "pnm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define END (-1)
#define MAX_NUMBER 0x7fffffff
#define MAX_LINE 256

typedef struct PnmReader {
    char type; /* '1' to '7' */
    int64_t maxval;
    uint16_t *scale; /* [maxval + 1]; NULL where maxval is the white */
    uint8_t *packed; /* PBM: a row of bits */
    size_t packed_bytes;
    int64_t row;
    bool damaged; /* plain, tolerated: the rest is 0 */
} PnmReader;

static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* ---- text ---------------------------------------------------------------------------------------------------
 */

static HaloStatus next_byte(HaloSource *source, int *c)
{
    uint8_t byte;
    size_t got;
    const HaloStatus status = halo_source_read(source, &byte, 1, &got);
    *c = got == 1 ? byte : END;
    return status;
}

/* A comment counts as the line end that closes it. */
static HaloStatus next_char(HaloSource *source, int *c)
{
    HaloStatus status = next_byte(source, c);
    if (status != HALO_OK || *c != '#') return status;
    while (status == HALO_OK && *c != '\n' && *c != END) status = next_byte(source, c);
    return status;
}

static HaloStatus unexpected(int c)
{
    if (c == END) return halo_fail(HALO_ERR_INPUT, "truncated: expected a number");
    if (c >= ' ' && c <= '~') return halo_fail(HALO_ERR_INPUT, "expected a number, found '%c'", c);
    return halo_fail(HALO_ERR_INPUT, "expected a number, found byte %d", c);
}

/* A number and the one character behind it. */
static HaloStatus next_number(HaloSource *source, int64_t *number)
{
    HaloStatus status = HALO_OK;
    int c = ' ';
    while (is_space(c)) HALO_TRY(next_char(source, &c));
    if (c < '0' || c > '9') return unexpected(c);
    for (*number = 0; c >= '0' && c <= '9';) {
        *number = *number * 10 + (c - '0');
        if (*number > MAX_NUMBER) HALO_FAIL(HALO_ERR_INPUT, "a number above %d", MAX_NUMBER);
        HALO_TRY(next_char(source, &c));
    }
    if (c != END && !is_space(c)) return unexpected(c);
out:
    return status;
}

/* ---- headers ------------------------------------------------------------------------------------------------
 */

typedef struct PnmHead {
    int64_t width, height, depth, maxval;
    bool alpha;
} PnmHead;

static HaloStatus read_pnm_head(HaloSource *source, char type, PnmHead *head)
{
    HaloStatus status = HALO_OK;
    *head = (PnmHead){.depth = type == '3' || type == '6' ? 3 : 1, .maxval = 1};
    HALO_TRY(next_number(source, &head->width));
    HALO_TRY(next_number(source, &head->height));
    if (type != '1' && type != '4') HALO_TRY(next_number(source, &head->maxval));
out:
    return status;
}

/* One line of a PAM header without its end; *size is -1 for one that is too long, which only comments may be.
 */
static HaloStatus next_line(HaloSource *source, char line[MAX_LINE])
{
    HaloStatus status = HALO_OK;
    size_t size = 0;
    for (int c = 0;;) {
        HALO_TRY(next_byte(source, &c));
        if (c == END) HALO_FAIL(HALO_ERR_INPUT, "truncated: a PAM header without ENDHDR");
        if (c == '\n') break;
        if (size < MAX_LINE - 1)
            line[size++] = (char)c;
        else if (line[0] != '#')
            HALO_FAIL(HALO_ERR_INPUT, "a line of the PAM header is too long");
    }
    line[size] = '\0';
out:
    return status;
}

static HaloStatus parse_field(const char *line, const char *key, size_t length, int64_t *value)
{
    char *end;
    if (*value != 0) return halo_fail(HALO_ERR_INPUT, "%s twice in the PAM header", key);
    const long long number = strtoll(line + length, &end, 10);
    while (is_space(*end)) end++;
    if (*end != '\0' || number < 1 || number > MAX_NUMBER) {
        return halo_fail(HALO_ERR_INPUT, "bad %s in the PAM header", key);
    }
    *value = number;
    return HALO_OK;
}

static HaloStatus parse_line(const char *line, PnmHead *head)
{
    const struct {
        const char *key;
        int64_t *value;
    } field[] = {
        {"WIDTH", &head->width}, {"HEIGHT", &head->height}, {"DEPTH", &head->depth}, {"MAXVAL", &head->maxval}};
    const size_t length = strcspn(line, " \t\v\f\r");
    for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
        if (strlen(field[i].key) == length && memcmp(field[i].key, line, length) == 0) {
            return parse_field(line, field[i].key, length, field[i].value);
        }
    }
    if (length == 0 || line[0] == '#') return HALO_OK;
    if (length != 8 || memcmp(line, "TUPLTYPE", 8) != 0)
        return halo_fail(HALO_ERR_INPUT, "unknown line in the PAM header");
    if (strstr(line, "_ALPHA") != NULL) head->alpha = true;
    return HALO_OK;
}

static HaloStatus read_pam_head(HaloSource *source, PnmHead *head)
{
    HaloStatus status = HALO_OK;
    char line[MAX_LINE];
    *head = (PnmHead){0};
    HALO_TRY(next_line(source, line)); /* what stands behind "P7" */
    for (;;) {
        HALO_TRY(next_line(source, line));
        if (strcmp(line, "ENDHDR") == 0) break;
        HALO_TRY(parse_line(line, head));
    }
    if (head->width == 0 || head->height == 0 || head->depth == 0 || head->maxval == 0) {
        HALO_FAIL(HALO_ERR_INPUT, "the PAM header lacks WIDTH, HEIGHT, DEPTH or MAXVAL");
    }
out:
    return status;
}

/* ---- samples ------------------------------------------------------------------------------------------------
 */

static HaloStatus make_scale(PnmReader *state, int64_t white)
{
    if (state->maxval == white) return HALO_OK;
    state->scale = malloc((size_t)(state->maxval + 1) * sizeof *state->scale);
    if (state->scale == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a table");
    for (int64_t v = 0; v <= state->maxval; v++) {
        const int64_t whole = v * white / state->maxval, rest = v * white % state->maxval;
        const bool up = 2 * rest > state->maxval || (2 * rest == state->maxval && whole % 2 == 1);
        state->scale[v] = (uint16_t)(whole + up);
    }
    return HALO_OK;
}

static HaloStatus scale_sample(const HaloReader *reader, int64_t *v)
{
    const PnmReader *state = reader->state;
    if (*v > state->maxval) {
        if (!reader->options.tolerate) {
            return halo_fail(HALO_ERR_INPUT, "sample %lld is above the maxval, %lld", (long long)*v,
                             (long long)state->maxval);
        }
        *v = state->maxval;
    }
    if (state->scale != NULL) *v = state->scale[*v];
    return HALO_OK;
}

static void store(void *row, HaloDtype dtype, int64_t i, int64_t v)
{
    if (dtype == HALO_U8)
        ((uint8_t *)row)[i] = (uint8_t)v;
    else
        ((uint16_t *)row)[i] = (uint16_t)v;
}

static HaloStatus read_raw(HaloReader *reader, void *row, int64_t samples)
{
    const PnmReader *state = reader->state;
    const HaloDtype dtype = reader->info.shape.dtype;
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_image_take(reader, row, (size_t)samples * halo_dtype_size(dtype), state->row, 0));
    if (dtype == HALO_U16 && halo_host_is_little()) halo_swap_bytes(row, (size_t)samples, 2);
    for (int64_t i = 0; state->scale != NULL && i < samples; i++) {
        int64_t v = dtype == HALO_U8 ? ((uint8_t *)row)[i] : ((uint16_t *)row)[i];
        HALO_TRY(scale_sample(reader, &v));
        store(row, dtype, i, v);
    }
out:
    return status;
}

/* Bits are packed, the first in the highest place, and 1 is black. */
static HaloStatus read_bits(HaloReader *reader, uint8_t *row, int64_t samples)
{
    const PnmReader *state = reader->state;
    const HaloStatus status = halo_image_take(reader, state->packed, state->packed_bytes, state->row, 0xff);
    if (status != HALO_OK) return status;
    for (int64_t x = 0; x < samples; x++) row[x] = state->packed[x / 8] >> (7 - x % 8) & 1 ? 0 : 255;
    return HALO_OK;
}

/* The digits of plain PBM need no space between them. */
static HaloStatus next_bit(HaloSource *source, int64_t *v)
{
    int c = ' ';
    while (is_space(c)) {
        const HaloStatus status = next_char(source, &c);
        if (status != HALO_OK) return status;
    }
    *v = c == '0';
    return c == '0' || c == '1' ? HALO_OK : unexpected(c);
}

static HaloStatus read_plain(HaloReader *reader, void *row, int64_t samples)
{
    PnmReader *state = reader->state;
    HaloStatus status = HALO_OK;
    int64_t i = 0, v;
    for (; i < samples && !state->damaged; i++) {
        HALO_TRY(state->type == '1' ? next_bit(reader->source, &v) : next_number(reader->source, &v));
        HALO_TRY(scale_sample(reader, &v));
        store(row, reader->info.shape.dtype, i, v);
    }
out:
    if (status == HALO_ERR_INPUT && reader->options.tolerate) {
        state->damaged = true;
        status = HALO_OK;
    }
    for (; state->damaged && i < samples; i++) store(row, reader->info.shape.dtype, i, 0);
    return status;
}

/* ---- the format's functions ---------------------------------------------------------------------------------
 */

static HaloStatus prepare(HaloReader *reader, const PnmHead *head)
{
    PnmReader *state = reader->state;
    HaloStatus status = HALO_OK;
    if (head->maxval < 1 || head->maxval > 65535) {
        HALO_FAIL(HALO_ERR_INPUT, "maxval %lld: it must be 1 to 65535", (long long)head->maxval);
    }
    HALO_TRY(halo_image_open(reader, head->width, head->height, (int)head->depth,
                             head->maxval < 256 ? HALO_U8 : HALO_U16));
    HaloShape *shape = &reader->info.shape;
    if (head->alpha && head->depth > 1) shape->alpha = shape->channels - 1;
    state->maxval = head->maxval;
    HALO_TRY(make_scale(state, (int64_t)shape->white));
    if (state->type == '4') {
        state->packed_bytes = (size_t)((shape->width + 7) / 8);
        state->packed = malloc(state->packed_bytes);
        if (state->packed == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a row");
    }
    while (head->maxval >> reader->info.bits != 0) reader->info.bits++;
    snprintf(reader->info.encoding, sizeof reader->info.encoding, "P%c, maxval %lld", state->type,
             (long long)head->maxval);
out:
    return status;
}

HaloStatus halo_pnm_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    PnmHead head;
    uint8_t magic[2];
    size_t got;
    PnmReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an image");
    HALO_TRY(halo_source_read(reader->source, magic, sizeof magic, &got));
    if (got != sizeof magic || magic[0] != 'P' || magic[1] < '1' || magic[1] > '7') {
        HALO_FAIL(HALO_ERR_INPUT, "not a Netpbm file");
    }
    state->type = (char)magic[1];
    HALO_TRY(state->type == '7' ? read_pam_head(reader->source, &head)
                                : read_pnm_head(reader->source, state->type, &head));
    HALO_TRY(prepare(reader, &head));
out:
    return status;
}

HaloStatus halo_pnm_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    PnmReader *state = reader->state;
    HaloStatus status = HALO_OK;
    const int64_t samples = reader->info.shape.width * reader->info.shape.channels;
    for (*got = 0; *got < rows->rows; ++*got, state->row++) {
        void *row = halo_row(rows, *got);
        if (state->type <= '3')
            HALO_TRY(read_plain(reader, row, samples));
        else if (state->type == '4')
            HALO_TRY(read_bits(reader, row, samples));
        else
            HALO_TRY(read_raw(reader, row, samples));
    }
out:
    return status;
}

void halo_pnm_close(HaloReader *reader)
{
    PnmReader *state = reader->state;
    if (state == NULL) return;
    free(state->scale);
    free(state->packed);
    free(state);
    reader->state = NULL;
}
