/* ICC profiles by Little CMS: curves and a matrix, or, of profiles with tables, a cube of what it makes. */
#include "halo/profile.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef HALO_HAVE_LCMS
#include "lcms.h"

#ifdef HALO_LCMS_FILE
LIBRARY_LOADED(LcmsFunctions, lcms, LCMS_FUNCTIONS, HALO_LCMS_FILE, "an ICC profile", load_lcms)
#else
LIBRARY_LINKED(LcmsFunctions, lcms, LCMS_FUNCTIONS, load_lcms)
#endif

/* XYZ of D50, as profiles have it, to linear light of sRGB: Bradford's adaptation to D65, then sRGB's primaries
 * (CSS Color 4). */
static const double to_d65[3][3] = {{0.955473421488075, -0.02309845494876471, 0.06325924320057072},
                                    {-0.0283697093338637, 1.0099953980813041, 0.021041441191917323},
                                    {0.012314014864481998, -0.020507649298898964, 1.330365926242124}};
static const double to_light[3][3] = {{12831.0 / 3959.0, -329.0 / 214.0, -1974.0 / 3959.0},
                                      {-851781.0 / 878810.0, 1648619.0 / 878810.0, 36519.0 / 878810.0},
                                      {705.0 / 12673.0, -2585.0 / 12673.0, 705.0 / 667.0}};

static void multiply(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) out[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
}

static HaloStatus read_curve(const char *name, cmsHPROFILE from, cmsTagSignature tag, float *curve)
{
    const cmsToneCurve *tone = lcms.cmsReadTag(from, tag);
    if (tone == NULL) return halo_fail(HALO_ERR_INPUT, "%s: the profile is damaged: it lacks a curve", name);
    for (int i = 0; i < HALO_PROFILE_CURVE; i++) {
        const float v = lcms.cmsEvalToneCurveFloat(tone, (float)i / (float)(HALO_PROFILE_CURVE - 1));
        curve[i] = isfinite(v) ? v : 0.0f;
    }
    return HALO_OK;
}

static HaloStatus read_matrix(const char *name, cmsHPROFILE from, HaloProfile *profile)
{
    static const cmsTagSignature colorant[] = {cmsSigRedColorantTag, cmsSigGreenColorantTag,
                                               cmsSigBlueColorantTag};
    static const cmsTagSignature curve[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
    HaloStatus status = HALO_OK;
    double xyz[3][3], adapted[3][3];
    for (int c = 0; c < 3; c++) {
        const cmsCIEXYZ *primary = lcms.cmsReadTag(from, colorant[c]);
        if (primary == NULL) HALO_FAIL(HALO_ERR_INPUT, "%s: the profile is damaged: it lacks a primary", name);
        xyz[0][c] = primary->X, xyz[1][c] = primary->Y, xyz[2][c] = primary->Z;
        HALO_TRY(read_curve(name, from, curve[c], profile->curve + c * HALO_PROFILE_CURVE));
    }
    multiply(to_d65, xyz, adapted);
    multiply(to_light, adapted, profile->matrix);
out:
    return status;
}

/* Relative colorimetric, with black point compensation. */
static HaloStatus make_cube(const char *name, cmsHPROFILE from, HaloProfile *profile)
{
    const int n = HALO_PROFILE_CUBE;
    HaloStatus status = HALO_OK;
    float *row = NULL;
    cmsHTRANSFORM transform = NULL;
    cmsHPROFILE to = lcms.cmsCreate_sRGBProfile();
    if (to != NULL)
        transform = lcms.cmsCreateTransform(from, TYPE_RGB_FLT, to, TYPE_RGB_FLT, INTENT_RELATIVE_COLORIMETRIC,
                                            cmsFLAGS_NOOPTIMIZE | cmsFLAGS_BLACKPOINTCOMPENSATION);
    if (transform == NULL) HALO_FAIL(HALO_ERR_INPUT, "%s: Little CMS makes nothing of the profile", name);
    profile->cube = malloc((size_t)n * n * n * 3 * sizeof *profile->cube);
    row = malloc((size_t)n * 3 * sizeof *row);
    if (profile->cube == NULL || row == NULL) HALO_FAIL(HALO_ERR_LIMIT, "%s: not enough memory for it", name);
    for (int at = 0; at < n * n; at++) {
        for (int r = 0; r < n; r++) {
            row[3 * r] = (float)r / (float)(n - 1);
            row[3 * r + 1] = (float)(at % n) / (float)(n - 1);
            row[3 * r + 2] = (float)(at / n) / (float)(n - 1);
        }
        lcms.cmsDoTransform(transform, row, profile->cube + (size_t)at * n * 3, (cmsUInt32Number)n);
    }
    for (size_t i = 0; i < (size_t)n * n * n * 3; i++)
        if (!isfinite(profile->cube[i])) profile->cube[i] = 0.0f;
out:
    free(row);
    if (transform != NULL) lcms.cmsDeleteTransform(transform);
    if (to != NULL) lcms.cmsCloseProfile(to);
    return status;
}

HaloStatus halo_profile_read(const char *name, const void *bytes, size_t size, HaloProfile *profile)
{
    HaloStatus status = HALO_OK;
    cmsHPROFILE from = NULL;
    *profile = (HaloProfile){0};
    HALO_TRY(load_lcms());
    if (size <= UINT32_MAX) from = lcms.cmsOpenProfileFromMem(bytes, (cmsUInt32Number)size);
    if (from == NULL) HALO_FAIL(HALO_ERR_INPUT, "%s: this is no ICC profile, or a damaged one", name);
    const cmsColorSpaceSignature space = lcms.cmsGetColorSpace(from);
    if (space != cmsSigRgbData && space != cmsSigGrayData)
        HALO_FAIL(HALO_ERR_INPUT, "%s: this profile is neither for RGB nor for gray", name);
    profile->colours = space == cmsSigRgbData ? 3 : 1;
    const bool tables =
        profile->colours == 3 && (lcms.cmsIsTag(from, cmsSigAToB0Tag) || !lcms.cmsIsMatrixShaper(from));
    if (tables) {
        HALO_TRY(make_cube(name, from, profile));
        goto out;
    }
    profile->curve = malloc(sizeof(float) * HALO_PROFILE_CURVE * (size_t)profile->colours);
    if (profile->curve == NULL) HALO_FAIL(HALO_ERR_LIMIT, "%s: not enough memory for it", name);
    if (profile->colours == 3)
        HALO_TRY(read_matrix(name, from, profile));
    else
        HALO_TRY(read_curve(name, from, cmsSigGrayTRCTag, profile->curve));
out:
    if (from != NULL) lcms.cmsCloseProfile(from);
    if (status != HALO_OK) halo_profile_free(profile);
    return status;
}

#else

HaloStatus halo_profile_read(const char *name, const void *bytes, size_t size, HaloProfile *profile)
{
    (void)bytes, (void)size;
    *profile = (HaloProfile){0};
    return halo_fail(HALO_ERR_INPUT,
                     "%s: this build of halo reads no profiles: it was made without Little CMS (liblcms2-dev)",
                     name);
}

#endif

void halo_profile_free(HaloProfile *profile)
{
    free(profile->curve);
    free(profile->cube);
    *profile = (HaloProfile){0};
}
