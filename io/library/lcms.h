/* Little CMS, which is loaded with the first profile (library.h). */
#ifndef HALO_IO_LCMS_H
#define HALO_IO_LCMS_H

#include <lcms2.h>

#include "library.h"

#define LCMS_FUNCTIONS(ROW)    \
    ROW(cmsCloseProfile)       \
    ROW(cmsCreateTransform)    \
    ROW(cmsCreate_sRGBProfile) \
    ROW(cmsDeleteTransform)    \
    ROW(cmsDoTransform)        \
    ROW(cmsEvalToneCurveFloat) \
    ROW(cmsGetColorSpace)      \
    ROW(cmsIsMatrixShaper)     \
    ROW(cmsIsTag)              \
    ROW(cmsOpenProfileFromMem) \
    ROW(cmsReadTag)

typedef struct LcmsFunctions {
    LCMS_FUNCTIONS(LIBRARY_MEMBER)
} LcmsFunctions;

#endif
