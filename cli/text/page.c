/* What halo prints: gathered in memory and written in one place. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fopencookie */
#endif
#include "page.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

static FILE *page;
static CliText page_text;
static HaloFailure page_failure; /* of a page that goes out as it is printed */
static bool colours;

/* Held by the thread that prints. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static bool line_shown;

FILE *cli_page_open(void) { return page = cli_text_stream(&page_text); }

static HaloStatus write_all(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(descriptor, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EPIPE) return halo_fail(HALO_ERR_PIPE, "the reader has gone");
        if (written < 0)
            return halo_fail(HALO_ERR_OUTPUT, "cannot write standard %s: %s",
                             descriptor == STDOUT_FILENO ? "output" : "error", strerror(errno));
        bytes += written;
        size -= (size_t)written;
    }
    return HALO_OK;
}

static HaloStatus write_shared(int descriptor, const char *bytes, size_t size)
{
    const bool shared = isatty(descriptor); /* with messages */
    if (shared) cli_terminal_hold();
    const HaloStatus status = write_all(descriptor, bytes, size);
    if (shared) cli_terminal_release();
    return status;
}

static ssize_t pass_on(void *descriptor, const char *bytes, size_t size)
{
    const HaloStatus status = write_shared(*(const int *)descriptor, bytes, size);
    if (status == HALO_OK) return (ssize_t)size;
    halo_failure_keep(&page_failure, status);
    return 0;
}

FILE *cli_page_through(int descriptor)
{
    static int to;
    to = descriptor;
    page = fopencookie(&to, "w", (cookie_io_functions_t){.write = pass_on});
    return page != NULL ? page : cli_page_open();
}

HaloStatus cli_page_send(int descriptor)
{
    const bool failed = ferror(page), closed = fclose(page) == 0;
    HaloStatus status = HALO_OK;
    if (page_failure.status != HALO_OK)
        status = halo_failure_again(&page_failure);
    else if (failed || !closed)
        status = halo_fail(HALO_ERR_LIMIT, "not enough memory for what is to be printed");
    else if (page_text.length > 0)
        status = write_shared(descriptor, page_text.data, page_text.length);
    free(page_text.data);
    page_text = (CliText){0};
    page = NULL;
    return status;
}

int cli_page_end(int descriptor)
{
    const HaloStatus status = cli_page_send(descriptor);
    if (status != HALO_OK && status != HALO_ERR_PIPE) cli_complain("%s", halo_error());
    return (int)status;
}

void cli_page_guard_standard(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            /* The wrong way round on purpose: using it fails as it would have failed closed. */
            const int opened = open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
            (void)opened;
        }
}

void cli_terminal_hold(void)
{
    pthread_mutex_lock(&turn);
    if (line_shown) fputs("\r\033[K", stderr);
    line_shown = false;
}

void cli_terminal_release(void) { pthread_mutex_unlock(&turn); }

void cli_terminal_line(const char *line)
{
    pthread_mutex_lock(&turn);
    fprintf(stderr, "\r\033[K%s", line);
    line_shown = true;
    pthread_mutex_unlock(&turn);
}

void cli_complain(const char *format, ...)
{
    va_list args;
    cli_terminal_hold();
    fputs("halo: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    cli_terminal_release();
}

void cli_ink_setup(int descriptor, bool no_color)
{
    const char *forbidden = getenv("NO_COLOR"), *terminal = getenv("TERM");
    colours = !no_color && (forbidden == NULL || *forbidden == 0) && terminal != NULL &&
              strcmp(terminal, "dumb") != 0 && isatty(descriptor);
}

const char *cli_ink(CliInk ink)
{
    static const char *const escape[] = {"\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[34m"};
    return colours ? escape[ink] : "";
}

bool cli_unicode(void)
{
    const char *set = NULL;
    static const char *const name[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3 && (set == NULL || *set == 0); i++) set = getenv(name[i]);
    return set == NULL || *set == 0 || strstr(set, "UTF-8") != NULL || strstr(set, "utf8") != NULL ||
           strstr(set, "UTF8") != NULL || strstr(set, "utf-8") != NULL;
}
