/* Expressions that people write ("max(a, b)", "v*v"), compiled to programs for a stack of f64. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include "halo/fail.h"
#include "halo/primitive.h"

/* By falling precedence: numbers, inf, variables, ( ), min(x,y) max(x,y) abs(x) sqrt(x) fma(x,y,z); - + !
 * before one value; * /; + -; < <= > >= == !=; &&; ||; c ? x : y. Comparisons and logic give 1 or 0, and both
 * sides of
 * && || ?: are computed. `names` are the letters of the variables, at most two: the program's A and B.
 * HALO_ERR_USAGE shows the place of the mistake; `where` stands before the message. */
HaloStatus expression_compile(const char *where, const char *text, const char *names, HaloProgram *program);

#endif
