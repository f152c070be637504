/* This thread's latest failure, in words. */
#include "halo/status.h"
#include "halo/text.h"

#include <stdarg.h>
#include <string.h>


static _Thread_local char message[1024];

HaloStatus halo_fail(HaloStatus status, const char *format, ...)
{
    char made[sizeof message]; /* apart, since the arguments may point into the old message */
    va_list args;
    va_start(args, format);
    halo_vsnprintf(made, sizeof made, format, args);
    va_end(args);
    memcpy(message, made, sizeof message);
    return status;
}

HaloStatus halo_fail_at(HaloStatus status, const char *format, ...)
{
    char place[sizeof message];
    va_list args;
    va_start(args, format);
    halo_vsnprintf(place, sizeof place, format, args);
    va_end(args);
    return halo_fail(status, "%.500s: %.500s", place, message);
}

const char *halo_error(void) { return message; }
