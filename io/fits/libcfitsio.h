/* CFITSIO, which is loaded with the first FITS that is read (library/library.h). */
#ifndef HALO_IO_LIBCFITSIO_H
#define HALO_IO_LIBCFITSIO_H

#include <fitsio.h>

#include "library/library.h"

HaloStatus fits_load(void);

/* Of fitsio2.h, which some distributions leave out. */
int fits_register_driver(char *prefix, int (*init)(void), int (*shutdown)(void), int (*setoptions)(int option),
                         int (*getoptions)(int *options), int (*getversion)(int *version),
                         int (*checkfile)(char *urltype, char *infile, char *outfile),
                         int (*open)(char *filename, int rwmode, int *handle),
                         int (*create)(char *filename, int *handle), int (*truncate)(int handle, LONGLONG size),
                         int (*close)(int handle), int (*remove)(char *filename),
                         int (*size)(int handle, LONGLONG *size), int (*flush)(int handle),
                         int (*seek)(int handle, LONGLONG offset),
                         int (*read)(int handle, void *to, long bytes),
                         int (*write)(int handle, void *from, long bytes));

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
    ROW(ffopen)             \
    ROW(ffthdu)             \
    ROW(fits_init_cfitsio)  \
    ROW(fits_register_driver)

typedef struct FitsFunctions {
    FITS_FUNCTIONS(LIBRARY_MEMBER)
} FitsFunctions;

extern FitsFunctions fits;

#endif
