/* Reads bytes: one buffered stream over files, pipes and memory.
 *
 * Files are read, never mapped: a file that another process cuts short must give an error, not a SIGBUS. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "permissions.h"
#include "source.h"

#define BUFFER_BYTES HALO_SOURCE_BUFFER
#define PEEK_BYTES ((size_t)4096)

static HaloStatus describe(HaloSource *source, const char *path)
{
    struct stat st;
    if (fstat(source->fd, &st) != 0) return halo_fail_on(HALO_ERR_INPUT, path, ": %s", strerror(errno));
    if (S_ISDIR(st.st_mode)) return halo_fail_on(HALO_ERR_INPUT, path, " is a folder");
    if (!S_ISREG(st.st_mode)) return HALO_OK;
    const off_t here = lseek(source->fd, 0, SEEK_CUR);
    if (here < 0) return halo_fail_on(HALO_ERR_INPUT, path, ": %s", strerror(errno));
    source->regular = true;
    source->origin = here;
    source->size = st.st_size > here ? st.st_size - here : 0;
    halo_read_set(&st, &source->read);
    return HALO_OK;
}

/* The archive of "FILE.npz:NAME"; or -1 with the reason in errno. */
static int open_archive(const char *path)
{
    const char *mark = strstr(path, HALO_MEMBER_MARK);
    const size_t size = mark != NULL ? (size_t)(mark - path) + strlen(HALO_MEMBER_MARK) - 1 : 0;
    char *archive = mark != NULL ? strdup(path) : NULL;
    errno = ENOENT;
    if (archive == NULL) return -1;
    archive[size] = 0;
    const int fd = open(archive, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    const int reason = errno;
    free(archive);
    errno = reason;
    return fd;
}

HaloStatus halo_source_open(const char *path, HaloSource **out)
{
    HaloStatus status = HALO_OK;
    const bool standard = strcmp(path, "-") == 0;
    HaloSource *source = calloc(1, sizeof *source);
    if (source == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to open %s", path);
    source->size = -1;
    source->fd = -1;
    source->name = strdup(standard ? "standard input" : path);
    source->buffer = source->owned = malloc(BUFFER_BYTES);
    source->capacity = BUFFER_BYTES;
    if (source->name == NULL || source->owned == NULL) {
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to open %s", path);
    }
    do {
        source->fd =
            standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (source->fd < 0 && errno == EINTR);
    if (source->fd < 0 && errno == ENOENT) source->fd = open_archive(path);
    if (source->fd < 0) HALO_TRY(halo_fail_on(HALO_ERR_INPUT, source->name, ": %s", strerror(errno)));
    HALO_TRY(describe(source, source->name));
out:
    if (status != HALO_OK) {
        halo_source_close(source);
        source = NULL;
    }
    *out = source;
    return status;
}

HaloStatus halo_source_from_memory(const void *bytes, size_t size, HaloSource **out)
{
    HaloSource *source = *out = calloc(1, sizeof *source);
    if (source == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to open a stream");
    source->fd = -1;
    source->size = (int64_t)size;
    source->buffer = bytes;
    source->filled = size;
    return HALO_OK;
}

void halo_source_close(HaloSource *source)
{
    if (source == NULL) return;
    if (source->fd >= 0) close(source->fd);
    if (source->drop != NULL) source->drop(source->context);
    if (source->capacity > BUFFER_BYTES)
        halo_memory_release(source->memory, (int64_t)(source->capacity - BUFFER_BYTES));
    free(source->owned);
    free(source->name);
    free(source);
}

void halo_source_count(HaloSource *source, HaloMemory *memory) { source->memory = memory; }

const char *halo_source_name(const HaloSource *source)
{
    return source->name != NULL ? source->name : "memory";
}

int64_t halo_source_size(const HaloSource *source) { return source->size; }

double halo_source_ms(const HaloSource *source) { return source->ms; }

HaloStatus source_fetch(HaloSource *source, void *bytes, size_t size, size_t *got)
{
    *got = 0;
    if (source->fetch != NULL) return source->fetch(source, bytes, size, got);
    if (source->fd < 0) return HALO_OK;
    const double start = io_ms();
    const off_t at = (off_t)(source->origin + source->base + (int64_t)source->filled);
    for (;;) {
        const ssize_t n = source->shares ? pread(source->fd, bytes, size, at) : read(source->fd, bytes, size);
        if (n >= 0) {
            source->ms += io_ms() - start;
            *got = (size_t)n;
            return HALO_OK;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) { /* a pipe that another process made non-blocking */
            struct pollfd wait = {.fd = source->fd, .events = POLLIN};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return halo_fail(HALO_ERR_INPUT, "cannot read: %s", strerror(errno));
        }
    }
}

/* Moves the bytes from `first` on to the start of the buffer, to make space after them. */
static void compact(HaloSource *source, size_t first)
{
    if (source->owned == NULL || first == 0) return;
    memmove(source->owned, source->owned + first, source->filled - first);
    source->base += (int64_t)first;
    source->filled -= first;
    source->at -= first;
}

HaloStatus halo_source_peek(HaloSource *source, size_t size, const uint8_t **bytes, size_t *got)
{
    if (size > PEEK_BYTES) size = PEEK_BYTES;
    if (!source_is_memory(source) && source->capacity - source->at < size) compact(source, source->at);
    while (!source_is_memory(source) && source->filled - source->at < size) {
        size_t n;
        const HaloStatus status =
            source_fetch(source, source->owned + source->filled, source->capacity - source->filled, &n);
        if (status != HALO_OK) return status;
        if (n == 0) break;
        source->filled += n;
    }
    const size_t left = source->filled - source->at;
    *bytes = source->buffer + source->at;
    *got = left < size ? left : size;
    return HALO_OK;
}

/* The buffer is used up: drops what it holds, but of a pipe the first bytes for as long as there is space, so
 * that halo_source_to_file can have them. */
static void make_space(HaloSource *source)
{
    const bool first = !source->regular && source->base == 0 && source->filled < source->capacity;
    if (first) return;
    source->base += (int64_t)source->filled;
    source->at = source->filled = 0;
}

HaloStatus halo_source_take(HaloSource *source, void *bytes, size_t size, size_t *got)
{
    *got = 0;
    if (source->at == source->filled && !source_is_memory(source)) {
        size_t n;
        make_space(source);
        const HaloStatus status =
            source_fetch(source, source->owned + source->filled, source->capacity - source->filled, &n);
        if (status != HALO_OK) return status;
        source->filled += n;
    }
    const size_t left = source->filled - source->at;
    return left == 0 ? HALO_OK : halo_source_read(source, bytes, left < size ? left : size, got);
}

HaloStatus halo_source_read(HaloSource *source, void *bytes, size_t size, size_t *got)
{
    uint8_t *to = bytes;
    *got = 0;
    while (*got < size) {
        const size_t left = source->filled - source->at, want = size - *got;
        size_t n = left < want ? left : want;
        if (n > 0) {
            memcpy(to + *got, source->buffer + source->at, n);
            source->at += n;
            *got += n;
            continue;
        }
        if (source_is_memory(source)) break;
        const bool past_buffer = want >= source->capacity; /* large rows need no second copy */
        if (past_buffer) {
            source->base += (int64_t)source->filled;
            source->at = source->filled = 0;
        } else {
            make_space(source);
        }
        const HaloStatus status = past_buffer ? source_fetch(source, to + *got, want, &n)
                                              : source_fetch(source, source->owned + source->filled,
                                                             source->capacity - source->filled, &n);
        if (status != HALO_OK) return status;
        if (n == 0) break;
        if (past_buffer) {
            *got += n;
            source->base += (int64_t)n;
        } else {
            source->filled += n;
        }
    }
    return HALO_OK;
}

bool halo_source_seekable(const HaloSource *source) { return source_is_memory(source) || source->regular; }

int64_t halo_source_tell(const HaloSource *source) { return source->base + (int64_t)source->at + source->past; }

HaloStatus halo_source_seek(HaloSource *source, int64_t offset)
{
    const int64_t last = source->base + (int64_t)source->filled;
    const bool past = source_is_memory(source) && offset > last; /* where a file has no bytes either */
    if (offset >= source->base && (offset <= last || past)) {
        source->at = past ? source->filled : (size_t)(offset - source->base);
        source->past = past ? offset - last : 0;
        return HALO_OK;
    }
    if (source->fd < 0 || !source->regular || offset < 0) return halo_fail(HALO_ERR_INPUT, "cannot seek");
    if (!source->shares && lseek(source->fd, (off_t)(source->origin + offset), SEEK_SET) < 0) {
        return halo_fail(HALO_ERR_INPUT, "cannot seek: %s", strerror(errno));
    }
    source->base = offset;
    source->at = source->filled = 0;
    return HALO_OK;
}

/* Grows to twice the size, or as far as the limit on memory allows. */
static HaloStatus grow(HaloSource *source)
{
    const int64_t left = halo_memory_left(source->memory);
    size_t more = source->capacity;
    if (left < (int64_t)more && left >= (int64_t)PEEK_BYTES) more = (size_t)left;
    const HaloStatus status = halo_memory_hold(source->memory, (int64_t)more);
    if (status != HALO_OK) return halo_fail_at(status, "read as a whole, since a pipe cannot seek");
    uint8_t *grown = source->capacity <= SIZE_MAX / 2 ? realloc(source->owned, source->capacity + more) : NULL;
    if (grown == NULL) {
        halo_memory_release(source->memory, (int64_t)more);
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for more than %zu bytes", source->filled);
    }
    source->buffer = source->owned = grown;
    source->capacity += more;
    return HALO_OK;
}

bool halo_source_keep(HaloSource *source, int64_t from, size_t size)
{
    if (halo_source_seekable(source)) return true;
    if (from < source->base || from > halo_source_tell(source)) return false;
    if (source->capacity - source->at < size) compact(source, (size_t)(from - source->base));
    while (source->filled - source->at < size) {
        size_t n;
        if (source->filled == source->capacity && /* leaves memory for others */
            (halo_memory_left(source->memory) / 2 < (int64_t)source->capacity || grow(source) != HALO_OK))
            return false;
        if (source_fetch(source, source->owned + source->filled, source->capacity - source->filled, &n) !=
                HALO_OK ||
            n == 0)
            return false;
        source->filled += n;
    }
    return true;
}

/* Frees the unused part of the buffer. */
static void shrink(HaloSource *source)
{
    const size_t size = source->filled > BUFFER_BYTES ? source->filled : BUFFER_BYTES;
    uint8_t *shrunk = size < source->capacity ? realloc(source->owned, size) : NULL;
    if (shrunk == NULL) return;
    halo_memory_release(source->memory, (int64_t)(source->capacity - size));
    source->buffer = source->owned = shrunk;
    source->capacity = size;
}

/* From now on this is a source in memory: it has a size and can seek. */
HaloStatus halo_source_slurp(HaloSource *source, const uint8_t **bytes, size_t *size)
{
    compact(source, source->at);
    while (!source_is_memory(source)) {
        size_t n;
        HaloStatus status = source->filled == source->capacity ? grow(source) : HALO_OK;
        if (status == HALO_OK)
            status =
                source_fetch(source, source->owned + source->filled, source->capacity - source->filled, &n);
        if (status != HALO_OK) return status;
        source->filled += n;
        if (n == 0) {
            if (source->fd >= 0) close(source->fd);
            source->fd = -1;
            source->fetch = NULL;
            source->size = source->base + (int64_t)source->filled;
            shrink(source);
        }
    }
    *bytes = source->buffer + source->at;
    *size = source->filled - source->at;
    source->at = source->filled;
    return HALO_OK;
}

bool halo_source_identity(const HaloSource *source, HaloRead *read)
{
    if (!source->regular) return false;
    const char *const what = read->what;
    *read = source->read;
    read->what = what;
    return true;
}
