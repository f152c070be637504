/* A library for LD_PRELOAD that makes system calls fail: the FAULT_N-th of those named in FAULT_CALL (and every
 * later one with FAULT_LASTING=1) fails with errno FAULT_ERRNO; with FAULT_SHORT=1 reads and writes do half
 * instead. FAULT_COUNT names a file that receives the number of calls of each name, a line each. Calls count
 * from the first line of main() to its end, except those to standard error, so that messages are printed. It
 * works on programs with AddressSanitizer, too: every call is passed on to the function that it would have
 * reached. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_bool armed;
static atomic_long count; /* of the calls in `calls`; and of each name, for FAULT_COUNT */
static struct {
    const char *name;
    atomic_long count;
} counted[] = {{"malloc", 0},    {"calloc", 0}, {"realloc", 0}, {"aligned_alloc", 0}, {"open", 0},
               {"read", 0},      {"write", 0},  {"close", 0},   {"fsync", 0},         {"rename", 0},
               {"link", 0},      {"unlink", 0}, {"mkdir", 0},   {"fchmod", 0},        {"stat", 0},
               {"ftruncate", 0}, {"lseek", 0},  {"fstat", 0},   {"opendir", 0},       {"readdir", 0},
               {"readlink", 0},  {"fcntl", 0},  {"flock", 0},   {"pthread_create", 0}};
static long which = -1;
static int error;
static bool lasting, shortly;
static char calls[256];

/* Before a thread's function begins, a sanitizer allocates memory, which must not fail. */
static _Thread_local bool begun __attribute__((tls_model("initial-exec")));

/* Is this the call that fails? */
static bool fails(const char *name)
{
    const size_t length = strlen(name);
    if (!begun || !atomic_load(&armed)) return false;
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        if (strcmp(counted[i].name, name) == 0) atomic_fetch_add(&counted[i].count, 1);
    for (const char *at = calls; (at = strstr(at, name)) != NULL; at += length) {
        if ((at != calls && at[-1] != ',') || (at[length] != 0 && at[length] != ',')) continue;
        const long now = atomic_fetch_add(&count, 1) + 1;
        return which > 0 && (lasting ? now >= which : now == which);
    }
    return false;
}

#define REAL(function)                                                               \
    ({                                                                               \
        static __typeof__(&function) real;                                           \
        if (real == NULL) real = (__typeof__(&function))dlsym(RTLD_NEXT, #function); \
        real;                                                                        \
    })
#define FAIL_AS(name, value) \
    if (fails(name)) {       \
        errno = error;       \
        return value;        \
    }

/* ---- from the beginning of main() to its end ------------------------------------------------------------- */

static int (*real_main)(int, char **, char **);

static void finish(void)
{
    const char *path = getenv("FAULT_COUNT");
    atomic_store(&armed, false);
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) return;
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        fprintf(file, "%s %ld\n", counted[i].name, atomic_load(&counted[i].count));
    fclose(file);
}

/* Prints where a program without a sanitizer crashed. */
static void died(int number)
{
    void *frame[48];
    atomic_store(&armed, false);
    backtrace_symbols_fd(frame, backtrace(frame, 48), STDERR_FILENO);
    signal(number, SIG_DFL);
    raise(number);
}

static int counted_main(int argc, char **argv, char **environment)
{
    const char *text;
    void *frame[1];
    backtrace(frame, 1); /* loads what it needs now */
    if ((text = getenv("FAULT_CALL")) != NULL) snprintf(calls, sizeof calls, "%s", text);
    if ((text = getenv("FAULT_N")) != NULL) which = atol(text);
    if ((text = getenv("FAULT_ERRNO")) != NULL) error = atoi(text);
    lasting = getenv("FAULT_LASTING") != NULL;
    shortly = getenv("FAULT_SHORT") != NULL;
    if (getenv("FAULT_TRACE") != NULL) {
        signal(SIGSEGV, died);
        signal(SIGABRT, died);
        signal(SIGFPE, died);
    }
    atexit(finish);
    begun = true;
    atomic_store(&armed, true);
    const int code = real_main(argc, argv, environment);
    atomic_store(&armed, false);
    return code;
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                      int (*init)(int, char **, char **), void (*fini)(void), void (*loader_fini)(void),
                      void *stack_end)
{
    real_main = main;
    return REAL(__libc_start_main)(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}

/* ---- memory -----------------------------------------------------------------------------------------------
 */

/* dlsym() itself may allocate memory while the functions below are looked up: it gets some of this. */
static _Alignas(64) char early[1 << 16];
static size_t early_used;

static void *take_early(size_t size)
{
    void *taken = early + early_used;
    early_used += (size + 63) / 64 * 64;
    if (early_used > sizeof early) abort();
    return taken;
}

static bool is_early(const void *p)
{
    return (const char *)p >= early && (const char *)p < early + sizeof early;
}

static void *(*real_malloc)(size_t), *(*real_calloc)(size_t, size_t), *(*real_realloc)(void *, size_t);
static void *(*real_aligned_alloc)(size_t, size_t);
static void (*real_free)(void *);
static _Thread_local bool looking __attribute__((tls_model("initial-exec")));

static bool look_up(void)
{
    if (real_free != NULL) return true;
    if (looking) return false;
    looking = true;
    *(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&real_calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&real_realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&real_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
    *(void **)&real_free = dlsym(RTLD_NEXT, "free");
    looking = false;
    return true;
}

void *malloc(size_t size)
{
    if (!look_up()) return take_early(size);
    FAIL_AS("malloc", NULL)
    return real_malloc(size);
}

void *calloc(size_t items, size_t size)
{
    if (!look_up()) return take_early(items * size);
    FAIL_AS("calloc", NULL)
    return real_calloc(items, size);
}

void *realloc(void *old, size_t size)
{
    if (!look_up()) return take_early(size);
    FAIL_AS("realloc", NULL)
    return is_early(old) ? memcpy(real_malloc(size), old, size) : real_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    look_up();
    FAIL_AS("aligned_alloc", NULL)
    return real_aligned_alloc(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    if (fails("aligned_alloc")) return ENOMEM;
    return REAL(posix_memalign)(p, alignment, size);
}

void free(void *p)
{
    if (!is_early(p) && look_up()) real_free(p);
}

/* glibc's own allocates memory by internal calls. */
char *strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

/* ---- files ------------------------------------------------------------------------------------------------
 */

ssize_t write(int fd, const void *bytes, size_t size)
{
    if (fd != STDERR_FILENO && fails("write")) {
        if (shortly && size > 1) return REAL(write)(fd, bytes, size / 2);
        errno = error;
        return -1;
    }
    return REAL(write)(fd, bytes, size);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    if (fails("read")) {
        if (shortly && size > 1) return REAL(read)(fd, bytes, size / 2);
        errno = error;
        return -1;
    }
    return REAL(read)(fd, bytes, size);
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t at)
{
    FAIL_AS("read", -1)
    return REAL(pread64)(fd, bytes, size, at);
}

int close(int fd)
{
    const int result = REAL(close)(fd);
    FAIL_AS("close", -1)
    return result;
}

#define OPEN(function)                             \
    int function(const char *path, int flags, ...) \
    {                                              \
        va_list rest;                              \
        va_start(rest, flags);                     \
        const mode_t mode = va_arg(rest, mode_t);  \
        va_end(rest);                              \
        FAIL_AS("open", -1)                        \
        return REAL(function)(path, flags, mode);  \
    }
OPEN(open)
OPEN(open64)

#define FOPEN(function)                                \
    FILE *function(const char *path, const char *mode) \
    {                                                  \
        FAIL_AS("open", NULL)                          \
        return REAL(function)(path, mode);             \
    }
FOPEN(fopen)
FOPEN(fopen64)

#define FCNTL(function)                               \
    int function(int fd, int command, ...)            \
    {                                                 \
        va_list rest;                                 \
        va_start(rest, command);                      \
        void *argument = va_arg(rest, void *);        \
        va_end(rest);                                 \
        FAIL_AS("fcntl", -1)                          \
        return REAL(function)(fd, command, argument); \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

/* RETURNS NAME(PARAMETERS), which fails with VALUE as CALL. */
#define PASS(returns, name, parameters, arguments, call, value) \
    returns name parameters                                     \
    {                                                           \
        FAIL_AS(call, value)                                    \
        return REAL(name) arguments;                            \
    }
PASS(int, fsync, (int fd), (fd), "fsync", -1)
PASS(int, rename, (const char *from, const char *to), (from, to), "rename", -1)
PASS(int, link, (const char *from, const char *to), (from, to), "link", -1)
PASS(int, unlink, (const char *path), (path), "unlink", -1)
PASS(int, mkdir, (const char *path, mode_t mode), (path, mode), "mkdir", -1)
PASS(int, fchmod, (int fd, mode_t mode), (fd, mode), "fchmod", -1)
PASS(int, ftruncate64, (int fd, off64_t size), (fd, size), "ftruncate", -1)
PASS(off64_t, lseek64, (int fd, off64_t at, int from), (fd, at, from), "lseek", -1)
PASS(int, stat64, (const char *path, struct stat64 *st), (path, st), "stat", -1)
PASS(int, lstat64, (const char *path, struct stat64 *st), (path, st), "stat", -1)
PASS(int, fstat64, (int fd, struct stat64 *st), (fd, st), "fstat", -1)
PASS(ssize_t, readlink, (const char *path, char *text, size_t size), (path, text, size), "readlink", -1)
PASS(DIR *, opendir, (const char *path), (path), "opendir", NULL)
PASS(struct dirent64 *, readdir64, (DIR * folder), (folder), "readdir", NULL)
PASS(int, flock, (int fd, int how), (fd, how), "flock", -1)

typedef struct Start {
    void *(*run)(void *);
    void *argument;
} Start;

static void *start(void *argument)
{
    const Start start = *(Start *)argument;
    real_free(argument);
    begun = true;
    return start.run(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*run)(void *), void *argument)
{
    if (fails("pthread_create")) return EAGAIN;
    Start *starts = real_malloc(sizeof *starts);
    *starts = (Start){run, argument};
    const int error = REAL(pthread_create)(thread, with, start, starts);
    if (error != 0) real_free(starts);
    return error;
}
