/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Lists of words in one text, such as the choices "auto|cpu|gpu" or the extensions "jpg,jpeg", and the parts of
 * a path. */
#ifndef HALO_WORDS_H
#define HALO_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "halo/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_WORD_SIZE 64

/* The words that switch it on, and off. */
#define HALO_WORDS_ON "1|yes|true|on"
#define HALO_WORDS_OFF "0|no|false|off"

/* ---- lists ---------------------------------------------------------------------------------------------- */

/* The i-th word of a list with `between` between its words, copied; NULL past the last, and of no list. */
static inline const char *halo_word(const char *list, char between, int i, char buffer[HALO_WORD_SIZE])
{
    if (list == NULL || *list == 0) return NULL;
    for (; i > 0; i--, list++) {
        list = strchr(list, between);
        if (list == NULL) return NULL;
    }
    size_t length = 0;
    for (; list[length] != 0 && list[length] != between && length < HALO_WORD_SIZE - 1; length++)
        buffer[length] = list[length];
    buffer[length] = 0;
    return buffer;
}

/* Which of them `word` is, or -1. */
static inline int halo_find_word(const char *list, char between, const char *word)
{
    char buffer[HALO_WORD_SIZE];
    for (int i = 0; halo_word(list, between, i, buffer) != NULL; i++)
        if (strcmp(buffer, word) == 0) return i;
    return -1;
}

/* Which of "a|b|c" the text is. HALO_ERR_USAGE names them all, and the nearest (core/base/suggest.c). */
HaloStatus halo_read_choice(const char *text, const char *choices, int *choice);
/* The choice that a mistyped text may stand for, or NULL. */
const char *halo_nearest_choice(const char *text, const char *choices, char buffer[HALO_WORD_SIZE]);

/* ---- paths ---------------------------------------------------------------------------------------------- */

/* The part after the last slash. */
static inline const char *halo_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The extension without its dot, or "". A dot in front hides a file, and begins no extension. That of a
 * compressed NIfTI has two parts. */
static inline const char *halo_extension(const char *path)
{
    static const char twofold[] = ".nii.gz";
    const char *name = halo_base_name(path), *dot = strrchr(name, '.');
    const size_t length = strlen(name), tail = sizeof twofold - 1;
    if (length > tail && strcmp(name + length - tail, twofold) == 0) return name + length - tail + 1;
    return dot != NULL && dot != name ? dot + 1 : "";
}

/* The same in lower case, as formats list theirs; cut where it is longer than any of them. */
static inline const char *halo_lower_extension(const char *path, char buffer[HALO_WORD_SIZE])
{
    const char *extension = halo_extension(path);
    size_t length = 0;
    for (; extension[length] != 0 && length < HALO_WORD_SIZE - 1; length++)
        buffer[length] = extension[length] >= 'A' && extension[length] <= 'Z' ? (char)(extension[length] | 0x20)
                                                                              : extension[length];
    buffer[length] = 0;
    return buffer;
}

#ifdef __cplusplus
}
#endif
#endif
