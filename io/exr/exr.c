/* OpenEXR, by OpenEXRCore. */
#ifdef HALO_HAVE_EXR
#include <stdio.h>
#include <string.h>

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
    return halo_fail(guard->blame, "OpenEXR: %s",
                     guard->message[0] != 0 ? guard->message : exr.exr_get_default_error_message(code));
}

static bool probe(const uint8_t *head, size_t size) { return size >= 8 && memcmp(head, "v/1\001", 4) == 0; }

const HaloFormat halo_format_exr = {
    .name = "exr",
    .help = "OpenEXR, 16- and 32-bit floats, scan lines and tiles, parts as pages; samples are light",
    .extensions = "exr",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_F32,
    .channels = HALO_ANY_CHANNELS,
    .with_alpha = 1u << 1 | 1u << 3,
    .holds = HALO_META_COLOURS,
    .decodes = 80,
    .encodes = 30,
    .probe = probe,
    .open = exr_open,
    .read = exr_read,
    .skip = exr_skip,
    .close = exr_close,
    .next = exr_next,
    .load = exr_load,
    .meta_first = true,
    .create = exr_create,
    .write = exr_write,
    .finish = exr_finish_image,
    .discard = exr_discard,
};
#endif
