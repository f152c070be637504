/* Temporary files beside outputs: creates, renames and removes them, and removes stale ones that killed
 * processes left behind.
 *
 * A mark tells temporaries from files of a user that happen to have such a name: the sticky bit, which nothing
 * else sets on regular files. A temporary has it from its creation until it has its output's name. A file
 * system that does not keep the bit keeps what killed processes left.
 *
 * A lock tells which temporaries are in use: a process holds it while it writes, and the system releases it
 * when the process ends, in whatever way. On a file system without locks every temporary counts as in use.
 *
 * The names are the same every time, so that the next process that writes the same output finds what was left.
 */
#define _DEFAULT_SOURCE /* flock */
#include "temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "halo/format.h"
#include "halo/front_end.h"
#include "halo/words.h"

#define MAX_LINKS 40
#define MAX_NAMES 10000 /* temporaries of one output at the same time */
#define NAME_BYTES 200  /* of the output's name that go into the temporary's: the whole must stay below 255 */

/* ---- names ---------------------------------------------------------------------------------------------- */

/* How much of a path is its folder, the last slash included. */
static size_t folder_length(const char *path) { return (size_t)(halo_base_name(path) - path); }

HaloStatus halo_follow_links(const char *path, char **target)
{
    HaloStatus status = HALO_OK;
    char link[4096];
    char *now = strdup(path);
    if (now == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write %s", path);
    for (int depth = 0;; depth++) {
        const ssize_t n = readlink(now, link, sizeof link - 1);
        if (n < 0) break; /* no link, or nothing there */
        if (depth == MAX_LINKS) HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, path, ": too many symbolic links"));
        link[n] = '\0';
        const size_t folder = link[0] == '/' ? 0 : folder_length(now);
        char *next = malloc(folder + (size_t)n + 1);
        if (next == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write %s", path);
        memcpy(next, now, folder);
        memcpy(next + folder, link, (size_t)n + 1);
        free(now);
        now = next;
    }
out:
    if (status != HALO_OK) {
        free(now);
        now = NULL;
    }
    *target = now;
    return status;
}

/* ---- which ones may be removed -------------------------------------------------------------------------- */

/* Does an open file still have its name? `unknown`: the answer where the system cannot tell. */
static bool has_name(int fd, int folder, const char *name, bool unknown)
{
    struct stat opened, named;
    if (fstat(fd, &opened) != 0) return unknown;
    if (fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) != 0) return errno != ENOENT && unknown;
    return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

static bool is_marked(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & S_ISVTX) != 0;
}

static void remove_mark(int fd)
{
    struct stat st;
    if (fstat(fd, &st) == 0 && st.st_nlink > 0) (void)!fchmod(fd, st.st_mode & 0777);
}

/* Removes a temporary that is not locked. Where it has been published under another name, that keeps no mark. A
 * process that holds the lock can rely on the name: no other removes it. */
static bool remove_stale(int folder, const char *name)
{
    const int how = O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
    int fd = openat(folder, name, O_RDWR | how);
    if (fd < 0 && errno == EACCES) fd = openat(folder, name, O_RDONLY | how); /* its output is read-only */
    if (fd < 0) return false;
    const bool gone = is_marked(fd) && flock(fd, LOCK_EX | LOCK_NB) == 0 && has_name(fd, folder, name, false) &&
                      unlinkat(folder, name, 0) == 0;
    if (gone) remove_mark(fd);
    close(fd);
    return gone;
}

/* Locks a new file; false where another process removed it as abandoned before it was locked. */
static bool lock_new(int fd, const char *name)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 ? has_name(fd, AT_FDCWD, name, true) : errno != EWOULDBLOCK;
}

/* ---- one of them ---------------------------------------------------------------------------------------- */

/* 0 or errno. */
static int create(HaloTemporary *temporary, mode_t mode, int *fd)
{
    *fd = open(temporary->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode | S_ISVTX);
    if (*fd < 0) return errno;
    if (lock_new(*fd, temporary->path)) {
        halo_stop_note(temporary);
        return 0;
    }
    close(*fd);
    *fd = -1;
    return EEXIST;
}

static int create_within(HaloTemporary *temporary, mode_t mode, int *fd)
{
    sigset_t before;
    if (!halo_stop_enter(&before)) return ECANCELED;
    int error = create(temporary, mode, fd);
    if (error == EEXIST && remove_stale(AT_FDCWD, temporary->path)) error = create(temporary, mode, fd);
    halo_stop_leave(&before);
    return error;
}

HaloStatus halo_temporary_create(const char *target, const char *path, mode_t mode, HaloTemporary **temporary,
                                 int *fd)
{
    const size_t folder = folder_length(target), size = strlen(target) + sizeof "..halo-NNNNNN";
    HaloTemporary *made = malloc(sizeof *made + size);
    int error = EEXIST;
    *fd = -1;
    *temporary = NULL;
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write %s", path);
    *made = (HaloTemporary){.lock = -1};
    for (int i = 0; i < MAX_NAMES && (error == EEXIST || error == EINTR); i++) {
        snprintf(made->path, size, "%.*s.%.*s.halo-%06d", (int)folder, target, NAME_BYTES, target + folder, i);
        error = create_within(made, mode, fd);
    }
    if (error != 0) {
        free(made);
        return error == ENOENT ? halo_fail_on(HALO_ERR_OUTPUT, path,
                                              ": its folder does not exist" HALO_FOR_PROGRAM(
                                                  ": make it, or use --out-dir, which does"))
                               : halo_fail_on(HALO_ERR_OUTPUT, path, ": cannot create it: %s", strerror(error));
    }
    *temporary = made;
    return HALO_OK;
}

/* If the group cannot be kept, the permissions of the new group are those of others. Some file systems refuse
 * the mark. */
bool halo_temporary_take_after(int fd, const struct stat *old, mode_t mode)
{
    struct stat now;
    if (fstat(fd, &now) != 0) return false;
    const bool same = now.st_uid == old->st_uid && now.st_gid == old->st_gid;
    if (!same && fchown(fd, old->st_uid, old->st_gid) != 0 && fchown(fd, (uid_t)-1, old->st_gid) != 0)
        mode &= ~(mode_t)070 | (mode & 07) << 3;
    return fchmod(fd, mode | S_ISVTX) == 0 || fchmod(fd, mode) == 0;
}

bool halo_temporary_hold(HaloTemporary *temporary, int fd)
{
    temporary->lock = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return temporary->lock >= 0;
}

/* Gives the file a name that does not exist, without a race with other processes: by a hard link; on file
 * systems without them, an empty file reserves the name. */
static int publish_new(const HaloTemporary *temporary, const char *target)
{
    if (link(temporary->path, target) == 0) {
        unlink(temporary->path);
        return 0;
    }
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS) return errno;
    const int fd = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return errno;
    close(fd);
    if (rename(temporary->path, target) == 0) return 0;
    const int error = errno;
    unlink(target); /* the empty file is ours */
    return error;
}

int halo_temporary_publish(HaloTemporary *temporary, const char *target, bool replace)
{
    sigset_t before;
    if (!halo_stop_enter(&before)) return ECANCELED;
    const int error = !replace                               ? publish_new(temporary, target)
                      : rename(temporary->path, target) != 0 ? errno
                                                             : 0;
    /* Last, so that a file is recognised as stale if the process is killed before; and a name that could not be
     * removed, by the next run. */
    if (error == 0 && access(temporary->path, F_OK) != 0) remove_mark(temporary->lock);
    if (error == 0) halo_stop_forget(temporary);
    halo_stop_leave(&before);
    return error;
}

bool halo_temporary_end(HaloTemporary *temporary)
{
    sigset_t before;
    if (temporary == NULL) return true;
    if (!halo_stop_enter(&before)) return false;
    if (temporary->there) {
        unlink(temporary->path);
        halo_stop_forget(temporary);
    }
    halo_stop_leave(&before);
    if (temporary->lock >= 0) close(temporary->lock);
    free(temporary);
    return true;
}

/* ---- what killed processes left ------------------------------------------------------------------------- */

void halo_sink_sweep(const char *path)
{
    char *target, start[NAME_BYTES + 16];
    if (halo_follow_links(path, &target) != HALO_OK) return;
    const size_t folder = folder_length(target);
    const int length = snprintf(start, sizeof start, ".%.*s.halo-", NAME_BYTES, target + folder);
    target[folder] = '\0';
    DIR *listing = opendir(folder > 0 ? target : ".");
    for (const struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;)
        if (strncmp(entry->d_name, start, (size_t)length) == 0 && strlen(entry->d_name) == (size_t)length + 6)
            remove_stale(dirfd(listing), entry->d_name);
    if (listing != NULL) closedir(listing);
    free(target);
}
