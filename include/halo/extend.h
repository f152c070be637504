/* For programs that add operations, masks, formats and backends to halo, as rows of its tables.
 *
 *     static HaloStatus build(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out) { … }
 *     static const HaloOp mine = {.name = "mine", .help = "…", .kinds = HALO_IMAGE, .build = build};
 *
 *     const HaloOp *ops[] = {&mine, halo_find_op("stats")};
 *     HaloTables tables = *halo_tables();
 *     tables.op = ops;
 *     tables.ops = 2;
 *     halo_session_open_with(&tables, NULL, &session);
 *
 * samples/extend.c is a complete example. What a backend computes with is in numerics.h, measures.h, program.h
 * and curves.h, which are to be compiled without contraction (-ffp-contract=off). These interfaces follow
 * halo's own needs: they change more often than those of halo.h. */
#ifndef HALO_EXTEND_H
#define HALO_EXTEND_H

/* The version of these interfaces and of their symbols, HALO_EXTEND_0.2: a program that was linked with one
 * version does not start with another. */
#define HALO_EXTEND_VERSION_MAJOR 0
#define HALO_EXTEND_VERSION_MINOR 2

#include "halo/backend.h"
#include "halo/bench.h"
#include "halo/engine.h"
#include "halo/format.h"
#include "halo/mask.h"
#include "halo/memory.h"
#include "halo/op.h"
#include "halo/plan.h"
#include "halo/primitive.h"
#include "halo/tables.h"

#endif
