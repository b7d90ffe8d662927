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
 *       attributes           units, meaning, components (as declared, before padding), when; `of`, `objective` of a
 *                            derivative
 *     Steps                  NSteps, Values [T] s, and every offset array
 *   /piola                   layout = "piola-1", kind, complete, checksums = "crc32c", dimension, precision, n_points,
 *   of
 *                            a mesh n_cells
 *     scene/{verbatim,resolved}   manifest/json and one attribute per pair
 *     gradient/<path>/{value,grad}   objective/{value,terms/<name>}   certificate/json and attributes
 *                            (a history stores one row per iteration along a first axis; the group's attribute
 *                            `iterations` counts whole rows)
 *
 * Texts have fixed length: h5py gives them as bytes, `.decode()` makes a str.
 *
 * A finished file ends with checksums of all its bytes (host/snapshot/snapshot_digest.h), behind what HDF5 counts as
 * its own. Beside it every array has its own, CRC-32C of its bytes, so that a file that was never finished is checked
 * too:
 *   /piola/checksums/frames  [T, 2 + fields] of the time, the points and the fields of each frame, in the order of the
 *                            attribute `columns`; -1 of what is static
 *   crc32c                   attribute of an array or text that is written once; -1: not written
 *   checksums                of a history's gradient or objective: [iterations, arrays], value, then grad or the terms
 *
 * Crash safety. A frame is written and flushed before NSteps counts it, and then flushed again, so a process killed at
 * any write call leaves a file that opens and holds every frame that pio_snapshot_frame() reported. Such a file may
 * hold the beginning of one more frame behind the last one: read the first NSteps * N rows. Space is reserved before
 * anything is changed: a full disk (or a file size limit, when SIGXFSZ is ignored) costs the call, and the snapshot can
 * go on when there is room again. After any other failed write nothing more reaches the file, which stays as the last
 * good call left it: pio_snapshot_abandon() it.
 */
#ifndef PIOLA_HOST_SNAPSHOT_H
#define PIOLA_HOST_SNAPSHOT_H

#include "piola.h"

#define PIO_SNAPSHOT_LAYOUT "piola-1"
#define PIO_SNAPSHOT_CHECKSUMS "crc32c" /* a finished file with this in `checksums` ends with a table of them */
#define PIO_SNAPSHOT_MAX_RANK 4         /* axes of one parameter */
#define PIO_SNAPSHOT_MAX_FRAMES                                                                                        \
    1024 /* most `expected_frames` for which the promise "any write call" holds; see there */

typedef enum { PIO_SNAPSHOT_STATES, PIO_SNAPSHOT_HISTORY, PIO_SNAPSHOT_CHECKPOINT } pio_snapshot_kind;
typedef enum { PIO_SNAPSHOT_F32, PIO_SNAPSHOT_F64 } pio_snapshot_precision;
typedef enum {
    PIO_SNAPSHOT_FRAME,  /* given with every frame */
    PIO_SNAPSHOT_STATIC, /* one value for the whole file, given by pio_snapshot_static() at any time before the end */
    PIO_SNAPSHOT_ADJOINT /* one value per frame, given later in any order; NaN until then */
} pio_snapshot_when;
typedef enum { PIO_SNAPSHOT_POINT, PIO_SNAPSHOT_CELL } pio_snapshot_location;

typedef struct {
    const char *name; /* letter or _, then letters, digits, _; a derivative is called grad_<q> or adj_<q> */
    /* 1..9. In 2D, 2 components are stored as 3 (third 0) and 4 as the 9 of a 3x3 matrix (third row and column 0),
     * which is what ParaView takes for vectors and tensors. */
    int components;
    const char *units, *meaning; /* "m/s", "velocity"; NULL is "" */
    const char *of;              /* path of the quantity differentiated, or NULL when this is no derivative */
    pio_snapshot_when when;
    bool integer; /* stored as int64: ids, material and body numbers; whole values within +-2^53; not for ADJOINT */
    pio_snapshot_location location; /* rows are points, or the cells of a mesh */
} pio_snapshot_field;

/* Kinds of cells, numbered and with the order of nodes as in VTK: corners, then mid-edge nodes, mid-face nodes,
 * centre. */
typedef enum {
    PIO_CELL_TRI3 = 5,
    PIO_CELL_TRI6 = 22,
    PIO_CELL_QUAD4 = 9,
    PIO_CELL_QUAD9 = 28,
    PIO_CELL_TET4 = 10,
    PIO_CELL_TET10 = 24,
    PIO_CELL_HEX8 = 12,
    PIO_CELL_HEX27 = 29
} pio_cell_type;

/* Nodes of a cell (3 to 27) and its own dimension (2 or 3); 0 for a type that is none of ours. */
int pio_cell_nodes(int type);
int pio_cell_dimension(int type);
/* "triangles", "27-node hexahedra", ...; NULL for a type that is none of ours. */
const char *pio_cell_name(int type);

/* A mesh of one or more kinds of cells; in 3D a cell may be a triangle or a quadrangle (a sheet). Points that no cell
 * has are allowed. */
typedef struct {
    int64_t n_cells;             /* M >= 1 */
    const uint8_t *types;        /* [M] pio_cell_type */
    const int64_t *offsets;      /* [M + 1] cell c has the nodes connectivity[offsets[c]] ... [offsets[c + 1] - 1] */
    const int64_t *connectivity; /* [offsets[M]] points, 0 ... N - 1 */
} pio_snapshot_mesh;

typedef struct {
    const char *key, *value;
} pio_snapshot_pair;

typedef struct {
    const char *key;
    double value;
} pio_snapshot_number;

/* What checksums cost a file that is written: s of wall time. */
typedef struct {
    double arrays;       /* computing and writing those of arrays of points and fields */
    int64_t array_bytes; /* of which those are */
    double file; /* those of all bytes, in pio_snapshot_finish(): reading the file, computing and writing them */
} pio_snapshot_costs;

typedef struct {
    const char *path; /* final name, ends in .vtkhdf */
    /* name until then, replaced where it is there; NULL: STEM.PID-COUNT.partial.vtkhdf, which no file has */
    const char *partial;
    pio_snapshot_kind kind;
    int64_t n_points;                 /* N >= 1 */
    int dimension;                    /* 2 or 3 */
    pio_snapshot_precision precision; /* of points and fields; gradients and objectives are always f64 */
    bool static_points;               /* points are given with the first frame only; a mesh always has it so */
    /* NULL: particles. A mesh must have, unless it is a history, a field `displacement` [m] of points, of every frame,
     * with `dimension` components: points + displacement is where the nodes are. */
    const pio_snapshot_mesh *mesh;
    /* 0: unknown. Up to this many frames (at most PIO_SNAPSHOT_MAX_FRAMES, at least 64) the chunk index of a field is
     * one node, which is only ever added to. Beyond it HDF5 splits nodes every few dozen frames, and a kill within the
     * microseconds between two writes of such a split can lose a field. Above 64 HDF5 also notes the second of creation
     * in the file; otherwise equal input gives equal bytes. */
    int64_t expected_frames;
    const pio_snapshot_field *fields;
    size_t n_fields;
    const char *scene_text;     /* verbatim; NULL is "" */
    const char *scene_resolved; /* JSON; NULL is "" */
    const char *manifest;       /* JSON; NULL is "" */
    /* program, version, engine, device, precision, command_line, seed, ...; values up to 60000 bytes */
    const pio_snapshot_pair *pairs;
    size_t n_pairs;
    const char *objective;     /* its name; needed when a field has `of`, else may be NULL */
    pio_snapshot_costs *costs; /* what they take is added there, until the file is finished; NULL: nobody asks */
} pio_snapshot_def;

/* ---- writing ------------------------------------------------------------------------------------------- */

typedef struct pio_snapshot pio_snapshot;

/* Create it under its name until then; no symbolic link is written through. PIOLA_CANNOT_CREATE when that
 * fails, PIOLA_INTERNAL when `def` breaks a rule above. */
piola_status pio_snapshot_create(pio_snapshot **out, const pio_snapshot_def *def, piola_error *error);

/* Append a frame: `time` (s, or the iteration of a history) lies above the last one; points [N][dimension] in m, NULL
 * when they are static and given (those of a mesh are, after its first frame); values[i] [N or M][components] for the
 * i-th field of the definition, NULL for static and adjoint ones. On failure the file is as before the call.
 * PIOLA_NUMERICAL when a finite value does not fit the stored precision. */
piola_status pio_snapshot_frame(pio_snapshot *s, double time, const double *points, const double *const *values,
                                piola_error *error);

/* Write a static field, [N or M][components]. */
piola_status pio_snapshot_static(pio_snapshot *s, const char *name, const double *values, piola_error *error);

/* Write an adjoint field of an existing frame in place, [N or M][components], all finite: NaN means "not written". */
piola_status pio_snapshot_adjoint(pio_snapshot *s, int64_t frame, const char *name, const double *values,
                                  piola_error *error);

/* Of a frame that was written, what was given to it: a field of frames or an adjoint one, [N or M][components], NaN
 * where nothing was; `name` NULL: the points. In the file's precision. */
piola_status pio_snapshot_reread(pio_snapshot *s, const char *name, int64_t frame, double *values, piola_error *error);

/* The gradient of the objective with respect to a parameter. */
typedef struct {
    const char *path;           /* of the parameter: without a slash */
    const double *value, *grad; /* [shape], in `units` and `grad_units` */
    int rank;                   /* number of axes, 0..PIO_SNAPSHOT_MAX_RANK; 0 is a scalar */
    const int64_t *shape;       /* [rank]; may be NULL for a scalar */
    const char *units, *grad_units;
} pio_snapshot_gradient;

/* States: once per path. History: once per path and iteration, always the same shape. PIOLA_INTERNAL when a rule here
 * or above is broken. */
piola_status pio_snapshot_put_gradient(pio_snapshot *s, const pio_snapshot_gradient *gradient, piola_error *error);

/* The objective and its terms. States: once. History: once per iteration, always the same terms. */
piola_status pio_snapshot_objective(pio_snapshot *s, double value, const pio_snapshot_number *terms, size_t n_terms,
                                    piola_error *error);

/* What vouches for the gradient: JSON text, and the numbers as attributes. Once per file. */
piola_status pio_snapshot_certificate(pio_snapshot *s, const char *json, const pio_snapshot_number *numbers,
                                      size_t n_numbers, piola_error *error);

/* Mark complete, flush, close, add the checksums of all bytes, fsync, rename to the final name, fsync the folder.
 * Always releases `s`; on failure the .partial file stays. PIOLA_INTERNAL when a static field was never written. */
piola_status pio_snapshot_finish(pio_snapshot *s, piola_error *error);

/* Close what is there and keep the .partial file with complete = 0. NULL is allowed. */
void pio_snapshot_abandon(pio_snapshot *s);

/* Name of the file being written. */
const char *pio_snapshot_partial(const pio_snapshot *s);

/* ---- reading ------------------------------------------------------------------------------------------- */

typedef struct {
    char *name, *units, *meaning, *of, *objective; /* "" where absent */
    int components, stored;                        /* as declared; as in the file, after padding */
    pio_snapshot_when when;
    bool integer;
    pio_snapshot_location location;
    int64_t rows; /* N or M */
} pio_snapshot_field_info;

typedef struct {
    char *path, *units, *grad_units;
    int rank;
    int64_t shape[PIO_SNAPSHOT_MAX_RANK];
    int64_t size;       /* product of the shape, 1 for a scalar */
    int64_t iterations; /* rows of a history, else 1 */
} pio_snapshot_gradient_info;

typedef struct {
    char *key, *value;
} pio_snapshot_text;

/* What vouches for the bytes of a file that was opened. */
typedef enum {
    PIO_SNAPSHOT_VERIFIED, /* every byte was compared with the checksums at its end */
    PIO_SNAPSHOT_SKIPPED,  /* they were not compared, because the caller said so */
    PIO_SNAPSHOT_CUT_OFF,  /* there are none: the file was never finished */
    PIO_SNAPSHOT_EARLIER   /* there are none: the file is of an earlier version */
} pio_snapshot_integrity;

typedef struct {
    pio_snapshot_kind kind;
    pio_snapshot_precision precision;
    bool complete;
    pio_snapshot_integrity integrity;
    int dimension;
    int64_t n_points, n_frames;
    int64_t n_cells;                 /* of a mesh; 0: particles */
    int64_t n_connectivity;          /* nodes of all cells, each as often as cells have it; 0: particles */
    double *times;                   /* [n_frames] s */
    pio_snapshot_field_info *fields; /* those of points by name, then those of cells by name; no name twice */
    size_t n_fields;
    pio_snapshot_text *pairs; /* manifest, by key */
    size_t n_pairs;
    pio_snapshot_gradient_info *gradients; /* by path */
    size_t n_gradients;
    char **terms; /* of the objective, by name */
    size_t n_terms;
    int64_t n_objectives; /* rows of the objective: 0 when none was written, iterations of a history, else 1 */
    char *objective;      /* its name, or "" */
} pio_snapshot_info;

typedef enum {
    PIO_SNAPSHOT_SCENE,
    PIO_SNAPSHOT_SCENE_RESOLVED,
    PIO_SNAPSHOT_MANIFEST,
    PIO_SNAPSHOT_CERTIFICATE
} pio_snapshot_document;

typedef struct pio_snapshot_file pio_snapshot_file;

/* Open a file of ours, finished or .partial. PIOLA_NO_INPUT when it is missing or cannot be read, PIOLA_BAD_DATA when
 * it is no snapshot or is damaged. All bytes of a finished file are compared with their checksums first. Nothing in it
 * is trusted: counts, shapes and types are checked before they are used. */
piola_status pio_snapshot_open(pio_snapshot_file **out, const char *path, piola_error *error);
/* The same; without `verify` the checksums of the bytes are not compared, which takes as long as reading the file. */
piola_status pio_snapshot_open_as(pio_snapshot_file **out, const char *path, bool verify, piola_error *error);
/* A sentence for people: "checksums: all 12 MB compared"; static. */
const char *pio_snapshot_integrity_text(pio_snapshot_integrity integrity);
void pio_snapshot_close(pio_snapshot_file *f);
const pio_snapshot_info *pio_snapshot_describe(const pio_snapshot_file *f);

/* out [N][3], m. Of a mesh: its nodes at rest, the same in every frame. */
piola_status pio_snapshot_read_points(pio_snapshot_file *f, int64_t frame, double *out, piola_error *error);

/* The cells of a mesh: types [n_cells], offsets [n_cells + 1], connectivity [n_connectivity], any of them NULL. What
 * comes back is a mesh: types are known, offsets rise by the nodes of each, every node exists. PIOLA_USAGE for
 * particles.
 */
piola_status pio_snapshot_read_mesh(pio_snapshot_file *f, uint8_t *types, int64_t *offsets, int64_t *connectivity,
                                    piola_error *error);

/* out [rows][stored], rows as the field's info says; `frame` is ignored for a static field. */
piola_status pio_snapshot_read_field(pio_snapshot_file *f, const char *name, int64_t frame, double *out,
                                     piola_error *error);

/* value and grad [size] of the gradient called `path`; either may be NULL. `iteration` is 0 except in a history. */
piola_status pio_snapshot_read_gradient(pio_snapshot_file *f, const char *path, int64_t iteration, double *value,
                                        double *grad, piola_error *error);

/* The objective (term NULL) or one of its terms. */
piola_status pio_snapshot_read_objective(pio_snapshot_file *f, int64_t iteration, const char *term, double *out,
                                         piola_error *error);

/* A text, NUL-terminated; free() it. A certificate that was never written is "". */
piola_status pio_snapshot_read_document(pio_snapshot_file *f, pio_snapshot_document which, char **out,
                                        piola_error *error);

#endif
