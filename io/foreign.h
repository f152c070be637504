/* Recognises formats that halo does not read, so that the message can name them. */
#ifndef HALO_IO_FOREIGN_H
#define HALO_IO_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of such a format by the first bytes of a file ("GIF", "WebP", …), or NULL. *sound: it is one of
 * sound or video, which FFmpeg converts. */
const char *halo_foreign_name(const uint8_t *head, size_t size, bool *sound);

#endif
