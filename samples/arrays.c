/* Takes the background from an array of samples: arrays in and out, two inputs, results, no files.
 *
 *     cc arrays.c -o arrays $(pkg-config --cflags --libs halo) && ./arrays */
#include <halo/halo.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 200
#define COLUMNS 300

static float image[ROWS][COLUMNS], dark[ROWS][COLUMNS];

static HaloArray array_of(float (*samples)[COLUMNS])
{
    HaloArray array;
    halo_array_defaults(&array);
    array.data = samples;
    array.type = HALO_TYPE_F32;
    array.dims = 2;
    array.size[0] = ROWS;
    array.size[1] = COLUMNS;
    return array;
}

static HaloStatus run(HaloSession *session, const HaloArray inputs[2])
{
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    HaloReport *report = NULL;
    HaloArray output;
    int64_t rows;
    const void *column;
    halo_array_defaults(&output);
    HaloStatus status = halo_pipeline_parse(session, "subtract:@2 | gauss:2 | stats", &pipeline);
    if (status == HALO_OK) status = halo_plan_open(session, pipeline, inputs, 2, &plan);
    if (status == HALO_OK)
        status = halo_plan_output(plan, 0, &output); /* its size and type, before anything runs */
    if (status == HALO_OK) {
        output.data = malloc((size_t)(output.size[0] * output.size[1]) * halo_type_size(output.type));
        if (output.data != NULL) status = halo_plan_run(plan, inputs, &output, NULL, &report);
    }
    for (int at = 0; status == HALO_OK && report != NULL; at++) {
        HaloColumnType type;
        const char *name = halo_report_column(report, 0, at, &type, &column);
        if (name == NULL) break;
        if (type == HALO_COLUMN_F64 && halo_report_table(report, 0, &rows, NULL) != NULL)
            printf("%s %g\n", name, ((const double *)column)[rows - 1]);
    }
    free(output.data);
    halo_report_close(report);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    return status;
}

int main(void)
{
    HaloSession *session = NULL;
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++) {
            dark[y][x] = 10.0f + (float)(x % 3);
            image[y][x] = dark[y][x] + (float)(x + y);
        }
    const HaloArray inputs[2] = {array_of(image), array_of(dark)};
    HaloStatus status = halo_session_open(NULL, &session);
    if (status == HALO_OK) status = run(session, inputs);
    if (status != HALO_OK) fprintf(stderr, "arrays: %s\n", halo_error());
    halo_session_close(session);
    return status == HALO_OK ? 0 : 1;
}
