/* PNG: its row (png.c) stands on reading (apng.c on png_read.c) and writing (png_write.c), and these on the
 * error handling around libpng (png_guard.c). */
#ifndef HALO_IO_PNGFILE_H
#define HALO_IO_PNGFILE_H

#include <png.h>
#include <setjmp.h>

#include "halo/format.h"

#define PNG_XMP_KEY "XML:com.adobe.xmp"
#define HALO_PNG_ANIMATION "acTL\0fcTL" /* chunks of an animation that may stand before the samples */

/* libpng reports errors by jumping out of its functions. Everything that calls it is a step, run by
 * halo_png_guard: no local variable lives across a jump. */
typedef struct PngGuard {
    jmp_buf jump;
    HaloStatus status; /* of the step; a callback that fails sets it before it raises libpng's error */
    HaloStatus blame;  /* what libpng's own errors are: HALO_ERR_INPUT or HALO_ERR_OUTPUT */
    bool starved;      /* an allocation failed: libpng may have left something out, and said nothing */
    bool tolerate;     /* a wrong checksum is noted as damage, and the chunk taken */
    size_t largest;    /* the largest block that libpng may allocate, whatever size a chunk claims; 0: any */
    HaloNotes *notes;  /* of the reader or writer */
    bool damaged[HALO_COLOUR_CODES]; /* these chunks have a wrong checksum: they are not taken */
} PngGuard;

/* The chunks of HaloColourCode: libpng is told to leave them to us, as those before 1.6.46 do anyway. */
extern const struct PngCode {
    char name[5];
    uint8_t size;
} halo_png_codes[HALO_COLOUR_CODES];
void halo_png_keep_codes(png_structp png);

/* A struct for reading (HALO_ERR_INPUT) or writing (HALO_ERR_OUTPUT); NULL without memory. */
png_structp halo_png_struct(PngGuard *guard, HaloStatus blame, HaloNotes *notes);
HaloStatus halo_png_guard(PngGuard *guard, void (*step)(void *), void *arg);

HaloStatus halo_png_open(HaloReader *reader);
HaloStatus halo_png_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
void halo_png_close(HaloReader *reader);
unsigned halo_png_trailing_meta(HaloReader *reader);

HaloStatus halo_png_create(HaloWriter *writer);
HaloStatus halo_png_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus halo_png_finish(HaloWriter *writer);
void halo_png_discard(HaloWriter *writer);

/* What may be an animation, whose frames are pages; a frame is read as a PNG by the functions above. */
HaloStatus apng_open(HaloReader *reader);
HaloStatus apng_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus apng_next(HaloReader *reader);
void apng_close(HaloReader *reader);

HaloStatus apng_create(HaloWriter *writer);
HaloStatus apng_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus apng_finish(HaloWriter *writer);
HaloStatus apng_end(HaloWriter *writer);
void apng_discard(HaloWriter *writer);

#endif
