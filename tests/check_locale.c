/* The library in a program that has set a locale with a decimal comma: every number is read and printed as in
 * the C locale. Everything is done in both, and compared. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fopencookie, in cli/text/text.c */
#endif
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "pipelines.h"

/* The two files that read and write JSON, and what they need: they are the program's, not the library's. */
#include "../cli/text/json.c"
#include "../cli/text/json_read.c"
#include "../cli/text/text.c"

/* ---- the locale ----------------------------------------------------------------------------------------- */

static int make_locale(void **unused)
{
    (void)unused;
    char command[512];
    static const char source[] =
        "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
    bytes_to_file(test_path("comma.src"), source, sizeof source - 1);
    snprintf(command, sizeof command,
             "cd %s && localedef -c --quiet --no-archive -i ./comma.src ./comma 2> log", test_folder());
    if (system(command) == -1)
        return -1; /* it warns of all that the source leaves out; what counts is what is there */
    setenv("LOCPATH", test_folder(), 1);
    return 0;
}

static int remove_locale(void **unused)
{
    char command[512];
    snprintf(command, sizeof command, "rm -rf %s/comma", test_folder());
    return system(command) == 0 ? test_folder_remove(unused) : -1;
}

/* Fails with the first line that differs. */
static void expect_same_lines(const char *a, const char *b)
{
    size_t line = 0;
    for (size_t i = 0; a[i] != 0 || b[i] != 0; i++) {
        if (a[i] != b[i]) fail_msg("%.200s\nis with a comma\n%.200s", a + line, b + line);
        if (a[i] == '\n') line = i + 1;
    }
}

/* What `write` prints, once in the C locale and once in the other. */
static void expect_alike(void (*write)(FILE *to))
{
    char *text[2], point[8];
    size_t size[2];
    for (int comma = 0; comma < 2; comma++) {
        FILE *to = open_memstream(&text[comma], &size[comma]);
        assert_non_null(to);
        if (comma && setlocale(LC_ALL, "comma") == NULL) {
            fclose(to);
            free(text[0]);
            free(text[1]);
            print_message("no locale with a comma can be made: localedef is missing\n");
            skip();
        }
        write(to);
        snprintf(point, sizeof point, "%.1f", 0.5);
        setlocale(LC_ALL, "C");
        fclose(to);
        assert_string_equal(point, comma ? "0,5" : "0.5"); /* and the program's locale is unchanged */
    }
    assert_true(size[0] > 0);
    expect_same_lines(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

/* ---- pipelines ------------------------------------------------------------------------------------------ */

static HaloSession *session;

static void write_plan(FILE *to, const char *text, const HaloShape *shape)
{
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    if (halo_pipeline_parse(session, text, &pipeline) != HALO_OK ||
        halo_plan_make(session, pipeline, shape, NULL, &plan) != HALO_OK)
        fprintf(to, "%s\n", halo_error());
    else
        halo_plan_print(session, plan, to);
    halo_plan_free(plan);
    halo_pipeline_free(pipeline);
}

static void write_run(FILE *to, const char *text)
{
    static const HaloShape shape[] = {{.kind = HALO_IMAGE,
                                       .dtype = HALO_U8,
                                       .width = 17,
                                       .height = 9,
                                       .channels = 1,
                                       .alpha = -1,
                                       .white = 255},
                                      {.kind = HALO_AUDIO,
                                       .dtype = HALO_F32,
                                       .width = 999,
                                       .height = 1,
                                       .channels = 1,
                                       .alpha = -1,
                                       .white = 1,
                                       .rate = 22050.5}};
    for (int kind = 0; kind < 2; kind++) {
        Rng rng = {7};
        HaloBuf in = random_input(&shape[kind], false, &rng);
        Outcome outcome = pipeline_run(session, text, &in, NULL);
        fprintf(to, "%s: %d %s %llx\n", text, outcome.status, outcome.status != HALO_OK ? outcome.message : "",
                outcome.status == HALO_OK ? (unsigned long long)outcome_hash(&outcome) : 0);
        write_plan(to, text, &shape[kind]);
        outcome_free(&outcome);
        halo_buf_free(&in);
    }
}

/* Each operation as its example has it, and with every default given as text. */
static void write_operations(FILE *to)
{
    const HaloTables *tables = halo_tables();
    for (int i = 0; i < tables->ops; i++) {
        const HaloOp *op = tables->op[i];
        char text[600];
        example_pipeline(op, HALO_IMAGE, text, sizeof text);
        write_run(to, text);
        for (int p = 0; p < op->params; p++) {
            const HaloParam *param = &op->param[p];
            if (param->preset == NULL || param->preset[0] == 0 || strstr(op->example, param->key) != NULL)
                continue;
            example_pipeline(op, HALO_IMAGE, text, sizeof text);
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%c%s=%s", strchr(text, ':') == NULL ? ':' : ',',
                     param->key, param->preset);
            write_run(to, text);
        }
    }
}

static void operations(void **unused)
{
    (void)unused;
    expect_alike(write_operations);
}

static void write_values(FILE *to)
{
    static const char *const text[] = {"gauss:1.25",
                                       "gauss:0,5", /* no number, also where it would be one */
                                       "average:0.5ms",
                                       "average:12.5us",
                                       "lowpass:1.5kHz",
                                       "lowpass:99999.5",
                                       "gauss:2,border=constant=0.5",
                                       "stats:percentiles=\"0.5 99.95\"",
                                       "hist:bins=4,min=0.5,max=0.25",
                                       "clamp:min=1.5,max=0.5",
                                       "gamma:0.4545454545454545454545454545",
                                       "reduce:\"a+b*0.1\"",
                                       "reduce:\"a+1.5e-3*b\",map=\"a*2.5\"",
                                       "percentile:12.5",
                                       "conv:mask=\"3x1: .25,.5,1e-1\""};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) write_run(to, text[i]);
}

static void values(void **unused)
{
    (void)unused;
    expect_alike(write_values);
}

/* ---- masks, files, JSON --------------------------------------------------------------------------------- */

static void write_masks(FILE *to)
{
    static const char *const text[] = {"3x1: 0.1, -.25, 1.5e-3",
                                       "0.1,0.2;0.3,0.4",
                                       "2 2 8.5 0.125\n1.5 2.5\n3.5 4.5",
                                       "0.1\n0.2\n0.30000000000000004\n",
                                       "1,5\n2,5\n", /* two columns, not two numbers */
                                       "0.5,x"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        HaloMask mask;
        if (halo_mask_parse("k", text[i], strlen(text[i]), &mask) != HALO_OK) {
            fprintf(to, "%s\n", halo_error());
            continue;
        }
        fprintf(to, "%d x %d:", (int)mask.width, (int)mask.height);
        uint64_t bits[2];
        memcpy(bits, (double[]){mask.scale, mask.bias}, sizeof bits);
        fprintf(to, " %llx %llx;", (unsigned long long)bits[0], (unsigned long long)bits[1]);
        for (int64_t k = 0; k < mask.width * mask.height; k++) {
            memcpy(bits, &mask.tap[k], sizeof *bits);
            fprintf(to, " %llx", (unsigned long long)bits[0]);
        }
        fputc('\n', to);
        halo_mask_free(&mask);
    }
}

static void masks(void **unused)
{
    (void)unused;
    expect_alike(write_masks);
}

static void write_notes(FILE *to, const HaloNotes *notes)
{
    char buffer[HALO_NOTE_TEXT];
    for (int i = 0; i < HALO_NOTES; i++) {
        const char *text = halo_note_text(notes, (HaloNote)i, buffer);
        fprintf(to, "%s; ", text != NULL ? text : "");
    }
    fputc('\n', to);
}

static void write_info(FILE *to, const char *path)
{
    HaloInfo info = {0};
    const HaloFormat *format;
    if (halo_file_info(session, path, NULL, &info, &format) != HALO_OK)
        fprintf(to, "%s\n", strstr(halo_error(), ": "));
    else
        fprintf(to, "%s: %d x %d, %d, %s\n", format->name, (int)info.shape.width, (int)info.shape.height,
                info.bits, info.encoding);
    write_notes(to, &info.notes);
    halo_meta_free(&info.meta);
}

/* An array of floats into every format that takes it, byte for byte. */
static void write_files(FILE *to)
{
    static const char *const name[] = {"a.npy", "a.pfm", "a.pgm", "a.tif", "a.png", "a.jpg", "a.raw"};
    const HaloJob job = {.input = test_path("in.npy"), .force = HALO_FORCE_YES};
    char file[128 + 35 * 4] = "\x93NUMPY\1";
    const int head = snprintf(file + 10, 118, "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 7), }");
    file[8] = 118;
    memset(file + 10 + head, ' ', (size_t)(118 - head));
    for (int i = 0; i < 35; i++) memcpy(file + 128 + 4 * i, &(float){(float)i / 35.5f}, 4);
    bytes_to_file(job.input, file, sizeof file);
    write_info(to, job.input);
    HaloPipeline *pipeline = NULL;
    assert_int_equal(halo_pipeline_parse(session, "gauss:1.5", &pipeline), HALO_OK);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        HaloJob one = job;
        HaloReport report = {0};
        one.output = test_path(name[i]);
        if (halo_run_job(session, pipeline, &one, &report) != HALO_OK) {
            fprintf(to, "%s: %s\n", name[i], strstr(halo_error(), ": "));
            continue;
        }
        fprintf(to, "%s\n", name[i]);
        write_notes(to, &(HaloNotes){.count[HALO_NOTE_CLIPPED] = 1, .peak = 1.5f}); /* numbers with fractions */
        write_notes(to, &(HaloNotes){.count[HALO_NOTE_SCALED] = 1, .gain = 0.5f});
        write_notes(to, &report.notes);
        halo_report_clear(&report);
        Bytes bytes = bytes_of_file(one.output);
        for (size_t k = 0; k < bytes.size; k++) fprintf(to, "%02x", bytes.at[k]);
        fputc('\n', to);
        free(bytes.at);
        write_info(to, one.output);
    }
    halo_pipeline_free(pipeline);
}

static void files(void **unused)
{
    (void)unused;
    expect_alike(write_files);
}

static void write_json(FILE *to)
{
    static const double value[] = {0.5, -1.25e-300, 1e300, 123456789.125, 0.1};
    char *text = NULL;
    size_t size;
    FILE *page = open_memstream(&text, &size);
    assert_non_null(page);
    CliJson json = {.to = page};
    JsonValue *read;
    json_open(&json, NULL, '{');
    for (int i = 0; i < 5; i++) json_number(&json, (char[]){(char)('a' + i), 0}, value[i]);
    json_close(&json, '}');
    fclose(page);
    fputs(text, to);
    assert_int_equal(json_read(text, &read), HALO_OK);
    for (int i = 0; i < 5; i++) {
        double back = 0;
        assert_int_equal(json_get_number(read, (char[]){(char)('a' + i), 0}, &back), HALO_OK);
        assert_memory_equal(&back, &value[i], sizeof back);
    }
    json_free(read);
    free(text);
}

static void json_numbers(void **unused)
{
    (void)unused;
    expect_alike(write_json);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations), cmocka_unit_test(values),
                                       cmocka_unit_test(masks), cmocka_unit_test(files),
                                       cmocka_unit_test(json_numbers)};
    test_arguments(argc, argv);
    if (halo_session_open_with(halo_tables(), &(HaloOptions){.device = HALO_DEVICE_CPU, .jobs = 2}, &session) !=
        HALO_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, make_locale, remove_locale);
    halo_session_close(session);
    return failed;
}
