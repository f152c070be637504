/* Side inputs: read once, or once for each input where their path has fields. */
#ifndef CORE_FILE_SIDE_H
#define CORE_FILE_SIDE_H

#include "base/side.h"
#include "session.h"

/* Reads all of a file (of several images the first) within --max-memory; held once. Failures name the file. */
HaloStatus side_load(HaloSession *session, const char *path, HaloSide **side);

/* Has a path fields, {dir}, {stem} or {name}, for parts of the input's? HALO_ERR_USAGE for others. */
HaloStatus side_fields(const char *path, bool *any);
/* The file of such a path for the input at hand: read once for each input. The session holds it until then. */
HaloStatus side_of_input(HaloSession *session, const char *path, HaloSide **side);
/* Another input, by its name ("-": standard input; NULL: none). */
void side_next_input(HaloSession *session, const char *input);

#endif
