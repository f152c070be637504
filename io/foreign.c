/* Recognises formats that halo does not read; foreign.def is their table. */
#include <string.h>

#include "foreign.h"

typedef struct Magic {
    size_t at;
    const char *bytes;
    size_t length;
    const char *name;
} Magic;

static const Magic magics[] = {
#define HALO_FOREIGN(at, bytes, name) {at, bytes, sizeof(bytes) - 1, name},
#include "foreign.def"
#undef HALO_FOREIGN
};

const char *halo_foreign_name(const uint8_t *head, size_t size)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        const Magic *m = &magics[i];
        if (size >= m->at + m->length && memcmp(head + m->at, m->bytes, m->length) == 0) return m->name;
    }
    return NULL;
}
