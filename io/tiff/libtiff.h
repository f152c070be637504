/* libtiff, which is loaded with the first TIFF file (library/library.h). */
#ifndef HALO_IO_LIBTIFF_H
#define HALO_IO_LIBTIFF_H

#include <tiffio.h>

#include "library/library.h"

/* Before any other call; later ones cost nothing. */
HaloStatus tiff_load(void);

#ifdef HALO_TIFF_FILE
#define TIFF_FUNCTIONS(ROW)                   \
    ROW(TIFFCleanup)                          \
    ROW(TIFFClientOpenExt)                    \
    ROW(TIFFComputeStrip)                     \
    ROW(TIFFComputeTile)                      \
    ROW(TIFFCurrentDirOffset)                 \
    ROW(TIFFGetField)                         \
    ROW(TIFFGetFieldDefaulted)                \
    ROW(TIFFIsBigEndian)                      \
    ROW(TIFFIsBigTIFF)                        \
    ROW(TIFFIsCODECConfigured)                \
    ROW(TIFFIsTiled)                          \
    ROW(TIFFLastDirectory)                    \
    ROW(TIFFMergeFieldInfo)                   \
    ROW(TIFFOpenOptionsAlloc)                 \
    ROW(TIFFOpenOptionsFree)                  \
    ROW(TIFFOpenOptionsSetErrorHandlerExtR)   \
    ROW(TIFFOpenOptionsSetMaxSingleMemAlloc)  \
    ROW(TIFFOpenOptionsSetWarningHandlerExtR) \
    ROW(TIFFReadDirectory)                    \
    ROW(TIFFReadEncodedStrip)                 \
    ROW(TIFFReadEncodedTile)                  \
    ROW(TIFFScanlineSize64)                   \
    ROW(TIFFSetField)                         \
    ROW(TIFFSetSubDirectory)                  \
    ROW(TIFFTileRowSize64)                    \
    ROW(TIFFTileSize)                         \
    ROW(TIFFTileSize64)                       \
    ROW(TIFFVStripSize64)                     \
    ROW(TIFFWriteDirectory)                   \
    ROW(TIFFWriteEncodedStrip)                \
    ROW(TIFFWriteEncodedTile)                 \
    ROW(TIFFWriteRawStrip)                    \
    ROW(TIFFWriteRawTile)

typedef struct TiffFunctions {
    TIFF_FUNCTIONS(LIBRARY_MEMBER)
} TiffFunctions;

extern TiffFunctions tiff_functions;

#define TIFFCleanup tiff_functions.TIFFCleanup
#define TIFFClientOpenExt tiff_functions.TIFFClientOpenExt
#define TIFFComputeStrip tiff_functions.TIFFComputeStrip
#define TIFFComputeTile tiff_functions.TIFFComputeTile
#define TIFFCurrentDirOffset tiff_functions.TIFFCurrentDirOffset
#define TIFFGetField tiff_functions.TIFFGetField
#define TIFFGetFieldDefaulted tiff_functions.TIFFGetFieldDefaulted
#define TIFFIsBigEndian tiff_functions.TIFFIsBigEndian
#define TIFFIsBigTIFF tiff_functions.TIFFIsBigTIFF
#define TIFFIsCODECConfigured tiff_functions.TIFFIsCODECConfigured
#define TIFFIsTiled tiff_functions.TIFFIsTiled
#define TIFFLastDirectory tiff_functions.TIFFLastDirectory
#define TIFFMergeFieldInfo tiff_functions.TIFFMergeFieldInfo
#define TIFFOpenOptionsAlloc tiff_functions.TIFFOpenOptionsAlloc
#define TIFFOpenOptionsFree tiff_functions.TIFFOpenOptionsFree
#define TIFFOpenOptionsSetErrorHandlerExtR tiff_functions.TIFFOpenOptionsSetErrorHandlerExtR
#define TIFFOpenOptionsSetMaxSingleMemAlloc tiff_functions.TIFFOpenOptionsSetMaxSingleMemAlloc
#define TIFFOpenOptionsSetWarningHandlerExtR tiff_functions.TIFFOpenOptionsSetWarningHandlerExtR
#define TIFFReadDirectory tiff_functions.TIFFReadDirectory
#define TIFFReadEncodedStrip tiff_functions.TIFFReadEncodedStrip
#define TIFFReadEncodedTile tiff_functions.TIFFReadEncodedTile
#define TIFFScanlineSize64 tiff_functions.TIFFScanlineSize64
#define TIFFSetField tiff_functions.TIFFSetField
#define TIFFSetSubDirectory tiff_functions.TIFFSetSubDirectory
#define TIFFTileRowSize64 tiff_functions.TIFFTileRowSize64
#define TIFFTileSize tiff_functions.TIFFTileSize
#define TIFFTileSize64 tiff_functions.TIFFTileSize64
#define TIFFVStripSize64 tiff_functions.TIFFVStripSize64
#define TIFFWriteDirectory tiff_functions.TIFFWriteDirectory
#define TIFFWriteEncodedStrip tiff_functions.TIFFWriteEncodedStrip
#define TIFFWriteEncodedTile tiff_functions.TIFFWriteEncodedTile
#define TIFFWriteRawStrip tiff_functions.TIFFWriteRawStrip
#define TIFFWriteRawTile tiff_functions.TIFFWriteRawTile
#endif

#endif
