/* Notes: what a run lost or changed without being asked to, and other remarks. Readers and writers count them
 * by kind; core/base/notes.c makes the texts at the end. */
#ifndef HALO_NOTES_H
#define HALO_NOTES_H

#include "halo/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HaloNote {
    /* Losses and changes: reported once per run. */
    HALO_NOTE_PAGES,        /* images of the file that are left out; 1 if their number is not known */
    HALO_NOTE_SIZES,        /* images are left out from the first of another size on */
    HALO_NOTE_STILL,        /* the image of an animation for programs that know none, which is no frame */
    HALO_NOTE_MISSING,      /* images that a description lists and the file does not have */
    HALO_NOTE_LOOKS_LIKE,   /* --raw reads a file that looks like a known format: `format` */
    HALO_NOTE_REST,         /* bytes after the last complete image of a file */
    HALO_NOTE_CHECKSUM,     /* parts with a wrong checksum, left out */
    HALO_NOTE_LARGE,        /* parts that are too large, or too many, left out */
    HALO_NOTE_NO_END,       /* all rows are there, but the end marker is missing */
    HALO_NOTE_HEADER,       /* parameters of a header are invalid, and are not needed */
    HALO_NOTE_DAMAGED,      /* damage that was tolerated: `there` of `whole` rows or frames precede it */
    HALO_NOTE_CUT,          /* only the beginning of a sound is there */
    HALO_NOTE_GAPS,         /* cells of a table that are not numbers, or one too many, which was tolerated */
    HALO_NOTE_ROUNDED,      /* numbers of the input that lose more than a fraction as f32 (docs/numerics.md) */
    HALO_NOTE_ROUNDED_WIDE, /* integers of the input that lose digits as f64 */
    HALO_NOTE_VANISHED,     /* numbers of the input that are too small for floats, and became 0 */
    HALO_NOTE_OPERAND,      /* secondary inputs with numbers of either kind */
    HALO_NOTE_CLIPPED,      /* samples clipped to the range of the output; of sound with `peak` */
    HALO_NOTE_NAN,          /* samples of sound that were NaN and became 0 */
    HALO_NOTE_TURNED,       /* the rows were turned as EXIF says */
    HALO_NOTE_METADATA,     /* kinds of metadata that the output cannot hold: `left_out` */
    HALO_NOTE_OUTDATED,     /* kinds of metadata that would no longer be true: `outdated` */
    HALO_NOTE_STRIPPED,     /* kinds of metadata without which colours look different: `stripped` */
    HALO_NOTE_KEYWORD,      /* texts whose key the output cannot hold, left out */
    HALO_NOTE_QUIETER,      /* sound is not as loud as requested, because of its true peak: by `quieter` */
    HALO_NOTE_NO_LOUDNESS,  /* sound is too short or too quiet to have a loudness, and stays unchanged */
    HALO_NOTE_ALPHA,        /* the output does not say which channel is alpha */
    HALO_NOTE_AXES,         /* the output is an array of pages, which reads back with --axes alone */
    HALO_NOTE_RATE,         /* the output holds no sample rate, which was `rate` */
    HALO_NOTE_TILES,        /* tiles or overviews were requested in a format that has none */
    HALO_NOTE_QUALITY,      /* --quality was given for a format that has none */
    HALO_NOTE_LOSSY,        /* what the input holds without loss is written with loss */
    HALO_NOTE_ASSUMED_RATE, /* a table that states no rate became sound */
    HALO_NOTE_PROFILES,     /* inputs with different ICC profiles are combined */
    HALO_NOTE_SPREAD,       /* a NaN reached a recursive filter, and everything after it */
    HALO_NOTE_REPLACED,     /* samples that were outliers or damaged, and are made anew */
    HALO_NOTE_UNEVEN, /* the rows of a table are not evenly spaced in time: `odd_row`, `odd_step`, `usual_step`
                       */
    HALO_NOTE_ZONES,  /* times of rows have more than one UTC offset: the first is `zone`, another `other_zone`
                       */
    HALO_NOTE_WHOLE_RATE, /* the sample rate, which was `rate`, is rounded to a whole one in the output */
    HALO_NOTE_ANGLE,      /* a picture was straightened, by `angle` */
    HALO_NOTE_LEVEL, /* a level below 1 where full scale is more, such as 255: probably a fraction was meant */
    /* Conversions and similar remarks, shown with --verbose and in JSON. */
    HALO_NOTE_THROUGH_F32, /* samples of `count` bits are computed as f32 */
    HALO_NOTE_DIVIDED,     /* premultiplied colours are divided by alpha */
    HALO_NOTE_NARROWED,    /* `from` samples are written as `to` */
    HALO_NOTE_THRESHOLD,   /* the levels that `method` found are `threshold` */
    HALO_NOTE_OVERSHOT,    /* samples of a picture clipped where resampling overshot at edges */
    HALO_NOTE_SCALED,      /* sound was multiplied by `gain` so that it fits */
    HALO_NOTES
} HaloNote;

#define HALO_MOST_THRESHOLDS 4

/* Kinds of metadata (HaloMeta); sets of them say what a format holds. */
typedef enum HaloMetaKind {
    HALO_META_ICC = 1,
    HALO_META_EXIF = 2,
    HALO_META_XMP = 4,
    HALO_META_TEXT = 8,
    HALO_META_RESOLUTION = 16,
    HALO_META_COLOURS = 32, /* the colour space in numbers: gamma, chromaticities */
    HALO_META_CHUNKS = 64,  /* WAVE's own */
    HALO_META_IPTC = 128,
    HALO_META_CODES = 256,        /* PNG's cICP, mDCv and cLLi */
    HALO_META_PICTURES = 512,     /* of sound: covers */
    HALO_META_GEO = 1024,         /* GeoTIFF's keys and GDAL's "no data" */
    HALO_META_TIMES = 2048,       /* of the rows of a table */
    HALO_META_NAMES = 4096,       /* of the columns of a table, a text with HALO_META_TEXT */
    HALO_META_GRID = 8192,        /* spacing and origin of samples in space */
    HALO_META_DIRECTIONS = 16384, /* of the axes of a grid that keeps its spacing */
    HALO_META_ORIGIN = 32768,     /* of a grid that keeps its spacing */
    HALO_META_KINDS = 16          /* how many */
} HaloMetaKind;

/* Kinds of metadata that a pipeline may make untrue. */
typedef enum HaloOutdated {
    HALO_OUTDATED_MARKERS = 1,   /* markers, loops, chapters outside of what is left */
    HALO_OUTDATED_LOUDNESS = 2,  /* ReplayGain, R128, loudness of bext */
    HALO_OUTDATED_COLOURS = 4,   /* a profile of another transfer function */
    HALO_OUTDATED_MATERIAL = 8,  /* chunks about takes, tracks and tempo: iXML, axml, chna, acid, strc */
    HALO_OUTDATED_STACK = 16,    /* a description of pages, sizes and types that have changed */
    HALO_OUTDATED_PLACE = 32,    /* the georeference of an image */
    HALO_OUTDATED_NODATA = 64,   /* GDAL's "no data" and texts on bands, which refer to sample values */
    HALO_OUTDATED_TIMES = 128,   /* of rows of a table */
    HALO_OUTDATED_GRID = 256,    /* spacing and origin of samples */
    HALO_OUTDATED_SKY = 512,     /* the world coordinates of FITS */
    HALO_OUTDATED_SLICES = 1024, /* the spacing of slices, between which pages are channels */
    HALO_OUTDATED_KINDS = 11     /* how many */
} HaloOutdated;

/* All zero: there are none. */
typedef struct HaloNotes {
    uint64_t count[HALO_NOTES];
    unsigned left_out;  /* a set of HaloMetaKind */
    char texts[96];     /* the names of texts that are left out: "album, track" */
    unsigned stripped;  /* another */
    unsigned outdated;  /* a set of HaloOutdated */
    const char *format; /* a name that lasts */
    HaloDtype from, to;
    uint64_t samples; /* of the output, of which some are clipped; 0: not counted */
    float peak, gain; /* where full scale is 1 */
    float quieter;    /* dB */
    double angle;     /* degrees, clockwise */
    double rate;
    int64_t there, whole; /* rows, or frames where `frames` is set; whole 0: not known */
    bool frames;
    bool table;                  /* numbers that are rounded are cells of a table */
    int64_t odd_row;             /* of numbers, from 1 on */
    double odd_step, usual_step; /* seconds */
    int zone, other_zone;        /* minutes that are added to UTC */
    bool unsorted;               /* times rise and fall; `odd_row` is the first that turns */
    const char *op, *key;        /* the parameter that has the `level`: names that last */
    double level, full_scale;
    const char *method; /* a name that lasts */
    int thresholds;     /* of the last picture: so many, in order */
    double threshold[HALO_MOST_THRESHOLDS];
} HaloNotes;

static inline void halo_note(HaloNotes *notes, HaloNote kind, uint64_t count) { notes->count[kind] += count; }

/* These kinds of metadata are left out; 0 is fine. */
static inline void halo_note_left_out(HaloNotes *notes, unsigned kinds)
{
    if (kinds == 0) return;
    notes->left_out |= kinds;
    notes->count[HALO_NOTE_METADATA] = 1;
}

/* Damage was tolerated. There is one such note a page, about the first damage that its rows or frames have:
 * `there` of `whole` precede it; -1: not known. */
static inline void halo_note_damaged(HaloNotes *notes, int64_t there, int64_t whole, bool frames)
{
    const bool known = there >= 0 && there <= whole, again = notes->count[HALO_NOTE_DAMAGED] > 0;
    notes->count[HALO_NOTE_DAMAGED] = 1;
    if (!known || (again && (notes->whole == 0 || notes->there <= there))) return;
    notes->there = there;
    notes->whole = whole;
    notes->frames = frames;
}

/* Rows have times of two UTC offsets, in minutes. */
static inline void halo_note_zones(HaloNotes *notes, int zone, int other)
{
    notes->count[HALO_NOTE_ZONES] = 1;
    notes->zone = zone;
    notes->other_zone = other;
}

/* The text of this name is left out. */
HALO_API void halo_note_text_left_out(HaloNotes *notes, const char *name);

/* These kinds were left out on request, and colours look different without them; 0 is fine. */
static inline void halo_note_stripped(HaloNotes *notes, unsigned kinds)
{
    if (kinds == 0) return;
    notes->stripped |= kinds;
    notes->count[HALO_NOTE_STRIPPED] = 1;
}

/* These statements are left out, since they would no longer be true; 0 is fine. */
static inline void halo_note_outdated(HaloNotes *notes, unsigned kinds)
{
    if (kinds == 0) return;
    notes->outdated |= kinds;
    notes->count[HALO_NOTE_OUTDATED] = 1;
}

/* Adds the notes of another image of the same run, or of another run. */
HALO_API void halo_notes_join(HaloNotes *notes, const HaloNotes *more);

/* "clipped", for JSON; is it a loss or change, which is reported by default? */
HALO_API const char *halo_note_name(HaloNote kind);
HALO_API bool halo_note_is_loss(HaloNote kind);
/* The text, such as "12 samples are clipped", or NULL if there is none. */
#define HALO_NOTE_TEXT 256
HALO_API const char *halo_note_text(const HaloNotes *notes, HaloNote kind, char text[HALO_NOTE_TEXT]);
/* "EXIF"; `i` counts kinds from 0. */
HALO_API const char *halo_meta_name(int i);

#ifdef __cplusplus
}
#endif
#endif
