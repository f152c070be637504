/* libjxl, which is loaded with the first JPEG XL (library/library.h). */
#ifndef HALO_IO_LIBJXL_H
#define HALO_IO_LIBJXL_H

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#endif
#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/thread_parallel_runner.h>
#include <jxl/version.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include "library/library.h"

HaloStatus jxl_load(void);

#define JXL_FUNCTIONS(ROW)                    \
    ROW(JxlColorEncodingSetToLinearSRGB)      \
    ROW(JxlColorEncodingSetToSRGB)            \
    ROW(JxlDecoderCreate)                     \
    ROW(JxlDecoderDestroy)                    \
    ROW(JxlDecoderFlushImage)                 \
    ROW(JxlDecoderGetBasicInfo)               \
    ROW(JxlDecoderGetBoxType)                 \
    ROW(JxlDecoderGetColorAsEncodedProfile)   \
    ROW(JxlDecoderGetColorAsICCProfile)       \
    ROW(JxlDecoderGetExtraChannelInfo)        \
    ROW(JxlDecoderGetFrameHeader)             \
    ROW(JxlDecoderGetICCProfileSize)          \
    ROW(JxlDecoderImageOutBufferSize)         \
    ROW(JxlDecoderProcessInput)               \
    ROW(JxlDecoderReleaseBoxBuffer)           \
    ROW(JxlDecoderSetBoxBuffer)               \
    ROW(JxlDecoderSetDecompressBoxes)         \
    ROW(JxlDecoderSetImageOutBuffer)          \
    ROW(JxlDecoderSetInput)                   \
    ROW(JxlDecoderSetParallelRunner)          \
    ROW(JxlDecoderSetUnpremultiplyAlpha)      \
    ROW(JxlDecoderSkipFrames)                 \
    ROW(JxlDecoderSubscribeEvents)            \
    ROW(JxlEncoderAddBox)                     \
    ROW(JxlEncoderAddImageFrame)              \
    ROW(JxlEncoderCloseInput)                 \
    ROW(JxlEncoderCreate)                     \
    ROW(JxlEncoderDestroy)                    \
    ROW(JxlEncoderFrameSettingsCreate)        \
    ROW(JxlEncoderFrameSettingsSetOption)     \
    ROW(JxlEncoderGetError)                   \
    ROW(JxlEncoderGetRequiredCodestreamLevel) \
    ROW(JxlEncoderInitBasicInfo)              \
    ROW(JxlEncoderInitFrameHeader)            \
    ROW(JxlEncoderProcessOutput)              \
    ROW(JxlEncoderSetBasicInfo)               \
    ROW(JxlEncoderSetCodestreamLevel)         \
    ROW(JxlEncoderSetColorEncoding)           \
    ROW(JxlEncoderSetFrameDistance)           \
    ROW(JxlEncoderSetFrameHeader)             \
    ROW(JxlEncoderSetFrameLossless)           \
    ROW(JxlEncoderSetICCProfile)              \
    ROW(JxlEncoderSetParallelRunner)          \
    ROW(JxlEncoderUseBoxes)                   \
    ROW(JxlEncoderVersion)

#define JXL_THREADS_FUNCTIONS(ROW)     \
    ROW(JxlThreadParallelRunner)       \
    ROW(JxlThreadParallelRunnerCreate) \
    ROW(JxlThreadParallelRunnerDestroy)

typedef struct JxlFunctions {
    JXL_FUNCTIONS(LIBRARY_MEMBER)
} JxlFunctions;
typedef struct JxlThreadsFunctions {
    JXL_THREADS_FUNCTIONS(LIBRARY_MEMBER)
} JxlThreadsFunctions;

extern JxlFunctions jxl;
extern JxlThreadsFunctions jxl_threads;

/* Until 0.9 functions about profiles took a format that they did not use. */
#if JPEGXL_MAJOR_VERSION == 0 && JPEGXL_MINOR_VERSION < 9
#define JXL_UNUSED_FORMAT NULL,
#else
#define JXL_UNUSED_FORMAT
#endif

#endif
