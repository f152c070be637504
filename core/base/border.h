/* The rows of the table of borders (halo/border.h). */
#ifndef CORE_BASE_BORDER_H
#define CORE_BASE_BORDER_H

#include "halo/border.h"
#include "halo/buffer.h"

typedef struct Border {
    const char *word; /* in pipelines */
    HaloBorderReach reach;
    int default_of;   /* HaloKind */
    const char *also; /* words of other tools, separated by spaces */
} Border;

const Border *border_row(HaloBorder border);
HaloBorder border_default(HaloKind kind);
/* The border that other tools call so; -1: none. */
int border_known_as(const char *text);

#endif
