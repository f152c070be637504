/* Parts of values: rectangles. */
#ifndef CORE_PRIMITIVE_PART_H
#define CORE_PRIMITIVE_PART_H

#include "core.h"

/* Samples from x0 on, up to x1, of the rows from y0 on, up to y1; empty where it has none. */
typedef struct Part {
    int64_t x0, x1, y0, y1;
} Part;

static inline bool part_is_empty(Part part) { return part.x0 >= part.x1 || part.y0 >= part.y1; }

static inline Part part_of_all(const HaloShape *shape) { return (Part){0, shape->width, 0, shape->height}; }

/* The least part that holds both. */
static inline Part part_joined(Part a, Part b)
{
    if (part_is_empty(a)) return b;
    if (part_is_empty(b)) return a;
    return (Part){smaller(a.x0, b.x0), larger(a.x1, b.x1), smaller(a.y0, b.y0), larger(a.y1, b.y1)};
}

/* What lies in both; where there is nothing it is empty. */
static inline Part part_common(Part a, Part b)
{
    return (Part){larger(a.x0, b.x0), smaller(a.x1, b.x1), larger(a.y0, b.y0), smaller(a.y1, b.y1)};
}

static inline bool part_holds(Part all, Part part)
{
    return part_is_empty(part) ||
           (part.x0 >= all.x0 && part.x1 <= all.x1 && part.y0 >= all.y0 && part.y1 <= all.y1);
}

/* The rectangle of a buffer. */
static inline void part_set(HaloBuf *buf, Part part)
{
    buf->x0 = part.x0;
    buf->y0 = part.y0;
    buf->cols = part.x1 - part.x0;
    buf->rows = part.y1 - part.y0;
}

#endif
