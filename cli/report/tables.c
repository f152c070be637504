/* Rows that an operation found, such as peaks. */
#include <math.h>
#include <string.h>

#include "report.h"

#define WIDTH 12

static void print_rows(FILE *to, const char *channel, const HaloTable *table)
{
    char text[32];
    fprintf(to, "%s%s%s: %s %.*s\n", cli_ink(CLI_BOLD), channel, cli_ink(CLI_PLAIN),
            cli_thousands((uint64_t)table->rows, text), (int)strlen(table->name) - (table->rows == 1),
            table->name);
    for (int k = 0; table->rows > 0 && k < table->columns; k++) fprintf(to, "  %*s", WIDTH, table->column[k]);
    if (table->rows > 0) fputc('\n', to);
    for (int64_t r = 0; r < table->rows; r++) {
        for (int k = 0; k < table->columns; k++)
            fprintf(to, "  %*.*g", WIDTH, k == 0 ? 15 : 7, table->cell[r * table->columns + k]);
        fputc('\n', to);
    }
}

void cli_print_table(FILE *to, const HaloResult *result)
{
    char text[16];
    const int channels = result->shape.channels, shown = cli_shown_channels(channels);
    for (int c = 0; c < shown; c++) print_rows(to, halo_result_channel(result, c, text), &result->table[c]);
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
