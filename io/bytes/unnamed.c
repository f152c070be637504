/* Files without a name. */
#define _GNU_SOURCE /* memfd_create */
#include "unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int halo_open_unnamed_in(const char *folder)
{
    char path[PATH_MAX];
    if (folder == NULL || snprintf(path, sizeof path, "%s/halo-XXXXXX", folder) >= (int)sizeof path) {
        errno = ENOENT;
        return -1;
    }
    const int fd = mkstemp(path);
    if (fd < 0) return -1;
    unlink(path);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

int halo_open_unnamed(bool in_memory)
{
    const char *const folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    int fd = -1;
#ifdef MFD_CLOEXEC
    if (in_memory) fd = memfd_create("halo", MFD_CLOEXEC);
#else
    (void)in_memory;
#endif
    for (size_t i = 0; i < sizeof folders / sizeof *folders && fd < 0; i++)
        fd = halo_open_unnamed_in(folders[i]);
    return fd;
}
