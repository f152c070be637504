#ifdef HALO_HAVE_FITS
#include "fits_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fitsfile.h"
#include "halo/text.h"

#define MOST_OPEN 1024
#define PREFIX "halo://"

static FitsSource *open_source[MOST_OPEN];

/* Files are whole blocks; of the last one bytes may be missing, which are 0. */
static int64_t blocks_of(const FitsSource *source)
{
    return (source->size + FITS_BLOCK - 1) / FITS_BLOCK * FITS_BLOCK;
}

static int nothing(void) { return 0; }
static int take_options(int option) { return (void)option, 0; }
static int give_options(int *options) { return *options = 0, 0; }
static int give_version(int *version) { return *version = 10, 0; }

static int open_handle(char *name, int mode, int *handle)
{
    const char *end;
    int64_t place;
    if (mode != READONLY || !halo_read_int(name, 0, MOST_OPEN - 1, &place, &end) || open_source[place] == NULL)
        return FILE_NOT_OPENED;
    open_source[place]->at = 0;
    *handle = (int)place;
    return 0;
}

static int close_handle(int handle) { return (void)handle, 0; }
static int flush(int handle) { return (void)handle, 0; }

static int give_size(int handle, LONGLONG *size)
{
    *size = blocks_of(open_source[handle]);
    return 0;
}

static int seek(int handle, LONGLONG offset)
{
    open_source[handle]->at = offset;
    return offset < 0 ? SEEK_ERROR : 0;
}

/* Bytes that the file has, up to `size`. */
static size_t take(FitsSource *source, void *to, size_t size)
{
    size_t got = 0;
    if (source->bytes != NULL) {
        memcpy(to, source->bytes + source->at, size);
        return size;
    }
    source->status = halo_source_seek(source->source, source->at);
    if (source->status == HALO_OK) source->status = halo_source_read(source->source, to, size, &got);
    return got;
}

static int read_bytes(int handle, void *to, long size)
{
    FitsSource *source = open_source[handle];
    const int64_t left = source->size > source->at ? source->size - source->at : 0;
    if (size < 0 || source->at > blocks_of(source) || size > blocks_of(source) - source->at) return END_OF_FILE;
    const size_t there = size < left ? (size_t)size : (size_t)left;
    const size_t got = there > 0 ? take(source, to, there) : 0;
    if (source->status != HALO_OK) return READ_ERROR;
    memset((char *)to + got, 0, (size_t)size - got);
    source->at += size;
    return 0;
}

static int write_bytes(int handle, void *from, long size)
{
    return (void)handle, (void)from, (void)size, WRITE_ERROR;
}

static int register_driver(void)
{
    static bool done;
    char prefix[] = PREFIX;
    if (!done) fits.fits_init_cfitsio(); /* its own drivers first, as it would do later */
    const int code = done ? 0
                          : fits.fits_register_driver(prefix, nothing, nothing, take_options, give_options,
                                                      give_version, NULL, open_handle, NULL, NULL, close_handle,
                                                      NULL, give_size, flush, seek, read_bytes, write_bytes);
    done = done || code == 0;
    return code;
}

HaloStatus fits_source_open(FitsSource *source, fitsfile **file, int *code)
{
    char name[32];
    int place = 0;
    while (place < MOST_OPEN && open_source[place] != NULL) place++;
    if (place == MOST_OPEN)
        return halo_fail(HALO_ERR_LIMIT, "more than %d FITS files are open: use fewer threads (--jobs=1)",
                         MOST_OPEN);
    *code = register_driver();
    if (*code != 0) return HALO_OK;
    open_source[place] = source;
    snprintf(name, sizeof name, PREFIX "%d", place);
    fits.ffopen(file, name, READONLY, code);
    return HALO_OK;
}

void fits_source_drop(const FitsSource *source)
{
    for (int i = 0; i < MOST_OPEN; i++)
        if (open_source[i] == source) open_source[i] = NULL;
}
#endif
