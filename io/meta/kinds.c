/* What there is of metadata: its kinds, and whether it says that the colours are not those of sRGB. */
#include "halo/format.h"

#include <math.h>
#include <string.h>

#include "meta.h"

/* The values that mean "unknown". */
static bool is_preset_density(const HaloMeta *meta)
{
    const double x = meta->resolution[0] * 0.0254, y = meta->resolution[1] * 0.0254;
    return !meta->ratio && fabs(x - y) < 0.01 && (fabs(x - 72) < 0.05 || fabs(x - 96) < 0.05);
}

static bool says_other_colours(const HaloMeta *meta)
{
    static const double srgb[8] = {0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06};
    if (meta->gamma > 0 && fabs(meta->gamma - 1 / 2.2) > 0.001) return true;
    for (int i = 0; i < 8 && meta->chroma[1] > 0; i++)
        if (fabs(meta->chroma[i] - srgb[i]) > 0.001) return true;
    return false;
}

unsigned halo_meta_colours(const HaloMeta *meta)
{
    const HaloColourCode *code = &meta->code[HALO_CICP];
    const bool coded = code->size > 0 && !(code->bytes[0] == 1 && code->bytes[1] == 13);
    return (meta->icc.size > 0 && !halo_icc_is_srgb(&meta->icc) ? HALO_META_ICC : 0u) |
           (meta->icc.size == 0 && says_other_colours(meta) ? HALO_META_COLOURS : 0u) |
           (coded ? HALO_META_CODES : 0u);
}

unsigned halo_meta_kinds(const HaloMeta *meta)
{
    unsigned kinds = 0;
    if (meta->icc.size > 0) kinds |= HALO_META_ICC;
    if (halo_exif_says_more(&meta->exif)) kinds |= HALO_META_EXIF;
    if (meta->xmp.size > 0) kinds |= HALO_META_XMP;
    if (meta->iptc.size > 0) kinds |= HALO_META_IPTC;
    if (meta->texts > 0) kinds |= HALO_META_TEXT;
    if (meta->resolution[0] > 0 && !is_preset_density(meta)) kinds |= HALO_META_RESOLUTION;
    if (says_other_colours(meta)) kinds |= HALO_META_COLOURS;
    for (int i = 0; i < HALO_COLOUR_CODES; i++)
        if (meta->code[i].size > 0) kinds |= HALO_META_CODES;
    if (meta->grid.known) kinds |= HALO_META_GRID;
    if (meta->time.name != NULL) kinds |= HALO_META_TIMES;
    if (meta->pictures > 0) kinds |= HALO_META_PICTURES;
    for (int i = 0; i < HALO_GEO_TAGS; i++)
        if (meta->geo[i].size > 0) kinds |= HALO_META_GEO;
    for (size_t i = 0; i < meta->chunks; i++) /* the texts of LIST are in `text`, too */
        if (memcmp(meta->chunk[i].id, "LIST", 4) != 0) kinds |= HALO_META_CHUNKS;
    return kinds;
}
