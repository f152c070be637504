/* Directories of TIFF (TIFF 6.0, 2): a count, entries of 12 bytes sorted by tag, the offset of the next. What
 * an entry cannot hold stands elsewhere, counted from the file's start, so that a copy moves it all. Values
 * that hold offsets of their own, as makers' notes may, are copied as they are. */
#include "ifd.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ENTRIES 512
#define MAX_BYTES (8 << 20) /* of a copy, in all */
#define MAX_DEPTH 3
#define ENTRY 12

static const uint8_t type_size[14] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4};
enum { TYPE_ASCII = 2, TYPE_SHORT = 3, TYPE_LONG = 4, TYPE_IFD = 13 };

static uint32_t number(const uint8_t *at, size_t bytes, bool big)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | at[big ? i : bytes - 1 - i];
    return value;
}

static void put(uint8_t *at, uint32_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static uint32_t count_entries(const IfdSource *from, int64_t at)
{
    uint8_t bytes[2];
    if (at <= 0 || !from->get(from->context, at, bytes, 2)) return 0;
    const uint32_t count = number(bytes, 2, from->big);
    return count <= MAX_ENTRIES ? count : 0;
}

static bool get_entry(const IfdSource *from, int64_t at, uint32_t i, IfdEntry *entry)
{
    uint8_t bytes[ENTRY];
    if (!from->get(from->context, at + 2 + (int64_t)ENTRY * i, bytes, ENTRY)) return false;
    entry->tag = number(bytes, 2, from->big);
    entry->type = number(bytes + 2, 2, from->big);
    entry->count = number(bytes + 4, 4, from->big);
    memcpy(entry->value, bytes + 8, 4);
    return true;
}

bool ifd_find(const IfdSource *from, int64_t at, unsigned tag, IfdEntry *entry)
{
    const uint32_t count = count_entries(from, at);
    for (uint32_t i = 0; i < count && get_entry(from, at, i, entry); i++)
        if (entry->tag == tag) return true;
    return false;
}

uint32_t ifd_number(const IfdSource *from, const IfdEntry *entry)
{
    if (entry->count != 1) return 0;
    if (entry->type == TYPE_SHORT) return number(entry->value, 2, from->big);
    return entry->type == TYPE_LONG || entry->type == TYPE_IFD ? number(entry->value, 4, from->big) : 0;
}

/* The bytes of a value, `size` of them. */
static bool get_value(const IfdSource *from, const IfdEntry *entry, uint8_t *bytes, size_t size)
{
    if (size > 4) return from->get(from->context, number(entry->value, 4, from->big), bytes, size);
    memcpy(bytes, entry->value, size);
    return true;
}

bool ifd_text(const IfdSource *from, const IfdEntry *entry, char *text, size_t room)
{
    if (entry->type != TYPE_ASCII || entry->count < 2 || entry->count >= room) return false;
    if (!get_value(from, entry, (uint8_t *)text, entry->count)) return false;
    text[entry->count] = 0;
    return true;
}

/* ---- copying -------------------------------------------------------------------------------------------- */

typedef struct Copy {
    const IfdSource *from;
    int64_t base;
    HaloBlob *to;
} Copy;

/* Room for `size` bytes at an even offset. */
static HaloStatus append(const Copy *copy, size_t size, uint8_t **room)
{
    HaloBlob *to = copy->to;
    const size_t at = to->size + ((size_t)copy->base + to->size) % 2;
    uint8_t *grown = realloc(to->data, at + size);
    if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for EXIF");
    memset(grown + to->size, 0, at - to->size + size);
    to->data = grown;
    to->size = at + size;
    *room = grown + at;
    return HALO_OK;
}

static int64_t place(const Copy *copy, const uint8_t *room) { return copy->base + (room - copy->to->data); }

static void to_little(uint8_t *bytes, size_t size, unsigned type)
{
    const size_t unit = type == 5 || type == 10 ? 4 : type_size[type]; /* rationals are two numbers */
    for (size_t at = 0; unit > 1 && at + unit <= size; at += unit)
        for (size_t a = at, b = at + unit - 1; a < b; a++, b--) {
            const uint8_t byte = bytes[a];
            bytes[a] = bytes[b];
            bytes[b] = byte;
        }
}

static HaloStatus copy_directory(const Copy *copy, int64_t at, const unsigned *kept, int depth, int64_t *where);

/* One entry into `out`, its value behind what is there; *taken: it can be copied. */
static HaloStatus copy_entry(const Copy *copy, const IfdEntry *entry, int depth, uint8_t out[ENTRY],
                             bool *taken)
{
    HaloStatus status = HALO_OK;
    const unsigned tag = entry->tag, type = entry->type;
    const uint64_t size = type < sizeof type_size ? (uint64_t)type_size[type] * entry->count : 0;
    uint8_t *room = out + 8;
    *taken = false;
    memset(out, 0, ENTRY);
    put(out, tag, 2);
    put(out + 2, type, 2);
    put(out + 4, entry->count, 4);
    if (tag == IFD_EXIF || tag == IFD_GPS || tag == IFD_INTEROPERABILITY) {
        int64_t where = 0;
        if (depth < MAX_DEPTH)
            HALO_TRY(copy_directory(copy, ifd_number(copy->from, entry), NULL, depth + 1, &where));
        put(out + 8, (uint32_t)where, 4);
        *taken = where > 0;
        return HALO_OK;
    }
    if (size == 0 || size > MAX_BYTES || copy->to->size > MAX_BYTES) return HALO_OK;
    if (size > 4) HALO_TRY(append(copy, (size_t)size, &room));
    *taken = get_value(copy->from, entry, room, (size_t)size);
    if (copy->from->big) to_little(room, (size_t)size, type);
    if (size > 4) put(out + 8, (uint32_t)place(copy, room), 4);
out:
    return status;
}

static bool is_kept(const unsigned *kept, unsigned tag)
{
    if (kept == NULL) return true;
    while (*kept != 0 && *kept != tag) kept++;
    return *kept == tag;
}

static HaloStatus copy_directory(const Copy *copy, int64_t at, const unsigned *kept, int depth, int64_t *where)
{
    HaloStatus status = HALO_OK;
    const uint32_t count = count_entries(copy->from, at);
    uint32_t taken = 0;
    uint8_t *room = NULL, *entries = malloc((size_t)(count + 1) * ENTRY);
    IfdEntry entry;
    *where = 0;
    if (entries == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for EXIF");
    for (uint32_t i = 0; i < count && get_entry(copy->from, at, i, &entry); i++) {
        bool good;
        if (!is_kept(kept, entry.tag)) continue;
        HALO_TRY(copy_entry(copy, &entry, depth, entries + (size_t)taken * ENTRY, &good));
        taken += good;
    }
    if (taken == 0) goto out;
    HALO_TRY(append(copy, 2 + (size_t)taken * ENTRY + 4, &room));
    put(room, taken, 2);
    memcpy(room + 2, entries, (size_t)taken * ENTRY);
    *where = place(copy, room);
out:
    free(entries);
    return status;
}

HaloStatus ifd_copy(const IfdSource *from, int64_t at, const unsigned *kept, int64_t base, HaloBlob *to,
                    int64_t *where)
{
    const Copy copy = {from, base, to};
    return copy_directory(&copy, at, kept, 0, where);
}
