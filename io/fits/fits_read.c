/* Reads FITS by CFITSIO. A page is an image of two axes: planes of further axes are pages, too, except that
 * three planes are red, green and blue. Integers of 8 and 16 bits without sign keep their type; others, and
 * whatever BSCALE, BZERO or BLANK change, become floats. */
#ifdef HALO_HAVE_FITS
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fits_source.h"
#include "fitsfile.h"
#include "halo/rounded.h"
#include "meta/meta.h"
#include "samples/image.h"

enum { MOST_AXES = 8, MOST_HDUS = 65536, MOST_CARDS = 10000 };

/* An HDU with an image. */
typedef struct Unit {
    int hdu; /* its number, from 1 on */
    int axes, channels;
    int64_t planes, first; /* pages; and the first of them */
    LONGLONG size[MOST_AXES];
} Unit;

typedef struct FitsReader {
    fitsfile *file;
    FitsSource source;
    Unit *unit;
    int64_t units, pages, given; /* rows given out */
    const Unit *at;
    int type;             /* of the samples as CFITSIO gives them: TBYTE, TUSHORT, TFLOAT, TDOUBLE */
    double *row;          /* of one plane */
    int64_t data, sample; /* where the unit's samples begin, and the bytes of one; 0: they are compressed */
    int64_t held, row_bytes;
} FitsReader;

/* CFITSIO keeps its messages, and lists of open files, for the whole process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static HaloStatus outcome(int code)
{
    char text[FLEN_STATUS] = "";
    if (code == 0) return HALO_OK;
    fits.ffgerr(code, text);
    fits.ffcmsg();
    if (code == MEMORY_ALLOCATION) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read FITS");
    return halo_fail(HALO_ERR_INPUT, "FITS is damaged or truncated: %s", text);
}

/* ---- the header ----------------------------------------------------------------------------------------- */

static HaloStatus measure(FitsReader *state, int hdu)
{
    int code = 0, kind = 0;
    Unit unit = {.hdu = hdu, .channels = 1, .planes = 1, .first = state->pages};
    for (int i = 0; i < MOST_AXES; i++) unit.size[i] = 1;
    fits.ffmahd(state->file, hdu, NULL, &code);
    fits.ffghdt(state->file, &kind, &code);
    if (code != 0 || kind != IMAGE_HDU) return outcome(code);
    fits.ffgidm(state->file, &unit.axes, &code);
    if (code != 0 || unit.axes == 0) return outcome(code);
    if (unit.axes > MOST_AXES)
        return halo_fail(HALO_ERR_INPUT, "FITS: %d axes are more than %d", unit.axes, MOST_AXES);
    fits.ffgiszll(state->file, MOST_AXES, unit.size, &code);
    for (int i = 2; i < unit.axes; i++)
        if (!halo_mul(unit.planes, unit.size[i], &unit.planes) || unit.planes > INT32_MAX)
            return halo_fail(HALO_ERR_INPUT, "FITS: an invalid number of planes");
    if (unit.axes == 3 && unit.planes == 3) {
        unit.channels = 3;
        unit.planes = 1;
    }
    if (code != 0 || unit.planes == 0) return outcome(code);
    state->pages += unit.planes;
    state->unit[state->units++] = unit;
    return HALO_OK;
}

static HaloStatus list_units(FitsReader *state)
{
    HaloStatus status = HALO_OK;
    int code = 0, count = 0;
    fits.ffthdu(state->file, &count, &code);
    HALO_TRY(outcome(code));
    if (count > MOST_HDUS) HALO_FAIL(HALO_ERR_INPUT, "FITS: %d HDUs are more than %d", count, MOST_HDUS);
    state->unit = calloc((size_t)count, sizeof *state->unit);
    if (state->unit == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read FITS");
    for (int hdu = 1; hdu <= count; hdu++) HALO_TRY(measure(state, hdu));
    if (state->units == 0)
        HALO_FAIL(HALO_ERR_INPUT,
                  "FITS without an image: its tables are not read; Python's astropy reads them");
out:
    return status;
}

/* The type of the samples, as CFITSIO gives them and as they are here. */
static HaloStatus find_type(HaloReader *reader, HaloDtype *dtype)
{
    FitsReader *state = reader->state;
    HaloInfo *info = &reader->info;
    int code = 0, kind = 0, missing = 0;
    char blank[FLEN_VALUE];
    fits.ffgiet(state->file, &kind, &code); /* as BSCALE and BZERO make it */
    if (code != 0) return outcome(code);
    fits.ffgky(state->file, TSTRING, "BLANK", blank, NULL, &missing);
    fits.ffcmsg();
    const bool wide = kind == DOUBLE_IMG || kind == LONG_IMG || kind == ULONG_IMG || kind == LONGLONG_IMG ||
                      kind == ULONGLONG_IMG;
    info->real = kind == FLOAT_IMG || kind == DOUBLE_IMG;
    info->bits = kind == BYTE_IMG || kind == SBYTE_IMG                                 ? 8
                 : kind == SHORT_IMG || kind == USHORT_IMG                             ? 16
                 : kind == LONGLONG_IMG || kind == ULONGLONG_IMG || kind == DOUBLE_IMG ? 64
                                                                                       : 32;
    info->stored = info->real ? HALO_STORED_FLOAT
                   : kind == BYTE_IMG || kind == USHORT_IMG || kind == ULONG_IMG || kind == ULONGLONG_IMG
                       ? HALO_STORED_UNSIGNED
                       : HALO_STORED_SIGNED;
    state->type = wide ? TDOUBLE : TFLOAT;
    *dtype = wide && reader->options.wide ? HALO_F64 : HALO_F32;
    if (wide && *dtype == HALO_F32) halo_note(&info->notes, HALO_NOTE_THROUGH_F32, (uint64_t)info->bits);
    if (missing == 0) info->stored = HALO_STORED_USUAL; /* blank values become NaN */
    if (missing == 0) return HALO_OK;
    if (kind == BYTE_IMG || kind == USHORT_IMG) {
        state->type = kind == BYTE_IMG ? TBYTE : TUSHORT;
        *dtype = kind == BYTE_IMG ? HALO_U8 : HALO_U16;
    }
    return HALO_OK;
}

/* A page is one plane of a cube. That it lies further along the third axis, and others, is said by a reference
 * pixel that lies as far back: also where there is no such axis any more, keywords may describe it. */
static void place_plane(const HaloReader *reader, char card[FITS_CARD + 1])
{
    const FitsReader *state = reader->state;
    const Unit *unit = state->at;
    const int axis = fits_reference(card);
    int64_t plane = reader->options.image - unit->first;
    if (axis < 3 || axis > unit->axes || unit->channels == 3) return;
    for (int i = 2; i + 1 < axis; i++) plane /= unit->size[i];
    fits_move_reference(card, -(double)(plane % unit->size[axis - 1]));
}

/* The keywords that do not say how samples lie, as lines of one text. */
static HaloStatus take_cards(HaloReader *reader, const char *key, bool comments)
{
    HaloStatus status = HALO_OK;
    const FitsReader *state = reader->state;
    int code = 0, count = 0;
    size_t length = 0;
    char *text = NULL;
    fits.ffghsp(state->file, &count, NULL, &code);
    if (code != 0) return outcome(code);
    if (count > MOST_CARDS) {
        halo_note(&reader->info.notes, HALO_NOTE_LARGE, 1);
        count = MOST_CARDS;
    }
    text = malloc((size_t)count * (FITS_CARD + 1) + 1);
    if (text == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read FITS");
    for (int i = 1; i <= count; i++) {
        char card[FLEN_CARD] = "", padded[FITS_CARD + 1];
        fits.ffgrec(state->file, i, card, &code);
        if (code != 0) break;
        snprintf(padded, sizeof padded, "%-80s", card);
        if (!fits_keeps(padded) || (!comments && strncmp(card, "COMMENT", 7) == 0)) continue;
        place_plane(reader, padded);
        size_t size = FITS_CARD;
        while (padded[size - 1] == ' ') size--;
        memcpy(text + length, padded, size);
        text[length + size] = '\n';
        length += size + 1;
    }
    if (length > 0) HALO_TRY(halo_text_add(&reader->info.meta, key, text, length - 1, HALO_LATIN_1));
out:
    free(text);
    return status;
}

/* CFITSIO reads zeros behind the end of a file: here it shows what is missing. */
static HaloStatus find_end(HaloReader *reader)
{
    FitsReader *state = reader->state;
    const Unit *unit = state->at;
    LONGLONG head, data, end;
    int64_t samples = unit->channels, bytes;
    int code = 0, bits = 8;
    fits.ffgidt(state->file, &bits, &code); /* BITPIX, negative of floats */
    const int size = abs(bits) / 8;
    fits.ffghadll(state->file, &head, &data, &end, &code);
    if (code != 0) return outcome(code);
    if (!halo_mul(samples, unit->planes, &samples) || !halo_mul(samples, unit->size[0], &samples) ||
        !halo_mul(samples, unit->size[1], &samples) || !halo_mul(samples, size, &bytes))
        return halo_fail(HALO_ERR_INPUT, "FITS: an invalid size");
    state->data = data;
    state->sample = end - data >= bytes ? size : 0;
    if (state->sample == 0 && end - FITS_BLOCK >= state->source.size && !reader->options.tolerate)
        return halo_fail(HALO_ERR_INPUT, "FITS is truncated");
    return HALO_OK;
}

static bool is_missing(const FitsReader *state, int64_t plane, int64_t y)
{
    const Unit *unit = state->at;
    const int64_t samples = (plane * unit->size[1] + y + 1) * unit->size[0];
    return state->data + samples * state->sample > state->source.size;
}

static HaloStatus go_to_page(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    FitsReader *state = reader->state;
    const int64_t page = reader->options.image;
    HaloDtype dtype = HALO_F32;
    int code = 0;
    state->given = 0;
    if (page >= state->pages)
        return halo_fail(HALO_ERR_INPUT, "there is no page %lld: there are %lld, counted from 1",
                         (long long)page + 1, (long long)state->pages);
    int64_t k = 0;
    while (k + 1 < state->units && state->unit[k + 1].first <= page) k++;
    state->at = &state->unit[k];
    fits.ffmahd(state->file, state->at->hdu, NULL, &code);
    HALO_TRY(outcome(code));
    HALO_TRY(find_type(reader, &dtype));
    HALO_TRY(halo_image_open(reader, state->at->size[0], state->at->size[1], state->at->channels, dtype));
    reader->info.shape.numbers = dtype != HALO_U8 && dtype != HALO_U16;
    reader->info.images = state->pages;
    snprintf(reader->info.encoding, sizeof reader->info.encoding, "HDU %d%s", state->at->hdu,
             state->at->channels == 3 ? ", planes of colour" : "");
    HALO_TRY(find_end(reader));
    HALO_TRY(take_cards(reader, FITS_TEXT, true));
    if (state->unit[0].hdu == 1) return HALO_OK;
    fits.ffmahd(state->file, 1, NULL, &code);
    HALO_TRY(outcome(code));
    HALO_TRY(take_cards(reader, FITS_PRIMARY, false));
    fits.ffmahd(state->file, state->at->hdu, NULL, &code);
    HALO_TRY(outcome(code));
out:
    return status;
}

static HaloStatus open_file(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    FitsReader *state = reader->state;
    FitsSource *source = &state->source;
    size_t size;
    int code = 0;
    source->source = reader->source;
    source->size = halo_source_size(reader->source);
    if (!halo_source_seekable(reader->source)) {
        HALO_TRY(halo_source_slurp(reader->source, &source->bytes, &size));
        source->size = (int64_t)size;
    }
    HALO_TRY(fits_source_open(source, &state->file, &code));
    HALO_TRY(outcome(code));
    HALO_TRY(list_units(state));
    HALO_TRY(go_to_page(reader));
out:
    return status;
}

HaloStatus fits_open(HaloReader *reader)
{
    HaloStatus status = fits_load();
    if (status != HALO_OK) return status;
    reader->state = calloc(1, sizeof(FitsReader));
    if (reader->state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read FITS");
    pthread_mutex_lock(&lock);
    status = open_file(reader);
    pthread_mutex_unlock(&lock);
    return status;
}

HaloStatus fits_next(HaloReader *reader)
{
    pthread_mutex_lock(&lock);
    const HaloStatus status = go_to_page(reader);
    pthread_mutex_unlock(&lock);
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* The samples of a row as those of every `step`-th place of `to`. */
static void scatter(const FitsReader *state, HaloDtype dtype, void *to, int64_t count, int64_t step,
                    HaloLost *lost)
{
    const uint8_t *b = (const uint8_t *)state->row;
    const uint16_t *w = (const uint16_t *)(const void *)state->row;
    const float *f = (const float *)(const void *)state->row;
    for (int64_t i = 0; i < count; i++) {
        if (state->type == TBYTE)
            ((uint8_t *)to)[i * step] = b[i];
        else if (state->type == TUSHORT)
            ((uint16_t *)to)[i * step] = w[i];
        else if (state->type == TFLOAT)
            ((float *)to)[i * step] = f[i];
        else if (dtype == HALO_F64)
            ((double *)to)[i * step] = state->row[i];
        else
            ((float *)to)[i * step] = halo_float_of_double(state->row[i], lost);
    }
}

/* Row y of this channel. */
static HaloStatus read_row(HaloReader *reader, int64_t y, int channel, void *to, HaloDtype dtype,
                           HaloLost *lost)
{
    const FitsReader *state = reader->state;
    const Unit *unit = state->at;
    LONGLONG first[MOST_AXES] = {1, y + 1, 1, 1, 1, 1, 1, 1};
    int64_t plane = unit->channels == 3 ? channel : reader->options.image - unit->first;
    float nan_f = NAN;
    double nan_d = NAN;
    int code = 0, any;
    const bool missing = is_missing(state, plane, y);
    for (int i = 2; i < unit->axes; plane /= unit->size[i++]) first[i] = 1 + plane % unit->size[i];
    if (!missing)
        fits.ffgpxvll(state->file, state->type, first, unit->size[0],
                      state->type == TFLOAT    ? (void *)&nan_f
                      : state->type == TDOUBLE ? (void *)&nan_d
                                               : NULL,
                      state->row, &any, &code);
    HaloStatus status = missing ? halo_image_truncated(reader, y) : outcome(code);
    if (state->source.status != HALO_OK) return state->source.status;
    if (status == HALO_ERR_INPUT && reader->options.tolerate) {
        halo_image_damaged(reader, y);
        memset(state->row, 0, (size_t)unit->size[0] * sizeof *state->row);
        status = HALO_OK;
    }
    if (status == HALO_OK) scatter(state, dtype, to, unit->size[0], unit->channels, lost);
    return status;
}

static HaloStatus read_rows(HaloReader *reader, const HaloBuf *rows)
{
    FitsReader *state = reader->state;
    const HaloDtype dtype = rows->shape.dtype;
    HaloLost lost = {0};
    HaloStatus status = HALO_OK;
    int code = 0;
    fits.ffmahd(state->file, state->at->hdu, NULL, &code);
    HALO_TRY(outcome(code));
    for (int64_t y = 0; y < rows->rows; y++, state->given++)
        for (int c = 0; c < state->at->channels; c++)
            HALO_TRY(read_row(reader, state->given, c,
                              (char *)halo_row(rows, y) + (size_t)c * halo_dtype_size(dtype), dtype, &lost));
out:
    halo_note_lost(&reader->info.notes, &lost, false);
    return status;
}

HaloStatus fits_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    FitsReader *state = reader->state;
    *got = 0;
    const int64_t bytes = state->at->size[0] * (int64_t)sizeof *state->row;
    if (state->row_bytes < bytes) {
        free(state->row);
        state->row = NULL;
        HALO_TRY(halo_memory_hold(reader->memory, bytes - state->row_bytes));
        state->held += bytes - state->row_bytes;
        state->row_bytes = bytes;
    }
    if (state->row == NULL && (state->row = malloc((size_t)bytes)) == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read FITS");
    pthread_mutex_lock(&lock);
    status = read_rows(reader, rows);
    pthread_mutex_unlock(&lock);
    if (status == HALO_OK) *got = rows->rows;
out:
    return status;
}

HaloStatus fits_skip(HaloReader *reader, int64_t rows, int64_t *skipped)
{
    FitsReader *state = reader->state;
    state->given += *skipped = rows;
    return HALO_OK;
}

void fits_close(HaloReader *reader)
{
    FitsReader *state = reader->state;
    int code = 0;
    if (state == NULL) return;
    pthread_mutex_lock(&lock);
    if (state->file != NULL) fits.ffclos(state->file, &code);
    if (code != 0) fits.ffcmsg();
    fits_source_drop(&state->source);
    pthread_mutex_unlock(&lock);
    halo_memory_release(reader->memory, state->held);
    free(state->row);
    free(state->unit);
    free(state);
    reader->state = NULL;
}
#endif
