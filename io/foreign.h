/* Recognises formats that halo, or this build of it, does not read, so that the message can name them. */
#ifndef HALO_IO_FOREIGN_H
#define HALO_IO_FOREIGN_H

#include <stdint.h>

#include "halo/tables.h"

/* Such a format by the first bytes of a file, or by an extension; or NULL.
 */
const HaloForeign *halo_foreign_probe(const uint8_t *head, size_t size);
const HaloForeign *halo_foreign_named(const char *extension);
/* Each once, from 0; NULL past the last. */
const HaloForeign *halo_foreign_row(int i);

#endif
