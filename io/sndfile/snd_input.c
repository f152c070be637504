/* A file's bytes at any place. */
#include "snd.h"

#include <string.h>

HaloStatus snd_input_open(SndInput *input, HaloSource *source)
{
    *input = (SndInput){.source = source, .size = halo_source_size(source), .source_at = -1, .patch_at = -1};
    if (halo_source_seekable(source) && input->size >= 0) return HALO_OK;
    size_t size;
    const HaloStatus status = halo_source_slurp(source, &input->bytes, &size);
    if (status == HALO_OK) input->size = (int64_t)size;
    return status;
}

size_t snd_input_read(SndInput *input, void *bytes, size_t size)
{
    if (input->at >= input->size || input->status != HALO_OK) return 0;
    if ((uint64_t)(input->size - input->at) < size) size = (size_t)(input->size - input->at);
    size_t got = size;
    if (input->bytes) {
        memcpy(bytes, input->bytes + input->at, size);
    } else {
        if (input->source_at != input->at) input->status = halo_source_seek(input->source, input->at);
        if (input->status == HALO_OK) input->status = halo_source_read(input->source, bytes, size, &got);
        if (input->status != HALO_OK) return 0;
        input->source_at = input->at + (int64_t)got;
    }
    input->at += (int64_t)got;
    return got;
}

bool snd_input_get(SndInput *input, int64_t offset, void *bytes, size_t size)
{
    if (offset < 0 || offset > input->size) return false;
    input->at = offset;
    return snd_input_read(input, bytes, size) == size;
}
