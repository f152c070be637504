/* The permissions of outputs (permissions.c), for source.c and sink.c. */
#ifndef HALO_IO_PERMISSIONS_H
#define HALO_IO_PERMISSIONS_H

#include <sys/stat.h>

#include "halo/format.h"

/* Identity and permissions of an open file. */
void halo_read_set(const struct stat *st, HaloRead *read);
/* A mode without what any input denies its group and others, for a file of this group. */
mode_t halo_limited_mode(mode_t mode, unsigned group, const HaloRead *read, size_t reads);
/* The mode of a new file, before umask. */
mode_t halo_new_mode(const char *target, const HaloRead *read, size_t reads);

#endif
