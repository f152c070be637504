/* The directory of a ZIP archive (APPNOTE 6.3), as NPZ needs it (zip.c). */
#ifndef HALO_IO_ZIP_H
#define HALO_IO_ZIP_H

#include "halo/format.h"

typedef struct ZipMember {
    char name[256];
    int method;                    /* 0: stored, 8: deflated */
    int64_t packed, bytes, header; /* bytes, and what they are unpacked; where its own header is */
    uint32_t crc;                  /* of what it holds */
} ZipMember;

/* Calls `take` for each member, until it wants no more. The source has to seek. */
HaloStatus zip_members(HaloSource *source, bool (*take)(void *context, const ZipMember *member), void *context);
/* Goes to the first byte of a member. */
HaloStatus zip_go_to(HaloSource *source, const ZipMember *member);

/* Writing one member without compression: its header, then its bytes, then the directory. */
typedef struct ZipOutput {
    const char *name;
    uint32_t crc;
    int64_t bytes, at; /* of the member; of all in the sink so far */
} ZipOutput;

/* Bytes of the header. */
size_t zip_header_bytes(const ZipOutput *zip);
HaloStatus zip_begin(ZipOutput *zip, HaloSink *sink);
HaloStatus zip_end(const ZipOutput *zip, HaloSink *sink);

#endif
