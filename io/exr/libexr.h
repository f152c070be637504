/* OpenEXRCore, the C part of OpenEXR, which is loaded with the first EXR (library/library.h). */
#ifndef HALO_IO_LIBEXR_H
#define HALO_IO_LIBEXR_H

#include <openexr.h>

#include "library/library.h"

HaloStatus exr_load(void);

#define EXR_FUNCTIONS(ROW)                    \
    ROW(exr_add_channel)                      \
    ROW(exr_add_part)                         \
    ROW(exr_attr_get_chromaticities)          \
    ROW(exr_attr_set_chromaticities)          \
    ROW(exr_decoding_choose_default_routines) \
    ROW(exr_decoding_destroy)                 \
    ROW(exr_decoding_initialize)              \
    ROW(exr_decoding_run)                     \
    ROW(exr_decoding_update)                  \
    ROW(exr_encoding_choose_default_routines) \
    ROW(exr_encoding_destroy)                 \
    ROW(exr_encoding_initialize)              \
    ROW(exr_encoding_run)                     \
    ROW(exr_encoding_update)                  \
    ROW(exr_finish)                           \
    ROW(exr_get_channels)                     \
    ROW(exr_get_count)                        \
    ROW(exr_get_data_window)                  \
    ROW(exr_get_default_error_message)        \
    ROW(exr_get_scanlines_per_chunk)          \
    ROW(exr_get_storage)                      \
    ROW(exr_get_tile_sizes)                   \
    ROW(exr_get_user_data)                    \
    ROW(exr_initialize_required_attr_simple)  \
    ROW(exr_read_scanline_chunk_info)         \
    ROW(exr_read_tile_chunk_info)             \
    ROW(exr_start_read)                       \
    ROW(exr_start_write)                      \
    ROW(exr_write_header)                     \
    ROW(exr_write_scanline_chunk_info)

typedef struct ExrFunctions {
    EXR_FUNCTIONS(LIBRARY_MEMBER)
} ExrFunctions;

extern ExrFunctions exr;

#endif
