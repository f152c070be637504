/* The public functions that need the default tables: sessions and the list of operations. */
#include "halo/extend.h"
#include "halo/struct.h"

int halo_abi_version(void) { return HALO_ABI_VERSION; }

void halo_options_defaults(HaloOptions *options)
{
    if (options != NULL) *options = (HaloOptions){.struct_size = sizeof *options};
}

HaloStatus halo_session_open(const HaloOptions *options, HaloSession **session)
{
    HaloOptions own = {.struct_size = sizeof own};
    if (session == NULL) return halo_fail(HALO_ERR_USAGE, "session is NULL");
    *session = NULL;
    if (options != NULL) {
        const HaloStatus status = halo_struct_read(&own, sizeof own, options, options->struct_size,
                                                   "the options", "halo_options_defaults");
        if (status != HALO_OK) return status;
    }
    const char *member = own.jobs < 0                                      ? "jobs"
                         : own.gpu < 0                                     ? "gpu"
                         : own.max_pixels < 0                              ? "max_pixels"
                         : own.max_memory < 0                              ? "max_memory"
                         : (unsigned)own.device > HALO_DEVICE_ALL          ? "device"
                         : (unsigned)own.precision > HALO_PRECISION_SINGLE ? "precision"
                         : (unsigned)own.alpha > HALO_ALPHA_IGNORE         ? "alpha"
                                                                           : NULL;
    if (member != NULL) return halo_fail(HALO_ERR_USAGE, "%s of the options is out of its range", member);
    return halo_session_open_with(halo_tables(), &own, session);
}

/* ---- operations ------------------------------------------------------------------------------------------ */

static const HaloOp *op_at(size_t i)
{
    const HaloTables *tables = halo_tables();
    return i < (size_t)tables->ops ? tables->op[i] : NULL;
}

static int common_of(const HaloOp *op, const HaloParam **common)
{
    int count;
    *common = halo_common_params(op, &count);
    return count;
}

HaloStatus halo_operation(size_t i, HaloOperation *operation)
{
    const HaloOp *op = op_at(i);
    const HaloParam *common;
    if (op == NULL || operation == NULL) return HALO_ERR_USAGE;
    const HaloOperation own = {.name = op->name,
                               .help = op->help,
                               .example = op->example,
                               .synonyms = op->synonyms,
                               .images = (op->kinds & HALO_IMAGE) != 0,
                               .sound = (op->kinds & HALO_AUDIO) != 0,
                               .result = op->result,
                               .parameters = op->params + common_of(op, &common)};
    return halo_struct_write(operation, operation->struct_size, &own, sizeof own, "the operation",
                             "{sizeof(HaloOperation)}");
}

HaloStatus halo_operation_parameter(size_t i, int at, HaloParameter *parameter)
{
    static const char *const types[] = {
        [HALO_PARAM_NUMBER] = "number", [HALO_PARAM_INTEGER] = "integer", [HALO_PARAM_SWITCH] = "switch",
        [HALO_PARAM_CHOICE] = "choice", [HALO_PARAM_LENGTH] = "length",   [HALO_PARAM_FREQUENCY] = "frequency",
        [HALO_PARAM_LEVEL] = "level",   [HALO_PARAM_MASK] = "mask",       [HALO_PARAM_BORDER] = "border",
        [HALO_PARAM_POINT] = "point",   [HALO_PARAM_FILE] = "file",       [HALO_PARAM_SOURCE] = "source",
        [HALO_PARAM_FACTOR] = "factor", [HALO_PARAM_TEXT] = "text"};
    const HaloOp *op = op_at(i);
    const HaloParam *common;
    if (op == NULL || parameter == NULL || at < 0 || at >= op->params + common_of(op, &common))
        return HALO_ERR_USAGE;
    const HaloParam *param = at < op->params ? &op->param[at] : &common[at - op->params];
    const HaloParameter own = {.name = param->key,
                               .help = param->help,
                               .type = types[param->type],
                               .preset = param->preset,
                               .choices = param->choices,
                               .unit = param->unit,
                               .least = param->min,
                               .greatest = param->max};
    return halo_struct_write(parameter, parameter->struct_size, &own, sizeof own, "the parameter",
                             "{sizeof(HaloParameter)}");
}
