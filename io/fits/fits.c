/* FITS: images in any HDU. */
#ifdef HALO_HAVE_FITS
#include <string.h>

#include "fitsfile.h"

static bool probe(const uint8_t *head, size_t size)
{
    return size >= 30 && memcmp(head, "SIMPLE  =                    T", 30) == 0;
}

const HaloFormat halo_format_fits = {
    .name = "fits",
    .help = "FITS images, 8 to 64 bits and floats, HDUs and planes as pages, rows in the file's order",
    .extensions = "fits,fit,fts",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32 | 1u << HALO_F64,
    .channels = 1u << 0 | 1u << 2,
    .holds = HALO_META_TEXT,
    .keeps_units = true,
    .decodes = 300,
    .several = HALO_SEVERAL,
    .probe = probe,
    .open = fits_open,
    .read = fits_read,
    .skip = fits_skip,
    .close = fits_close,
    .next = fits_next,
    .create = fits_create,
    .write = fits_write,
    .finish = fits_finish,
    .discard = fits_discard,
};
#endif
