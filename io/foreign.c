/* Recognises formats that halo does not read; foreign.def is their table. */
#include <string.h>

#include "foreign.h"
#include "halo/words.h"

typedef struct Magic {
    size_t at;
    const char *bytes;
    size_t length;
    HaloForeign format;
} Magic;

static const Magic magics[] = {
#define HALO_FOREIGN(at, bytes, name, extensions, way_out) \
    {at, bytes, sizeof(bytes) - 1, {name, extensions, NULL, way_out}},
#define HALO_LEFT_OUT(at, bytes, name, extensions, library) \
    {at, bytes, sizeof(bytes) - 1, {name, extensions, library, NULL}},
#include "foreign.def"
#undef HALO_FOREIGN
#undef HALO_LEFT_OUT
};
#define MAGICS (sizeof magics / sizeof magics[0])

const HaloForeign *halo_foreign_probe(const uint8_t *head, size_t size)
{
    for (size_t i = 0; i < MAGICS; i++) {
        const Magic *m = &magics[i];
        if (m->length > 0 && size >= m->at + m->length && memcmp(head + m->at, m->bytes, m->length) == 0)
            return &m->format;
    }
    return NULL;
}

const HaloForeign *halo_foreign_named(const char *extension)
{
    for (size_t i = 0; i < MAGICS; i++) {
        const HaloForeign *format = &magics[i].format;
        if (format->extensions != NULL && halo_find_word(format->extensions, ',', extension) >= 0)
            return format;
    }
    return NULL;
}

const HaloForeign *halo_foreign_row(int i)
{
    for (size_t k = 0; k < MAGICS; k++) {
        size_t first = 0;
        while (strcmp(magics[first].format.name, magics[k].format.name) != 0) first++;
        if (first == k && i-- == 0) return &magics[k].format;
    }
    return NULL;
}
