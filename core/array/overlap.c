/* Memory that arrays share: of the elements of an output, which is refused, and of an input and the output, of
 * which the input is copied first. */
#include <stdlib.h>
#include <string.h>

#include "array.h"

/* From the least stride to the greatest, each dimension has to step over all that lies within one step. */
HaloStatus layout_check_output(const Layout *layout, const char *name)
{
    const HaloArray *array = &layout->array;
    bool seen[HALO_MAX_DIMS] = {false};
    int64_t within = (int64_t)halo_type_size(array->type); /* bytes from the first that was seen to the last */
    for (;;) {
        int next = -1;
        for (int i = 0; i < array->dims; i++)
            if (!seen[i] && array->size[i] > 1 &&
                (next < 0 || llabs(array->stride[i]) < llabs(array->stride[next])))
                next = i;
        if (next < 0) return HALO_OK;
        const int64_t step = llabs(array->stride[next]);
        if (step < within)
            return halo_fail(HALO_ERR_USAGE,
                             "%s has elements in the same memory: its stride along dimension %d is %lld bytes, "
                             "and what lies within one step takes %lld; give it memory for each element",
                             name, next + 1, (long long)array->stride[next], (long long)within);
        seen[next] = true;
        within += step * (array->size[next] - 1);
    }
}

/* The bytes that an array lies in, from the first to the one behind the last. */
static void range_of(const Layout *layout, uintptr_t *from, uintptr_t *to)
{
    const HaloArray *array = &layout->array;
    *from = *to = (uintptr_t)array->data;
    *to += halo_type_size(array->type);
    for (int i = 0; i < array->dims; i++) {
        const int64_t along = array->stride[i] * (array->size[i] - 1);
        *(along < 0 ? from : to) += (uintptr_t)along;
    }
}

bool layout_overlaps(const Layout *a, const Layout *b)
{
    uintptr_t from[2], to[2];
    range_of(a, &from[0], &to[0]);
    range_of(b, &from[1], &to[1]);
    return from[0] < to[1] && from[1] < to[0];
}

/* Dimension d and those behind it, in C order. */
static char *pack(const HaloArray *array, int d, const char *from, char *to)
{
    const size_t size = halo_type_size(array->type);
    const bool packed = d == array->dims - 1 && array->stride[d] == (int64_t)size;
    if (d == array->dims || packed) {
        const size_t bytes = packed ? size * (size_t)array->size[d] : size;
        memcpy(to, from, bytes);
        return to + bytes;
    }
    for (int64_t i = 0; i < array->size[d]; i++) to = pack(array, d + 1, from + i * array->stride[d], to);
    return to;
}

HaloStatus layout_copy(Layout *layout, HaloMemory *memory, void **copy)
{
    HaloStatus status = HALO_OK;
    int64_t bytes = (int64_t)halo_type_size(layout->array.type);
    for (int i = 0; i < layout->array.dims; i++) bytes *= layout->array.size[i];
    HALO_TRY(halo_memory_hold(memory, bytes));
    *copy = malloc((size_t)bytes);
    if (*copy == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a copy of the input");
    pack(&layout->array, 0, layout->array.data, *copy);
    layout_move(layout, *copy);
out:
    return status;
}
