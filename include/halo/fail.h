/* How halo's own functions fail: they store a message and forward the status. */
#ifndef HALO_FAIL_H
#define HALO_FAIL_H

#include <stdbool.h>

#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HALO_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define HALO_PRINTF(format_at, args_at)
#endif

/* Stores the message of this thread's latest failure and returns `status`. */
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
