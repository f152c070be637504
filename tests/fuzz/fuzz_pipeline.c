/* Any bytes as the text of a pipeline: an error with a message, or a pipeline that is planned and explained for
 * images and sound of several shapes. Nothing runs. */
#include <stdlib.h>
#include <string.h>

#include "halo/extend.h"

enum { MAX_PIXELS = 1 << 22, MAX_BYTES = 1 << 26 };

/* What comes in, and what is made of it; NULL: whatever holds the samples as they are. */
static const struct {
    HaloShape shape;
    const char *to;
} cases[] = {
    {{HALO_IMAGE, HALO_U8, 31, 17, 3, -1, 255, 0, false}, "png"},
    {{HALO_IMAGE, HALO_U16, 5, 900, 2, 1, 65535, 0, false}, "tiff"},
    {{HALO_IMAGE, HALO_F32, 1, 1, 1, -1, 1, 0, false}, NULL},
    {{HALO_IMAGE, HALO_U8, 1500, 700, 4, 3, 255, 0, false}, "npy"},
    {{HALO_AUDIO, HALO_F32, 4000, 1, 2, -1, 1, 44100, false}, "wav"},
    {{HALO_AUDIO, HALO_F32, 3, 1, 1, -1, 1, 1, false}, NULL},
};

static void check(HaloStatus status)
{
    if (status == HALO_OK) return;
    if (status != HALO_ERR_USAGE && status != HALO_ERR_INPUT && status != HALO_ERR_LIMIT) abort();
    if (halo_error()[0] == 0) abort();
}

static void plan(HaloSession *session, const HaloPipeline *pipeline, FILE *nowhere)
{
    const bool measures = halo_pipeline_only_measures(pipeline);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const HaloFormat *to = cases[i].to != NULL && !measures ? halo_find_format(cases[i].to) : NULL;
        HaloPlan *made = NULL;
        const HaloStatus status = halo_plan_make(session, pipeline, &cases[i].shape, to, &made);
        check(status);
        if (status != HALO_OK) continue;
        halo_plan_print(session, made, nowhere);
        halo_plan_free(made);
    }
    rewind(nowhere);
}

/* Could a text name a file of the system, which might be endless? */
static bool names_a_device(const char *text)
{
    return strstr(text, "/dev") != NULL || strstr(text, "/proc") != NULL || strstr(text, "/sys") != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static FILE *nowhere;
    const HaloOptions options = {
        .max_pixels = MAX_PIXELS, .max_memory = MAX_BYTES, .jobs = 1, .device = HALO_DEVICE_CPU};
    HaloSession *session = NULL;
    HaloPipeline *pipeline = NULL, *again = NULL;
    HaloRead read;
    char *const text = calloc(size + 1, 1);
    if (text == NULL || (nowhere == NULL && (nowhere = fopen("/dev/null", "w")) == NULL)) abort();
    memcpy(text, bytes, size);
    if (names_a_device(text)) goto out;
    if (halo_session_open_with(halo_tables(), &options, &session) != HALO_OK) abort();
    const HaloStatus status = halo_pipeline_parse(session, text, &pipeline);
    check(status);
    if (status == HALO_OK) {
        for (size_t i = 0; halo_pipeline_reads(pipeline, i, &read);) i++;
        if (halo_pipeline_parse(session, text, &again) != HALO_OK) abort();
        if (halo_pipeline_fingerprint(pipeline, "") != halo_pipeline_fingerprint(again, "")) abort();
        plan(session, pipeline, nowhere);
    }
out:
    halo_pipeline_free(pipeline);
    halo_pipeline_free(again);
    halo_session_close(session);
    free(text);
    return 0;
}
