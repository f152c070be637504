/* Included by all of core. */
#ifndef CORE_H
#define CORE_H

#include "halo/extend.h"
#include "halo/text.h"

static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

#endif
