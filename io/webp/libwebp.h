/* libwebp with its libraries for the container, which are loaded with the first WebP (library/library.h). */
#ifndef HALO_IO_LIBWEBP_H
#define HALO_IO_LIBWEBP_H

#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "library/library.h"

/* Before any other call; later ones cost nothing. */
HaloStatus webp_load(void);

#define WEBP_FUNCTIONS(ROW)            \
    ROW(WebPConfigInitInternal)        \
    ROW(WebPConfigLosslessPreset)      \
    ROW(WebPEncode)                    \
    ROW(WebPFree)                      \
    ROW(WebPGetFeaturesInternal)       \
    ROW(WebPIDecGetRGB)                \
    ROW(WebPIDecode)                   \
    ROW(WebPIDelete)                   \
    ROW(WebPInitDecoderConfigInternal) \
    ROW(WebPIUpdate)                   \
    ROW(WebPMemoryWrite)               \
    ROW(WebPMemoryWriterClear)         \
    ROW(WebPMemoryWriterInit)          \
    ROW(WebPPictureFree)               \
    ROW(WebPPictureImportRGB)          \
    ROW(WebPPictureImportRGBA)         \
    ROW(WebPPictureInitInternal)

#define WEBP_MUX_FUNCTIONS(ROW)    \
    ROW(WebPMuxAssemble)           \
    ROW(WebPMuxDelete)             \
    ROW(WebPMuxPushFrame)          \
    ROW(WebPMuxSetAnimationParams) \
    ROW(WebPMuxSetChunk)           \
    ROW(WebPMuxSetImage)           \
    ROW(WebPNewInternal)

#define WEBP_DEMUX_FUNCTIONS(ROW)           \
    ROW(WebPAnimDecoderDelete)              \
    ROW(WebPAnimDecoderGetNext)             \
    ROW(WebPAnimDecoderNewInternal)         \
    ROW(WebPAnimDecoderOptionsInitInternal) \
    ROW(WebPDemuxDelete)                    \
    ROW(WebPDemuxGetChunk)                  \
    ROW(WebPDemuxGetFrame)                  \
    ROW(WebPDemuxGetI)                      \
    ROW(WebPDemuxInternal)                  \
    ROW(WebPDemuxReleaseChunkIterator)      \
    ROW(WebPDemuxReleaseIterator)

typedef struct WebpFunctions {
    WEBP_FUNCTIONS(LIBRARY_MEMBER)
} WebpFunctions;
typedef struct WebpMuxFunctions {
    WEBP_MUX_FUNCTIONS(LIBRARY_MEMBER)
} WebpMuxFunctions;
typedef struct WebpDemuxFunctions {
    WEBP_DEMUX_FUNCTIONS(LIBRARY_MEMBER)
} WebpDemuxFunctions;

extern WebpFunctions webp;
extern WebpMuxFunctions webp_mux;
extern WebpDemuxFunctions webp_demux;

#endif
