/* Topics of `halo help` that are neither a command nor an operation. A topic is one row. */
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "halo/border.h"
#include "text/page.h"

static const char units[] = "Full scale is the sample that means white. Percentages, invert, gamma and the\n"
                            "conversion from one sample type to another refer to it.\n"
                            "\n"
                            "  8-bit integers                        255\n"
                            "  16-bit integers                       65535\n"
                            "  2 to 15 bits, PGM's maxval            255 or 65535, scaled: see halo info\n"
                            "  floats in TIFF and PFM; sound         1\n"
                            "  NPY of int8, int16, bool              127, 32767, 1\n"
                            "  floats in NPY and raw samples         none: they are numbers\n"
                            "  integers of 32 and 64 bits            none: they are numbers\n"
                            "  signed integers in TIFF               none: they are numbers\n"
                            "  tables; arrays with --rate; levels    none: they are series\n"
                            "\n"
                            "Numbers (counts, degrees, metres) keep their values: filters, statistics and\n"
                            "arithmetic need no full scale. Operations that need one, and outputs of 8 or\n"
                            "16 bits, fail until it is set:\n"
                            "\n"
                            "  --white 65535     they are counts of a 16-bit camera\n"
                            "  --white 1         they are fractions\n"
                            "  normalize         stretches them from their least to their greatest sample\n"
                            "  levels, threshold, adaptive           set a full scale, too\n"
                            "\n"
                            "A second input is converted to the full scale of the first: 255 in 8 bits\n"
                            "becomes 65535 in 16. If one of the two has none, neither is scaled: a dark frame\n"
                            "in NPY is subtracted from a 16-bit frame in counts.\n"
                            "\n"
                            "What reads back as what: a 16-bit picture that was filtered is 16 bits in PNG\n"
                            "and TIFF, 0 to 1 in PFM, and in NPY floats from 0 to 65535, which --white 65535\n"
                            "makes a picture again. A filtered 8-bit picture in NPY takes --white 255.\n"
                            "A channel of NPY or raw samples is alpha where --axes hwc,alpha says so. Numbers\n"
                            "are 32-bit floats, exact to 24 bits, but for tables and series, which have 64.\n"
                            "\n"
                            "  halo run gauss:1 frame.png -o g.npy\n"
                            "  halo run 'subtract:dark.npy | gain:2' frame.png -o light.png\n"
                            "  halo run --white 65535 gamma:2.2 g.npy -o g.png\n";

#define BORDER_LINE(name, word, index, reach, pads, default_of, also, help) "  " word help "\n"
static const char border[] =
    "A filter's window reaches beyond the edges of the picture or sound. border=\n"
    "says which samples lie there. Of a row a b c d:\n"
    "\n" HALO_BORDERS(
        BORDER_LINE) "\n"
                     "Every filter takes border=, which extends that filter's own input. pad, which\n"
                     "adds pixels outside, uses the same words.\n"
                     "\n"
                     "  halo run gauss:4,border=mirror in.png -o soft.png\n"
                     "  halo run box:9,border=valid in.png -o inner.png\n"
                     "  halo run conv:laplace4,border=constant=50% in.png -o laplace.pfm\n";

static const char alpha[] = "Alpha is the channel of opacity: 0 is transparent, full scale opaque. alpha=\n"
                            "says what a filter does with it; --alpha sets it for the whole pipeline.\n"
                            "\n"
                            "  premul    default: colours are weighted by alpha (premultiplied), so that\n"
                            "            those of transparent pixels have no effect on others. Filters that\n"
                            "            compare samples (median, rank, erode, dilate, open, close, tophat,\n"
                            "            blackhat, outline, all of local but mean) take colours as they\n"
                            "            are, those of transparent pixels too, and copy alpha\n"
                            "  straight  alpha is filtered like any other channel, and weighs nothing\n"
                            "  ignore    colours are filtered without weights, and alpha stays unchanged\n"
                            "\n"
                            "Point operations (gain, gamma, threshold ...) leave alpha unchanged; crop,\n"
                            "rotate and the like move it with the colours. Statistics list alpha as a\n"
                            "channel of its own and leave it out of 'all'. over composites by alpha, cutout\n"
                            "makes alpha of a mask, flatten lays on a color, channels:1,2,3 drops alpha.\n"
                            "\n"
                            "'halo list formats' says which formats hold alpha; JPEG, PFM and HDR refuse\n"
                            "pictures with alpha. For NPY and raw samples --axes hwc,alpha says that the\n"
                            "last channel is alpha.\n"
                            "\n"
                            "  halo run gauss:4 logo.png -o glow.png\n"
                            "  halo run gauss:4,alpha=straight logo.png -o straight.png\n"
                            "  halo run channels:1,2,3 logo.png -o opaque.jpg\n";

static const char nan_samples[] =
    "Floats (NPY, PFM, TIFF, tables) may be NaN, as missing readings are. nan= says\n"
    "what a filter does with them. Integers are never NaN.\n"
    "\n"
    "  propagate  default: an output is NaN where its window holds a NaN\n"
    "  ignore     NaN are left out: a blur is the weighted mean of the samples that\n"
    "             are left, a median is their median; NaN where none is left\n"
    "  error      the input is refused\n"
    "\n"
    "A blur or median with nan=ignore fills gaps narrower than its window.\n"
    "bilateral, unsharp and tophat, which use the sample itself, keep NaN there.\n"
    "Point operations keep NaN, except threshold, which makes it 0. stats counts\n"
    "NaN, and leaves them out of minimum, maximum, sum, mean and deviation.\n"
    "\n"
    "In a table 'nan' and empty cells are NaN; with --tolerate also cells that are\n"
    "no numbers. Formats of integers get 0 for NaN, and a note counts them.\n"
    "\n"
    "  halo run median:width=5,nan=ignore trace.csv -o filled.csv\n"
    "  halo run gauss:1.5,nan=ignore trace.csv -o smooth.csv\n"
    "  halo stats trace.csv\n";

static const char pipelines[] =
    "A pipeline is one argument: operations joined by |, each works on the result\n"
    "of the one before. Quote it, since | and spaces have a meaning in the shell.\n"
    "\n"
    "  OP                    invert\n"
    "  OP:VALUE,...          bandpass:300,3400: values without keys fill the\n"
    "                        parameters in the order of 'halo help bandpass'\n"
    "  OP:KEY=VALUE,...      unsharp:sigma=1.5,amount=2, or unsharp:1.5,amount=2\n"
    "  OP:[PIPELINE]         subtract:[median:25]: a branch, from the same samples\n"
    "  OP:[FILE | PIPELINE]  add:[guest.wav | gain:-3dB]: a branch, from a file\n"
    "  OP:...,on=2,3         on some channels; mask=FILE, where that is white\n"
    "\n"
    "Lengths are pixels or samples, on sound also times ('halo help times').\n"
    "Levels are sample values, or percentages of full scale (50%). Frequencies are\n"
    "Hz or kHz; factors are numbers, percentages or decibels: 2, -1x, 150%, -6dB.\n"
    "Between operations samples are 32-bit floats, of tables and of 64-bit sound\n"
    "64-bit ones: they are rounded and clipped only where the output is written.\n"
    "stats, hist and reduce print their result and pass the samples on. An empty\n"
    "pipeline '' copies, as halo convert does.\n"
    "--explain prints the steps and writes nothing.\n"
    "\n"
    "  halo run 'gray | gauss:1.5 | sobel | normalize' in.png -o edges.png\n"
    "  halo run 'subtract:[median:25] | normalize' in.png -o flat.png\n"
    "  halo run 'crop:8x8 | stats' in.png\n";

static const char times[] = "Positions and durations of sound are seconds: of trim, fade, pad, silence,\n"
                            "at=, --crossfade, delay=, attack=, release=. Windows are samples: of average,\n"
                            "savgol and level.\n"
                            "A unit makes a time or frames of either:\n"
                            "\n"
                            "  1.5, 1.5s, 20ms, 250us     seconds and parts of them\n"
                            "  5min, 1h, 1:30, 1:02:03.5  minutes, hours, and what clocks show\n"
                            "  480f                       frames (one sample of every channel)\n"
                            "  -2, -500ms                 of positions: counted from the end\n"
                            "\n"
                            "In a table whose times are dates or clocks, places are also\n"
                            "\n"
                            "  2024-03-01, 2024-03-01 08:00   the first row at that time or later\n"
                            "  8:00, 8:00:30                  times of day, where the table has one day;\n"
                            "                                 8min is a duration there\n"
                            "\n"
                            "A table without --rate has a row a second: plain numbers are rows there.\n"
                            "Channels count from 1, or have the names of loudspeakers: channels:FL,FR.\n"
                            "\n"
                            "  halo run trim:0.01,-5ms notes.wav -o part.wav\n"
                            "  halo run 'fade:20ms,1 | average:5ms' notes.wav -o soft.wav\n"
                            "  halo run trim:1,3 trace.csv -o rows.csv\n";

static const char masks[] = "A mask (kernel) is what conv multiplies the samples round each pixel by. It is\n"
                            "a name, text in quotes, or a file:\n"
                            "\n"
                            "  conv:sobel_x                 'halo list masks' shows the names\n"
                            "  conv:\"3x3: 0,-1,0, -1,5,-1, 0,-1,0\"\n"
                            "                               width x height, and the taps row by row;\n"
                            "                               3x3+0+0: the upper left tap is the anchor\n"
                            "  conv:\"1,2,1; 2,4,2; 1,2,1\"   rows with ; between them\n"
                            "  conv:k.mat                   text as above, CSV, a matrix of libvips, or a\n"
                            "                               picture or array of one channel\n"
                            "\n"
                            "Masks are applied as written (correlation); flip=1 turns them by 180 degrees\n"
                            "(convolution). normalize=1 divides by the sum of the taps; scale= multiplies\n"
                            "the sum, bias= is added to it. dilation=2 puts a zero between taps, stride=2\n"
                            "keeps every second output. A mask may be larger than the picture.\n"
                            "\n"
                            "gauss, box, disk, motion and median need no mask, and have any size. mask= of\n"
                            "operations without a kernel is a picture: gauss:9,mask=m.png blurs where\n"
                            "m.png is white.\n"
                            "\n"
                            "  halo run conv:emboss in.png -o relief.png\n"
                            "  halo run 'conv:\"1,2,1; 2,4,2; 1,2,1\",normalize=1' in.png -o smooth.png\n";

static const char formats[] = "Inputs are recognised by their content, tables (csv, tsv) by their names;\n"
                              "--raw describes samples without a header. The name of the output says its\n"
                              "format, or --to FORMAT for other names and for pipes. Sample types are kept\n"
                              "where the format has them; depth:u8 converts. ICC profiles are kept, too;\n"
                              "--to-srgb converts by them. What the output cannot store is noted. 'halo list\n"
                              "formats' shows types, alpha, pages, metadata, names, and ways out for others.\n"
                              "Slices of volumes are pages; FILE.npz:NAME is an array of several.\n"
                              "\n"
                              "Of tables the first column that holds dates or clocks, or is called time, date\n"
                              "or timestamp, is the time (--time, --time-format); --columns chooses others by\n"
                              "name and number; empty cells, NA, null and - are NaN, which fill replaces;\n"
                              "--decimal , reads and writes decimal commas.\n"
                              "\n"
                              "  halo convert in.png -o out.tif\n"
                              "  halo run depth:u16 in.png -o - --to pam > out.pam\n"
                              "  halo convert notes.wav -o notes.flac\n";

/* The formats of `kind` that are read, written or both. */
static void print_formats_of(FILE *to, const char *title, unsigned kind, bool reads, bool writes)
{
    const HaloTables *tables = halo_tables();
    CliText names = {0};
    for (int i = 0; i < tables->formats; i++) {
        const HaloFormat *format = tables->format[i];
        if ((format->kinds & kind) == 0 || (format->open != NULL) != reads ||
            (format->create != NULL) != writes)
            continue;
        if (names.length > 0) cli_add(&names, ", ", 2);
        cli_add(&names, format->name, strlen(format->name));
    }
    if (names.length > 0) {
        fprintf(to, "  %-26s  ", title);
        cli_wrap(to, names.data, 30, 78);
    }
    free(names.data);
}

static void print_formats(FILE *to)
{
    print_formats_of(to, "pictures, read and written", HALO_IMAGE, true, true);
    print_formats_of(to, "pictures, only read", HALO_IMAGE, true, false);
    print_formats_of(to, "pictures, only written", HALO_IMAGE, false, true);
    print_formats_of(to, "sound, read and written", HALO_AUDIO, true, true);
    print_formats_of(to, "sound, only read", HALO_AUDIO, true, false);
    print_formats_of(to, "sound, only written", HALO_AUDIO, false, true);
}

const CliTopic cli_topics[] = {
    {"units", "full scale, numbers, --white, and what reads back as what", units, NULL},
    {"border", "what a filter sees beyond the edges", border, NULL},
    {"alpha", "transparency: what filters and formats do with it", alpha, NULL},
    {"nan", "missing samples (NaN): how to leave them out, or fill gaps", nan_samples, NULL},
    {"pipelines", "how operations, parameters and branches are written", pipelines, NULL},
    {"times", "positions, durations and windows of sound, and their units", times, NULL},
    {"masks", "convolution kernels: names, text and files", masks, NULL},
    {"formats", "what is read and written, and how it is chosen", formats, print_formats},
};
const int cli_topic_count = sizeof cli_topics / sizeof cli_topics[0];

const CliTopic *cli_find_topic(const char *name)
{
    for (int i = 0; i < cli_topic_count; i++)
        if (strcmp(cli_topics[i].name, name) == 0) return &cli_topics[i];
    return NULL;
}

void cli_print_topic(FILE *to, const CliTopic *topic)
{
    if (topic->print_table != NULL) {
        topic->print_table(to);
        fputc('\n', to);
    }
    fputs(topic->text, to);
}
