/* Recognises formats that halo does not read; foreign.def is their table. */
#include <string.h>

#include "foreign.h"

typedef struct Magic {
    size_t at;
    const char *bytes;
    size_t length;
    const char *name;
    bool sound;
} Magic;

static const Magic magics[] = {
#define HALO_FOREIGN(at, bytes, name) {at, bytes, sizeof(bytes) - 1, name, false},
#define HALO_FOREIGN_SOUND(at, bytes, name) {at, bytes, sizeof(bytes) - 1, name, true},
#include "foreign.def"
#undef HALO_FOREIGN
#undef HALO_FOREIGN_SOUND
};

const char *halo_foreign_name(const uint8_t *head, size_t size, bool *sound)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        const Magic *m = &magics[i];
        if (size < m->at + m->length || memcmp(head + m->at, m->bytes, m->length) != 0) continue;
        *sound = m->sound;
        return m->name;
    }
    return NULL;
}
