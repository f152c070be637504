/* Reads just enough of an ICC profile (ICC.1) to tell its name, and whether it is equivalent to sRGB: then the
 * image looks the same without it. */
#include <math.h>
#include <string.h>

#include "bytes/endian.h"
#include "halo/utf8.h"
#include "meta.h"

enum { HEADER = 128, ENTRY = 12 };

typedef struct Tag {
    const uint8_t *at; /* NULL: there is none */
    size_t size;
} Tag;

static Tag find_tag(const HaloBlob *icc, const char *name)
{
    const size_t count = icc->size >= HEADER + 4 ? (size_t)halo_get_be(icc->data + HEADER, 4) : 0;
    for (size_t i = 0, at = HEADER + 4; i < count && icc->size - at >= ENTRY; i++, at += ENTRY) {
        const size_t from = (size_t)halo_get_be(icc->data + at + 4, 4);
        const size_t size = (size_t)halo_get_be(icc->data + at + 8, 4);
        if (memcmp(icc->data + at, name, 4) != 0) continue;
        return from <= icc->size && size <= icc->size - from ? (Tag){icc->data + from, size} : (Tag){0};
    }
    return (Tag){0};
}

static double fixed(const uint8_t *at) { return (double)(int32_t)(uint32_t)halo_get_be(at, 4) / 65536.0; }

/* Half of full scale as light: sRGB's is 0.214. Negative: nothing that is known. */
static double light_of_half(Tag curve)
{
    double p[7] = {0};
    if (curve.size >= 12 && memcmp(curve.at, "curv", 4) == 0) {
        const size_t count = (size_t)halo_get_be(curve.at + 8, 4);
        if (count == 0) return 0.5;
        if (count > (curve.size - 12) / 2) return -1.0;
        if (count == 1) return pow(0.5, (double)halo_get_be(curve.at + 12, 2) / 256.0);
        return (double)halo_get_be(curve.at + 12 + 2 * ((count - 1) / 2), 2) / 65535.0;
    }
    if (curve.size < 16 || memcmp(curve.at, "para", 4) != 0) return -1.0;
    const size_t kind = (size_t)halo_get_be(curve.at + 8, 2), values = (curve.size - 12) / 4;
    static const size_t parameters[5] = {1, 3, 4, 5, 7};
    if (kind > 4 || parameters[kind] > values) return -1.0;
    for (size_t i = 0; i < parameters[kind]; i++) p[i] = fixed(curve.at + 12 + 4 * i);
    return kind == 0 ? pow(0.5, p[0]) : pow(fmax(0.0, p[1] * 0.5 + p[2]), p[0]) + (kind == 4 ? p[5] : 0.0);
}

static bool is_near(Tag xyz, const double wanted[3])
{
    if (xyz.size < 20 || memcmp(xyz.at, "XYZ ", 4) != 0) return false;
    for (size_t i = 0; i < 3; i++)
        if (fabs(fixed(xyz.at + 8 + 4 * i) - wanted[i]) > 0.004) return false;
    return true;
}

bool halo_icc_is_srgb(const HaloBlob *icc)
{
    static const struct {
        char primary[5], curve[5];
        double xyz[3]; /* sRGB's primaries as light of D50, as profiles hold them */
    } rgb[3] = {{"rXYZ", "rTRC", {0.4361, 0.2225, 0.0139}},
                {"gXYZ", "gTRC", {0.3851, 0.7169, 0.0971}},
                {"bXYZ", "bTRC", {0.1431, 0.0606, 0.7141}}};
    const bool gray = icc->size >= HEADER && memcmp(icc->data + 16, "GRAY", 4) == 0;
    if (gray) return fabs(light_of_half(find_tag(icc, "kTRC")) - 0.214) < 0.008;
    for (int i = 0; i < 3; i++) {
        if (!is_near(find_tag(icc, rgb[i].primary), rgb[i].xyz)) return false;
        if (fabs(light_of_half(find_tag(icc, rgb[i].curve)) - 0.214) > 0.008) return false;
    }
    return true;
}

/* ---- the name ------------------------------------------------------------------------------------------- */

/* What is in UTF-16 with the highest byte first, up to a 0. */
static void name_of_utf16(const uint8_t *from, size_t bytes, char *name, size_t size)
{
    char *to = name;
    for (size_t i = 0; i + 1 < bytes && (size_t)(to - name) + 5 <= size; i += 2) {
        uint32_t code = (uint32_t)halo_get_be(from + i, 2);
        if (code == 0) break;
        if (code >> 10 == 0x36 && i + 3 < bytes && halo_get_be(from + i + 2, 2) >> 10 == 0x37) {
            code = 0x10000 + ((code & 0x3ff) << 10 | ((uint32_t)halo_get_be(from + i + 2, 2) & 0x3ff));
            i += 2;
        }
        to = halo_utf8_put(to, code >> 11 == 0x1b ? 0xfffd : code);
    }
    *to = '\0';
}

/* A text of version 2 (textDescriptionType, ASCII), or the first language of version 4's
 * (multiLocalizedUnicodeType). */
bool halo_icc_name(const HaloBlob *icc, char *name, size_t size)
{
    const Tag text = find_tag(icc, "desc");
    name[0] = '\0';
    if (text.size >= 13 && memcmp(text.at, "desc", 4) == 0) {
        const size_t said = (size_t)halo_get_be(text.at + 8, 4),
                     most = said < text.size - 12 ? said : text.size - 12;
        size_t length = 0;
        while (length < most && length + 1 < size && text.at[12 + length] != 0 && text.at[12 + length] < 0x80)
            length++;
        memcpy(name, text.at + 12, length);
        name[length] = '\0';
    } else if (text.size >= 28 && memcmp(text.at, "mluc", 4) == 0 && halo_get_be(text.at + 8, 4) > 0) {
        const size_t bytes = (size_t)halo_get_be(text.at + 20, 4), from = (size_t)halo_get_be(text.at + 24, 4);
        if (from <= text.size && bytes <= text.size - from) name_of_utf16(text.at + from, bytes, name, size);
    }
    return name[0] != '\0';
}
