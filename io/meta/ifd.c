/* Directories of TIFF (TIFF 6.0, 2; BigTIFF by AWare Systems): a count, entries sorted by tag, the offset of
 * the next. Larger values stand elsewhere, at offsets from the start of the file, so copying a directory
 * rewrites all offsets. Values that hold offsets of their own, as makers' notes may, are copied unchanged. */
#include "ifd.h"
#include "bytes/endian.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ENTRIES 512
#define MAX_BYTES (8 << 20) /* of a copy, in all */
#define MAX_DEPTH 3
#define MAX_ENTRY 20

static const uint8_t type_size[19] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
enum { TYPE_ASCII = 2, TYPE_SHORT = 3, TYPE_LONG = 4, TYPE_IFD = 13, TYPE_LONG8 = 16, TYPE_IFD8 = 18 };

/* Bytes of the number of entries; of a count, a value or an offset; of an entry. */
static size_t head_size(bool wide) { return wide ? 8 : 2; }
static size_t cell_size(bool wide) { return wide ? 8 : 4; }
static size_t entry_size(bool wide) { return 4 + 2 * cell_size(wide); }

/* ---- reading -------------------------------------------------------------------------------------------- */

static uint32_t count_entries(const IfdSource *from, int64_t at)
{
    uint8_t bytes[8];
    const size_t size = head_size(from->wide);
    if (at <= 0 || at > INT64_MAX / 2 || !from->get(from->context, at, bytes, size)) return 0;
    const uint64_t count = halo_get(bytes, size, from->big);
    return count <= MAX_ENTRIES ? (uint32_t)count : 0;
}

static bool get_entry(const IfdSource *from, int64_t at, uint32_t i, IfdEntry *entry)
{
    uint8_t bytes[MAX_ENTRY];
    const size_t size = entry_size(from->wide), cell = cell_size(from->wide);
    if (!from->get(from->context, at + (int64_t)(head_size(from->wide) + size * i), bytes, size)) return false;
    entry->tag = (unsigned)halo_get(bytes, 2, from->big);
    entry->type = (unsigned)halo_get(bytes + 2, 2, from->big);
    entry->count = halo_get(bytes + 4, cell, from->big);
    memset(entry->value, 0, sizeof entry->value);
    memcpy(entry->value, bytes + 4 + cell, cell);
    return true;
}

bool ifd_find(const IfdSource *from, int64_t at, unsigned tag, IfdEntry *entry)
{
    const uint32_t count = count_entries(from, at);
    for (uint32_t i = 0; i < count && get_entry(from, at, i, entry); i++)
        if (entry->tag == tag) return true;
    return false;
}

uint64_t ifd_number(const IfdSource *from, const IfdEntry *entry)
{
    if (entry->count != 1) return 0;
    switch (entry->type) {
    case TYPE_SHORT: return halo_get(entry->value, 2, from->big);
    case TYPE_LONG:
    case TYPE_IFD: return halo_get(entry->value, 4, from->big);
    case TYPE_LONG8:
    case TYPE_IFD8: return from->wide ? halo_get(entry->value, 8, from->big) : 0;
    default: return 0;
    }
}

/* The bytes of a value, `size` of them. */
static bool get_value(const IfdSource *from, const IfdEntry *entry, uint8_t *bytes, size_t size)
{
    const size_t cell = cell_size(from->wide);
    if (size > cell) {
        const uint64_t at = halo_get(entry->value, cell, from->big);
        return at <= INT64_MAX / 2 && from->get(from->context, (int64_t)at, bytes, size);
    }
    memcpy(bytes, entry->value, size);
    return true;
}

bool ifd_text(const IfdSource *from, const IfdEntry *entry, char *text, size_t size)
{
    if (entry->type != TYPE_ASCII || entry->count < 2 || entry->count >= size) return false;
    if (!get_value(from, entry, (uint8_t *)text, entry->count)) return false;
    text[entry->count] = 0;
    return true;
}

HaloStatus ifd_bytes(const IfdSource *from, const IfdEntry *entry, HaloBlob *bytes)
{
    const bool known = entry->type < sizeof type_size && entry->count <= MAX_BYTES;
    const uint64_t size = known ? type_size[entry->type] * entry->count : 0;
    *bytes = (HaloBlob){0};
    if (size == 0 || size > MAX_BYTES) return HALO_OK;
    bytes->data = malloc((size_t)size);
    if (bytes->data == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %d bytes of metadata", (int)size);
    bytes->size = (size_t)size;
    if (get_value(from, entry, bytes->data, bytes->size)) return HALO_OK;
    free(bytes->data);
    *bytes = (HaloBlob){0};
    return HALO_OK;
}

/* ---- copying -------------------------------------------------------------------------------------------- */

typedef struct Copy {
    const IfdSource *from;
    bool wide;
    int64_t base;
    HaloBlob *to;
} Copy;

/* Space for `size` bytes at an even offset. */
static HaloStatus append(const Copy *copy, size_t size, uint8_t **buffer)
{
    HaloBlob *to = copy->to;
    const size_t at = to->size + ((size_t)copy->base + to->size) % 2;
    uint8_t *grown = realloc(to->data, at + size);
    if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for EXIF");
    memset(grown + to->size, 0, at - to->size + size);
    to->data = grown;
    to->size = at + size;
    *buffer = grown + at;
    return HALO_OK;
}

static int64_t place(const Copy *copy, const uint8_t *buffer) { return copy->base + (buffer - copy->to->data); }

static void to_little(uint8_t *bytes, size_t size, unsigned type)
{
    const size_t unit = type == 5 || type == 10 ? 4 : type_size[type]; /* rationals are two numbers */
    if (unit > 1) halo_swap_bytes(bytes, size / unit, unit);
}

static HaloStatus copy_directory(const Copy *copy, int64_t at, const unsigned *kept, int depth, int64_t *where);

/* One entry into `out`, its value behind what is there; *taken: it can be copied. */
static HaloStatus copy_entry(const Copy *copy, const IfdEntry *entry, int depth, uint8_t out[MAX_ENTRY],
                             bool *taken)
{
    HaloStatus status = HALO_OK;
    const unsigned tag = entry->tag, type = entry->type;
    const bool fits = entry->count <= MAX_BYTES && type < (copy->wide ? sizeof type_size : TYPE_LONG8);
    const uint64_t size = fits ? type_size[type] * entry->count : 0;
    const size_t cell = cell_size(copy->wide), before = copy->to->size;
    uint8_t *const value = out + 4 + cell, *buffer = value;
    *taken = false;
    memset(out, 0, MAX_ENTRY);
    halo_put_le(out, tag, 2);
    halo_put_le(out + 2, type, 2);
    halo_put_le(out + 4, entry->count, cell);
    if (tag == IFD_EXIF || tag == IFD_GPS || tag == IFD_INTEROPERABILITY) {
        int64_t where = 0;
        if (depth < MAX_DEPTH)
            HALO_TRY(copy_directory(copy, (int64_t)ifd_number(copy->from, entry), NULL, depth + 1, &where));
        halo_put_le(out + 2, copy->wide ? TYPE_IFD8 : TYPE_LONG, 2);
        halo_put_le(value, (uint64_t)where, cell);
        *taken = where > 0;
        return HALO_OK;
    }
    if (size == 0 || size > MAX_BYTES || copy->to->size > MAX_BYTES) return HALO_OK;
    if (size > cell) HALO_TRY(append(copy, (size_t)size, &buffer));
    if (!get_value(copy->from, entry, buffer, (size_t)size)) {
        copy->to->size = before; /* no space for what the file claims and does not have */
        goto out;
    }
    *taken = true;
    if (copy->from->big) to_little(buffer, (size_t)size, type);
    if (size > cell) halo_put_le(value, (uint64_t)place(copy, buffer), cell);
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
    const size_t each = entry_size(copy->wide), head = head_size(copy->wide);
    uint32_t taken = 0;
    uint8_t *buffer = NULL, *entries = malloc((size_t)(count + 1) * MAX_ENTRY);
    IfdEntry entry;
    *where = 0;
    if (entries == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for EXIF");
    for (uint32_t i = 0; i < count && get_entry(copy->from, at, i, &entry); i++) {
        bool good;
        if (!is_kept(kept, entry.tag)) continue;
        HALO_TRY(copy_entry(copy, &entry, depth, entries + taken * each, &good));
        taken += good;
    }
    if (taken == 0) goto out;
    HALO_TRY(append(copy, head + taken * each + cell_size(copy->wide), &buffer));
    halo_put_le(buffer, taken, head);
    memcpy(buffer + head, entries, taken * each);
    *where = place(copy, buffer);
out:
    free(entries);
    return status;
}

HaloStatus ifd_copy(const IfdSource *from, int64_t at, const unsigned *kept, bool wide, int64_t base,
                    HaloBlob *to, int64_t *where)
{
    const Copy copy = {from, wide, base, to};
    return copy_directory(&copy, at, kept, 0, where);
}
