/* The images of a stack: what is known of each. */
#ifndef CORE_STACK_FRAMES_H
#define CORE_STACK_FRAMES_H

#include <pthread.h>

#include "part.h"

typedef struct Frame {
    const char *path;
    int64_t page;   /* from 0 */
    int64_t offset; /* where it begins, if pages follow one another; else 0 */
    HaloBuf data;   /* its samples, where they are in memory */
    bool open, kept;
    HaloSource *source;
    HaloReader reader;
    int64_t row;    /* the next to be read */
    HaloPlan *plan; /* it is moved by this one; NULL: it is not, and: */
    HaloBuf window; /* rows of it that are in memory; `data` has space for `space` rows */
    int64_t space;
} Frame;

struct Frames {
    HaloSession *session;
    const HaloStack *stack;
    HaloPool *pool;
    HaloShape shape;          /* of each */
    uint64_t profile;         /* of the first: load_profile */
    int orientation;          /* of each, as EXIF says */
    HaloInfo info;            /* of the first, where it is in memory, */
    const HaloFormat *format; /* and its format; NULL: it is open */
    HaloNotes notes;
    Frame **frame; /* [count], allocated one by one: formats keep the address of their reader */
    int64_t count, most_open;
    HaloRead *read;
    size_t reads;

    /* While a band is read: */
    int64_t first, rows;
    char *buffer;

    /* Where they are moved: */
    int64_t band; /* rows */
    int64_t held; /* bytes of plans and windows */

    pthread_mutex_t lock; /* of: */
    HaloFailure failed;   /* that of the first picture that failed */
    int64_t failed_at;
};

/* frames_move.c: the plan that moves a frame; the rows of it that are needed for this band; and the band, from
 * these. */
HaloStatus frame_plan(const Frames *frames, Frame *frame, const HaloShift *shift);
HaloStatus frame_window(const Frames *frames, Frame *frame);
HaloStatus frame_move(const Frames *frames, Frame *frame, char *to);

/* frames_read.c: rows from the next one on, or that many skipped. */
HaloStatus frame_rows(const Frames *frames, Frame *frame, int64_t rows, char *buffer);
HaloStatus frame_skip(Frame *frame, int64_t rows);
/* Opens an image, at its first row; adds the notes of its rows; closes it, where it is open. */
HaloStatus frame_open(const Frames *frames, Frame *frame);
void frames_note_lost(Frames *frames, const HaloReader *reader);
void frame_close(Frame *frame);

#endif
