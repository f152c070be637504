/* NumPy's NPY format: the header (npy_head.c), and the rows of NPY and NPZ (npy.c, npz.c). */
#ifndef HALO_IO_NPY_H
#define HALO_IO_NPY_H

#include "samples/array.h"

/* Reads everything before the samples. */
HaloStatus halo_npy_read_head(HaloSource *source, HaloArrayHead *head, uint32_t *crc);
/* Writes NPY_HEAD_BYTES, whatever the shape: it can be written again over itself. */
HaloStatus halo_npy_write_head(HaloSink *sink, const HaloArrayHead *head);

/* The same bytes, with a zero behind them. */
HaloStatus halo_npy_print_head(const HaloArrayHead *head, char bytes[129]);
/* A first dimension that counts pages. */
void halo_npy_add_pages(HaloArrayHead *head, int64_t pages);

#define NPY_HEAD_BYTES 128
#define NPY_TYPES "b1u1i1u2i2f2u4i4f4u8i8f8"

#endif
