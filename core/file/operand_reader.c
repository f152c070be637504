/* A separate reader for a secondary input that is not in memory. */
#include "file.h"
#include "operand.h"

HaloMemory operand_memory(const HaloOperand *operand)
{
    return (HaloMemory){.allowed = operand->max_memory, .advice = "--max-memory sets the limit"};
}

HaloStatus operand_open(const HaloOperand *operand, OperandReader *to)
{
    HaloStatus status = HALO_OK;
    const HaloShape *was = &operand->data.shape, *now = &to->reader.info.shape;
    *to = (OperandReader){.memory = operand_memory(operand)};
    HALO_TRY(halo_source_open(operand->path, &to->source));
    halo_source_count(to->source, &to->memory);
    HALO_TRY(
        load_open_as(to->source, operand->format, &operand->options, operand->jobs, &to->memory, &to->reader));
    if (now->width != was->width || now->channels != was->channels || now->dtype != was->dtype ||
        now->rate != was->rate)
        HALO_FAIL(HALO_ERR_INPUT, "has changed while it was being read");
out:
    return status == HALO_OK ? status : halo_fail_about(status, operand->path);
}

void operand_close(OperandReader *reader)
{
    load_close(&reader->reader);
    halo_source_close(reader->source);
    reader->source = NULL;
}
