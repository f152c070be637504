/* Updates the orientation and the size in XMP: simple RDF properties, as attributes or as elements. All other
 * bytes stay unchanged, and so do packets in UTF-16, which no format here holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meta.h"

#define TIFF_NAMESPACE "http://ns.adobe.com/tiff/1.0/"
#define EXIF_NAMESPACE "http://ns.adobe.com/exif/1.0/"
#define DIGITS 20 /* of a number, at most */

/* Bytes [at, end) of the packet. */
typedef struct Span {
    size_t at, end;
} Span;

static int byte_at(const HaloBlob *xmp, size_t at) { return at < xmp->size ? xmp->data[at] : -1; }

static bool is_space(int byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

static bool is_quote(int byte) { return byte == '"' || byte == '\''; }

static size_t past_space(const HaloBlob *xmp, size_t at)
{
    while (is_space(byte_at(xmp, at))) at++;
    return at;
}

/* The next place of `word` from `from` on; the packet's end where there is none. */
static size_t find(const HaloBlob *xmp, size_t from, const void *word, size_t size)
{
    while (from < xmp->size && size <= xmp->size - from) {
        const uint8_t *first = memchr(xmp->data + from, *(const uint8_t *)word, xmp->size - from - size + 1);
        if (first == NULL) break;
        from = (size_t)(first - xmp->data);
        if (memcmp(first, word, size) == 0) return from;
        from++;
    }
    return xmp->size;
}

/* The prefix that stands for a namespace: PREFIX of the first xmlns:PREFIX="URI". Empty: none does. */
static Span prefix_of(const HaloBlob *xmp, const char *uri)
{
    const size_t size = strlen(uri);
    for (size_t at = find(xmp, 0, uri, size); at < xmp->size; at = find(xmp, at + size, uri, size)) {
        if (at < 2 || !is_quote(xmp->data[at - 1]) || byte_at(xmp, at + size) != xmp->data[at - 1]) continue;
        size_t end = at - 1;
        while (end > 0 && is_space(xmp->data[end - 1])) end--;
        if (end == 0 || xmp->data[end - 1] != '=') continue;
        end--;
        while (end > 0 && is_space(xmp->data[end - 1])) end--;
        size_t first = end;
        while (first > 0 && xmp->data[first - 1] != ':' && !is_space(xmp->data[first - 1])) first--;
        if (first >= 6 && first < end && memcmp(xmp->data + first - 6, "xmlns:", 6) == 0)
            return (Span){first, end};
    }
    return (Span){0, 0};
}

/* The value of the property whose name lies at `name`: between quotes, or between tags. Empty if it is not an
 * integer. */
static Span value_of(const HaloBlob *xmp, Span name)
{
    const int before = name.at > 0 ? xmp->data[name.at - 1] : -1;
    size_t at = past_space(xmp, name.end);
    int close = '<';
    if (is_space(before) && byte_at(xmp, at) == '=') {
        at = past_space(xmp, at + 1);
        close = byte_at(xmp, at);
        if (!is_quote(close)) return (Span){0, 0};
    } else if (before != '<' || byte_at(xmp, at) != '>') {
        return (Span){0, 0};
    }
    Span value = {past_space(xmp, at + 1), 0};
    for (value.end = value.at; byte_at(xmp, value.end) >= '0' && byte_at(xmp, value.end) <= '9';) value.end++;
    if (byte_at(xmp, past_space(xmp, value.end)) != close) return (Span){0, 0};
    return value;
}

/* The next value of the property `name` from *at on, which goes behind it. Empty: there is none. */
static Span next_value(const HaloBlob *xmp, size_t *at, const char *name, size_t size)
{
    for (;;) {
        const size_t found = find(xmp, *at, name, size);
        if (found == xmp->size) return (Span){found, found};
        const Span value = value_of(xmp, (Span){found, found + size});
        *at = found + size;
        if (value.end > value.at) return value;
    }
}

/* Every value of a property becomes `text`; a copy, since it may be longer. */
static HaloStatus set_values(HaloBlob *xmp, const char *name, size_t size, const char *text, size_t digits)
{
    size_t at = 0, whole = xmp->size, from = 0, to = 0;
    for (Span v; v = next_value(xmp, &at, name, size), v.end > v.at;) whole += digits - (v.end - v.at);
    if (at == 0) return HALO_OK;
    uint8_t *made = malloc(whole > 0 ? whole : 1);
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for %zu bytes of XMP", whole);
    at = 0;
    for (Span v; v = next_value(xmp, &at, name, size), v.end > v.at; from = v.end) {
        memcpy(made + to, xmp->data + from, v.at - from);
        to += v.at - from;
        memcpy(made + to, text, digits);
        to += digits;
    }
    memcpy(made + to, xmp->data + from, xmp->size - from);
    free(xmp->data);
    *xmp = (HaloBlob){.data = made, .size = whole};
    return HALO_OK;
}

/* A packet without such a property gets none. */
static HaloStatus set_number(HaloBlob *xmp, const char *uri, const char *property, int64_t number)
{
    const Span prefix = prefix_of(xmp, uri);
    char name[128], text[DIGITS + 1];
    const size_t prefixed = prefix.end - prefix.at, size = prefixed + 1 + strlen(property);
    if (prefixed == 0 || size >= sizeof name) return HALO_OK;
    memcpy(name, xmp->data + prefix.at, prefixed);
    snprintf(name + prefixed, sizeof name - prefixed, ":%s", property);
    const int digits = snprintf(text, sizeof text, "%lld", (long long)number);
    return set_values(xmp, name, size, text, (size_t)digits);
}

HaloStatus halo_xmp_set_upright(HaloBlob *xmp) { return set_number(xmp, TIFF_NAMESPACE, "Orientation", 1); }

HaloStatus halo_xmp_set_size(HaloBlob *xmp, int64_t width, int64_t height)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(set_number(xmp, TIFF_NAMESPACE, "ImageWidth", width));
    HALO_TRY(set_number(xmp, TIFF_NAMESPACE, "ImageLength", height));
    HALO_TRY(set_number(xmp, EXIF_NAMESPACE, "PixelXDimension", width));
    HALO_TRY(set_number(xmp, EXIF_NAMESPACE, "PixelYDimension", height));
out:
    return status;
}
