/* Writes bytes safely: an output gets its name only when all of it is written.
 *
 * A regular file is written to a temporary beside it, closed and only then given its name; when asked to, both
 * are on the disk before that is success. Standard output, FIFOs and character devices are written directly and
 * never removed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "halo/format.h"
#include "halo/front_end.h"
#include "permissions.h"
#include "sync.h"
#include "temporary.h"
#include "unnamed.h"

#define BUFFER_BYTES ((size_t)256 * 1024)

struct HaloSink {
    char *path;               /* as the user wrote it, for messages */
    char *target;             /* what it leads to; NULL when written directly */
    HaloTemporary *temporary; /* beside `target`; NULL when written directly */
    HaloForce force;
    bool sync;
    int fd;
    int64_t (*give)(void *context, const void *bytes,
                    size_t size); /* gets all of it in the end; NULL: nothing does */
    void *context;
    HaloStatus failed; /* the first write that failed: nothing may be committed after it */
    uint8_t *buffer;
    size_t filled;
    double ms; /* spent on writing */
};

/* ---- opening -------------------------------------------------------------------------------------------- */

static HaloStatus output_error(const char *path, const char *what)
{
    return halo_fail_on(HALO_ERR_OUTPUT, path, ": %s: %s", what, strerror(errno));
}

static HaloStatus refuse_read(const char *path, const HaloSinkOptions *options, const struct stat *st)
{
    for (size_t i = 0; i < options->reads && S_ISREG(st->st_mode); i++) {
        const HaloRead *read = &options->read[i];
        if (read->id[0] == (uint64_t)st->st_dev && read->id[1] == (uint64_t)st->st_ino)
            return halo_fail_on(HALO_ERR_USAGE, path, " is %s: write to another file", read->what);
    }
    return HALO_OK;
}

static HaloStatus exists(const char *path)
{
    return halo_fail_on(HALO_ERR_INPUT, path,
                        " exists: use --force to replace it" HALO_FOR_PROGRAM(", --skip-existing to keep it"));
}

static HaloStatus open_standard(HaloSink *sink, const HaloSinkOptions *options)
{
    struct stat st;
    sink->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0); /* a duplicate: closing it reports late errors */
    if (sink->fd < 0 || fstat(sink->fd, &st) != 0) return output_error(sink->path, "cannot open it");
    return refuse_read(sink->path, options, &st);
}

static HaloStatus open_direct(HaloSink *sink)
{
    do {
        sink->fd = open(sink->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } while (sink->fd < 0 && errno == EINTR);
    return sink->fd < 0 ? output_error(sink->path, "cannot open it") : HALO_OK;
}

static HaloStatus open_beside(HaloSink *sink, const HaloSinkOptions *options, const struct stat *old)
{
    HaloStatus status = HALO_OK;
    struct stat end;
    HALO_TRY(halo_follow_links(sink->path, &sink->target));
    /* Links below /proc may read "pipe:[7]" or "name (deleted)", so the target of a link has to be the file
     * that is replaced. */
    if (old != NULL &&
        (stat(sink->target, &end) != 0 || end.st_dev != old->st_dev || end.st_ino != old->st_ino)) {
        HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, sink->path,
                              " is a link to a file that has no name: write to another file"));
    }
    const mode_t mode = old != NULL
                            ? halo_limited_mode(old->st_mode & 0777, old->st_gid, options->read, options->reads)
                            : halo_new_mode(sink->target, options->read, options->reads);
    HALO_TRY(halo_temporary_create(sink->target, sink->path, mode, &sink->temporary, &sink->fd));
    if (old != NULL && !halo_temporary_take_after(sink->fd, old, mode))
        status = output_error(sink->path, "cannot set its mode");
out:
    return status;
}

static HaloStatus open_output(HaloSink *sink, const HaloSinkOptions *options)
{
    struct stat st;
    if (sink->path[0] == '\0') return halo_fail(HALO_ERR_OUTPUT, "an output without a name");
    if (stat(sink->path, &st) != 0) {
        return errno == ENOENT ? open_beside(sink, options, NULL) : output_error(sink->path, "cannot open it");
    }
    if (S_ISDIR(st.st_mode))
        return halo_fail_on(HALO_ERR_USAGE, sink->path,
                            " is a folder" HALO_FOR_PROGRAM(": use --out-dir to write into it"));
    if (S_ISBLK(st.st_mode))
        return halo_fail_on(HALO_ERR_USAGE, sink->path, " is a block device: write to a file");
    if (!S_ISREG(st.st_mode)) return open_direct(sink);
    const HaloStatus status = refuse_read(sink->path, options, &st);
    if (status != HALO_OK) return status;
    return sink->force != HALO_FORCE_NO ? open_beside(sink, options, &st) : exists(sink->path);
}

HaloStatus halo_sink_open(const char *path, const HaloSinkOptions *options, HaloSink **out)
{
    HaloStatus status = HALO_OK;
    const bool standard = strcmp(path, "-") == 0;
    HaloSink *sink = calloc(1, sizeof *sink);
    if (sink == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write %s", path);
    sink->fd = -1;
    sink->force = options->force;
    sink->sync = options->sync;
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

HaloStatus halo_sink_to_function(const char *name,
                                 int64_t (*give)(void *context, const void *bytes, size_t size), void *context,
                                 HaloSink **out)
{
    HaloStatus status = HALO_OK;
    HaloSink *sink = calloc(1, sizeof *sink);
    if (sink == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write %s", name);
    sink->give = give;
    sink->context = context;
    sink->fd = halo_open_unnamed(true);
    sink->path = strdup(name);
    sink->buffer = malloc(BUFFER_BYTES);
    if (sink->path == NULL || sink->buffer == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write %s", name);
    if (sink->fd < 0) HALO_TRY(output_error(name, "cannot collect it"));
out:
    if (status != HALO_OK) {
        halo_sink_abandon(sink);
        sink = NULL;
    }
    *out = sink;
    return status;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static HaloStatus write_all(HaloSink *sink, const uint8_t *bytes, size_t size)
{
    const double start = io_ms();
    while (size > 0) {
        const ssize_t n = write(sink->fd, bytes, size);
        if (n >= 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (errno == EAGAIN ||
                   errno == EWOULDBLOCK) { /* a pipe that another process made non-blocking */
            struct pollfd wait = {.fd = sink->fd, .events = POLLOUT};
            poll(&wait, 1, -1);
        } else if (errno == EPIPE) {
            return sink->failed = halo_fail_on(HALO_ERR_PIPE, sink->path, ": broken pipe");
        } else if (errno != EINTR) {
            return sink->failed = output_error(sink->path, "cannot write");
        }
    }
    sink->ms += io_ms() - start;
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

bool halo_sink_reserve(HaloSink *sink, int64_t from, int64_t bytes)
{
    return sink->temporary != NULL && halo_reserve(sink->fd, from, bytes);
}

HaloStatus halo_sink_flush(HaloSink *sink)
{
    if (sink->failed != HALO_OK) return sink->failed;
    return halo_sink_seekable(sink) ? HALO_OK : flush(sink);
}

double halo_sink_ms(const HaloSink *sink) { return sink->ms; }

bool halo_sink_would_seek(const char *path)
{
    struct stat st;
    return strcmp(path, "-") != 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

bool halo_sink_seekable(const HaloSink *sink) { return sink->temporary != NULL || sink->give != NULL; }

HaloStatus halo_sink_seek(HaloSink *sink, int64_t offset)
{
    HaloStatus status = sink->failed;
    if (status != HALO_OK) goto out;
    if (!halo_sink_seekable(sink)) HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, sink->path, ": cannot seek in it"));
    HALO_TRY(flush(sink));
    if (lseek(sink->fd, (off_t)offset, SEEK_SET) < 0)
        status = sink->failed = output_error(sink->path, "cannot seek");
out:
    return status;
}

HaloStatus halo_sink_tell(HaloSink *sink, int64_t *offset)
{
    HaloStatus status = sink->failed;
    if (status != HALO_OK) goto out;
    if (!halo_sink_seekable(sink)) HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, sink->path, ": cannot seek in it"));
    const off_t at = lseek(sink->fd, 0, SEEK_CUR);
    if (at < 0) HALO_TRY(sink->failed = output_error(sink->path, "cannot seek"));
    *offset = (int64_t)at + (int64_t)sink->filled;
out:
    return status;
}

HaloStatus halo_sink_read(HaloSink *sink, int64_t offset, void *bytes, size_t size, size_t *got)
{
    HaloStatus status = sink->failed;
    *got = 0;
    if (status != HALO_OK) goto out;
    if (!halo_sink_seekable(sink)) HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, sink->path, ": cannot be read back"));
    HALO_TRY(flush(sink));
    while (*got < size) {
        const ssize_t n = pread(sink->fd, (char *)bytes + *got, size - *got, (off_t)(offset + (int64_t)*got));
        if (n > 0) *got += (size_t)n;
        if (n == 0) break;
        if (n < 0 && errno != EINTR)
            HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, sink->path, ": cannot be read back"));
    }
out:
    return status;
}

/* ---- the end -------------------------------------------------------------------------------------------- */

static HaloStatus close_checked(HaloSink *sink)
{
    const int fd = sink->fd;
    sink->fd = -1;
    return close(fd) != 0 && errno != EINTR ? output_error(sink->path, "cannot close") : HALO_OK;
}

/* Does the temporary hold the same bytes as the file that has the output's name? */
static bool is_same(HaloSink *sink)
{
    const size_t half = BUFFER_BYTES / 2;
    HaloSource *made = NULL, *there = NULL;
    size_t a = 0, b = 0;
    bool same = halo_source_open(sink->temporary->path, &made) == HALO_OK &&
                halo_source_open(sink->target, &there) == HALO_OK;
    do
        same = same && halo_source_read(made, sink->buffer, half, &a) == HALO_OK &&
               halo_source_read(there, sink->buffer + half, half, &b) == HALO_OK && a == b &&
               memcmp(sink->buffer, sink->buffer + half, a) == 0;
    while (same && a > 0);
    halo_source_close(there);
    halo_source_close(made);
    return same;
}

/* The name is taken. */
static HaloStatus leave_same(HaloSink *sink)
{
    if (sink->force != HALO_FORCE_SAME || !is_same(sink)) return exists(sink->path);
    return sink->sync ? halo_sync_file(sink->target) : HALO_OK;
}

static HaloStatus publish(HaloSink *sink)
{
    const bool replace = sink->force == HALO_FORCE_YES;
    errno = halo_temporary_publish(sink->temporary, sink->target, replace);
    if (errno == EEXIST && !replace) return leave_same(sink);
    return errno != 0 ? output_error(sink->path, replace ? "cannot replace it" : "cannot create it") : HALO_OK;
}

/* It stays locked until it has its name. */
static HaloStatus put_in_place(HaloSink *sink)
{
    HaloStatus status = HALO_OK;
    if (!halo_temporary_hold(sink->temporary, sink->fd)) return output_error(sink->path, "cannot close");
    HALO_TRY(close_checked(sink));
    HALO_TRY(publish(sink));
    if (sink->sync) HALO_TRY(halo_sync_folder(sink->target));
out:
    return status;
}

static void free_sink(HaloSink *sink)
{
    const bool ended = halo_temporary_end(sink->temporary);
    if (sink->fd >= 0 && ended) close(sink->fd);
    free(sink->buffer);
    free(sink->target);
    free(sink->path);
    free(sink);
}

/* All that was collected, to the function. */
static HaloStatus give_all(HaloSink *sink)
{
    HaloStatus status = HALO_OK;
    size_t got = 0;
    for (int64_t at = 0; at == 0 || got > 0; at += (int64_t)got) {
        HALO_TRY(halo_sink_read(sink, at, sink->buffer, BUFFER_BYTES, &got));
        for (size_t given = 0; given < got;) {
            const int64_t n = sink->give(sink->context, sink->buffer + given, got - given);
            if (n <= 0 || (size_t)n > got - given)
                HALO_TRY(halo_fail_on(HALO_ERR_OUTPUT, sink->path, ": the function that takes it failed"));
            given += (size_t)n;
        }
    }
out:
    return status;
}

HaloStatus halo_sink_commit(HaloSink *sink)
{
    HaloStatus status = sink->failed;
    if (status != HALO_OK) goto out;
    HALO_TRY(flush(sink));
    if (sink->sync) HALO_TRY(halo_sync(sink->fd, sink->path));
    if (sink->give != NULL) HALO_TRY(give_all(sink));
    HALO_TRY(sink->temporary != NULL ? put_in_place(sink) : close_checked(sink));
out:
    free_sink(sink);
    return status;
}

void halo_sink_abandon(HaloSink *sink)
{
    if (sink != NULL) free_sink(sink);
}
