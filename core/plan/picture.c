/* Pictures whose samples a plan is made from, and the profile of the input. */
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

void halo_build_profile(const HaloBuilder *builder, const void **bytes, size_t *size)
{
    const HaloBlob *icc = builder->request->icc;
    *bytes = icc != NULL ? icc->data : NULL;
    *size = icc != NULL ? icc->size : 0;
}

void halo_picture_release(HaloOperand *held) { operand_release(held); }
