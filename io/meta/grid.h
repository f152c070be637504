/* Where samples lie in space, between files and HaloGrid (grid.c). */
#ifndef HALO_IO_GRID_H
#define HALO_IO_GRID_H

#include "halo/format.h"

/* A grid along the axes of its space, in this unit. */
void halo_grid_set(HaloGrid *grid, const double spacing[3], const double origin[3], const char *unit);
/* Has it only finite numbers, and no step of length 0 along columns or rows? Else it is not known. Notes
 * whether its axes are turned. */
void halo_grid_check(HaloGrid *grid);
/* The distance between samples along an axis; pages that have none: 1. */
double halo_grid_spacing(const HaloGrid *grid, int axis);
/* Metres of a unit ("mm", "um", "A"); 0: none of length, or not known. */
double halo_unit_metres(const char *unit);
/* Is its unit one of length? */
bool halo_grid_is_length(const HaloGrid *grid);
/* What to multiply coordinates by, to have them in this unit; 1 where the grid's own is not known. */
double halo_grid_factor(const HaloGrid *grid, const char *unit);
/* The place of a page: an origin further along. */
void halo_grid_move_page(HaloGrid *grid, int64_t page);

/* That of ImageJ's description and the resolution (imagej.c); not known: there is none. */
void halo_imagej_grid(const HaloMeta *meta, HaloGrid *grid);
/* Makes such a description, unless there is one, before another text, and the resolution; `pages` 0: not known.
 */
HaloStatus halo_imagej_describe(HaloMeta *meta, int64_t pages, HaloNotes *notes);
/* Where no grid is known, one of the resolution, in millimetres. */
void halo_grid_of_resolution(HaloMeta *meta);

#endif
