/* libheif, which is loaded with the first AVIF or HEIC (library/library.h). */
#ifndef HALO_IO_LIBHEIF_H
#define HALO_IO_LIBHEIF_H

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
#include <libheif/heif.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include "library/library.h"

HaloStatus heif_load(void);

#if LIBHEIF_HAVE_VERSION(1, 19, 0)
#define HEIF_FUNCTIONS_OF_1_19(ROW) ROW(heif_context_get_security_limits)
#else
#define HEIF_FUNCTIONS_OF_1_19(ROW)
#endif

/* Functions whose declarations have an empty list of parameters get the type that they have. */
#define HEIF_FUNCTIONS(ROW)                               \
    HEIF_FUNCTIONS_OF_1_19(ROW)                           \
    ROW(heif_context_add_XMP_metadata)                    \
    ROW(heif_context_add_exif_metadata)                   \
    ROW(heif_context_alloc)                               \
    ROW(heif_context_encode_image)                        \
    ROW(heif_context_free)                                \
    ROW(heif_context_get_encoder_for_format)              \
    ROW(heif_context_get_image_handle)                    \
    ROW(heif_context_get_list_of_top_level_image_IDs)     \
    ROW(heif_context_get_number_of_top_level_images)      \
    ROW(heif_context_get_primary_image_ID)                \
    ROW(heif_context_read_from_memory_without_copy)       \
    ROW(heif_context_set_max_decoding_threads)            \
    ROW(heif_context_set_maximum_image_size_limit)        \
    ROW(heif_context_write)                               \
    ROW(heif_decode_image)                                \
    ROW(heif_decoding_options_alloc)                      \
    ROW(heif_decoding_options_free)                       \
    ROW(heif_encoder_release)                             \
    ROW(heif_encoder_set_lossless)                        \
    ROW(heif_encoder_set_lossy_quality)                   \
    ROW(heif_encoder_set_parameter)                       \
    ROW(heif_encoding_options_alloc)                      \
    ROW(heif_encoding_options_free)                       \
    ROW(heif_get_version_number)                          \
    ROW(heif_image_add_plane)                             \
    ROW(heif_image_create)                                \
    ROW(heif_image_get_bits_per_pixel_range)              \
    ROW(heif_image_get_height)                            \
    ROW(heif_image_get_plane)                             \
    ROW(heif_image_get_plane_readonly)                    \
    ROW(heif_image_get_width)                             \
    ROW(heif_image_handle_get_height)                     \
    ROW(heif_image_handle_get_ispe_height)                \
    ROW(heif_image_handle_get_ispe_width)                 \
    ROW(heif_image_handle_get_list_of_metadata_block_IDs) \
    ROW(heif_image_handle_get_luma_bits_per_pixel)        \
    ROW(heif_image_handle_get_metadata)                   \
    ROW(heif_image_handle_get_metadata_content_type)      \
    ROW(heif_image_handle_get_metadata_size)              \
    ROW(heif_image_handle_get_metadata_type)              \
    ROW(heif_image_handle_get_nclx_color_profile)         \
    ROW(heif_image_handle_get_number_of_metadata_blocks)  \
    ROW(heif_image_handle_get_raw_color_profile)          \
    ROW(heif_image_handle_get_raw_color_profile_size)     \
    ROW(heif_image_handle_get_width)                      \
    ROW(heif_image_handle_has_alpha_channel)              \
    ROW(heif_image_handle_is_premultiplied_alpha)         \
    ROW(heif_image_handle_release)                        \
    ROW(heif_image_release)                               \
    ROW(heif_image_set_nclx_color_profile)                \
    ROW(heif_image_set_raw_color_profile)                 \
    ROW(heif_nclx_color_profile_alloc)                    \
    ROW(heif_nclx_color_profile_free)

typedef struct HeifFunctions {
    HEIF_FUNCTIONS(LIBRARY_MEMBER)
} HeifFunctions;

extern HeifFunctions heif;

#endif
