/* Stands for JBIG-KIT, which Debian's libtiff is linked with, in archives and wheels: JBIG-KIT is under the
 * GPL, and so would be what holds it. libtiff calls these functions for TIFF files that are compressed by JBIG,
 * a method of fax machines, which halo refuses before (io/tiff). */
#include <stdlib.h>

#define NEVER_CALLED(function) \
    void function(void);       \
    void function(void) { abort(); }

NEVER_CALLED(jbg_dec_free)
NEVER_CALLED(jbg_dec_getimage)
NEVER_CALLED(jbg_dec_getsize)
NEVER_CALLED(jbg_dec_in)
NEVER_CALLED(jbg_dec_init)
NEVER_CALLED(jbg_enc_free)
NEVER_CALLED(jbg_enc_init)
NEVER_CALLED(jbg_enc_out)
NEVER_CALLED(jbg_newlen)
NEVER_CALLED(jbg_strerror)
