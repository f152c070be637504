/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Structs of the public interface, which begin with their size: programs may have been compiled with fewer
 * members, or with more. */
#ifndef HALO_STRUCT_H
#define HALO_STRUCT_H

#include <stddef.h>

#include "halo/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies what both have into `own`, which holds the defaults. HALO_ERR_USAGE where it has no size, or where
 * members that this version does not know are not 0. `name` of the struct, and the function that fills it, for
 * messages. */
HaloStatus halo_struct_read(void *own, size_t own_size, const void *given, size_t given_size, const char *name,
                            const char *defaults);
/* Fills a struct of this size; the rest of a larger one becomes 0. */
HaloStatus halo_struct_write(void *to, size_t to_size, const void *own, size_t own_size, const char *name,
                             const char *defaults);

#ifdef __cplusplus
}
#endif
#endif
