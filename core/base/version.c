/* The version of halo. */
#include "halo/engine.h"

const char *halo_version(void) { return HALO_VERSION; }

const char *halo_build_commit(void) { return HALO_COMMIT; }
