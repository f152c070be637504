/* Updates the georeference after a pipeline (GeoTIFF, OGC 19-008, 7.3.2): a pixel position p has model
 * coordinates M p. If the pipeline maps p to p' = A p, then M' = M A^-1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "bytes/endian.h"
#include "meta.h"

#define KEY_RASTER_TYPE 1025
#define PIXEL_IS_POINT 2
#define TIEPOINT 6

static double get(const HaloBlob *blob, size_t i)
{
    const uint64_t bits = halo_get_le(blob->data + 8 * i, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put(HaloBlob *blob, size_t i, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    halo_put_le(blob->data + 8 * i, bits, 8);
}

static void forget(HaloBlob *blob)
{
    free(blob->data);
    *blob = (HaloBlob){0};
}

/* The raster coordinates of the centre of the first pixel: 0 or 0.5 (PixelIsPoint, PixelIsArea).
 */
static double centre_of(const HaloBlob *keys)
{
    for (size_t i = 8; i + 8 <= keys->size; i += 8)
        if (halo_get_le(keys->data + i, 2) == KEY_RASTER_TYPE && halo_get_le(keys->data + i + 2, 2) == 0)
            return halo_get_le(keys->data + i + 6, 2) == PIXEL_IS_POINT ? 0.0 : 0.5;
    return 0.5;
}

/* The map of the pipeline in these coordinates, from its own, which count centres. */
static bool map_of(const HaloChanges *changes, double centre, double a[6])
{
    if (!halo_changes_affine(changes, a)) return false;
    for (int row = 0; row < 2; row++) a[3 * row + 2] += centre - centre * (a[3 * row] + a[3 * row + 1]);
    return true;
}

/* Tie points between image and map, wherever they come to lie. */
static void move_tiepoints(HaloBlob *tiepoints, const double a[6])
{
    for (size_t i = 0; i + TIEPOINT <= tiepoints->size / 8; i += TIEPOINT) {
        const double x = get(tiepoints, i), y = get(tiepoints, i + 1);
        put(tiepoints, i, a[0] * x + a[1] * y + a[2]);
        put(tiepoints, i + 1, a[3] * x + a[4] * y + a[5]);
    }
}

/* M A^-1, for the rows of M that are coordinates of the map. */
static void move_transform(HaloBlob *transform, const double a[6])
{
    const double d = a[0] * a[4] - a[1] * a[3];
    const double back[6] = {a[4] / d,  -a[1] / d, (a[1] * a[5] - a[4] * a[2]) / d,
                            -a[3] / d, a[0] / d,  (a[3] * a[2] - a[0] * a[5]) / d};
    for (size_t row = 0; row < 3; row++) {
        const double x = get(transform, 4 * row), y = get(transform, 4 * row + 1);
        put(transform, 4 * row, x * back[0] + y * back[3]);
        put(transform, 4 * row + 1, x * back[1] + y * back[4]);
        put(transform, 4 * row + 3, get(transform, 4 * row + 3) + x * back[2] + y * back[5]);
    }
}

/* A scale and one tie point: equal to a transformation whose y axis points down on the map. */
static HaloStatus transform_of_scale(HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    const HaloBlob *scale = &meta->geo[HALO_GEO_SCALE], *tie = &meta->geo[HALO_GEO_TIEPOINTS];
    HaloBlob *transform = &meta->geo[HALO_GEO_TRANSFORM];
    const uint8_t zeros[16 * 8] = {0};
    forget(transform);
    HALO_TRY(halo_blob_set(transform, zeros, sizeof zeros));
    for (size_t axis = 0; axis < 3; axis++) {
        const double by = (axis == 1 ? -1.0 : 1.0) * get(scale, axis);
        put(transform, 5 * axis, by);
        put(transform, 4 * axis + 3, get(tie, 3 + axis) - by * get(tie, axis));
    }
    put(transform, 15, 1.0);
out:
    return status;
}

static HaloStatus move_place(HaloMeta *meta, const double a[6])
{
    HaloStatus status = HALO_OK;
    HaloBlob *scale = &meta->geo[HALO_GEO_SCALE], *ties = &meta->geo[HALO_GEO_TIEPOINTS];
    HaloBlob *transform = &meta->geo[HALO_GEO_TRANSFORM];
    const bool straight = a[0] > 0 && a[4] > 0 && a[1] == 0 && a[3] == 0;
    const bool scaled = scale->size >= 24 && ties->size >= 8 * TIEPOINT;
    if (scaled && !straight) { /* a scale cannot express swapped or reversed axes */
        HALO_TRY(transform_of_scale(meta));
        forget(scale);
        forget(ties);
    } else if (scaled) {
        put(scale, 0, get(scale, 0) / a[0]);
        put(scale, 1, get(scale, 1) / a[4]);
    }
    move_tiepoints(ties, a);
    if (transform->size >= 16 * 8) move_transform(transform, a);
out:
    return status;
}

static bool is_placed(const HaloMeta *meta)
{
    return meta->geo[HALO_GEO_SCALE].size > 0 || meta->geo[HALO_GEO_TIEPOINTS].size > 0 ||
           meta->geo[HALO_GEO_TRANSFORM].size > 0;
}

HaloStatus halo_geo_apply(HaloMeta *meta, const HaloChanges *changes, HaloNotes *notes)
{
    HaloStatus status = HALO_OK;
    double a[6];
    for (int i = HALO_GEO_METADATA; i <= HALO_GEO_NODATA; i++)
        if (meta->geo[i].size > 0 && !halo_changes_keep_values(changes)) {
            halo_note_outdated(notes, HALO_OUTDATED_NODATA);
            forget(&meta->geo[i]);
        }
    if (!is_placed(meta) || halo_changes_keep_places(changes)) return HALO_OK;
    if (map_of(changes, centre_of(&meta->geo[HALO_GEO_KEYS]), a)) {
        HALO_TRY(move_place(meta, a));
    } else {
        halo_note_outdated(notes, HALO_OUTDATED_PLACE);
        for (int i = 0; i < HALO_GEO_METADATA; i++) forget(&meta->geo[i]);
    }
out:
    return status;
}
