/* residual_file.c -- see residual_file.h. */
#include "host/results/residual_file.h"

#include "host/base/csv_text.h"
#include "host/base/fail.h"
#include "host/base/new_file.h"
#include "host/run/output_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "term,of,sample,time,component,measured,computed,sigma,residual\r\n";

piola_status pio_residual_file_replaces(const char *folder, piola_error *error)
{
    char path[PIO_PATH];
    pio_path_join(path, sizeof path, folder, PIO_RESIDUAL_FILE);
    return pio_new_file_replaces(path, head, strlen("term,of,sample,"), "residuals table", error);
}

static void put_row(FILE *to, const pio_session *s, int j)
{
    const pio_residual *r = &s->residuals.list[j];
    const pio_term *t = &s->objective.terms[r->term];
    const double computed =
        pio_residual_value(&s->residuals, j, s->model, s->evaluation.samples, s->evaluation.filtered);
    char variable[256];
    pio_csv_put_text(to, t->name);
    fputc(',', to);
    if (j < s->residuals.observed) {
        const pio_output *o = t->output;
        pio_csv_put_text(to, o->name);
        fprintf(to, ",%d,", r->sample);
        pio_csv_put_number(to, o->time[r->sample]);
        fprintf(to, ",%d,", (r->at - o->first) % o->components);
    } else {
        pio_model_variable_name(s->model, r->at, variable, sizeof variable);
        pio_csv_put_text(to, variable);
        fputs(",,,,", to);
    }
    const double values[] = {r->expected, computed, 1 / r->factor, s->evaluation.r[j]};
    for (int k = 0; k < 4; k++) {
        pio_csv_put_number(to, values[k]);
        fputs(k < 3 ? "," : "\r\n", to);
    }
}

piola_status pio_residual_file_write(const pio_session *s, piola_error *error)
{
    char path[PIO_PATH], *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return pio_fail_memory(error, 1 << 16, PIO_RESIDUAL_FILE);
    fputs(head, to);
    for (int j = 0; j < s->residuals.n; j++) put_row(to, s, j);
    const bool lost = ferror(to) | fclose(to);
    pio_session_path(s, PIO_RESIDUAL_FILE, path, sizeof path);
    const piola_status rc =
        lost ? pio_fail_memory(error, size, PIO_RESIDUAL_FILE) : pio_write_file_atomically(path, text, size, error);
    free(text);
    return rc;
}
