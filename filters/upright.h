/* What turns with a picture: windows and masks that are the same under all eight turns (HaloOp.upright_of). */
#ifndef UPRIGHT_H
#define UPRIGHT_H

#include "halo/mask.h"
#include "halo/op.h"

/* Is the picture to be upright for a window of these sides? Those of even sides reach farther to one side.
 * `height`: NULL, or not given: the width. */
bool upright_window(const HaloValue *width, const HaloValue *height);
/* The same of a mask. */
bool upright_mask(const HaloMask *mask);

#endif
