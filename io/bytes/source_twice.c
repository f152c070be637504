/* Sources that are read twice: files, memory, and pipes that are kept in a file. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source.h"
#include "unnamed.h"

bool halo_source_is_rereadable(const HaloSource *source)
{
    return source->regular || (source_is_memory(source) && source->base == 0);
}

HaloStatus halo_source_open_again(const HaloSource *source, HaloSource **out)
{
    HaloStatus status = HALO_OK;
    HaloSource *second = NULL;
    if (source_is_memory(source)) return halo_source_from_memory(source->buffer, source->filled, out);
    second = calloc(1, sizeof *second);
    if (second == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read %s again", source->name);
    second->fd = fcntl(source->fd, F_DUPFD_CLOEXEC, 0);
    second->name = strdup(source->name);
    second->buffer = second->owned = malloc(HALO_SOURCE_BUFFER);
    if (second->fd < 0 || second->name == NULL || second->owned == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "cannot open %s again", source->name);
    second->capacity = HALO_SOURCE_BUFFER;
    second->regular = second->shares = true;
    second->origin = source->origin;
    second->size = source->size;
    second->read = source->read;
out:
    if (status != HALO_OK) {
        halo_source_close(second);
        second = NULL;
    }
    *out = second;
    return status;
}

static HaloStatus append(int fd, const uint8_t *bytes, size_t size, const HaloSource *source,
                         const char *folder)
{
    while (size > 0) {
        const ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return halo_fail(
                HALO_ERR_LIMIT,
                "%s is needed twice, and cannot be kept in %s: %s; set TMPDIR to a folder with more "
                "space, or give a file",
                source->name, folder, strerror(errno));
        bytes += n;
        size -= (size_t)n;
    }
    return HALO_OK;
}

HaloStatus halo_source_to_file(HaloSource *source)
{
    HaloStatus status = HALO_OK;
    const char *const folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    const char *folder = NULL;
    uint8_t *block = NULL;
    int fd = -1;
    if (source->fd < 0 || source->regular || source->base > 0) return HALO_OK;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && fd < 0; i++)
        fd = halo_open_unnamed_in(folder = folders[i]);
    if (fd < 0) return HALO_OK;
    block = malloc(HALO_SOURCE_BUFFER);
    if (block == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to keep %s", source->name);
    HALO_TRY(append(fd, source->buffer, source->filled, source, folder));
    int64_t size = (int64_t)source->filled;
    for (size_t got = 1; got > 0; size += (int64_t)got) {
        HALO_TRY(source_fetch(source, block, HALO_SOURCE_BUFFER, &got));
        HALO_TRY(append(fd, block, got, source, folder));
    }
    close(source->fd);
    source->fd = fd;
    source->regular = source->shares = true;
    source->origin = 0;
    source->size = size;
    fd = -1;
out:
    free(block);
    if (fd >= 0) close(fd);
    return status;
}
