/* Borders: what the samples outside of a picture or a sound are. A new border is a row of this table and, where
 * no index function of halo/numerics.h suits it, a function there. */
#ifndef HALO_BORDER_H
#define HALO_BORDER_H

/* What an index outside reads inside: nothing, or the nearest sample; or samples as far inside as the index is
 * outside; or, from the far end, any. Windows that read a part of a source read these, too. */
typedef enum HaloBorderReach { HALO_REACH_NEAREST, HALO_REACH_REFLECTED, HALO_REACH_ANY } HaloBorderReach;

/* ROW(name, word, index, reach, pads, default_of, also, help):
 *   word        in pipelines
 *   index       of halo_border_fold: the function halo_index_<index>; `none`: a fixed value, not a sample
 *   reach       HALO_REACH_<reach>
 *   pads        1: `pad` puts it around pictures
 *   default_of  the kinds (HALO_IMAGE, HALO_AUDIO) that it is the default of
 *   also        names in other tools, for suggestions and searches
 *   help        what `halo help border` prints behind the word, and the spaces that align it
 * VALID never reads outside: the output is smaller. KEEP never reaches a backend: a plan makes it from
 * REPLICATE and HALO_COMBINE_KEEP. */
#define HALO_BORDERS(ROW)                                                                       \
    ROW(ZERO, "zero", none, NEAREST, 1, 0, "", "        0 0 0 | a b c d | 0 0 0")               \
    ROW(CONSTANT, "constant", none, NEAREST, 1, 0, "",                                          \
        "    V V V | a b c d | V V V    constant=128, or =50% of full scale")                   \
    ROW(REPLICATE, "replicate", nearest, NEAREST, 1, HALO_IMAGE, "nearest edge clamp extend",   \
        "   a a a | a b c d | d d d    default for pictures")                                   \
    ROW(REFLECT, "reflect", reflected, REFLECTED, 1, 0, "symmetric grid-mirror",                \
        "     c b a | a b c d | d c b    SciPy's reflect")                                      \
    ROW(MIRROR, "mirror", mirrored, REFLECTED, 1, HALO_AUDIO, "reflect101 reflect_101 default", \
        "      d c b | a b c d | c b a    default for sound; SciPy's mirror")                   \
    ROW(WRAP, "wrap", wrapped, ANY, 1, 0, "circular periodic tile grid-wrap",                   \
        "        b c d | a b c d | a b c    periodic")                                          \
    ROW(VALID, "valid", none, NEAREST, 0, 0, "",                                                \
        "       no border: the output is smaller, where the window lies inside")                \
    ROW(KEEP, "keep", nearest, NEAREST, 0, 0, "",                                               \
        "        where the window reaches outside, the input's sample stays")

#define HALO_BORDER_NAME(name, ...) HALO_BORDER_##name,
typedef enum HaloBorder { HALO_BORDERS(HALO_BORDER_NAME) HALO_BORDER_COUNT } HaloBorder;
#undef HALO_BORDER_NAME

/* As choices of a parameter, "zero|constant|…": all of them, and those that `pad` takes. */
#define HALO_BORDER_BAR_0(word)
#define HALO_BORDER_BAR_1(word) "|" word
#define HALO_BORDER_CHOICE(name, word, ...) "|" word
#define HALO_BORDER_PAD_CHOICE(name, word, index, reach, pads, ...) HALO_BORDER_BAR_##pads(word)
#define HALO_BORDER_CHOICES (&("" HALO_BORDERS(HALO_BORDER_CHOICE))[1])
#define HALO_BORDER_PAD_CHOICES (&("" HALO_BORDERS(HALO_BORDER_PAD_CHOICE))[1])

#endif
