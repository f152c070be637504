/* The program: reads the command line, hands over to a command, and sees that everything printed arrived. It
 * sets no locale, so that numbers look the same for everyone and every script. */
#include <stdlib.h>
#include <unistd.h>

#include "batch/signals.h"
#include "halo/front_end.h"
#include "options.h"
#include "text/page.h"

static int run_command(const CliSettings *settings)
{
    static const struct {
        unsigned commands;
        int (*run)(const CliSettings *settings);
    } rows[] = {{CLI_WORKS, cli_run},   {CLI_INFO, cli_info},         {CLI_STACK, cli_stack},
                {CLI_PAGES, cli_pages}, {CLI_JOIN, cli_join},         {CLI_COMPARE, cli_compare},
                {CLI_SPLIT, cli_split}, {CLI_SILENCES, cli_silences}, {CLI_LIST, cli_list},
                {CLI_MERGE, cli_merge}, {CLI_DRAWS, cli_plot},        {CLI_BENCH, cli_bench},
                {CLI_HELP, cli_help},   {CLI_ALIGN, cli_align}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].commands & settings->command->bit) return rows[i].run(settings);
    cli_complain("internal: 'halo %s' has no function", settings->command->name);
    return HALO_ERR_BUG;
}

static int dispatch(const CliSettings *settings)
{
    if (settings->help) return cli_help(settings);
    if (settings->version) return cli_version(settings);
    if (settings->generate != NULL) return cli_generate(settings);
    if (settings->complete != NULL) return cli_complete(settings->complete);
    if (settings->bench.devices != NULL && !cli_times_devices(settings)) {
        cli_complain(
            "--device: '%s' is a list, which only 'halo bench ops' takes; 'all' is every GPU of the machine",
            settings->bench.devices);
        return HALO_ERR_USAGE;
    }
    if (settings->command != NULL) return run_command(settings);
    cli_complain("a command is missing; see 'halo --help'");
    return HALO_ERR_USAGE;
}

/* The library's statuses are not exit statuses: an internal error exits with sysexits.h's, a closed pipe as the
 * shell says of a SIGPIPE. */
static int exit_status(int status)
{
    switch (status) {
    case HALO_ERR_BUG:
        cli_complain("this is a fault of halo: please report the command, its input and 'halo --version'");
        return 70;
    case HALO_ERR_PIPE: return 141;
    default: return status;
    }
}

int main(int argc, char **argv)
{
    CliSettings settings = {0};
    halo_serve_program();
    cli_page_guard_standard();
    cli_signals_install();
    int status = cli_parse(argc, argv, &settings);
    if (status != HALO_OK)
        cli_complain("%s", halo_error());
    else
        status = dispatch(&settings);
    free(settings.word);
    free(settings.op_args.data);
    free(settings.include.word);
    free(settings.exclude.word);
    halo_meta_free(&settings.tags);
    free(settings.recipe.data);
    return exit_status(status);
}
