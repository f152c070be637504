/* The state of a TIFF writer: the file below libtiff (tiff_write.c), blocks encoded in threads (tiff_encode.c)
 * of samples as they are compressed (tiff_cut.c), and the overviews of a pyramid (tiff_halve.c). */
#ifndef HALO_IO_TIFFWRITER_H
#define HALO_IO_TIFFWRITER_H

#include "bytes/deflate.h"
#include "bytes/spool.h"
#include "halo/pool.h"
#include "tifffile.h"

/* What a block became. */
typedef struct TiffPacked {
    uint8_t *bytes;
    size_t size, capacity;
} TiffPacked;

/* What one thread compresses with. */
typedef struct TiffEncoder {
    HaloDeflater *deflater;
    uint8_t *block, *stream; /* the samples of a block; what they become */
    HaloStatus status;
} TiffEncoder;

/* What samples are in the file. */
typedef struct TiffSamples {
    int bits;
    uint16_t format; /* SAMPLEFORMAT_… */
} TiffSamples;

/* How the samples of a page lie in its file. */
typedef struct TiffLayout {
    HaloShape shape;
    TiffSamples samples;
    bool tiled;
    int64_t cols, rows;        /* of a block; a strip's end with the image */
    int64_t row_bytes, across; /* of a row of the image; blocks in a row of them */
} TiffLayout;

/* Blocks of pages that have the same samples and blocks of the same size. */
typedef struct TiffPress {
    size_t block;     /* bytes of one */
    bool differences; /* of bytes */
    int jobs;         /* that there is work for */
    HaloPool *pool;
    TiffEncoder *encoder; /* [jobs] */
    TiffPacked *packed;   /* [capacity]: of the blocks that are encoded together */
    int64_t capacity;
} TiffPress;

/* Sets the tags of a page that say how its samples lie; false where libtiff refuses. (tiff_layout.c) */
bool tiff_set_layout(TiffGuard *guard, TIFF *tiff, const TiffLayout *layout);
/* Are samples stored as differences from those to the left? */
bool tiff_predicts(const TiffLayout *layout);

/* The bytes of a whole block. */
size_t tiff_block_bytes(const TiffLayout *layout);
/* Block k of `count` rows of the image, as it is compressed; returns its bytes. (tiff_cut.c) */
size_t tiff_cut(const TiffLayout *layout, const uint8_t *rows, int64_t count, int64_t k, uint8_t *block);

/* How many rows of blocks are encoded together, so that each of `jobs` threads has some. */
int64_t tiff_press_together(const TiffLayout *layout, int jobs);
/* Allocates blocks and their encoders, or keeps those of the page before, which are {0} at first;
 * HALO_ERR_LIMIT. `effort` 1 (fast) to 9 (small), 0: 1; it and `jobs` are the same for all pages. */
HaloStatus tiff_press_new(TiffPress *press, const TiffLayout *layout, int64_t capacity, int jobs, int effort);
void tiff_press_free(TiffPress *press);
/* Encodes `count` rows of the page that begin a row of blocks and end one, or the page; *blocks of them are
 * then in `packed`, from left to right. */
HaloStatus tiff_press_rows(TiffPress *press, const TiffLayout *layout, const uint8_t *rows, int64_t count,
                           int64_t *blocks);

/* A page, or an overview of it: rows are kept until there are some rows of blocks, which are encoded together.
 * The blocks of overviews are kept until their page is written. (tiff_levels.c) */
typedef struct TiffLevel {
    TiffLayout layout;
    uint8_t *rows;
    int64_t capacity, there, given; /* rows of the buffer; in it; of the image so far */
    HaloSpool kept;
    uint32_t *size; /* [blocks]: of those that are kept */
    int64_t blocks; /* so far */
} TiffLevel;

#define TIFF_MAX_LEVELS 32

typedef struct TiffLevels {
    HaloMemory *memory;
    int64_t held;
    TiffPress press;
    TiffLevel level[TIFF_MAX_LEVELS];
    int levels;
} TiffLevels;

/* `tile`: 0 for strips; `pyramid`: with overviews, down to one that a tile holds. *bytes: of all samples. */
HaloStatus tiff_levels_plan(TiffLevels *levels, const HaloShape *shape, TiffSamples samples, int tile,
                            bool pyramid, int64_t *bytes);
/* Takes the memory for them. */
HaloStatus tiff_levels_new(TiffLevels *levels, HaloMemory *memory, int jobs, int effort);
void tiff_levels_free(TiffLevels *levels);
/* One row of the page. Its blocks go to `tiff`, as they are ready. */
HaloStatus tiff_levels_put(TiffLevels *levels, TiffGuard *guard, TIFF *tiff, const void *row);
/* Behind the page's directory: overviews, each with one of its own. */
HaloStatus tiff_levels_end(TiffLevels *levels, TiffGuard *guard, TIFF *tiff);

/* The shape of the next overview; and a row of it, of two of this. */
HaloShape tiff_halved(const HaloShape *shape);
void tiff_halve_rows(const HaloShape *shape, const void *upper, const void *lower, void *to);

#endif
