/* Seeds for tests of arbitrary text: a few of each kind that halo reads. */
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "halo/extend.h"
#include "seeds.h"

#define MOMENTS                                                                                          \
    "\"count\":4,\"nan\":0,\"inf\":0,\"zero\":0,\"min\":1,\"max\":4,\"min_at\":0,\"max_at\":4294967297," \
    "\"isum\":10,"                                                                                       \
    "\"isq_lo\":30,\"isq_hi\":0,\"sum\":0,\"mean\":0,\"m2\":0,\"product\":1.5,\"product_exp\":4,\"min_"  \
    "number\":0,"                                                                                        \
    "\"min_file\":\"a.pgm\",\"max_number\":0,\"max_file\":\"a\\u00e9.pgm\""
#define SHARD(i, n, first, inputs)                                                            \
    "{\"type\":\"shard\",\"shard\":" i ",\"of\":" n ",\"first\":" first ",\"inputs\":" inputs \
    ",\"all\":2,\"failed\":0,"                                                                \
    "\"recipe\":\"987904a5fee35910 total\",\"state\":["
#define GROUP(kind, dtype, channels, rate, white)                                    \
    "{\"result\":0,\"first\":0,\"files\":1,\"kind\":\"" kind "\",\"dtype\":\"" dtype \
    "\",\"channels\":" channels ",\"alpha\":-1,\"rate\":" rate ",\"white\":" white ","
#define SUMMARY                                                                                      \
    "{\"type\":\"summary\",\"ok\":2,\"failed\":0,\"skipped\":0,\"seconds\":0.5,\"backend\":\"cpu\"," \
    "\"device\":"                                                                                    \
    "\"a CPU\"}\n"
#define LINE(x)                                                                \
    "+\tout" x ".pgm\t0123456789abcdef\n=\tout" x ".pgm\t15\t1795331557\tin" x \
    ".pgm\t19\t1795330985\t0123456789abcdef\n"

static const struct {
    const char *fuzzer, *text;
    size_t size;
} texts[] = {
    {"merge", TEXT("{\"type\":\"stats\",\"file\":\"a.pgm\"}\n" SHARD("1", "1", "0", "2") GROUP(
                  "image", "u8", "1", "0", "255") "\"nodes\":[{\"at\":0,\"channel\":[{" MOMENTS
                                                  "}]},{\"at\":1,\"channel\":[{" MOMENTS "}]}]}]}\n" SUMMARY)},
    {"merge", TEXT(SHARD("1", "1", "0", "2")
                       GROUP("audio", "f32", "2", "8000", "1") "\"nodes\":[{\"at\":0,\"channel\":[{" MOMENTS
                                                               "},{" MOMENTS "}]}]}]}\n")},
    {"merge", TEXT(SHARD("1", "1", "0", "2") GROUP("image", "u16", "1", "0",
                                                   "65535") "\"bins\":4,\"lo\":0,\"hi\":256,\"count\":[8,0,0,0]"
                                                            ",\"below\":[0],\"above\":[0],\"nan\":[0]}]}\n")},
    {"merge", TEXT(SHARD("1", "2", "0", "1")
                       GROUP("image", "u8", "1", "0", "255") "\"nodes\":[{\"at\":0,\"channel\":[{" MOMENTS
                                                             "}]}]}]}\n\f" SHARD("2", "2", "1", "1") "]}\n")},
    {"journal", TEXT("#\thalo 0.2.0\t0123456789abcdef\tgauss:1\t\n" LINE("") LINE("/a\\tb\\\\c\\n"))},
    {"journal", TEXT("~\ta.pgm\t0123456789abcdef\n!\ta.pgm\t0123456789abcdef\n=\ta.pgm\t-1\t0\tin."
                     "pgm\t9\t9\t0123456789abcdef\n"
                     "-\ta.pgm\t0123456789abcdef\n+\ta.p")},
    {"list", TEXT("a.png\nb c.png\n./d.png\n-\nnot there\n\n")},
    {"list", TEXT("a.png\0b c.png\0./d.png\0-\0")},
    {"csv",
     TEXT("\xef\xbb\xbf\"size 5\"\"\",\"two\nlines\",x\"y\r\n1,\"2\",3\r\n\r\n,nan\r-1e-40,inf,16777217\n")},
    {"csv", TEXT("# remark\nt;v\n0;1e39\n")},
    {"csv", TEXT("1\t2\n\t\n\"\"\t\" 4\"\n")},
    {"csv", TEXT("1 2\n\n  3   4  ")},
    {"mask", TEXT("3 3\n1 2 1\n2 4 2\n1 2 1\n")},
    {"mask", TEXT("# CSV\n0.25,0.5,0.25\n1e-3, -2 ,3\n")},
    {"mask", TEXT("3x3: 0,-1,0, -1,5,-1, 0,-1,0")},
    {"mask", TEXT("1,2;3,4")},
    {"mask", TEXT("P2\n3 1\n255\n1 2 3\n")},
    {"expression", TEXT("max(a, b) + 2 * a")},
    {"expression", TEXT("a > 0.5 ? sqrt(a) : -b / 3")},
    {"csv", TEXT("time,x\n2024-03-01T12:00:00.5Z,1\n2024-03-01T12:00:01.0Z,2\n2024-03-01T12:00:01.5Z,NA\n")},
    {"csv", TEXT("x;date\n1,5;01.03.2024 23:59\n-;02.03.2024 00:00\n2,5;02.03.2024 00:01\n")},
    {"csv", TEXT("b,timestamp\n1,1700000000125\n2,1700000000250\n3,1700000000400\n")},
    {"csv", TEXT("23:59:59,1\n00:00:00,2\n00:00:02,null\n")},
    {"csv", TEXT("when,x\n31/12/2023 11:59:59.75 PM,1\n1/1/2024 12:00:00.00 AM,2\n")},
    {"csv", TEXT("time_ms\ta\n0.5\t1\n1e1\t2\n-3\t4\n")},
    {"csv", TEXT("1,2\n3,4\n")},
    {"csv", TEXT("\xef\xbb\xbf\n1,2\n")},
    {"csv", TEXT("\xef\xbb\xbftime;\"volt \"\"x\"\"\"\r\n0;1,5\r\n# a remark\r\n1;-2e-3\r\n")},
    {"csv", TEXT("a,b\n1\n2,\n,3\nnan,-inf\n")},
    {"csv", TEXT("a\tb c\n1\t2\n")},
    {"csv", TEXT("null,\"a;b\"\n1,2\n")},
    {"csv", TEXT("room temp,2019,-\n1,2,3\n")},
    {"csv", TEXT("  1  2\n 3  4 \n\n")},
    {"csv", TEXT("\"a\nb\",c\n1,\"2\"\n")},
    {"csv", TEXT("12\" pipe,5 \"inch\"\n1,2\n")},
    {"pipeline", TEXT("")},
    {"pipeline", TEXT("gray | gauss:sigma=1.5 | sobel | normalize")},
    {"pipeline", TEXT("conv:mask=\"3x3: 0,-1,0, -1,5,-1, 0,-1,0\",border=constant=3 | stats | hist")},
    {"pipeline", TEXT("subtract:[gauss:20 | add:[box:3],at=1+2] | normalize:percentiles=1,99")},
    {"pipeline", TEXT("resize:50%x20,fit=exact | pad:by=3,border=mirror | crop:9x4+1+0 | flip | rotate:90")},
    {"pipeline", TEXT("average:5ms | lowpass:1kHz,design=butterworth | fade:3ms,7 | silence:-40dB")},
    {"pipeline", TEXT("rate:16000 | notch:50,harmonics=3 | loudnorm:-23 | channels:mono")},
    {"pipeline", TEXT("reduce:expr=\"max(a, b)\",identity=-inf,map=\"v*v\" | depth:u16 | gain:-6dB")},
};

/* The example of every operation, which names its mask in quotes or not. */
static size_t add_examples(Seed *seed)
{
    const HaloTables *const tables = halo_tables();
    for (int i = 0; i < tables->ops; i++) {
        const char *example = tables->op[i]->example;
        seed[i] = (Seed){"pipeline", (uint8_t *)example, strlen(example)};
    }
    return (size_t)tables->ops;
}

static size_t add_bytes(Seed *seed)
{
    Bytes bytes[METADATA_SEEDS];
    const size_t count = metadata_seeds(bytes);
    for (size_t i = 0; i < count; i++) seed[i] = (Seed){"metadata", bytes[i].at, bytes[i].size};
    return count;
}

/* Every file, made once, with one operation or another. */
static const Seed *all_with_operations(const Seed *file, size_t files)
{
    static Seed seed[512];
    for (size_t i = 0; i < files && seed[i].at == NULL; i++) {
        const Bytes made = run_seed(i, file[i].at, file[i].size);
        seed[i] = (Seed){"run", made.at, made.size};
    }
    return seed;
}

const Seed *seeds_for(const char *fuzzer, size_t *count)
{
    static Seed seed[512];
    size_t files;
    const Seed *file = file_seeds(&files);
    *count = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].fuzzer, fuzzer) == 0)
            seed[(*count)++] = (Seed){texts[i].fuzzer, (uint8_t *)texts[i].text, texts[i].size};
    for (size_t i = 0; i < files; i++) /* "png" has those of PNG */
        if (strncmp(file[i].name, fuzzer, strlen(fuzzer)) == 0) seed[(*count)++] = file[i];
    if (strcmp(fuzzer, "pipeline") == 0) *count += add_examples(seed + *count);
    if (strcmp(fuzzer, "metadata") == 0) *count += add_bytes(seed + *count);
    if (*count > 0) return seed;
    *count = files; /* "open" and "audio" have all, and "run", too */
    return strcmp(fuzzer, "run") == 0 ? all_with_operations(file, files) : file;
}
