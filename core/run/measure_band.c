/* Measures the rows of a band, in blocks that a reduction's tree is made of. */
#include <string.h>

#include "halo/measures.h"
#include "primitive/primitive.h"
#include "run.h"

static HaloStatus add_block(Device *device, const HaloStep *step, const HaloBuf *block, Measured *all)
{
    HaloBuf whole = *block; /* for a backend */
    whole.shape.width = block->cols;
    whole.shape.height = block->rows;
    whole.x0 = whole.y0 = 0;
    return primitive_of(step)->measure->add(device, step, &whole, block->y0 * block->shape.width + block->x0, all);
}

/* Blocks of sound of any length: frames wait in host memory until they fill a leaf. */
static HaloStatus add_leaves(Device *device, const HaloStep *step, const HaloBuf *block, bool last,
                             Measured *all)
{
    HaloStatus status = HALO_OK;
    HaloBuf *leaf = &all->leaf;
    if (!primitive_of(step)->measure->leaves) return add_block(device, step, block, all);
    if (device->backend->upload != NULL) HALO_FAIL(HALO_ERR_BUG, "frames wait in the memory of a device");
    if (leaf->data == NULL) {
        HaloShape shape = block->shape;
        shape.width = HALO_LEAF;
        HALO_TRY(halo_buf_alloc(leaf, &shape));
        leaf->cols = 0;
    }
    for (int64_t done = 0; done < block->cols;) {
        const int64_t count = smaller(HALO_LEAF - leaf->cols, block->cols - done);
        const HaloBuf from = rows_of(block, (Rows){block->x0 + done, block->x0 + done + count});
        if (leaf->cols == 0) leaf->x0 = from.x0;
        memcpy((char *)leaf->data + halo_row_bytes(leaf), from.data, (size_t)halo_row_bytes(&from));
        leaf->cols += count;
        done += count;
        if (leaf->cols < HALO_LEAF && !(last && done == block->cols)) continue;
        HALO_TRY(add_block(device, step, leaf, all));
        leaf->cols = 0;
    }
out:
    return status;
}

HaloStatus measure_band(Device *device, const HaloStep *step, const HaloBuf *src, Rows part, int64_t band,
                        Measured *all)
{
    HaloStatus status = HALO_OK;
    const int64_t length = rows_length(&src->shape);
    const bool whole = part.from == 0 && part.to == length;
    const int64_t most = whole ? part.to : band;
    all->in_blocks = !whole;
    if (!whole && src->shape.kind == HALO_AUDIO && band % HALO_LEAF != 0) {
        const HaloBuf block = rows_of(src, part);
        return add_leaves(device, step, &block, part.to == length, all);
    }
    for (int64_t from = part.from; from < part.to; from += most) {
        const HaloBuf block = rows_of(src, (Rows){from, smaller(from + most, part.to)});
        HALO_TRY(add_block(device, step, &block, all));
    }
out:
    return status;
}
