/* Names of options in messages: those of the command line, or of the library. */
#ifndef CORE_OPTION_NAMES_H
#define CORE_OPTION_NAMES_H

#include <stddef.h>

/* Copies a format without the marks of HALO_FOR_PROGRAM, and, in the library, without what is between them. */
void option_names_format(const char *format, char *copy, size_t size);
/* In the library, puts the members of structs in the place of options: "--white=1" becomes "white=1". */
void option_names_replace(char *text, size_t size);

#endif
