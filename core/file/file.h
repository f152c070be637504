/* Files: opened by their format, read as a whole or by rows, and written. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "halo/words.h"
#include "session.h"

/* load.c: the format that a name's extension says, or NULL; the extension is "" where there is none. */
const HaloFormat *load_format_named(const HaloTables *tables, const char *path, char extension[HALO_WORD_ROOM]);
/* Finds the format and reads the header; then all samples, which count until halo_memory_free. */
HaloStatus load_open(HaloSession *session, HaloSource *source, const HaloShape *raw, HaloReader *reader);
HaloStatus load_samples(HaloReader *reader, HaloBuf *data);
void load_close(HaloReader *reader); /* also what load_open left; the metadata go with it */
/* The next rows; fewer only where sound of unknown length ends. */
HaloStatus load_rows(HaloReader *reader, HaloBuf *rows, int64_t *got);
/* Another image of the same file: *more says whether there is one; and then opens it. What follows on a pipe and
 * is no image is HALO_ERR_INPUT. */
HaloStatus load_more(HaloSession *session, const HaloReader *reader, bool *more);
HaloStatus load_next(HaloSession *session, HaloReader *reader);
/* load_open_ended.c: samples of sound whose length nobody knows. */
HaloStatus load_open_ended(HaloReader *reader, HaloBuf *data);

/* turn.c: 1, or what EXIF says (2 to 8) where rows lie otherwise and the output cannot pass that on. */
int turn_wanted(const HaloReader *reader, const HaloWriter *writer);
/* May what turns it stand behind the samples? */
bool turn_unknown(HaloReader *reader, const HaloWriter *writer);
/* All samples, as people are to see them: `reader->info` says so from now on. Also where EXIF may only follow the
 * samples. */
HaloStatus turn_load(HaloReader *reader, int orientation, HaloBuf *data);
/* The shape that an image has when it is turned. */
HaloShape turn_shape(const HaloShape *shape, int orientation);

/* save.c: an image or a sound of this shape into a writer whose format, sink and options are set; `like`, of the
 * input, gives depth and metadata (nothing with --strip). `endless`: its length is not known before the end. */
HaloStatus save_begin(HaloWriter *writer, HaloInfo *like, const HaloShape *shape, bool endless);
HaloStatus save_end(HaloWriter *writer, HaloInfo *like, const HaloShape *shape);
HaloStatus save_whole(HaloWriter *writer, HaloInfo *like, const HaloBuf *data);
HaloStatus save_rows(HaloWriter *writer, const HaloBuf *rows);
/* What samples are multiplied by so that the greatest of those that were clipped is the greatest that fits. */
float save_gain(const HaloWriter *writer);
/* All of them are there; the writer keeps nothing, whatever happened before. */
HaloStatus save_close(HaloWriter *writer, HaloStatus status);

#endif
