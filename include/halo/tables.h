/* The tables of operations, masks, formats and backends, and how to look things up in them. A program that has
 * rows of its own copies halo_tables(), adds them, and opens its sessions with the copy. */
#ifndef HALO_TABLES_H
#define HALO_TABLES_H

#include "halo/backend.h"
#include "halo/format.h"
#include "halo/mask.h"
#include "halo/op.h"
#include "halo/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A format that halo does not read, and only names in messages. */
typedef struct HaloForeign {
    const char *name;       /* "GIF", "WebP", … */
    const char *extensions; /* "jpg,jpeg"; NULL: they do not matter */
    const char *library;    /* what this build would need to read it; NULL: no build does */
    const char *way_out;    /* how to convert it: a command or a hint; NULL: none is known */
} HaloForeign;

typedef struct HaloTables {
    const HaloOp *const *op;
    int ops;
    const HaloMaskRow *mask;
    int masks;
    const HaloFormat *const *format;
    int formats;
    const HaloBackend *const *backend; /* the first works on host memory and is always there */
    int backends;
    /* A format that is not in the table, by the first bytes of a file or by an extension; or NULL. */
    const HaloForeign *(*foreign)(const uint8_t *head, size_t size);
    const HaloForeign *(*foreign_named)(const char *extension);
    const HaloForeign *(*foreign_row)(int i); /* each of them once, from 0; NULL past the last */
} HaloTables;

HALO_API const HaloTables *halo_tables(void);
/* By its name or a synonym; NULL: there is none. */
HALO_API const HaloOp *halo_find_op(const char *name);
HALO_API const HaloOp *halo_find_op_in(const HaloTables *tables, const char *name);
/* By name or extension, as halo_find_format. */
HALO_API const HaloFormat *halo_find_format_in(const HaloTables *tables, const char *name);

/* The parameters that an operation takes besides its own: filters border, alpha and nan; every operation that
 * makes samples on and mask, but the latter where it has a mask of its own. */
HALO_API const HaloParam *halo_common_params(const HaloOp *op, int *count);

/* The closest of `count` words within a few typing mistakes of `word`, or NULL. `word_at(i, list)` gives
 * them. */
HALO_API const char *halo_nearest(const char *word, int count, const char *(*word_at)(int i, const void *list),
                                  const void *list);

/* Writes the operations that other tools call `word`, as "'gauss' or 'box'"; false where there are none. */
HALO_API bool halo_known_as(const HaloTables *tables, const char *word, char *text, size_t size);

/* halo_session_open with tables of one's own, which must outlive the session. */
HALO_API HaloStatus halo_session_open_with(const HaloTables *tables, const HaloOptions *options,
                                           HaloSession **session);

#ifdef __cplusplus
}
#endif
#endif
