/* The Netpbm family: PBM, PGM and PPM, and PAM, which holds any number of channels. */
#include "pnm.h"
#include "halo/text.h"
#include "samples/image.h"

#include <stdio.h>

static bool probe_pnm(const uint8_t *head, size_t size)
{
    return size >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6' &&
           (halo_is_blank((char)head[2]) || head[2] == '#');
}

static bool probe_pam(const uint8_t *head, size_t size)
{
    return size >= 3 && head[0] == 'P' && head[1] == '7' && head[2] == '\n';
}

static int maxval(const HaloShape *shape) { return shape->dtype == HALO_U8 ? 255 : 65535; }

static HaloStatus create_pam(HaloWriter *writer)
{
    const HaloShape *shape = &writer->info.shape;
    const int colours = shape->channels - (shape->alpha >= 0);
    const char *colour = colours == 1 ? "GRAYSCALE" : colours == 3 ? "RGB" : "CHANNELS";
    char head[256];
    const int size =
        snprintf(head, sizeof head, "P7\nWIDTH %lld\nHEIGHT %lld\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s%s\nENDHDR\n",
                 (long long)shape->width, (long long)shape->height, shape->channels, maxval(shape), colour,
                 shape->alpha >= 0 ? "_ALPHA" : "");
    return halo_sink_write(writer->sink, head, (size_t)size);
}

/* The channels choose the member of the family: PGM, PPM, or PAM where there is more than that. */
static HaloStatus create_pnm(HaloWriter *writer)
{
    const HaloShape *shape = &writer->info.shape;
    char head[64];
    if (shape->alpha >= 0 || (shape->channels != 1 && shape->channels != 3)) return create_pam(writer);
    const int size = snprintf(head, sizeof head, "P%c\n%lld %lld\n%d\n", shape->channels == 1 ? '5' : '6',
                              (long long)shape->width, (long long)shape->height, maxval(shape));
    return halo_sink_write(writer->sink, head, (size_t)size);
}

static HaloStatus write_rows(HaloWriter *writer, const HaloBuf *rows)
{
    return halo_rows_write(writer->sink, rows, false);
}

static HaloStatus finish(HaloWriter *writer)
{
    (void)writer;
    return HALO_OK;
}

static void discard(HaloWriter *writer) { (void)writer; }

const HaloFormat halo_format_pnm = {
    .name = "pnm",
    .help = "PBM, PGM and PPM, plain and raw, 8 and 16 bits; PGM, PPM or, with alpha, PAM is written",
    .extensions = "ppm,pgm,pnm",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16,
    .channels = 0xf,
    .with_alpha = 0xe,
    .plain = true,
    .several = HALO_SEVERAL,
    .probe = probe_pnm,
    .open = halo_pnm_open,
    .read = halo_pnm_read,
    .skip = halo_pnm_skip,
    .close = halo_pnm_close,
    .create = create_pnm,
    .write = write_rows,
    .finish = finish,
    .discard = discard,
};

const HaloFormat halo_format_pam = {
    .name = "pam",
    .help = "PAM: any number of channels, 8 and 16 bits",
    .extensions = "pam",
    .kinds = HALO_IMAGE,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16,
    .channels = HALO_ANY_CHANNELS,
    .with_alpha = HALO_ANY_CHANNELS,
    .plain = true,
    .several = HALO_SEVERAL,
    .probe = probe_pam,
    .open = halo_pnm_open,
    .read = halo_pnm_read,
    .skip = halo_pnm_skip,
    .close = halo_pnm_close,
    .create = create_pam,
    .write = write_rows,
    .finish = finish,
    .discard = discard,
};
