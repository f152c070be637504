/* A file format: a table of functions that read and write row by row; and the byte streams below it. */
#ifndef HALO_FORMAT_H
#define HALO_FORMAT_H

#include "halo/buffer.h"
#include "halo/changes.h"
#include "halo/file.h"
#include "halo/memory.h"
#include "halo/notes.h"
#include "halo/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bytes in (io/bytes/source.c) ------------------------------------------------------------------------ */

typedef struct HaloSource HaloSource;

/* Opens a file, or standard input for "-"; of an archive also by FILE.npz:NAME, where no file has that name,
 * for the reader to choose a member. HALO_ERR_INPUT with the path and the system's reason. */
#define HALO_MEMBER_MARK ".npz:"
HALO_API HaloStatus halo_source_open(const char *path, HaloSource **source);
/* Reads from memory, which stays the caller's and must outlive the source. */
HALO_API HaloStatus halo_source_from_memory(const void *bytes, size_t size, HaloSource **source);
HALO_API void halo_source_close(HaloSource *source);
/* From here on the bytes of a stream that the source keeps are counted. */
HALO_API void halo_source_count(HaloSource *source, HaloMemory *memory);
HALO_API const char *halo_source_name(const HaloSource *source);
/* Looks at up to `size` bytes (at most 4096) without taking them. */
HALO_API HaloStatus halo_source_peek(HaloSource *source, size_t size, const uint8_t **bytes, size_t *got);
/* Takes up to `size` bytes; fewer only at the end. */
HALO_API HaloStatus halo_source_read(HaloSource *source, void *bytes, size_t size, size_t *got);
/* Takes the bytes that are available, up to `size`, and waits only if there are none; *got is 0 only at the
 * end. */
HALO_API HaloStatus halo_source_take(HaloSource *source, void *bytes, size_t size, size_t *got);
/* Total size where it is known (a regular file), else -1. */
HALO_API int64_t halo_source_size(const HaloSource *source);
/* Milliseconds that the system took to give the bytes, so far. */
HALO_API double halo_source_ms(const HaloSource *source);
/* True where halo_source_seek works everywhere: regular files, and memory. */
HALO_API bool halo_source_seekable(const HaloSource *source);
HALO_API HaloStatus halo_source_seek(HaloSource *source, int64_t offset);
/* Makes sure that the next `size` bytes can be taken, and that halo_source_seek can return to `from` after
 * that, even if bytes from there on have been taken. False: there are fewer, or they cannot be kept; no bytes
 * are lost. */
HALO_API bool halo_source_keep(HaloSource *source, int64_t from, size_t size);
/* Can all of it be read once more, by a second source? */
HALO_API bool halo_source_is_rereadable(const HaloSource *source);
/* A second source of the same bytes, from the first on; the first one has to outlive it. */
HALO_API HaloStatus halo_source_open_again(const HaloSource *source, HaloSource **second);
/* Copies a pipe from which nothing was dropped yet to a file without a name, in $TMPDIR, /var/tmp or /tmp,
 * waiting for its end: from then on the source can seek, and can be read again. No folder takes a file, or the
 * source is none of these: it stays as it is. HALO_ERR_LIMIT where the folder gets full. */
HALO_API HaloStatus halo_source_to_file(HaloSource *source);
/* How many bytes have been taken. */
HALO_API int64_t halo_source_tell(const HaloSource *source);
/* Reads all remaining bytes into memory that the source owns. For decoders that need all of it, and for formats
 * that have to seek in a source that cannot. HALO_ERR_LIMIT if that exceeds the memory limit. */
HALO_API HaloStatus halo_source_slurp(HaloSource *source, const uint8_t **bytes, size_t *size);
/* Device and inode, to recognise an output that is its own input, and permissions; false for pipes. */
HALO_API bool halo_source_identity(const HaloSource *source, HaloRead *read);
/* The same of a path (io/bytes/permissions.c); false where no regular file is there. */
HALO_API bool halo_read_of(const char *path, HaloRead *read);

/* ---- bytes out (io/bytes/sink.c): a temporary beside the output, every write checked, rename ------------- */

typedef struct HaloSink HaloSink;

typedef struct HaloSinkOptions {
    HaloForce force;
    const HaloRead *read; /* [reads]: they are not written over, whatever `force` says, and limit the
                             permissions of a new output */
    size_t reads;
    bool sync; /* HaloWriteOptions::sync */
} HaloSinkOptions;

/* "-" is standard output. FIFOs and devices are written directly. HALO_ERR_INPUT when it exists (see `force`;
 * with HALO_FORCE_SAME that shows at the end), HALO_ERR_USAGE for a folder or a file that is read,
 * HALO_ERR_OUTPUT otherwise. */
HALO_API HaloStatus halo_sink_open(const char *path, const HaloSinkOptions *options, HaloSink **sink);
/* Collects the bytes, which can seek, and on commit gives them to `give`, in order. `name` for messages. */
HALO_API HaloStatus halo_sink_to_function(const char *name,
                                          int64_t (*give)(void *context, const void *bytes, size_t size),
                                          void *context, HaloSink **sink);
/* HALO_ERR_OUTPUT with path and reason; HALO_ERR_PIPE when the reader has closed the pipe. */
HALO_API HaloStatus halo_sink_write(HaloSink *sink, const void *bytes, size_t size);
/* Preallocates bytes [from, from + bytes) of a file on the disk. This is only a hint, whose failure is ignored.
 * Another thread may call it while nothing is written. False: further calls are useless. */
HALO_API bool halo_sink_reserve(HaloSink *sink, int64_t from, int64_t bytes);
/* Flushes the buffer to a pipe or a device, so that its reader need not wait for more. */
HALO_API HaloStatus halo_sink_flush(HaloSink *sink);
/* Milliseconds that the system took to write, so far. */
HALO_API double halo_sink_ms(const HaloSink *sink);
/* True while a temporary file is being written: a header can be completed at the end. */
HALO_API bool halo_sink_seekable(const HaloSink *sink);
/* The same for a path that is not open yet. */
HALO_API bool halo_sink_would_seek(const char *path);
HALO_API HaloStatus halo_sink_seek(HaloSink *sink, int64_t offset);
/* The position of the next byte; like halo_sink_seek, only if the sink can seek. */
HALO_API HaloStatus halo_sink_tell(HaloSink *sink, int64_t *offset);
/* Reads back written bytes, if it can seek; the position of the next write stays. *got: fewer at the end. */
HALO_API HaloStatus halo_sink_read(HaloSink *sink, int64_t offset, void *bytes, size_t size, size_t *got);
/* Commits the output: flush, fsync if requested, close, rename. Frees the sink even on failure. */
HALO_API HaloStatus halo_sink_commit(HaloSink *sink);
/* Discards the output and removes the temporary; an existing file stays intact. NULL is fine. */
HALO_API void halo_sink_abandon(HaloSink *sink);
/* io/bytes/stop.c: removes all temporaries when the process is about to end. Afterwards no thread can make one
 * or give an output its name (HALO_ERR_OUTPUT). Async-signal-safe; waits for other threads that are doing
 * either. */
HALO_API void halo_sink_abandon_all(void);
/* io/bytes/temporary.c: removes the temporaries of this output that killed processes left behind. Those of
 * running processes are locked, and stay; on a file system without locks all stay. */
HALO_API void halo_sink_sweep(const char *path);
/* io/bytes/sync.c: returns when the contents of this file, or the names in the folder above `path`, are on the
 * disk. */
HALO_API HaloStatus halo_sync_file(const char *path);
HALO_API HaloStatus halo_sync_folder(const char *path);

/* ---- header and metadata (the types are in file.h) ---------------------------------------------------- */

/* Removes the thumbnail from the EXIF; the rest stays in place. */
HALO_API void halo_exif_drop_thumbnail(HaloBlob *exif);
/* Sets the orientation to upright, after the pixels were rotated. */
HALO_API void halo_exif_set_upright(HaloBlob *exif);
/* Sets the image's size in EXIF, if EXIF has one. */
HALO_API void halo_exif_set_size(HaloBlob *exif, int64_t width, int64_t height);
/* The same of an XMP packet, which repeats both. HALO_ERR_LIMIT without memory for longer numbers. */
HALO_API HaloStatus halo_xmp_set_upright(HaloBlob *xmp);
HALO_API HaloStatus halo_xmp_set_size(HaloBlob *xmp, int64_t width, int64_t height);

/* The places of a sound's markers (cue points, chapters), in frames, ascending, each once; the caller frees
 * them. */
HALO_API HaloStatus halo_meta_markers(const HaloMeta *meta, double rate, int64_t **frame, size_t *count);
/* Adds those of a sound that follows behind `at` frames, with their names and regions; -1: not known where, so
 * that they are left out, as its loops always are, with a note. */
HALO_API HaloStatus halo_meta_append_marks(HaloMeta *all, const HaloMeta *more, int64_t at, double rate,
                                           HaloNotes *notes);

/* Updates the metadata in `info`, a copy of the input's, so that it is true of the output (io/meta/apply.c).
 * What cannot be kept true is left out, with a note. HALO_ERR_LIMIT without memory. */
HALO_API HaloStatus halo_meta_apply(HaloInfo *info, const HaloChanges *changes, HaloNotes *notes);

/* Gives the output of `level` and the like, which have none, the times of its frames: seconds at their middles
 * (io/meta/timeline.c). HALO_ERR_LIMIT without memory. */
HALO_API HaloStatus halo_meta_add_times(HaloMeta *meta, const HaloChanges *changes);

/* ---- formats -------------------------------------------------------------------------------------------- */

#define HALO_MAX_CHANNELS 65536 /* the maximum of an image, whatever the options */

typedef struct HaloReadOptions {
    bool tolerate;      /* a truncated or damaged file gives what could be read: the rest of an image is 0, a
                           sound ends behind its last frame, whatever its header says */
    int64_t max_pixels; /* of up to 4 samples: HALO_ERR_LIMIT for images beyond it; 0: HALO_MAX_PIXELS */
    bool has_raw;       /* `raw` describes headerless input */
    HaloShape raw;      /* audio: width -1 */
    int raw_bits;       /* audio: HaloOptions::raw_bits; 0: samples of raw.dtype */
    bool raw_big;       /* their byte order */
    int64_t image;      /* which of a file's pages, from 0 */
    double rate; /* frames per second of inputs that state none: tables, for which it is 1 by default, and
                    arrays, which are images by default; 0: not given */
    const char *columns; /* of text: HaloOptions::columns, time, time_format and comma */
    const char *time, *time_format;
    bool comma;
    const char *axes; /* HaloOptions::axes */
    double white;     /* HaloOptions::white */
    bool wide; /* samples that f32 does not hold may come as f64: `open` says so in info.shape.dtype. `read`
                  gives the type of the rows that it is given, f32 if the caller wants no more. */
} HaloReadOptions;

/* Can a file hold several images? In streams: only on a pipe, since readers of files take the first. */
typedef enum HaloSeveral {
    HALO_ONE_IMAGE,
    HALO_SEVERAL_IN_STREAMS,
    HALO_SEVERAL_ALIKE, /* of one size, in files */
    HALO_SEVERAL
} HaloSeveral;

typedef struct HaloReader {
    const HaloFormat *format;
    HaloSource *source; /* not owned */
    HaloReadOptions options;
    int jobs;           /* threads that may work on it, the caller's included; 0: 1 */
    HaloMemory *memory; /* counts the reader's memory that grows with the file; NULL: not counted */
    HaloInfo info;
    bool keeps_all; /* pages are interleaved, and a reader of one keeps all: use one reader for all pages */
    void *state;
} HaloReader;

typedef struct HaloWriter {
    const HaloFormat *format;
    HaloSink *sink; /* not owned */
    HaloWriteOptions options;
    int jobs;           /* threads that may work on it, the caller's included; 0: 1 */
    HaloMemory *memory; /* as a reader's */
    HaloInfo info; /* shape: of the samples to come; bits, real: the input's, followed where possible; a copy of
                      its metadata, as it is true of the output */
    HaloChanges changes; /* from the input; the plan adds its shapes and moves when the output is opened */
    uint64_t clipped;    /* audio: samples that integers could not hold, */
    float peak;          /* and the largest magnitude among them; 0: none, or only NaN */
    HaloNotes notes;     /* what writing loses, beside metadata that the format cannot hold (`holds`) */
    void *state;
} HaloWriter;

#define HALO_ANY_CHANNELS 0xffffffffu

struct HaloFormat {
    const char *name;       /* "png" */
    const char *help;       /* one line */
    const char *extensions; /* "jpg,jpeg", the usual one first */
    unsigned kinds;         /* a set of HaloKind */
    /* What `write` takes: sets of 1 << HaloDtype and 1 << (channels - 1); dtypes 0: the format is only read.
     * `channels`: how many where none is alpha; `with_alpha`: where one is, that one included. A format that
     * takes any number and no alpha writes it as a channel without a name. */
    unsigned dtypes, channels, with_alpha;
    unsigned holds; /* a set of HaloMetaKind; `create` and `finish` note what they had to leave out of these */
    /* Floats are written as they are (NPY, raw). Otherwise f32 is written with white 1. */
    bool keeps_units;
    bool
        keeps_type; /* what is computed of integers becomes integers of their type again, as in other formats */
    /* Roughly how many million samples per second a core decodes and encodes; 0: it copies them. */
    int decodes, encodes;
    bool plain;          /* a file is as large as its samples plus a header, so its space can be preallocated */
    bool named;          /* files have no signature: the format is known by its extension, or by name */
    bool comment;        /* of texts it holds comments alone */
    bool text;           /* people can read it: it may go to a terminal */
    bool no_rate;        /* of sound it holds samples alone, which are later read back without a rate */
    bool tiles;          /* it holds images with tiles and overviews (HaloWriteOptions::tile and pyramid) */
    bool effort;         /* it compresses pictures as HaloWriteOptions::effort says */
    bool upright;        /* pictures lie in it as they are viewed: EXIF's orientation does not apply */
    bool never_lossless; /* whatever the options */
    bool quality;        /* pictures with HaloWriteOptions::quality */
    bool lossy;          /* sound with a quality or bit rate: HaloWriteOptions::quality and bitrate */
    bool depths; /* of sound it holds integers and floats of several sizes: HaloWriteOptions::bits says which */
    bool bilevel;        /* of gray pictures it holds one bit a sample, where HaloWriteOptions::bits is 1 */
    bool one_meta;       /* metadata of its images are those of the file, the same for all of them */
    int64_t glance;      /* of a picture along time, such as a spectrogram, it shows so many columns; 0: all */
    bool endless;        /* takes sound whose width is -1 until `finish` */
    HaloSeveral several; /* create, write and finish are called for each image, on the same writer */

    /* Does a file start like this? */
    bool (*probe)(const uint8_t *head, size_t size);
    /* Reads the header, of the page options.image where there is `next`: sets reader->info, and reader->state
     * where there is any. */
    HaloStatus (*open)(HaloReader *reader);
    /* Before the first row: decimates an image by a power of two up to `most` on each axis, if that is less
     * work (the result differs a little): *times (1: not). info.shape becomes the size rounded up. NULL: never.
     */
    HaloStatus (*shrink)(HaloReader *reader, int64_t most, int64_t *times);
    /* Fills the next rows->rows rows (audio: rows->cols frames); *got is fewer only at the end of audio of
     * unknown length. */
    HaloStatus (*read)(HaloReader *reader, HaloBuf *rows, int64_t *got);
    /* Skips the next rows of an image as far as that is possible without decoding them, *skipped of them. NULL:
     * never. */
    HaloStatus (*skip)(HaloReader *reader, int64_t rows, int64_t *skipped);
    /* Moves a sound of known length to this frame, forward or backward; *gone: it succeeded. NULL: never. */
    HaloStatus (*seek)(HaloReader *reader, int64_t frame, bool *gone);
    /* Can `read` fill only some columns, those of the rows? Otherwise rows are as wide as the image. */
    bool columns;
    void (*close)(HaloReader *reader); /* frees `state`; also after a failed open */
    /* Goes to the page options.image, a later one of info.images, and sets reader->info anew; NULL where a file
     * holds no pages. Where it is 0 and `several` is HALO_SEVERAL_IN_STREAMS, this file holds none. */
    HaloStatus (*next)(HaloReader *reader);
    /* The kinds of metadata (HaloMetaKind) that may follow the samples, and so are known only after the last
     * row. NULL: none. */
    unsigned (*trailing_meta)(HaloReader *reader);
    /* Does `create` write all metadata, so that it has to be known before the first row? */
    bool meta_first;
    /* Loads the library that `create` needs, before there is a temporary: the dynamic loader may end the
     * process if it has no memory. NULL: it needs none. */
    HaloStatus (*load)(void);
    /* Writes the header for writer->info. */
    HaloStatus (*create)(HaloWriter *writer);
    HaloStatus (*write)(HaloWriter *writer, const HaloBuf *rows);
    HaloStatus (*finish)(HaloWriter *writer); /* trailer; after the last row */
    HaloStatus (*end)(HaloWriter *writer);    /* after the last image; may be NULL */
    /* In place of `read` and `write` where nothing is computed, and both formats have the same function: passes
     * up to so many frames on as they are written, with all their digits. NULL: samples say all. */
    HaloStatus (*copy)(HaloReader *reader, HaloWriter *writer, int64_t frames, int64_t *got);
    void (*discard)(HaloWriter *writer); /* frees `state`; always called last */
};

#ifdef __cplusplus
}
#endif
#endif
