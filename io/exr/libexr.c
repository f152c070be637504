#ifdef HALO_HAVE_EXR
#include "libexr.h"

#ifdef HALO_EXR_FILE
LIBRARY_LOADED(ExrFunctions, exr, EXR_FUNCTIONS, HALO_EXR_FILE, "OpenEXR", load)
#else
LIBRARY_LINKED(ExrFunctions, exr, EXR_FUNCTIONS, load)
#endif

HaloStatus exr_load(void) { return load(); }
#endif
