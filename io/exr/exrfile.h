/* OpenEXR: its row (exr.c), reading (exr_read.c) and writing (exr_write.c), and failures (exr_guard.c). */
#ifndef HALO_IO_EXRFILE_H
#define HALO_IO_EXRFILE_H

#include "halo/format.h"
#include "libexr.h"

/* The messages of OpenEXRCore, which go here and never to standard error. */
typedef struct ExrGuard {
    HaloStatus status; /* of a callback that failed: takes precedence */
    HaloStatus blame;  /* what its own errors are: HALO_ERR_INPUT or HALO_ERR_OUTPUT */
    char message[160]; /* the first */
} ExrGuard;

void exr_clear(ExrGuard *guard);
/* exr_error_handler_cb_t for a context whose user data begin with a guard. */
void exr_keep_message(exr_const_context_t context, exr_result_t code, const char *message);
HaloStatus exr_outcome(const ExrGuard *guard, exr_result_t code);

HaloStatus exr_open(HaloReader *reader);
HaloStatus exr_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus exr_skip(HaloReader *reader, int64_t rows, int64_t *skipped);
HaloStatus exr_next(HaloReader *reader);
void exr_close(HaloReader *reader);

HaloStatus exr_create(HaloWriter *writer);
HaloStatus exr_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus exr_finish_image(HaloWriter *writer);
void exr_discard(HaloWriter *writer);

#endif
