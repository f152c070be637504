/* Which halo this is. */
#include "halo/halo.h"

const char *halo_version(void) { return HALO_VERSION; }
