/* Secondary inputs. They are read once; once for each input if their path has fields; long sound again with
 * every input. */
#ifndef CORE_FILE_OPERAND_H
#define CORE_FILE_OPERAND_H

#include "base/memory.h"
#include "base/operand.h"
#include "session.h"

/* Reads all of a file (of several pages the first; operand_of_page has the others) within --max-memory, or of
 * long sound the header; held once. Failures name the file. */
HaloStatus operand_load(HaloSession *session, const char *path, HaloOperand **operand);
/* Brings all of its samples to memory, where they stay until the last holder releases it. */
HaloStatus operand_want(HaloOperand *operand);

/* operand_reader.c: a separate reader for one that is not in memory. Close it even if it failed to open. */
typedef struct OperandReader {
    HaloSource *source;
    HaloReader reader;
    HaloMemory memory;
} OperandReader;
HaloStatus operand_open(const HaloOperand *operand, OperandReader *reader);
void operand_close(OperandReader *reader);

/* What its samples and its reader take is counted within. */
HaloMemory operand_memory(const HaloOperand *operand);

/* operand_page.c: sets `pages` with a reader at the end of the first page, which is used up. HALO_ERR_INPUT
 * where there are several and a pipe. */
HaloStatus operand_count_pages(HaloOperand *operand, HaloReader *reader);
/* A later page of it, held once. */
HaloStatus operand_load_page(HaloOperand *operand, int64_t page, HaloOperand **of_page);

/* The same turned upright: itself, or one that it holds. */
HaloStatus operand_upright(HaloOperand *operand, HaloOperand **upright);

/* Does a path have fields, {dir}, {stem} or {name}, that stand for parts of the input's path? In one with {,
 * {{ and }} stand for braces. HALO_ERR_USAGE for unknown fields. */
HaloStatus operand_fields(const char *path, bool *any);
/* Does it name an array of the caller, "@2", and which, from 1? 0: it does not. */
size_t operand_array(const char *path);
/* The path with its fields filled in for `input`; the caller frees it. HALO_ERR_USAGE where it has
 * fields and `input` is NULL or "-". */
HaloStatus operand_name(const char *path, const char *input, char **name);
/* Those of the current input. All zero: an input without a name, of one page. */
typedef struct Operands {
    const char *input;         /* its name; "-": standard input; NULL: it has none */
    int64_t page, pages;       /* its current page, from 0, and their number; 0: not known */
    HaloOperand *paired;       /* one of several pages, one for each of the input's; or NULL */
    HaloOperand *const *array; /* [arrays] the arrays that "@2" and so on name */
    size_t arrays;
    int count;
    HaloOperand **operand; /* [count] those named after this input, and later pages of any */
} Operands;

/* The one that a path with fields names for the current input. It is read once; held until the next input. */
HaloStatus operand_of_input(HaloSession *session, Operands *operands, const char *path, HaloOperand **operand);
/* The page of a secondary input that goes with the current page of the input: the only one, or that of the same
 * number, which is held until the next page. HALO_ERR_INPUT where the input has another number of pages than a
 * secondary input of several. */
HaloStatus operand_of_page(Operands *operands, HaloOperand *operand, HaloOperand **of_page);
/* Begins a page of the current input: number `page`, from 0, of `pages` (0: not known). */
void operand_next_page(Operands *operands, int64_t page, int64_t pages);
/* The input has ended after that many pages: HALO_ERR_INPUT as above. */
HaloStatus operand_last_page(const Operands *operands, int64_t pages);
/* Begins another input, by its name; NULL at the end: releases all. */
void operand_next_input(Operands *operands, const char *input);

#endif
