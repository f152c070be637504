/* What a result is of: a file's name, its shape, and its channels as far as they are shown. */
#include "halo/escape.h"
#include "report.h"

int cli_shown_channels(int channels) { return channels < CLI_CHANNELS ? channels : CLI_CHANNELS; }

void cli_print_left_out(FILE *to, int channels)
{
    char text[2][32];
    const int shown = cli_shown_channels(channels);
    if (shown < channels)
        fprintf(to, "%s of %s channels are shown; --json has all\n", cli_thousands((uint64_t)shown, text[0]),
                cli_thousands((uint64_t)channels, text[1]));
}

void cli_describe_shape(FILE *to, const HaloShape *shape)
{
    char text[16];
    if (shape->kind == HALO_AUDIO) {
        fprintf(to, "%s, %d channel%s", shape->numbers ? "series" : "audio", shape->channels,
                halo_s(shape->channels));
        if (shape->width >= 0 && shape->height > 0) /* else unknown, or a data set */
            fprintf(to, ", %s frame%s, %.3f s", cli_thousands((uint64_t)shape->width, (char[32]){0}),
                    halo_s(shape->width), (double)shape->width / shape->rate);
        fprintf(to, ", %g Hz", shape->rate);
    } else {
        fprintf(to, "image,");
        if (shape->height > 0) fprintf(to, " %lld x %lld,", (long long)shape->width, (long long)shape->height);
        if (shape->channels > 8)
            fprintf(to, " %d channels", shape->channels);
        else
            for (int c = 0; c < shape->channels; c++) fprintf(to, " %s", halo_channel_name(shape, c, text));
    }
    fprintf(to, ", %s", halo_dtype_name(shape->dtype));
}

void cli_print_name(FILE *to, const char *name, const char *more)
{
    fputs(cli_ink(CLI_BOLD), to);
    halo_put_escaped(to, name);
    fprintf(to, "%s%s", cli_ink(CLI_PLAIN), more);
}
