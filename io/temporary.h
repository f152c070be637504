/* Temporary files beside outputs (temporary.c), for sink.c. */
#ifndef HALO_IO_TEMPORARY_H
#define HALO_IO_TEMPORARY_H

#include "halo/status.h"

typedef struct HaloTemporary {
    char *path; /* NULL: there is none */
    int slot;   /* in the table for signal handlers, or -1 */
} HaloTemporary;

/* What `path` leads to while it is a symbolic link, whether or not anything is there. The caller frees it. */
HaloStatus halo_follow_links(const char *path, char **target);
/* Creates ".<name>.halo-XXXXXX" beside `target` and opens it for writing; `path` is for messages. */
HaloStatus halo_temporary_create(HaloTemporary *temporary, const char *target, const char *path, int *fd);
/* Frees the name; the file is no longer ours. */
void halo_temporary_forget(HaloTemporary *temporary);

#endif
