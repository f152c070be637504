/* rotate: by right angles every pixel as it was, by others interpolated. */
#include "ops.h"
#include "rotation.h"

enum { ROTATE_ANGLE, ROTATE_FIT, ROTATE_AT, ROTATE_SIZE, ROTATE_WARP };

static HaloStatus build_rotate(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    const Rotation turn = rotation_by(arg[ROTATE_ANGLE].number);
    const int64_t fit = arg[ROTATE_FIT].integer;
    HaloWarp warp = {.by = HALO_WARP_AFFINE};
    if (arg[ROTATE_AT].given && !arg[ROTATE_AT].integer && fit != ROTATION_KEEP)
        HALO_FAIL(HALO_ERR_USAGE, "rotate: at= is the point that stays in place: it needs fit=keep");
    *out = in;
    if (turn.exact && fit == ROTATION_GROW && !arg[ROTATE_SIZE].given) {
        const int k = turn.quarters;
        if (k > 0) status = geometry_turn(builder, in, k != 1, k != 3, k != 2, out);
        goto out;
    }
    rotation_size(&shape, &turn, (RotationFit)fit, &warp);
    HALO_TRY(warp_size("rotate: size", &arg[ROTATE_SIZE], warp.width, warp.height, &warp));
    rotation_matrix(&shape, &turn, &arg[ROTATE_AT], &warp);
    HALO_TRY(warp_build(builder, &warp, arg + ROTATE_WARP, in, -1, out));
out:
    return status;
}

static const HaloParam rotate_param[] = {
    [ROTATE_ANGLE] = {.key = "angle",
                      .type = HALO_PARAM_NUMBER,
                      .unit = "degrees",
                      .help = "clockwise; by 90, 180, 270 and so on every pixel stays as it is"},
    [ROTATE_FIT] = ROTATION_FIT("grow"),
    [ROTATE_AT] = {.key = "at",
                   .type = HALO_PARAM_POINT,
                   .preset = "",
                   .choices = "center|centre",
                   .unit = "pixels",
                   .help = "with fit=keep, the point that stays in place, such as 120+80; default: the center"},
    [ROTATE_SIZE] = WARP_SIZE("as fit says"),
    WARP_PARAMS(ROTATE_WARP, "zero"),
    WARP_SAMPLES_PARAM(ROTATE_WARP),
};

const HaloOp halo_op_rotate = {.name = "rotate",
                               .help = "turn by any angle, clockwise",
                               .known_as = "rot rot90 turn straighten getrotationmatrix2d",
                               .example = "rotate:3.5,fit=crop",
                               .within = true,
                               .kinds = HALO_IMAGE,
                               .upright = true,
                               HALO_PARAMS(rotate_param),
                               .build = build_rotate};
