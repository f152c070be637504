/* Temporary files beside outputs (temporary.c), for sink.c. */
#ifndef HALO_IO_TEMPORARY_H
#define HALO_IO_TEMPORARY_H

#include <sys/stat.h>

#include "halo/fail.h"
#include "stop.h"

/* What `path` leads to while it is a symbolic link, whether or not anything is there. The caller frees it. */
HaloStatus halo_follow_links(const char *path, char **target);
/* Creates ".<name>.halo-NNNNNN" beside `target`, open for reading and writing, and locked as long as it is
 * open: so others know that it is in use. Replaces a stale one that a killed process left. `mode` is that of
 * a new file, less what umask takes away; `path` is for messages. */
HaloStatus halo_temporary_create(const char *target, const char *path, mode_t mode, HaloTemporary **temporary,
                                 int *fd);
/* Gives it owner and group of the file that it will replace, where that is permitted, and a mode for these;
 * false with errno. */
bool halo_temporary_take_after(int fd, const struct stat *old, mode_t mode);
/* Stays locked when `fd` is closed; false with errno. */
bool halo_temporary_hold(HaloTemporary *temporary, int fd);
/* Gives a locked temporary its output's name: 0 or errno, which is EEXIST if that exists and `replace` is
 * false, and ECANCELED when all temporaries have been abandoned. */
int halo_temporary_publish(HaloTemporary *temporary, const char *target, bool replace);
/* Removes the file, unless it has its name, and frees `temporary`; NULL is fine. False when all have been
 * abandoned: it has to stay locked until it is gone, so its file must not be closed. */
bool halo_temporary_end(HaloTemporary *temporary);

#endif
