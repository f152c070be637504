/* `halo info`: the headers and metadata of files. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "halo/escape.h"
#include "info_texts.h"
#include "report/report.h"

#define MOST_NAME 128 /* bytes of a profile's */

/* The first and the last time; false: there are none, or the last is not known. */
static bool times_of(const HaloInfo *info, char first[HALO_TIME_SIZE], char last[HALO_TIME_SIZE])
{
    const HaloTimeline *timeline = &info->meta.time;
    if (timeline->name == NULL || timeline->frames < 1) return false;
    halo_time_write(&timeline->notation, halo_time_at(timeline, NULL, 0), first);
    halo_time_write(&timeline->notation, halo_time_at(timeline, NULL, timeline->frames - 1), last);
    return true;
}

static void record_times(CliJson *json, const HaloInfo *info)
{
    char first[HALO_TIME_SIZE], last[HALO_TIME_SIZE];
    if (!times_of(info, first, last)) return;
    json_open(json, "time", '{');
    json_text(json, "column", info->meta.time.name);
    json_text(json, "first", first);
    json_text(json, "last", last);
    json_bool(json, "even", info->notes.count[HALO_NOTE_UNEVEN] == 0);
    json_close(json, '}');
}

static void print_times(FILE *to, const HaloInfo *info)
{
    char first[HALO_TIME_SIZE], last[HALO_TIME_SIZE];
    if (times_of(info, first, last)) fprintf(to, "  times     %s to %s\n", first, last);
}

static void record_info(FILE *to, const char *path, const HaloInfo *info, const HaloNames *names,
                        const HaloFormat *format)
{
    CliJson json = {.to = to};
    const HaloShape *shape = &info->shape;
    char text[16], name[MOST_NAME], *notes = cli_notes_text(&info->notes, true, true);
    json_open(&json, NULL, '{');
    json_text(&json, "type", "info");
    json_text(&json, "file", path);
    json_text(&json, "format", format->name);
    json_text(&json, "kind", shape->kind == HALO_AUDIO ? "audio" : "image");
    if (shape->width >= 0)
        json_int(&json, "width", shape->width);
    else
        json_null(&json, "width");
    json_int(&json, "height", shape->height);
    json_int(&json, "channels", shape->channels);
    json_open(&json, "names", '['); /* of the first: "channels" says how many there are */
    for (int c = 0; c < shape->channels && c < CLI_NAMES; c++)
        json_text(&json, NULL, names->name != NULL ? names->name[c] : halo_channel_name(shape, c, text));
    json_close(&json, ']');
    record_times(&json, info);
    json_text(&json, "dtype", halo_dtype_name(shape->dtype));
    json_int(&json, "bits", info->bits);
    json_bool(&json, "real", info->real && !info->scaled);
    if (info->most > 0) json_number(&json, "factor", (double)shape->white / info->most);
    json_text(&json, "encoding", info->encoding[0] != 0 ? info->encoding : NULL);
    if (shape->kind == HALO_AUDIO) {
        json_number(&json, "rate", shape->rate);
        if (shape->width >= 0)
            json_number(&json, "seconds", (double)shape->width / shape->rate);
        else
            json_null(&json, "seconds");
    }
    json_uint(&json, "icc", info->meta.icc.size);
    json_text(&json, "profile", halo_icc_name(&info->meta.icc, name, sizeof name) ? name : NULL);
    json_uint(&json, "exif", info->meta.exif.size);
    if (shape->kind == HALO_IMAGE) {
        json_int(&json, "orientation", halo_exif_orientation(&info->meta.exif));
        json_bool(&json, "thumbnail", halo_exif_thumbnail(&info->meta.exif));
        info_record_photo(&json, &info->meta.exif);
    }
    json_uint(&json, "xmp", info->meta.xmp.size);
    info_record_grid(&json, &info->meta.grid);
    info_record_texts(&json, &info->meta);
    if (info->shape.kind == HALO_AUDIO) json_uint(&json, "pictures", info->meta.pictures);
    if (info->images > 0) json_int(&json, "images", info->images);
    if (info->meta.plays > 0) json_int(&json, "plays", info->meta.plays);
    json_text(&json, "note", notes);
    cli_record_notes(&json, &info->notes, NULL);
    free(notes);
    json_close(&json, '}');
    json_end_line(&json);
}

static void print_channels(FILE *to, const HaloShape *shape, const HaloNames *names)
{
    char text[16];
    fprintf(to, "  channels  %d", shape->channels);
    for (int c = 0; c < names->count && c < CLI_NAMES; c++) {
        fputs(c == 0 ? ": " : ", ", to);
        halo_put_escaped(to, names->name[c]);
    }
    for (int c = 0; c < shape->channels && shape->kind == HALO_IMAGE && shape->channels <= 8; c++)
        fprintf(to, "%s%s", c == 0 ? " (" : ", ", halo_channel_name(shape, c, text));
    fprintf(to, "%s\n", shape->kind == HALO_IMAGE && shape->channels <= 8 ? ")" : "");
}

static void print_profile(FILE *to, const HaloBlob *icc)
{
    char text[32], name[MOST_NAME];
    if (icc->size == 0) return;
    fprintf(to, "  ICC       %s bytes", cli_thousands(icc->size, text));
    if (halo_icc_name(icc, name, sizeof name)) {
        fputs(": ", to);
        halo_put_escaped(to, name);
    }
    fputc('\n', to);
}

/* `plays` is 0 also where an animation is shown without end. */
static void print_images(FILE *to, const HaloInfo *info)
{
    if (info->images <= 1) return;
    fprintf(to, "  images    %lld", (long long)info->images);
    if (info->meta.plays > 0) fprintf(to, ", shown %d time%s", info->meta.plays, halo_s(info->meta.plays));
    fputc('\n', to);
}

/* What the file holds, and what that becomes. */
static void print_samples(FILE *to, const HaloInfo *info)
{
    const HaloShape *shape = &info->shape;
    fprintf(to, "  samples   %d-bit %s%s, read as %s", info->bits,
            info->real && !info->scaled ? "floats" : "integers", info->scaled ? " that the file scales" : "",
            halo_dtype_name(shape->dtype));
    if (info->most > 0)
        halo_fprintf(to, ": times %.7g, from full scale %d to %.9g", (double)shape->white / info->most,
                     info->most, (double)shape->white);
    fputc('\n', to);
}

static void print_info(FILE *to, const char *path, const HaloInfo *info, const HaloNames *names,
                       const HaloFormat *format)
{
    static const char *const ways[8] = {"as it lies",
                                        "to be mirrored left to right",
                                        "to be turned by 180 degrees",
                                        "to be mirrored top to bottom",
                                        "to be transposed",
                                        "to be turned by 90 degrees clockwise",
                                        "to be transposed and turned by 180 degrees",
                                        "to be turned by 90 degrees counterclockwise"};
    const int orientation = halo_exif_orientation(&info->meta.exif);
    const HaloShape *shape = &info->shape;
    char text[32];
    cli_print_name(to, path, "\n");
    fprintf(to, "  format    %s: %s\n", format->name, format->help);
    if (shape->kind == HALO_AUDIO) {
        if (shape->width < 0)
            fprintf(to, "  length    unknown until it is read\n");
        else
            fprintf(to, "  length    %.3f s, %s frame%s\n", (double)shape->width / shape->rate,
                    cli_thousands((uint64_t)shape->width, text), halo_s(shape->width));
        fprintf(to, "  rate      %g Hz\n", shape->rate);
    } else {
        fprintf(to, "  size      %lld x %lld, %.2f megapixels\n", (long long)shape->width,
                (long long)shape->height, (double)shape->width * (double)shape->height / 1e6);
    }
    print_channels(to, shape, names);
    print_times(to, info);
    print_samples(to, info);
    if (info->encoding[0] != 0) fprintf(to, "  encoding  %s\n", info->encoding);
    print_profile(to, &info->meta.icc);
    if (info->meta.exif.size > 0)
        fprintf(to, "  EXIF      %s bytes, orientation %d: %s%s\n", cli_thousands(info->meta.exif.size, text),
                orientation, ways[orientation - 1],
                halo_exif_thumbnail(&info->meta.exif) ? "; with a thumbnail" : "");
    info_print_photo(to, &info->meta.exif);
    if (info->meta.xmp.size > 0)
        fprintf(to, "  XMP       %s bytes\n", cli_thousands(info->meta.xmp.size, text));
    if (info->meta.resolution[0] > 0 && !info->meta.ratio)
        fprintf(to, "  dots      %.5g x %.5g per inch\n", info->meta.resolution[0] * 0.0254,
                info->meta.resolution[1] * 0.0254);
    info_print_grid(to, &info->meta.grid);
    info_print_texts(to, &info->meta);
    if (info->meta.pictures > 0) fprintf(to, "  pictures  %zu\n", info->meta.pictures);
    print_images(to, info);
    char *notes = cli_notes_text(&info->notes, true, true);
    if (notes != NULL) fprintf(to, "  note      %s\n", notes);
    free(notes);
}

/* One file. A failure is reported, and the batch goes on; but failures to print, such as HALO_ERR_PIPE, end it.
 */
static HaloStatus look_at(HaloSession *session, const CliSettings *settings, const CliItem *item,
                          HaloStatus *outcome)
{
    HaloInfo info = {0};
    const HaloFormat *format = NULL;
    *outcome = item->status;
    if (item->status == HALO_OK)
        *outcome = halo_file_info(session, item->input, settings->raw.kind != 0 ? &settings->raw : NULL, &info,
                                  &format);
    if (*outcome != HALO_OK) {
        char *error = item->error != NULL ? cli_copy(item->error) : cli_failure(item, *outcome);
        cli_complain("%s", error);
        free(error);
        return HALO_OK;
    }
    HaloNames names;
    const HaloStatus status = halo_names_get(&info.meta, info.shape.channels, &names);
    if (status != HALO_OK) return status;
    FILE *page = cli_page_open(settings->json);
    if (settings->json)
        record_info(page, item->input, &info, &names, format);
    else
        print_info(page, item->input, &info, &names, format);
    free(names.name);
    halo_meta_free(&info.meta);
    return cli_page_send(STDOUT_FILENO);
}

int cli_info(const CliSettings *settings)
{
    CliBatch batch = {0};
    HaloSession *session = NULL;
    HaloStatus status = HALO_OK, outcome;
    CliFates fates = {0};
    HaloOptions engine = settings->engine;
    cli_ink_setup(STDOUT_FILENO, settings->no_color);
    if (engine.max_pixels <= 0) engine.max_pixels = INT64_MAX; /* no sample is read */
    HALO_TRY(halo_session_open_with(halo_tables(), &engine, &session));
    HALO_TRY(cli_find_inputs(settings, (const char *const *)settings->word, settings->words, &batch));
    for (size_t i = 0; i < batch.count; i++) {
        HALO_TRY(look_at(session, settings, &batch.item[i], &outcome));
        cli_count_fate(&fates, outcome);
    }
out:
    if (status != HALO_OK && status != HALO_ERR_PIPE) cli_complain("%s", halo_error());
    cli_batch_free(&batch);
    halo_session_close(session);
    return status != HALO_OK ? (int)status : cli_fates_exit(&fates);
}
