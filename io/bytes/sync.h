/* Waiting until data are on the disk (sync.c), for sink.c. */
#ifndef HALO_IO_SYNC_H
#define HALO_IO_SYNC_H

#include "halo/status.h"

/* All that was written to an open file; `path` is for messages. Fine for pipes and devices, which keep nothing. */
HaloStatus halo_sync(int fd, const char *path);

#endif
