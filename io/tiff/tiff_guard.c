/* What reading and writing of TIFF have in common: libtiff's messages, opening and closing, and tags whose
 * value it may have lost for want of memory. */
#ifdef HALO_HAVE_TIFF
#include "tifffile.h"

#include <stdio.h>
#include <string.h>

#include "halo/text.h"

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

/* libtiff puts the name of the file before some messages, and a row that it does not know after others. */
static void trim(char *message)
{
    static const char name[] = "TIFF: ", no_row[] = " at scanline 4294967295";
    char *end = strstr(message, no_row);
    if (strncmp(message, name, sizeof name - 1) == 0)
        memmove(message, message + sizeof name - 1, strlen(message) - sizeof name + 2);
    if (end != NULL && (end = strstr(message, no_row)) != NULL) {
        const char *rest = end + sizeof no_row - 1;
        memmove(end, rest, strlen(rest) + 1);
    }
}

static bool tells_of_reading(const char *message)
{
    return strstr(message, "Read error") != NULL || strstr(message, "an not read") != NULL ||
           strstr(message, "annot read") != NULL;
}

static void keep(TiffGuard *guard, const char *format, va_list args)
{
    char message[sizeof guard->message];
    halo_vsnprintf(message, sizeof message, format, args);
    trim(message);
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
    if (guard->blame == HALO_ERR_INPUT && (guard->message[0] == 0 || tells_of_reading(guard->message)))
        return halo_fail(HALO_ERR_INPUT, "TIFF is truncated or damaged%s%s%s",
                         guard->message[0] != 0 ? " (" : "", guard->message, guard->message[0] != 0 ? ")" : "");
    return halo_fail(guard->blame, "TIFF: %s", guard->message[0] != 0 ? guard->message : "damaged");
}

/* libtiff 4.5 counts a custom tag before it has space for it, and walks them all while it closes: without
 * memory it stays as it is. */
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
