/* Reads the Netpbm family: P1 to P6 and P7 (PAM), as in the manual pages pbm(5), pgm(5), ppm(5) and pam(5).
 *
 * Samples with an uncommon maxval are scaled like PNG's depths below 8: v * white / maxval, half to even. */
#include "bytes/endian.h"
#include "halo/text.h"
#include "pnm.h"
#include "samples/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct PnmReader {
    char type; /* '1' to '7' */
    int64_t maxval;
    uint16_t *scale; /* [maxval + 1]; NULL where maxval is the white */
    uint8_t *packed; /* PBM: a row of bits */
    size_t packed_bytes;
    int64_t row;
    bool damaged; /* plain, tolerated: the rest is 0 */
} PnmReader;

/* ---- samples -------------------------------------------------------------------------------------------- */

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

static HaloStatus read_raw(HaloReader *reader, const HaloBuf *rows, int64_t at, int64_t *taken)
{
    const PnmReader *state = reader->state;
    const HaloDtype dtype = reader->info.shape.dtype;
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_image_take_rows(reader, rows, at, state->row, taken));
    void *row = halo_row(rows, at);
    const int64_t samples = *taken * reader->info.shape.width * reader->info.shape.channels;
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
    while (halo_is_blank((char)c)) {
        const HaloStatus status = halo_pnm_next_char(source, &c);
        if (status != HALO_OK) return status;
    }
    *v = c == '0';
    return c == '0' || c == '1' ? HALO_OK : halo_pnm_unexpected(c);
}

static HaloStatus read_plain(HaloReader *reader, void *row, int64_t samples)
{
    PnmReader *state = reader->state;
    HaloStatus status = HALO_OK;
    int64_t i = 0, v;
    for (; i < samples && !state->damaged; i++) {
        HALO_TRY(state->type == '1' ? next_bit(reader->source, &v) : halo_pnm_next_number(reader->source, &v));
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

/* ---- the format's functions ----------------------------------------------------------------------------- */

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
    if (state->type != '4' && (double)head->maxval != (double)shape->white)
        reader->info.most = (uint16_t)head->maxval;
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
    HALO_TRY(state->type == '7' ? halo_pam_read_head(reader->source, &head)
                                : halo_pnm_read_head(reader->source, state->type, &head));
    HALO_TRY(prepare(reader, &head));
out:
    return status;
}

HaloStatus halo_pnm_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    PnmReader *state = reader->state;
    HaloStatus status = HALO_OK;
    const int64_t samples = reader->info.shape.width * reader->info.shape.channels;
    for (int64_t taken = *got = 0; *got < rows->rows; *got += taken, state->row += taken) {
        void *row = halo_row(rows, *got);
        taken = 1;
        if (state->type <= '3')
            HALO_TRY(read_plain(reader, row, samples));
        else if (state->type == '4')
            HALO_TRY(read_bits(reader, row, samples));
        else
            HALO_TRY(read_raw(reader, rows, *got, &taken));
    }
out:
    return status;
}

/* Plain samples take up any number of bytes. */
HaloStatus halo_pnm_skip(HaloReader *reader, int64_t rows, int64_t *skipped)
{
    PnmReader *state = reader->state;
    HaloStatus status = HALO_OK;
    HaloBuf row = {.shape = reader->info.shape, .cols = reader->info.shape.width};
    const int64_t row_bytes = state->type == '4' ? (int64_t)state->packed_bytes : halo_row_bytes(&row);
    bool gone = false;
    if (state->type > '3') HALO_TRY(halo_image_skip(reader, rows * row_bytes, state->row, row_bytes, &gone));
out:
    *skipped = status == HALO_OK && gone ? rows : 0;
    state->row += *skipped;
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
