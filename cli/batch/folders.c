/* Folders of outputs. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch.h"

static HaloStatus make(const char *folder)
{
    struct stat st;
    const int error = mkdir(folder, 0777) == 0 ? 0 : errno;
    if (error != 0 && (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)))
        return halo_fail(HALO_ERR_OUTPUT, "%s: cannot make the folder: %s", folder, strerror(error));
    return HALO_OK;
}

/* Could halo have made this folder, in one that it may write to? */
static bool may_have_made(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    char *above = slash == NULL ? cli_copy(".") : slash == folder ? cli_copy("/") : cli_copy(folder);
    if (slash != NULL && slash != folder) above[slash - folder] = 0;
    const bool may = access(above, W_OK) == 0;
    free(above);
    return may;
}

/* A folder that exists is synced, too: another process or thread may have made it, and not synced it yet. Only
 * the latest folder is remembered, since outputs come folder by folder. */
static HaloStatus sync_names(const char *folder, size_t length)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char *latest; /* is on the disk, and all above it */
    HaloStatus status = HALO_OK;
    char *name = cli_copy(folder);
    name[length] = 0;
    pthread_mutex_lock(&lock);
    if (latest == NULL || strcmp(latest, name) != 0) {
        for (bool more = true; more && status == HALO_OK;) {
            char *slash = strrchr(name, '/');
            status = halo_sync_folder(name);
            more = slash != NULL && slash != name;
            if (more) *slash = 0;
            more = more && may_have_made(name);
        }
        if (status == HALO_OK) {
            free(latest);
            latest = cli_copy(folder);
            latest[length] = 0;
        }
    }
    pthread_mutex_unlock(&lock);
    free(name);
    return status;
}

HaloStatus cli_make_folders(const char *path, bool sync)
{
    HaloStatus status = HALO_OK;
    size_t length = 0; /* of the folder's name */
    char *folder = cli_copy(path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        HALO_TRY(make(folder));
        *slash = '/';
        length = (size_t)(slash - folder);
    }
    if (sync && length > 0) HALO_TRY(sync_names(path, length));
out:
    free(folder);
    return status;
}
