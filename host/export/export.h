/* Room host/export: writes one frame for other programs. */
/* export.h -- one frame of a snapshot in formats of other programs. */
#ifndef PIOLA_HOST_EXPORT_H
#define PIOLA_HOST_EXPORT_H

#include "host/base/new_file.h"
#include "host/snapshot/snapshot.h"

#include <stdio.h>

/* The frame to export, and what does not depend on the format. */
typedef struct {
    const char *path; /* name of the snapshot */
    pio_snapshot_file *file;
    const pio_snapshot_info *info; /* description of the file */
    int64_t frame;                 /* number of the frame, from 0 */
    double time;                   /* time in s, or the iteration of a history */
    double *points;                /* [n_points][3] m; of a mesh: at rest */
    pio_snapshot_mesh *mesh;       /* NULL: particles */
} pio_export;

/* Writes VTK's XML format with appended raw data. As the functions below, it prints "wrote NAME" for every file, and
 * replaces only files that this command wrote: it returns PIOLA_CANNOT_CREATE otherwise or if a file cannot be created,
 * PIOLA_IO if writing fails, PIOLA_NO_MEMORY, and the errors of pio_snapshot_read_field(). */
piola_status pio_export_vtu(const pio_export *e, const char *out, piola_error *error);
/* Writes a table, and for a mesh with fields of cells or of integration points further ones, OUT_cells.csv and
 * OUT_integration_points.csv. Returns PIOLA_CANNOT_CREATE,
 * PIOLA_IO and the other errors of pio_export_vtu(). */
piola_status pio_export_csv(const pio_export *e, const char *out, piola_error *error);
/* Writes arrays of NumPy into the folder `out`. Returns PIOLA_CANNOT_CREATE, also if the folder has other arrays,
 * PIOLA_IO and the other errors of pio_export_vtu(). */
piola_status pio_export_npy(const pio_export *e, const char *out, piola_error *error);
/* Writes the deformed surface of a mesh in binary STL. Returns PIOLA_USAGE for particles, PIOLA_BAD_DATA if there are
 * more triangles than STL can count, PIOLA_NUMERICAL if a point is not finite, and the errors of pio_export_vtu(). */
piola_status pio_export_stl(const pio_export *e, const char *out, piola_error *error);

/* Returns the values of a field in *out, malloc'd [rows][stored] (export_field.c). The status is PIOLA_NO_MEMORY, or
 * one of the errors of pio_snapshot_read_field(). */
piola_status pio_export_field(const pio_export *e, const pio_snapshot_field_info *v, double **out, piola_error *error);
/* Returns the index of declared component c among the stored ones, and its suffix: "", ".x", ".xy", ".3". */
int pio_export_component(const pio_export *e, const pio_snapshot_field_info *v, int c, char letters[16]);

/* ---- files that appear complete or not at all (export_file.c) ---------------------------------------------- */

typedef struct {
    char *path;       /* final name */
    FILE *file;       /* stream of the new file */
    pio_new_file new; /* the new file */
} pio_export_file;

/* Opens a new file beside `path`. Returns PIOLA_CANNOT_CREATE if it cannot be created, or an existing file at `path`
 * does not have `mark` within its first 512 bytes (NULL: the caller has checked), or PIOLA_NO_MEMORY. */
piola_status pio_export_begin(pio_export_file *f, const char *path, const char *mark, piola_error *error);
/* If `status` is PIOLA_OK, flushes the file to disk, renames it to the path and prints "wrote PATH", or returns
 * PIOLA_IO if that fails. Otherwise it removes the new file and returns `status`. */
piola_status pio_export_end(pio_export_file *f, piola_status status, piola_error *error);
/* Returns whether there is a file at `path` that does not have `mark` within its first `most` bytes. */
bool pio_export_foreign(const char *path, const char *mark, size_t most);
/* Types of exported numbers, all little-endian: float, double, int64. */
typedef enum { PIO_EXPORT_F32, PIO_EXPORT_F64, PIO_EXPORT_I64 } pio_export_type;
/* Writes n values of this type. Returns false if they cannot be written. */
bool pio_export_put(pio_export_file *f, const double *values, size_t n, pio_export_type type);
/* Returns the type in which the field is stored. */
pio_export_type pio_export_type_of(const pio_export *e, const pio_snapshot_field_info *v);

#endif
