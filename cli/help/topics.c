/* Topics of `halo help` that are neither a command nor an operation. A topic is one row. */
#include <string.h>

#include "describe.h"

static const char units[] = "Full scale is the sample that means white. Percentages, invert, gamma and the\n"
                            "conversion from one sample type to another refer to it.\n"
                            "\n"
                            "  8-bit integers                        255\n"
                            "  16-bit integers                       65535\n"
                            "  floats in TIFF and PFM; sound         1\n"
                            "  NPY of int8, int16, bool              127, 32767, 1\n"
                            "  floats in NPY and raw samples         none: they are numbers\n"
                            "  integers of 32 and 64 bits            none: they are numbers\n"
                            "  signed integers in TIFF               none: they are numbers\n"
                            "\n"
                            "Numbers (counts, degrees, metres) keep their values: filters, statistics and\n"
                            "arithmetic need no full scale. What needs one refuses numbers, and so does a\n"
                            "file of 8 or 16 bits, until something says what white is:\n"
                            "\n"
                            "  --white 65535     they are counts of a 16-bit camera\n"
                            "  --white 1         they are fractions\n"
                            "  normalize         stretches them from their least to their greatest sample\n"
                            "  levels, threshold, adaptive           make pictures of them, too\n"
                            "\n"
                            "Pictures with a full scale meet at that of the first: 255 in 8 bits is 65535\n"
                            "in 16. Beside numbers both are taken as numbers: a dark frame in NPY is\n"
                            "subtracted from a 16-bit frame in counts.\n"
                            "\n"
                            "What reads back as what: a 16-bit picture that was filtered is 16 bits in PNG\n"
                            "and TIFF, 0 to 1 in PFM, and in NPY floats from 0 to 65535, which --white 65535\n"
                            "makes a picture again. A filtered 8-bit picture in NPY takes --white 255.\n"
                            "A channel of NPY or raw samples is alpha where --axes hwc,alpha says so. Numbers\n"
                            "are 32-bit floats in halo: 24 bits, so subtract an offset from times first.\n"
                            "\n"
                            "  halo run gauss:1 frame.png -o g.npy\n"
                            "  halo run 'subtract:dark.npy | gain:2' frame.png -o light.png\n"
                            "  halo run --white 65535 gamma:2.2 g.npy -o g.png\n";

const CliTopic cli_topics[] = {
    {"units", "full scale, numbers, --white, and what reads back as what", units},
};
const int cli_topic_count = sizeof cli_topics / sizeof cli_topics[0];

const CliTopic *cli_find_topic(const char *name)
{
    for (int i = 0; i < cli_topic_count; i++)
        if (strcmp(cli_topics[i].name, name) == 0) return &cli_topics[i];
    return NULL;
}
