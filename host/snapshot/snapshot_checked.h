/* snapshot_checked.h -- HDF5 calls for untrusted files, for readers in a child process (host/base/guarded.h).
 *
 * A function that fails records the first fault in the file's `status` and `error`; the functions after it do nothing.
 */
#ifndef PIOLA_HOST_SNAPSHOT_CHECKED_H
#define PIOLA_HOST_SNAPSHOT_CHECKED_H

#include "host/base/guarded.h"
#include "host/snapshot/snapshot_private.h"
#include "host/snapshot/snapshot_words.h"

#include <sys/types.h>

enum { PIO_CHECKED_RATIO = 1032 }; /* greatest ratio of compression by deflate */

typedef struct pio_checked_file {
    const char *path;    /* name of the file */
    const char *kind;    /* text after "not an HDF5 file" in messages; may be "" */
    hid_t file;          /* the open file; -1: none */
    int64_t bytes;       /* size of the file */
    dev_t device;        /* device and inode of the file whose checksums were */
    ino_t inode;         /* compared, which another may have replaced; 0: none */
    bool verify, digest; /* verify: the bytes are to be compared with checksums; digest: they were, and agree */
    int64_t *sums;       /* [n_frames][n_sums] checksums of frames; NULL in files without */
    size_t n_sums;
    char *sum_names; /* names of the columns of `sums`, with a blank before and after each */
    pio_snapshot_info info;
    pio_h5_log log;     /* cause of the first HDF5 call that failed */
    piola_error *error; /* error of the present call, may be NULL */
    piola_status status;
} pio_checked_file;

extern const char *const pio_checked_data_group[PIO_SNAPSHOT_LOCATIONS]; /* groups of fields, by location */

typedef struct {
    hid_t id; /* the dataset */
    int rank; /* 0..5 */
    hsize_t dims[6];
    bool integer; /* its numbers are integers */
} pio_checked_array;

/* Opens f->path and reads everything that pio_snapshot_info describes (snapshot_read.c). Returns PIOLA_NO_INPUT if the
 * file cannot be opened or another process writes it, PIOLA_BAD_DATA if it is no snapshot or is damaged, PIOLA_IO if it
 * cannot be read, or PIOLA_NO_MEMORY. */
piola_status pio_checked_read_all(pio_checked_file *f, piola_error *error);

/* Begins a call: HDF5 prints nothing until pio_checked_end(), and there is no fault yet. */
pio_h5_handler pio_checked_begin(pio_checked_file *f, piola_error *error);
/* Ends a call and returns the status of its first fault, such as PIOLA_BAD_DATA; PIOLA_OK if there was none. */
piola_status pio_checked_end(pio_checked_file *f, pio_h5_handler handler);

/* Records a fault with what `format` says, to which the message of HDF5 is added if one of its calls failed. Returns
 * false. */
bool pio_checked_fail(pio_checked_file *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Records a lack of memory. Returns false. */
bool pio_checked_no_memory(pio_checked_file *f, size_t bytes);
/* Opens the path, which must be a regular HDF5 file that nobody is writing; fills `bytes` and `file`. Returns false on
 * a fault. */
bool pio_checked_open(pio_checked_file *f);
/* Notes, in the parent process before there is a reader, which file the path names, and with `verify` compares its
 * bytes with the checksums at its end, if there are any (snapshot_open.c). Returns PIOLA_NO_INPUT if it cannot be
 * opened, or the errors of pio_digest_compare(). */
piola_status pio_checked_compare(pio_checked_file *f, piola_error *error);
/* Allocates n zeroed elements of `size` bytes; n was compared with the size of the file. */
void *pio_checked_alloc(pio_checked_file *f, size_t n, size_t size);

/* Opens the member `name` of a group if it is a hard link to an object of this type; returns -1 otherwise. */
hid_t pio_checked_open_member(pio_checked_file *f, hid_t parent, const char *name, H5I_type_t type);
/* Opens the group `second` in the group `first`; returns -1 on a fault. */
hid_t pio_checked_path(pio_checked_file *f, const char *first, const char *second);
/* Closes an object; -1 is allowed. */
void pio_checked_close(hid_t id);
/* Returns the names of a group's members, [*n], each malloc'd; NULL on a fault. */
char **pio_checked_members(pio_checked_file *f, hid_t group, size_t *n);
/* Frees a list of names. */
void pio_checked_free_names(char **names, size_t n);

/* Reads a scalar attribute, an integer from `least` to `most`. Returns false on a fault. */
bool pio_checked_int(pio_checked_file *f, hid_t object, const char *key, int64_t least, int64_t most, int64_t *out);
/* Returns a scalar attribute as malloc'd text; NULL on a fault. */
char *pio_checked_text(pio_checked_file *f, hid_t object, const char *key);
/* As pio_checked_text(), but a missing attribute is "". */
char *pio_checked_optional(pio_checked_file *f, hid_t object, const char *key);
/* Returns the index of the attribute's text among `names`, -1 on a fault. */
int pio_checked_choice(pio_checked_file *f, hid_t object, const char *key, const char *const *names, int n);
/* Returns a malloc'd text of fixed length, from an attribute or a dataset, of at most `most` bytes; NULL on a fault. */
char *pio_checked_fixed_text(pio_checked_file *f, hid_t id, hid_t type, bool dataset, int64_t most, const char *key);

/* Returns the checksum of an array or text that is written once; -1 if none is known. */
int64_t pio_checked_sum(pio_checked_file *f, hid_t dataset);

/* Opens a dataset of real numbers or integers with at most 5 axes (snapshot_array.c). Returns false on a fault. */
bool pio_checked_data(pio_checked_file *f, hid_t parent, const char *name, pio_checked_array *d);
/* Returns whether the dataset is neither virtual nor in other files; otherwise records a fault. */
bool pio_checked_is_local(pio_checked_file *f, hid_t dataset, const char *name);
/* Returns whether the dataset is in this file, which can hold `rows` rows of it; otherwise records a fault. */
bool pio_checked_fits(pio_checked_file *f, const pio_checked_array *d, const char *name, int64_t rows);
/* Rows [first, first + rows) of a dataset; one of rank 0 is read whole. */
typedef struct {
    int64_t first, rows;
    int64_t sum; /* checksum of these rows as they are stored, with which they are compared; -1: none is known */
} pio_checked_block;

/* Reads these rows into out[rows][...], converted to the type `memory`. Returns false on a fault. */
bool pio_checked_rows(pio_checked_file *f, const pio_checked_array *d, const char *name, pio_checked_block block,
                      hid_t memory, void *out);
/* Reads one entry of an offset array. Returns false on a fault. */
bool pio_checked_offset(pio_checked_file *f, hid_t group, const char *name, int64_t frame, int64_t *out);

/* Returns the checksum of one array of a history's row; -1 if none is known (snapshot_summed.c). */
int64_t pio_checked_sum_of_row(pio_checked_file *f, hid_t group, int64_t row, int64_t column);
/* Returns the checksum of one column of a frame ("Values", "Points", a field); -1 if none is known. */
int64_t pio_checked_sum_of_frame(const pio_checked_file *f, const char *column, int64_t frame);
/* Reads the checksums of all frames, and compares the times with theirs. */
void pio_checked_frame_sums(pio_checked_file *f);

/* Reads the cells of a mesh, which must satisfy the rules of snapshot.h; `connectivity` may be NULL (snapshot_mesh.c).
 * Returns false on a fault. */
bool pio_checked_cells(pio_checked_file *f, uint8_t *types, int64_t *offsets, int64_t *connectivity);
/* Checks that the lists of a mesh are there, have the required lengths, and fit into the file (snapshot_mesh.c). */
void pio_checked_mesh(pio_checked_file *f, hid_t vtk);

/* Serves one snapshot, as a pio_guarded_work (snapshot_serve.c): `context` is the pio_checked_file, with its path and
 * the result of pio_checked_compare(). The first answer is a packed pio_snapshot_info; requests follow. */
void pio_checked_serve(pio_guard *guard, void *context);

/* A request to the child: `which` is the number of a field or gradient, a pio_snapshot_document, a list of the mesh (0
 * types, 1 offsets, 2 connectivity), or -1 for the objective and otherwise a term's number; `part` of a gradient is 0
 * for value, 1 for grad. */
typedef struct {
    enum {
        PIO_REQUEST_POINTS,
        PIO_REQUEST_FIELD,
        PIO_REQUEST_MESH,
        PIO_REQUEST_GRADIENT,
        PIO_REQUEST_OBJECTIVE,
        PIO_REQUEST_DOCUMENT
    } what;
    int part;             /* array of a gradient */
    int64_t which, frame; /* item; frame, or iteration of a history */
} pio_checked_request;

#endif
