#include "libsndfile.h"

#ifdef HALO_SNDFILE_FILE
static const char *const names[] = {SND_FUNCTIONS(LIBRARY_NAME)};

SndFunctions snd_functions;

static Library library = {.file = HALO_SNDFILE_FILE,
                          .needed_by = "sound other than WAV, FLAC and MP3",
                          .name = names,
                          .count = sizeof names / sizeof names[0],
                          .table = &snd_functions,
                          .lock = PTHREAD_MUTEX_INITIALIZER};

HaloStatus snd_load(void) { return library_load(&library); }
#else
HaloStatus snd_load(void) { return HALO_OK; }
#endif
