/* Files: opened by their format, read as a whole or by rows, and written. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "device/progress.h"
#include "halo/words.h"
#include "session.h"

/* Rows of an image, or frames of a sound, that are read or written before a program is asked for the first
 * time; and some of a buffer's, from `at` on, fewer at its end. */
int64_t file_first_rows(const HaloBuf *all);
HaloBuf file_rows(const HaloBuf *all, int64_t at, int64_t count);
static inline int64_t file_length(const HaloShape *shape)
{
    return shape->kind == HALO_AUDIO ? shape->width : shape->height;
}

/* load.c: the format for the extension of a name, or NULL; the extension is "" where there is none. */
const HaloFormat *load_format_named(const HaloTables *tables, const char *path, char extension[HALO_WORD_SIZE]);
/* Finds the format and reads the header; the second reads all samples, which count as held until
 * halo_memory_free. */
HaloStatus load_open(HaloSession *session, HaloSource *source, const HaloShape *raw, HaloReader *reader);
/* The same, but samples that f32 does not hold are f64. Before the first row load_narrow makes f32 of them
 * after all, with a note where that loses something. */
HaloStatus load_open_wide(HaloSession *session, HaloSource *source, const HaloShape *raw, HaloReader *reader);
void load_narrow(HaloReader *reader);
/* Is it sound or a series of 64-bit floats, or of text, which is computed in f64? */
bool load_computes_wide(const HaloSession *session, const HaloInfo *info);
/* The same for another page, of a file that holds pages, or at whose beginning the source stands. */
HaloStatus load_open_at(HaloSession *session, HaloSource *source, const HaloShape *raw, int64_t page,
                        HaloReader *reader);
HaloStatus load_samples(HaloReader *reader, HaloBuf *data);
/* The same, and the program of this device is told of the progress and may end it; `device` NULL: none is. */
HaloStatus load_samples_told(HaloReader *reader, Device *device, HaloBuf *data);
/* The same for a file whose format is known; `jobs` and `memory` as HaloReader has them. */
HaloStatus load_open_as(HaloSource *source, const HaloFormat *format, const HaloReadOptions *options, int jobs,
                        HaloMemory *memory, HaloReader *reader);
void load_close(HaloReader *reader); /* also what load_open left; the metadata go with it */
/* The next rows; fewer only where sound of unknown length ends. */
HaloStatus load_rows(HaloReader *reader, HaloBuf *rows, int64_t *got);
/* Moves a sound's reader to this frame, forward or backward; *gone false: the reader cannot seek. */
HaloStatus load_seek(HaloReader *reader, int64_t frame, bool *gone);
/* Skips unused rows. */
HaloStatus load_skip(HaloReader *reader, int64_t rows);
/* Puts the name of the file before a failure's message, and the number of any page but the first. */
HaloStatus load_named(HaloStatus status, const HaloReader *reader);
/* The format whose probe knows how a file starts, or NULL. */
const HaloFormat *load_probed(const HaloTables *tables, const uint8_t *head, size_t size);

/* A number for an ICC profile: 0 for none, 1 for those that say sRGB. */
uint64_t load_profile(const HaloBlob *icc);
/* Do pictures with these show the same samples in different colours? One without a profile counts as sRGB. */
static inline bool load_profiles_differ(uint64_t a, uint64_t b) { return (a > 1 ? a : 1) != (b > 1 ? b : 1); }

/* Does the file hold pages, which `next` goes to? Else images may follow one another in it. */
static inline bool load_has_pages(const HaloReader *reader)
{
    return reader->format->next != NULL &&
           (reader->info.images > 0 || reader->format->several != HALO_SEVERAL_IN_STREAMS);
}
/* pages.c: the next page of the same file: *more says whether there is one, and load_next opens it. Bytes after
 * the last complete page of a file are left out, with a note; on a pipe they are HALO_ERR_INPUT, or read as far
 * as possible. Before load_more all rows of a page have been read or skipped. */
HaloStatus load_more(const HaloTables *tables, const HaloReader *reader, bool *more, HaloNotes *notes);
HaloStatus load_next(const HaloTables *tables, HaloReader *reader);
/* load_more from the beginning of a page, skipping its rows. */
HaloStatus load_past(const HaloTables *tables, HaloReader *reader, bool *more, HaloNotes *notes);
/* Counts the pages with a reader at the first, which is used up. A count that the format itself states is taken
 * as it is. */
HaloStatus load_count_pages(const HaloTables *tables, HaloReader *reader, int64_t *pages);
/* load.c, for pages.c: opens the page reader->options.image where the source stands; source, options, jobs and
 * memory are set, and the format, which matters for raw samples alone. And the next page of a file that holds
 * pages. */
HaloStatus load_open_page(const HaloTables *tables, HaloReader *reader);
HaloStatus load_open_next(HaloReader *reader);
/* check.c: validates what a reader says of an image or a sound, so that plans can rely on it; HALO_ERR_INPUT
 * otherwise. Called wherever a header has been read. */
HaloStatus load_check(const HaloReader *reader);
/* load_open_ended.c: all samples of sound of unknown length. */
HaloStatus load_open_ended(HaloReader *reader, Device *device, HaloBuf *data);

/* turn.c: EXIF's orientation (2 to 8) where the image has to be turned, since the output cannot hold EXIF, or
 * not that of each image, or since the pipeline wants it `upright`; else 1. `writer` has the number of images.
 */
int turn_wanted(const HaloReader *reader, const HaloWriter *writer, bool upright);
/* Is the image turned upright, for either reason? */
bool turn_applies(const HaloReader *reader, const HaloWriter *writer, bool upright);
/* May EXIF, and with it the orientation, stand behind the samples? */
bool turn_unknown(HaloReader *reader, const HaloWriter *writer, bool upright);
/* All samples, turned upright; `reader->info` describes the turned image from now on. Also for EXIF behind the
 * samples. */
HaloStatus turn_load(HaloReader *reader, const HaloWriter *writer, int orientation, HaloBuf *data);
/* From now on what is said of an image is true of it turned. */
void turn_info(HaloInfo *info, int orientation);
/* A turned copy of all samples of an image. */
HaloStatus turn_samples(HaloMemory *memory, const HaloBuf *lies, int orientation, HaloBuf *data);
/* The shape that an image has when it is turned. */
HaloShape turn_shape(const HaloShape *shape, int orientation);

/* save.c: the format of an output, with its library loaded: the requested one (NULL: none), that of its
 * extension, or that of the input. */
HaloStatus save_format(const HaloSession *session, const char *output, const HaloFormat *asked,
                       const HaloFormat *of_input, const HaloFormat **to);
/* An output into a writer whose format, sink, options and changes (plan_changes) are set; `like`, of the input,
 * gives depth and metadata (nothing with --strip). `endless`: its length is not known before the end. */
HaloStatus save_begin(HaloWriter *writer, const HaloInfo *like, bool endless);
HaloStatus save_end(HaloWriter *writer, const HaloInfo *like);
HaloStatus save_whole(HaloWriter *writer, const HaloInfo *like, const HaloBuf *data);
HaloStatus save_rows(HaloWriter *writer, const HaloBuf *rows);
/* All of it, telling as load_samples_told does. */
HaloStatus save_rows_told(HaloWriter *writer, Device *device, const HaloBuf *data);
/* The factor by which the largest sample that was clipped becomes the largest that fits. */
float save_gain(const HaloWriter *writer);
/* Ends writing after the last image. Frees the writer's memory even after a failure. */
HaloStatus save_close(HaloWriter *writer, HaloStatus status);
/* The notes of a closed writer and of the input that it took metadata from, and the count of clipped samples.
 */
void save_report(const HaloWriter *writer, const HaloInfo *like, HaloReport *report);

#endif
