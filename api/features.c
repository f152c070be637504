/* The optional features of this build. CUDA stands last, so that "no CUDA" is not read as "no" to the others.
 */
#include "halo/engine.h"

#ifdef HALO_HAVE_JPEG
#define JPEG_FEATURE "JPEG"
#else
#define JPEG_FEATURE "no JPEG"
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
#ifdef HALO_HAVE_MPG123
#define MP3_FEATURE ", MP3"
#else
#define MP3_FEATURE ", no MP3"
#endif
#ifdef HALO_HAVE_WEBP
#define WEBP_FEATURE ", WebP"
#else
#define WEBP_FEATURE ", no WebP"
#endif
#ifdef HALO_HAVE_GIF
#define GIF_FEATURE ", GIF"
#else
#define GIF_FEATURE ", no GIF"
#endif
#ifdef HALO_HAVE_HEIF
#define HEIF_FEATURE ", HEIF"
#else
#define HEIF_FEATURE ", no HEIF"
#endif
#ifdef HALO_HAVE_JXL
#define JXL_FEATURE ", JXL"
#else
#define JXL_FEATURE ", no JXL"
#endif
#ifdef HALO_HAVE_FITS
#define FITS_FEATURE ", FITS"
#else
#define FITS_FEATURE ", no FITS"
#endif
#ifdef HALO_HAVE_EXR
#define EXR_FEATURE ", EXR"
#else
#define EXR_FEATURE ", no EXR"
#endif
#ifdef HALO_HAVE_EBUR128
#define LOUDNESS_FEATURE ", loudness"
#else
#define LOUDNESS_FEATURE ", no loudness"
#endif
/* Fourier transforms, for --precision fast and `compare`. */
#ifdef HALO_HAVE_KISSFFT
#define FFT_FEATURE ", KissFFT"
#else
#define FFT_FEATURE ", no KissFFT"
#endif
/* What PNG is read and written by decides on its speed, and on the bytes of its files. */
#ifdef HALO_HAVE_ISAL
#define ISAL_FEATURE ", ISA-L"
#else
#define ISAL_FEATURE ", no ISA-L"
#endif
#ifdef HALO_HAVE_DEFLATE
#define DEFLATE_FEATURE ", libdeflate"
#else
#define DEFLATE_FEATURE ", no libdeflate"
#endif
/* ICC profiles, by Little CMS. */
#ifdef HALO_HAVE_LCMS
#define LCMS_FEATURE ", LCMS"
#else
#define LCMS_FEATURE ", no LCMS"
#endif
#ifdef HALO_HAVE_CUDA
#define CUDA_FEATURE ", CUDA " HALO_CUDA_VERSION
#else
#define CUDA_FEATURE ", no CUDA"
#endif

const char *halo_build_features(void)
{
    return JPEG_FEATURE TIFF_FEATURE FLAC_FEATURE MP3_FEATURE WEBP_FEATURE GIF_FEATURE HEIF_FEATURE JXL_FEATURE
        FITS_FEATURE EXR_FEATURE LOUDNESS_FEATURE FFT_FEATURE ISAL_FEATURE DEFLATE_FEATURE LCMS_FEATURE
            CUDA_FEATURE;
}
