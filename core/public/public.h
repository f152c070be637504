/* The functions of halo.h that work on files. */
#ifndef CORE_PUBLIC_H
#define CORE_PUBLIC_H

#include "session.h"

/* A HaloFile of the caller, checked. */
typedef struct PublicFile {
    HaloFile file; /* with all members that this version has */
    const char *name;
    void *own; /* the bytes that a `read` function gave; or NULL */
    const HaloFormat *format;
} PublicFile;

/* file.c: HALO_ERR_USAGE for what is not a file; reads all of an input behind a function. Closed by
 * public_file_close, also where that failed. */
HaloStatus public_input(const HaloSession *session, const HaloFile *given, PublicFile *file);
HaloStatus public_output(const HaloSession *session, const HaloFile *given, PublicFile *file);
void public_file_close(PublicFile *file);
/* Borrows a session that reads inputs in the format of this one, where the caller named it; given back by
 * public_return. */
HaloStatus public_borrow(HaloSession *session, const PublicFile *input, HaloSession **work);
void public_return(HaloSession *session, HaloSession *work);
HaloStatus public_open(const PublicFile *file, HaloSource **source);
HaloWriteOptions public_write_options(const PublicFile *file);

#endif
