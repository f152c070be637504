/* The message of each thread's latest failure. */
#include "halo/fail.h"

#include <stdarg.h>
#include <string.h>

#include "halo/text.h"
#include "halo/utf8.h"
#include "option_names.h"

static _Thread_local HaloFailure latest;

/* Built in a copy first, since the arguments may point into the old message. */
static HaloStatus say(HaloStatus status, bool named, const char *subject, const char *format, va_list args)
{
    HaloFailure made = {.status = status, .named = named};
    char copy[sizeof made.message];
    const size_t used = halo_utf8_fit(subject, sizeof made.message / 2);
    memcpy(made.message, subject, used);
    option_names_format(format, copy, sizeof copy);
    const int more = halo_vsnprintf(made.message + used, sizeof made.message - used, copy, args);
    if (more > 0 && (size_t)more >= sizeof made.message - used)
        made.message[halo_utf8_fit(made.message, sizeof made.message - 2)] = 0;
    option_names_replace(made.message + used, sizeof made.message - used);
    latest = made;
    return status;
}

HaloStatus halo_fail(HaloStatus status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(status, false, "", format, args);
    va_end(args);
    return status;
}

HaloStatus halo_fail_on(HaloStatus status, const char *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(status, true, subject, format, args);
    va_end(args);
    return status;
}

HaloStatus halo_fail_at(HaloStatus status, const char *format, ...)
{
    const bool named = latest.named;
    char place[sizeof latest.message];
    va_list args;
    va_start(args, format);
    halo_vsnprintf(place, sizeof place, format, args);
    va_end(args);
    halo_fail(status, "%.*s: %.*s", (int)halo_utf8_fit(place, 500), place,
              (int)halo_utf8_fit(latest.message, 500), latest.message);
    latest.named = named;
    return status;
}

HaloStatus halo_fail_about(HaloStatus status, const char *subject)
{
    return latest.named ? status
                        : halo_fail_on(status, subject, ": %.*s", (int)halo_utf8_fit(latest.message, 500),
                                       latest.message);
}

const char *halo_error(void) { return latest.message; }

void halo_failure_keep(HaloFailure *failure, HaloStatus status)
{
    *failure = latest;
    failure->status = status;
}

HaloStatus halo_failure_again(const HaloFailure *failure)
{
    if (failure->status != HALO_OK) latest = *failure;
    return failure->status;
}
