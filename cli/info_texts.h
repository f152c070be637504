/* What `halo info` shows of metadata: texts, and EXIF of photographs (info_texts.c). */
#ifndef CLI_INFO_TEXTS_H
#define CLI_INFO_TEXTS_H

#include "halo/tags.h"
#include "text/json.h"

void info_print_texts(FILE *to, const HaloMeta *meta);
void info_record_texts(CliJson *json, const HaloMeta *meta);
void info_print_photo(FILE *to, const HaloBlob *exif);
void info_record_photo(CliJson *json, const HaloBlob *exif);

#endif
