/* A library for LD_PRELOAD: the allocation with the number STARVE_AT fails. STARVE_COUNT names a file that
 * receives the number of allocations. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long made;
static long at = -1; /* 0: none fails; -1: nothing is counted yet */

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("STARVE_AT");
    at = number != NULL ? atol(number) : 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("STARVE_COUNT");
    const long count = made;
    at = -1;
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) return;
    fprintf(file, "%ld\n", count);
    fclose(file);
}

static int fails(void)
{
    if (at < 0 || atomic_fetch_add(&made, 1) + 1 != at) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return fails() ? NULL : __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (fails()) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory != NULL ? 0 : ENOMEM;
}

char *strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}
