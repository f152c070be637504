/* The selection of pages: `pages:` as the user writes it. */
#include "halo/pages.h"

#include "halo/text.h"

/* No file holds more. */
#define MOST ((int64_t)1 << 40)

static bool read_page(const char *text, int64_t *page, const char **end)
{
    return halo_read_int(text, -MOST, MOST, page, end) && *page != 0;
}

bool halo_read_pages(const char *text, HaloPages *pages)
{
    const char *end;
    HaloPages read = {.text = text};
    if (!read_page(text, &read.first, &end)) return false;
    read.last = read.first;
    if (*end == '-') {
        read.to_end = end[1] == 0;
        if (!read.to_end && !read_page(end + 1, &read.last, &end)) return false;
        if (read.to_end) end++;
    }
    const bool backwards = (read.first < 0) == (read.last < 0) && read.last < read.first;
    if (*end != 0 || (backwards && !read.to_end)) return false;
    *pages = read;
    return true;
}
