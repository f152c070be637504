/* Files that a header names: its samples, in the same folder or below it (beside.c). */
#ifndef HALO_IO_BESIDE_H
#define HALO_IO_BESIDE_H

#include "halo/format.h"

/* HALO_ERR_INPUT for a header from a pipe or memory, and for names that lead out of its folder: a file should
 * not be able to have others of the machine read. */
HaloStatus halo_source_open_beside(const HaloSource *header, const char *name, HaloSource **source);

#endif
