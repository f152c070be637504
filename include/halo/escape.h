/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Names and texts out of files, made fit for a terminal (core/base/escape.c). Control characters in them could
 * move the cursor, change colours, or make one line look like another. They are shown as bash quotes them: a
 * name with an escape character in it is printed as one$'\033'two. */
#ifndef HALO_ESCAPE_H
#define HALO_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes `size` bytes of text to `to` (NULL: only counts), with what is special escaped, and returns how many
 * bytes that takes; there is no zero byte at the end. Special are control characters (C0, DEL, C1), those that
 * change the direction of writing, line and paragraph separators, U+FFFE and U+FFFF, and bytes that are not
 * UTF-8. `keep` lists the ASCII characters that stay nevertheless, such as "\n". */
size_t halo_escape(const char *text, size_t size, const char *keep, char *to);
/* Prints a name or another text out of a file: all that is special is escaped. */
void halo_put_escaped(FILE *to, const char *text);

#ifdef __cplusplus
}
#endif
#endif
