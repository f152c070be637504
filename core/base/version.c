/* The version of halo. */
#include "halo/halo.h"

const char *halo_version(void) { return HALO_VERSION; }
