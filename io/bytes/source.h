/* What a source is (source.c), for source_twice.c. */
#ifndef HALO_IO_SOURCE_H
#define HALO_IO_SOURCE_H

#include "halo/format.h"

#define HALO_SOURCE_BUFFER ((size_t)256 * 1024)

/* The buffer holds bytes [base, base + filled) of the stream, counted from where it was when it was opened. */
struct HaloSource {
    char *name;
    int fd; /* -1: the buffer holds everything, or `fetch` makes more */
    HaloStatus (*fetch)(HaloSource *source, void *bytes, size_t size, size_t *got); /* NULL: read(2) */
    void (*drop)(void *context);                                                    /* with the source */
    void *context;
    bool regular;   /* the file can seek */
    bool shares;    /* its file is another source's too: reads leave the file's position alone */
    int64_t origin; /* the file's offset of byte 0: standard input may have been read from before */
    int64_t size;   /* of a regular file, from `origin`; else -1 */
    HaloRead read;  /* its identity and permissions */
    uint8_t *owned; /* the buffer, if the source owns it */
    size_t capacity;
    const uint8_t *buffer; /* == owned, or the caller's memory */
    size_t at, filled;
    int64_t base;
    int64_t past;       /* in memory: bytes from the end to where it was sought behind it */
    double ms;          /* spent on waiting for bytes */
    HaloMemory *memory; /* where the buffer counts, as far as it has grown */
};

/* Does the buffer hold all there is? */
static inline bool source_is_memory(const HaloSource *source)
{
    return source->fd < 0 && source->fetch == NULL;
}

/* One read(2) of whatever there is; *got = 0 at the end only. */
HaloStatus source_fetch(HaloSource *source, void *bytes, size_t size, size_t *got);

#endif
