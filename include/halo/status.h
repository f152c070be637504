/* How every function of halo reports failure: a HaloStatus, and a sentence for people in a message of each
 * thread. */
#ifndef HALO_STATUS_H
#define HALO_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HaloStatus {
    HALO_OK = 0,
    HALO_ERR_INPUT = 1,     /* this input failed: missing, corrupt, refused, or nothing left of it */
    HALO_ERR_USAGE = 2,     /* the request itself is wrong: unknown operation, bad value, bad mask */
    HALO_ERR_DEVICE = 3,    /* the requested GPU is missing, failed, or ran out of memory */
    HALO_ERR_OUTPUT = 4,    /* the output could not be written */
    HALO_ERR_LIMIT = 5,     /* a limit was reached: pixels, host memory, or a GPU's where bands do not help */
    HALO_ERR_BUG = 16,      /* an internal error of halo; please report it */
    HALO_ERR_PIPE = 17,     /* the reader of standard output has closed it: no message */
    HALO_ERR_CANCELLED = 18 /* HaloOptions::progress ended the run */
} HaloStatus;

/* Marks the symbols that libhalo.so exports; everything else is hidden. api/symbols.txt lists them. */
#if defined(__GNUC__)
#define HALO_API __attribute__((visibility("default")))
#else
#define HALO_API
#endif

/* This thread's latest message; never NULL. It says what happened, where, and what to do, starts in lower case
 * and has no final full stop. Valid until the thread's next failure. */
HALO_API const char *halo_error(void);

#ifdef __cplusplus
}
#endif
#endif
