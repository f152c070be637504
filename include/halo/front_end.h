/* For halo's own folders: not installed, and hidden in libhalo.so. Messages of the program and of the library.
 *
 * Messages name options as the command line has them, with values as "--white=1". The library names the members
 * of its structs in their place (core/base/option_names.c), unless it serves the program. */
#ifndef HALO_FRONT_END_H
#define HALO_FRONT_END_H

#ifdef __cplusplus
extern "C" {
#endif

/* In the format of a message: text without conversions that is for the program alone. */
#define HALO_FOR_PROGRAM(text) "\x01" text "\x02"

/* Called by the program as it starts, before there are threads. */
void halo_serve_program(void);

#ifdef __cplusplus
}
#endif
#endif
