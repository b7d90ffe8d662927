/* csv_ply.c -- a table of a PLY file: the properties of its vertices are the columns. */
#include "host/data/csv.h"
#include "host/data/ply.h"

#include "host/base/decimal.h"

#include <stdlib.h>

piola_status pio_csv_of_ply(pio_csv *csv, size_t size, piola_error *error)
{
    pio_input in = {.path = csv->path, .text = csv->text, .size = size, .error = error};
    pio_ply ply;
    const pio_locale old = pio_locale_begin();
    pio_ply_read(&ply, &in);
    pio_locale_end(old);
    if (!in.status && !ply.n_columns) pio_input_fail(&in, "the vertices have no properties that are one number");
    free(csv->text);
    csv->text = NULL;
    if (in.status) {
        pio_ply_free(&ply);
        return in.status;
    }
    csv->columns = ply.columns;
    csv->n_columns = ply.n_columns;
    csv->values = ply.values;
    csv->n_rows = ply.n_rows;
    ply.columns = NULL; /* the table owns them now */
    ply.values = NULL;
    ply.n_columns = 0;
    pio_ply_free(&ply);
    return PIOLA_OK;
}
