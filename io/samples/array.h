/* Arrays of samples as files hold them (NPY, NRRD, NIfTI, MetaImage, MRC): the sample types and the order of
 * their dimensions (array_layout.c, array_grid.c), samples (array_samples.c), and the functions of formats
 * (array_read.c, array_write.c). */
#ifndef HALO_IO_ARRAY_H
#define HALO_IO_ARRAY_H

#include "bytes/inflate.h"
#include "halo/axes.h"
#include "halo/format.h"

#define HALO_ARRAY_BLOCK 65536

typedef struct HaloArrayHead {
    char kind; /* 'b', 'u', 'i' or 'f' */
    int size;  /* bytes of a sample */
    bool little;
    bool fortran; /* the first dimension runs fastest, not the last */
    int dims;     /* 1 to HALO_MOST_AXES */
    int64_t dim[HALO_MOST_AXES];
    HaloAxes axes; /* what they are; count 0: not known */
    bool counts;   /* signed integers have no full scale */
    bool scaled;   /* samples are slope * stored + offset */
    double slope, offset;
} HaloArrayHead;

/* How many there are of each, and the samples in the file from one to the next. */
typedef struct HaloArrayAxis {
    int64_t length, step;
} HaloArrayAxis;

/* The array as pages of rows, columns and channels. */
typedef struct HaloArrayLayout {
    HaloAxes axes;                      /* as chosen */
    HaloArrayAxis page[HALO_MOST_AXES]; /* the last one runs fastest */
    int page_axes;
    HaloArrayAxis row, column, channel;
    int64_t pages, samples; /* in all */
    bool plain;             /* samples lie in the order in which they are read */
} HaloArrayLayout;

/* `axes`: as options have it; NULL: as the head says, or rows, columns and up to 4 channels, before which pages
 * may stand, as halo writes them. */
HaloStatus halo_array_lay_out(const HaloArrayHead *head, const char *axes, HaloArrayLayout *layout);
/* (frames) or (frames, channels), as a picture of one row. */
HaloStatus halo_array_lay_out_series(const HaloArrayHead *head, HaloArrayLayout *layout);
/* The first sample of a page. */
int64_t halo_array_page(const HaloArrayLayout *layout, int64_t page);
/* Makes the grid of the file's dimensions that of the layout's columns, rows and pages (array_grid.c); false:
 * it has none. */
bool halo_array_arrange_grid(const HaloArrayHead *head, const HaloArrayLayout *layout, HaloGrid *grid);

typedef struct HaloArrayReader {
    HaloArrayHead head;
    HaloArrayLayout layout;
    int64_t row;        /* the next one; of a series the next frame */
    HaloSource *source; /* of the samples: the reader's, or another one, which is closed with it, */
    int64_t start;      /* and where they begin in it */
    HaloMeta meta;      /* of the first page; the others differ in the place of their grid */
    bool series;        /* sound: a row of the array is a frame */
    bool by_channel;    /* rows of a channel lie together in a file that can seek: `line` takes one */
    void *line;
    struct { /* of a member of an archive: its checksum, as it should be and of what has been read, */
        bool checked;
        uint32_t wanted, crc;
        int64_t bytes; /* of samples, from the first one on: only that way it is known at the end */
    } sum;
    uint8_t *held; /* all samples, where they are gathered from all over the file; there are */
    int64_t held_bytes;
    union { /* samples on their way to f32 */
        int8_t i8[HALO_ARRAY_BLOCK];
        uint8_t u8[HALO_ARRAY_BLOCK];
        uint16_t u16[HALO_ARRAY_BLOCK / 2];
        float f32[HALO_ARRAY_BLOCK / 4];
        int16_t i16[HALO_ARRAY_BLOCK / 2];
        int32_t i32[HALO_ARRAY_BLOCK / 4];
        uint32_t u32[HALO_ARRAY_BLOCK / 4];
        int64_t i64[HALO_ARRAY_BLOCK / 8];
        uint64_t u64[HALO_ARRAY_BLOCK / 8];
        double f64[HALO_ARRAY_BLOCK / 8];
    } block;
    double scaled[HALO_ARRAY_BLOCK / 8];
} HaloArrayReader;

/* The type that samples of a picture get, where no more than f32 is wanted. */
HaloDtype halo_array_dtype(const HaloArrayHead *head);
/* Of all samples; INT64_MAX: more than can be addressed. */
int64_t halo_array_bytes(const HaloArrayHead *head);
bool halo_array_is_native(const HaloArrayHead *head);
/* Does f32 lose some of its samples? */
bool halo_array_is_wide(const HaloArrayHead *head);

/* The next samples of the file or, where all are held, those of a row or series from sample `first` of it on;
 * as `dtype`, or as f32 or f64: fewer only where a series of unknown length ends. */
HaloStatus halo_array_take(HaloReader *reader, HaloDtype dtype, int64_t first, void *to, size_t samples);
HaloStatus halo_array_take_reals(HaloReader *reader, HaloDtype dtype, int64_t first, void *to, size_t samples,
                                 size_t *got);
/* Reads all samples, where they are not held yet; those that a damaged file lacks are 0. */
HaloStatus halo_array_hold(HaloReader *reader);
/* Are there enough bytes for all samples? */
HaloStatus halo_array_expect(const HaloReader *reader, int64_t bytes);
/* Goes to a sample of the file; a compressed one only forward. */
HaloStatus halo_array_seek(HaloReader *reader, int64_t sample);

/* ---- functions of formats (array_read.c) ----------------------------------------------------------------- */

/* reader->state, for `open` to fill: head, source, start and meta. */
HaloStatus halo_array_new(HaloReader *reader, HaloArrayReader **state);
/* The end of `open`: page options.image. */
HaloStatus halo_array_open(HaloReader *reader);
/* From here on samples come out of compressed bytes, of which at most `packed` are taken. */
HaloStatus halo_array_inflate(HaloReader *reader, HaloDeflated how, int64_t packed);
/* Where a header of text says that the samples are. */
typedef struct HaloArrayPlace {
    const char *file;     /* beside the header; "": behind it */
    int64_t lines, bytes; /* to skip; bytes -1: as many as there are before the last samples */
    bool compressed;      /* by gzip or zlib, behind the lines */
} HaloArrayPlace;
/* Goes there; the head is set. */
HaloStatus halo_array_find(HaloReader *reader, const HaloArrayPlace *place);
/* In place of that: frames, or frames by channels. */
HaloStatus halo_array_open_series(HaloReader *reader);
HaloStatus halo_array_next(HaloReader *reader);
HaloStatus halo_array_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus halo_array_skip(HaloReader *reader, int64_t rows, int64_t *skipped);
void halo_array_close(HaloReader *reader);

/* ---- writing (array_write.c) ----------------------------------------------------------------------------- */

/* Of a file of pages that are alike. */
typedef struct HaloArrayWriter {
    HaloArrayHead head; /* of one page: rows, columns and, where there are several, channels */
    HaloMeta meta;      /* of the first page, of formats with a grid: also for writing the header again */
    bool stored;        /* samples were only moved, and keep the type of their file */
    int64_t pages;      /* so far */
    int64_t frames;     /* of sound, so far */
    int64_t said;       /* pages, as the header has them; 0: it is not written yet */
    void *more;         /* the format's own, which it frees */
} HaloArrayWriter;

static inline const HaloMeta *halo_array_meta(const HaloWriter *writer)
{
    return &((const HaloArrayWriter *)writer->state)->meta;
}

/* Kind and size of types, "u1i2f4": the set that a format has. Sets the head of the next page, or checks that
 * it is like those before. *first: the header is to be written. */
HaloStatus halo_array_create(HaloWriter *writer, const char *types, bool *first);
/* Rows in the order of this format, to the sink, or in parts to `put`. */
HaloStatus halo_array_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus halo_array_put(HaloWriter *writer, const HaloBuf *rows,
                          HaloStatus (*put)(HaloWriter *writer, const void *bytes, size_t size));
HaloStatus halo_array_finish(HaloWriter *writer);
/* `end` of formats whose header says how many pages there are: where there are others than it says,
 * `write_head` writes it again at this place. */
HaloStatus halo_array_end(HaloWriter *writer, int64_t at, HaloStatus (*write_head)(HaloWriter *writer));
void halo_array_discard(HaloWriter *writer);
/* How many pages the header should state: those that are expected, or, at the end, those that came; *depth: of
 * them make a volume, where there are several. */
int64_t halo_array_pages(const HaloWriter *writer, int64_t *depth);
/* Leaves a grid out, with a note, that the format has no unit for. */
void halo_array_drop_grid(HaloWriter *writer);

#endif
