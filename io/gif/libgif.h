/* giflib, which is loaded with the first GIF (library/library.h). */
#ifndef HALO_IO_LIBGIF_H
#define HALO_IO_LIBGIF_H

#include <gif_lib.h>

#include "library/library.h"

HaloStatus gif_load(void);

#define GIF_FUNCTIONS(ROW)    \
    ROW(DGifCloseFile)        \
    ROW(DGifExtensionToGCB)   \
    ROW(DGifGetCode)          \
    ROW(DGifGetCodeNext)      \
    ROW(DGifGetExtension)     \
    ROW(DGifGetExtensionNext) \
    ROW(DGifGetImageHeader)   \
    ROW(DGifGetLine)          \
    ROW(DGifGetRecordType)    \
    ROW(DGifOpen)             \
    ROW(GifErrorString)

typedef struct GifFunctions {
    GIF_FUNCTIONS(LIBRARY_MEMBER)
} GifFunctions;

extern GifFunctions gif;

#endif
