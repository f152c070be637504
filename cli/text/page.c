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
#include <sys/ioctl.h>
#include <unistd.h>

#include "cookie.h"
#include "halo/escape.h"
#include "text.h"

static FILE *page;
static CliText page_text; /* what was printed and has not gone out */
static bool page_is_json;
/* Of a page that goes out as it is printed: to where, and what became of it. */
static HaloSink *page_sink;
static int page_descriptor;
static HaloFailure page_failure;
static bool colours;
static const char *const escape[] = {"\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[34m"};

/* Held by the thread that prints. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static bool line_shown;

/* ---- pages ---------------------------------------------------------------------------------------------- */

bool cli_page_is_raw(bool json, bool csv, int descriptor) { return json || (csv && !isatty(descriptor)); }

FILE *cli_page_open(bool json)
{
    page_is_json = json;
    return page = cli_text_stream(&page_text);
}

/* The length of a colour's escape sequence at the start; 0: there is none. */
static size_t ink_length(const char *text)
{
    for (size_t i = 0; i < sizeof escape / sizeof escape[0] && colours; i++)
        if (strncmp(text, escape[i], strlen(escape[i])) == 0) return strlen(escape[i]);
    return 0;
}

static const char *next_ink(const char *at, const char *end)
{
    for (; at < end; at++) {
        at = memchr(at, '\033', (size_t)(end - at));
        if (at == NULL) return end;
        if (ink_length(at) > 0) return at;
    }
    return end;
}

/* The beginning of the page's text as it goes out: between its colours all is escaped. */
static CliText finished_text(size_t size)
{
    CliText out = {0};
    for (const char *at = page_text.data, *end = at + size; at < end;) {
        const char *ink = next_ink(at, end);
        const size_t length = ink < end ? ink_length(ink) : 0;
        cli_add_escaped(&out, at, (size_t)(ink - at), "\n\t");
        cli_add(&out, ink, length);
        at = ink + length;
    }
    return out;
}

static HaloStatus write_all(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(descriptor, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EPIPE) return halo_fail(HALO_ERR_PIPE, "broken pipe");
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

/* Writes the beginning of the page's text to a file or, where `sink` is NULL, to a descriptor. */
static HaloStatus put_text(HaloSink *sink, int descriptor, size_t size)
{
    CliText escaped = {0};
    const char *bytes = page_text.data;
    if (size == 0) return HALO_OK;
    if (!page_is_json) {
        escaped = finished_text(size);
        bytes = escaped.data;
    }
    const size_t length = page_is_json ? size : escaped.length;
    const HaloStatus status =
        sink != NULL ? halo_sink_write(sink, bytes, length) : write_shared(descriptor, bytes, length);
    free(escaped.data);
    page_text.length -= size;
    memmove(page_text.data, page_text.data + size, page_text.length);
    return status;
}

enum { BLOCK = 1 << 16 };

/* Of text, whose characters must not be cut, complete lines. */
static size_t complete_length(void)
{
    size_t length = page_text.length;
    while (!page_is_json && length > 0 && page_text.data[length - 1] != '\n') length--;
    return length;
}

static CookieWritten pass_on(void *unused, const char *bytes, CookieSize size)
{
    (void)unused;
    if (page_failure.status != HALO_OK) return 0;
    cli_add(&page_text, bytes, (size_t)size);
    if (page_text.length < BLOCK) return (CookieWritten)size;
    const HaloStatus status = put_text(page_sink, page_descriptor, complete_length());
    if (status == HALO_OK) return (CookieWritten)size;
    halo_failure_keep(&page_failure, status);
    return 0;
}

FILE *cli_page_through(bool json, HaloSink *sink, int descriptor)
{
    page_is_json = json;
    page_sink = sink;
    page_descriptor = descriptor;
    page = COOKIE_OPEN(&page_failure, pass_on);
    return page != NULL ? page : cli_page_open(json);
}

static HaloStatus end_page(HaloSink *sink, int descriptor)
{
    const bool failed = ferror(page), closed = fclose(page) == 0;
    HaloStatus status = HALO_OK;
    if (page_failure.status != HALO_OK)
        status = halo_failure_again(&page_failure);
    else if (failed || !closed)
        status = halo_fail(HALO_ERR_LIMIT, "not enough memory for what is to be printed");
    else
        status = put_text(sink, descriptor, page_text.length);
    free(page_text.data);
    page_text = (CliText){0};
    page_failure.status = HALO_OK;
    page = NULL;
    return status;
}

HaloStatus cli_page_send(int descriptor) { return end_page(NULL, descriptor); }

HaloStatus cli_page_close(void) { return end_page(page_sink, page_descriptor); }

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
            /* Opened for the wrong direction on purpose: using it fails, as if it were closed. */
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
    fputs("\r\033[K", stderr);
    halo_put_escaped(stderr, line);
    line_shown = true;
    pthread_mutex_unlock(&turn);
}

/* ---- messages ------------------------------------------------------------------------------------------- */

static void say(const char *before, const char *format, va_list args)
{
    static const char indent[] = "\n  ";
    char *words = cli_format_list(format, args);
    CliText line = {0};
    cli_add(&line, before, strlen(before));
    for (const char *at = words, *next; at != NULL; at = next) {
        const char *end = strstr(at, indent);
        cli_add_escaped(&line, at, end != NULL ? (size_t)(end - at) : strlen(at), "");
        if (end != NULL) cli_add(&line, indent, sizeof indent - 1);
        next = end != NULL ? end + sizeof indent - 1 : NULL;
    }
    cli_add_char(&line, '\n');
    cli_terminal_hold();
    fputs(line.data, stderr);
    cli_terminal_release();
    free(line.data);
    free(words);
}

void cli_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("halo: ", format, args);
    va_end(args);
}

void cli_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
}

void cli_ink_setup(int descriptor, bool no_color)
{
    const char *forbidden = getenv("NO_COLOR"), *terminal = getenv("TERM");
    colours = !no_color && (forbidden == NULL || *forbidden == 0) && terminal != NULL &&
              strcmp(terminal, "dumb") != 0 && isatty(descriptor);
}

const char *cli_ink(CliInk ink) { return colours ? escape[ink] : ""; }

int cli_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col < 40 ? 40 : size.ws_col > 200 ? 200 : size.ws_col;
}

bool cli_unicode(void)
{
    const char *set = NULL;
    static const char *const name[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3 && (set == NULL || *set == 0); i++) set = getenv(name[i]);
    return set == NULL || *set == 0 || strstr(set, "UTF-8") != NULL || strstr(set, "utf8") != NULL ||
           strstr(set, "UTF8") != NULL || strstr(set, "utf-8") != NULL;
}
