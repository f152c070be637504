/* Which keywords of a FITS header go from input to output. */
#ifdef HALO_HAVE_FITS
#include <stdio.h>
#include <string.h>

#include "fitsfile.h"
#include "halo/text.h"

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

/* The digit behind one of these words; 0: it is another keyword. */
static char axis_of(const char *card, const char *const *word)
{
    for (; *word != NULL; word++) {
        const char digit = card[strlen(*word)];
        if (strncmp(card, *word, strlen(*word)) == 0 && digit >= '1' && digit <= '9') return digit;
    }
    return 0;
}

bool fits_is_further(const char card[FITS_CARD])
{
    static const char *const of_axis[] = {"CRPIX", "CRVAL", "CDELT", "CTYPE", "CROTA",
                                          "CUNIT", "CNAME", "PV",    "PS",    NULL};
    static const char *const of_two[] = {"CD", "PC", NULL};
    if (axis_of(card, of_two) != 0 && card[3] == '_') return card[2] > '2' || card[4] > '2';
    return axis_of(card, of_axis) > '2' || strncmp(card, "WCSAXES", 7) == 0;
}

int fits_reference(const char card[FITS_CARD])
{
    return strncmp(card, "CRPIX", 5) == 0 && card[5] >= '1' && card[5] <= '9' && card[8] == '=' ? card[5] - '0'
                                                                                                : 0;
}

void fits_move_reference(char card[FITS_CARD + 1], double by)
{
    const char *value = card + 9 + strspn(card + 9, " "), *rest;
    char moved[2 * FITS_CARD];
    double at;
    if (by == 0 || !halo_read_number(value, &at, &rest)) return;
    halo_snprintf(moved, sizeof moved, "%.8s= %20.15g%s", card, at + by, rest);
    snprintf(card, FITS_CARD + 1, "%-80.80s", moved);
}
#endif
