/* Room host/data: tables of numbers from CSV, HDF5 and PLY. */
/* csv.h -- numeric tables: one header line of column names, then rows of finite numbers, separated by commas.
 *
 * A file of HDF5 is a table too: every one-dimensional dataset of numbers in its root group is a column, all of one
 * length; faults in it are `file: /column[row]: error: ...`, rows from 0. So is a file of PLY: its vertices are the
 * rows, their properties the columns.
 *
 * Blank lines and lines that begin with # are skipped; names may stand in double quotes. At most 256 MiB and 1000
 * columns. Every fault is `file:line:col: error: ...`, lines and columns from 1. */
#ifndef PIOLA_HOST_CSV_H
#define PIOLA_HOST_CSV_H

#include "host/base/sha256.h"

typedef struct pio_csv {
    char *path, *text; /* text NULL: of HDF5, PLY */
    char **columns;
    size_t n_columns, n_rows;
    double *values;               /* [n_rows][n_columns] */
    size_t *row_at;               /* [n_rows + 1] byte where the row begins; the first is the header's; else NULL */
    char sha256[PIO_SHA256_TEXT]; /* of the file */
} pio_csv;

/* csv_load.c. On failure *out is empty (safe to free) and status is PIOLA_NO_INPUT, PIOLA_BAD_DATA or
 * PIOLA_NO_MEMORY. */
piola_status pio_csv_load(pio_csv *out, const char *path, piola_error *error);
void pio_csv_free(pio_csv *csv);
/* What csv_load.c chooses from. The columns, values and places of rows of csv->text, of `size` bytes and a NUL: */
piola_status pio_csv_of_text(pio_csv *csv, size_t size, piola_error *error);
/* csv_hdf5.c: the columns and values of the file csv->path. */
piola_status pio_csv_load_hdf5(pio_csv *csv, piola_error *error);
/* csv_ply.c: those of csv->text, which is freed. */
piola_status pio_csv_of_ply(pio_csv *csv, size_t size, piola_error *error);
/* Index of a column, or -1 with a fault at the header line that names the likeliest one. */
int pio_csv_column(const pio_csv *csv, const char *name, piola_error *error);
/* Report a fault of one value found later; row and column from 0. Returns PIOLA_BAD_DATA. */
piola_status pio_csv_fault(const pio_csv *csv, size_t row, size_t column, piola_error *error, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
