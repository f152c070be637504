#ifdef HALO_HAVE_FITS
#include "libcfitsio.h"

#ifdef HALO_FITS_FILE
LIBRARY_LOADED(FitsFunctions, fits, FITS_FUNCTIONS, HALO_FITS_FILE, "FITS", load)
#else
LIBRARY_LINKED(FitsFunctions, fits, FITS_FUNCTIONS, load)
#endif

HaloStatus fits_load(void) { return load(); }
#endif
