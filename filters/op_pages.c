/* pages: which pages of an input are read. */
#include "halo/op.h"
#include "halo/pages.h"

static HaloStatus check_pages(const char *where, const char *text)
{
    HaloPages pages;
    if (halo_read_pages(text, &pages)) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "%s: expected a page or pages, such as 3, 10-20, 5- (to the last) or -1 (the last), found "
                     "'%.60s'",
                     where, text);
}

/* Pages are selected as the input is read (HaloOp.selects). */
static HaloStatus build_pages(HaloBuilder *builder, const HaloValue *arg, HaloReg in, HaloReg *out)
{
    (void)builder, (void)arg;
    *out = in;
    return HALO_OK;
}

static const HaloParam pages_param[] = {
    {.key = "which",
     .type = HALO_PARAM_TEXT,
     .help = "a page, from 1, or a range: 3, 10-20, 5- to the last; -1 is the last, -3- the last three",
     .check = check_pages},
};

const HaloOp halo_op_pages = {
    .name = "pages",
    .help = "select pages of a TIFF, an array or concatenated images; must be the first operation",
    .synonyms = "page",
    .known_as = "frames frame select slice",
    .example = "pages:1",
    .kinds = HALO_IMAGE,
    .selects = true,
    HALO_PARAMS(pages_param),
    .build = build_pages};
