/* Side inputs: read once, or once for each input where their path has fields. */
#ifndef CORE_FILE_SIDE_H
#define CORE_FILE_SIDE_H

#include "base/side.h"
#include "session.h"

/* Reads all of a file (of several images the first) within --max-memory; held once. Failures name the file. */
HaloStatus side_load(HaloSession *session, const char *path, HaloSide **side);

/* The same as people see it: itself, or one that it holds. */
HaloStatus side_upright(HaloSession *session, HaloSide *side, HaloSide **upright);

/* Does a path have fields, {dir}, {stem} or {name}, that stand for parts of the input's path? HALO_ERR_USAGE
 * for unknown fields. */
HaloStatus side_fields(const char *path, bool *any);
/* The file that such a path means for the present input. It is read once; the session holds it until the next
 * input. */
HaloStatus side_of_input(HaloSession *session, const char *path, HaloSide **side);
/* Begins another input, by its name ("-": standard input; NULL: none). */
void side_next_input(HaloSession *session, const char *input);

#endif
