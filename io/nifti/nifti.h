/* NIfTI-1 and -2: the header both ways (nifti_head.c), reading (nifti_read.c), and writing (nifti.c). */
#ifndef HALO_IO_NIFTI_H
#define HALO_IO_NIFTI_H

#include "samples/array.h"

enum { NIFTI_1_BYTES = 348, NIFTI_2_BYTES = 540, NIFTI_RGB = 128, NIFTI_RGBA = 2304 };

typedef struct NiftiHead {
    int version; /* 1 or 2; 0: ANALYZE 7.5, which has no signature */
    bool big;
    bool beside; /* the samples are in a file of their own */
    int type;
    int64_t dim[8]; /* dim[0]: how many */
    double pixdim[8];
    int64_t start; /* of the samples in the file */
    double slope, offset;
    int units;
    char text[81];
    int qform, sform;
    double quaternion[3], shift[3], row[3][4];
} NiftiHead;

/* From as many bytes as the version has. */
HaloStatus nifti_parse(const uint8_t *bytes, NiftiHead *head);
/* Does a file begin like this? Bytes up to dim[0] are enough. */
bool nifti_begins(const uint8_t *bytes, size_t size);
/* Little-endian; how many bytes: those of the version and four that say there is no extension. */
size_t nifti_print(const NiftiHead *head, uint8_t bytes[NIFTI_2_BYTES + 4]);

/* Where the samples lie, from and to the coordinates of the file (RAS). */
void nifti_grid(const NiftiHead *head, HaloGrid *grid);
void nifti_place(const HaloGrid *grid, NiftiHead *head);

/* nifti_read.c: members of both rows. */
bool nifti_probe(const uint8_t *head, size_t size);
bool nifti_probe_gz(const uint8_t *head, size_t size);
HaloStatus nifti_open(HaloReader *reader);
HaloStatus nifti_open_gz(HaloReader *reader);

#endif
