/* This thread's latest failure, in words. */
#include "halo/status.h"

#include <stdarg.h>
#include <string.h>

#include "halo/text.h"

static _Thread_local HaloFailure latest;

/* Apart first, since the arguments may point into the old message. */
static HaloStatus say(HaloStatus status, bool named, const char *subject, const char *format, va_list args)
{
    HaloFailure made = {.status = status, .named = named};
    const size_t length = strlen(subject), most = sizeof made.message / 2, used = length < most ? length : most;
    memcpy(made.message, subject, used);
    halo_vsnprintf(made.message + used, sizeof made.message - used, format, args);
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
    halo_fail(status, "%.500s: %.500s", place, latest.message);
    latest.named = named;
    return status;
}

HaloStatus halo_fail_about(HaloStatus status, const char *subject)
{
    return latest.named ? status : halo_fail_on(status, subject, ": %.500s", latest.message);
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
