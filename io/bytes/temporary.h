/* Temporary files beside outputs (temporary.c), for sink.c. */
#ifndef HALO_IO_TEMPORARY_H
#define HALO_IO_TEMPORARY_H

#include "halo/status.h"
#include "stop.h"

/* What `path` leads to while it is a symbolic link, whether or not anything is there. The caller frees it. */
HaloStatus halo_follow_links(const char *path, char **target);
/* Creates ".<name>.halo-NNNNNN" beside `target`, open for reading and writing, and locked as long as it is open:
 * so others know that it is alive. Takes the place of one that a killed process left. `path` is for messages. */
HaloStatus halo_temporary_create(const char *target, const char *path, HaloTemporary **temporary, int *fd);
/* Stays locked when `fd` is closed; false with errno. */
bool halo_temporary_hold(HaloTemporary *temporary, int fd);
/* Gives it its name: 0 or errno, which is EEXIST where something has that already and `replace` is false, and
 * ECANCELED when all have been abandoned. */
int halo_temporary_publish(HaloTemporary *temporary, const char *target, bool replace);
/* Removes the file, unless it has its name, and frees `temporary`; NULL is fine. False when all have been abandoned:
 * it has to stay locked until it is gone, so its file must not be closed. */
bool halo_temporary_end(HaloTemporary *temporary);

#endif
