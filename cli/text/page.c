/* What halo prints: gathered in memory and written in one place. */
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
static bool colours;

/* Held by the thread that prints. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static bool line_shown;

FILE *cli_page_open(void)
{
    return page = cli_text_stream(&page_text);
}

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

HaloStatus cli_page_send(int descriptor)
{
    const bool failed = ferror(page), closed = fclose(page) == 0;
    HaloStatus status = HALO_OK;
    if (failed || !closed)
        status = halo_fail(HALO_ERR_LIMIT, "not enough memory for what is to be printed");
    else if (page_text.length > 0) {
        const bool shared = isatty(descriptor); /* with messages */
        if (shared) cli_terminal_hold();
        status = write_all(descriptor, page_text.data, page_text.length);
        if (shared) cli_terminal_release();
    }
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
