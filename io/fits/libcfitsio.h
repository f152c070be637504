/* CFITSIO, which is loaded with the first FITS that is read (library/library.h). */
#ifndef HALO_IO_LIBCFITSIO_H
#define HALO_IO_LIBCFITSIO_H

#include <fitsio.h>

#include "library/library.h"

HaloStatus fits_load(void);

#define FITS_FUNCTIONS(ROW) \
    ROW(ffclos)             \
    ROW(ffcmsg)             \
    ROW(ffgerr)             \
    ROW(ffghadll)           \
    ROW(ffghdt)             \
    ROW(ffghsp)             \
    ROW(ffgidm)             \
    ROW(ffgidt)             \
    ROW(ffgiet)             \
    ROW(ffgiszll)           \
    ROW(ffgky)              \
    ROW(ffgpxvll)           \
    ROW(ffgrec)             \
    ROW(ffmahd)             \
    ROW(ffomem)             \
    ROW(ffthdu)

typedef struct FitsFunctions {
    FITS_FUNCTIONS(LIBRARY_MEMBER)
} FitsFunctions;

extern FitsFunctions fits;

#endif
