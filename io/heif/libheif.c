#ifdef HALO_HAVE_HEIF
#include "libheif.h"

#ifdef HALO_HEIF_FILE
LIBRARY_LOADED(HeifFunctions, heif, HEIF_FUNCTIONS, HALO_HEIF_FILE, "AVIF and HEIC", load)
#else
LIBRARY_LINKED(HeifFunctions, heif, HEIF_FUNCTIONS, load)
#endif

HaloStatus heif_load(void) { return load(); }
#endif
