/* The public functions that need the default tables: sessions and the list of operations. */
#include <math.h>

#include "halo/axes.h"
#include "halo/extend.h"
#include "halo/struct.h"

int halo_abi_version(void) { return HALO_ABI_VERSION; }

void halo_options_defaults(HaloOptions *options)
{
    if (options != NULL) *options = (HaloOptions){.struct_size = sizeof *options};
}

#define MOST_JOBS 4096 /* as of --jobs */

/* The first member that is out of its range, and what was expected; NULL: none is. */
static const char *wrong_member(const HaloOptions *own, const char **expected)
{
    const int raw = own->raw_bits;
    const struct {
        bool wrong;
        const char *member, *expected;
    } members[] = {
        {(unsigned)own->device > HALO_DEVICE_ALL, "device", "a HaloDeviceChoice"},
        {(unsigned)own->precision > HALO_PRECISION_SINGLE, "precision", "a HaloPrecision"},
        {own->gpu < 0, "gpu", "a number from 0 on"},
        {own->jobs < 0 || own->jobs > MOST_JOBS, "jobs", "1 to 4096 threads, or 0 for those of the machine"},
        {(unsigned)own->alpha > HALO_ALPHA_IGNORE, "alpha", "a HaloAlpha"},
        {own->max_pixels < 0, "max_pixels", "1 or more, or 0 for the default"},
        {own->max_memory < 0, "max_memory", "1 or more bytes, or 0 for the default"},
        {own->share < 0, "share", "1 or more sessions, or 0"},
        {own->files < 0, "files", "1 or more files, or 0"},
        {own->band_rows < 0, "band_rows", "1 or more rows, or 0 for a choice"},
        {raw != 0 && raw != 16 && raw != 24 && raw != 32 && raw != HALO_RAW_F64, "raw_bits",
         "16, 24, 32, HALO_RAW_F64 or 0"},
        {!(own->rate >= 0 && isfinite(own->rate)), "rate", "frames per second, or 0"},
        {own->latency_ms < 0, "latency_ms", "1 or more milliseconds, or 0 for 100"},
        {!(own->white >= 0 && own->white <= 1e30), "white", "a full scale above 0, or 0 for none"},
        {(own->gpu_alloc == NULL) != (own->gpu_free == NULL), own->gpu_alloc == NULL ? "gpu_alloc" : "gpu_free",
         "both gpu_alloc and gpu_free, or neither"},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        *expected = members[i].expected;
        if (members[i].wrong) return members[i].member;
    }
    return NULL;
}

static HaloStatus check_options(const HaloOptions *own)
{
    const char *expected, *member = wrong_member(own, &expected);
    HaloAxes axes;
    if (member != NULL)
        return halo_fail(HALO_ERR_USAGE, "%s of the options is out of its range: expected %s", member,
                         expected);
    if (own->read_as != NULL && halo_find_format_in(halo_tables(), own->read_as) == NULL)
        return halo_fail(HALO_ERR_USAGE,
                         "read_as of the options: '%.60s' is not a format; see 'halo list formats'",
                         own->read_as);
    if (own->axes == NULL) return HALO_OK;
    const HaloStatus status = halo_read_axes(own->axes, &axes);
    return status == HALO_OK ? status : halo_fail_at(status, "axes of the options");
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
    const HaloStatus status = check_options(&own);
    return status == HALO_OK ? halo_session_open_with(halo_tables(), &own, session) : status;
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
