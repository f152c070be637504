/* Sizes and places of pictures as people type them. */
#include "geometry.h"

#include <math.h>

#include "halo/text.h"

static bool side(const char *text, int64_t *value, const char **end)
{
    return halo_read_int(text, 1, GEOMETRY_MOST, value, end);
}

/* "+10" or "-10". */
static bool place(const char *text, int64_t *value, const char **end)
{
    if (*text != '+' && *text != '-') return false;
    return halo_read_int(text + (*text == '+'), -GEOMETRY_MOST, GEOMETRY_MOST, value, end);
}

HaloStatus geometry_rectangle(const char *where, const char *text, Rectangle *rectangle)
{
    const char *at;
    *rectangle = (Rectangle){0};
    if (side(text, &rectangle->width, &at) && *at == 'x' && side(at + 1, &rectangle->height, &at)) {
        if (*at == 0) return HALO_OK;
        rectangle->placed = true;
        if (place(at, &rectangle->x, &at) && place(at, &rectangle->y, &at) && *at == 0) return HALO_OK;
    }
    return halo_fail(HALO_ERR_USAGE, "%s: expected WxH or WxH+X+Y (for example 640x480+10+20), found '%.60s'",
                     where, text);
}

HaloStatus geometry_size(const char *where, const char *text, WantedSize *size)
{
    const char *at;
    *size = (WantedSize){0};
    if (halo_read_number(text, &size->percent, &at) && *at == '%' && at[1] == 0 && size->percent > 0 &&
        isfinite(size->percent))
        return HALO_OK;
    size->percent = 0;
    if (*text == 'x') {
        if (side(text + 1, &size->height, &at) && *at == 0) return HALO_OK;
    } else if (side(text, &size->width, &at)) {
        if (*at == 0) {
            size->longer = size->width;
            size->width = 0;
            return HALO_OK;
        }
        if (*at == 'x' && (at[1] == 0 || (side(at + 1, &size->height, &at) && *at == 0))) return HALO_OK;
    }
    return halo_fail(HALO_ERR_USAGE, "%s: expected WxH, Wx, xH, a longer side or a percentage, found '%.60s'",
                     where, text);
}

HaloStatus geometry_check_rectangle(const char *where, const char *text)
{
    Rectangle rectangle;
    return geometry_rectangle(where, text, &rectangle);
}

HaloStatus geometry_check_size(const char *where, const char *text)
{
    WantedSize size;
    return geometry_size(where, text, &size);
}

int64_t geometry_share(int64_t times, int64_t n, int64_t d)
{
    const int64_t share = (2 * times * n + d) / (2 * d); /* sides are below 2^30 */
    return share < 1 ? 1 : share;
}

HaloStatus geometry_turn(HaloBuilder *builder, HaloReg in, bool left, bool up, bool transposed, HaloReg *out)
{
    const HaloShape *shape = halo_build_shape(builder, in);
    const HaloGather gather = {.width = transposed ? shape->height : shape->width,
                               .height = transposed ? shape->width : shape->height,
                               .x0 = left ? shape->width - 1 : 0,
                               .y0 = up ? shape->height - 1 : 0,
                               .step_x = left ? -1 : 1,
                               .step_y = up ? -1 : 1,
                               .transposed = transposed};
    return halo_build_gather(builder, in, &gather, out);
}
