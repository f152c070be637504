/* What reading and writing of PNG have in common: libpng's errors, warnings, memory and limits, and the chunks
 * that it is to leave alone. */
#include "pngfile.h"

#include <stdlib.h>
#include <string.h>

/* libpng requires that this does not return; it jumps to the latest halo_png_guard. */
_Noreturn static void on_error(png_structp png, png_const_charp message)
{
    PngGuard *guard = png_get_error_ptr(png);
    if (guard->status == HALO_OK) guard->status = halo_fail(guard->blame, "PNG: %s", message);
    longjmp(guard->jump, 1);
}

const struct PngCode halo_png_codes[HALO_COLOUR_CODES] = {
    [HALO_CICP] = {"cICP", 4}, [HALO_MDCV] = {"mDCv", 24}, [HALO_CLLI] = {"cLLi", 8}};

void halo_png_keep_codes(png_structp png)
{
    png_byte names[HALO_COLOUR_CODES * 5];
    for (int i = 0; i < HALO_COLOUR_CODES; i++) memcpy(names + 5 * i, halo_png_codes[i].name, 5);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, names, HALO_COLOUR_CODES);
}

/* libpng's messages for chunks that it leaves out, since they are too large, also unpacked, or too many. */
static bool is_too_much(const char *words)
{
    return strcmp(words, ": out of memory") == 0 || strcmp(words, ": truncated") == 0 ||
           strcmp(words, ": no space in chunk cache") == 0 ||
           strcmp(words, ": length exceeds libpng limit") == 0; /* 1.6.48 */
}

/* libpng's warnings are about chunks around the samples; damaged samples are an error. A chunk with a wrong
 * checksum is left out, and counted; but tRNS changes samples, so damage to it is an error. libpng 1.6.39 loses
 * its place behind a tEXt chunk for which it has no memory. */
static void on_warning(png_structp png, png_const_charp message)
{
    PngGuard *guard = png_get_error_ptr(png);
    if (strcmp(message, "tEXt: insufficient memory to read chunk") == 0)
        png_error(png, "a tEXt chunk is too large");
    if (strlen(message) > 4 && is_too_much(message + 4)) halo_note(guard->notes, HALO_NOTE_LARGE, 1);
    if (strlen(message) < 5 || strcmp(message + 4, ": CRC error") != 0) return;
    if (guard->tolerate) {
        halo_note_damaged(guard->notes, -1, 0, false);
        return;
    }
    if (memcmp(message, "tRNS", 4) == 0) png_error(png, message);
    halo_note(guard->notes, HALO_NOTE_CHECKSUM, 1);
    for (int i = 0; i < HALO_COLOUR_CODES; i++)
        if (memcmp(message, halo_png_codes[i].name, 4) == 0) guard->damaged[i] = true;
}

static png_voidp on_malloc(png_structp png, png_alloc_size_t size)
{
    PngGuard *guard = png_get_mem_ptr(png);
    if (guard->largest > 0 && size > guard->largest)
        return NULL; /* libpng leaves the chunk out: see on_warning */
    void *memory = malloc(size);
    guard->starved = guard->starved || memory == NULL;
    return memory;
}

static void on_free(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

png_structp halo_png_struct(PngGuard *guard, HaloStatus blame, HaloNotes *notes)
{
    guard->blame = blame;
    guard->notes = notes;
    const png_structp png = (blame == HALO_ERR_INPUT ? png_create_read_struct_2 : png_create_write_struct_2)(
        PNG_LIBPNG_VER_STRING, guard, on_error, on_warning, guard, on_malloc, on_free);
    if (png == NULL) return NULL;
    /* The limit is --max-pixels, looked at before anything is allocated by size. */
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    /* Profiles that libpng rejects are left out, without refusing the image. */
    png_set_benign_errors(png, 1);
    return png;
}

HaloStatus halo_png_guard(PngGuard *guard, void (*step)(void *), void *arg)
{
    guard->status = HALO_OK;
    if (setjmp(guard->jump) == 0) step(arg);
    if (guard->starved) guard->status = halo_fail(HALO_ERR_LIMIT, "not enough memory for PNG");
    return guard->status;
}
