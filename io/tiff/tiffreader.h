/* The state of a TIFF reader: the file below libtiff (tiff_file.c), blocks decoded in threads (tiff_blocks.c),
 * and rows made of them (tiff_read.c). */
#ifndef HALO_IO_TIFFREADER_H
#define HALO_IO_TIFFREADER_H

#include <pthread.h>

#include "halo/pool.h"
#include "tifffile.h"
#include "tiffpixel.h"

/* libtiff for one thread: its handles cannot be shared, so each thread has one of its own on the same source.
 */
typedef struct TiffDecoder {
    struct TiffReader *reader;
    TiffGuard guard;
    TIFF *tiff;
    int64_t at;     /* in the file */
    bool cut;       /* something was to be read behind its end */
    uint64_t page;  /* where the directory stands of the page it is at; 0: at none yet */
    uint8_t *block; /* as libtiff gives it */
} TiffDecoder;

typedef struct TiffReader {
    HaloReader *reader;
    TiffDecoder own; /* of the thread that reads; it alone goes from page to page */
    int64_t size;    /* of the file */
    TiffPixels pixels;
    bool tiled, planar;
    int64_t block_cols, block_rows; /* of a tile or strip; a strip's are cut off by the image */
    int64_t block_bytes, row_bytes; /* as libtiff gives them */
    int64_t across;                 /* blocks in a row of them, those of all planes */
    int64_t page;                   /* that libtiff stands at */
    int64_t given;                  /* rows given out */

    int64_t
        stacked; /* pages by one directory, as ImageJ has it: their samples follow one another; 0: no such */
    int64_t page_bytes; /* of each of them */
    int64_t behind;     /* offset of this page's samples from those of the first, in bytes */
    HaloGrid grid;      /* by ImageJ's description of the first page */
    uint64_t missing;   /* pages that the description speaks of and the file does not have */

    int64_t held;           /* bytes that count for blocks */
    int jobs;               /* threads that decode this page */
    int64_t together;       /* rows of blocks that they decode at a time */
    HaloBuf band;           /* these rows, if they are read in parts: whole blocks of the wanted columns */
    int64_t band_at, ready; /* its first row, -1: none; the rows that are decoded */
    HaloFailure failure;    /* of the row behind them */

    pthread_mutex_t lock; /* of the source, and of what threads find while they decode */
    HaloPool *pool;       /* NULL: not needed yet */
    TiffDecoder *helper;  /* [helpers]: of the pool's threads but the first */
    int helpers;
} TiffReader;

/* ---- tiff_file.c ---------------------------------------------------------------------------------------- */

/* Gives libtiff the source, and opens it. */
HaloStatus tiff_open_file(TiffReader *state);
/* Are there more pages than directories? Before the first page is looked at. */
HaloStatus tiff_find_stack(TiffReader *state);
/* The first picture of a camera raw is reduced, and has the directory of the raw samples below it. */
HaloStatus tiff_refuse_raw(const TiffReader *state);
/* One more handle on the file, at the page that the reader's own is at; false where there is no memory for
 * that. One that is open goes there. */
bool tiff_open_helper(TiffReader *state, TiffDecoder *helper);
void tiff_close_decoder(TiffDecoder *decoder);
/* IfdSource::get; a broken EXIF offset does not make the image fail. */
bool tiff_get_bytes(void *context, int64_t at, void *bytes, size_t size);
/* Along the chain of directories, up to 65535: libtiff's own count takes a square of their number. Overviews,
 * which say that they show another page smaller, are no pages, unless they stand first. */
int64_t tiff_count_pages(TiffReader *state, bool *overviews);
bool tiff_more_pages(TiffReader *state);
/* Moves this many pages ahead. */
bool tiff_go_ahead(TiffReader *state, int64_t pages);

/* ---- tiff_blocks.c -------------------------------------------------------------------------------------- */

/* Settles how blocks of this page are decoded, and allocates the buffers; does nothing if that was done. */
HaloStatus tiff_take_blocks(TiffReader *state);
void tiff_drop_blocks(TiffReader *state);
/* Whole rows of blocks, the image's from row y on, into `rows`, whose columns are those of whole blocks. *good:
 * the rows before the failure. */
HaloStatus tiff_decode(TiffReader *state, const HaloBuf *rows, int64_t y, int64_t *good);

#endif
