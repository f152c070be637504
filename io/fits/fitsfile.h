/* FITS: its row (fits.c), reading by CFITSIO (fits_read.c), writing (fits_write.c), and the keywords that go
 * from header to header (fits_cards.c). */
#ifndef HALO_IO_FITSFILE_H
#define HALO_IO_FITSFILE_H

#include "halo/format.h"

#define FITS_CARD 80
#define FITS_BLOCK 2880
/* The text that keeps the keywords of a header: lines of up to 80 characters. */
#define FITS_TEXT "FITS"
/* The same of a primary header without an image, for which the output has no place. */
#define FITS_PRIMARY "FITS primary header"

/* Is a card of a header kept: one that does not say how samples lie? */
bool fits_keeps(const char card[FITS_CARD]);
/* Does it say where pixels lie in the sky? And along a third axis, or a further one, such as frequency? */
bool fits_is_place(const char card[FITS_CARD]);
bool fits_is_further(const char card[FITS_CARD]);
/* The axis, from 1 on, whose reference pixel it gives (CRPIX3); 0: none. */
int fits_reference(const char card[FITS_CARD]);
/* Moves that pixel. */
void fits_move_reference(char card[FITS_CARD + 1], double by);

HaloStatus fits_open(HaloReader *reader);
HaloStatus fits_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus fits_skip(HaloReader *reader, int64_t rows, int64_t *skipped);
HaloStatus fits_next(HaloReader *reader);
void fits_close(HaloReader *reader);

HaloStatus fits_create(HaloWriter *writer);
HaloStatus fits_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus fits_finish(HaloWriter *writer);
void fits_discard(HaloWriter *writer);

#endif
