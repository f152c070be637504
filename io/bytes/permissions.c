/* The permissions of outputs: group and others get none beyond those that they have for every input. */
#include "permissions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "halo/words.h"

void halo_read_set(const struct stat *st, HaloRead *read)
{
    read->id[0] = (uint64_t)st->st_dev;
    read->id[1] = (uint64_t)st->st_ino;
    read->mode = (unsigned)st->st_mode;
    read->group = (unsigned)st->st_gid;
}

bool halo_read_of(const char *path, HaloRead *read)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
    halo_read_set(&st, read);
    return true;
}

/* The group that a new file gets: its folder's, if that has the set-group-ID bit. */
static unsigned group_of_new(const char *target)
{
    struct stat st;
    const size_t length = (size_t)(halo_base_name(target) - target);
    char *folder = length > 0 ? strndup(target, length) : NULL;
    const bool known = (length == 0 || folder != NULL) && stat(length > 0 ? folder : ".", &st) == 0;
    free(folder);
    return (unsigned)(known && (st.st_mode & S_ISGID) != 0 ? st.st_gid : getegid());
}

/* Members of another group than the input's are others to it. */
mode_t halo_limited_mode(mode_t mode, unsigned group, const HaloRead *read, size_t reads)
{
    for (size_t i = 0; i < reads; i++) {
        if (read[i].mode == 0) continue;
        const unsigned others = read[i].mode & 07;
        const unsigned members = read[i].group == group ? read[i].mode >> 3 & 07 : others;
        mode &= (mode_t)(0700 | members << 3 | others);
    }
    return mode;
}

mode_t halo_new_mode(const char *target, const HaloRead *read, size_t reads)
{
    return halo_limited_mode(0666, group_of_new(target), read, reads);
}
