/* What reading and writing of JPEG have in common: libjpeg's errors and warnings. */
#ifdef HALO_HAVE_JPEG
#include "jpegfile.h"

#include <jerror.h>

/* The most APPn and COM markers that are kept. A profile has up to 255, and long XMP a few hundred; libjpeg
 * goes through all that it keeps for each new one. */
#define MAX_MARKERS 2000

_Noreturn void halo_jpeg_leave(j_common_ptr jpeg, HaloStatus status)
{
    JpegGuard *guard = (JpegGuard *)jpeg->err;
    guard->status = status;
    longjmp(guard->jump, 1);
}

_Noreturn static void on_error(j_common_ptr jpeg)
{
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    const bool memory = jpeg->err->msg_code == JERR_OUT_OF_MEMORY;
    halo_jpeg_leave(jpeg,
                    halo_fail(memory ? HALO_ERR_LIMIT : ((JpegGuard *)jpeg->err)->blame, "JPEG: %s", text));
}

/* libjpeg reports every APPn and COM, even those that it skips. */
static void count_marker(j_common_ptr jpeg)
{
    JpegGuard *guard = (JpegGuard *)jpeg->err;
    if (++guard->markers > MAX_MARKERS)
        halo_jpeg_leave(jpeg,
                        halo_fail(HALO_ERR_INPUT, "JPEG: more than %d markers with metadata", MAX_MARKERS));
}

/* Level -1 is a warning; libjpeg then continues with invented samples, which is for --tolerate only. These
 * warnings concern no sample: an odd Adobe marker, bytes between markers, a broken profile (left out); and
 * parameters of a scan that only progressive files use, which some encoders leave 0 in others. */
static void on_message(j_common_ptr jpeg, int level)
{
    JpegGuard *guard = (JpegGuard *)jpeg->err;
    const int code = jpeg->err->msg_code;
    if (code == JTRC_MISC_MARKER && jpeg->is_decompressor) count_marker(jpeg);
    if (code == JWRN_NOT_SEQUENTIAL) halo_note(guard->notes, HALO_NOTE_HEADER, 1);
    if (level >= 0 || code == JWRN_NOT_SEQUENTIAL || code == JWRN_ADOBE_XFORM || code == JWRN_EXTRANEOUS_DATA ||
        code == JWRN_BOGUS_ICC)
        return;
    if (guard->strict) on_error(jpeg);
    guard->damaged = true;
}

static void on_output(j_common_ptr jpeg) { (void)jpeg; }

struct jpeg_error_mgr *halo_jpeg_errors(JpegGuard *guard, HaloStatus blame)
{
    guard->blame = blame;
    jpeg_std_error(&guard->manager);
    guard->manager.error_exit = on_error;
    guard->manager.emit_message = on_message;
    guard->manager.output_message = on_output;
    return &guard->manager;
}

HaloStatus halo_jpeg_guard(JpegGuard *guard, void (*step)(void *), void *arg)
{
    guard->status = HALO_OK;
    if (setjmp(guard->jump) == 0) step(arg);
    return guard->status;
}
#endif
