/* Files out: samples and what the input said of itself, into a sink. */
#include "core.h"

HaloMeta save_meta(const HaloWriteOptions *options, const HaloMeta *meta)
{
    return options->strip ? (HaloMeta){0} : *meta;
}

HaloStatus save_to(HaloSink *sink, const HaloFormat *format, const HaloWriteOptions *options,
                   const HaloInfo *like, const HaloBuf *data, uint64_t *clipped)
{
    HaloStatus status = HALO_OK;
    HaloWriter writer = {.format = format, .sink = sink, .options = *options, .info = *like};
    writer.info.shape = data->shape;
    writer.info.meta = save_meta(options, &like->meta);
    HALO_TRY(format->create(&writer));
    HALO_TRY(format->write(&writer, data));
    HALO_TRY(format->finish(&writer));
    *clipped += writer.clipped;
out:
    format->discard(&writer);
    return status;
}
