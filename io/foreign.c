/* Names for files that halo does not read, so that the message can say what was refused. */
#include <string.h>

#include "halo/format.h"

typedef struct Magic {
    size_t at;
    const char *bytes;
    size_t length;
    const char *name;
} Magic;

static const Magic magics[] = {
#ifndef HALO_HAVE_TIFF
    {0, "II*\0", 4, "TIFF"},      {0, "MM\0*", 4, "TIFF"},
#endif
    {0, "GIF8", 4, "GIF"},        {8, "WEBP", 4, "WebP"},      {4, "ftypavif", 8, "AVIF"},
    {4, "ftypheic", 8, "HEIC"},   {4, "ftyp", 4, "MP4"},       {0, "\377\012", 2, "JPEG XL"},
    {0, "v/1\001", 4, "OpenEXR"}, {0, "%PDF", 4, "PDF"},       {0, "ID3", 3, "MP3"},
    {0, "\377\373", 2, "MP3"},    {0, "<svg", 4, "SVG"},       {0, "\211HDF", 4, "HDF5"},
    {0, "SIMPLE", 6, "FITS"},     {0, "PK\003\004", 4, "ZIP"}, {0, "\037\213", 2, "gzip"},
};

const char *halo_foreign_name(const uint8_t *head, size_t size)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        const Magic *m = &magics[i];
        if (size >= m->at + m->length && memcmp(head + m->at, m->bytes, m->length) == 0) return m->name;
    }
    return NULL;
}
