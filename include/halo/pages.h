/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Which pages of an input are wanted (core/base/pages.c). */
#ifndef HALO_PAGES_H
#define HALO_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "3", "10-20", "5-" to the last, "-1" the last, "-3-" the last three. */
typedef struct HaloPages {
    int64_t first, last; /* from 1; from the end where negative, -1 is the last */
    bool to_end;         /* in place of `last` */
    const char *text;
} HaloPages;

/* False: that is no such text. It has to outlive `pages`. */
bool halo_read_pages(const char *text, HaloPages *pages);

#ifdef __cplusplus
}
#endif
#endif
