/* Measures the rows of a band in blocks that are nodes of a reduction's tree. */
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
    return primitive_of(step)->measure->add(device, step, &whole, block->y0 * block->shape.width + block->x0,
                                            all);
}

/* Blocks of sound of any length: frames wait in host memory until they fill a leaf. */
static HaloStatus add_leaves(Device *device, const HaloStep *step, const HaloBuf *block, bool last,
                             Measured *all)
{
    HaloStatus status = HALO_OK;
    HaloBuf *leaf = &all->leaf;
    if (!measures_leaves(step, &block->shape)) return add_block(device, step, block, all);
    if (device->backend->upload != NULL)
        HALO_FAIL(HALO_ERR_BUG, "internal: frames are queued in the memory of a device");
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

/* ---- pixels --------------------------------------------------------------------------------------------- */

/* The number of samples measured at a time, at least a leaf: few enough for the cache, and enough for threads.
 */
#define NODE_SAMPLES ((int64_t)1 << 20)

static int64_t node_of(const HaloShape *shape)
{
    int64_t pixels = HALO_LEAF;
    while (2 * pixels * shape->channels <= NODE_SAMPLES) pixels *= 2;
    return pixels;
}

/* `count` pixels of these rows, from number `at` on, as one row; they lie side by side. */
static HaloBuf run_of(const HaloBuf *rows, int64_t at, int64_t count)
{
    HaloBuf run = *rows;
    const int64_t size = rows->shape.channels * (int64_t)halo_dtype_size(rows->shape.dtype);
    run.data = (char *)halo_at(rows, rows->x0, rows->y0 + at / rows->cols) + at % rows->cols * size;
    run.shape.width = rows->shape.width * rows->shape.height;
    run.shape.height = run.rows = 1;
    run.x0 = rows->y0 * rows->cols + at;
    run.y0 = 0;
    run.cols = count;
    run.stride = count * size;
    return run;
}

static HaloStatus copy_to_node(Device *device, const HaloBuf *run, HaloBuf *node)
{
    HaloStatus status = HALO_OK;
    HaloBuf to = *run;
    to.data = (char *)node->data + halo_row_bytes(node);
    if (device->backend->upload == NULL)
        memcpy(to.data, run->data, (size_t)halo_row_bytes(run));
    else
        HALO_TRY(device->backend->download(device->handle, run, &to));
    if (node->cols == 0) node->x0 = run->x0;
    node->cols += run->cols;
out:
    return status;
}

static HaloStatus open_node(const HaloShape *image, int64_t most, HaloBuf *node)
{
    HaloShape shape = *image;
    shape.width = smaller(most, image->width * image->height);
    shape.height = 1;
    const HaloStatus status = halo_buf_alloc(node, &shape);
    node->shape.width = image->width * image->height;
    node->cols = 0;
    return status;
}

/* If the device has separate memory, the node is uploaded again. */
static HaloStatus add_node(Device *device, const HaloStep *step, Measured *all)
{
    HaloStatus status = HALO_OK;
    HaloBuf there = {0};
    all->leaf.stride = halo_row_bytes(&all->leaf);
    if (device->backend->upload == NULL) {
        HALO_TRY(add_block(device, step, &all->leaf, all));
    } else {
        there = all->leaf;
        there.data = NULL;
        HALO_TRY(device_take(device, &there));
        HALO_TRY(device->backend->upload(device->handle, &all->leaf, &there));
        HALO_TRY(add_block(device, step, &there, all));
    }
    all->leaf.cols = 0;
out:
    if (there.data != NULL) device_give(device, &there);
    return status;
}

/* Rows of an image, whose ends are no leaves': pixels wait until there is a node of them, but where a whole
 * node lies side by side. */
static HaloStatus add_pixels(Device *device, const HaloStep *step, const HaloBuf *rows, bool last,
                             Measured *all)
{
    HaloStatus status = HALO_OK;
    HaloBuf *node = &all->leaf;
    const int64_t most = node_of(&rows->shape), pixels = rows->cols * rows->rows;
    const bool packed = rows->stride == halo_row_bytes(rows);
    if (node->data == NULL) HALO_TRY(open_node(&rows->shape, most, node));
    for (int64_t done = 0, count; done < pixels; done += count) {
        const int64_t side_by_side = packed ? pixels - done : rows->cols - done % rows->cols;
        count = smaller(most - node->cols, side_by_side);
        const HaloBuf run = run_of(rows, done, count);
        if (count == most) {
            HALO_TRY(add_block(device, step, &run, all));
            continue;
        }
        HALO_TRY(copy_to_node(device, &run, node));
        if (node->cols == most) HALO_TRY(add_node(device, step, all));
    }
    if (last && node->cols > 0) HALO_TRY(add_node(device, step, all));
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
    if (!whole && src->shape.kind == HALO_IMAGE && measures_leaves(step, &src->shape)) {
        const HaloBuf rows = rows_of(src, part);
        return add_pixels(device, step, &rows, part.to == length, all);
    }
    for (int64_t from = part.from; from < part.to; from += most) {
        const HaloBuf block = rows_of(src, (Rows){from, smaller(from + most, part.to)});
        HALO_TRY(add_block(device, step, &block, all));
    }
out:
    return status;
}
