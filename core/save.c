/* Files out: samples and what the input said of itself, into a writer. */
#include "core.h"

/* What may be passed on of the input; it stays the input's. */
static void set_info(HaloWriter *writer, const HaloInfo *like, const HaloShape *shape)
{
    writer->info = *like;
    writer->info.shape = *shape;
    if (writer->options.strip) writer->info.meta = (HaloMeta){0};
}

HaloStatus save_begin(HaloWriter *writer, const HaloInfo *like, const HaloShape *shape, bool endless)
{
    set_info(writer, like, shape);
    if (endless) writer->info.shape.width = -1;
    return writer->format->create(writer);
}

HaloStatus save_end(HaloWriter *writer, const HaloInfo *like, const HaloShape *shape)
{
    HaloStatus status = HALO_OK;
    set_info(writer, like, shape); /* some of it may have stood behind the samples */
    HALO_TRY(writer->format->finish(writer));
    HALO_TRY(halo_sink_flush(writer->sink));
out:
    return status;
}

HaloStatus save_whole(HaloWriter *writer, const HaloInfo *like, const HaloBuf *data)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(save_begin(writer, like, &data->shape, false));
    HALO_TRY(writer->format->write(writer, data));
    HALO_TRY(save_end(writer, like, &data->shape));
out:
    return status;
}

HaloStatus save_close(HaloWriter *writer, HaloStatus status)
{
    if (writer->format == NULL) return status;
    if (status == HALO_OK && writer->format->end != NULL) status = writer->format->end(writer);
    writer->format->discard(writer);
    writer->format = NULL;
    return status;
}
