/* Secondary inputs. They are read once; once for each input if their path has fields; long sound again with
 * every input. */
#ifndef CORE_FILE_SIDE_H
#define CORE_FILE_SIDE_H

#include "base/memory.h"
#include "base/side.h"
#include "session.h"

/* Reads all of a file (of several pages the first; side_of_page has the others) within --max-memory, or of long
 * sound the header; held once. Failures name the file. */
HaloStatus side_load(HaloSession *session, const char *path, HaloSide **side);
/* Brings all of its samples to memory, where they stay until the last holder releases it. */
HaloStatus side_want(HaloSide *side);

/* A separate reader for one that is not in memory. Close it even if it failed to open. */
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

/* The same turned upright: itself, or one that it holds. */
HaloStatus side_upright(HaloSide *side, HaloSide **upright);

/* Does a path have fields, {dir}, {stem} or {name}, that stand for parts of the input's path? HALO_ERR_USAGE
 * for unknown fields. */
HaloStatus side_fields(const char *path, bool *any);
/* The path with its fields filled in for `input`; the caller frees it. HALO_ERR_USAGE where `input` is "-". */
HaloStatus side_name(const char *path, const char *input, char **name);
/* The secondary input that such a path names for the current input. It is read once; the session holds it until
 * the next input. */
HaloStatus side_of_input(HaloSession *session, const char *path, HaloSide **side);
/* The page of a secondary input that goes with the present page of the present input: the only one, or that of
 * the same number, which the session holds until the next page. HALO_ERR_INPUT where the input has another
 * number of pages than a secondary input of several. */
HaloStatus side_of_page(HaloSession *session, HaloSide *side, HaloSide **of_page);
/* Begins a page of the current input: number `page`, from 0, of `pages` (0: not known). */
void side_next_page(HaloSession *session, int64_t page, int64_t pages);
/* The input has ended after that many pages: HALO_ERR_INPUT as above. */
HaloStatus side_last_page(const HaloSession *session, int64_t pages);
/* Begins another input, by its name ("-": standard input; NULL: none). */
void side_next_input(HaloSession *session, const char *input);

#endif
