/* Writes FITS: cards of text, then samples most significant byte first, both in blocks of 2880 bytes. Pages are
 * HDUs. Colours are three planes, for which the picture is kept until it is whole. */
#ifdef HALO_HAVE_FITS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "fitsfile.h"
#include "meta/meta.h"
#include "samples/image.h"
#include "samples/stored.h"

typedef struct FitsWriter {
    int64_t pages, written; /* bytes of this page's samples */
    HaloBuf whole;          /* of colours */
    int64_t next;
} FitsWriter;

/* ---- the header ----------------------------------------------------------------------------------------- */

/* What FITS has no type for is written as floats: bits, halves. */
static bool stores_again(const HaloWriter *writer)
{
    const HaloInfo *info = &writer->info;
    return halo_stored_again(writer) && info->stored != HALO_STORED_BOOL &&
           (info->bits == 32 || info->bits == 64 ||
            (info->stored != HALO_STORED_FLOAT && (info->bits == 8 || info->bits == 16)));
}

/* How samples are stored: BITPIX, and whether integers have no sign, which BZERO says. */
static int bits_of(const HaloWriter *writer, bool *raised)
{
    const HaloInfo *info = &writer->info;
    const bool again = stores_again(writer);
    const HaloDtype dtype = info->shape.dtype;
    const bool real = again ? info->stored == HALO_STORED_FLOAT : dtype == HALO_F32 || dtype == HALO_F64;
    const int bits = again               ? info->bits
                     : dtype == HALO_F32 ? 32
                     : dtype == HALO_F64 ? 64
                                         : 8 * (int)halo_dtype_size(dtype);
    *raised = !real && (again ? (info->stored == HALO_STORED_UNSIGNED) == (bits > 8) : dtype == HALO_U16);
    return real ? -bits : bits;
}

static HaloStatus put_card(const HaloWriter *writer, const char *text, int *cards)
{
    char card[FITS_CARD + 1];
    snprintf(card, sizeof card, "%-80s", text);
    ++*cards;
    return halo_sink_write(writer->sink, card, FITS_CARD);
}

static HaloStatus put_number(const HaloWriter *writer, const char *name, const char *value, int *cards)
{
    char text[FITS_CARD + 1];
    snprintf(text, sizeof text, "%-8s= %20s", name, value);
    return put_card(writer, text, cards);
}

static HaloStatus put_integer(const HaloWriter *writer, const char *name, int64_t value, int *cards)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    return put_number(writer, name, text, cards);
}

/* What became of the axes of the sky. */
typedef struct Sky {
    bool lost;       /* the keywords are no longer true, */
    bool flat;       /* or those of further axes */
    double moved[2]; /* so many pixels */
} Sky;

/* The card of this keyword and this version of the coordinates (blank, or A to Z). */
static bool has_card(const char *cards, const char *word, char version)
{
    const size_t length = strlen(word);
    for (const char *at = cards; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, word, length) == 0 && at[length] == version) return true;
    }
    return false;
}

/* Whole pixels cut off or added move the reference pixel, which is 0 where it is not given: then the keywords
 * go.
 */
static Sky sky_of(const HaloWriter *writer, const char *cards)
{
    const HaloChanges *changes = &writer->changes;
    Sky sky = {.flat = changes->from.channels != changes->to.channels};
    double a[6];
    if (halo_changes_keep_places(changes)) return sky;
    sky.lost = !halo_changes_affine(changes, a) || a[0] != 1 || a[4] != 1 || a[1] != 0 || a[3] != 0;
    for (char version = ' '; version <= 'Z' && !sky.lost; version = version == ' ' ? 'A' : (char)(version + 1))
        sky.lost = (has_card(cards, "CRVAL1", version) && !has_card(cards, "CRPIX1", version)) ||
                   (has_card(cards, "CRVAL2", version) && !has_card(cards, "CRPIX2", version));
    for (int i = 0; i < 2 && !sky.lost; i++) sky.moved[i] = a[3 * i + 2];
    return sky;
}

/* The keywords of an input that was FITS. Those about places in the sky move with the pixels. */
static HaloStatus put_kept(HaloWriter *writer, int *cards)
{
    HaloStatus status = HALO_OK;
    const HaloMeta *meta = &writer->info.meta;
    const char *at = halo_text_find(meta, FITS_TEXT);
    const Sky sky = sky_of(writer, at);
    for (size_t i = 0; i < meta->texts; i++)
        if (strcmp(meta->text[i].key, FITS_TEXT) != 0) halo_text_left_out(&writer->notes, &meta->text[i]);
    while (at != NULL && *at != 0) {
        const size_t length = strcspn(at, "\n");
        char card[FITS_CARD + 1];
        snprintf(card, sizeof card, "%-80.*s", (int)(length < FITS_CARD ? length : FITS_CARD), at);
        for (char *c = card; *c != 0; c++)
            if (*c < ' ' || *c > '~') *c = '?';
        at += length + (at[length] == '\n');
        const int axis = fits_reference(card);
        if (axis == 1 || axis == 2) fits_move_reference(card, sky.moved[axis - 1]);
        if ((sky.lost && fits_is_place(card)) || (sky.flat && fits_is_further(card)))
            halo_note_outdated(&writer->notes, HALO_OUTDATED_SKY);
        else if (fits_keeps(card))
            HALO_TRY(put_card(writer, card, cards));
    }
out:
    return status;
}

static HaloStatus fill(const HaloWriter *writer, int64_t bytes, char with)
{
    char block[FITS_BLOCK];
    memset(block, with, sizeof block);
    const size_t over = (size_t)(bytes % FITS_BLOCK);
    return over == 0 ? HALO_OK : halo_sink_write(writer->sink, block, sizeof block - over);
}

static HaloStatus put_header(HaloWriter *writer, bool first)
{
    static const char *const zero[] = {"-128", "32768", "2147483648", "9223372036854775808"};
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &writer->info.shape;
    bool raised;
    int cards = 0;
    const int bits = bits_of(writer, &raised);
    HALO_TRY(first ? put_number(writer, "SIMPLE", "T", &cards)
                   : put_card(writer, "XTENSION= 'IMAGE   '", &cards));
    HALO_TRY(put_integer(writer, "BITPIX", bits, &cards));
    HALO_TRY(put_integer(writer, "NAXIS", shape->channels == 3 ? 3 : 2, &cards));
    HALO_TRY(put_integer(writer, "NAXIS1", shape->width, &cards));
    HALO_TRY(put_integer(writer, "NAXIS2", shape->height, &cards));
    if (shape->channels == 3) HALO_TRY(put_integer(writer, "NAXIS3", 3, &cards));
    if (!first) HALO_TRY(put_integer(writer, "PCOUNT", 0, &cards));
    if (!first) HALO_TRY(put_integer(writer, "GCOUNT", 1, &cards));
    if (first) HALO_TRY(put_number(writer, "EXTEND", "T", &cards));
    if (raised) HALO_TRY(put_integer(writer, "BSCALE", 1, &cards));
    if (raised)
        HALO_TRY(put_number(writer, "BZERO",
                            zero[bits == 8    ? 0
                                 : bits == 16 ? 1
                                 : bits == 32 ? 2
                                              : 3],
                            &cards));
    HALO_TRY(put_kept(writer, &cards));
    HALO_TRY(put_card(writer, "END", &cards));
    HALO_TRY(fill(writer, (int64_t)cards * FITS_CARD, ' '));
out:
    return status;
}

HaloStatus fits_create(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &writer->info.shape;
    FitsWriter *state = writer->state;
    if (state == NULL) state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write FITS");
    HALO_TRY(put_header(writer, state->pages++ == 0));
    state->written = state->next = 0;
    if (shape->channels == 3) HALO_TRY(halo_memory_alloc(writer->memory, &state->whole, shape));
out:
    return status;
}

/* ---- samples -------------------------------------------------------------------------------------------- */

/* `count` samples of `size` bytes, in this machine's order: raised by half of their range if they have no sign,
 * or 8 bits and one, and the most significant byte first. */
static void pack(uint8_t *bytes, size_t count, size_t size, bool raised)
{
    if (halo_host_is_little() && size > 1) halo_swap_bytes(bytes, count, size);
    for (size_t i = 0; i < count && raised; i++) bytes[i * size] ^= 0x80;
}

/* A row of one channel. */
static HaloStatus put_row(HaloWriter *writer, const HaloBuf *rows, int64_t y, int channel, uint8_t *to)
{
    FitsWriter *state = writer->state;
    const int channels = rows->shape.channels;
    const bool again = stores_again(writer);
    const size_t size = again ? (size_t)writer->info.bits / 8 : halo_dtype_size(rows->shape.dtype);
    const size_t count = (size_t)rows->cols, bytes = count * size;
    bool raised;
    bits_of(writer, &raised);
    for (size_t i = 0; i < count && (again ? channels > 1 : true); i++) {
        const size_t from = i * (size_t)channels + (size_t)channel;
        if (again)
            halo_stored_convert(&writer->info, rows, y, (int64_t)from, 1, to + i * size, &writer->clipped);
        else
            memcpy(to + i * size, (const char *)halo_row(rows, y) + from * size, size);
    }
    if (again && channels == 1)
        halo_stored_convert(&writer->info, rows, y, 0, (int64_t)count, to, &writer->clipped);
    pack(to, count, size, raised);
    state->written += (int64_t)bytes;
    return halo_sink_write(writer->sink, to, bytes);
}

static HaloStatus put_rows(HaloWriter *writer, const HaloBuf *rows, int channel)
{
    HaloStatus status = HALO_OK;
    uint8_t *row = malloc((size_t)rows->cols * 8);
    if (row == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write FITS");
    for (int64_t y = 0; y < rows->rows; y++) HALO_TRY(put_row(writer, rows, y, channel, row));
out:
    free(row);
    return status;
}

HaloStatus fits_write(HaloWriter *writer, const HaloBuf *rows)
{
    FitsWriter *state = writer->state;
    if (rows->shape.channels == 1) return put_rows(writer, rows, 0);
    for (int64_t y = 0; y < rows->rows; y++)
        memcpy(halo_row(&state->whole, state->next++), halo_row(rows, y), (size_t)halo_row_bytes(rows));
    return HALO_OK;
}

HaloStatus fits_finish(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    FitsWriter *state = writer->state;
    for (int c = 0; c < 3 && state->whole.data != NULL; c++) HALO_TRY(put_rows(writer, &state->whole, c));
    halo_memory_free(writer->memory, &state->whole);
    HALO_TRY(fill(writer, state->written, 0));
out:
    return status;
}

void fits_discard(HaloWriter *writer)
{
    FitsWriter *state = writer->state;
    if (state == NULL) return;
    halo_memory_free(writer->memory, &state->whole);
    free(state);
    writer->state = NULL;
}
#endif
