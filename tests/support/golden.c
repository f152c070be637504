/* The list of golden cases, and their file. */
#include "golden.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifndef HALO_GOLDEN_FILE
#define HALO_GOLDEN_FILE "golden.txt"
#endif

enum { LINE = 512, LINES = 4096 };

typedef struct GoldenInput {
    const char *name;
    HaloShape shape;
    const char *to; /* the format the output is made for, or NULL */
    bool special;
} GoldenInput;

static const GoldenInput input[] = {
    {"rgb8", {HALO_IMAGE, HALO_U8, 61, 47, 3, -1, 255, 0, false}, "png", false},
    {"rgba8", {HALO_IMAGE, HALO_U8, 33, 29, 4, 3, 255, 0, false}, "png", false},
    {"gray16", {HALO_IMAGE, HALO_U16, 40, 31, 1, -1, 65535, 0, false}, "png", false},
    {"grayf", {HALO_IMAGE, HALO_F32, 37, 23, 1, -1, 1, 0, false}, NULL, true},
    {"sound", {HALO_AUDIO, HALO_F32, 1500, 1, 2, -1, 1, 44100, false}, NULL, false},
};
enum { INPUTS = sizeof input / sizeof *input };

/* Besides every operation's example. */
static const char *const more[] = {
    "conv:mask=\"5x4: 1,2,3,2,1, 2,3,4,3,2, -3,4,5,4,-3, 2,3,4,3,2\",normalize=1,border=zero",
    "conv:mask=\"3x3: 1,2,1, 0,0,0, -1,-2,-1\",scale=0.5,bias=64,border=constant=9",
    "conv:mask=\"3x3: 1,2,1, 2,4,2, 1,2,1\",normalize=1,border=valid",
    "conv:mask=\"3x2: 1,2,-1, 3,-2,1\",dilation=3,flip=1",
    "conv:mask=\"3x2: 1,2,-1, 3,-2,1\",stride=2x3",
    "dog:sigma=1,ratio=2.5,border=wrap",
    "roberts:x",
    "gauss:3,border=reflect",
    "gauss:3,border=mirror,nan=ignore",
    "gauss:3,border=wrap,alpha=straight",
    "gauss:1.5,border=keep,alpha=ignore",
    "box:width=4,height=9",
    "linear | gauss:2 | srgb",
    "gamma:0.45",
    "equalize:channels=each",
    "clahe:tiles=3,limit=0.5",
    "clahe:tiles=4,limit=0,channels=each",
    "gauss:1 | equalize",
    "savgol:window=31,order=4,edge=interp",
    "median:7,nan=ignore,border=mirror",
    "median:window=5,border=valid",
    "median:9,alpha=straight",
    "rank:0,border=constant=9",
    "rank:1,width=4,height=3",
    "median:width=5,height=3",
    "open:width=6,height=3,border=wrap",
    "tophat:9,shape=disk,border=valid",
    "close:4,nan=ignore,alpha=straight",
    "local:max,width=9",
    "local:mean,width=6,height=3",
    "local:sd,width=6,height=3",
    "local:var,width=40,nan=ignore,border=mirror",
    "adaptive:31,method=sauvola",
    "adaptive:9,height=4,method=gauss,offset=-2%,border=reflect",
    "adaptive:7,nan=ignore,alpha=straight,border=keep",
    "bilateral:1,range=25%,border=reflect",
    "bilateral:2.6,range=3,alpha=straight",
    "bilateral:0.7,range=40%,alpha=ignore,border=valid",
    "bilateral:1.5,range=1,nan=ignore,border=constant=5",
    "threshold:otsu",
    "gray | threshold:li",
    "gray | threshold:triangle | label:connect=4,min=2",
    "gray | threshold:60% | areaopen:3",
    "gray | threshold:otsu,classes=4",
    "erode:mask=\"4x3: 1,0,1,0, 0,1,0,1, 1,1,0,0\"",
    "close:heights=\"3x3: 1,2,1, 2,4,2, 1,2,1\",border=mirror",
    "local:entropy,width=5 | normalize",
    "local:mode,width=5,height=3",
    "local:mad,width=5,nan=ignore",
    "gray | stats:mask=[threshold:60%],full=yes | hist:labels=[threshold:60% | label],bins=8",
    "gray | threshold:40% | fillholes",
    "gray | threshold:40% | fillholes:max=2,connect=8",
    "gray | threshold:50% | largest:2 | clearborder",
    "gray | hysteresis:40%,70%",
    "gray | threshold:40% | distance:chessboard",
    "gray | canny:sigma=0.8",
    "gray | canny:sigma=1,low=5%,high=10%,border=mirror",
    "gray | reconstruct:[erode:5]",
    "gray | reconstruct:[dilate:3],by=erosion,connect=4",
    "gray | hmax:20%",
    "gray | hmin:10%,connect=4",
    "gray | threshold:40% | skeleton",
    "gray | threshold:40% | thin",
    "gray | threshold:30% | thin:1",
    "gray | watershed:[threshold:80%],mask=[threshold:20%],connect=4",
    "gray | threshold:40% | label | objects:of=[invert]",
    "clamp:min=10%,max=60%",
    "levels:black=10,white=60%",
    "normalize:percentiles=2,97.5",
    "gain:-6dB | median:3,border=constant=25%",
    "multiply:[gauss:3],unit=mean",
    "divide:[box:5 | offset:-40%]",
    "divide:[box:5],unit=max",
    "blend:[invert],amount=0.25",
    "over:[gray | gain:0.5],at=5+3",
    "over:[box:3,border=valid],at=-0-7",
    "cutout:[gray | gauss:2] | gauss:2",
    "cutout:[gray | gauss:2] | flatten:#ff8000",
    "pad:to=90x80,at=top-left,color=#336699",
    "sobel:x",
    "sobel:y,border=valid",
    "scan:op=max,axis=x,exclusive=1",
    "scan:op=min,axis=y",
    "scan:op=product,axis=x",
    "integral:squares=1",
    "depth:u8 | stats",
    "stats:full",
    "reduce:\"fma(a, 1, b)\",map=\"v > 0.5 ? sqrt(v) : v * v / 3\"",
    "gray | gauss:sigma=1.5 | sobel | normalize",
    "gauss:2 | stats | hist:bins=32",
    "invert | gain:0.7 | offset:3 | clamp:min=1,max=200",
    "crop:20x10+3+4",
    "crop:500x20,at=5+6,fit=1",
    "pad:left=3,top=5,border=constant=9",
    "flip:both",
    "rotate:270",
    "rotate:90",
    "rotate:7",
    "rotate:33.3,fit=crop,kernel=cubic",
    "rotate:-100,fit=keep,kernel=lanczos3,border=mirror",
    "affine:0.3,0.1,0,0,0.4,5,fit=grow,border=constant=9",
    "perspective:1,0.1,0,0,1,0,0.004,0,border=wrap",
    "undistort:-0.3,0.1,0.01,0.02,kernel=nearest",
    "resize:25x40,fit=cover,kernel=cubic",
    "resize:90x,kernel=mitchell",
    "resize:x31,kernel=area",
    "resize:30x17,fit=exact,kernel=linear,alpha=straight",
    "resize:200%,kernel=lanczos2",
    "resize:33%,kernel=nearest",
    "resize:19,only=grow",
    "rotate:90 | flip:x | crop:9x9 | resize:17 | pad:3,border=wrap",
    "hist:bins=16 | stats | resize:20x90,fit=exact | stats",
    "stats | crop:9x3+2+11 | hist:bins=8",
};

/* Calls `visit` with every case: the pipeline, the input's number, its samples. */
static void for_each_golden(void (*visit)(const char *pipeline, int which, const HaloBuf *in, void *context),
                            void *context)
{
    const HaloTables *const tables = halo_tables();
    const int extra = (int)(sizeof more / sizeof *more);
    for (int i = 0; i < INPUTS; i++) {
        Rng rng = {(uint64_t)i + 2026};
        TestBuf buf = testbuf_make(&input[i].shape, test_whole(&input[i].shape), NULL);
        testbuf_fill_with(&buf, input[i].special ? TEST_SPECIAL : TEST_PLAIN, &rng);
        for (int p = 0; p < tables->ops + extra; p++) {
            char text[LINE];
            if (p < tables->ops && (tables->op[p]->kinds & (unsigned)input[i].shape.kind) == 0) continue;
            if (p < tables->ops)
                example_pipeline(tables->op[p], input[i].shape.kind, text, sizeof text);
            else
                snprintf(text, sizeof text, "%s", more[p - tables->ops]);
            visit(text, i, &buf.view, context);
        }
        testbuf_free(&buf);
    }
}

/* "rgb8 gauss:2 0123456789abcdef", or "error 2" for the hash: what does not suit an input must go on failing
 * alike. */
static void golden_line(HaloSession *session, const char *pipeline, int which, const HaloBuf *in,
                        char line[LINE])
{
    const HaloFormat *const to = input[which].to != NULL ? halo_find_format(input[which].to) : NULL;
    Outcome outcome = pipeline_run(session, pipeline, in, to);
    const int n = snprintf(line, LINE, "%s\t%s\t", input[which].name, pipeline);
    if (outcome.status != HALO_OK)
        snprintf(line + n, LINE - (size_t)n, "error %d", (int)outcome.status);
    else
        snprintf(line + n, LINE - (size_t)n, "%016" PRIx64, outcome_hash(&outcome));
    outcome_free(&outcome);
}

/* ---- printing ------------------------------------------------------------------------------------------- */

static void print_line(const char *pipeline, int which, const HaloBuf *in, void *context)
{
    char line[LINE];
    golden_line(runner[0].session, pipeline, which, in, line);
    fprintf(context, "%s\n", line);
}

int golden_print(FILE *to)
{
    if (runners_open(NULL) != 0) return 1;
    fprintf(
        to,
        "# What every operation makes of a few inputs, as a 64-bit FNV-1a hash of shape, samples and results.\n"
        "# Made by check_pipeline --golden.\n");
    for_each_golden(print_line, to);
    runners_close(NULL);
    return 0;
}

/* ---- checking ------------------------------------------------------------------------------------------- */

typedef struct Golden {
    const Runner *run;
    int lines;
    char (*line)[LINE];
} Golden;

static FILE *golden_open(void)
{
    const char *const asked = getenv("HALO_GOLDEN");
    if (asked != NULL) return fopen(asked, "r");
    FILE *const here = fopen("tests/golden.txt", "r");
    return here != NULL ? here : fopen(HALO_GOLDEN_FILE, "r");
}

static void golden_read(Golden *golden)
{
    FILE *const from = golden_open();
    if (from == NULL) fail_case(NULL, "there is no tests/golden.txt; HALO_GOLDEN names it");
    golden->line = calloc(LINES, LINE);
    while (golden->line != NULL && golden->lines < LINES &&
           fgets(golden->line[golden->lines], LINE, from) != NULL) {
        char *const text = golden->line[golden->lines];
        text[strcspn(text, "\n")] = '\0';
        if (text[0] != '#') golden->lines++;
    }
    if (!feof(from)) fail_case(NULL, "golden.txt has more than %d lines", LINES);
    fclose(from);
}

static void check_line(const char *pipeline, int which, const HaloBuf *in, void *context)
{
    const Golden *const golden = context;
    char line[LINE];
    golden_line(golden->run->session, pipeline, which, in, line);
    const size_t key = (size_t)(strrchr(line, '\t') - line) + 1;
    for (int i = 0; i < golden->lines; i++) {
        if (strncmp(golden->line[i], line, key) != 0) continue;
        if (strcmp(golden->line[i], line) != 0)
            fail_case(golden->run->name, "%s on %s: the golden result is %s, this is %s", pipeline,
                      input[which].name, golden->line[i] + key, line + key);
        return;
    }
    fail_case(golden->run->name, "%s on %s is not in golden.txt; check_pipeline --golden makes it anew",
              pipeline, input[which].name);
}

void golden_check(const Runner *run)
{
    Golden golden = {.run = run};
    golden_read(&golden);
    for_each_golden(check_line, &golden);
    free(golden.line);
}
