/* JPEG XL: its row (jxl.c), the header (jxl_head.c), reading (jxl_read.c) and writing (jxl_write.c). */
#ifndef HALO_IO_JXLFILE_H
#define HALO_IO_JXLFILE_H

#include "halo/format.h"
#include "libjxl.h"
#include "samples/whole.h"

typedef struct JxlReader {
    const uint8_t *bytes; /* the file's, which the source owns */
    size_t size;
    JxlBasicInfo info;
    int64_t frames;
    float *shown;        /* [frames]: seconds */
    bool alpha, ended;   /* the file, before its end */
    JxlDecoder *decoder; /* of the samples */
    void *runner;
    int64_t decoded; /* frames */
    HaloWhole whole;
} JxlReader;

/* A decoder of the file that reports these events; NULL without memory. */
JxlDecoder *jxl_decoder(const JxlReader *state, int events);
/* Goes through the file without decoding samples: its size, frames and metadata. */
HaloStatus jxl_read_head(HaloReader *reader);

HaloStatus jxl_open(HaloReader *reader);
HaloStatus jxl_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
HaloStatus jxl_next(HaloReader *reader);
void jxl_close(HaloReader *reader);

HaloStatus jxl_create(HaloWriter *writer);
HaloStatus jxl_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus jxl_finish(HaloWriter *writer);
HaloStatus jxl_end(HaloWriter *writer);
void jxl_discard(HaloWriter *writer);

#endif
