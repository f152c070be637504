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
#define HALO_FOREIGN(at, bytes, name) {at, bytes, sizeof(bytes) - 1, {name, NULL, NULL, false}},
#define HALO_FOREIGN_SOUND(at, bytes, name) {at, bytes, sizeof(bytes) - 1, {name, NULL, NULL, true}},
#define HALO_LEFT_OUT(at, bytes, name, extensions, library) \
    {at, bytes, sizeof(bytes) - 1, {name, extensions, library, false}},
#include "foreign.def"
#undef HALO_FOREIGN
#undef HALO_FOREIGN_SOUND
#undef HALO_LEFT_OUT
};
#define MAGICS (sizeof magics / sizeof magics[0])

const HaloForeign *halo_foreign_probe(const uint8_t *head, size_t size)
{
    for (size_t i = 0; i < MAGICS; i++) {
        const Magic *m = &magics[i];
        if (size >= m->at + m->length && memcmp(head + m->at, m->bytes, m->length) == 0) return &m->format;
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
