#ifdef HALO_HAVE_TIFF
#include "libtiff.h"

#ifdef HALO_TIFF_FILE
static const char *const names[] = {TIFF_FUNCTIONS(LIBRARY_NAME)};

TiffFunctions tiff_functions;

static Library library = {.file = HALO_TIFF_FILE,
                          .needed_by = "TIFF",
                          .name = names,
                          .count = sizeof names / sizeof names[0],
                          .table = &tiff_functions,
                          .lock = PTHREAD_MUTEX_INITIALIZER};

HaloStatus tiff_load(void) { return library_load(&library); }
#else
HaloStatus tiff_load(void) { return HALO_OK; }
#endif
#endif
