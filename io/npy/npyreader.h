/* The state of an NPY reader, and its samples. */
#ifndef HALO_IO_NPYREADER_H
#define HALO_IO_NPYREADER_H

#include "npy.h"

#define NPY_BLOCK_BYTES 65536

typedef struct NpyReader {
    NpyHead head;
    int64_t row;
    int64_t start; /* of the samples in the file */
    bool series;   /* sound: a row of the array is a frame */
    bool planar;   /* a picture is one channel after the other */
    void *line;    /* planar: room for a row of one channel */
    union {        /* samples on their way to f32 */
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

/* The type that samples of a picture get. */
HaloDtype npy_native_dtype(const NpyHead *head);
bool npy_is_native(const NpyHead *head);

/* npy_samples.c: the next samples, of that type, or as f32: fewer only where a series of unknown length ends.
 */
HaloStatus npy_samples_read(HaloReader *reader, void *to, size_t samples);
HaloStatus npy_samples_read_floats(HaloReader *reader, float *to, size_t samples, size_t *got);

#endif
