/* How every function of halo reports failure.
 *
 * Functions return a HaloStatus and leave a sentence for people in a per-thread message. The values are the
 * exit statuses of the program, so that they need no translation. */
#ifndef HALO_STATUS_H
#define HALO_STATUS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HaloStatus {
    HALO_OK = 0,
    HALO_ERR_INPUT = 1,  /* this input failed: missing, corrupt, refused, or nothing left of it */
    HALO_ERR_USAGE = 2,  /* the request itself is wrong: unknown operation, bad value, bad mask */
    HALO_ERR_DEVICE = 3, /* the requested GPU is missing, failed, or ran out of memory */
    HALO_ERR_OUTPUT = 4, /* the output could not be written */
    HALO_ERR_LIMIT = 5,  /* a limit was reached: pixels, host memory, or a GPU's where bands do not help */
    HALO_ERR_BUG = 70,   /* an internal error of halo; please report it */
    HALO_ERR_PIPE = 141  /* the reader of standard output has closed it: no message */
} HaloStatus;

/* Marks the symbols that libhalo.so exports; everything else is hidden. api/symbols.txt lists them. */
#if defined(__GNUC__)
#define HALO_API __attribute__((visibility("default")))
#define HALO_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define HALO_API
#define HALO_PRINTF(format_at, args_at)
#endif

/* Stores the message of this thread's latest failure and returns `status`. The message says what happened,
 * where, and what to do; it starts in lower case and has no final full stop. */
HALO_API HaloStatus halo_fail(HaloStatus status, const char *format, ...) HALO_PRINTF(2, 3);

/* Puts "`prefix`: " before the present message; for callers that know the place (a file, a line). */
HALO_API HaloStatus halo_fail_at(HaloStatus status, const char *format, ...) HALO_PRINTF(2, 3);

/* The same for a failure about one thing, such as a file: the message begins with its name, and `format`
 * continues it, as in ": %s" or " is a folder". Callers that pass the failure on need not name it again. */
HALO_API HaloStatus halo_fail_on(HaloStatus status, const char *subject, const char *format, ...)
    HALO_PRINTF(3, 4);

/* Puts "`subject`: " before the present message, unless it already names a subject: the function nearest to the
 * fault knows best. */
HALO_API HaloStatus halo_fail_about(HaloStatus status, const char *subject);

/* This thread's latest message; never NULL. Valid until the thread's next failure. */
HALO_API const char *halo_error(void);

/* A saved failure, which can become the latest again later, or in another thread. */
typedef struct HaloFailure {
    HaloStatus status; /* HALO_OK: there is none */
    bool named;        /* the message begins with its subject */
    char message[1024];
} HaloFailure;

/* Keeps the latest failure, which has this status. */
HALO_API void halo_failure_keep(HaloFailure *failure, HaloStatus status);
HALO_API HaloStatus halo_failure_again(const HaloFailure *failure);

/* The pair every function forwards errors with. Both need a local `HaloStatus status` and a label `out`
 * that releases everything and returns `status`. */
#define HALO_TRY(call)                   \
    do {                                 \
        status = (call);                 \
        if (status != HALO_OK) goto out; \
    } while (0)
#define HALO_FAIL(...)                   \
    do {                                 \
        status = halo_fail(__VA_ARGS__); \
        goto out;                        \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
