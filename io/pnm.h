/* Reading the Netpbm family, P1 to P7 (pnm_read.c); pnm.c holds the rows and the writers. */
#ifndef HALO_IO_PNM_H
#define HALO_IO_PNM_H

#include "image.h"

HaloStatus halo_pnm_open(HaloReader *reader);
HaloStatus halo_pnm_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
void halo_pnm_close(HaloReader *reader);

#endif
