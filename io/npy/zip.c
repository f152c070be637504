#include "zip.h"

#include <string.h>

#include "bytes/endian.h"

enum {
    END_BYTES = 22,
    END64_BYTES = 56,
    LOCATOR_BYTES = 20,
    ENTRY_BYTES = 46,
    LOCAL_BYTES = 30,
    MOST_COMMENT = 65535
};
enum { MOST_MEMBERS = 100000, DESCRIBED_BEHIND = 8, VERSION = 45 };

static HaloStatus damaged(void)
{
    return halo_fail(HALO_ERR_INPUT, "the directory of the ZIP archive is damaged");
}

static HaloStatus read_at(HaloSource *source, int64_t at, void *bytes, size_t size)
{
    size_t got;
    if (at < 0 || at > halo_source_size(source)) return damaged();
    HaloStatus status = halo_source_seek(source, at);
    if (status == HALO_OK) status = halo_source_read(source, bytes, size, &got);
    return status == HALO_OK && got < size ? damaged() : status;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* The record at the end, which a comment may follow. */
static HaloStatus find_end(HaloSource *source, int64_t *at)
{
    uint8_t bytes[4096];
    const int64_t size = halo_source_size(source);
    const int64_t least = size > END_BYTES + MOST_COMMENT ? size - END_BYTES - MOST_COMMENT : 0;
    for (int64_t end = size; end - least >= END_BYTES; end -= (int64_t)sizeof bytes - END_BYTES) {
        const int64_t from = end - least > (int64_t)sizeof bytes ? end - (int64_t)sizeof bytes : least;
        const HaloStatus status = read_at(source, from, bytes, (size_t)(end - from));
        if (status != HALO_OK) return status;
        for (*at = end - END_BYTES; *at >= from; --*at)
            if (memcmp(bytes + (*at - from), "PK\5\6", 4) == 0) return HALO_OK;
        if (from == least) break;
    }
    return halo_fail(HALO_ERR_INPUT, "truncated: a ZIP archive without its directory");
}

static HaloStatus find_directory(HaloSource *source, int64_t *at, int64_t *members)
{
    HaloStatus status = HALO_OK;
    uint8_t end[END_BYTES], locator[LOCATOR_BYTES], end64[END64_BYTES];
    int64_t place;
    HALO_TRY(find_end(source, &place));
    HALO_TRY(read_at(source, place, end, END_BYTES));
    *members = (int64_t)halo_get_le(end + 10, 2);
    *at = (int64_t)halo_get_le(end + 16, 4);
    if (*at != UINT32_MAX && *members != UINT16_MAX) return HALO_OK;
    HALO_TRY(read_at(source, place - LOCATOR_BYTES, locator, LOCATOR_BYTES));
    if (memcmp(locator, "PK\6\7", 4) != 0) return HALO_OK;
    HALO_TRY(read_at(source, (int64_t)halo_get_le(locator + 8, 8), end64, END64_BYTES));
    *members = (int64_t)halo_get_le(end64 + 32, 8);
    *at = (int64_t)halo_get_le(end64 + 48, 8);
out:
    return status;
}

/* Sizes of 64 bits, in the order in which the fields of 32 bits lack them. */
static void take_extra(const uint8_t *extra, size_t size, const uint8_t *entry, ZipMember *member)
{
    for (size_t at = 0, length; at + 4 <= size; at += 4 + length) {
        length = (size_t)halo_get_le(extra + at + 2, 2);
        if (length > size - at - 4) return;
        if (halo_get_le(extra + at, 2) != 1) continue;
        size_t next = at + 4;
        const size_t end = at + 4 + length;
        if (halo_get_le(entry + 24, 4) == UINT32_MAX && next + 8 <= end) {
            member->bytes = (int64_t)halo_get_le(extra + next, 8);
            next += 8;
        }
        if (halo_get_le(entry + 20, 4) == UINT32_MAX && next + 8 <= end) {
            member->packed = (int64_t)halo_get_le(extra + next, 8);
            next += 8;
        }
        if (halo_get_le(entry + 42, 4) == UINT32_MAX && next + 8 <= end)
            member->header = (int64_t)halo_get_le(extra + next, 8);
    }
}

/* The entry at *at, which then is the next one's place. */
static HaloStatus read_entry(HaloSource *source, int64_t *at, ZipMember *member)
{
    HaloStatus status = HALO_OK;
    uint8_t entry[ENTRY_BYTES], extra[1024];
    HALO_TRY(read_at(source, *at, entry, ENTRY_BYTES));
    if (memcmp(entry, "PK\1\2", 4) != 0) return damaged();
    const size_t name = (size_t)halo_get_le(entry + 28, 2), more = (size_t)halo_get_le(entry + 30, 2);
    const size_t kept = name < sizeof member->name ? name : sizeof member->name - 1;
    *member = (ZipMember){.method = (int)halo_get_le(entry + 10, 2),
                          .packed = (int64_t)halo_get_le(entry + 20, 4),
                          .bytes = (int64_t)halo_get_le(entry + 24, 4),
                          .crc = (uint32_t)halo_get_le(entry + 16, 4),
                          .header = (int64_t)halo_get_le(entry + 42, 4)};
    if ((halo_get_le(entry + 8, 2) & 1) != 0) member->method = -1; /* encrypted */
    HALO_TRY(read_at(source, *at + ENTRY_BYTES, member->name, kept));
    const size_t size = more < sizeof extra ? more : sizeof extra;
    HALO_TRY(read_at(source, *at + ENTRY_BYTES + (int64_t)name, extra, size));
    take_extra(extra, size, entry, member);
    *at += ENTRY_BYTES + (int64_t)(name + more + halo_get_le(entry + 32, 2));
out:
    return status;
}

HaloStatus zip_members(HaloSource *source, bool (*take)(void *context, const ZipMember *member), void *context)
{
    HaloStatus status = HALO_OK;
    ZipMember member;
    int64_t at, members;
    HALO_TRY(find_directory(source, &at, &members));
    if (members < 0 || members > MOST_MEMBERS) return damaged();
    for (int64_t i = 0; i < members; i++) {
        HALO_TRY(read_entry(source, &at, &member));
        if (!take(context, &member)) break;
    }
out:
    return status;
}

HaloStatus zip_go_to(HaloSource *source, const ZipMember *member)
{
    uint8_t local[LOCAL_BYTES];
    HaloStatus status = read_at(source, member->header, local, LOCAL_BYTES);
    if (status != HALO_OK) return status;
    if (memcmp(local, "PK\3\4", 4) != 0 || member->packed < 0) return damaged();
    const int64_t more = (int64_t)(halo_get_le(local + 26, 2) + halo_get_le(local + 28, 2));
    const int64_t at = member->header + LOCAL_BYTES + more;
    return at <= halo_source_size(source) ? halo_source_seek(source, at) : damaged();
}

/* ---- writing -------------------------------------------------------------------------------------------- */

/* Sizes follow the bytes, so that a pipe gets the same; an extra field says that they have 64 bits. */
enum { EXTRA_BYTES = 20, DATE = 0x21 }; /* 1980-01-01: the same bytes every time */

size_t zip_header_bytes(const ZipOutput *zip) { return LOCAL_BYTES + strlen(zip->name) + EXTRA_BYTES; }

/* What both headers have: version, flags, method, time, date. */
static void put_common(uint8_t *at)
{
    halo_put_le(at, VERSION, 2);
    halo_put_le(at + 2, DESCRIBED_BEHIND, 2);
    halo_put_le(at + 8, DATE, 2);
}

HaloStatus zip_begin(ZipOutput *zip, HaloSink *sink)
{
    uint8_t head[LOCAL_BYTES + 256 + EXTRA_BYTES] = "PK\3\4";
    const size_t name = strlen(zip->name);
    put_common(head + 4);
    halo_put_le(head + 18, UINT32_MAX, 4);
    halo_put_le(head + 22, UINT32_MAX, 4);
    halo_put_le(head + 26, name, 2);
    halo_put_le(head + 28, EXTRA_BYTES, 2);
    memcpy(head + LOCAL_BYTES, zip->name, name);
    halo_put_le(head + LOCAL_BYTES + name, 1, 2);
    halo_put_le(head + LOCAL_BYTES + name + 2, 16, 2);
    return halo_sink_write(sink, head, zip_header_bytes(zip));
}

/* The description of the member, the directory, and its end; all with 64 bits. */
HaloStatus zip_end(const ZipOutput *zip, HaloSink *sink)
{
    uint8_t bytes[24 + ENTRY_BYTES + 256 + 20 + END64_BYTES + LOCATOR_BYTES + END_BYTES] = "PK\7\x08",
                                                                              *at = bytes + 24;
    const size_t name = strlen(zip->name);
    const uint64_t size = (uint64_t)zip->bytes, directory = (uint64_t)zip_header_bytes(zip) + size + 24;
    const uint64_t length = ENTRY_BYTES + name + 20;
    halo_put_le(bytes + 4, zip->crc, 4);
    halo_put_le(bytes + 8, size, 8);
    halo_put_le(bytes + 16, size, 8);
    memcpy(at, "PK\1\2", 4);
    halo_put_le(at + 4, VERSION, 2);
    put_common(at + 6);
    halo_put_le(at + 16, zip->crc, 4);
    halo_put_le(at + 20, UINT32_MAX, 4);
    halo_put_le(at + 24, UINT32_MAX, 4);
    halo_put_le(at + 28, name, 2);
    halo_put_le(at + 30, 20, 2);
    memcpy(at + ENTRY_BYTES, zip->name, name);
    at += ENTRY_BYTES + name;
    halo_put_le(at, 1, 2);
    halo_put_le(at + 2, 16, 2);
    halo_put_le(at + 4, size, 8);
    halo_put_le(at + 12, size, 8);
    at += 20;
    memcpy(at, "PK\6\6", 4);
    halo_put_le(at + 4, END64_BYTES - 12, 8);
    halo_put_le(at + 12, VERSION, 2);
    halo_put_le(at + 14, VERSION, 2);
    halo_put_le(at + 24, 1, 8);
    halo_put_le(at + 32, 1, 8);
    halo_put_le(at + 40, length, 8);
    halo_put_le(at + 48, directory, 8);
    at += END64_BYTES;
    memcpy(at, "PK\6\7", 4);
    halo_put_le(at + 8, directory + length, 8);
    halo_put_le(at + 16, 1, 4);
    at += LOCATOR_BYTES;
    memcpy(at, "PK\5\6", 4);
    halo_put_le(at + 8, 1, 2);
    halo_put_le(at + 10, 1, 2);
    halo_put_le(at + 12, length, 4);
    halo_put_le(at + 16, UINT32_MAX, 4);
    return halo_sink_write(sink, bytes, (size_t)(at - bytes) + END_BYTES);
}
