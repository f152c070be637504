/* What primitives with a window share. */
#include "primitive.h"

HaloStatus window_shape(const HaloShape *in, int64_t width, int64_t height, HaloBorder border, HaloShape *dst)
{
    *dst = *in;
    dst->dtype = HALO_F32;
    if (border != HALO_BORDER_VALID) return HALO_OK;
    dst->width = in->width - width + 1;
    dst->height = in->height - height + 1;
    if (dst->width < 1 || dst->height < 1)
        return halo_fail(HALO_ERR_INPUT,
                         "border=valid leaves nothing: the mask (%lld x %lld) is larger than the input"
                         " (%lld x %lld)",
                         (long long)width, (long long)height, (long long)in->width, (long long)in->height);
    return HALO_OK;
}

HaloReach window_reach(int64_t width, int64_t height, int64_t ox, int64_t oy, HaloBorder border)
{
    return (HaloReach){.left = larger(0, -ox),
                       .right = larger(0, width - 1 + ox),
                       .up = larger(0, -oy),
                       .down = larger(0, height - 1 + oy),
                       .whole = border == HALO_BORDER_WRAP};
}

const char *window_border(HaloBorder border)
{
    static const char *const name[] = {"zero",   "constant", "replicate", "reflect",
                                       "mirror", "wrap",     "valid",     "keep"};
    return name[border];
}

HaloReach whole_reach(const HaloStep *step)
{
    (void)step;
    return (HaloReach){.whole = true};
}
