/* Updates metadata after a pipeline, so that it is true of the output: the one place where the changes of a
 * plan are applied to metadata. What cannot be kept true is left out, with a note. */
#include "apply.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "meta.h"
#include "names.h"
#include "timeline.h"

/* ---- pictures ------------------------------------------------------------------------------------------- */

/* Dots per metre stay unchanged at any size; the pixel aspect ratio, and numbers without a unit, belong to the
 * samples. */
static void apply_resolution(HaloMeta *meta, const HaloChanges *changes)
{
    double scale[2], *dots = meta->resolution;
    bool transposed;
    if (!halo_changes_scale(changes, scale, &transposed)) {
        dots[0] = dots[1] = 0;
        return;
    }
    for (int axis = 0; axis < 2 && meta->ratio; axis++) dots[axis] *= scale[axis];
    if (!transposed) return;
    const double x = dots[0];
    dots[0] = dots[1];
    dots[1] = x;
}

/* Samples that were given another coding of light: PNG can say which; profiles and codes describe the old one.
 */
static void apply_light(HaloMeta *meta, const HaloChanges *changes, HaloNotes *notes)
{
    if (changes->light == 0 || (changes->light == HALO_LIGHT_PROFILE && meta->icc.size == 0)) return;
    if (meta->icc.size > 0 && changes->light > HALO_LIGHT_CONVERTED)
        halo_note_outdated(notes, HALO_OUTDATED_COLOURS);
    free(meta->icc.data);
    meta->icc = (HaloBlob){0};
    memset(meta->code, 0, sizeof meta->code);
    meta->srgb = changes->light < 0 ? 1 : 0;
    meta->gamma = changes->light < 0 ? 0.45455 : changes->light == HALO_LIGHT_NONE ? 0.0 : 1.0;
}

/* A profile of three colours says nothing of one, nor the reverse. */
static void apply_colours(HaloInfo *info, const HaloChanges *changes, HaloNotes *notes)
{
    HaloMeta *meta = &info->meta;
    const int from = changes->from.channels - (changes->from.alpha >= 0);
    const int to = changes->to.channels - (changes->to.alpha >= 0);
    if (meta->icc.size == 0 || from == to || halo_icc_fits(&meta->icc, &changes->to)) return;
    if ((halo_meta_colours(meta) & HALO_META_ICC) != 0) halo_note_outdated(notes, HALO_OUTDATED_COLOURS);
    free(meta->icc.data);
    meta->icc = (HaloBlob){0};
}

static HaloStatus apply_to_picture(HaloInfo *info, const HaloChanges *changes, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    HaloMeta *meta = &info->meta;
    double scale[2];
    bool transposed;
    if (changes->samples) {
        halo_exif_drop_thumbnail(&meta->exif);
        halo_exif_set_size(&meta->exif, changes->to.width, changes->to.height);
        HALO_TRY(halo_xmp_set_size(&meta->xmp, changes->to.width, changes->to.height));
    }
    if (halo_changes_scale(changes, scale, &transposed) && transposed) halo_exif_swap_resolution(&meta->exif);
    if (changes->upright) HALO_TRY(halo_xmp_set_upright(&meta->xmp));
    apply_resolution(meta, changes);
    apply_light(meta, changes, notes);
    apply_colours(info, changes, notes);
    HALO_TRY(halo_geo_apply(meta, changes, notes));
    HALO_TRY(halo_stack_apply(info, changes, notes));
    halo_grid_apply(info, changes, notes);
out:
    return status;
}

/* ---- channels of sound ---------------------------------------------------------------------------------- */

/* A mask holds for channels in its own order alone. */
static void apply_speakers(HaloInfo *info, const HaloChanges *changes)
{
    const int channels = changes->to.channels;
    const uint32_t said = info->speakers != 0 ? info->speakers : halo_usual_speakers(changes->from.channels);
    bool same = channels == changes->from.channels;
    uint32_t mask = 0;
    for (int c = 0; c < channels; c++) {
        const uint32_t speaker = halo_changes_speaker(changes, said, c);
        same = same && halo_changes_source(changes, c) == c;
        if (mask != UINT32_MAX) mask = speaker > mask ? mask | speaker : HALO_SPEAKERS_UNKNOWN;
    }
    if (!same) info->speakers = mask;
}

static HaloStatus apply_to_sound(HaloInfo *info, const HaloChanges *changes, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_chunks_apply(&info->meta, changes, notes));
    HALO_TRY(halo_tags_apply(&info->meta, changes, notes));
    HALO_TRY(halo_names_apply(&info->meta, changes));
    HALO_TRY(halo_timeline_apply(&info->meta.time, changes, notes));
    apply_speakers(info, changes);
out:
    return status;
}

HaloStatus halo_meta_apply(HaloInfo *info, const HaloChanges *changes, HaloNotes *notes)
{
    if (changes->from.kind == HALO_IMAGE) return apply_to_picture(info, changes, notes);
    return apply_to_sound(info, changes, notes);
}
