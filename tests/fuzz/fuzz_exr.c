#include "fuzz_image.h"

FUZZ_IMAGE(exr)
