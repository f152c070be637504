/* The state of an NPY reader, the layout of its array, and its samples. */
#ifndef HALO_IO_NPYREADER_H
#define HALO_IO_NPYREADER_H

#include "npy.h"

#define NPY_BLOCK_BYTES 65536

/* How many there are of each, and the samples in the file from one to the next. */
typedef struct NpyAxis {
    int64_t length, step;
} NpyAxis;

/* npy_layout.c: the array as pages of rows, columns and channels. */
typedef struct NpyLayout {
    NpyAxis page[HALO_MOST_AXES]; /* the last one runs fastest */
    int page_axes;
    NpyAxis row, column, channel;
    int64_t pages, samples; /* in all */
    bool plain;             /* samples lie in the order in which they are read */
} NpyLayout;

/* `axes`: as options have it; NULL: rows, columns and up to 4 channels, before which pages may stand, as halo
 * writes them. */
HaloStatus npy_lay_out(const NpyHead *head, const char *axes, NpyLayout *layout);
/* (frames) or (frames, channels), as a picture of one row. */
HaloStatus npy_lay_out_series(const NpyHead *head, NpyLayout *layout);
/* The first sample of a page. */
int64_t npy_page(const NpyLayout *layout, int64_t page);

typedef struct NpyReader {
    NpyHead head;
    NpyLayout layout;
    int64_t row;     /* the next one; of a series the next frame */
    int64_t start;   /* of the samples in the file */
    bool series;     /* sound: a row of the array is a frame */
    bool by_channel; /* rows of a channel lie together in a file that can seek: `line` takes one */
    void *line;
    uint8_t *held; /* all samples, where they are gathered from all over the file; there are */
    int64_t held_bytes;
    union { /* samples on their way to f32 */
        int8_t i8[NPY_BLOCK_BYTES];
        uint8_t u8[NPY_BLOCK_BYTES];
        uint16_t u16[NPY_BLOCK_BYTES / 2];
        float f32[NPY_BLOCK_BYTES / 4];
        int16_t i16[NPY_BLOCK_BYTES / 2];
        int32_t i32[NPY_BLOCK_BYTES / 4];
        uint32_t u32[NPY_BLOCK_BYTES / 4];
        int64_t i64[NPY_BLOCK_BYTES / 8];
        uint64_t u64[NPY_BLOCK_BYTES / 8];
        double f64[NPY_BLOCK_BYTES / 8];
    } block;
} NpyReader;

/* The type that samples of a picture get, where no more than f32 is wanted. */
HaloDtype npy_native_dtype(const NpyHead *head);
bool npy_is_native(const NpyHead *head);
/* Does f32 lose some of its samples? */
bool npy_is_wide(const NpyHead *head);

/* npy_samples.c: the next samples of the file or, where all are held, those of a row or series from sample
 * `first` of it on; as `dtype`, or as f32 or f64: fewer only where a series of unknown length ends. */
HaloStatus npy_samples_read(HaloReader *reader, HaloDtype dtype, int64_t first, void *to, size_t samples);
HaloStatus npy_samples_read_reals(HaloReader *reader, HaloDtype dtype, int64_t first, void *to, size_t samples,
                                  size_t *got);
/* Reads all samples, where they are not held yet; those that a damaged file lacks are 0. */
HaloStatus npy_samples_hold(HaloReader *reader);

#endif
