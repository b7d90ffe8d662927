/* Room host/data: tables of numbers from CSV, HDF5 and PLY. */
/* csv.h -- numeric tables: one header line of column names, then rows of finite numbers, separated by commas.
 *
 * An HDF5 file is a table too: every one-dimensional dataset of numbers in its root group is a column, and all have one
 * length; its faults are reported as `file: /column[row]: error: ...` with rows from 0. So is a PLY file: its vertices
 * are the rows and their properties the columns.
 *
 * Blank lines and lines that begin with # are skipped; names may be in double quotes. A table has at most 256 MiB and
 * 1000 columns. Every fault is reported as `file:line:col: error: ...`, with lines and columns from 1. */
#ifndef PIOLA_HOST_CSV_H
#define PIOLA_HOST_CSV_H

#include "host/base/sha256.h"

typedef struct pio_csv {
    char *path, *text; /* name of the file; its contents, NULL if it is HDF5 or PLY */
    char **columns;    /* [n_columns] names */
    size_t n_columns, n_rows;
    double *values; /* [n_rows][n_columns] finite numbers */
    size_t *row_at; /* [n_rows + 1] byte where each row begins, after that of the header; NULL if `text` is */
    char sha256[PIO_SHA256_TEXT]; /* of the file's contents */
} pio_csv;

/* Loads a table (csv_load.c). On failure *out is empty (safe to free) and the status is PIOLA_NO_INPUT, PIOLA_BAD_DATA,
 * PIOLA_NO_MEMORY, PIOLA_INTERRUPTED, or PIOLA_IO of an HDF5 file that cannot be read to its end. */
piola_status pio_csv_load(pio_csv *out, const char *path, piola_error *error);
/* Frees what a table holds. */
void pio_csv_free(pio_csv *csv);
/* Reads columns, values and the starts of rows of csv->text, which has `size` bytes and a NUL (csv.c). Returns
 * PIOLA_BAD_DATA with the place of the first fault, or PIOLA_NO_MEMORY. */
piola_status pio_csv_of_text(pio_csv *csv, size_t size, piola_error *error);
/* Reads columns and values of the HDF5 file csv->path (csv_hdf5.c). Returns PIOLA_BAD_DATA if it is damaged or no
 * table, the errors of pio_checked_compare() and of pio_guarded_read(), or PIOLA_NO_MEMORY. */
piola_status pio_csv_load_hdf5(pio_csv *csv, piola_error *error);
/* Reads columns and values of csv->text, a PLY file, and frees the text (csv_ply.c). Returns PIOLA_BAD_DATA with the
 * place of the first fault, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_csv_of_ply(pio_csv *csv, size_t size, piola_error *error);
/* Returns the index of a column, or -1 with an error at the header line that suggests the most similar name. */
int pio_csv_column(const pio_csv *csv, const char *name, piola_error *error);
/* Reports a fault of one value that is found later; row and column count from 0. Returns PIOLA_BAD_DATA. */
piola_status pio_csv_fault(const pio_csv *csv, size_t row, size_t column, piola_error *error, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
