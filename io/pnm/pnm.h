/* The Netpbm family, P1 to P7: pnm.c has the tables and writers, pbm.c writes bitmaps, pnm_head.c reads
 * headers, pnm_read.c samples. */
#ifndef HALO_IO_PNM_H
#define HALO_IO_PNM_H

#include "halo/format.h"

typedef struct PnmHead {
    int64_t width, height, depth, maxval;
    bool alpha;
} PnmHead;

/* Everything between the magic number and the samples. */
HaloStatus halo_pnm_read_head(HaloSource *source, char type, PnmHead *head);
HaloStatus halo_pam_read_head(HaloSource *source, PnmHead *head);

#define PNM_END (-1)

/* The next character, or PNM_END; a comment counts as the line end that closes it. */
HaloStatus halo_pnm_next_char(HaloSource *source, int *c);
/* A number and the one character behind it. */
HaloStatus halo_pnm_next_number(HaloSource *source, int64_t *number);
/* HALO_ERR_INPUT: this character is no number. */
HaloStatus halo_pnm_unexpected(int c);

HaloStatus halo_pnm_open(HaloReader *reader);
HaloStatus halo_pnm_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus halo_pnm_skip(HaloReader *reader, int64_t rows, int64_t *skipped);
void halo_pnm_close(HaloReader *reader);

#endif
