/* Bytes out, safely: nothing appears under an output's name before all of it is on the disk.
 *
 * A regular file is written to a temporary beside it, flushed, closed and only then given its name. Standard
 * output, FIFOs and character devices are written directly and never removed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "halo/format.h"

#define BUFFER_BYTES ((size_t)256 * 1024)
#define MAX_LINKS 40
#define MAX_TEMPORARIES 1024
#define NAME_BYTES 200 /* of the output's name that go into the temporary's: the whole must stay below 255 */

struct HaloSink {
    char *path;      /* as the user wrote it, for messages */
    char *target;    /* what it leads to; NULL when written directly */
    char *temporary; /* beside `target`; NULL when written directly or no longer there */
    int slot;        /* of `temporary` in the table below */
    bool force;
    int fd;
    HaloStatus failed; /* the first write that failed: nothing may be committed after it */
    uint8_t *buffer;
    size_t filled;
};

/* ---- the temporaries of this process, for signal handlers --------------------------------------------------
 */

/* Whoever takes a path out of its slot owns it: the sink frees it, a signal handler leaves it to the exit. */
static _Atomic(char *) temporaries[MAX_TEMPORARIES];

static int remember(char *path)
{
    for (int i = 0; i < MAX_TEMPORARIES; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&temporaries[i], &none, path)) return i;
    }
    return -1;
}

static void forget(HaloSink *sink)
{
    if (sink->temporary == NULL) return;
    if (sink->slot < 0 || atomic_exchange(&temporaries[sink->slot], NULL) != NULL) free(sink->temporary);
    sink->temporary = NULL;
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

/* ---- opening ------------------------------------------------------------------------------------------------
 */

static HaloStatus output_error(const char *path, const char *what)
{
    return halo_fail(HALO_ERR_OUTPUT, "%s: %s: %s", path, what, strerror(errno));
}

/* How much of a path is its folder, the last slash included. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* Follows `path` while it is a symbolic link, whether or not its end exists; the links stay as they are. */
static HaloStatus follow(const char *path, char **target)
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

/* Creates ".<name>.halo-XXXXXX" beside the target. */
static HaloStatus create_temporary(HaloSink *sink)
{
    const size_t folder = folder_length(sink->target), size = strlen(sink->target) + sizeof "..halo-XXXXXX";
    char *path = malloc(size), unique[7];
    if (path == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write %s", sink->path);
    do {
        suffix(unique);
        snprintf(path, size, "%.*s.%.*s.halo-%s", (int)folder, sink->target, NAME_BYTES, sink->target + folder,
                 unique);
        sink->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (sink->fd < 0 && (errno == EEXIST || errno == EINTR));
    if (sink->fd < 0) {
        const HaloStatus status = output_error(sink->path, "cannot create it");
        free(path);
        return status;
    }
    sink->temporary = path;
    sink->slot = remember(path);
    return HALO_OK;
}

static bool is_input(const HaloSinkOptions *options, const struct stat *st)
{
    return options->is_input && S_ISREG(st->st_mode) && options->input[0] == (uint64_t)st->st_dev &&
           options->input[1] == (uint64_t)st->st_ino;
}

static HaloStatus refuse_input(const char *path)
{
    return halo_fail(HALO_ERR_USAGE, "%s is the input: write to another file", path);
}

static HaloStatus exists(const char *path)
{
    return halo_fail(HALO_ERR_INPUT, "%s exists: --force replaces it, --skip-existing leaves it", path);
}

static HaloStatus open_standard(HaloSink *sink, const HaloSinkOptions *options)
{
    struct stat st;
    sink->fd =
        fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0); /* a copy: closing it shows late errors, and is ours to do */
    if (sink->fd < 0 || fstat(sink->fd, &st) != 0) return output_error(sink->path, "cannot open it");
    return is_input(options, &st) ? refuse_input(sink->path) : HALO_OK;
}

static HaloStatus open_direct(HaloSink *sink)
{
    do {
        sink->fd = open(sink->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } while (sink->fd < 0 && errno == EINTR);
    return sink->fd < 0 ? output_error(sink->path, "cannot open it") : HALO_OK;
}

static HaloStatus open_beside(HaloSink *sink, const struct stat *old)
{
    HaloStatus status = HALO_OK;
    struct stat end;
    HALO_TRY(follow(sink->path, &sink->target));
    /* Links below /proc may read "pipe:[7]" or "gone (deleted)": what they lead to must be what we replace. */
    if (old != NULL &&
        (stat(sink->target, &end) != 0 || end.st_dev != old->st_dev || end.st_ino != old->st_ino)) {
        HALO_FAIL(HALO_ERR_OUTPUT, "%s leads to a file without a name", sink->path);
    }
    HALO_TRY(create_temporary(sink));
    if (old != NULL && fchmod(sink->fd, old->st_mode & 0777) != 0)
        status = output_error(sink->path, "cannot set its mode");
out:
    return status;
}

static HaloStatus open_output(HaloSink *sink, const HaloSinkOptions *options)
{
    struct stat st;
    if (sink->path[0] == '\0') return halo_fail(HALO_ERR_OUTPUT, "an output without a name");
    if (stat(sink->path, &st) != 0) {
        return errno == ENOENT ? open_beside(sink, NULL) : output_error(sink->path, "cannot open it");
    }
    if (S_ISDIR(st.st_mode)) return halo_fail(HALO_ERR_USAGE, "%s is a folder", sink->path);
    if (S_ISBLK(st.st_mode)) return halo_fail(HALO_ERR_USAGE, "%s is a block device", sink->path);
    if (!S_ISREG(st.st_mode)) return open_direct(sink);
    if (is_input(options, &st)) return refuse_input(sink->path);
    return sink->force ? open_beside(sink, &st) : exists(sink->path);
}

HaloStatus halo_sink_open(const char *path, const HaloSinkOptions *options, HaloSink **out)
{
    HaloStatus status = HALO_OK;
    const bool standard = strcmp(path, "-") == 0;
    HaloSink *sink = calloc(1, sizeof *sink);
    if (sink == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write %s", path);
    sink->fd = -1;
    sink->force = options->force;
    sink->path = strdup(standard ? "standard output" : path);
    sink->buffer = malloc(BUFFER_BYTES);
    if (sink->path == NULL || sink->buffer == NULL) {
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write %s", path);
    }
    HALO_TRY(standard ? open_standard(sink, options) : open_output(sink, options));
out:
    if (status != HALO_OK) {
        halo_sink_abandon(sink);
        sink = NULL;
    }
    *out = sink;
    return status;
}

/* ---- writing ------------------------------------------------------------------------------------------------
 */

static HaloStatus write_all(HaloSink *sink, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(sink->fd, bytes, size);
        if (n >= 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (errno == EAGAIN ||
                   errno == EWOULDBLOCK) { /* a pipe that its other owner made non-blocking */
            struct pollfd wait = {.fd = sink->fd, .events = POLLOUT};
            poll(&wait, 1, -1);
        } else if (errno == EPIPE) {
            return sink->failed = halo_fail(HALO_ERR_PIPE, "%s: the reader has gone", sink->path);
        } else if (errno != EINTR) {
            return sink->failed = output_error(sink->path, "cannot write");
        }
    }
    return HALO_OK;
}

static HaloStatus flush(HaloSink *sink)
{
    const size_t size = sink->filled;
    sink->filled = 0;
    return write_all(sink, sink->buffer, size);
}

HaloStatus halo_sink_write(HaloSink *sink, const void *bytes, size_t size)
{
    if (sink->failed != HALO_OK) return sink->failed;
    if (size > BUFFER_BYTES - sink->filled) {
        const HaloStatus status = flush(sink);
        if (status != HALO_OK) return status;
    }
    if (size >= BUFFER_BYTES) return write_all(sink, bytes, size);
    memcpy(sink->buffer + sink->filled, bytes, size);
    sink->filled += size;
    return HALO_OK;
}

bool halo_sink_seekable(const HaloSink *sink) { return sink->temporary != NULL; }

HaloStatus halo_sink_seek(HaloSink *sink, int64_t offset)
{
    HaloStatus status = sink->failed;
    if (status != HALO_OK) goto out;
    if (sink->temporary == NULL) HALO_FAIL(HALO_ERR_OUTPUT, "%s: cannot seek in it", sink->path);
    HALO_TRY(flush(sink));
    if (lseek(sink->fd, (off_t)offset, SEEK_SET) < 0)
        status = sink->failed = output_error(sink->path, "cannot seek");
out:
    return status;
}

/* ---- the end ------------------------------------------------------------------------------------------------
 */

static HaloStatus close_checked(HaloSink *sink)
{
    const int fd = sink->fd;
    sink->fd = -1;
    return close(fd) != 0 && errno != EINTR ? output_error(sink->path, "cannot close") : HALO_OK;
}

/* Some file systems have no fsync; that is no failure of the write. */
static HaloStatus sync_checked(HaloSink *sink)
{
    while (fsync(sink->fd) != 0) {
        if (errno == EINVAL || errno == ENOTSUP || errno == ENOSYS) break;
        if (errno != EINTR) return output_error(sink->path, "cannot write");
    }
    return HALO_OK;
}

/* Gives the temporary a name that nothing has, also when another process wants the same one at this moment.
 * A hard link does that in one call; where there are none, an empty file reserves the name. */
static HaloStatus publish_new(HaloSink *sink)
{
    if (link(sink->temporary, sink->target) == 0) {
        unlink(sink->temporary);
        return HALO_OK;
    }
    if (errno == EEXIST) return exists(sink->path);
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS)
        return output_error(sink->path, "cannot create it");
    const int fd = open(sink->target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return errno == EEXIST ? exists(sink->path) : output_error(sink->path, "cannot create it");
    close(fd);
    if (rename(sink->temporary, sink->target) == 0) return HALO_OK;
    const HaloStatus status = output_error(sink->path, "cannot create it");
    unlink(sink->target); /* the empty file is ours */
    return status;
}

static HaloStatus publish(HaloSink *sink)
{
    if (!sink->force) return publish_new(sink);
    return rename(sink->temporary, sink->target) == 0 ? HALO_OK : output_error(sink->path, "cannot replace it");
}

static void free_sink(HaloSink *sink)
{
    forget(sink);
    if (sink->fd >= 0) close(sink->fd);
    free(sink->buffer);
    free(sink->target);
    free(sink->path);
    free(sink);
}

HaloStatus halo_sink_commit(HaloSink *sink)
{
    HaloStatus status = sink->failed;
    if (status != HALO_OK) goto out;
    HALO_TRY(flush(sink));
    if (sink->temporary != NULL) HALO_TRY(sync_checked(sink));
    HALO_TRY(close_checked(sink));
    if (sink->temporary != NULL) HALO_TRY(publish(sink));
out:
    if (status == HALO_OK)
        free_sink(sink);
    else
        halo_sink_abandon(sink);
    return status;
}

void halo_sink_abandon(HaloSink *sink)
{
    if (sink == NULL) return;
    if (sink->temporary != NULL) unlink(sink->temporary);
    free_sink(sink);
}
