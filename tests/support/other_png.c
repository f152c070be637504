/* Another reader of PNG, of other people: what halo's is compared with. */
#define STB_IMAGE_IMPLEMENTATION
#include "other_png.h"
