/* Validates every header that a reader returns: the rest of halo relies on this check, whatever the reader of a
 * format lets through. */
#include <math.h>

#include "file.h"

/* The kind, the sample type, and the channels. */
static HaloStatus check_samples(const HaloFormat *format, const HaloShape *shape)
{
    if ((shape->kind != HALO_IMAGE && shape->kind != HALO_AUDIO) ||
        (format->kinds & (unsigned)shape->kind) == 0)
        return halo_fail(HALO_ERR_INPUT, "it is neither an image nor audio that %s can store", format->name);
    if (shape->dtype > HALO_F64 || shape->dtype == HALO_I64)
        return halo_fail(HALO_ERR_INPUT, "its sample type is not supported");
    if (shape->channels < 1) return halo_fail(HALO_ERR_INPUT, "it has no channels");
    if (shape->channels > HALO_MAX_CHANNELS)
        return halo_fail(HALO_ERR_LIMIT, "it has %d channels, and at most %d are supported", shape->channels,
                         HALO_MAX_CHANNELS);
    if (shape->alpha < -1 || shape->alpha >= shape->channels)
        return halo_fail(HALO_ERR_INPUT, "invalid alpha: channel %d of %d", shape->alpha + 1, shape->channels);
    if (!isfinite(shape->white) || !(shape->white > 0))
        return halo_fail(HALO_ERR_INPUT, "invalid full scale: %g", (double)shape->white);
    return HALO_OK;
}

static HaloStatus check_audio(const HaloShape *shape)
{
    if (!isfinite(shape->rate) || !(shape->rate > 0))
        return halo_fail(HALO_ERR_INPUT, "invalid sample rate: %g", shape->rate);
    if (shape->height != 1)
        return halo_fail(HALO_ERR_INPUT, "invalid audio: %lld rows instead of 1", (long long)shape->height);
    if (shape->width == 0) return halo_fail(HALO_ERR_INPUT, "it has no samples");
    if (shape->width < -1)
        return halo_fail(HALO_ERR_INPUT, "invalid length: %lld frames", (long long)shape->width);
    return HALO_OK;
}

static HaloStatus check_image(const HaloShape *shape)
{
    if (shape->width < 1 || shape->height < 1)
        return halo_fail(HALO_ERR_INPUT, "an image without pixels: %lld x %lld", (long long)shape->width,
                         (long long)shape->height);
    if (shape->rate != 0)
        return halo_fail(HALO_ERR_INPUT, "invalid: an image with a sample rate, %g", shape->rate);
    return HALO_OK;
}

/* How many samples there are fits into memory's addresses; of sound of unknown length, a frame. */
static HaloStatus check_size(HaloShape shape)
{
    int64_t bytes;
    if (shape.width < 0) shape.width = 1;
    return halo_shape_bytes(&shape, &bytes);
}

HaloStatus load_check(const HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const HaloInfo *info = &reader->info;
    HALO_TRY(check_samples(reader->format, &info->shape));
    HALO_TRY(info->shape.kind == HALO_AUDIO ? check_audio(&info->shape) : check_image(&info->shape));
    HALO_TRY(check_size(info->shape));
    if (info->bits < 1 || info->bits > 64)
        HALO_FAIL(HALO_ERR_INPUT, "its samples have %d bits, and 1 to 64 are supported", info->bits);
    if (info->images < 0 || (info->images > 0 && reader->options.image >= info->images))
        HALO_FAIL(HALO_ERR_INPUT, "there is no page %lld: there are %lld, counted from 1",
                  (long long)reader->options.image + 1, (long long)info->images);
out:
    return status;
}
