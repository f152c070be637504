/* JPEG: its row (jpeg.c) stands on reading (jpeg_read.c) and writing (jpeg_write.c), and these on the error
 * handling around libjpeg (jpeg_guard.c). */
#ifndef HALO_IO_JPEGFILE_H
#define HALO_IO_JPEGFILE_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "halo/format.h"

#define JPEG_BUFFER_BYTES 65536
#define JPEG_EXIF (JPEG_APP0 + 1)
#define JPEG_EXIF_MARK "Exif\0"                      /* with the zero that ends it: two */
#define JPEG_XMP_MARK "http://ns.adobe.com/xap/1.0/" /* likewise in APP1, with its zero */
#define JPEG_ICC (JPEG_APP0 + 2)
#define JPEG_PHOTOSHOP (JPEG_APP0 + 13)
#define JPEG_PHOTOSHOP_MARK "Photoshop 3.0" /* with its zero */

/* libjpeg reports errors by a function that must not return. Everything that calls it is a step, run by
 * halo_jpeg_guard: no local variable lives across a jump. */
typedef struct JpegGuard {
    struct jpeg_error_mgr manager; /* first: libjpeg's err points here */
    jmp_buf jump;
    HaloStatus status; /* of the step; a callback that fails sets it before it calls halo_jpeg_leave */
    HaloStatus blame;  /* what libjpeg's own errors are: HALO_ERR_INPUT or HALO_ERR_OUTPUT */
    bool strict;       /* warnings of damaged data are errors */
    bool damaged;      /* of a warning that is none of these, and no error */
    int markers;       /* with metadata, so far */
    HaloNotes *notes;  /* of the reader */
} JpegGuard;

struct jpeg_error_mgr *halo_jpeg_errors(JpegGuard *guard, HaloStatus blame);
HaloStatus halo_jpeg_guard(JpegGuard *guard, void (*step)(void *), void *arg);
_Noreturn void halo_jpeg_leave(j_common_ptr jpeg, HaloStatus status);

HaloStatus halo_jpeg_open(HaloReader *reader);
HaloStatus halo_jpeg_shrink(HaloReader *reader, int64_t most, int64_t *times);
HaloStatus halo_jpeg_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
void halo_jpeg_close(HaloReader *reader);

HaloStatus halo_jpeg_create(HaloWriter *writer);
HaloStatus halo_jpeg_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus halo_jpeg_finish(HaloWriter *writer);
void halo_jpeg_discard(HaloWriter *writer);

#endif
