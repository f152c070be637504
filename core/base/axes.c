/* Parses --axes: dimensions of arrays as letters, pages first, then rows, columns and channels in any order. */
#include "halo/axes.h"

#include <string.h>

/* Each letter of `written` means the letter of `meant` at the same index. */
static const char written[] = "nztyxhwc", meant[] = "nnnhwhwc";

static bool has(const HaloAxes *axes, char letter)
{
    return memchr(axes->letter, letter, (size_t)axes->count) != NULL;
}

/* Each letter once, and pages before all else. */
static bool add(HaloAxes *axes, const char *text, const char *at)
{
    const char *found = strchr(written, *at);
    if (found == NULL || axes->count == HALO_MOST_AXES || memchr(text, *at, (size_t)(at - text)) != NULL)
        return false;
    const char letter = meant[found - written];
    if (letter == 'n' ? axes->count > 0 && axes->letter[axes->count - 1] != 'n' : has(axes, letter))
        return false;
    axes->letter[axes->count++] = letter;
    return true;
}

HaloStatus halo_read_axes(const char *text, HaloAxes *axes)
{
    const char *at = text;
    bool valid = true;
    *axes = (HaloAxes){0};
    for (; valid && *at != 0 && *at != ','; at++) valid = add(axes, text, at);
    axes->alpha = strcmp(at, ",alpha") == 0;
    valid = valid && (*at == 0 || axes->alpha) && has(axes, 'h') && has(axes, 'w') &&
            (has(axes, 'c') || !axes->alpha);
    if (valid) return HALO_OK;
    return halo_fail(
        HALO_ERR_USAGE,
        "expected the dimensions in their order, such as hwc, nhw or tzyx: pages n, z or t, then rows h or "
        "y, columns w or x, channels c, and ',alpha' where the last channel is alpha; found '%.40s'",
        text);
}
