/* The messages and failures of OpenEXRCore. */
#ifdef HALO_HAVE_EXR
#include <stdio.h>

#include "exrfile.h"

void exr_clear(ExrGuard *guard)
{
    guard->status = HALO_OK;
    guard->message[0] = 0;
}

void exr_keep_message(exr_const_context_t context, exr_result_t code, const char *message)
{
    void *user = NULL;
    (void)code;
    if (exr.exr_get_user_data(context, &user) != EXR_ERR_SUCCESS || user == NULL) return;
    ExrGuard *guard = user;
    if (guard->message[0] == 0) snprintf(guard->message, sizeof guard->message, "%s", message);
}

HaloStatus exr_outcome(const ExrGuard *guard, exr_result_t code)
{
    if (guard->status != HALO_OK) return guard->status;
    if (code == EXR_ERR_SUCCESS) return HALO_OK;
    if (code == EXR_ERR_OUT_OF_MEMORY) return halo_fail(HALO_ERR_LIMIT, "not enough memory for OpenEXR");
    const char *words = guard->message[0] != 0 ? guard->message : exr.exr_get_default_error_message(code);
    const bool damage = code == EXR_ERR_READ_IO || code == EXR_ERR_BAD_CHUNK_LEADER ||
                        code == EXR_ERR_CORRUPT_CHUNK || code == EXR_ERR_INCORRECT_CHUNK;
    if (damage && guard->blame == HALO_ERR_INPUT)
        return halo_fail(HALO_ERR_INPUT, "OpenEXR is truncated or damaged (%s)", words);
    return halo_fail(guard->blame, "OpenEXR: %s", words);
}
#endif
