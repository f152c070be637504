/* Copies TIFF directories, which EXIF consists of, from one file to another (ifd.c). */
#ifndef HALO_IO_IFD_H
#define HALO_IO_IFD_H

#include "halo/format.h"

#define IFD_EXIF 0x8769
#define IFD_GPS 0x8825
#define IFD_INTEROPERABILITY 0xa005

/* Where directories come from: `size` bytes at an offset, or false. */
typedef struct IfdSource {
    bool (*get)(void *context, int64_t at, void *bytes, size_t size);
    void *context;
    bool big;  /* byte order */
    bool wide; /* of a BigTIFF, whose counts and offsets have 8 bytes */
} IfdSource;

typedef struct IfdEntry {
    unsigned tag, type;
    uint64_t count;
    uint8_t value[8]; /* as it stands there: the value, or where it is */
} IfdEntry;

/* The entry of a directory with this tag, or false. */
bool ifd_find(const IfdSource *from, int64_t at, unsigned tag, IfdEntry *entry);
/* The number that an entry holds; 0 where it is none. */
uint64_t ifd_number(const IfdSource *from, const IfdEntry *entry);
/* A text of `size` bytes at most, its zero included; false where the entry is none. */
bool ifd_text(const IfdSource *from, const IfdEntry *entry, char *text, size_t size);

/* The bytes of a value as they stand in the file; the blob stays empty where they cannot be had. */
HaloStatus ifd_bytes(const IfdSource *from, const IfdEntry *entry, HaloBlob *bytes);

/* Appends a copy of the directory at `at` to `to`, with the directories below it, little-endian, as of a file
 * in which `to` begins at `base`. Only `kept` tags (NULL: all; ended by 0). `wide`: that file is a BigTIFF.
 * *where: of the copy in that file; 0: there is nothing to copy. */
HaloStatus ifd_copy(const IfdSource *from, int64_t at, const unsigned *kept, bool wide, int64_t base,
                    HaloBlob *to, int64_t *where);

#endif
