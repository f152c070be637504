/* Loads libraries with dlopen when a file needs them. Most runs need none, and loading some takes longer than
 * filtering a small file: libtiff and libsndfile depend on sixteen others.
 *
 * A header lists the functions that halo calls; its macros map their names to members of a table, so that code
 * reads as if the library were linked. If CMake finds no file name to load a library by, it is linked, and the
 * header defines no macros. */
#ifndef HALO_IO_LIBRARY_H
#define HALO_IO_LIBRARY_H

#include <pthread.h>

#include "halo/fail.h"

typedef struct Library {
    const char *file;        /* "libtiff.so.6" */
    const char *needed_by;   /* "TIFF" */
    const char *const *name; /* [count] functions, in the order of their pointers in `table` */
    size_t count;
    void *table;
    pthread_mutex_t lock;
    bool loaded;
} Library;

/* Of a list LIST(ROW), with a row for each function: the members of a table, and the names. */
#define LIBRARY_MEMBER(function) __typeof__(function) *function;
#define LIBRARY_NAME(function) #function,
#define LIBRARY_ADDRESS(function) function,

/* Defines a table of this type and `static HaloStatus load(void)`, for libraries whose functions are called as
 * table.function(): of a library that is loaded, and of one that is linked. */
#define LIBRARY_LOADED(Type, functions, LIST, soname, needed, load)                       \
    Type functions;                                                                       \
    static const char *const functions##_names[] = {LIST(LIBRARY_NAME)};                  \
    static Library functions##_library = {.file = soname,                                 \
                                          .needed_by = needed,                            \
                                          .name = functions##_names,                      \
                                          .count = sizeof(Type) / sizeof(void (*)(void)), \
                                          .table = &functions,                            \
                                          .lock = PTHREAD_MUTEX_INITIALIZER};             \
    static HaloStatus load(void) { return library_load(&functions##_library); }
#define LIBRARY_LINKED(Type, functions, LIST, load) \
    Type functions = {LIST(LIBRARY_ADDRESS)};       \
    static HaloStatus load(void) { return HALO_OK; }

/* Once it has succeeded it does nothing. HALO_ERR_INPUT where the library is missing, or lacks a function. */
HaloStatus library_load(Library *library);

#endif
