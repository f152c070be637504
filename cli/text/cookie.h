/* A stream whose bytes go to a function: fopencookie of glibc and musl, funopen of macOS and the BSDs. For
 * files that define _GNU_SOURCE before everything else. */
#ifndef CLI_TEXT_COOKIE_H
#define CLI_TEXT_COOKIE_H

#include <stdio.h>
#include <sys/types.h>

#if defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
typedef int CookieWritten, CookieSize;
#define COOKIE_OPEN(cookie, write) funopen(cookie, NULL, write, NULL, NULL)
#else
typedef ssize_t CookieWritten;
typedef size_t CookieSize;
#define COOKIE_OPEN(cookie, put) fopencookie(cookie, "w", (cookie_io_functions_t){.write = put})
#endif

#endif
