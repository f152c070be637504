/* Names of columns (names.c). */
#ifndef HALO_IO_NAMES_H
#define HALO_IO_NAMES_H

#include "halo/cells.h"
#include "halo/format.h"

/* The text that keeps them (HaloMeta::text): a row of a table, with commas. */
#define HALO_NAMES_KEY "Columns"

/* The cells of the present row. */
HaloStatus halo_names_of(HaloCells *cells, HaloNames *names);
/* Names of so many channels, in place of those that are there; all empty: none. */
HaloStatus halo_names_set(HaloMeta *meta, int channels, const char *const *name);
/* A part of halo_meta_apply (halo/format.h). */
HaloStatus halo_names_apply(HaloMeta *meta, const HaloChanges *changes);

/* A cell that is read back as this text, in quotation marks where it needs them: where one of `separators`, or
 * what ends a row, is in it; into `to`, which has halo_name_size bytes. Returns how many it took. */
size_t halo_name_write(const char *name, size_t length, const char *separators, char *to);
static inline size_t halo_name_size(size_t length) { return 2 * length + 2; }

#endif
