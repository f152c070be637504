#ifdef HALO_HAVE_GIF
#include "libgif.h"

#ifdef HALO_GIF_FILE
LIBRARY_LOADED(GifFunctions, gif, GIF_FUNCTIONS, HALO_GIF_FILE, "GIF", load)
#else
LIBRARY_LINKED(GifFunctions, gif, GIF_FUNCTIONS, load)
#endif

HaloStatus gif_load(void) { return load(); }
#endif
