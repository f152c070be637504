/* Pictures of FLAC, between libFLAC and the bytes of their blocks. */
#ifdef HALO_HAVE_FLAC
#include <FLAC/metadata.h>
#include <stdlib.h>
#include <string.h>

#include "flac.h"
#include "meta/picture.h"

HaloStatus flac_take_picture(const FLAC__StreamMetadata_Picture *picture, HaloMeta *meta)
{
    const char *const words = (const char *)picture->description;
    const HaloPicture taken = {.type = (uint32_t)picture->type,
                               .mime = picture->mime_type,
                               .mime_size = strlen(picture->mime_type),
                               .words = words,
                               .words_size = strlen(words),
                               .width = picture->width,
                               .height = picture->height,
                               .depth = picture->depth,
                               .colors = picture->colors,
                               .data = picture->data,
                               .size = picture->data_length};
    return halo_picture_put(&taken, meta);
}

/* A copy that ends with a zero; NULL without memory. */
static char *copy(const char *text, size_t size)
{
    char *own = malloc(size + 1);
    if (own == NULL) return NULL;
    if (size > 0) memcpy(own, text, size);
    own[size] = 0;
    return own;
}

FLAC__StreamMetadata *flac_make_picture(const HaloBlob *blob, HaloStatus *status)
{
    HaloPicture from;
    bool wrong = !halo_picture_take(blob, &from);
    *status = HALO_OK;
    if (wrong) return NULL;
    FLAC__StreamMetadata *block = FLAC__metadata_object_new(FLAC__METADATA_TYPE_PICTURE);
    char *mime = copy(from.mime, from.mime_size), *words = copy(from.words, from.words_size);
    bool made = block != NULL && mime != NULL && words != NULL;
    if (made) {
        FLAC__StreamMetadata_Picture *picture = &block->data.picture;
        picture->type = (FLAC__StreamMetadata_Picture_Type)from.type;
        picture->width = from.width, picture->height = from.height;
        picture->depth = from.depth, picture->colors = from.colors;
        made = FLAC__metadata_object_picture_set_mime_type(block, mime, true) &&
               FLAC__metadata_object_picture_set_description(block, (FLAC__byte *)words, true) &&
               FLAC__metadata_object_picture_set_data(block, (FLAC__byte *)from.data, (FLAC__uint32)from.size,
                                                      true) &&
               FLAC__metadata_object_picture_is_legal(block, NULL) &&
               block->length < 1u << FLAC__STREAM_METADATA_LENGTH_LEN;
        wrong = !FLAC__metadata_object_picture_is_legal(block, NULL);
    }
    free(mime), free(words);
    if (!made && block != NULL) FLAC__metadata_object_delete(block);
    if (!made && !wrong)
        *status = halo_fail(HALO_ERR_LIMIT, "not enough memory for a picture of %zu bytes", blob->size);
    return made ? block : NULL;
}

#endif
