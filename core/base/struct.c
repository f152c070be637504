/* Structs that begin with their size. */
#include "halo/struct.h"

#include <string.h>

static HaloStatus check(const void *given, size_t size, const char *name, const char *defaults)
{
    if (given == NULL) return halo_fail(HALO_ERR_USAGE, "%s is NULL", name);
    if (size >= sizeof(size_t) && size <= 65536) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "%s: struct_size is %zu: let %s set it before anything else", name, size,
                     defaults);
}

HaloStatus halo_struct_read(void *own, size_t own_size, const void *given, size_t given_size, const char *name,
                            const char *defaults)
{
    const HaloStatus status = check(given, given_size, name, defaults);
    if (status != HALO_OK) return status;
    const unsigned char *bytes = given;
    for (size_t i = own_size; i < given_size; i++)
        if (bytes[i] != 0)
            return halo_fail(
                HALO_ERR_USAGE,
                "%s: struct_size is %zu, and behind the %zu bytes that this version of halo knows there are "
                "values that are not 0",
                name, given_size, own_size);
    memcpy(own, given, own_size < given_size ? own_size : given_size);
    memcpy(own, &own_size, sizeof own_size);
    return HALO_OK;
}

HaloStatus halo_struct_write(void *to, size_t to_size, const void *own, size_t own_size, const char *name,
                             const char *defaults)
{
    const HaloStatus status = check(to, to_size, name, defaults);
    if (status != HALO_OK) return status;
    memset(to, 0, to_size);
    memcpy(to, own, own_size < to_size ? own_size : to_size);
    memcpy(to, &to_size, sizeof to_size);
    return HALO_OK;
}
