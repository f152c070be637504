#include "library.h"

#include <dlfcn.h>
#include <string.h>

_Static_assert(sizeof(void (*)(void)) == sizeof(void *), "POSIX: dlsym gives pointers to functions, too");

static HaloStatus find_functions(const Library *library, void *handle)
{
    for (size_t i = 0; i < library->count; i++) {
        void *const found = dlsym(handle, library->name[i]);
        if (found == NULL)
            return halo_fail(HALO_ERR_INPUT, "%s has no %s: halo was built for another version of it",
                             library->file, library->name[i]);
        memcpy((char *)library->table + i * sizeof found, &found, sizeof found);
    }
    return HALO_OK;
}

/* It stays for as long as the process. */
static HaloStatus load(Library *library)
{
    void *const handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return halo_fail(HALO_ERR_INPUT,
                         "%s, which %s needs, cannot be loaded: %s; it may have to be installed", library->file,
                         library->needed_by, dlerror());
    const HaloStatus status = find_functions(library, handle);
    if (status != HALO_OK) dlclose(handle);
    return status;
}

HaloStatus library_load(Library *library)
{
    pthread_mutex_lock(&library->lock);
    const HaloStatus status = library->loaded ? HALO_OK : load(library);
    library->loaded = status == HALO_OK;
    pthread_mutex_unlock(&library->lock);
    return status;
}
