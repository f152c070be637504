/* Stands for JBIG-KIT, which Debian's libtiff is linked with, in archives and wheels: JBIG-KIT is under the GPL,
 * and so would be what holds it. A TIFF that is compressed by JBIG, a method of fax machines, is refused with the
 * message below; halo writes none. These are the functions that libtiff's tif_jbig.c calls. */

enum { NOT_DECODED = 1 }; /* libtiff takes any status but 0 as a failure, and asks for its message */

const char *jbg_strerror(int status);
void jbg_dec_init(void *decoder);
int jbg_dec_in(void *decoder, unsigned char *data, unsigned long bytes, unsigned long *used);
unsigned char *jbg_dec_getimage(const void *decoder, int plane);
long jbg_dec_getsize(const void *decoder);
void jbg_dec_free(void *decoder);
int jbg_newlen(unsigned char *data, unsigned long bytes);
void jbg_enc_init(void *encoder, unsigned long width, unsigned long height, int planes, unsigned char **plane,
                  void (*write)(unsigned char *data, unsigned long bytes, void *file), void *file);
void jbg_enc_out(void *encoder);
void jbg_enc_free(void *encoder);

const char *jbg_strerror(int status)
{
    (void)status;
    return "JBIG is left out of this copy of libtiff";
}

void jbg_dec_init(void *decoder) { (void)decoder; }

int jbg_dec_in(void *decoder, unsigned char *data, unsigned long bytes, unsigned long *used)
{
    (void)decoder, (void)data, (void)bytes, (void)used;
    return NOT_DECODED;
}

unsigned char *jbg_dec_getimage(const void *decoder, int plane)
{
    (void)decoder, (void)plane;
    return 0;
}

long jbg_dec_getsize(const void *decoder)
{
    (void)decoder;
    return 0;
}

void jbg_dec_free(void *decoder) { (void)decoder; }

int jbg_newlen(unsigned char *data, unsigned long bytes)
{
    (void)data, (void)bytes;
    return NOT_DECODED;
}

void jbg_enc_init(void *encoder, unsigned long width, unsigned long height, int planes, unsigned char **plane,
                  void (*write)(unsigned char *data, unsigned long bytes, void *file), void *file)
{
    (void)encoder, (void)width, (void)height, (void)planes, (void)plane, (void)write, (void)file;
}

void jbg_enc_out(void *encoder) { (void)encoder; }

void jbg_enc_free(void *encoder) { (void)encoder; }
