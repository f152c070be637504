#ifdef HALO_HAVE_MPG123
#include "libmpg123.h"

#ifdef HALO_MPG123_FILE
static const char *const names[] = {MPG123_FUNCTIONS(LIBRARY_NAME)};

Mpg123Functions mpg123_functions;

static Library library = {.file = HALO_MPG123_FILE,
                          .needed_by = "MP3",
                          .name = names,
                          .count = sizeof names / sizeof names[0],
                          .table = &mpg123_functions,
                          .lock = PTHREAD_MUTEX_INITIALIZER};

HaloStatus mp3_load(void) { return library_load(&library); }
#else
HaloStatus mp3_load(void) { return HALO_OK; }
#endif
#endif
