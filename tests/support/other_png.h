/* stb_image, for PNG alone and in memory. */
#ifndef TESTS_OTHER_PNG_H
#define TESTS_OTHER_PNG_H

#define STBI_NO_STDIO
#define STBI_ONLY_PNG
#include <stb_image.h>

#endif
