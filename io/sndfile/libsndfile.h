/* libsndfile, which is loaded with the first file that takes it (library/library.h). */
#ifndef HALO_IO_LIBSNDFILE_H
#define HALO_IO_LIBSNDFILE_H

#include <sndfile.h>

#include "library/library.h"

/* Before any other call; later ones cost nothing. */
HaloStatus snd_load(void);

#ifdef HALO_SNDFILE_FILE
#define SND_FUNCTIONS(ROW) \
    ROW(sf_close)          \
    ROW(sf_command)        \
    ROW(sf_error)          \
    ROW(sf_error_number)   \
    ROW(sf_format_check)   \
    ROW(sf_get_string)     \
    ROW(sf_open_virtual)   \
    ROW(sf_readf_double)   \
    ROW(sf_readf_float)    \
    ROW(sf_readf_int)      \
    ROW(sf_set_string)     \
    ROW(sf_strerror)       \
    ROW(sf_writef_double)  \
    ROW(sf_writef_float)   \
    ROW(sf_writef_int)

typedef struct SndFunctions {
    SND_FUNCTIONS(LIBRARY_MEMBER)
} SndFunctions;

extern SndFunctions snd_functions;

#define sf_close snd_functions.sf_close
#define sf_command snd_functions.sf_command
#define sf_error snd_functions.sf_error
#define sf_error_number snd_functions.sf_error_number
#define sf_format_check snd_functions.sf_format_check
#define sf_get_string snd_functions.sf_get_string
#define sf_open_virtual snd_functions.sf_open_virtual
#define sf_readf_double snd_functions.sf_readf_double
#define sf_readf_float snd_functions.sf_readf_float
#define sf_readf_int snd_functions.sf_readf_int
#define sf_set_string snd_functions.sf_set_string
#define sf_strerror snd_functions.sf_strerror
#define sf_writef_double snd_functions.sf_writef_double
#define sf_writef_float snd_functions.sf_writef_float
#define sf_writef_int snd_functions.sf_writef_int
#endif

#endif
