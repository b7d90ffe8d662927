/* csv_hdf5.c -- a table of an HDF5 file: its one-dimensional datasets of numbers in the root group are the columns. */
#include "host/csv.h"

#include "host/fail.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 1000, NAME = 256 };
static const hsize_t most_rows = (hsize_t)1 << 25;

/* Length of a dataset that is a column, -1 of anything else. */
static hssize_t length_of(hid_t set)
{
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    hssize_t length = -1;
    if (space >= 0 && (class == H5T_INTEGER || class == H5T_FLOAT) && H5Sget_simple_extent_ndims(space) == 1)
        length = H5Sget_simple_extent_npoints(space);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    return length;
}

/* Name of link number i of the root group, in the order of names, and its dataset; -1 when it is no column. */
static hid_t column_at(hid_t file, hsize_t i, char name[NAME], hssize_t *length)
{
    const ssize_t size = H5Lget_name_by_idx(file, "/", H5_INDEX_NAME, H5_ITER_INC, i, name, NAME, H5P_DEFAULT);
    const hid_t object = size > 0 && size < NAME ? H5Oopen(file, name, H5P_DEFAULT) : -1;
    *length = object >= 0 && H5Iget_type(object) == H5I_DATASET ? length_of(object) : -1;
    if (*length >= 0) return object;
    if (object >= 0) H5Oclose(object);
    return -1;
}

static hsize_t links_of(hid_t file)
{
    H5G_info_t info;
    return H5Gget_info(file, &info) >= 0 ? info.nlinks : 0;
}

/* Names of the columns, and that all have one length. */
static piola_status find_columns(pio_csv *csv, hid_t file, piola_error *error)
{
    char name[NAME];
    hssize_t length, rows = -1;
    csv->columns = calloc(MOST_COLUMNS, sizeof *csv->columns);
    if (!csv->columns) return pio_fail_memory(error, MOST_COLUMNS * sizeof *csv->columns, "a table");
    const hsize_t links = links_of(file);
    for (hsize_t i = 0; i < links && csv->n_columns < MOST_COLUMNS; i++) {
        const hid_t set = column_at(file, i, name, &length);
        if (set < 0) continue;
        H5Dclose(set);
        if (rows >= 0 && length != rows)
            return pio_fail(error, PIOLA_BAD_DATA,
                            "%.1000s: /%s has %lld numbers and /%s %lld; all columns must be as long", csv->path, name,
                            (long long)length, csv->columns[0], (long long)rows);
        rows = length;
        char *copy = malloc(strlen(name) + 1);
        if (!copy) return pio_fail_memory(error, strlen(name) + 1, "a table");
        memcpy(copy, name, strlen(name) + 1);
        csv->columns[csv->n_columns++] = copy;
    }
    if (rows < 1 || (hsize_t)rows > most_rows)
        return pio_fail(error, PIOLA_BAD_DATA,
                        rows < 1 ? "%.1000s: no columns: no one-dimensional datasets of numbers in the root group"
                                 : "%.1000s: too many rows for a table",
                        csv->path);
    csv->n_rows = (size_t)rows;
    return PIOLA_OK;
}

static piola_status read_columns(pio_csv *csv, hid_t file, piola_error *error)
{
    const size_t bytes = csv->n_rows * csv->n_columns * sizeof(double);
    double *column = malloc(csv->n_rows * sizeof *column);
    piola_status rc = PIOLA_OK;
    csv->values = malloc(bytes);
    if (!csv->values || !column) rc = pio_fail_memory(error, bytes, "a table");
    for (size_t c = 0; !rc && c < csv->n_columns; c++) {
        const hid_t set = H5Dopen2(file, csv->columns[c], H5P_DEFAULT);
        if (set < 0 || H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column) < 0)
            rc = pio_fail(error, PIOLA_BAD_DATA, "%.1000s: /%s cannot be read", csv->path, csv->columns[c]);
        if (set >= 0) H5Dclose(set);
        for (size_t r = 0; !rc && r < csv->n_rows; r++) {
            csv->values[r * csv->n_columns + c] = column[r];
            if (!isfinite(column[r])) rc = pio_csv_fault(csv, r, c, error, "%g is not a finite number", column[r]);
        }
    }
    free(column);
    return rc;
}

piola_status pio_csv_load_hdf5(pio_csv *csv, piola_error *error)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(csv->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return pio_fail(error, PIOLA_BAD_DATA, "%.1000s: cannot be opened as HDF5; it is damaged", csv->path);
    piola_status rc = find_columns(csv, file, error);
    if (!rc) rc = read_columns(csv, file, error);
    H5Fclose(file);
    return rc;
}
