/* command_bench.h -- what the commands of benchmarks share. */
#ifndef PIOLA_HOST_COMMAND_BENCH_H
#define PIOLA_HOST_COMMAND_BENCH_H

#include "host/bench/bench.h"
#include "host/bench/bench_compare.h"
#include "host/base/json.h"
#include "piola.h"

/* Fills the benchmark case of `b` from the options and opens its engine. Returns PIOLA_USAGE for options that are
 * wrong, and the errors of pio_engine_open(). */
piola_status pio_bench_mpm_prepare(pio_bench *b, const piola_bench_options *options, piola_error *error);

/* Writes the member `engine` of a report. */
void pio_bench_engine_json(pio_json *json, const pio_engine_module *engine);

/* Writes the members of a report's case that name the material. */
void pio_bench_material_json(pio_json *json, const pio_bench_case_options *options);

/* Measures 1000 particles, ten times as many, and so on, up to options->particles or until the memory does not suffice,
 * and prints one table, or with options->json one object. Returns the errors of piola_bench_mpm(). */
piola_status pio_bench_mpm_sizes(const piola_bench_options *options, piola_error *error);

/* Reads the report in the file `compare`, before anything is measured; with NULL *old is empty. Returns PIOLA_USAGE if
 * `json` is requested too, and the errors of pio_figures_load(). */
piola_status pio_bench_compare_open(pio_figures *old, const char *compare, bool json, const char *command,
                                    piola_error *error);
/* Ends the report `json`, a text in memory, prints its figures beside those of `old`, and frees the text. Returns the
 * errors of pio_json_finish() and of pio_figures_compare(). */
piola_status pio_bench_compare_print(const pio_figures *old, const char *compare, pio_json *json, piola_error *error);

#endif
