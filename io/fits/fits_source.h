/* Gives CFITSIO the bytes of sources, through a driver of its own kind: its driver for memory reads behind the
 * end of what it is given. The caller holds a lock, since CFITSIO keeps lists for the whole process. */
#ifndef HALO_IO_FITS_SOURCE_H
#define HALO_IO_FITS_SOURCE_H

#include "halo/format.h"
#include "libcfitsio.h"

typedef struct FitsSource {
    HaloSource *source; /* which can seek; or */
    const uint8_t *bytes;
    int64_t size, at;
    HaloStatus status; /* of the source */
} FitsSource;

/* Opens the file for reading; *code is CFITSIO's. HALO_ERR_LIMIT where too many files are open. */
HaloStatus fits_source_open(FitsSource *source, fitsfile **file, int *code);
/* After the file is closed, or where it could not be opened. */
void fits_source_drop(const FitsSource *source);

#endif
