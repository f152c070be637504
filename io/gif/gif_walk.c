/* Goes from frame to frame of a GIF. */
#ifdef HALO_HAVE_GIF
#include <stdlib.h>
#include <string.h>

#include "giffile.h"
#include "meta/meta.h"

#define MOST_COMMENT 65536

static int take(GifFileType *file, GifByteType *to, int size)
{
    GifWalk *walk = file->UserData;
    const size_t left = walk->size - walk->at, count = (size_t)size < left ? (size_t)size : left;
    memcpy(to, walk->bytes + walk->at, count);
    walk->at += count;
    return (int)count;
}

static HaloStatus fail(int code)
{
    const char *text = gif.GifErrorString(code);
    if (code == D_GIF_ERR_NOT_ENOUGH_MEM) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read GIF");
    return halo_fail(HALO_ERR_INPUT, "GIF is damaged or truncated: %s",
                     text != NULL ? text : "no reason given");
}

HaloStatus gif_walk_fail(const GifWalk *walk) { return fail(walk->file->Error); }

HaloStatus gif_walk_open(GifWalk *walk)
{
    int code = 0;
    walk->at = 0;
    walk->plays = 1;
    walk->control.TransparentColor = NO_TRANSPARENT_COLOR;
    walk->file = gif.DGifOpen(walk, take, &code);
    return walk->file != NULL ? HALO_OK : fail(code);
}

void gif_walk_close(GifWalk *walk)
{
    int code;
    if (walk->file != NULL) gif.DGifCloseFile(walk->file, &code);
    walk->file = NULL;
}

/* An extension's blocks; the first byte of each is its length. */
static HaloStatus take_extension(GifWalk *walk)
{
    HaloStatus status = HALO_OK;
    char *comment = NULL;
    size_t length = 0;
    GifByteType *block;
    int kind;
    if (gif.DGifGetExtension(walk->file, &kind, &block) == GIF_ERROR) return gif_walk_fail(walk);
    const bool keeps = kind == COMMENT_EXT_FUNC_CODE && walk->comments != NULL;
    if (keeps && (comment = malloc(MOST_COMMENT)) == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory to read GIF");
    const bool loops = kind == APPLICATION_EXT_FUNC_CODE && block != NULL && block[0] == 11 &&
                       memcmp(block + 1, "NETSCAPE2.0", 11) == 0;
    while (block != NULL) {
        if (loops && block[0] == 3 && block[1] == 1) { /* repeats after the first time; 0: without end */
            const int again = block[2] | block[3] << 8;
            walk->plays = again > 0 ? again + 1 : 0;
        }
        if (kind == GRAPHICS_EXT_FUNC_CODE) gif.DGifExtensionToGCB(block[0], block + 1, &walk->control);
        if (keeps && length + block[0] <= MOST_COMMENT) {
            memcpy(comment + length, block + 1, block[0]);
            length += block[0];
        }
        if (gif.DGifGetExtensionNext(walk->file, &block) == GIF_ERROR) {
            status = gif_walk_fail(walk);
            goto out;
        }
    }
    if (length > 0) HALO_TRY(halo_text_add(walk->comments, "Comment", comment, length, HALO_UTF_8));
out:
    free(comment);
    return status;
}

HaloStatus gif_walk_on(GifWalk *walk, bool *there)
{
    *there = false;
    walk->control = (GraphicsControlBlock){.TransparentColor = NO_TRANSPARENT_COLOR};
    for (;;) {
        GifRecordType record;
        walk->record = walk->at;
        if (gif.DGifGetRecordType(walk->file, &record) == GIF_ERROR) return gif_walk_fail(walk);
        if (record == TERMINATE_RECORD_TYPE) return HALO_OK;
        if (record == EXTENSION_RECORD_TYPE) {
            const HaloStatus status = take_extension(walk);
            if (status != HALO_OK) return status;
        } else if (record == IMAGE_DESC_RECORD_TYPE) {
            if (gif.DGifGetImageHeader(walk->file) == GIF_ERROR) return gif_walk_fail(walk);
            *there = true;
            return HALO_OK;
        }
    }
}

HaloStatus gif_walk_past(GifWalk *walk)
{
    GifByteType *block;
    int size;
    if (gif.DGifGetCode(walk->file, &size, &block) == GIF_ERROR) return gif_walk_fail(walk);
    while (block != NULL)
        if (gif.DGifGetCodeNext(walk->file, &block) == GIF_ERROR) return gif_walk_fail(walk);
    return HALO_OK;
}
#endif
