/* What `halo info` shows of metadata: texts, and EXIF of photographs (info_texts.c). */
#ifndef CLI_INFO_TEXTS_H
#define CLI_INFO_TEXTS_H

#include "halo/tags.h"
#include "text/json.h"

void info_print_texts(FILE *to, const HaloMeta *meta);
/* Spacing and origin of samples in space; nothing where they are not known. */
void info_record_grid(CliJson *json, const HaloGrid *grid);
void info_print_grid(FILE *to, const HaloGrid *grid);
void info_record_texts(CliJson *json, const HaloMeta *meta);
void info_print_photo(FILE *to, const HaloBlob *exif);
void info_record_photo(CliJson *json, const HaloBlob *exif);

#endif
