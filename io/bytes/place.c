/* Resolves paths, whether or not a file exists there, so that two paths can be compared. */
#include "halo/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "temporary.h"

static void identify(const struct stat *st, HaloPlace *place)
{
    place->id[0] = (uint64_t)st->st_dev;
    place->id[1] = (uint64_t)st->st_ino;
}

/* Of a path below a folder: single slashes, no ".", and no ".." behind a name, since folders that halo makes
 * are no links. */
static void simplify(char *path)
{
    char *to = path;
    for (const char *at = path, *next; *at != 0; at = next) {
        const size_t length = strcspn(at, "/");
        next = at + length + (at[length] == '/');
        if (length == 2 && memcmp(at, "..", 2) == 0 && to > path) {
            do to--;
            while (to > path && *to != '/');
        } else if (length > 0 && !(length == 1 && *at == '.')) {
            if (to > path) *to++ = '/';
            memmove(to, at, length);
            to += length;
        }
    }
    *to = 0;
}

/* `path` is no link, and nothing is there. `folder` is a copy of it, to be cut until it is a folder that is
 * there. */
static HaloStatus place_in_folder(const char *path, char *folder, HaloPlace *place, bool *is)
{
    struct stat st;
    const char *slash, *rest;
    do {
        slash = strrchr(folder, '/');
        const size_t length = slash != NULL ? (size_t)(slash - folder) : 0;
        rest = path + length + (slash != NULL);
        folder[length] = 0;
        *is = stat(slash == NULL ? "." : length == 0 ? "/" : folder, &st) == 0 && S_ISDIR(st.st_mode);
    } while (!*is && slash != NULL && slash != folder);
    if (!*is) return HALO_OK;
    identify(&st, place);
    place->rest = strdup(rest);
    if (place->rest == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    simplify(place->rest);
    return HALO_OK;
}

HaloStatus halo_place_of(const char *path, HaloPlace *place, bool *is)
{
    HaloStatus status = HALO_OK;
    struct stat st;
    char *target = NULL, *folder = NULL;
    *place = (HaloPlace){0};
    *is = stat(path, &st) == 0;
    if (*is) {
        *is = S_ISREG(st.st_mode);
        identify(&st, place);
        return HALO_OK;
    }
    if (errno != ENOENT) return HALO_OK;
    HALO_TRY(halo_follow_links(path, &target));
    folder = strdup(target);
    if (folder == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(place_in_folder(target, folder, place, is));
out:
    free(folder);
    free(target);
    return status;
}

bool halo_place_of_open(int fd, HaloPlace *place)
{
    struct stat st;
    *place = (HaloPlace){0};
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) return false;
    identify(&st, place);
    return true;
}

int halo_place_compare(const HaloPlace *a, const HaloPlace *b)
{
    for (int i = 0; i < 2; i++)
        if (a->id[i] != b->id[i]) return a->id[i] < b->id[i] ? -1 : 1;
    if (a->rest == NULL || b->rest == NULL) return (a->rest != NULL) - (b->rest != NULL);
    return strcmp(a->rest, b->rest);
}
