/* A file format: one table of functions, row by row in both directions; and the byte streams under it. */
#ifndef HALO_FORMAT_H
#define HALO_FORMAT_H

#include "halo/buffer.h"
#include "halo/memory.h"
#include "halo/notes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bytes in (io/bytes/source.c) ----------------------------------------------------------------------------- */

typedef struct HaloSource HaloSource;

/* Opens a file, or standard input for "-". HALO_ERR_INPUT with the path and the system's reason. */
HaloStatus halo_source_open(const char *path, HaloSource **source);
/* Reads from memory, which stays the caller's and must outlive the source. */
HaloStatus halo_source_from_memory(const void *bytes, size_t size, HaloSource **source);
void halo_source_close(HaloSource *source);
/* What the source must keep of a stream is counted from here on. */
void halo_source_count(HaloSource *source, HaloMemory *memory);
const char *halo_source_name(const HaloSource *source);
/* Looks at up to `size` bytes (at most 4096) without taking them. */
HaloStatus halo_source_peek(HaloSource *source, size_t size, const uint8_t **bytes, size_t *got);
/* Takes up to `size` bytes; fewer only at the end. */
HaloStatus halo_source_read(HaloSource *source, void *bytes, size_t size, size_t *got);
/* Total size where it is known (a regular file), else -1. */
int64_t halo_source_size(const HaloSource *source);
/* Milliseconds that the system took to give the bytes, so far. */
double halo_source_ms(const HaloSource *source);
/* True where halo_source_seek works: regular files. */
bool halo_source_seekable(const HaloSource *source);
HaloStatus halo_source_seek(HaloSource *source, int64_t offset);
/* How many bytes have been taken. */
int64_t halo_source_tell(const HaloSource *source);
/* Reads all that is left into memory that the source owns. For decoders that want it whole, and for formats
 * that must seek where the source cannot. HALO_ERR_LIMIT where more would have to be held than may be. */
HaloStatus halo_source_slurp(HaloSource *source, const uint8_t **bytes, size_t *size);
/* Device and inode, to recognise an output that is its own input; false for pipes. */
bool halo_source_identity(const HaloSource *source, uint64_t id[2]);

/* ---- bytes out (io/bytes/sink.c): a temporary beside the output, every write checked, rename ------------------ */

typedef struct HaloSink HaloSink;

/* What becomes of an output that exists. */
typedef enum HaloForce {
    HALO_FORCE_NO,  /* it stays: an error */
    HALO_FORCE_YES, /* it is replaced */
    HALO_FORCE_SAME /* it stays: an error only if it does not hold the very bytes that would be written */
} HaloForce;

/* A file that is read, as halo_source_identity() knows it, and what it is: "the input", "a mask". */
typedef struct HaloRead {
    uint64_t id[2];
    const char *what; /* static */
} HaloRead;

typedef struct HaloSinkOptions {
    HaloForce force;
    const HaloRead *read; /* [reads]: they are not written over, whatever `force` says */
    size_t reads;
    bool sync; /* as HaloWriteOptions has it */
} HaloSinkOptions;

/* "-" is standard output. FIFOs and devices are written directly. HALO_ERR_INPUT when it exists (see `force`; with
 * HALO_FORCE_SAME that shows at the end), HALO_ERR_USAGE for a folder or a file that is read, HALO_ERR_OUTPUT
 * otherwise. */
HaloStatus halo_sink_open(const char *path, const HaloSinkOptions *options, HaloSink **sink);
/* HALO_ERR_OUTPUT with path and reason; HALO_ERR_PIPE when the reader has gone. */
HaloStatus halo_sink_write(HaloSink *sink, const void *bytes, size_t size);
/* Passes on what is buffered, where that goes to a pipe or a device: its reader need not wait for more. */
HaloStatus halo_sink_flush(HaloSink *sink);
/* Milliseconds that the system took to write, so far. */
double halo_sink_ms(const HaloSink *sink);
/* True while a temporary file is being written: back-patching headers works. */
bool halo_sink_seekable(const HaloSink *sink);
/* Would it be, if this path were opened now? */
bool halo_sink_would_seek(const char *path);
HaloStatus halo_sink_seek(HaloSink *sink, int64_t offset);
/* Reads back what has been written, where it can seek; the place of the next write stays. *got: fewer at the end. */
HaloStatus halo_sink_read(HaloSink *sink, int64_t offset, void *bytes, size_t size, size_t *got);
/* Makes the output real: flush, fsync if asked to, close, rename. Frees the sink whatever happens. */
HaloStatus halo_sink_commit(HaloSink *sink);
/* Forgets the output and removes the temporary; the old file is intact. NULL is fine. */
void halo_sink_abandon(HaloSink *sink);
/* Removes all temporaries, for who ends the process: no thread makes one afterwards, or gives an output its name
 * (HALO_ERR_OUTPUT). Async-signal-safe; waits for other threads that are doing either at the moment. */
void halo_sink_abandon_all(void);
/* Removes temporaries of this output that killed processes left. Those of living ones are locked, and stay; where
 * the file system has no locks all do. */
void halo_sink_sweep(const char *path);
/* Returns when what is in this file, or the names in the folder above `path`, are on the disk. */
HaloStatus halo_sync_file(const char *path);
HaloStatus halo_sync_folder(const char *path);

/* ---- what a file says of itself ------------------------------------------------------------------------- */

typedef struct HaloBlob {
    uint8_t *data; /* malloc'ed, or NULL */
    size_t size;
} HaloBlob;

/* A line of text: malloc'ed, UTF-8. The keys are PNG's ("Title", "Author", "Description", "Comment", …). */
typedef struct HaloText {
    char *key, *value;
} HaloText;

/* A chunk of WAVE that says something of the whole: bext, iXML, cue, smpl, LIST, … */
typedef struct HaloChunk {
    char id[4];
    bool behind; /* the samples */
    HaloBlob bytes;
} HaloChunk;

/* What PNG's chunks cICP, mDCv and cLLi hold, as it stands there: how the samples code light, of what display they
 * were mastered on, and how bright they get. Size 0: the file has no such chunk. */
enum { HALO_CICP, HALO_MDCV, HALO_CLLI, HALO_COLOUR_CODES };
typedef struct HaloColourCode {
    uint8_t size;
    uint8_t bytes[24];
} HaloColourCode;

/* Kept from input to output where both formats can hold it. All zero: the file says nothing. */
typedef struct HaloMeta {
    HaloBlob icc;  /* an ICC profile */
    HaloBlob exif; /* TIFF-structured EXIF, without any "Exif\0\0" */
    HaloBlob xmp;  /* an XMP packet */
    HaloBlob iptc; /* IPTC-IIM records */
    HaloText *text;
    size_t texts;
    HaloChunk *chunk; /* WAVE's own; what stands in them is among the texts, too */
    size_t chunks;
    HaloBlob *picture; /* of a sound, such as a cover: FLAC's blocks (RFC 9639, 8.8) */
    size_t pictures;
    double resolution[2];   /* dots per metre along x and y */
    bool ratio;             /* of `resolution` only x : y is known: the shape of a pixel */
    double gamma;           /* PNG's gAMA: samples are light to this power, such as 0.45455 */
    double chroma[8];       /* PNG's cHRM: x and y of white, red, green and blue */
    int srgb;               /* the samples are sRGB: 1 + the rendering intent of ICC.1 */
    uint8_t significant[4]; /* PNG's sBIT: of each channel, the bits that its source had */
    HaloColourCode code[HALO_COLOUR_CODES];
} HaloMeta;

typedef struct HaloInfo {
    HaloShape shape;   /* width -1: audio of unknown length, read to the end */
    int bits;          /* per sample, in the file */
    bool real;         /* the file holds floating-point samples */
    uint32_t speakers; /* of sound: WAVE's mask of channels, such as 3f for 5.1; 0: not said */
    char encoding[48]; /* for people: "palette, interlaced", "24-bit PCM"; may be empty */
    int64_t images;    /* in a file that holds pages; 0: in others, where one may follow another */
    HaloNotes notes; /* what reading loses or changes; more may come while rows are read */
    HaloMeta meta;
} HaloInfo;

void halo_meta_free(HaloMeta *meta);
HaloStatus halo_meta_copy(const HaloMeta *from, HaloMeta *to);
/* The set of HaloMetaKind that says something: EXIF's orientation alone does not, since rows can be turned; a density of 72 or 96 dots per inch, which programs put where they
 * know none, does not, nor does sRGB, which is meant where nothing is said. */
unsigned halo_meta_kinds(const HaloMeta *meta);

/* EXIF's word on how the rows are to be seen (1 to 8; 1: as they lie, also where it says nothing or is damaged). */
int halo_exif_orientation(const HaloBlob *exif);
/* Is there a small image in it? And the EXIF without it: its bytes are gone, the rest stays in place. */
bool halo_exif_thumbnail(const HaloBlob *exif);
void halo_exif_drop_thumbnail(HaloBlob *exif);
/* The rows have been turned. */
void halo_exif_set_upright(HaloBlob *exif);

/* The name of a format that halo does not read, by the first bytes of a file ("GIF", "WebP", …), or NULL. */
const char *halo_foreign_name(const uint8_t *head, size_t size);

/* ---- formats -------------------------------------------------------------------------------------------- */

#define HALO_MAX_PIXELS ((int64_t)1 << 28) /* where nothing else is asked for */
#define HALO_MAX_CHANNELS 65536            /* of an image, whatever is asked for */

typedef struct HaloReadOptions {
    bool tolerate;      /* a truncated or damaged file gives what could be read, the rest 0 */
    int64_t max_pixels; /* of up to 4 samples: HALO_ERR_LIMIT for images beyond it; 0: HALO_MAX_PIXELS */
    bool has_raw;       /* `raw` describes headerless input */
    HaloShape raw;      /* audio: width -1 */
    int raw_bits;       /* audio: signed integers of 16, 24 or 32 bits, read as f32; 0: samples of raw.dtype */
    int64_t image;      /* which of a file's pages, from 0 */
} HaloReadOptions;

#define HALO_PNG_STORED (-1) /* not compressed */

typedef struct HaloWriteOptions {
    int quality;     /* JPEG: 1..100; 0: 90 */
    int subsampling; /* JPEG: 444, 422 or 420; 0: 444 from quality 90 on, else 420 */
    int png_level;   /* PNG: 1 (fast) .. 9 (small) or HALO_PNG_STORED; 0: 1 */
    bool strip;      /* nothing that the input said of itself goes along */
    bool guard;      /* sound of which samples would be clipped is done again, scaled to fit */
    bool sync;       /* the output, and its name in its folder, are on the disk before that is success */
} HaloWriteOptions;

/* May there be several images in a file? In streams: only where it is a pipe, since readers of files take the
 * first. */
typedef enum HaloSeveral { HALO_ONE_IMAGE, HALO_SEVERAL_IN_STREAMS, HALO_SEVERAL } HaloSeveral;

typedef struct HaloFormat HaloFormat;

typedef struct HaloReader {
    const HaloFormat *format;
    HaloSource *source; /* not owned */
    HaloReadOptions options;
    HaloMemory *memory; /* counts what the reader keeps that grows with the file; NULL: nobody counts */
    HaloInfo info;
    void *state;
} HaloReader;

typedef struct HaloWriter {
    const HaloFormat *format;
    HaloSink *sink; /* not owned */
    HaloWriteOptions options;
    HaloMemory *memory; /* as a reader's */
    HaloInfo info;    /* shape: of the samples that come; bits, real: as the input had them, a wish */
    bool changed;     /* the samples are others than the input's: thumbnails do not show them, */
    bool recoded;     /* and light is not coded as the input says */
    uint64_t clipped; /* audio: samples that integers could not hold, */
    float peak;       /* and the greatest magnitude among them; 0: none, or only NaN */
    HaloNotes notes;  /* what writing loses beside what the format cannot hold at all */
    void *state;
} HaloWriter;

#define HALO_ANY_CHANNELS 0xffffffffu

struct HaloFormat {
    const char *name;       /* "png" */
    const char *help;       /* one line */
    const char *extensions; /* "jpg,jpeg", the usual one first */
    unsigned kinds;         /* a set of HaloKind */
    /* What `write` takes: sets of 1 << HaloDtype and 1 << (channels - 1); 0: the format is only read.
     * `alpha`: 2 and 4 channels may be gray and RGB with alpha. */
    unsigned dtypes, channels;
    bool alpha;
    unsigned holds; /* a set of HaloMetaKind; what of them it has no room for, `create` and `finish` note */
    /* Floats are written as they are (NPY, raw). Otherwise f32 is written with white 1. */
    bool keeps_units;
    bool endless;        /* takes sound whose width is -1 until `finish` */
    HaloSeveral several; /* create, write and finish are called for each image, on the same writer */

    /* Does a file start like this? */
    bool (*probe)(const uint8_t *head, size_t size);
    /* Reads the header: sets reader->info, and reader->state where there is any. */
    HaloStatus (*open)(HaloReader *reader);
    /* Fills the next rows->rows rows (audio: rows->cols frames); *got is fewer only at the end of audio of
     * unknown length. */
    HaloStatus (*read)(HaloReader *reader, HaloBuf *rows, int64_t *got);
    void (*close)(HaloReader *reader); /* frees `state`; also after a failed open */
    /* Goes to the next of info.images, and sets reader->info anew; NULL where a file holds no pages. */
    HaloStatus (*next)(HaloReader *reader);
    /* The kinds of metadata (HaloMetaKind) that may still come while rows are read; NULL: none. And does `create`
     * write all of it? */
    unsigned (*late)(HaloReader *reader);
    bool meta_first;
    /* Writes the header for writer->info. */
    HaloStatus (*create)(HaloWriter *writer);
    HaloStatus (*write)(HaloWriter *writer, const HaloBuf *rows);
    HaloStatus (*finish)(HaloWriter *writer); /* trailer; after the last row */
    HaloStatus (*end)(HaloWriter *writer);    /* after the last image; may be NULL */
    void (*discard)(HaloWriter *writer);      /* frees `state`; always called last */
};

#ifdef __cplusplus
}
#endif
#endif
