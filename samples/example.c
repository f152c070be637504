/* Blurs an image with libhalo and prints the mean of the result.
 *
 *     cc example.c -o example $(pkg-config --cflags --libs halo) && ./example in.png out.png */
#include <halo/halo.h>

int main(int argc, char **argv)
{
    if (argc != 3) return fprintf(stderr, "usage: example INPUT OUTPUT\n"), HALO_ERR_USAGE;
    HaloSession *session = NULL;
    HaloPipeline *blur = NULL;
    const HaloJob job = {.input = argv[1], .output = argv[2], .force = true};
    HaloReport report = {0};
    HaloStatus status = halo_session_open(NULL, &session);
    if (status == HALO_OK) status = halo_pipeline_parse(session, "gauss:2 | stats", &blur);
    if (status == HALO_OK) status = halo_run(session, blur, &job, &report);
    if (status == HALO_OK)
        printf("%s: %lld x %lld, mean %.3f, on %s\n", argv[2], (long long)report.input.width,
               (long long)report.input.height, report.results.item[0].all.mean, report.backend);
    else
        fprintf(stderr, "example: %s\n", halo_error());
    halo_report_free(&report);
    halo_pipeline_free(blur);
    halo_session_close(session);
    return status;
}
