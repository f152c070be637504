/* Blurs an image with libhalo and prints the mean of the result.
 *
 *     cc example.c -o example $(pkg-config --cflags --libs halo) && ./example in.png out.png */
#include <halo/halo.h>
#include <stdio.h>
#include <string.h>

/* The row "all" of the statistics; of gray pictures the only one. */
static void print_mean(const HaloReport *report)
{
    int64_t rows;
    int columns;
    const char *name;
    const void *data;
    if (halo_report_table(report, 0, &rows, &columns) == NULL) return;
    for (int at = 0; (name = halo_report_column(report, 0, at, NULL, &data)) != NULL; at++)
        if (strcmp(name, "mean") == 0)
            printf("mean %.3f, on %s\n", ((const double *)data)[rows - 1], halo_report_backend(report));
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: example INPUT OUTPUT\n");
        return 2;
    }
    HaloSession *session = NULL;
    HaloPipeline *blur = NULL;
    HaloReport *report = NULL;
    HaloFile in = HALO_FILE(argv[1]), out = HALO_FILE(argv[2]);
    out.replace = true;
    HaloStatus status = halo_session_open(NULL, &session);
    if (status == HALO_OK) status = halo_pipeline_parse(session, "gauss:2 | stats", &blur);
    if (status == HALO_OK) status = halo_run(session, blur, &in, &out, &report);
    if (status == HALO_OK)
        print_mean(report);
    else
        fprintf(stderr, "example: %s\n", halo_error());
    halo_report_close(report);
    halo_pipeline_free(blur);
    halo_session_close(session);
    return status == HALO_OK ? 0 : 1;
}
