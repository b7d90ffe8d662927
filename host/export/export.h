/* Room host/export: writes one frame for other programs. */
/* export.h -- one frame of a snapshot in the formats of others. */
#ifndef PIOLA_HOST_EXPORT_H
#define PIOLA_HOST_EXPORT_H

#include "host/base/new_file.h"
#include "host/snapshot/snapshot.h"

#include <stdio.h>

/* The frame, and what does not change from format to format. */
typedef struct {
    const char *path; /* of the snapshot */
    pio_snapshot_file *file;
    const pio_snapshot_info *info;
    int64_t frame;
    double time;             /* s, or the iteration of a history */
    double *points;          /* [n_points][3] m; of a mesh: at rest */
    pio_snapshot_mesh *mesh; /* NULL: particles */
} pio_export;

/* Each writes `out`, prints "wrote NAME" for every file, and takes the place only of what it wrote itself. */
piola_status pio_export_vtu(const pio_export *e, const char *out, piola_error *error); /* VTK's XML, appended raw */
piola_status pio_export_csv(const pio_export *e, const char *out, piola_error *error); /* and out_cells.csv */
piola_status pio_export_npy(const pio_export *e, const char *out, piola_error *error); /* a folder */
piola_status pio_export_stl(const pio_export *e, const char *out, piola_error *error); /* binary; meshes only */

/* export_field.c: the values of a field, malloc'd [rows][stored]. */
piola_status pio_export_field(const pio_export *e, const pio_snapshot_field_info *v, double **out, piola_error *error);
/* Where declared component c stands among the stored ones, and its letters: "", ".x", ".xy", ".3". */
int pio_export_component(const pio_export *e, const pio_snapshot_field_info *v, int c, char letters[16]);

/* ---- files that appear whole or not at all (export_file.c) ----------------------------------------------- */

typedef struct {
    char *path;
    FILE *file;
    pio_new_file new;
} pio_export_file;

/* Open a new file beside `path`. What stands at `path` already must be a file with `mark` within its first 512 bytes
 * (NULL: the caller has looked): PIOLA_CANNOT_CREATE otherwise. */
piola_status pio_export_begin(pio_export_file *f, const char *path, const char *mark, piola_error *error);
/* With `status` PIOLA_OK: flush to the disk, rename to the path, print "wrote PATH". Otherwise the new file is removed.
 * Returns the first failure. */
piola_status pio_export_end(pio_export_file *f, piola_status status, piola_error *error);
/* There is something at `path` that has not `mark` within its first `most` bytes. */
bool pio_export_foreign(const char *path, const char *mark, size_t most);
/* n values as float (f32), double or int64, little-endian. False when they cannot be written; nothing else fails. */
typedef enum { PIO_EXPORT_F32, PIO_EXPORT_F64, PIO_EXPORT_I64 } pio_export_type;
bool pio_export_put(pio_export_file *f, const double *values, size_t n, pio_export_type type);
/* As the field is stored. */
pio_export_type pio_export_type_of(const pio_export *e, const pio_snapshot_field_info *v);

#endif
