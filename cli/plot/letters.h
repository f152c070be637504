/* Texts for a font that has ASCII alone. */
#ifndef CLI_PLOT_LETTERS_H
#define CLI_PLOT_LETTERS_H

#include <stddef.h>

/* The text in ASCII, cut to `size` bytes with the zero: Latin letters without their accents, "u" for a micro
 * sign, "deg" for a degree sign and so on, one ? for any other character. Returns its length. */
size_t plot_letters(const char *text, char *shown, size_t size);

#endif
