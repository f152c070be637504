#include "fuzz_image.h"

FUZZ_IMAGE(webp)
