/* What EXIF (CIPA DC-008) says about a photograph. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "halo/tags.h"
#include "ifd.h"

enum {
    TAG_MAKE = 0x10f,
    TAG_MODEL = 0x110,
    TAG_CHANGED = 0x132,
    TAG_EXPOSURE = 0x829a,
    TAG_F_NUMBER = 0x829d,
    TAG_ISO = 0x8827,
    TAG_TAKEN = 0x9003,
    TAG_OFFSET = 0x9011,
    TAG_FOCAL_LENGTH = 0x920a,
    TAG_LENS = 0xa434
};
enum { GPS_NORTH = 1, GPS_LATITUDE, GPS_EAST, GPS_LONGITUDE, GPS_BELOW, GPS_ALTITUDE };
enum { TYPE_RATIONAL = 5 };

static bool get(void *context, int64_t at, void *bytes, size_t size)
{
    const HaloBlob *exif = context;
    if (at < 0 || (uint64_t)at > exif->size || size > exif->size - (size_t)at) return false;
    memcpy(bytes, exif->data + at, size);
    return true;
}

static void text_of(const IfdSource *from, int64_t at, unsigned tag, char *text, size_t size)
{
    IfdEntry entry;
    char value[128];
    if (at <= 0 || !ifd_find(from, at, tag, &entry) || !ifd_text(from, &entry, value, sizeof value)) return;
    for (size_t end = strlen(value); end > 0 && value[end - 1] == ' '; end--) value[end - 1] = 0;
    snprintf(text, size, "%.*s", (int)size - 1, value);
}

/* Of up to three fractions; false where a value is none, or has no denominator. */
static bool fractions_of(const IfdSource *from, int64_t at, unsigned tag, int count, double *value)
{
    IfdEntry entry;
    HaloBlob bytes = {0};
    bool there = at > 0 && ifd_find(from, at, tag, &entry) && entry.type == TYPE_RATIONAL &&
                 entry.count >= (unsigned)count && ifd_bytes(from, &entry, &bytes) == HALO_OK;
    there = there && bytes.size >= 8 * (size_t)count;
    for (int i = 0; i < count && there; i++) {
        const double top = (double)halo_get(bytes.data + 8 * i, 4, from->big),
                     bottom = (double)halo_get(bytes.data + 8 * i + 4, 4, from->big);
        there = bottom > 0;
        if (there) value[i] = top / bottom;
    }
    free(bytes.data);
    return there;
}

/* "2024:05:01 12:30:00" */
static void date_of(const IfdSource *from, int64_t image, int64_t exif, char taken[32])
{
    char offset[8] = "";
    text_of(from, image, TAG_CHANGED, taken, 32);
    text_of(from, exif, TAG_TAKEN, taken, 32);
    text_of(from, exif, TAG_OFFSET, offset, sizeof offset);
    if (strlen(taken) != 19) taken[0] = 0;
    if (taken[0] == 0 || taken[0] == ' ') return;
    taken[4] = taken[7] = '-';
    memcpy(taken + 19, offset, sizeof offset);
}

/* The model, after its maker if that does not begin it. */
static void camera_of(const IfdSource *from, int64_t image, char camera[128])
{
    char make[48] = "", model[72] = "";
    text_of(from, image, TAG_MAKE, make, sizeof make);
    text_of(from, image, TAG_MODEL, model, sizeof model);
    const size_t word = strcspn(make, " ");
    const bool named = word > 0 && strncmp(make, model, word) == 0;
    snprintf(camera, 128, "%s%s%s", named ? "" : make, !named && make[0] != 0 && model[0] != 0 ? " " : "",
             model);
}

static bool angle_of(const IfdSource *from, int64_t gps, unsigned tag, char negative, double *angle)
{
    double part[3];
    char side[4] = "";
    if (!fractions_of(from, gps, tag, 3, part)) return false;
    text_of(from, gps, tag - 1, side, sizeof side);
    *angle = (part[0] + part[1] / 60 + part[2] / 3600) * (side[0] == negative ? -1 : 1);
    return fabs(*angle) <= 180;
}

static void position_of(const IfdSource *from, int64_t gps, HaloPhoto *photo)
{
    IfdEntry below;
    photo->placed = angle_of(from, gps, GPS_LATITUDE, 'S', &photo->latitude) &&
                    angle_of(from, gps, GPS_LONGITUDE, 'W', &photo->longitude);
    photo->raised = photo->placed && fractions_of(from, gps, GPS_ALTITUDE, 1, &photo->altitude);
    if (photo->raised && ifd_find(from, gps, GPS_BELOW, &below) && below.value[0] == 1)
        photo->altitude = -photo->altitude;
}

static int64_t number_of(const IfdSource *from, int64_t at, unsigned tag)
{
    IfdEntry entry;
    const uint64_t number = at > 0 && ifd_find(from, at, tag, &entry) ? ifd_number(from, &entry) : 0;
    return number <= INT32_MAX ? (int64_t)number : 0;
}

bool halo_exif_photo(const HaloBlob *exif, HaloPhoto *photo)
{
    *photo = (HaloPhoto){0};
    if (exif->size < 8 || (memcmp(exif->data, "II", 2) != 0 && memcmp(exif->data, "MM", 2) != 0)) return false;
    const IfdSource from = {.get = get, .context = (void *)(uintptr_t)exif, .big = exif->data[0] == 'M'};
    const int64_t image = (int64_t)halo_get(exif->data + 4, 4, from.big),
                  more = number_of(&from, image, IFD_EXIF);
    camera_of(&from, image, photo->camera);
    text_of(&from, more, TAG_LENS, photo->lens, sizeof photo->lens);
    date_of(&from, image, more, photo->taken);
    if (!fractions_of(&from, more, TAG_EXPOSURE, 1, &photo->exposure)) photo->exposure = 0;
    if (!fractions_of(&from, more, TAG_F_NUMBER, 1, &photo->aperture)) photo->aperture = 0;
    if (!fractions_of(&from, more, TAG_FOCAL_LENGTH, 1, &photo->focal_length)) photo->focal_length = 0;
    photo->iso = (double)number_of(&from, more, TAG_ISO);
    position_of(&from, number_of(&from, image, IFD_GPS), photo);
    return photo->camera[0] != 0 || photo->lens[0] != 0 || photo->taken[0] != 0 || photo->exposure > 0 ||
           photo->aperture > 0 || photo->focal_length > 0 || photo->iso > 0 || photo->placed;
}
