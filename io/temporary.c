/* Temporary files beside outputs: their names, and the table of them that a signal handler can clean up. */
#include "temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "halo/format.h"

#define MAX_LINKS 40
#define MAX_TEMPORARIES 1024
#define NAME_BYTES 200 /* of the output's name that go into the temporary's: the whole must stay below 255 */

/* ---- the temporaries of this process, for signal handlers ----------------------------------------------- */

/* Whoever takes a path out of its slot owns it: a sink frees it, a signal handler leaves it to the exit. */
static _Atomic(char *) temporaries[MAX_TEMPORARIES];

static int remember(char *path)
{
    for (int i = 0; i < MAX_TEMPORARIES; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&temporaries[i], &none, path)) return i;
    }
    return -1;
}

void halo_temporary_forget(HaloTemporary *temporary)
{
    if (temporary->path == NULL) return;
    const bool ours = temporary->slot < 0 || atomic_exchange(&temporaries[temporary->slot], NULL) != NULL;
    if (ours) free(temporary->path);
    temporary->path = NULL;
}

void halo_sink_abandon_all(void)
{
    const int saved = errno;
    for (int i = 0; i < MAX_TEMPORARIES; i++) {
        const char *path = atomic_exchange(&temporaries[i], NULL);
        if (path != NULL) unlink(path);
    }
    errno = saved;
}

/* ---- names ---------------------------------------------------------------------------------------------- */

/* How much of a path is its folder, the last slash included. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

HaloStatus halo_follow_links(const char *path, char **target)
{
    HaloStatus status = HALO_OK;
    char link[4096];
    char *now = strdup(path);
    if (now == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write %s", path);
    for (int depth = 0;; depth++) {
        const ssize_t n = readlink(now, link, sizeof link - 1);
        if (n < 0) break; /* no link, or nothing there */
        if (depth == MAX_LINKS) HALO_FAIL(HALO_ERR_OUTPUT, "%s: too many symbolic links", path);
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

/* Six characters that no other output of this process has, and hardly one of another. */
static void suffix(char text[7])
{
    static _Atomic uint64_t counter;
    static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t bits = ((uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 20) + atomic_fetch_add(&counter, 1);
    bits *= 0x9e3779b97f4a7c15u; /* Fibonacci hashing: the high bits depend on all others */
    for (int i = 0; i < 6; i++, bits <<= 5) text[i] = digits[bits >> 59];
    text[6] = '\0';
}

HaloStatus halo_temporary_create(HaloTemporary *temporary, const char *target, const char *path, int *fd)
{
    const size_t folder = folder_length(target), size = strlen(target) + sizeof "..halo-XXXXXX";
    char *name = malloc(size), unique[7];
    if (name == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write %s", path);
    do {
        suffix(unique);
        snprintf(name, size, "%.*s.%.*s.halo-%s", (int)folder, target, NAME_BYTES, target + folder, unique);
        *fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (*fd < 0 && (errno == EEXIST || errno == EINTR));
    if (*fd < 0) {
        const int reason = errno;
        free(name);
        return halo_fail(HALO_ERR_OUTPUT, "%s: cannot create it: %s", path, strerror(reason));
    }
    *temporary = (HaloTemporary){name, remember(name)};
    return HALO_OK;
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
            unlinkat(dirfd(listing), entry->d_name, 0);
    if (listing != NULL) closedir(listing);
    free(target);
}
