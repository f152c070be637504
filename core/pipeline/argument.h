/* Which parameter of a call an argument is for (argument.c). */
#ifndef CORE_PIPELINE_ARGUMENT_H
#define CORE_PIPELINE_ARGUMENT_H

#include "pipeline.h"
#include "split.h"

/* An argument of a call, and the arguments before it. */
typedef struct Argument {
    int param;    /* which it is for, */
    Span value;   /* and what it says */
    int position; /* how many values without a key came before, */
    bool keyed;   /* and whether one with a key did, or this one has one */
} Argument;

/* The next one: "key=value"; a switch's key alone; else a value for the parameter whose turn it is, of which
 * border's "constant=0" is one. */
HaloStatus argument_find(const Call *call, Span piece, Argument *argument);
/* Where it ends, if its parameter takes a list, of which the first value ends at `stop`: "percentiles=1,99" and
 * "trim:1,2:30" have one argument. */
const char *argument_end(const Call *call, const Argument *argument, const char *stop, const char *end);

#endif
