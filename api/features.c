/* What this build can do. */
#include "halo/halo.h"

#ifdef HALO_HAVE_CUDA
#define CUDA_FEATURE "CUDA " HALO_CUDA_VERSION
#else
#define CUDA_FEATURE "no CUDA"
#endif
#ifdef HALO_HAVE_JPEG
#define JPEG_FEATURE ", JPEG"
#else
#define JPEG_FEATURE ", no JPEG"
#endif
#ifdef HALO_HAVE_TIFF
#define TIFF_FEATURE ", TIFF"
#else
#define TIFF_FEATURE ", no TIFF"
#endif
#ifdef HALO_HAVE_FLAC
#define FLAC_FEATURE ", FLAC"
#else
#define FLAC_FEATURE ", no FLAC"
#endif
#ifdef HALO_HAVE_EBUR128
#define LOUDNESS_FEATURE ", loudness"
#else
#define LOUDNESS_FEATURE ", no loudness"
#endif

const char *halo_build_features(void) { return CUDA_FEATURE JPEG_FEATURE TIFF_FEATURE FLAC_FEATURE LOUDNESS_FEATURE; }
