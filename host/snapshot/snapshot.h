/* Room host/snapshot: HDF5 files of states, written and read, with their checksums. */
/* snapshot.h -- HDF5 files that ParaView, h5py and NumPy open: VTKHDF 2.0 under /VTKHDF, Piola's own data under /piola.
 *
 * N points, M cells, T frames. Every array crosses this interface as doubles, row-major, in id order.
 *
 *   /VTKHDF                  Version = 2, 0; Type = UnstructuredGrid: particles are N VTK_VERTEX cells, one per point
 *     Points                 [T*N, 3] m ([N, 3] with static points, as every mesh has); 2D has z = 0
 *     Types, Offsets, Connectivity   [M], [M+1] and the cells' nodes, written once
 *     PointData/<field>      [T*N] or [T*N, components]; static: [N] or [N, components]
 *     CellData/<field>       the same with M for N; meshes only
 *     FieldData/<field>      the same with Q, the number of integration points, for N; meshes with such fields only
 *       attributes           units, meaning, components (as declared, before padding), when; `of`, `objective` of a
 *                            derivative
 *     Steps                  NSteps, Values [T] s, and every offset array; FieldDataSizes/<field> [T, 2] components
 *                            and rows
 *   /piola                   layout = "piola-1", kind, complete, checksums = "crc32c", dimension, precision, n_points
 *                            and, for a mesh, n_cells, and n_integration_points where fields are there
 *     scene/{verbatim,resolved}   manifest/json and one attribute per pair
 *     gradient/<path>/{value,grad}   objective/{value,terms/<name>}   certificate/json and attributes
 *                            (a history stores one row per iteration along a first axis; the group's attribute
 *                            `iterations` counts whole rows)
 *
 * Texts have fixed length: h5py gives them as bytes, `.decode()` makes a str.
 *
 * A finished file ends with checksums of all its bytes (host/snapshot/snapshot_digest.h), after the bytes that HDF5
 * counts as its own. In addition every array has one, the CRC-32C of its bytes, so that a file that was never finished
 * is checked too:
 *   /piola/checksums/frames  [T, 2 + fields] of the time, the points and the fields of each frame, in the order of the
 *                            attribute `columns`; -1 for static ones
 *   crc32c                   attribute of an array or text that is written once; -1: not written
 *   checksums                of a history's gradient or objective: [iterations, arrays], value, then grad or the terms
 *
 * Crash safety. A frame is written and flushed before NSteps counts it, and then flushed again, so a process killed at
 * any write call leaves a file that opens and holds every frame that pio_snapshot_frame() reported. Such a file may
 * hold the beginning of one more frame after the last one: read the first NSteps * N rows. Space is reserved before
 * anything is changed: on a full disk (or at a limit of the file's size, if SIGXFSZ is ignored) the call fails, and the
 * snapshot can continue when there is space again. After any other failed write nothing more reaches the file, which
 * remains as the last successful call left it; it is then closed with pio_snapshot_abandon(). */
#ifndef PIOLA_HOST_SNAPSHOT_H
#define PIOLA_HOST_SNAPSHOT_H

#include "piola_status.h"

#define PIO_SNAPSHOT_LAYOUT "piola-1"
#define PIO_SNAPSHOT_CHECKSUMS "crc32c" /* a finished file with this in `checksums` ends with a table of them */
#define PIO_SNAPSHOT_MAX_RANK 4         /* axes of one parameter */
/* The greatest `expected_frames` for which a kill at any write call is harmless; see there. */
#define PIO_SNAPSHOT_MAX_FRAMES 1024

typedef enum { PIO_SNAPSHOT_STATES, PIO_SNAPSHOT_HISTORY, PIO_SNAPSHOT_CHECKPOINT } pio_snapshot_kind;
typedef enum { PIO_SNAPSHOT_F32, PIO_SNAPSHOT_F64 } pio_snapshot_precision;
typedef enum {
    PIO_SNAPSHOT_FRAME,  /* its values are given with every frame */
    PIO_SNAPSHOT_STATIC, /* one value for the whole file, given by pio_snapshot_static() at any time before the end */
    PIO_SNAPSHOT_ADJOINT /* one value per frame, given later in any order; NaN until then */
} pio_snapshot_when;
/* Rows of a field are points, or of a mesh its cells, or the integration points of these. */
typedef enum { PIO_SNAPSHOT_POINT, PIO_SNAPSHOT_CELL, PIO_SNAPSHOT_INTEGRATION } pio_snapshot_location;

typedef struct {
    const char *name; /* name: a letter or _, then letters, digits, _; a derivative is called grad_<q> or adj_<q> */
    /* Number of components, 1 to 9. In 2D, 2 components are stored as 3 (the third is 0) and 4 as the 9 of a 3x3 matrix
     * (third row and column 0), which ParaView takes for vectors and tensors. */
    int components;
    const char *units, *meaning; /* such as "m/s", "velocity"; NULL is "" */
    const char *of;              /* path of the quantity that is differentiated by; NULL: this is not a derivative */
    pio_snapshot_when when;
    /* Stored as int64, for ids and numbers of materials and bodies: integers within +-2^53; not for ADJOINT. */
    bool integer;
    pio_snapshot_location location;
} pio_snapshot_field;

/* Kinds of cells, numbered and with the order of nodes as in VTK: corners, then mid-edge nodes, mid-face nodes,
 * centre. */
typedef enum {
    PIO_CELL_TRI3 = 5,
    PIO_CELL_TRI6 = 22,
    PIO_CELL_QUAD4 = 9,
    PIO_CELL_QUAD8 = 23,
    PIO_CELL_QUAD9 = 28,
    PIO_CELL_TET4 = 10,
    PIO_CELL_TET10 = 24,
    PIO_CELL_HEX8 = 12,
    PIO_CELL_HEX20 = 25,
    PIO_CELL_HEX27 = 29
} pio_cell_type;

/* Returns the number of nodes of a cell type (3 to 27); 0 for an unknown type. */
int pio_cell_nodes(int type);
/* Returns the name of a cell type, such as "triangles" or "27-node hexahedra"; NULL for an unknown type. */
const char *pio_cell_name(int type);

/* A mesh of one or more kinds of cells; in 3D a cell may be a triangle or a quadrangle (a sheet). Points that no cell
 * has are allowed. */
typedef struct {
    int64_t n_cells;             /* M >= 1 */
    const uint8_t *types;        /* [M] type of each cell, a pio_cell_type */
    const int64_t *offsets;      /* [M + 1] cell c has the nodes connectivity[offsets[c]] ... [offsets[c + 1] - 1] */
    const int64_t *connectivity; /* [offsets[M]] nodes of the cells, points 0 ... N - 1 */
} pio_snapshot_mesh;

typedef struct {
    const char *key, *value; /* name and text of a pair of the manifest */
} pio_snapshot_pair;

typedef struct {
    const char *key; /* name of the number */
    double value;    /* its value, in SI units */
} pio_snapshot_number;

/* The wall time that checksums take while a file is written, s. */
typedef struct {
    double arrays;       /* computing and writing the checksums of arrays of points and fields */
    int64_t array_bytes; /* bytes of those arrays */
    double file;         /* computing and writing those of all bytes, in pio_snapshot_finish(), with reading the file */
} pio_snapshot_costs;

typedef struct {
    const char *path; /* final name, which ends in .vtkhdf */
    /* Temporary name, of which an existing file is replaced; NULL: STEM.PID-COUNT.partial.vtkhdf, which is new. */
    const char *partial;
    pio_snapshot_kind kind;           /* states, history or checkpoint */
    int64_t n_points;                 /* N >= 1 */
    int dimension;                    /* 2 or 3 */
    pio_snapshot_precision precision; /* of points and fields; gradients and objectives are always f64 */
    bool static_points;               /* points are given with the first frame only, as those of a mesh always are */
    /* NULL: particles. Unless the file is a history, a mesh must have a field `displacement` [m] of points, of every
     * frame, with `dimension` components: the nodes are at points + displacement. */
    const pio_snapshot_mesh *mesh;
    int64_t n_integration; /* integration points of the mesh, Q; 0: no field is there */
    /* Expected number of frames; 0: unknown. Up to this many frames (at most PIO_SNAPSHOT_MAX_FRAMES, at least 64) the
     * chunk index of a field is one node, to which entries are only added. Beyond it HDF5 splits nodes every few dozen
     * frames, and a kill within the microseconds between two writes of such a split can lose a field. Above 64 HDF5
     * also stores the second of creation in the file; otherwise equal input gives equal bytes. */
    int64_t expected_frames;
    const pio_snapshot_field *fields; /* [n_fields] fields */
    size_t n_fields;                  /* number of fields */
    const char *scene_text;           /* scene file, verbatim; NULL is "" */
    const char *scene_resolved;       /* JSON; NULL is "" */
    const char *manifest;             /* JSON; NULL is "" */
    /* Pairs of the manifest: program, version, engine, device, precision, command_line, seed, ...; values have up to
     * 60000 bytes. */
    const pio_snapshot_pair *pairs;
    size_t n_pairs;        /* number of pairs */
    const char *objective; /* name of the objective; required if a field has `of`, else it may be NULL */
    /* The time of checksums is added there until the file is finished; NULL: it is not measured. */
    pio_snapshot_costs *costs;
} pio_snapshot_def;

/* ---- writing ------------------------------------------------------------------------------------------- */

typedef struct pio_snapshot pio_snapshot;

/* Returns about how many bytes a file of `def` will take with its expected frames. Mesh, texts and names may be
 * missing: n_cells says how many cells there are, and n_connectivity how many nodes they have. */
double pio_snapshot_expected_bytes(const pio_snapshot_def *def, int64_t n_cells, int64_t n_connectivity);

/* Creates the file under its temporary name; no symbolic link is followed. Returns PIOLA_CANNOT_CREATE if that fails,
 * PIOLA_INTERNAL if `def` violates a rule above, PIOLA_IO if writing fails, or PIOLA_NO_MEMORY. */
piola_status pio_snapshot_create(pio_snapshot **out, const pio_snapshot_def *def, piola_error *error);

/* Appends a frame. `time` (s, or the iteration of a history) is greater than the last one; points [N][dimension] are in
 * m, NULL if they are static and known (those of a mesh are, after its first frame); values[i] is [N or M][components]
 * for the i-th field of the definition, NULL for static and adjoint fields. On failure the file is as before the call.
 * Returns PIOLA_NUMERICAL if a finite value does not fit the stored precision, PIOLA_INTERNAL if a rule here is
 * violated, PIOLA_IO if writing fails or failed before, or PIOLA_NO_MEMORY. */
piola_status pio_snapshot_frame(pio_snapshot *s, double time, const double *points, const double *const *values,
                                piola_error *error);

/* Writes a static field, [N or M][components]. Returns PIOLA_INTERNAL if there is no such field, PIOLA_NUMERICAL if a
 * finite value does not fit the stored precision, or PIOLA_IO if writing fails or failed before. */
piola_status pio_snapshot_static(pio_snapshot *s, const char *name, const double *values, piola_error *error);

/* Writes an adjoint field of an existing frame, [N or M][components], all finite, since NaN means "not written".
 * Returns PIOLA_NUMERICAL if a value is not finite or does not fit the stored precision, PIOLA_INTERNAL if there is no
 * such field or frame, or PIOLA_IO if writing fails or failed before. */
piola_status pio_snapshot_adjoint(pio_snapshot *s, int64_t frame, const char *name, const double *values,
                                  piola_error *error);

/* Reads what was written to a frame: the points (`name` NULL), or a field of frames or an adjoint one, [N or
 * M][components], with NaN where nothing was written. Values have the file's precision. Returns PIOLA_INTERNAL if there
 * is no such field or frame, or PIOLA_IO if reading fails or writing failed before. */
piola_status pio_snapshot_reread(pio_snapshot *s, const char *name, int64_t frame, double *values, piola_error *error);

/* The gradient of the objective with respect to a parameter. */
typedef struct {
    const char *path; /* path of the parameter, without a slash */
    /* [shape] value of the parameter in `units`, and derivative of the objective in `grad_units` */
    const double *value, *grad;
    int rank;             /* number of axes, 0 to PIO_SNAPSHOT_MAX_RANK; 0 is a scalar */
    const int64_t *shape; /* [rank] length of each axis; may be NULL for a scalar */
    const char *units, *grad_units;
} pio_snapshot_gradient;

/* Writes a gradient: in a file of states once per path, in a history once per path and iteration, always with the same
 * shape. Returns PIOLA_INTERNAL if a rule here or above is violated, PIOLA_IO if writing fails or failed before, or
 * PIOLA_NO_MEMORY. */
piola_status pio_snapshot_put_gradient(pio_snapshot *s, const pio_snapshot_gradient *gradient, piola_error *error);

/* Writes the objective and its terms: in a file of states once, in a history once per iteration, always with the same
 * terms. Returns PIOLA_INTERNAL if a rule here is violated, PIOLA_IO if writing fails or failed before, or
 * PIOLA_NO_MEMORY. */
piola_status pio_snapshot_objective(pio_snapshot *s, double value, const pio_snapshot_number *terms, size_t n_terms,
                                    piola_error *error);

/* Writes the certificate of the gradient, once per file: JSON text, and numbers as attributes. Returns PIOLA_INTERNAL
 * if it is there already, or the text or a name is missing, or PIOLA_IO if writing fails or failed before. */
piola_status pio_snapshot_certificate(pio_snapshot *s, const char *json, const pio_snapshot_number *numbers,
                                      size_t n_numbers, piola_error *error);

/* Marks the file complete, flushes and closes it, appends the checksums of all bytes, syncs, renames it to the final
 * name and syncs the folder. `s` is freed in any case; on failure the .partial file remains. Returns PIOLA_INTERNAL if
 * a static field was never written, PIOLA_IO if writing fails or failed before, or PIOLA_NO_MEMORY. */
piola_status pio_snapshot_finish(pio_snapshot *s, piola_error *error);

/* Closes the file as it is, and keeps the .partial file with complete = 0. `s` is freed and may be NULL. */
void pio_snapshot_abandon(pio_snapshot *s);

/* ---- reading ------------------------------------------------------------------------------------------- */

typedef struct {
    char *name, *units, *meaning, *of, *objective; /* "" where absent */
    int components, stored;                        /* components as declared; components in the file, after padding */
    pio_snapshot_when when;
    bool integer; /* stored as int64 */
    pio_snapshot_location location;
    int64_t rows; /* number of rows, N, M or Q */
} pio_snapshot_field_info;

typedef struct {
    char *path, *units, *grad_units;      /* of the parameter; units of its value and of its gradient */
    int rank;                             /* number of axes */
    int64_t shape[PIO_SNAPSHOT_MAX_RANK]; /* [rank] length of each axis */
    int64_t size;                         /* product of the shape, 1 for a scalar */
    int64_t iterations;                   /* rows of a history, otherwise 1 */
} pio_snapshot_gradient_info;

typedef struct {
    char *key, *value; /* name and text of a pair */
} pio_snapshot_text;

/* What is known of the integrity of a file's bytes. */
typedef enum {
    PIO_SNAPSHOT_VERIFIED, /* every byte was compared with the checksums at the end of the file */
    PIO_SNAPSHOT_SKIPPED,  /* they were not compared, because the caller chose so */
    PIO_SNAPSHOT_CUT_OFF,  /* there are no checksums: the file was never finished */
    PIO_SNAPSHOT_EARLIER   /* there are no checksums: an earlier version wrote the file */
} pio_snapshot_integrity;

typedef struct {
    pio_snapshot_kind kind;           /* states, history or checkpoint */
    pio_snapshot_precision precision; /* of points and fields */
    bool complete;                    /* the file was finished */
    pio_snapshot_integrity integrity; /* what is known of the bytes */
    int dimension;                    /* 2 or 3 */
    int64_t n_points, n_frames;       /* points; frames */
    int64_t n_cells;                  /* cells of a mesh; 0: particles */
    int64_t n_connectivity;           /* number of nodes of all cells, each counted once per cell; 0: particles */
    int64_t n_integration;            /* integration points of the cells; 0: no field is there */
    double *times;                    /* [n_frames] times of the frames, s */
    /* [n_fields] those of points by name, then those of cells, then of integration points; names are unique */
    pio_snapshot_field_info *fields;
    size_t n_fields;          /* number of fields */
    pio_snapshot_text *pairs; /* [n_pairs] pairs of the manifest, by key */
    size_t n_pairs;
    pio_snapshot_gradient_info *gradients; /* [n_gradients] gradients, by path */
    size_t n_gradients;
    char **terms; /* [n_terms] terms of the objective, by name */
    size_t n_terms;
    int64_t n_objectives; /* rows of the objective: 0 if none was written, iterations of a history, otherwise 1 */
    char *objective;      /* name of the objective, or "" */
} pio_snapshot_info;

typedef enum {
    PIO_SNAPSHOT_SCENE,
    PIO_SNAPSHOT_SCENE_RESOLVED,
    PIO_SNAPSHOT_MANIFEST,
    PIO_SNAPSHOT_CERTIFICATE
} pio_snapshot_document;

typedef struct pio_snapshot_file pio_snapshot_file;

/* Opens a snapshot, finished or .partial. With `verify` all bytes of a finished file are compared with their checksums
 * first, which takes as long as reading the file. Counts, shapes and types are checked before they are used. Returns
 * PIOLA_NO_INPUT if the file is missing, cannot be opened or is still written, PIOLA_BAD_DATA if it is no snapshot or
 * is damaged, PIOLA_IO if it cannot be read to its end, PIOLA_NO_MEMORY, or PIOLA_INTERRUPTED. */
piola_status pio_snapshot_open(pio_snapshot_file **out, const char *path, bool verify, piola_error *error);
/* Returns words for people, such as "not compared, as --no-verify says"; they are static. */
const char *pio_snapshot_integrity_text(pio_snapshot_integrity integrity);
/* Closes a file and frees `f`, which may be NULL. */
void pio_snapshot_close(pio_snapshot_file *f);
/* Returns what the file holds; valid until it is closed. */
const pio_snapshot_info *pio_snapshot_describe(const pio_snapshot_file *f);

/* Reads the points of a frame, out [N][3] m. Those of a mesh are its nodes at rest, which are the same in every frame.
 * Returns PIOLA_USAGE if there is no such frame, PIOLA_BAD_DATA if the file is damaged, and the other errors of
 * pio_guarded_read(). */
piola_status pio_snapshot_read_points(pio_snapshot_file *f, int64_t frame, double *out, piola_error *error);

/* Reads the cells of a mesh: types [n_cells], offsets [n_cells + 1], connectivity [n_connectivity], any of them NULL.
 * The result is a valid mesh: types are known, offsets increase by the nodes of each cell, every node exists. Returns
 * PIOLA_USAGE for particles, PIOLA_BAD_DATA if the file is damaged, and the other errors of pio_guarded_read(). */
piola_status pio_snapshot_read_mesh(pio_snapshot_file *f, uint8_t *types, int64_t *offsets, int64_t *connectivity,
                                    piola_error *error);

/* Reads a field, out [rows][stored] with `rows` and `stored` of the field's info; `frame` is ignored for a static
 * field. Returns PIOLA_USAGE if there is no such field or frame, PIOLA_BAD_DATA if the file is damaged, and the other
 * errors of pio_guarded_read(). */
piola_status pio_snapshot_read_field(pio_snapshot_file *f, const char *name, int64_t frame, double *out,
                                     piola_error *error);

/* Reads value and grad [size] of the gradient called `path`; either may be NULL. `iteration` is 0 except in a history.
 * Returns PIOLA_USAGE if there is no such gradient or iteration, PIOLA_BAD_DATA if the file is damaged, and the other
 * errors of pio_guarded_read(). */
piola_status pio_snapshot_read_gradient(pio_snapshot_file *f, const char *path, int64_t iteration, double *value,
                                        double *grad, piola_error *error);

/* Reads the objective (`term` NULL) or one of its terms. Returns PIOLA_USAGE if there is no such term or iteration,
 * PIOLA_BAD_DATA if the file is damaged, and the other errors of pio_guarded_read(). */
piola_status pio_snapshot_read_objective(pio_snapshot_file *f, int64_t iteration, const char *term, double *out,
                                         piola_error *error);

/* Reads a text, ended by a NUL, which the caller frees. A certificate that was never written is "". Returns
 * PIOLA_BAD_DATA if the file is damaged, PIOLA_NO_MEMORY, and the other errors of pio_guarded_call(). */
piola_status pio_snapshot_read_document(pio_snapshot_file *f, pio_snapshot_document which, char **out,
                                        piola_error *error);

#endif
