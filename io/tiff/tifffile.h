/* TIFF: its row (tiff.c) stands on reading (tiff_read.c) and writing (tiff_write.c), these on the metadata that
 * both map to tags (tiff_meta.c), and all on the error handling around libtiff (tiff_guard.c). */
#ifndef HALO_IO_TIFFFILE_H
#define HALO_IO_TIFFFILE_H

#include "libtiff.h"

#include "meta/ifd.h"

/* The messages of libtiff, which go here and never to standard error. */
typedef struct TiffGuard {
    HaloStatus status;   /* of a callback that failed: takes precedence over libtiff's own errors */
    HaloStatus blame;    /* what libtiff's own errors are: HALO_ERR_INPUT or HALO_ERR_OUTPUT */
    bool strict;         /* a warning is damage */
    bool failed, warned; /* since halo_tiff_clear */
    bool starved; /* an allocation failed: libtiff may have left something out, and its lists may be broken */
    bool beyond;  /* a file asked for more than libtiff may allocate: no lack of memory follows from that */
    char message[160]; /* the first of them */
} TiffGuard;

typedef struct TiffStream {
    TIFFReadWriteProc read, write;
    TIFFSeekProc seek;
    TIFFSizeProc size;
} TiffStream;

/* Like TIFFClientOpen, with a handle for the callbacks; libtiff allocates no piece larger than max_bytes. NULL
 * with the reason in the guard. */
TIFF *halo_tiff_open(TiffGuard *guard, const char *mode, const TiffStream *stream, void *handle,
                     int64_t max_bytes);
void halo_tiff_clear(TiffGuard *guard);
void halo_tiff_shut(const TiffGuard *guard, TIFF *tiff); /* NULL is fine */
/* The value of a tag that is a text or an array, NULL where there is none; with its length where `size` is not
 * NULL, as libtiff wants it for some tags. A tag that is there without its value, as libtiff leaves it where it
 * had no memory for that, is HALO_ERR_LIMIT: also right after it was set. */
HaloStatus halo_tiff_value(TiffGuard *guard, TIFF *tiff, uint32_t tag, uint32_t *size, const void **value);
/* The status, with a message; `ok`: libtiff reported success. */
HaloStatus halo_tiff_outcome(const TiffGuard *guard, bool ok);

HaloStatus halo_tiff_take_meta(TiffGuard *guard, TIFF *tiff, HaloMeta *meta);
/* Tags that libtiff refuses are left out. */
HaloStatus halo_tiff_put_meta(TiffGuard *guard, TIFF *tiff, const HaloInfo *info, HaloNotes *notes);
/* The records of IPTC, byte by byte, also where the tag's type says longs, as it often does. */
HaloStatus halo_tiff_take_iptc(TIFF *tiff, const IfdSource *from, HaloBlob *iptc);

/* EXIF of the current image with its directories, where there are any (tiff_exif.c); and the other way: `bytes`
 * are to stand at offset `end` of the file. */
HaloStatus halo_tiff_take_exif(TIFF *tiff, const IfdSource *from, HaloBlob *exif);
HaloStatus halo_tiff_put_exif(TiffGuard *guard, TIFF *tiff, const HaloBlob *exif, int64_t end, HaloBlob *bytes);

/* GeoTIFF of the current image (tiff_geo.c). */
HaloStatus halo_tiff_take_geo(TIFF *tiff, const IfdSource *from, HaloMeta *meta);
HaloStatus halo_tiff_put_geo(TiffGuard *guard, TIFF *tiff, const HaloMeta *meta);

HaloStatus halo_tiff_read_open(HaloReader *reader);
HaloStatus halo_tiff_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus halo_tiff_skip(HaloReader *reader, int64_t rows, int64_t *skipped);
HaloStatus halo_tiff_next(HaloReader *reader);
void halo_tiff_close(HaloReader *reader);

HaloStatus halo_tiff_create(HaloWriter *writer);
HaloStatus halo_tiff_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus halo_tiff_finish(HaloWriter *writer);
HaloStatus halo_tiff_end(HaloWriter *writer);
void halo_tiff_discard(HaloWriter *writer);

#endif
