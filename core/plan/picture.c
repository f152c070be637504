/* Pictures whose samples a plan is made from. */
#include "halo/picture.h"

#include "builder.h"
#include "file/operand.h"

HaloStatus halo_build_picture(HaloBuilder *builder, const char *path, HaloOperand **held,
                              const HaloBuf **samples)
{
    HaloStatus status = HALO_OK;
    *held = NULL;
    HALO_TRY(operand_load(builder->session, path, held));
    HALO_TRY(operand_want(*held));
    *samples = &(*held)->data;
out:
    return status;
}

void halo_picture_release(HaloOperand *held) { operand_release(held); }
