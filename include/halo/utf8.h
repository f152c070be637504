/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * UTF-8 (RFC 3629): read, checked, written and counted, one character after the other. */
#ifndef HALO_UTF8_H
#define HALO_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The character at the start of `size` bytes: *code, and how many bytes it has. 0 for what is no character: a
 * byte that cannot stand there, an overlong form, a surrogate, a value above U+10FFFF, or no bytes. */
static inline int halo_utf8_get(const char *text, size_t size, uint32_t *code)
{
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t first = size > 0 ? (uint8_t)text[0] : 0x80;
    const int bytes = first < 0x80   ? 1
                      : first < 0xc0 ? 0
                      : first < 0xe0 ? 2
                      : first < 0xf0 ? 3
                      : first < 0xf8 ? 4
                                     : 0;
    if (bytes == 0 || (size_t)bytes > size) return 0;
    *code = bytes == 1 ? first : first & (0xffu >> (bytes + 1));
    for (int i = 1; i < bytes; i++) {
        if (((uint8_t)text[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | ((uint8_t)text[i] & 0x3f);
    }
    return *code < smallest[bytes] || (*code >= 0xd800 && *code < 0xe000) || *code > 0x10ffff ? 0 : bytes;
}

/* Are all of `size` bytes characters? */
static inline bool halo_utf8_valid(const char *text, size_t size)
{
    uint32_t code;
    for (size_t at = 0, bytes; at < size; at += bytes)
        if ((bytes = (size_t)halo_utf8_get(text + at, size - at, &code)) == 0) return false;
    return true;
}

/* Writes a character, up to U+10FFFF, as up to 4 bytes, and returns where the next one goes. */
static inline char *halo_utf8_put(char *to, uint32_t code)
{
    static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    *to++ = (char)(lead[more] | code >> 6 * more);
    for (int i = more - 1; i >= 0; i--) *to++ = (char)(0x80 | (code >> 6 * i & 0x3f));
    return to;
}

/* The length of a text, or, of one with more than `most` bytes, of as many of them as cut no character. */
static inline size_t halo_utf8_fit(const char *text, size_t most)
{
    const char *end = (const char *)memchr(text, 0, most + 1);
    size_t length = most;
    if (end != NULL) return (size_t)(end - text);
    while (length > 0 && most - length < 3 && ((uint8_t)text[length] & 0xc0) == 0x80) length--;
    return ((uint8_t)text[length] & 0xc0) == 0x80 ? most : length; /* no UTF-8 anyway */
}

/* How many characters a text has: columns on a terminal, as long as none is wide. */
static inline int halo_utf8_count(const char *text)
{
    int count = 0;
    for (; *text != 0; text++) count += ((uint8_t)*text & 0xc0) != 0x80;
    return count;
}

#endif
