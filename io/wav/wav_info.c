/* The texts of a LIST chunk of the kind INFO. */
#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"
#include "meta/meta.h"
#include "wav.h"

typedef struct Field {
    char id[5];
    const char *key;
} Field;

static const Field fields[] = {
    {"INAM", "Title"},    {"IART", "Author"},        {"ICMT", "Comment"}, {"ICOP", "Copyright"},
    {"ISFT", "Software"}, {"ICRD", "Creation Time"}, {"IPRD", "Album"},   {"IGNR", "Genre"},
    {"ITRK", "Track"},    {"ISBJ", "Description"},
};
enum { FIELDS = sizeof fields / sizeof *fields };

HaloStatus wav_take_info(const HaloBlob *list, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    if (list->size < 4 || memcmp(list->data, "INFO", 4) != 0) return HALO_OK;
    for (size_t at = 4; list->size - at >= 8;) {
        const uint8_t *entry = list->data + at;
        const size_t size = (size_t)halo_get_le(entry + 4, 4);
        at += 8;
        if (size > list->size - at) break;
        for (int i = 0; i < FIELDS; i++)
            if (memcmp(entry, fields[i].id, 4) == 0 && size > 0)
                HALO_TRY(halo_text_add(meta, fields[i].key, (const char *)entry + 8, size, HALO_UTF_8));
        at += size;
        if (size % 2 == 1 && at < list->size) at++;
    }
out:
    return status;
}

HaloStatus wav_make_info(const HaloMeta *meta, HaloBlob *list, size_t *held)
{
    size_t capacity = 4;
    *held = 0;
    *list = (HaloBlob){0};
    for (int i = 0; i < FIELDS; i++) {
        const char *value = halo_text_find(meta, fields[i].key);
        if (value != NULL) capacity += 10 + strlen(value);
    }
    if (capacity == 4 || capacity > UINT32_MAX / 2) return HALO_OK;
    list->data = calloc(capacity, 1);
    if (list->data == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for text");
    memcpy(list->data, "INFO", 4);
    list->size = 4;
    for (int i = 0; i < FIELDS; i++) {
        const char *value = halo_text_find(meta, fields[i].key);
        if (value == NULL) continue;
        const size_t size = strlen(value) + 1;
        uint8_t *entry = list->data + list->size;
        memcpy(entry, fields[i].id, 4);
        halo_put_le(entry + 4, size, 4);
        memcpy(entry + 8, value, size);
        list->size += 8 + size + size % 2;
        ++*held;
    }
    return HALO_OK;
}
