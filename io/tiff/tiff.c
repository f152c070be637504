/* TIFF: classic and BigTIFF, by libtiff. */
#ifdef HALO_HAVE_TIFF
#include "tifffile.h"

#include <stdio.h>
#include <string.h>

#include "halo/text.h"

static bool probe(const uint8_t *head, size_t size)
{
    static const char magics[][5] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (size >= 8 && memcmp(head, magics[i], 4) == 0) return true;
    return false;
}

const HaloFormat halo_format_tiff = {
    .name = "tiff",
    .help = "TIFF, 1 to 16 bits, 32 bits and floats, strips and tiles, BigTIFF; written with Deflate",
    .extensions = "tif,tiff",
    .kinds = HALO_IMAGE,
    .decodes = 400,
    .encodes = 80,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32,
    .channels = HALO_ANY_CHANNELS,
    .with_alpha = HALO_ANY_CHANNELS,
    .tiles = true,
    .holds = HALO_META_ICC | HALO_META_EXIF | HALO_META_XMP | HALO_META_TEXT | HALO_META_RESOLUTION |
             HALO_META_GEO | HALO_META_COLOURS | HALO_META_IPTC,
    .several = HALO_SEVERAL,
    .probe = probe,
    .open = halo_tiff_read_open,
    .read = halo_tiff_read,
    .skip = halo_tiff_skip,
    .columns = true,
    .close = halo_tiff_close,
    .next = halo_tiff_next,
    .load = tiff_load,
    .create = halo_tiff_create,
    .write = halo_tiff_write,
    .finish = halo_tiff_finish,
    .end = halo_tiff_end,
    .discard = halo_tiff_discard,
};

/* ---- the guard ------------------------------------------------------------------------------------------ */

/* libtiff continues without a tag for which it had no memory, so only its messages tell. They are the same if a
 * damaged file asks for 0 bytes, or for more than the limit. */
static void note_memory(TiffGuard *guard, const char *message)
{
    static const char *const lies[] = {"(0 elements", "byte limit defined in open options", "nteger overflow"};
    static const char *const words[] = {"ailed to allocate",   "annot allocate",   "nable to allocate",
                                        "ut of memory",        "ot enough memory", "o space ",
                                        "insufficient memory", "malloc(",          "nsertion in tif_"};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
        if (strstr(message, lies[i]) != NULL) guard->beyond = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!guard->beyond && strstr(message, words[i]) != NULL) guard->starved = true;
}

static void keep(TiffGuard *guard, const char *format, va_list args)
{
    char message[sizeof guard->message];
    halo_vsnprintf(message, sizeof message, format, args);
    note_memory(guard, message);
    if (!guard->failed && !guard->warned) memcpy(guard->message, message, sizeof message);
}

/* Both return 1: libtiff's own handlers, which print, are not called. */
static int on_error(TIFF *tiff, void *data, const char *module, const char *format, va_list args)
{
    TiffGuard *guard = data;
    (void)tiff;
    (void)module;
    keep(guard, format, args);
    guard->failed = true;
    return 1;
}

static int on_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list args)
{
    TiffGuard *guard = data;
    (void)tiff;
    (void)module;
    if (!guard->strict) return 1;
    keep(guard, format, args);
    guard->warned = true;
    return 1;
}

void halo_tiff_clear(TiffGuard *guard)
{
    guard->failed = guard->warned = guard->beyond = false;
    guard->message[0] = 0;
}

HaloStatus halo_tiff_outcome(const TiffGuard *guard, bool ok)
{
    if (guard->status != HALO_OK) return guard->status;
    if (guard->starved) return halo_fail(HALO_ERR_LIMIT, "not enough memory for TIFF");
    if (ok && !guard->warned) return HALO_OK;
    return halo_fail(guard->blame, "TIFF: %s", guard->message[0] != 0 ? guard->message : "damaged");
}

/* libtiff 4.5 counts a custom tag before it has room for it, and walks them all while it closes: without memory
 * it stays as it is. */
void halo_tiff_shut(const TiffGuard *guard, TIFF *tiff)
{
    if (tiff != NULL && !guard->starved) TIFFCleanup(tiff);
}

HaloStatus halo_tiff_value(TiffGuard *guard, TIFF *tiff, uint32_t tag, uint32_t *size, const void **value)
{
    bool there = false;
    *value = NULL;
    if (size != NULL) *size = 0;
    if (!guard->starved)
        there = (size != NULL ? TIFFGetField(tiff, tag, size, value) : TIFFGetField(tiff, tag, value)) == 1;
    if (there && *value == NULL && (size == NULL || *size > 0)) guard->starved = true;
    return halo_tiff_outcome(guard, true);
}

static int on_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

TIFF *halo_tiff_open(TiffGuard *guard, const char *mode, const TiffStream *stream, void *handle,
                     int64_t max_bytes)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options == NULL) guard->starved = true;
    if (options == NULL) return NULL;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)max_bytes);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, guard);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, guard);
    TIFF *tiff = TIFFClientOpenExt("TIFF", mode, handle, stream->read, stream->write, stream->seek, on_close,
                                   stream->size, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}
#endif
