/* Files without a name, which end with the process. */
#ifndef HALO_IO_UNNAMED_H
#define HALO_IO_UNNAMED_H

#include <stdbool.h>

/* In this folder; -1 with errno: it takes none, or `folder` is NULL. */
int halo_open_unnamed_in(const char *folder);
/* In $TMPDIR, /var/tmp or /tmp; `in_memory`: in memory where the system has that. -1 with errno. */
int halo_open_unnamed(bool in_memory);

#endif
