/* Syncs data and directory entries to the disk, so that they survive a power cut; and preallocates space there.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fallocate */
#endif
#include "sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "halo/format.h"

static bool sync_now(int fd)
{
    int result;
    do result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

static HaloStatus failed(const char *path)
{
    return halo_fail_on(HALO_ERR_OUTPUT, path, ": cannot sync it to the disk: %s", strerror(errno));
}

HaloStatus halo_sync(int fd, const char *path)
{
    struct stat st;
    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) return HALO_OK;
    return sync_now(fd) ? HALO_OK : failed(path);
}

static HaloStatus sync_opened(const char *path, int how)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | how);
    if (fd < 0) return failed(path);
    /* Some file systems cannot sync a folder: their directory entries are on the disk already. */
    const bool done = sync_now(fd) || (how == O_DIRECTORY && errno == EINVAL);
    const HaloStatus status = done ? HALO_OK : failed(path);
    close(fd);
    return status;
}

HaloStatus halo_sync_file(const char *path) { return sync_opened(path, 0); }

HaloStatus halo_sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return sync_opened(".", O_DIRECTORY);
    char *folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    if (folder == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to sync %s", path);
    const HaloStatus status = sync_opened(folder, O_DIRECTORY);
    free(folder);
    return status;
}

bool halo_reserve(int fd, int64_t from, int64_t bytes)
{
#ifdef FALLOC_FL_KEEP_SIZE
    return fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)bytes) == 0;
#else
    return (void)fd, (void)from, (void)bytes, false;
#endif
}
