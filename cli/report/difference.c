/* What `halo compare` has found, for eyes and for programs. */
#include <math.h>

#include "halo/escape.h"
#include "halo/text.h"
#include "report.h"

void cli_record_difference(FILE *to, const char *a, const char *b, const HaloComparison *c, bool well)
{
    CliJson json = {.to = to};
    char text[16];
    json_open(&json, NULL, '{');
    json_text(&json, "type", "compare");
    json_text(&json, "a", a);
    json_text(&json, "b", b);
    if (c->image > 0) json_int(&json, "image", c->image);
    json_bool(&json, "within", well);
    json_uint(&json, "samples", c->samples);
    json_uint(&json, "differing", c->differing);
    json_number(&json, "max", c->max);
    if (c->max_x >= 0) {
        json_open(&json, "at", '{');
        json_int(&json, "x", c->max_x);
        json_int(&json, "y", c->max_y);
        json_text(&json, "channel", halo_channel_name(&c->shape, c->max_channel, text));
        json_close(&json, '}');
    } else {
        json_null(&json, "at");
    }
    json_number(&json, "mean", c->mean);
    json_number(&json, "rmse", c->rmse);
    json_number(&json, "psnr", c->psnr);
    if (c->shape.kind == HALO_IMAGE) json_number(&json, "ssim", c->ssim);
    if (c->measures & HALO_COMPARE_DELTAE) {
        json_number(&json, "deltae", c->deltae);
        json_number(&json, "deltae95", c->deltae_95);
        json_number(&json, "deltaemax", c->deltae_max);
    }
    if (c->measures & HALO_COMPARE_MSSSIM) json_number(&json, "msssim", c->msssim);
    if (c->measures & HALO_COMPARE_FLIP) json_number(&json, "flip", c->flip);
    if (c->shape.kind == HALO_AUDIO) {
        json_int(&json, "times_differing", c->times);
        json_int(&json, "longer", c->other_width - c->shape.width);
        json_number(&json, "lag", c->lag);
        json_number(&json, "correlation", c->correlation);
    }
    bool noted = false;
    for (int i = 0; i < HALO_NOTES; i++) noted = noted || c->notes.count[i] > 0;
    if (noted) cli_record_notes(&json, &c->notes, NULL);
    json_close(&json, '}');
    json_end_line(&json);
}

static void print_max(FILE *to, const HaloComparison *c)
{
    char name[16];
    fprintf(to, "  max          %.6g", c->max);
    if (c->max_x < 0) { /* one goes on in silence */
        fprintf(to, "\n");
        return;
    }
    fprintf(to, " at %lld", (long long)c->max_x);
    if (c->shape.kind == HALO_IMAGE) fprintf(to, "+%lld", (long long)c->max_y);
    fprintf(to, ", %s\n", halo_channel_name(&c->shape, c->max_channel, name));
}

static void print_times(FILE *to, const HaloComparison *c)
{
    char text[64], off[64];
    if (c->times == 0) return;
    halo_snprintf(off, sizeof off, "%.9g s", fabs(c->times_off));
    fprintf(to, "  times        of %s row%s differ: that of row %lld is %s %s in the second\n",
            cli_thousands((uint64_t)c->times, text), halo_s(c->times), (long long)c->times_row + 1, off,
            c->times_off > 0 ? "later" : "earlier");
}

static void print_length(FILE *to, const HaloComparison *c)
{
    const int64_t longer = c->other_width - c->shape.width, frames = longer < 0 ? -longer : longer;
    char text[64];
    if (longer == 0) return;
    halo_snprintf(text, sizeof text, "%.6g s", (double)frames / c->shape.rate);
    fprintf(to, "  length       the second is %lld frame%s (%s) %s\n", (long long)frames, halo_s(frames), text,
            longer > 0 ? "longer" : "shorter");
}

static void print_lag(FILE *to, const HaloComparison *c)
{
    char text[64];
    if (isnan(c->lag)) return;
    if (c->lag == 0) {
        fprintf(to, "  lag          none, correlation %.6g\n", c->correlation);
        return;
    }
    halo_snprintf(text, sizeof text, "%.6g s", fabs(c->lag) / c->shape.rate);
    fprintf(to, "  lag          the second is %.0f frame%s (%s) %s, correlation %.6g\n", fabs(c->lag),
            halo_s((int64_t)fabs(c->lag)), text, c->lag > 0 ? "late" : "early", c->correlation);
}

static void print_more(FILE *to, const HaloComparison *c)
{
    static const char undefined[] = "of gray and RGB pictures with a full scale alone";
    if (c->measures & HALO_COMPARE_MSSSIM && isnan(c->msssim))
        fputs("  MS-SSIM      of pictures of 176 pixels a side and more alone\n", to);
    else if (c->measures & HALO_COMPARE_MSSSIM)
        fprintf(to, "  MS-SSIM      %.6g\n", c->msssim);
    if (c->measures & HALO_COMPARE_DELTAE && isnan(c->deltae))
        fprintf(to, "  CIEDE2000    %s\n", undefined);
    else if (c->measures & HALO_COMPARE_DELTAE)
        fprintf(to, "  CIEDE2000    mean %.6g, 95%% below %.6g, max %.6g\n", c->deltae, c->deltae_95,
                c->deltae_max);
    if (c->measures & HALO_COMPARE_FLIP && isnan(c->flip))
        fprintf(to, "  FLIP         %s\n", undefined);
    else if (c->measures & HALO_COMPARE_FLIP)
        fprintf(to, "  FLIP         %.6g\n", c->flip);
}

void cli_print_difference(FILE *to, const char *a, const char *b, const HaloComparison *c, bool well,
                          const char *beyond)
{
    char text[32], all[32];
    fputs(cli_ink(CLI_BOLD), to);
    halo_put_escaped(to, a);
    fputs(", ", to);
    halo_put_escaped(to, b);
    fputs(cli_ink(CLI_PLAIN), to);
    if (c->image > 0) fprintf(to, ", page %lld", (long long)c->image);
    if (c->differing == 0 && c->times == 0 && well) {
        fprintf(to, ": %sidentical%s\n", cli_ink(CLI_GREEN), cli_ink(CLI_PLAIN));
        return;
    }
    fprintf(to, ": %s%s%s%s%s\n", cli_ink(well ? CLI_GREEN : CLI_RED),
            well           ? "within the bounds"
            : *beyond != 0 ? "beyond the bounds"
                           : "different",
            cli_ink(CLI_PLAIN), *beyond != 0 ? ": " : "", beyond);
    fprintf(to, "  differing    %s of %s samples\n", cli_thousands(c->differing, text),
            cli_thousands(c->samples, all));
    print_max(to, c);
    fprintf(to, "  mean         %.6g\n  RMSE         %.6g\n  PSNR         %.6g dB\n", c->mean, c->rmse,
            c->psnr);
    if (!isnan(c->ssim)) fprintf(to, "  SSIM         %.6g\n", c->ssim);
    print_more(to, c);
    print_times(to, c);
    print_length(to, c);
    print_lag(to, c);
}

void cli_sheet_difference(FILE *to, const char *a, const char *b, const HaloComparison *c, bool well, bool head)
{
    const unsigned has = c->measures;
    const double none = (double)NAN;
    const double value[] = {c->max,
                            c->mean,
                            c->rmse,
                            c->psnr,
                            c->ssim,
                            has & HALO_COMPARE_DELTAE ? c->deltae : none,
                            has & HALO_COMPARE_DELTAE ? c->deltae_95 : none,
                            has & HALO_COMPARE_DELTAE ? c->deltae_max : none,
                            has & HALO_COMPARE_MSSSIM ? c->msssim : none,
                            has & HALO_COMPARE_FLIP ? c->flip : none,
                            c->lag,
                            c->correlation};
    if (head)
        fputs(
            "a,b,image,within,samples,differing,max,mean,rmse,psnr,ssim,deltae,deltae95,deltaemax,msssim,flip,"
            "lag,correlation\n",
            to);
    cli_sheet_text(to, a);
    fputc(',', to);
    cli_sheet_text(to, b);
    fputc(',', to);
    if (c->image > 0) fprintf(to, "%lld", (long long)c->image);
    fprintf(to, ",%s,%llu,%llu", well ? "true" : "false", (unsigned long long)c->samples,
            (unsigned long long)c->differing);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        fputc(',', to);
        if (!isnan(value[i])) halo_fprintf(to, "%.17g", value[i]);
    }
    fputc('\n', to);
}
