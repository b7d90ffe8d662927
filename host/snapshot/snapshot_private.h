/* snapshot_private.h -- what the files of host/snapshot share: functions for HDF5, and the state of the writer. */
#ifndef PIOLA_HOST_SNAPSHOT_PRIVATE_H
#define PIOLA_HOST_SNAPSHOT_PRIVATE_H

#include "host/base/fail.h"
#include "host/snapshot/snapshot.h"

#include <hdf5.h>

#define PIO_SNAPSHOT_NAME 64 /* bytes of a field's name, including its NUL */

/* ---- HDF5 helpers (snapshot_h5.c) ---------------------------------------------------------------------- */

/* HDF5's function that prints errors, which is disabled while one of our functions runs. */
typedef struct {
    H5E_auto2_t function;
    void *data;
} pio_h5_handler;
/* Disables the printing of errors and returns the previous function. */
pio_h5_handler pio_h5_silence(void);
/* Restores the previous function. */
void pio_h5_restore(pio_h5_handler handler);

/* The innermost message of the first HDF5 call that failed; "" while none has. */
typedef struct {
    char cause[320]; /* the message */
    bool system;     /* it is the system's message about reading or writing the file */
} pio_h5_log;

/* Records the cause of the call that failed last, unless one is recorded already, or none failed. */
void pio_h5_note(pio_h5_log *log);
/* Returns whether an HDF5 call succeeded (its result is not negative); otherwise records the cause, once. */
bool pio_h5_ok(pio_h5_log *log, int64_t result);

typedef struct {
    hid_t type;                /* type in the file */
    int rank;                  /* 0..5 */
    hsize_t dims[5], chunk[5]; /* chunk[0] = 0: contiguous; chunks above 1 GiB are divided */
    bool grows;                /* it can grow without limit along the first axis */
    bool deflate;              /* shuffle and gzip, where this HDF5 has it */
    const void *fill;          /* fill value of a contiguous dataset, of `type`, or NULL */
} pio_h5_shape;

/* Creates a group; returns -1 on failure. */
hid_t pio_h5_group(pio_h5_log *log, hid_t parent, const char *name);
/* Creates a dataset; returns -1 on failure. */
hid_t pio_h5_dataset(pio_h5_log *log, hid_t parent, const char *name, const pio_h5_shape *shape);
/* Writes a text as an attribute. Returns false on failure. */
bool pio_h5_attr_text(pio_h5_log *log, hid_t object, const char *key, const char *text);
/* Writes an int64 as an attribute. Returns false on failure. */
bool pio_h5_attr_int(pio_h5_log *log, hid_t object, const char *key, int64_t value);
/* Writes a double as an attribute. Returns false on failure. */
bool pio_h5_attr_real(pio_h5_log *log, hid_t object, const char *key, double value);
/* Writes a text as a dataset. Returns false on failure. */
bool pio_h5_text(pio_h5_log *log, hid_t parent, const char *name, const char *text);
/* The attribute `crc32c` of an array that is written once: its checksum, or -1 while it is not written. */
#define PIO_SNAPSHOT_SUM "crc32c"
/* Writes the checksum of an array that is written once into its attribute. Returns false on failure. */
bool pio_h5_attr_sum(pio_h5_log *log, hid_t object, const void *data, size_t bytes);
/* Writes the rows [first, first + rows) of the first axis; both are ignored for a scalar. Returns false on failure. */
bool pio_h5_write_rows(pio_h5_log *log, hid_t dataset, int64_t first, int64_t rows, hid_t memory, const void *values);
/* Flushes the file to the system. Returns false on failure. */
bool pio_h5_flush(pio_h5_log *log, hid_t file);
/* Sets the length of the first axis. Returns false on failure. */
bool pio_h5_set_rows(pio_h5_log *log, hid_t dataset, int64_t rows);

/* Returns whether a name is a letter or _, then letters, digits and _, and shorter than PIO_SNAPSHOT_NAME. */
bool pio_snapshot_is_name(const char *name);

/* ---- the writer (snapshot.c, snapshot_results.c) ------------------------------------------------------- */

typedef struct {
    char name[PIO_SNAPSHOT_NAME]; /* name of the field */
    int components, stored;       /* as declared; as stored, after padding */
    pio_snapshot_when when;       /* when its values are written */
    bool integer, written;        /* written: it is static and has been written */
    pio_snapshot_location location;
    int64_t rows; /* rows per frame: points, cells or integration points */
    hid_t id;     /* the dataset */
} pio_snapshot_column;

/* Returns the rows of a frame that a field has. */
int64_t pio_snapshot_rows(const pio_snapshot *s, pio_snapshot_location location);
/* Returns the points as a column: [n][dimension] m of each frame, or static. */
pio_snapshot_column pio_snapshot_points(const pio_snapshot *s);

/* A dataset that grows with the frames by `rows` rows each. An array of Steps has one row, first + k * stride for frame
 * k, and after it `second` where that array has two columns. */
typedef struct {
    hid_t id;  /* the dataset */
    bool step; /* it is an array of Steps */
    int64_t rows, first, stride, second;
} pio_snapshot_track;

/* Datasets of equal shape that are written together: {value, grad} of a gradient, {value, terms ...} of the objective.
 */
typedef struct {
    char *path;        /* path of the parameter */
    hid_t group;       /* group of the datasets */
    hid_t *data, sums; /* sums: checksums of a history's rows */
    size_t n_data;
    int rank;                             /* number of axes */
    int64_t shape[PIO_SNAPSHOT_MAX_RANK]; /* [rank] length of each axis */
    int64_t rows;                         /* rows written so far */
} pio_snapshot_result;

struct pio_snapshot {
    char *path, *partial, *objective_name; /* final name; temporary name; name of the objective */
    int fd; /* descriptor of the .partial file, with which space is reserved and the file is synced */
    hid_t file, root_piola, gradients, objective, terms, certificate, times, steps, points, sums;
    pio_snapshot_kind kind;     /* states, history or checkpoint */
    int dimension;              /* 2 or 3 */
    bool f64, static_points;    /* precision; points are written once */
    int64_t n, n_cells, frames; /* particles have as many cells as points */
    int64_t n_integration;      /* integration points; 0: no field is there */
    double last_time;
    int64_t frame_bytes; /* bytes that are reserved before a frame */
    pio_snapshot_column *columns;
    size_t n_columns;           /* number of fields */
    pio_snapshot_track *tracks; /* [n_tracks] datasets that grow with the frames */
    size_t n_tracks;
    void *scratch;             /* [n, n_cells or n_integration, the largest][9] values as stored */
    int64_t *frame_sums;       /* [frames][2 + n_columns] checksums, as in /piola/checksums/frames */
    pio_snapshot_costs *costs; /* NULL: not measured */
    pio_snapshot_result *results;
    size_t n_results, room_results;       /* gradients; memory for them */
    pio_snapshot_result objective_result; /* the objective and its terms */
    char **term_names;
    bool certified; /* the certificate was written */
    bool broken;    /* a write failed */
};

/* Reserves `bytes` after the end of the file, so that HDF5 does not find a full disk in the middle of a write
 * (snapshot_io.c). Returns PIOLA_IO if there is no room. */
piola_status pio_snapshot_reserve(pio_snapshot *s, int64_t bytes, const char *what, piola_error *error);
/* Returns PIOLA_IO with the cause that HDF5 gave, and breaks the snapshot. */
piola_status pio_snapshot_io(pio_snapshot *s, const pio_h5_log *log, const char *what, piola_error *error);
/* Returns PIOLA_OK, PIOLA_INTERNAL if `s` is NULL, or PIOLA_IO if an earlier write failed. */
piola_status pio_snapshot_usable(const pio_snapshot *s, piola_error *error);
/* Ensures after a failed write that nothing more reaches the file. */
void pio_snapshot_break(pio_snapshot *s);
/* Frees gradients and objectives (snapshot_results.c). */
void pio_snapshot_results_free(pio_snapshot *s);
/* Frees everything except the HDF5 file. */
void pio_snapshot_release(pio_snapshot *s);
/* Checks that a mesh satisfies the rules of snapshot.h (snapshot_mesh.c). Returns PIOLA_INTERNAL, and which rule it
 * violates, if not. */
piola_status pio_snapshot_check_mesh(const pio_snapshot_def *def, piola_error *error);
/* Writes counts, Connectivity, Offsets and Types into the group `vtk`: those of `mesh`, or of n vertices if it is NULL.
 * Returns false on failure. */
bool pio_snapshot_write_cells(pio_h5_log *log, hid_t vtk, const pio_snapshot_mesh *mesh, int64_t n);

#endif
