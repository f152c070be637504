/* The longest gap of samples that are NaN. */
#include "gaps.h"

#include <math.h>

#include "found.h"

#define INPUT 0                      /* the register of a plan's input */
#define MOST_KEPT ((int64_t)1 << 21) /* samples */

/* Behind it the length of the gap that each channel has now. */
typedef struct Gaps {
    int64_t longest, now[];
} Gaps;

static void take_gaps(const void *how, void *found_at, const HaloBuf *frames)
{
    Gaps *found = found_at;
    (void)how;
    for (int64_t i = 0; i < frames->cols; i++)
        for (int c = 0; c < frames->shape.channels; c++) {
            found->now[c] = isnan(found_sample(frames, i, c)) ? found->now[c] + 1 : 0;
            if (found->now[c] > found->longest) found->longest = found->now[c];
        }
}

static bool is_short(const HaloShape *shape) { return shape->width <= MOST_KEPT / shape->channels; }

/* What is made of a long input is found in a pass, however short: else all of the input would be held for it.
 */
HaloStatus gaps_find(HaloBuilder *builder, HaloReg in, bool *at_once, int64_t *longest)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    const HaloAnalysis analysis = {.part = {0, shape->width},
                                   .bytes = (int64_t)(sizeof(Gaps) + (size_t)shape->channels * sizeof(int64_t)),
                                   .take = take_gaps};
    const void *found;
    *longest = 0;
    *at_once = is_short(shape) && is_short(halo_build_shape(builder, INPUT));
    if (*at_once) return HALO_OK;
    HALO_TRY(halo_build_analysis_of_frames(builder, in, &analysis, &found));
    *longest = ((const Gaps *)found)->longest;
out:
    return status;
}
