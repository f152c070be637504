/* Binary seeds: metadata of files, frames of MP3, which halo only reads, and files with the choice of an
 * operation before them. */
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "halo/extend.h"
#include "seeds.h"

/* ---- frames of MP3 ------------------------------------------------------------------------------------- */

/* A frame whose side information and samples are all zero is silence. `count` stands in a Xing header of the
 * first frame, which is none of them; 0: there is no such header. */
static Bytes silent_frames(const uint8_t header[4], size_t frame_bytes, size_t side_bytes, size_t frames,
                           uint8_t count)
{
    Bytes made = {calloc(frames + 1, frame_bytes), 0};
    if (made.at == NULL) abort();
    if (count > 0) {
        memcpy(made.at, header, 4);
        memcpy(made.at + 4 + side_bytes, "Xing\0\0\0\1\0\0\0", 11);
        made.at[4 + side_bytes + 11] = count;
        made.size += frame_bytes;
    }
    for (size_t i = 0; i < frames; i++, made.size += frame_bytes) memcpy(made.at + made.size, header, 4);
    return made;
}

size_t mp3_seeds(Bytes seed[MP3_SEEDS])
{
    static const uint8_t stereo[4] = {0xff, 0xfb, 0x10, 0x44}; /* MPEG-1, 44.1 kHz, 32 kbit/s */
    static const uint8_t mono[4] = {0xff, 0xf3, 0x10, 0xc4};   /* MPEG-2, 22.05 kHz, 8 kbit/s */
    seed[0] = silent_frames(stereo, 104, 32, 4, 0);
    seed[1] = silent_frames(stereo, 104, 32, 4, 4);
    seed[2] = silent_frames(mono, 26, 9, 6, 0);
    seed[3] = silent_frames(mono, 26, 9, 6, 0);
    bytes_insert(&seed[3], 0, "ID3\3\0\0\0\0\0\x0cTIT2\0\0\0\2\0\0\0a", 22);
    bytes_insert(&seed[3], seed[3].size, "TAGtitle", 8);
    return MP3_SEEDS;
}

/* ---- metadata ------------------------------------------------------------------------------------------ */

#define XMP_HEAD "X<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='r'><rdf:Description "
#define XMP_TAIL "</rdf:RDF></x:xmpmeta>"

static const struct {
    const char *bytes;
    size_t size;
} metadata[] = {
    /* orientation; the same with a thumbnail behind it; width and height below EXIF's own directory */
    {TEXT("EMM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0")},
    {TEXT("EII*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\x1a\0\0\0"
          "\2\0\1\2\4\0\1\0\0\0\x38\0\0\0\2\2\4\0\1\0\0\0\4\0\0\0\0\0\0\0\xff\xd8\xff\xd9")},
    {TEXT("EMM\0*\0\0\0\x08\0\1\x87\x69\0\4\0\0\0\1\0\0\0\x1a\0\0\0\0"
          "\0\2\xa0\2\0\3\0\0\0\1\0\5\0\0\xa0\3\0\4\0\0\0\1\0\0\0\7\0\0\0\0")},
    /* directories: a text and a number, one below, a text that is not there, a BigTIFF's */
    {TEXT("D\0\x08\0\0\0\0\0\0\0\0\2\0\x0f\1\2\0\6\0\0\0\x26\0\0\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0maker\0")},
    {TEXT("D\1\x08\0\0\0\0\0\0\0\0\0\1\x87\x69\0\4\0\0\0\1\0\0\0\x1a\0\0\0\0\0\1\x90\0\0\7\0\0\0\4"
          "0230\0\0\0\0")},
    {TEXT("D\0\x08\0\0\0\0\0\0\0\0\2\0\x0f\1\2\0\6\0\0\0\xff\0\0\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0\0")},
    {TEXT("D\2\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\x12\1\3\0\1\0\0\0\0\0\0\0\6\0\0\0\0\0\0\0"
          "\0\0\0\0\0\0\0\0")},
    {TEXT("P8BIM\4\4\0\0\0\0\0\x0a\x1c\2\x69\0\5hello")},
    {TEXT("P8BIM\3\xed\0\0\0\0\0\3abc\0008BIM\4\4\3abc\0\0\0\7\x1c\2\5\0\2hi")},
    {TEXT("I\x1c\1\x5a\0\3\x1b%G\x1c\2\5\0\4name\0\0")},
    {TEXT("I\x1c\2\x05\x80\4\0\0\0\2hi")},
    {TEXT(XMP_HEAD
          "xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='6' tiff:ImageWidth='9'/>" XMP_TAIL)},
    {TEXT(XMP_HEAD
          "xmlns:e=\"http://ns.adobe.com/exif/1.0/\"><e:PixelXDimension> 7 </e:PixelXDimension>" XMP_TAIL)},
    {TEXT("CTITLE=a lake")},
    {TEXT("Cown key=\xc3\xa9\xff\n")},
    {TEXT("CMETADATA_BLOCK_PICTURE=AAAAAwAAAAlpbWFnZS9wbmcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")},
    {TEXT("LINFOINAM\6\0\0\0title\0ICMT\3\0\0\0so\0\0IART\0\0\0\0")},
    {TEXT("RLIST\x12\0\0\0INFOINAM\6\0\0\0title\0cue \4\0\0\0\0\0\0\0fact\4\0\0\0\4\0\0\0")},
    {TEXT("Rbext\5\0\0\0hello\0id3 \x0a\0\0\0ID3\4\0\0\0\0\0\0data\2\0\0\0\1\2")},
    {TEXT("Sbext\xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a\x20\0\0\0\0\0\0\0hello\0\0\0"
          "list\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0\x24\0\0\0\0\0\0\0INFOISFT\4\0\0\0abc\0")},
};

size_t metadata_seeds(Bytes seed[METADATA_SEEDS])
{
    const size_t count = sizeof metadata / sizeof *metadata;
    if (count > METADATA_SEEDS) abort();
    for (size_t i = 0; i < count; i++) seed[i] = (Bytes){(uint8_t *)metadata[i].bytes, metadata[i].size};
    return count;
}

/* ---- an operation and a file --------------------------------------------------------------------------- */

Bytes run_seed(size_t i, const void *file, size_t size)
{
    const int ops = halo_tables()->ops;
    const uint8_t head[] = {(uint8_t)(i % (size_t)ops), (uint8_t)(i / 5), (uint8_t)i, 1, 2, 3};
    Bytes made = {malloc(1), 0};
    if (made.at == NULL) abort();
    bytes_insert(&made, 0, head, sizeof head);
    bytes_insert(&made, made.size, file, size);
    return made;
}
