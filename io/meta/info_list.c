/* The texts of WAVE: chunks LIST of the kind INFO, which hold entries of four letters, a length and a text. */
#include "info_list.h"

#include <stdlib.h>
#include <string.h>

#include "bytes/endian.h"

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

/* NULL: INFO has no such field. */
static const Field *field_of(const char *key)
{
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(fields[i].key, key) == 0) return &fields[i];
    return NULL;
}

bool info_list_is(const HaloChunk *chunk)
{
    return memcmp(chunk->id, "LIST", 4) == 0 && chunk->bytes.size >= 4 &&
           memcmp(chunk->bytes.data, "INFO", 4) == 0;
}

/* The entry at *at, its text and the size of that; *at is then behind it. NULL: there are no more. */
static const uint8_t *next_entry(const HaloBlob *list, size_t *at, size_t *size)
{
    if (list->size - *at < 8) return NULL;
    const uint8_t *entry = list->data + *at;
    *size = (size_t)halo_get_le(entry + 4, 4);
    if (*size > list->size - *at - 8) return NULL;
    *at += 8 + *size;
    if (*size % 2 == 1 && *at < list->size) ++*at;
    return entry;
}

HaloStatus info_list_take(const HaloBlob *list, HaloMeta *meta)
{
    HaloStatus status = HALO_OK;
    const uint8_t *entry;
    size_t size;
    if (list->size < 4 || memcmp(list->data, "INFO", 4) != 0) return HALO_OK;
    for (size_t at = 4; (entry = next_entry(list, &at, &size)) != NULL;)
        for (int i = 0; i < FIELDS; i++)
            if (memcmp(entry, fields[i].id, 4) == 0 && size > 0)
                HALO_TRY(halo_text_add(meta, fields[i].key, (const char *)entry + 8, size, HALO_UTF_8));
out:
    return status;
}

bool info_list_holds(const HaloMeta *meta, size_t text, bool own)
{
    const HaloText *it = &meta->text[text];
    return field_of(it->key) != NULL && (own || halo_text_find(meta, it->key) == it->value);
}

static void put_entry(HaloBlob *list, const char *id, const void *bytes, size_t size, size_t length)
{
    uint8_t *entry = list->data + list->size;
    memcpy(entry, id, 4);
    halo_put_le(entry + 4, length, 4);
    memcpy(entry + 8, bytes, size);
    list->size += 8 + length + length % 2;
}

/* `before` may be empty: its entries stay that `meta` has no field for. */
static HaloStatus make(const HaloBlob *before, const HaloMeta *meta, HaloBlob *list)
{
    size_t capacity = 4 + before->size, size;
    const uint8_t *entry;
    *list = (HaloBlob){0};
    for (size_t i = 0; i < meta->texts; i++) capacity += 10 + strlen(meta->text[i].value);
    if (capacity > UINT32_MAX / 2) return HALO_OK;
    list->data = calloc(capacity, 1);
    if (list->data == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for text");
    memcpy(list->data, "INFO", 4);
    list->size = 4;
    for (size_t at = 4; at <= before->size && (entry = next_entry(before, &at, &size)) != NULL;) {
        bool replaced = false;
        for (int i = 0; i < FIELDS; i++)
            if (memcmp(entry, fields[i].id, 4) == 0) replaced = halo_text_find(meta, fields[i].key) != NULL;
        if (!replaced) put_entry(list, (const char *)entry, entry + 8, size, size);
    }
    for (int i = 0; i < FIELDS; i++) {
        const char *value = halo_text_find(meta, fields[i].key);
        if (value == NULL || value[0] == 0) continue;
        put_entry(list, fields[i].id, value, strlen(value), strlen(value) + 1);
    }
    if (list->size > 4) return HALO_OK;
    free(list->data);
    *list = (HaloBlob){0};
    return HALO_OK;
}

HaloStatus info_list_make(const HaloMeta *meta, HaloBlob *list) { return make(&(HaloBlob){0}, meta, list); }

HaloStatus info_list_change(HaloChunk *chunk, const HaloMeta *tags)
{
    HaloBlob list;
    const HaloStatus status = make(&chunk->bytes, tags, &list);
    if (status != HALO_OK) return status;
    free(chunk->bytes.data);
    chunk->bytes = list;
    return HALO_OK;
}
