/* command_bench_compare.c -- piola bench --compare: a benchmark beside an earlier one. */
#include "host/command/command_bench.h"

#include "host/base/fail.h"

piola_status pio_bench_compare_open(pio_figures *old, const char *compare, bool json, const char *command,
                                    piola_error *error)
{
    *old = (pio_figures){0};
    if (!compare) return PIOLA_OK;
    if (json) return pio_fail(error, PIOLA_USAGE, "--compare prints a table for people; it has no --json");
    return pio_figures_load(old, compare, command, error);
}

piola_status pio_bench_compare_print(const pio_figures *old, const char *compare, pio_json *json, piola_error *error)
{
    pio_figures new = {0};
    piola_status rc = pio_json_finish(json, error);
    if (!rc) rc = pio_figures_read(&new, json->text, "this report", error);
    if (!rc) rc = pio_figures_compare(old, &new, compare, error);
    pio_figures_free(&new);
    pio_json_free(json);
    return rc;
}
