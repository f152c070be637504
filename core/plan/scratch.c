/* The memory that a plan needs beside the values between its steps: the backend's workspaces, measurements, and
 * secondary inputs. */
#include <stdlib.h>

#include "bands.h"
#include "base/operand.h"
#include "primitive/primitive.h"

/* The bytes of measurements that do not count, since they do not grow with the samples. */
#define OWN_BYTES ((int64_t)16 << 20)

/* A part of a value as a buffer without data. */
static HaloBuf outline(const HaloPlan *plan, HaloReg reg, Part part)
{
    HaloBuf buf = {.shape = plan->reg[reg]};
    part_set(&buf, part);
    buf.stride = halo_row_bytes(&buf);
    return buf;
}

/* As measurements see it: a backend is given each block as a whole. */
static void ask_measure(const Device *device, const HaloPlan *plan, const HaloStep *step, HaloBuf src,
                        int64_t rows)
{
    if (measures_incrementally(plan, step) && primitive_of(step)->measure->add_rows == NULL) {
        src.cols = smaller(src.cols, rows);
        src.x0 = 0;
        src.shape.width = src.cols;
        src.stride = halo_row_bytes(&src);
    }
    primitive_of(step)->measure->query(device->backend, device->handle, step, &src);
}

static int64_t of_step(const Device *device, const HaloPlan *plan, const HaloStep *step, const Part *need,
                       int64_t rows)
{
    HaloBuf src[HALO_MAX_SOURCES], dst;
    const HaloBuf *sources[HALO_MAX_SOURCES];
    if (step->dst >= 0 && part_is_empty(need[step->dst])) return 0; /* only its source is needed */
    for (int k = 0; k < step->sources; k++) {
        src[k] = outline(plan, step->src[k], need[step->src[k]]);
        sources[k] = &src[k];
        if (part_is_empty(need[step->src[k]])) return 0;
    }
    device->backend->query_begin(device->handle);
    if (step->dst >= 0) {
        dst = outline(plan, step->dst, need[step->dst]);
        primitive_of(step)->run(device->backend, device->handle, step, sources, &dst);
    } else {
        ask_measure(device, plan, step, src[0], rows);
    }
    return device->backend->query_end(device->handle);
}

/* Of the first band that makes output, and, of those that make none, one in the middle. */
int64_t scratch_of(const Device *device, const Bands *bands)
{
    int64_t most = 0;
    const HaloPlan *plan = bands->plan;
    Part *need = needs_new(plan);
    if (need == NULL || device->backend->query_begin == NULL || device->handle == NULL) goto out;
    for (int64_t k = bands->lead / 2; k <= bands->lead; k += larger(1, bands->lead - k)) {
        needs_of_band(bands, k, need);
        for (int i = 0; i < plan->steps; i++)
            most = larger(most, of_step(device, plan, &plan->step[i], need, bands->rows));
    }
out:
    free(need);
    return most;
}

/* ---- what is measured, tables, and secondary inputs
 * ----------------------------------------------------------- */

int64_t scratch_measured(const HaloPlan *plan, bool streams)
{
    double bytes = -(double)OWN_BYTES, tables = 0;
    for (int i = 0; i < plan->steps; i++) {
        const HaloStep *step = &plan->step[i];
        const Primitive *primitive = primitive_of(step);
        if (primitive->measure != NULL) bytes += primitive->measure->bytes(step, &plan->reg[step->src[0]]);
        if (primitive->bytes != NULL) tables += primitive->bytes(step);
    }
    bytes = tables + (bytes > 0 ? bytes : 0);
    for (int i = 1; i < plan->inputs; i++) {
        const HaloOperand *operand = plan->input[i].operand;
        const HaloShape *shape = &operand->data.shape;
        if (streams && !atomic_load(&operand->there)) continue;
        bytes += (double)shape->width * (double)shape->height * shape->channels *
                 (double)halo_dtype_size(shape->dtype);
    }
    if (bytes >= 0x1p62) return INT64_MAX / 2;
    return (int64_t)bytes;
}
