/* Several classes of a histogram. */
#ifndef CLASSES_H
#define CLASSES_H

#include "halo/op.h"

#define CLASSES_MOST 5

/* N. Otsu's criterion for several classes: last[k] becomes the last bin of class k, the last class left out, so
 * that the variance between the classes is greatest; of equal solutions the one whose last class begins first,
 * then the one before it, and so on. HALO_ERR_INPUT where fewer bins than classes have samples. */
HaloStatus classes_find(const uint64_t *count, int64_t bins, int classes, int64_t *last);

#endif
