/* QOI, the Quite OK Image format (specification 1.0, 2022): reading (qoi_read.c) and writing (qoi.c). */
#ifndef HALO_IO_QOI_H
#define HALO_IO_QOI_H

#include <string.h>

#include "halo/format.h"

enum { QOI_HEADER = 14, QOI_END = 8, QOI_RGB = 0xfe, QOI_RGBA = 0xff, QOI_MOST_RUN = 62 };

typedef struct QoiPixel {
    uint8_t v[4];
} QoiPixel;

/* What coding depends on: the pixel before, those seen lately, and a run. */
typedef struct QoiState {
    QoiPixel last, seen[64];
    int run;
} QoiState;

static inline QoiState qoi_start(void) { return (QoiState){.last = {{0, 0, 0, 255}}}; }

static inline int qoi_hash(const QoiPixel *p)
{
    return (p->v[0] * 3 + p->v[1] * 5 + p->v[2] * 7 + p->v[3] * 11) % 64;
}

static inline bool qoi_same(const QoiPixel *a, const QoiPixel *b) { return memcmp(a->v, b->v, 4) == 0; }

bool qoi_probe(const uint8_t *head, size_t size);
HaloStatus qoi_open(HaloReader *reader);
HaloStatus qoi_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
void qoi_close(HaloReader *reader);

#endif
