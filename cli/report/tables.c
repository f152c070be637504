/* Rows that an operation found, such as peaks. */
#include <math.h>
#include <string.h>

#include "report.h"

#define WIDTH 12
#define TIME_WIDTH 23 /* of a date with milliseconds */

/* Of a series with times the column "time", seconds from the first frame, is printed as that of the row. */
static const char *time_of(const HaloResult *result, const HaloTable *table, int64_t row, int column,
                           char text[HALO_TIME_SIZE])
{
    if (strcmp(table->column[column], "time") != 0 || strcmp(table->column[0], "frame") != 0) return NULL;
    return halo_result_time(result, (int64_t)table->cell[row * table->columns], text);
}

static void print_cell(FILE *to, const HaloResult *result, const HaloTable *table, int64_t row, int column)
{
    char text[HALO_TIME_SIZE];
    const char *time = time_of(result, table, row, column, text);
    if (time != NULL)
        fprintf(to, "  %*s", TIME_WIDTH, time);
    else
        fprintf(to, "  %*.*g", WIDTH, column == 0 ? 15 : 7, table->cell[row * table->columns + column]);
}

static void print_rows(FILE *to, const char *channel, const HaloResult *result, const HaloTable *table)
{
    char text[32];
    fprintf(to, "%s%s%s: %s %.*s\n", cli_ink(CLI_BOLD), channel, cli_ink(CLI_PLAIN),
            cli_thousands((uint64_t)table->rows, text), (int)strlen(table->name) - (table->rows == 1),
            table->name);
    for (int k = 0; table->rows > 0 && k < table->columns; k++) {
        char time[HALO_TIME_SIZE];
        const bool timed = time_of(result, table, 0, k, time) != NULL;
        fprintf(to, "  %*s", timed ? TIME_WIDTH : WIDTH, table->column[k]);
    }
    if (table->rows > 0) fputc('\n', to);
    for (int64_t r = 0; r < table->rows; r++) {
        for (int k = 0; k < table->columns; k++) print_cell(to, result, table, r, k);
        fputc('\n', to);
    }
}

void cli_print_table(FILE *to, const HaloResult *result)
{
    char text[16];
    const int channels = result->shape.channels, shown = cli_shown_channels(channels);
    for (int c = 0; c < shown; c++)
        print_rows(to, halo_result_channel(result, c, text), result, &result->table[c]);
    cli_print_left_out(to, channels);
}

void cli_record_table(CliJson *json, const HaloTable *table)
{
    json_open(json, table->name, '[');
    for (int64_t r = 0; r < table->rows; r++) {
        json_open(json, NULL, '{');
        for (int k = 0; k < table->columns; k++)
            json_number(json, table->column[k], table->cell[r * table->columns + k]);
        json_close(json, '}');
    }
    json_close(json, ']');
}
