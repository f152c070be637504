/* Syncs data to the disk, and preallocates space there (sync.c), for sink.c. */
#ifndef HALO_IO_SYNC_H
#define HALO_IO_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/fail.h"

/* All that was written to an open file; `path` is for messages. Fine for pipes and devices, which keep nothing.
 */
HaloStatus halo_sync(int fd, const char *path);
/* Preallocates space; the file's size stays. False if that fails. */
bool halo_reserve(int fd, int64_t from, int64_t bytes);

#endif
