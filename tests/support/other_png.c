/* stb_image, an independent PNG decoder to compare with. */
#define STB_IMAGE_IMPLEMENTATION
#include "other_png.h"
