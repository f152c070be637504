/* The table of options and the table of commands. */
#include "options.h"

#include <string.h>

#define AT(member) .offset = offsetof(CliSettings, member)

const CliOption cli_options[] = {
    {"output", 'o', "FILE", NULL, CLI_OUTPUT, CLI_COMPARE | CLI_GATHERS | CLI_WRITES | CLI_DRAWS | CLI_SAME,
     "write here; - is standard output; results of a pipeline that only measures, such as peaks, go to a .csv "
     "file",
     NULL, AT(output)},
    {"out-dir", 0, "DIR", NULL, CLI_OUTPUT, CLI_WRITES | CLI_SPLIT | CLI_SAME,
     "write every output into this folder, which is created if missing", NULL, AT(out_dir)},
    {"name", 0, "TEMPLATE", NULL, CLI_OUTPUT, CLI_WRITES | CLI_SPLIT | CLI_SAME,
     "template of names in --out-dir, with the fields {dir} (folder below the one given with -r), {stem}, "
     "{ext}, {index} or {index:04} of the input, {page}, {part}; by default {dir}/{stem}.{ext}, with --split "
     "{dir}/{stem}-{page}.{ext}, of halo split {dir}/{stem}-{part:03}.{ext}",
     NULL, AT(name)},
    {"at", 0, "WHERE", NULL, CLI_OUTPUT, CLI_SPLIT,
     "where to cut: silence (the default), with the parameters of the operation, as in "
     "silence:-45dB,min=500ms; it is left out but for "
     "keep=100ms (the default) on each side; times, as in 0:30,1:00; every:10min; cue, the markers or chapters "
     "of the file; or channels, for a file each",
     NULL, AT(at)},
    {"to", 0, "FORMAT", NULL, CLI_OUTPUT, CLI_COMPARE | CLI_GATHERS | CLI_WRITES | CLI_SPLIT | CLI_BENCH,
     "output format; by default from the extension of the output, else the input's", cli_read_format, 0},
    {"quality", 0, "N", NULL, CLI_OUTPUT, CLI_GATHERS | CLI_WRITES,
     "quality of JPEG, WebP, AVIF, HEIC, JPEG XL, Ogg Vorbis, Opus and MP3 (variable bit rate), 1 to 100; by "
     "default 90 for JPEG, 75 for WebP, and the codec's own for others",
     cli_read_quality, 0},
    {"lossless", 0, NULL, NULL, CLI_OUTPUT, CLI_PICTURES | CLI_WRITES,
     "write WebP, AVIF and JPEG XL without loss", NULL, AT(write.lossless)},
    {"effort", 0, "N", "1|2|3|4|5|6|7|8|9", CLI_OUTPUT, CLI_PICTURES | CLI_WRITES,
     "how hard WebP, AVIF, HEIC, JPEG XL and TIFF are compressed: 1 is fast, 9 is small; by default 1 for "
     "TIFF, and "
     "the codec's own for others",
     cli_read_effort, 0},
    {"bitrate", 0, "KBPS", NULL, CLI_OUTPUT, CLI_JOIN | CLI_WRITES,
     "bit rate of Opus, Ogg Vorbis and MP3 in kilobits per second, such as 128k; MP3 becomes constant, the "
     "others "
     "average",
     cli_read_bitrate, 0},
    {"subsampling", 0, "HOW", "444|422|420", CLI_OUTPUT, CLI_PICTURES | CLI_WRITES,
     "chroma subsampling of JPEG: 444 (full), 422 (half) or 420 (quarter resolution); by default 444 from "
     "quality 90 on, else 420",
     cli_read_subsampling, 0},
    {"split", 0, NULL, NULL, CLI_OUTPUT, CLI_WRITES,
     "write a file for each page: {page} in its name is the number, with four digits or more, {page:02} with "
     "two",
     NULL, AT(split)},
    {"strip", 0, NULL, NULL, CLI_OUTPUT, CLI_GATHERS | CLI_WRITES | CLI_SPLIT,
     "leave out metadata: colour profile, EXIF, XMP, text and all else; images are turned upright as EXIF says",
     NULL, AT(write.strip)},
    {"to-srgb", 0, NULL, NULL, CLI_OUTPUT, CLI_RUN | CLI_CONVERT,
     "first convert images with an ICC profile to sRGB, by that profile, which is left out then; images "
     "without "
     "one stay as they are; short for the operation icc at the beginning of the pipeline",
     NULL, AT(to_srgb)},
    {"tag", 0, "NAME=TEXT", NULL, CLI_OUTPUT, CLI_GATHERS | CLI_WRITES,
     "write this text, such as title=Lake or artist=…, in place of the input's; an empty one removes it; may "
     "be "
     "repeated",
     cli_read_tag, 0},
    {"tags-from", 0, "FILE", NULL, CLI_OUTPUT, CLI_GATHERS | CLI_WRITES,
     "write the texts, and for sound the cover pictures, of this file; --tag has priority", cli_read_tags_from,
     0},
    {"guard", 0, NULL, NULL, CLI_OUTPUT, CLI_WRITES, "attenuate sound to prevent clipping", NULL,
     AT(write.guard)},
    {"bits", 0, "N", "1|8|16|24|32|float", CLI_OUTPUT, CLI_JOIN | CLI_WRITES | CLI_SPLIT,
     "sample format of sound in WAV, FLAC, AIFF, CAF, AU, W64 and raw: 8, 16, 24 or 32 for integers of so many "
     "bits, or "
     "float; by default the input's; 1 for black and white in PNG and TIFF",
     cli_read_bits, 0},
    {"crossfade", 0, "TIME", NULL, CLI_OUTPUT, CLI_JOIN,
     "overlap each sound with the end of the one before by this time, such as 20ms", cli_read_crossfade, 0},
    {"curve", 0, "NAME", "linear|power|cosine", CLI_OUTPUT, CLI_JOIN,
     "gains of --crossfade: linear (the default); power, a quarter of a sine, which keeps the loudness where "
     "the "
     "sounds differ; or cosine, half a cosine",
     cli_read_curve, 0},
    {"png-level", 0, "N", "0|1|2|3|4|5|6|7|8|9", CLI_OUTPUT, CLI_COMPARE | CLI_PICTURES | CLI_WRITES,
     "compression level of PNG: 0 is none, 1 is fast (the default), 9 is small", cli_read_png_level, 0},
    {"tile", 0, "N", NULL, CLI_OUTPUT, CLI_PICTURES | CLI_WRITES,
     "write TIFF in tiles of N x N pixels, such as 256; a multiple of 16", cli_read_tile, 0},
    {"pyramid", 0, NULL, NULL, CLI_OUTPUT, CLI_PICTURES | CLI_WRITES,
     "write TIFF in tiles, with overviews of half the width and height, a quarter, … down to one tile", NULL,
     AT(write.pyramid)},
    {"sync", 0, NULL, NULL, CLI_OUTPUT,
     CLI_GATHERS | CLI_WRITES | CLI_SPLIT | CLI_HIST | CLI_OBJECTS | CLI_DRAWS | CLI_SAME,
     "sync outputs and their names to the disk before they count as done, so that they survive a power cut",
     NULL, AT(write.sync)},
    {"force", 'f', NULL, NULL, CLI_OUTPUT,
     CLI_COMPARE | CLI_GATHERS | CLI_WRITES | CLI_SPLIT | CLI_HIST | CLI_OBJECTS | CLI_DRAWS | CLI_SAME,
     "replace existing outputs (never an input); the owner stays, and permissions as well unless an input's "
     "are stricter",
     NULL, AT(force)},
    {"skip-existing", 0, NULL, NULL, CLI_OUTPUT, CLI_WRITES | CLI_SAME, "skip inputs whose output exists", NULL,
     AT(skip_existing)},
    {"resume", 0, NULL, NULL, CLI_OUTPUT, CLI_WRITES | CLI_SAME,
     "process only what is missing or out of date in --out-dir, according to the journal there, and keep that "
     "journal; an existing output that is not in it is an error unless the new one would be identical",
     NULL, AT(resume)},
    {"dry-run", 'n', NULL, NULL, CLI_OUTPUT, CLI_WRITES | CLI_SPLIT | CLI_SAME,
     "print what would be written, and write nothing", NULL, AT(dry_run)},

    {"recursive", 'r', NULL, NULL, CLI_INPUT, CLI_ALIGN | CLI_GATHERS | CLI_READS | CLI_SAME,
     "process files of known formats in folders and their subfolders", NULL, AT(recursive)},
    {"include", 0, "GLOB", NULL, CLI_INPUT, CLI_DIFFERS | CLI_GATHERS | CLI_READS | CLI_SAME,
     "use only inputs whose name, or path below the folder, matches; may be repeated", cli_read_include, 0},
    {"exclude", 0, "GLOB", NULL, CLI_INPUT, CLI_DIFFERS | CLI_GATHERS | CLI_READS | CLI_SAME,
     "skip inputs and folders that match; may be repeated", cli_read_exclude, 0},
    {"page", 0, "WHICH", NULL, CLI_INPUT, CLI_PLOT | CLI_WORKS,
     "read this page, or these: 3, 10-20, 5- to the last, -1 the last; short for pages:WHICH in the pipeline",
     NULL, AT(page)},
    {"files-from", 0, "FILE", NULL, CLI_INPUT, CLI_ALIGN | CLI_GATHERS | CLI_READS | CLI_SAME,
     "read more inputs from this list, one per line of up to 64 KiB, which may end with CR LF; - is standard "
     "input",
     NULL, AT(files_from)},
    {"files0-from", 0, "FILE", NULL, CLI_INPUT, CLI_ALIGN | CLI_GATHERS | CLI_READS | CLI_SAME,
     "the same with a NUL byte after each, as find -print0 writes; for names that contain a line break or end "
     "with CR",
     NULL, AT(files0_from)},
    {"shard", 0, "i/n", NULL, CLI_INPUT, CLI_WORKS | CLI_SAME,
     "process the i-th of n parts of the inputs; auto: take i and n from the environment variables of Slurm, "
     "SGE, LSF, PBS, AWS Batch, Google Batch, Cloud Run or an indexed Kubernetes job; PBS, Kubernetes and, "
     "unless "
     "LSB_JOBNAME ends with its indices, LSF need HALO_SHARDS=n",
     cli_read_shard, 0},
    {"raw", 0, "SPEC", NULL, CLI_INPUT, CLI_DRAWS | CLI_DIFFERS | CLI_GATHERS | CLI_READS,
     "inputs have no header: u8, u16 or f32 as DTYPE:WxHxC; for sound DTYPE,RATE,CHANNELS, such as s16,48k,2, "
     "also s24, s32, f64; u8 and u16 of sound have their zero in the middle; u16be, s16be … are big-endian; or "
     "csv for a table",
     cli_read_raw, 0},
    {"rate", 0, "HZ", NULL, CLI_INPUT, CLI_DRAWS | CLI_COMPARE | CLI_JOIN | CLI_READS,
     "frames per second of tables (CSV), 1 by default; with it arrays (NPY) are read as sound, one frame per "
     "row",
     cli_read_rate, 0},
    {"columns", 0, "LIST", NULL, CLI_INPUT, CLI_DRAWS | CLI_COMPARE | CLI_READS,
     "read only these columns of tables, by name, number and range, such as temp,2-5", NULL,
     AT(engine.columns)},
    {"time", 0, "COLUMN", NULL, CLI_INPUT, CLI_DRAWS | CLI_COMPARE | CLI_JOIN | CLI_READS,
     "column of tables that holds the times of the rows, by name or number, or none; by default the first that "
     "holds "
     "dates or clocks, or is called time, date or timestamp",
     NULL, AT(engine.time)},
    {"time-format", 0, "FORMAT", NULL, CLI_INPUT, CLI_DRAWS | CLI_COMPARE | CLI_JOIN | CLI_READS,
     "how that column is written, where it is not recognised: dd/mm/yyyy hh:mm:ss, or as in strptime: "
     "'%d/%m/%y'",
     cli_read_time_format, 0},
    {"decimal", 0, "CHARACTER", ".|,", CLI_INPUT, CLI_DRAWS | CLI_COMPARE | CLI_JOIN | CLI_READS,
     "decimal point or comma of tables; with a comma their separator is ; or a tab, and so is that of the "
     "output",
     cli_read_decimal, 0},
    {"axes", 0, "AXES", HALO_AXES, CLI_INPUT, CLI_PLOT | CLI_DIFFERS | CLI_PICTURES | CLI_READS,
     "meaning of the dimensions of NPY: pages n, z or t, then rows h or y, columns w or x, channels c; hw or "
     "hwc by default. Append ',alpha' (hwc,alpha) if the last of 2 or 4 channels is alpha and the format does "
     "not record that",
     cli_read_axes, 0},
    {"white", 0, "V", NULL, CLI_INPUT, CLI_PLOT | CLI_DIFFERS | CLI_PICTURES | CLI_READS,
     "sample value that means white, where the format defines none (NPY, raw, 32-bit integers): 65535 for "
     "counts of a 16-bit camera, 1 for samples from 0 to 1; without it such samples have no full scale",
     cli_read_white, 0},
    {"tolerate", 0, NULL, NULL, CLI_INPUT, CLI_DRAWS | CLI_DIFFERS | CLI_GATHERS | CLI_READS,
     "use what can be read of damaged inputs", NULL, AT(engine.tolerate)},
    {"align", 0, NULL, NULL, CLI_INPUT, CLI_STACK,
     "move every image so that it lies on the first one, to a twentieth of a pixel, and repeat its edges; see "
     "halo align",
     NULL, AT(align)},
    {"rotation", 0, NULL, NULL, CLI_INPUT, CLI_ALIGN | CLI_STACK,
     "find rotations and scales, too, which 'halo stack --align --rotation' undoes", NULL, AT(rotation)},
    {"max-pixels", 0, "N", NULL, CLI_INPUT, CLI_PLOT | CLI_DIFFERS | CLI_PICTURES | CLI_READS | CLI_SAME,
     "refuse to read or make larger images; 2^28 by default, 100M is 100 million. The limit is for up to 4 "
     "channels: an image of 8 may have half as many pixels",
     cli_read_pixels, 0},

    {"device", 0, "DEVICE", "auto|cpu|gpu|all", CLI_ENGINE, CLI_WORKS | CLI_BENCH | CLI_SAME,
     "auto, cpu, gpu, gpu:N, or all for every GPU (files in parallel, a large image in bands); all give the "
     "same samples; 'bench ops' also takes a list",
     cli_read_device, 0},
    {"precision", 0, "HOW", "exact|fast|single", CLI_ENGINE, CLI_WORKS | CLI_BENCH,
     "exact: the same bytes everywhere; fast: large masks may differ a little (in 8 bits by 1 level on few "
     "samples), and JPEG that is shrunk may be decoded at a lower resolution; single: tables, and sound and "
     "series of 64-bit floats, are computed in 32 bits instead of 64",
     cli_read_precision, 0},
    {"jobs", 'j', "N", NULL, CLI_ENGINE,
     CLI_DRAWS | CLI_DIFFERS | CLI_GATHERS | CLI_WORKS | CLI_BENCH | CLI_SAME,
     "number of threads; by default one for each available processor, within the affinity mask and a cgroup's "
     "quota",
     cli_read_jobs, 0},
    {"max-memory", 0, "BYTES", NULL, CLI_ENGINE, CLI_DRAWS | CLI_DIFFERS | CLI_GATHERS | CLI_READS | CLI_SAME,
     "limit on host memory for samples and other data that grows with a file, such as 2G; by default three "
     "quarters of the machine's, or of a cgroup's limit",
     cli_read_memory, 0},
    {"latency", 0, "TIME", NULL, CLI_ENGINE, CLI_WRITES | CLI_SAME,
     "block length when sound streams from pipe to pipe, such as 20ms; 100ms by default", cli_read_latency, 0},
    {"alpha", 0, "HOW", "premul|straight|ignore", CLI_ENGINE, CLI_WORKS,
     "weight colours by alpha (premul, the default), filter alpha like any channel (straight), or copy "
     "it (ignore)",
     cli_read_alpha, 0},
    {"linear", 0, NULL, NULL, CLI_ENGINE, CLI_WORKS,
     "work in linear light: 8 and 16-bit samples are decoded from sRGB first, and encoded again at the end",
     NULL, AT(engine.linear)},
    {"verify", 0, NULL, NULL, CLI_ENGINE, CLI_WORKS | CLI_SAME,
     "compute on both the CPU and a GPU and compare the samples; exits with 70 if they differ", NULL,
     AT(engine.verify)},
    {"explain", 0, NULL, NULL, CLI_ENGINE, CLI_WORKS | CLI_SAME,
     "print the plan, step by step, and do nothing; with --json one object per file", NULL, AT(explain)},

    {"size", 0, "WxH", NULL, CLI_INPUT, CLI_BENCH,
     "size of the image; 4096x4096 by default; sound has as many frames", cli_read_size, 0},
    {"channels", 0, "N", NULL, CLI_INPUT, CLI_BENCH, "number of channels; default: 1, or 3 for colours",
     cli_read_channels, 0},
    {"dtype", 0, "DTYPE", "u8|u16|f32", CLI_INPUT, CLI_BENCH,
     "sample type; u8 by default; results are of the type that 'run' would write, to --to where that is given",
     cli_read_dtype, 0},
    {"content", 0, "KIND", "random|constant|smooth|blobs", CLI_INPUT, CLI_BENCH,
     "sample values: random (the default), constant, smooth as in a photograph, or white disks on black",
     cli_read_content, 0},
    {"runs", 0, "N", NULL, CLI_ENGINE, CLI_BENCH, "number of runs of each pipeline; 11 by default",
     cli_read_runs, 0},

    {"plot", 0, "FILE", NULL, CLI_REPORT, CLI_RUN | CLI_HIST | CLI_OBJECTS | CLI_SAME,
     "plot the histogram of one input, or the sound, series, spectrogram or image that the pipeline makes, or "
     "the regions of objects over the picture, as SVG or PNG; - draws in the terminal",
     NULL, AT(plot)},
    {"plot-response", 0, "FILE", NULL, CLI_REPORT, CLI_RUN | CLI_SAME,
     "plot the frequency response of a pipeline of linear filters, at --rate (48000), without input", NULL,
     AT(response)},
    {"panels", 0, NULL, NULL, CLI_REPORT, CLI_RUN | CLI_PLOT | CLI_SAME,
     "plot series in panels one below the other: those of one unit, 'temp [K]', share one", NULL, AT(panels)},
    {"title", 0, "TEXT", NULL, CLI_REPORT, CLI_RUN | CLI_HIST | CLI_OBJECTS | CLI_DRAWS | CLI_SAME,
     "title of the plot; by default the input's name", NULL, AT(title)},
    {"log", 0, NULL, NULL, CLI_REPORT, CLI_RUN | CLI_HIST | CLI_PLOT,
     "plot counts, or the values of a table, on a logarithmic scale", NULL, AT(log)},
    {"log-x", 0, NULL, NULL, CLI_REPORT, CLI_PLOT | CLI_RUN | CLI_SAME,
     "plot the first column of a table on a logarithmic scale, too", NULL, AT(log_x)},
    {"total", 0, NULL, NULL, CLI_REPORT, CLI_RUN | CLI_STATS | CLI_HIST | CLI_SAME,
     "after the results of each file, print those of all files together", NULL, AT(total)},
    {"at-most", 0, "LIST", NULL, CLI_REPORT, CLI_COMPARE,
     "upper limits, such as max=1,rmse=0.5, on max, mean, rmse, differing (the number of samples), lag, deltae "
     "(the mean), deltae95 (the 95th percentile), deltaemax and flip",
     NULL, AT(at_most)},
    {"at-least", 0, "LIST", NULL, CLI_REPORT, CLI_COMPARE,
     "lower limits, such as psnr=40,ssim=0.99, on psnr, ssim, msssim and correlation", NULL, AT(at_least)},
    {"measure", 0, "LIST", NULL, CLI_REPORT, CLI_COMPARE,
     "measure besides what is always printed: deltae (CIEDE2000), msssim, flip, or all of these; limits on "
     "them measure them as well",
     NULL, AT(measure)},
    {"ppd", 0, "N", NULL, CLI_REPORT, CLI_COMPARE,
     "for flip, the number of pixels in a degree of the field of view; 67 by default", cli_read_ppd, 0},
    {"json", 0, NULL, NULL, CLI_REPORT,
     CLI_DIFFERS | CLI_WORKS | CLI_INFO | CLI_SOUNDS | CLI_LIST | CLI_BENCH | CLI_BARE | CLI_SAME,
     "print results as JSON, one object per line", NULL, AT(json)},
    {"csv", 0, NULL, NULL, CLI_REPORT,
     CLI_RUN | CLI_STATS | CLI_HIST | CLI_OBJECTS | CLI_SILENCES | CLI_DIFFERS | CLI_SAME,
     "print results as CSV, one line per channel, bin or pair of files", NULL, AT(csv)},
    {"progress", 0, "HOW", "auto|never|json", CLI_REPORT, CLI_WORKS | CLI_SAME,
     "auto: a line on terminals; json: one object per file on standard error", cli_read_progress, 0},
    {"no-color", 0, NULL, NULL, CLI_REPORT, CLI_ANYWHERE | CLI_SAME,
     "print without colours, as with NO_COLOR or TERM=dumb", NULL, AT(no_color)},
    {"quiet", 'q', NULL, NULL, CLI_REPORT, CLI_DRAWS | CLI_DIFFERS | CLI_GATHERS | CLI_READS | CLI_SAME,
     "print only results and errors", NULL, AT(quiet)},
    {"verbose", 'v', NULL, NULL, CLI_REPORT, CLI_READS | CLI_SAME,
     "report for each input what was done, where, and what was clipped", NULL, AT(verbose)},

    {"help", 'h', NULL, NULL, CLI_GENERAL, CLI_ANYWHERE, "print help", NULL, AT(help)},
    {"version", 0, NULL, NULL, CLI_GENERAL, CLI_BARE,
     "print the version and the features of this build; also with --json", NULL, AT(version)},
    {"generate", 0, "WHAT", "man|complete-bash|complete-zsh|complete-fish|ops-table", CLI_GENERAL, CLI_BARE,
     "print the manual page, a shell's completions, or the table of operations", NULL, AT(generate)},
    {"complete", 0, "TEXT", NULL, CLI_GENERAL, CLI_BARE,
     "print possible completions of a partial pipeline, for a shell's completion", NULL, AT(complete)},
};
const int cli_option_count = sizeof cli_options / sizeof cli_options[0];
_Static_assert(sizeof cli_options / sizeof cli_options[0] <= CLI_MOST_OPTIONS,
               "the parser has a place for each");

const char *const cli_section_names[CLI_SECTIONS] = {
    [CLI_OUTPUT] = "Output",  [CLI_INPUT] = "Input",   [CLI_ENGINE] = "Computation",
    [CLI_REPORT] = "Reports", [CLI_GENERAL] = "Other",
};

const CliCommand cli_commands[] = {
    {"run", CLI_RUN, NULL, "PIPELINE INPUT… (-o OUTPUT | --out-dir DIR)",
     "run files through a pipeline of operations",
     "halo run gauss:2 in.png -o out.png\n"
     "halo run 'gray | gauss:sigma=1.5 | sobel | normalize' in.png -o edges.png\n"
     "halo run 'gauss:2 | stats | hist' in.png -o out.png\n"
     "halo run 'conv:mask=\"3x3: 0,-1,0, -1,5,-1, 0,-1,0\"' - -o - < in.ppm > out.ppm\n"
     "halo run sharpen photos/ -r --out-dir out --name '{dir}/{stem}_s.png'\n"
     "halo run 'savgol:window=21,order=3' in.wav -o out.flac\n"
     "halo run average:5ms in.wav -o - | aplay\n"
     "halo run --raw f32:640x480x1 box:7 in.f32 -o out.npy\n"},
    {"convert", CLI_CONVERT, "", "INPUT OUTPUT, or INPUT… (-o OUTPUT | --out-dir DIR --to FORMAT)",
     "convert files to another format",
     "halo convert in.png out.tif\n"
     "halo convert recording.wav recording.flac\n"
     "halo convert photos/ -r --out-dir small --to jpg --quality 85\n"},
    {"stats", CLI_STATS, "stats", "INPUT…",
     "minimum, maximum, sum, mean, standard deviation … of every channel",
     "halo stats in.png\nhalo stats --json *.png\nhalo stats recording.wav\n"},
    {"hist", CLI_HIST, "hist", "INPUT…", "print or plot a histogram of every channel",
     "halo hist in.png\nhalo hist --bins 16 in.png\nhalo hist --log --plot h.png in.png\n"},
    {"objects", CLI_OBJECTS, "objects", "INPUT…",
     "count and measure regions of pictures; area, place, axes, perimeter …",
     "halo objects --threshold otsu --min 20 --csv in.png\nhalo objects labels.tif --of in.tif --labels yes\n"
     "halo objects --threshold otsu --plot marked.png in.png\n"},
    {"scan", CLI_SCAN, "scan", "INPUT… (-o OUTPUT | --out-dir DIR)",
     "compute cumulative sums, minima, maxima and products; integral images",
     "halo scan in.png -o integral.npy\nhalo scan --op max --axis x in.png -o cumulative.npy\n"},
    {"info", CLI_INFO, NULL, "INPUT…", "show a file's header and metadata",
     "halo info in.png\nhalo info --json *.wav\n"},
    {"stack", CLI_STACK, NULL, "mean|median|min|max|sum|sd|range|EXPRESSION INPUT… -o OUTPUT",
     "reduce many images to one: mean, median, … of each pixel; mean:clip=3 leaves out samples more than 3 "
     "standard deviations away; an EXPRESSION joins a, the result so far, and b, the next, from the first on "
     "('halo help reduce')",
     "halo stack mean exposures/*.tif -o quiet.tif\n"
     "halo stack median --align burst/*.tif -o still.tif\n"
     "halo stack median street/ -r -o empty.png\n"
     "halo stack mean:clip=3 dark*.png -o dark.npy\n"
     "halo stack 'reduce:\"a+b\",map=\"v > 128\"' frames/*.png -o bright.npy\n"},
    {"align", CLI_ALIGN, NULL, "REFERENCE INPUT…",
     "find how far pictures are shifted; x and y are the pixels, to a twentieth, that move each to the right "
     "and down until it lies on the reference, which is of the same size",
     "halo align first.png second.png\n"
     "halo align --rotation first.png second.png --json\n"
     "halo align burst1.tif burst*.tif --csv\n"},
    {"pages", CLI_PAGES, NULL, "INPUT… -o OUTPUT", "collect images and pages in one TIFF, or one array (NPY)",
     "halo pages scan1.png scan2.png scan3.png -o scans.tif\n"
     "halo pages frames/ -r -o frames.npy\n"},
    {"join", CLI_JOIN, NULL, "INPUT… -o OUTPUT", "concatenate sounds of equal sample rate",
     "halo join intro.wav talk.flac outro.wav -o all.flac\n"
     "halo join --crossfade 20ms take1.wav take2.wav -o song.wav\n"},
    {"split", CLI_SPLIT, NULL, "INPUT… [--at WHERE] [--out-dir DIR]",
     "cut sounds at pauses, times or markers, or by channel; a file for each part",
     "halo split lecture.wav\n"
     "halo split lecture.flac --at silence:-45dB,min=800ms --out-dir parts\n"
     "halo split tape.wav --at 0:30,12:05 --name '{stem}_{part:02}.{ext}'\n"
     "halo split album.flac --at cue\n"
     "halo split field.wav --at channels\n"},
    {"silences", CLI_SILENCES, "silence", "INPUT…", "list the pauses of sounds: start, end, length",
     "halo silences talk.wav\n"
     "halo silences --level -40dB --min 1s --csv *.wav\n"},
    {"compare", CLI_COMPARE, NULL, "A B",
     "measure how much two files, or two folders, differ; exits with 6 if the difference exceeds the limit",
     "halo compare a.png b.png\n"
     "halo compare a.png b.png --at-most max=1 --at-least ssim=0.99\n"
     "halo compare old/ new/ --json\n"
     "halo compare a.png b.png --measure all --at-most flip=0.05\n"
     "halo compare a.png b.png -o difference.png\n"},
    {"list", CLI_LIST, NULL, "[ops|masks|formats|devices]", "list operations, masks, formats or devices",
     "halo list ops\nhalo list devices\nhalo list ops --json\n"},
    {"merge", CLI_MERGE, NULL, "SHARD.json…", "combine the results of a sharded run (--shard i/n --json)",
     "halo stats -r data --total --json --shard 1/3 > 1.json   # 2/3 and 3/3 on other machines\n"
     "halo merge 1.json 2.json 3.json\n"},
    {"plot", CLI_PLOT, NULL, "INPUT [-o FILE.svg|FILE.png]",
     "plot tables, series, sound (its waveform) and images; as SVG or PNG, or in the terminal. Columns of a "
     "table are lines over its times, else over its first column, or bars if that holds words. A column named "
     "'A, B' "
     "is a dashed line in the colour of 'A'",
     "halo plot recording.wav\n"
     "halo plot sensors.csv --columns temp,press --panels -o sensors.svg\n"
     "halo plot times.csv -o times.svg --log --log-x\n"
     "printf 'x,y\\n0,1\\n1,4\\n2,9\\n' | halo plot - -o squares.png --title Squares\n"
     "printf 'what,before,after\\nread,3,2\\nwrite,5,1\\n' | halo plot - -o bars.svg\n"},
    {"waveform", CLI_WAVEFORM, NULL, "INPUT [-o FILE.svg|FILE.png]",
     "draw the waveform of a sound or series of any length; the least and the greatest sample of each column, "
     "as "
     "SVG or PNG, or in the terminal, a panel for each channel of a sound. halo plot draws other inputs, too",
     "halo waveform recording.wav\n"
     "halo waveform recording.flac -o waveform.png --title 'Side A'\n"
     "halo run normalize recording.wav -o - | halo waveform -\n"},
    {"bench", CLI_BENCH, NULL, "ladder [FAMILY…] | ops [PIPELINE…] | batch PIPELINE FILE…",
     "time GPU kernels (ladder), pipelines (ops) or stages of a batch",
     "halo bench ladder\nhalo bench ladder reduce scan --device gpu:1\n"
     "halo bench ops gauss:2 'sobel|depth:u8' --size 8192x8192 --dtype u8 --device cpu,gpu\n"
     "halo bench batch gauss:2 photos/*.png --device gpu\n"},
    {"help", CLI_HELP, NULL, "[COMMAND|OPERATION|TOPIC|WORD]",
     "show help on halo, a command, an operation, a topic or a task",
     "halo help run\nhalo help gauss\nhalo help units\nhalo help noise\n"},
};
const int cli_command_count = sizeof cli_commands / sizeof cli_commands[0];

const CliCommand *cli_find_command(const char *name)
{
    for (int i = 0; i < cli_command_count; i++)
        if (strcmp(cli_commands[i].name, name) == 0) return &cli_commands[i];
    return NULL;
}

const HaloOp *cli_command_op(const CliCommand *command)
{
    static HaloOp part;
    const HaloOp *op = command->op != NULL ? halo_find_op(command->op) : NULL;
    if (op == NULL || command->bit != CLI_SILENCES) return op;
    part = *op; /* without the last, `all`: it lists all of them anyway */
    part.params--;
    return &part;
}
