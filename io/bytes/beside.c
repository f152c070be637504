#include "beside.h"

#include <stdlib.h>
#include <string.h>

#include "halo/words.h"

static bool leads_out(const char *name)
{
    if (*name == '/' || *name == 0) return true;
    for (const char *at = name; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == 0)) return true;
    }
    return false;
}

HaloStatus halo_source_open_beside(const HaloSource *header, const char *name, HaloSource **source)
{
    HaloRead read;
    const char *path = halo_source_name(header);
    const size_t folder = (size_t)(halo_base_name(path) - path);
    *source = NULL;
    if (!halo_source_identity(header, &read) || strcmp(path, "standard input") == 0)
        return halo_fail(
            HALO_ERR_INPUT,
            "the samples are in another file, '%.100s': name the file of the header, not - or a pipe", name);
    if (leads_out(name))
        return halo_fail(HALO_ERR_INPUT,
                         "the samples are in '%.100s': only files in the folder of the header, or below, are "
                         "read; move or link it there, and change the name in the header",
                         name);
    char *beside = malloc(folder + strlen(name) + 1);
    if (beside == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a name");
    memcpy(beside, path, folder);
    strcpy(beside + folder, name);
    const HaloStatus status = halo_source_open(beside, source);
    free(beside);
    return status == HALO_OK ? HALO_OK : halo_fail_at(status, "the samples");
}
