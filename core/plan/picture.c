/* Pictures whose samples a plan is made from, and the profile of the input. */
#include "halo/picture.h"

#include "builder.h"
#include "file/file.h"
#include "file/operand.h"

HaloStatus halo_build_picture(HaloBuilder *builder, const HaloValue *file, HaloOperand **held,
                              const HaloBuf **samples)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    HaloOperand *made = *held = operand_new(file->text);
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    made->max_memory = builder->session->options.max_memory;
    HaloMemory memory = operand_memory(made);
    HALO_TRY(halo_source_from_memory(file->bytes, file->size, &source));
    halo_source_count(source, &memory);
    status = load_open(builder->session, source, NULL, &reader);
    reader.memory = &memory;
    HALO_TRY(status);
    HALO_TRY(load_samples(&reader, &made->data));
    *samples = &made->data;
out:
    load_close(&reader);
    halo_source_close(source);
    return status == HALO_OK ? status : halo_fail_about(status, file->text);
}

void halo_build_profile(const HaloBuilder *builder, const void **bytes, size_t *size)
{
    const HaloBlob *icc = builder->icc;
    *bytes = icc != NULL ? icc->data : NULL;
    *size = icc != NULL ? icc->size : 0;
}

void halo_picture_release(HaloOperand *held) { operand_release(held); }
