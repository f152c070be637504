/* Tells a program of the progress of its work, in the thread that it called in, and ends it as the program
 * wishes (HaloOptions::progress). */
#ifndef CORE_DEVICE_PROGRESS_H
#define CORE_DEVICE_PROGRESS_H

#include "device.h"
#include "halo/pool.h"

double now_ms(void);

/* Does the program want to know? `device` NULL: no. */
bool progress_wanted(const Device *device);
/* What follows is this part of the work; 0, 1: all of it; -1, -1: which part is not known. */
void progress_of_part(Device *device, double from, double to);
/* The same: page `at` of `pages`, 0: of a number that is not known. */
void progress_of_page(Device *device, int64_t at, int64_t pages);
/* Is it time for the next call? Then progress_tell makes it: HALO_ERR_CANCELLED where the program ends the
 * work. `done`: of the present part, -1: not known. */
bool progress_is_due(Device *device);
HaloStatus progress_tell(Device *device, double done);
/* Work in pieces: how many units, such as rows, to do next, when as many as `units` took from `began` on. */
int64_t progress_next(int64_t units, double began);
/* halo_pool_run, asking the program in between. */
HaloStatus progress_run(Device *device, HaloPool *pool, int64_t tasks, HaloTask *task, void *context);

#endif
