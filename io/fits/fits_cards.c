/* Which keywords of a FITS header go from input to output. */
#ifdef HALO_HAVE_FITS
#include <string.h>

#include "fitsfile.h"

/* Does the keyword begin with one of these words? Those that end with a blank have to be the whole keyword. */
static bool begins_with(const char *card, const char *const *word)
{
    for (; *word != NULL; word++)
        if (strncmp(card, *word, strlen(*word)) == 0) return true;
    return false;
}

bool fits_keeps(const char card[FITS_CARD])
{
    static const char *const layout[] = {
        "SIMPLE ",  "XTENSION", "BITPIX ",  "NAXIS",    "EXTEND ",  "PCOUNT ",  "GCOUNT ",  "BSCALE ",
        "BZERO ",   "BLANK ",   "END ",     "CHECKSUM", "DATASUM ", "DATAMIN ", "DATAMAX ", "GROUPS ",
        "TFIELDS",  "ZIMAGE ",  "ZCMPTYPE", "ZBITPIX ", "ZNAXIS",   "ZTILE",    "ZNAME",    "ZVAL",
        "ZSIMPLE ", "ZEXTEND ", "ZQUANTIZ", "ZDITHER0", "THEAP ",   "        ", NULL};
    return !begins_with(card, layout);
}

bool fits_is_place(const char card[FITS_CARD])
{
    static const char *const place[] = {
        "CRPIX", "CRVAL",   "CDELT",   "CTYPE",   "CROTA", "CUNIT", "CD1_", "CD2_", "CD3_", "PC1_", "PC2_",
        "PC3_",  "WCSAXES", "LONPOLE", "LATPOLE", "A_",    "B_",    "AP_",  "BP_",  "PV1_", "PV2_", NULL};
    return begins_with(card, place);
}
#endif
