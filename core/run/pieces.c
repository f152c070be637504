/* What a band measures, as the pieces that a reduction's tree is made of. */
#include <string.h>

#include "primitive/primitive.h"
#include "run.h"
#include "halo/measures.h"

static HaloStatus add_piece(Slot *slot, const HaloStep *step, const HaloBuf *piece, Measured *all)
{
    HaloBuf whole = *piece; /* for a backend */
    whole.shape.width = piece->cols;
    whole.x0 = 0;
    return primitive_of(step)->measure->piece(slot, step, &whole, piece->x0, all);
}

/* Pieces of any length: frames wait in host memory until there is a leaf of them. Of sound: an image is measured
 * whole. */
static HaloStatus add_leaves(Slot *slot, const HaloStep *step, const HaloBuf *piece, bool last, Measured *all)
{
    HaloStatus status = HALO_OK;
    HaloBuf *leaf = &all->leaf;
    if (!primitive_of(step)->measure->leaves) return add_piece(slot, step, piece, all);
    if (slot->backend->upload != NULL) HALO_FAIL(HALO_ERR_BUG, "frames wait in the memory of a device");
    if (leaf->data == NULL) {
        HaloShape shape = piece->shape;
        shape.width = HALO_LEAF;
        HALO_TRY(halo_buf_alloc(leaf, &shape));
        leaf->cols = 0;
    }
    for (int64_t done = 0; done < piece->cols;) {
        const int64_t count = smaller(HALO_LEAF - leaf->cols, piece->cols - done);
        const HaloBuf from = rows_of(piece, (Rows){piece->x0 + done, piece->x0 + done + count});
        if (leaf->cols == 0) leaf->x0 = from.x0;
        memcpy((char *)leaf->data + halo_row_bytes(leaf), from.data, (size_t)halo_row_bytes(&from));
        leaf->cols += count;
        done += count;
        if (leaf->cols < HALO_LEAF && !(last && done == piece->cols)) continue;
        HALO_TRY(add_piece(slot, step, leaf, all));
        leaf->cols = 0;
    }
out:
    return status;
}

HaloStatus measure_band(Slot *slot, const HaloStep *step, const HaloBuf *src, Rows part, int64_t band, Measured *all)
{
    HaloStatus status = HALO_OK;
    const int64_t length = rows_length(&src->shape);
    const bool whole = part.from == 0 && part.to == length;
    const int64_t most = whole ? part.to : band;
    if (!whole && band % HALO_LEAF != 0) {
        const HaloBuf piece = rows_of(src, part);
        return add_leaves(slot, step, &piece, part.to == length, all);
    }
    for (int64_t from = part.from; from < part.to; from += most) {
        const HaloBuf piece = rows_of(src, (Rows){from, smaller(from + most, part.to)});
        HALO_TRY(add_piece(slot, step, &piece, all));
    }
out:
    return status;
}
