/* Secondary inputs: read once, or once for each input where their path has fields; long sound with every input. */
#ifndef CORE_FILE_SIDE_H
#define CORE_FILE_SIDE_H

#include "base/memory.h"
#include "base/side.h"
#include "session.h"

/* Reads all of a file (of several pages the first; side_of_page has the others) within --max-memory, or of long
 * sound the header; held once. Failures name the file. */
HaloStatus side_load(HaloSession *session, const char *path, HaloSide **side);
/* Sees to it that all of its samples are in memory, until nobody holds it any more. */
HaloStatus side_want(HaloSide *side);

/* A reader of one's own for what is not in memory; closed also where it failed to open. */
typedef struct SideReader {
    HaloSource *source;
    HaloReader reader;
    HaloMemory memory;
} SideReader;
HaloStatus side_open(const HaloSide *side, SideReader *reader);
void side_close(SideReader *reader);

/* What its samples and its reader take is counted within. */
HaloMemory side_memory(const HaloSide *side);

/* side_page.c: sets `pages` with a reader at the end of the first page, which is used up. HALO_ERR_INPUT where
 * there are several and a pipe. */
HaloStatus side_count_pages(HaloSide *side, HaloReader *reader);
/* A later page of it, held once. */
HaloStatus side_load_page(HaloSide *side, int64_t page, HaloSide **of_page);

/* The same as people see it: itself, or one that it holds. */
HaloStatus side_upright(HaloSide *side, HaloSide **upright);

/* Does a path have fields, {dir}, {stem} or {name}, that stand for parts of the input's path? HALO_ERR_USAGE
 * for unknown fields. */
HaloStatus side_fields(const char *path, bool *any);
/* The path that it means for `input`; the caller frees it. HALO_ERR_USAGE where that is "-". */
HaloStatus side_name(const char *path, const char *input, char **name);
/* The file that such a path means for the present input. It is read once; the session holds it until the next
 * input. */
HaloStatus side_of_input(HaloSession *session, const char *path, HaloSide **side);
/* The page of a secondary input that goes with the present page of the present input: the only one, or that of the
 * same number, which the session holds until the next page. HALO_ERR_INPUT where the input has another number
 * of pages than a secondary input of several. */
HaloStatus side_of_page(HaloSession *session, HaloSide *side, HaloSide **of_page);
/* Begins a page of the present input, from 0, of so many (0: not known). */
void side_next_page(HaloSession *session, int64_t page, int64_t pages);
/* The input has ended, and has had so many: HALO_ERR_INPUT as above. */
HaloStatus side_last_page(const HaloSession *session, int64_t pages);
/* Begins another input, by its name ("-": standard input; NULL: none). */
void side_next_input(HaloSession *session, const char *input);

#endif
