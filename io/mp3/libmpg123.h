/* libmpg123, which is loaded with the first MP3 (library/library.h). No function here takes a file offset: such
 * functions exist in two widths, and the symbol name does not tell which. */
#ifndef HALO_IO_LIBMPG123_H
#define HALO_IO_LIBMPG123_H

#define MPG123_ENUM_API /* the functions by their own names, which 1.27 has, too */
#include <mpg123.h>

#include "library/library.h"

/* Before any other call; later ones cost nothing. */
HaloStatus mp3_load(void);

#ifdef HALO_MPG123_FILE
#define MPG123_FUNCTIONS(ROW) \
    ROW(mpg123_decode)        \
    ROW(mpg123_delete)        \
    ROW(mpg123_enc_from_id3)  \
    ROW(mpg123_feed)          \
    ROW(mpg123_free_string)   \
    ROW(mpg123_id3)           \
    ROW(mpg123_init_string)   \
    ROW(mpg123_new)           \
    ROW(mpg123_open_feed)     \
    ROW(mpg123_param)         \
    ROW(mpg123_store_utf8)

typedef struct Mpg123Functions {
    MPG123_FUNCTIONS(LIBRARY_MEMBER)
} Mpg123Functions;

extern Mpg123Functions mpg123_functions;

#define mpg123_decode mpg123_functions.mpg123_decode
#define mpg123_delete mpg123_functions.mpg123_delete
#define mpg123_enc_from_id3 mpg123_functions.mpg123_enc_from_id3
#define mpg123_feed mpg123_functions.mpg123_feed
#define mpg123_free_string mpg123_functions.mpg123_free_string
#define mpg123_id3 mpg123_functions.mpg123_id3
#define mpg123_init_string mpg123_functions.mpg123_init_string
#define mpg123_new mpg123_functions.mpg123_new
#define mpg123_open_feed mpg123_functions.mpg123_open_feed
#define mpg123_param mpg123_functions.mpg123_param
#define mpg123_store_utf8 mpg123_functions.mpg123_store_utf8
#endif

#endif
