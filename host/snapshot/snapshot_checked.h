/* snapshot_checked.h -- HDF5 calls that trust nothing, for readers in a process of their own (host/base/guarded.h).
 *
 * A function that fails notes the first fault in the file's `status` and `error`; those after it do nothing. */
#ifndef PIOLA_HOST_SNAPSHOT_CHECKED_H
#define PIOLA_HOST_SNAPSHOT_CHECKED_H

#include "host/base/guarded.h"
#include "host/snapshot/snapshot_private.h"

#include <sys/types.h>

enum { PIO_CHECKED_RATIO = 1032 }; /* best that deflate does */

typedef struct pio_checked_file {
    const char *path;
    const char *kind;    /* what is said of a file that is no HDF5, after "not an HDF5 file"; "" */
    hid_t file;          /* -1: not open */
    int64_t bytes;       /* of the file */
    dev_t device;        /* of the file that was looked at before, */
    ino_t inode;         /* whose place another may have taken; 0: none was */
    bool verify, digest; /* its bytes are to be compared with checksums; they were, and agree */
    int64_t *sums;       /* [n_frames][n_sums] checksums of frames; NULL in files without */
    size_t n_sums;
    char *sum_names; /* of their columns, with a blank before and behind each */
    pio_snapshot_info info;
    pio_h5_log log;
    piola_error *error; /* of the call that runs, may be NULL */
    piola_status status;
} pio_checked_file;

extern const char *const pio_checked_data_group[2]; /* of fields, by location */

typedef struct {
    hid_t id;
    int rank; /* 0..5 */
    hsize_t dims[6];
    bool integer;
} pio_checked_array;

/* Open f->path and read all that pio_snapshot_info tells of it (snapshot_read.c). */
piola_status pio_checked_read_all(pio_checked_file *f, piola_error *error);

/* Every call begins and ends with these: HDF5 is silent between them, and there is no fault yet. end() returns the
 * status.
 */
pio_h5_voice pio_checked_begin(pio_checked_file *f, piola_error *error);
piola_status pio_checked_end(pio_checked_file *f, pio_h5_voice voice);

/* These return false. `format` says what is wrong; HDF5's own words are added when a call of it failed. */
bool pio_checked_bad(pio_checked_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool pio_checked_no_memory(pio_checked_file *f, size_t bytes);
/* Open the path, which must be a plain file of HDF5 that nobody writes; fills `bytes` and `file`. */
bool pio_checked_open(pio_checked_file *f);
/* In the program, before there is a reader: note which file the path names, and with `verify` compare its bytes with
 * the checksums at its end, where it has some (snapshot_open.c). PIOLA_NO_INPUT where it cannot be opened. */
piola_status pio_checked_compare(pio_checked_file *f, piola_error *error);
/* n zeroed elements; n was held against the size of the file. */
void *pio_checked_make(pio_checked_file *f, size_t n, size_t size);

/* The member `name` when it is a hard link to an object of this type, else -1; leave() takes -1 too. */
hid_t pio_checked_enter(pio_checked_file *f, hid_t parent, const char *name, H5I_type_t type);
hid_t pio_checked_path(pio_checked_file *f, const char *first, const char *second);
void pio_checked_leave(hid_t id);
/* The names of a group's members, [*n], each malloc'd. */
char **pio_checked_members(pio_checked_file *f, hid_t group, size_t *n);
void pio_checked_free_names(char **names, size_t n);

/* Scalar attributes. Texts are malloc'd, NULL on a fault; an optional one is "" when it is not there. */
bool pio_checked_int(pio_checked_file *f, hid_t object, const char *key, int64_t least, int64_t most, int64_t *out);
char *pio_checked_text(pio_checked_file *f, hid_t object, const char *key);
char *pio_checked_optional(pio_checked_file *f, hid_t object, const char *key);
/* Index of the attribute's text among `names`, -1 on a fault. */
int pio_checked_choice(pio_checked_file *f, hid_t object, const char *key, const char *const *names, int n);
/* malloc'd text of fixed length, of an attribute or a dataset, at most `most` bytes. */
char *pio_checked_fixed_text(pio_checked_file *f, hid_t id, hid_t type, bool dataset, int64_t most, const char *key);

/* The checksum of an array or text that is written once; -1 where none is known. */
int64_t pio_checked_sum(pio_checked_file *f, hid_t dataset);

/* snapshot_array.c: a dataset of real numbers or integers. */
bool pio_checked_data(pio_checked_file *f, hid_t parent, const char *name, pio_checked_array *d);
/* The dataset is neither virtual nor in other files. */
bool pio_checked_own(pio_checked_file *f, hid_t dataset, const char *name);
/* It is our own, and the file can hold `rows` rows of it. */
bool pio_checked_holds(pio_checked_file *f, const pio_checked_array *d, const char *name, int64_t rows);
/* Rows [first, first + rows); a rank of 0 is read whole. */
typedef struct {
    int64_t first, rows;
    int64_t sum; /* the checksum of these rows as they are stored, which they are compared with; -1: none is known */
} pio_checked_block;

/* These rows, converted to the type `memory`, into out[rows][...]. */
bool pio_checked_rows(pio_checked_file *f, const pio_checked_array *d, const char *name, pio_checked_block block,
                      hid_t memory, void *out);
/* One entry of an offset array. */
bool pio_checked_offset(pio_checked_file *f, hid_t group, const char *name, int64_t frame, int64_t *out);

/* snapshot_summed.c: the checksum of one array of a history's row, and of one column of a frame ("Values", "Points", a
 * field); -1 where none is known. */
int64_t pio_checked_sum_of_row(pio_checked_file *f, hid_t group, int64_t row, int64_t column);
int64_t pio_checked_sum_of_frame(const pio_checked_file *f, const char *column, int64_t frame);
/* Read those of all frames, and compare the times with theirs. */
void pio_checked_frame_sums(pio_checked_file *f);

/* The cells of a mesh, which keep the rules of snapshot.h; `connectivity` may be NULL (snapshot_mesh.c). */
bool pio_checked_cells(pio_checked_file *f, uint8_t *types, int64_t *offsets, int64_t *connectivity);
/* Of a mesh: its lists are there, as long as they must be, and held by the file (snapshot_mesh.c). */
void pio_checked_mesh(pio_checked_file *f, hid_t vtk);

/* Serve one snapshot: the `context` of pio_guarded_work is the pio_checked_file, with path and what was found of its
 * checksums (snapshot_serve.c). The first answer is a packed pio_snapshot_info; requests follow. */
void pio_checked_serve(pio_guard *guard, void *context);

/* What is asked for: `which` is the number of a field or gradient, a pio_snapshot_document, a list of the mesh (0
 * types, 1 offsets, 2 connectivity), or -1 of the objective and a term's number; `part` of a gradient is 0 value, 1
 * grad. */
typedef struct {
    enum {
        PIO_REQUEST_POINTS,
        PIO_REQUEST_FIELD,
        PIO_REQUEST_MESH,
        PIO_REQUEST_GRADIENT,
        PIO_REQUEST_OBJECTIVE,
        PIO_REQUEST_DOCUMENT
    } what;
    int part;
    int64_t which, frame;
} pio_checked_request;

#endif
