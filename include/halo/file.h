/* Files: what happens to an output that exists, how outputs are written, and the header and metadata. */
#ifndef HALO_FILE_H
#define HALO_FILE_H

#include "halo/buffer.h"
#include "halo/notes.h"
#include "halo/series.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row of the table of formats (format.h). */
typedef struct HaloFormat HaloFormat;

/* ---- outputs -------------------------------------------------------------------------------------------- */

/* What to do if an output already exists. */
typedef enum HaloForce {
    HALO_FORCE_NO,  /* keep it, and fail */
    HALO_FORCE_YES, /* replace it */
    HALO_FORCE_SAME /* keep it, and fail only if it does not hold exactly the bytes that would be written */
} HaloForce;

/* A file to read, identified by halo_source_identity(), and its role in messages: "the input", "a mask". */
typedef struct HaloRead {
    uint64_t id[2];
    const char *what;     /* static */
    unsigned mode, group; /* its permissions, which limit those of a new output; mode 0: they do not */
} HaloRead;

#define HALO_PNG_STORED (-1) /* not compressed */

typedef struct HaloWriteOptions {
    int quality;     /* of lossy formats: 1..100; 0: 90 of JPEG, else the codec's default */
    bool lossless;   /* of formats that are lossy or lossless: lossless */
    int effort;      /* of compressing (HaloFormat::effort): 1 (fast) .. 9 (small); 0: the codec's default */
    int subsampling; /* JPEG: 444, 422 or 420; 0: 444 from quality 90 on, else 420 */
    int png_level;   /* PNG: 1 (fast) .. 9 (small) or HALO_PNG_STORED; 0: 1 */
    int tile;        /* TIFF: tiles of this width and height, a multiple of 16; 0: strips */
    bool pyramid;    /* TIFF: overviews, too, each half as wide and high, in tiles of `tile` or 256 */
    int bits; /* sound: integers of 8, 16, 24 or 32 bits, or, `floats`, of 32; pictures: 1; 0: as the input's */
    bool floats;
    int bitrate; /* Opus, Ogg Vorbis and MP3: kilobits per second; 0: as `quality` says, or the codec's default
                  */
    bool strip;  /* write none of the input's metadata */
    const struct HaloMeta
        *tags;  /* texts, and pictures, in place of the input's; an empty text removes. NULL: none */
    bool guard; /* if samples of sound would be clipped, run again, attenuated to prevent that */
    bool sync;  /* success means that the output, and its name in its folder, are on the disk */
} HaloWriteOptions;

/* ---- header and metadata -------------------------------------------------------------------------------- */

typedef struct HaloBlob {
    uint8_t *data; /* malloc'ed, or NULL */
    size_t size;
} HaloBlob;

/* A line of text: malloc'ed, UTF-8. The keys are PNG's ("Title", "Author", "Description", "Comment", …). */
typedef struct HaloText {
    char *key, *value;
} HaloText;

/* A chunk of WAVE that holds metadata: bext, iXML, cue, smpl, LIST, … */
typedef struct HaloChunk {
    char id[4];
    bool behind; /* it follows the samples */
    HaloBlob bytes;
} HaloChunk;

/* The bytes of PNG's chunks cICP, mDCv and cLLi: how the samples code light, on what display they were
 * mastered, and how bright they get. Size 0: the file has no such chunk. */
enum { HALO_CICP, HALO_MDCV, HALO_CLLI, HALO_COLOUR_CODES };
typedef struct HaloColourCode {
    uint8_t size;
    uint8_t bytes[24];
} HaloColourCode;

/* What GeoTIFF adds to TIFF (OGC 19-008), each as little-endian bytes of its type: how pixels lie on a map, the
 * keys of its coordinate system; and GDAL's texts: on each band, and of the sample that means "no data". Size
 * 0: not there. */
enum {
    HALO_GEO_SCALE,     /* f64: of a pixel along x, y, z */
    HALO_GEO_TIEPOINTS, /* f64, six each: a place of the picture and one of the map */
    HALO_GEO_TRANSFORM, /* f64 [4][4] */
    HALO_GEO_KEYS,      /* u16 */
    HALO_GEO_DOUBLES,   /* f64 */
    HALO_GEO_TEXT,
    HALO_GEO_METADATA, /* GDAL's: text */
    HALO_GEO_NODATA,   /* text */
    HALO_GEO_TAGS
};

/* Where the samples of a volume lie in space: the centre of the first one of this page, and the way from one to
 * the next. Pages may be a sequence of volumes of `depth` pages each. */
typedef struct HaloGrid {
    bool known;
    bool patient; /* coordinates grow to the left, to the back and to the head of a patient (LPS) */
    bool turned;  /* axes are not those of the space, or point the other way: step has more than a diagonal */
    bool mixed;   /* slices have a distance, but pages have none: between them lie those of other channels */
    double origin[3];
    double step[3][3]; /* along columns, rows and pages; of pages all 0: not known */
    char unit[16];     /* "mm", "um", "A"; empty: not known */
    int64_t depth;     /* 0: one volume */
    double interval;   /* seconds from one volume to the next; 0: not known */
} HaloGrid;

/* Kept from input to output if both formats can hold it. All zero: the file has none. */
typedef struct HaloMeta {
    HaloBlob icc;  /* an ICC profile */
    HaloBlob exif; /* TIFF-structured EXIF, without any "Exif\0\0" */
    HaloBlob xmp;  /* an XMP packet */
    HaloBlob iptc; /* IPTC-IIM records */
    HaloText *text;
    size_t texts;
    HaloChunk *chunk; /* WAVE's own; their texts are also in `text` */
    size_t chunks;
    HaloBlob *picture; /* of a sound, such as a cover: FLAC's blocks (RFC 9639, 8.8) */
    size_t pictures;
    double resolution[2];   /* dots per metre along x and y */
    bool ratio;             /* only the ratio x : y of `resolution` is known: the pixel aspect ratio */
    double gamma;           /* PNG's gAMA: samples are light to this power, such as 0.45455 */
    double chroma[8];       /* PNG's cHRM: x and y of white, red, green and blue */
    int srgb;               /* the samples are sRGB: 1 + the rendering intent of ICC.1 */
    uint8_t significant[4]; /* PNG's sBIT: significant bits of each channel */
    HaloColourCode code[HALO_COLOUR_CODES];
    HaloBlob geo[HALO_GEO_TAGS];
    HaloTimeline time; /* of the rows of a table */
    HaloGrid grid;
    bool comma;   /* of a table: numbers have a decimal comma */
    int plays;    /* of an animation: how many times it is shown; 0: without end, or not said */
    double shown; /* of a page of an animation: how many seconds it is shown; 0: not said */
} HaloMeta;

/* Samples of arrays and TIFF, which a format that has this type may write as they were where they were only
 * moved. USUAL: shape.dtype says it, or they are fractions of full scale. */
typedef enum HaloStored {
    HALO_STORED_USUAL,
    HALO_STORED_UNSIGNED,
    HALO_STORED_SIGNED,
    HALO_STORED_FLOAT,
    HALO_STORED_BOOL
} HaloStored;

typedef struct HaloInfo {
    HaloShape shape;   /* width -1: audio of unknown length, read to the end */
    int bits;          /* per sample, in the file */
    bool real;         /* the file holds floating-point samples, or text */
    HaloStored stored; /* what they are, as the file has them */
    bool lossless;     /* it is a picture in a format of lossy and lossless ones */
    bool rate_assumed; /* of a table: nothing states a rate, so it is 1 */
    bool rate_said;    /* of sound: its rate is not in the file, but from --rate, or 1 */
    uint32_t speakers; /* of sound: WAVE's mask of channels, such as 3f for 5.1; 0: not said, so the usual; */
#define HALO_SPEAKERS_UNKNOWN UINT32_MAX /* no speaker positions in the order of a mask */
    char encoding[48];                   /* a description: "palette, interlaced", "24-bit PCM"; may be empty */
    bool last;       /* of formats whose images follow one another: none follows this one, whatever bytes do */
    bool scaled;     /* what is real are integers of the file times a factor, with an offset */
    uint16_t most;   /* the file's full scale, where it is scaled to that of its type, as of 12 bits; else 0 */
    int64_t images;  /* in a file that holds pages; 0: in others, where one may follow another */
    HaloNotes notes; /* what reading loses or changes; more may be added while rows are read */
    HaloMeta meta;
} HaloInfo;

HALO_API void halo_meta_free(HaloMeta *meta);
HALO_API HaloStatus halo_meta_copy(const HaloMeta *from, HaloMeta *to);
/* The set of HaloMetaKind that carries information. These do not: EXIF that holds the orientation alone, since
 * rows can be turned; a density of 72 or 96 dots per inch, which programs write where they know none; and sRGB,
 * which is what samples are without any profile. */
HALO_API unsigned halo_meta_kinds(const HaloMeta *meta);

/* Those without which the samples would be shown in other colours: not those that say sRGB. */
HALO_API unsigned halo_meta_colours(const HaloMeta *meta);

/* The orientation in EXIF, 1 to 8; 1, which means upright, also where there is none or it is damaged. */
HALO_API int halo_exif_orientation(const HaloBlob *exif);
/* Does it hold a thumbnail? */
HALO_API bool halo_exif_thumbnail(const HaloBlob *exif);
/* What an ICC profile calls itself, "Display P3", in UTF-8, cut to `size` bytes with their 0; false: nothing.
 */
HALO_API bool halo_icc_name(const HaloBlob *icc, char *name, size_t size);

#ifdef __cplusplus
}
#endif
#endif
