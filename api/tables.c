/* The default tables: the one place that names every operation, format and backend. */
#include <string.h>

#include "foreign.h"
#include "halo/extend.h"
#include "masks.h"

#define HALO_OP(id) extern const HaloOp halo_op_##id;
#include "ops.def"
#undef HALO_OP
#define HALO_FORMAT(id) extern const HaloFormat halo_format_##id;
#include "formats.def"
#undef HALO_FORMAT
extern const HaloMaskRow halo_masks[];
extern const HaloBackend halo_backend_cpu;

static const HaloOp *const ops[] = {
#define HALO_OP(id) &halo_op_##id,
#include "ops.def"
#undef HALO_OP
};

static const HaloFormat *const formats[] = {
#define HALO_FORMAT(id) &halo_format_##id,
#include "formats.def"
#undef HALO_FORMAT
};

#ifdef HALO_HAVE_CUDA
extern const HaloBackend halo_backend_cuda;
static const HaloBackend *const backends[] = {&halo_backend_cpu, &halo_backend_cuda};
#else
static const HaloBackend *const backends[] = {&halo_backend_cpu};
#endif

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const HaloTables tables = {.op = ops,
                                  .ops = COUNT(ops),
                                  .mask = halo_masks,
                                  .masks = MASK_COUNT,
                                  .format = formats,
                                  .formats = COUNT(formats),
                                  .backend = backends,
                                  .backends = COUNT(backends),
                                  .foreign = halo_foreign_probe,
                                  .foreign_named = halo_foreign_named,
                                  .foreign_row = halo_foreign_row};

const HaloTables *halo_tables(void) { return &tables; }

const HaloOp *halo_find_op(const char *name) { return halo_find_op_in(&tables, name); }

const HaloFormat *halo_find_format(const char *name) { return halo_find_format_in(&tables, name); }
