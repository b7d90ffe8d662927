/* snapshot_create.c -- the writer: checks a definition and lays out an empty file. */
#include "host/snapshot/snapshot_private.h"
#include "host/base/fail.h"
#include "host/snapshot/snapshot_words.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP_CHUNK = 64, MAX_VALUE = 60000, ALIGNED = 512 }; /* rows; bytes: HDF5 has 64 KiB; bytes */

/* Returns k for a chunk index node, which has 2k children of at most 48 bytes each (format specification, version 1
 * B-tree). */
static unsigned index_k(const pio_snapshot_def *def)
{
    int64_t most = def->expected_frames < PIO_SNAPSHOT_MAX_FRAMES ? def->expected_frames : PIO_SNAPSHOT_MAX_FRAMES;
    return most > 64 ? (unsigned)((most + 1) / 2) : 32;
}

/* ---- what a definition must satisfy -------------------------------------------------------------------- */

static piola_status check_field(const pio_snapshot_def *def, size_t i, piola_error *error)
{
    const pio_snapshot_field *f = &def->fields[i];
    const char *wrong = NULL;
    bool derivative = f->name && (strncmp(f->name, "grad_", 5) == 0 || strncmp(f->name, "adj_", 4) == 0);
    if (!pio_snapshot_is_name(f->name))
        wrong = "a name is a letter or _, then letters, digits and _, at most 63";
    else if (f->components < 1 || f->components > 9)
        wrong = "components must be 1 to 9";
    else if (f->when == PIO_SNAPSHOT_ADJOINT && !f->of)
        wrong = "an adjoint field needs `of`";
    else if (f->when == PIO_SNAPSHOT_ADJOINT && f->integer)
        wrong = "an adjoint field cannot be integer";
    else if ((f->of != NULL) != derivative)
        wrong = "a field has `of` when its name starts with grad_ or adj_, and only then";
    else if (f->of && !def->objective)
        wrong = "a derivative needs the name of the objective";
    else if (f->location != PIO_SNAPSHOT_POINT && !(f->location == PIO_SNAPSHOT_CELL && def->mesh) &&
             !(f->location == PIO_SNAPSHOT_INTEGRATION && def->mesh && def->n_integration > 0))
        wrong = "a field lies at the points, or at the cells of a mesh, or at their integration points";
    for (size_t j = 0; j < i && !wrong; j++)
        if (strcmp(def->fields[j].name, f->name) == 0) wrong = "the name is taken";
    if (!wrong) return PIOLA_OK;
    return pio_fail(error, PIOLA_INTERNAL, "%s: field %zu '%s': %s", def->path, i, f->name ? f->name : "", wrong);
}

static piola_status check_def(const pio_snapshot_def *def, piola_error *error)
{
    const char *wrong = NULL;
    size_t length = def && def->path ? strlen(def->path) : 0;
    if (length < 8 || strcmp(def->path + length - 7, ".vtkhdf") != 0)
        return pio_fail(error, PIOLA_INTERNAL, "snapshot: the path must end in .vtkhdf");
    if (def->dimension != 2 && def->dimension != 3)
        wrong = "dimension must be 2 or 3";
    else if (def->n_points < 1)
        wrong = "there must be at least one point";
    else if (def->n_points > INT64_MAX / (int64_t)(72 * (def->n_fields + 16)))
        wrong = "too many points for 64-bit sizes";
    else if (def->n_integration < 0 || def->n_integration > INT64_MAX / (int64_t)(72 * (def->n_fields + 16)))
        wrong = "the number of integration points does not fit 64-bit sizes";
    else if (def->expected_frames < 0)
        wrong = "expected_frames must not be negative";
    else if ((def->n_fields && !def->fields) || (def->n_pairs && !def->pairs))
        wrong = "a list is NULL";
    if (wrong) return pio_fail(error, PIOLA_INTERNAL, "%s: %s", def->path, wrong);
    for (size_t i = 0; i < def->n_pairs; i++)
        if (!def->pairs[i].key || !def->pairs[i].key[0] || !def->pairs[i].value ||
            strlen(def->pairs[i].value) > MAX_VALUE)
            return pio_fail(error, PIOLA_INTERNAL, "%s: manifest pair %zu is empty or longer than %d bytes", def->path,
                            i, MAX_VALUE);
    for (size_t i = 0; i < def->n_fields; i++) {
        piola_status status = check_field(def, i, error);
        if (status != PIOLA_OK) return status;
    }
    return def->mesh ? pio_snapshot_check_mesh(def, error) : PIOLA_OK;
}

/* ---- creation ------------------------------------------------------------------------------------------ */

/* Returns the number of components as stored: 2D vectors and matrices become 3D ones. */
static int stored_components(int dimension, int components)
{
    if (dimension == 2 && components == 2) return 3;
    return dimension == 2 && components == 4 ? 9 : components;
}

/* Returns bytes rounded up to those at which the next object begins: see create_file(). */
static double aligned(double bytes)
{
    return ceil(bytes / ALIGNED) * ALIGNED;
}

double pio_snapshot_expected_bytes(const pio_snapshot_def *def, int64_t n_cells, int64_t n_connectivity)
{
    const double lists = 12e3 * (double)(def->n_fields + 3); /* what HDF5 keeps of each field, of texts and steps */
    const double real = def->precision == PIO_SNAPSHOT_F64 ? 8 : 4, n = (double)def->n_points;
    double frame = 0, once = lists + 0.1 * 8 * (double)(n_cells + n_connectivity); /* topology is compressed */
    *(def->static_points ? &once : &frame) += aligned(3 * n * real);
    for (size_t i = 0; i < def->n_fields; i++) {
        const pio_snapshot_field *f = &def->fields[i];
        const double rows = f->location == PIO_SNAPSHOT_POINT  ? n
                            : f->location == PIO_SNAPSHOT_CELL ? (double)n_cells
                                                               : (double)def->n_integration;
        *(f->when == PIO_SNAPSHOT_STATIC ? &once : &frame) +=
            aligned(rows * stored_components(def->dimension, f->components) * (f->integer ? 8 : real));
    }
    return (double)def->expected_frames * frame + once;
}

static pio_snapshot *allocate(const pio_snapshot_def *def, piola_error *error)
{
    pio_snapshot *s = calloc(1, sizeof *s);
    const int64_t cells = def->mesh ? def->mesh->n_cells : def->n_points;
    size_t length = strlen(def->path);
    int64_t most = cells > def->n_points ? cells : def->n_points;
    if (def->n_integration > most) most = def->n_integration;
    const size_t scratch = (size_t)most * 9 * sizeof(double);
    if (s) {
        s->fd = -1;
        s->path = strdup(def->path);
        s->partial = def->partial ? strdup(def->partial) : malloc(length + 60);
        s->objective_name = strdup(def->objective ? def->objective : "");
        s->columns = calloc(def->n_fields + 1, sizeof *s->columns);
        s->tracks = calloc(3 * def->n_fields + 8, sizeof *s->tracks);
        s->scratch = malloc(scratch);
    }
    if (!s || !s->path || !s->partial || !s->objective_name || !s->columns || !s->tracks || !s->scratch) {
        if (s) pio_snapshot_release(s);
        pio_fail(error, PIOLA_NO_MEMORY, "%s: no memory for a frame's buffer of %zu bytes", def->path, scratch);
        return NULL;
    }
    s->kind = def->kind;
    s->dimension = def->dimension;
    s->f64 = def->precision == PIO_SNAPSHOT_F64;
    s->static_points = def->static_points || def->mesh;
    s->n = def->n_points;
    s->n_cells = cells;
    s->n_integration = def->n_integration;
    s->costs = def->costs;
    s->n_columns = def->n_fields;
    for (size_t i = 0; i < def->n_fields; i++) {
        const pio_snapshot_field *f = &def->fields[i];
        pio_snapshot_column *c = &s->columns[i];
        strcpy(c->name, f->name); /* fits: pio_snapshot_is_name() */
        c->components = f->components;
        c->stored = stored_components(def->dimension, f->components);
        c->when = f->when;
        c->integer = f->integer;
        c->location = f->location;
        c->rows = pio_snapshot_rows(s, f->location);
    }
    return s;
}

/* Creates an empty file with a new name, so that no existing file is overwritten or followed. Returns -1 with errno. */
static int open_partial(pio_snapshot *s, const pio_snapshot_def *def)
{
    static unsigned count;
    const int how = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, length = (int)strlen(def->path) - 7;
    if (def->partial) {
        (void)unlink(def->partial);
        return open(s->partial, how, 0666);
    }
    int fd = -1;
    do {
        sprintf(s->partial, "%.*s.%ld-%u.partial.vtkhdf", length, def->path, (long)getpid(), count++);
        fd = open(s->partial, how, 0666);
    } while (fd < 0 && errno == EEXIST);
    return fd;
}

/* Returns whether HDF5, which opens by name, opened the file that was created. */
static bool is_that_file(hid_t file, int fd)
{
    struct stat ours, its;
    void *handle = NULL;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && !fstat(*(int *)handle, &its) && !fstat(fd, &ours) &&
           its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

/* The bounds V18..V110 select the formats that every reader since 1.8 knows, with checksummed object headers. Objects
 * begin at multiples of ALIGNED bytes, so that no header extends over two pages, where a kill could tear it. */
static bool create_file(pio_snapshot *s, const pio_snapshot_def *def, pio_h5_log *log)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
    bool ok = pio_h5_ok(log, access) && pio_h5_ok(log, create) && pio_h5_ok(log, H5Pset_fapl_sec2(access)) &&
              pio_h5_ok(log, H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110)) &&
              pio_h5_ok(log, H5Pset_fclose_degree(access, H5F_CLOSE_STRONG)) &&
              pio_h5_ok(log, H5Pset_alignment(access, 1, ALIGNED)) &&
              pio_h5_ok(log, H5Pset_istore_k(create, index_k(def))) &&
              pio_h5_ok(log, H5Pset_obj_track_times(create, false));
#if H5_VERSION_GE(1, 10, 7)
    ok = ok && pio_h5_ok(log, H5Pset_file_locking(access, true, true)); /* cluster file systems may have no locks */
#endif
    s->file = ok ? H5Fcreate(s->partial, H5F_ACC_TRUNC, create, access) : -1;
    ok = ok && pio_h5_ok(log, s->file);
    if (access >= 0) (void)H5Pclose(access);
    if (create >= 0) (void)H5Pclose(create);
    return ok;
}

static void add_column(pio_snapshot *s, hid_t id, int64_t rows)
{
    s->tracks[s->n_tracks++] = (pio_snapshot_track){id, false, rows, 0, 0, 0};
}

/* An array of Steps, of int64, or of doubles if `real` is set; entry k is first + k * stride, and in a second column
 * `second`. */
typedef struct {
    const char *name;
    bool real;
    int columns; /* 0: [T]; otherwise [T, columns], of 1 or 2 */
    int64_t first, stride, second;
} step_array;

/* Creates an extensible array with one entry per frame. */
static hid_t create_step(pio_snapshot *s, pio_h5_log *log, hid_t group, step_array a)
{
    const hid_t type = a.real ? H5T_IEEE_F64LE : H5T_STD_I64LE;
    const hsize_t columns = a.columns > 1 ? 2 : 1;
    pio_h5_shape shape = {
        .type = type, .rank = a.columns ? 2 : 1, .dims = {0, columns}, .chunk = {STEP_CHUNK, columns}, .grows = true};
    hid_t id = pio_h5_dataset(log, group, a.name, &shape);
    if (id >= 0) s->tracks[s->n_tracks++] = (pio_snapshot_track){id, true, 1, a.first, a.stride, a.second};
    return id;
}

/* Creates the arrays of offsets, the start of each frame's rows in each field. */
static bool create_offsets(pio_snapshot *s, pio_h5_log *log, const char *name, pio_snapshot_location location)
{
    hid_t group = pio_h5_group(log, s->steps, name);
    bool ok = group >= 0;
    for (size_t i = 0; i < s->n_columns && ok; i++) {
        const pio_snapshot_column *c = &s->columns[i];
        int64_t stride = c->when == PIO_SNAPSHOT_STATIC ? 0 : c->rows;
        if (c->location == location)
            ok = create_step(s, log, group, (step_array){c->name, false, 0, 0, stride, 0}) >= 0;
    }
    return group >= 0 && pio_h5_ok(log, H5Gclose(group)) && ok;
}

/* Creates the arrays of sizes that VTK needs of FieldData: the components and rows of each frame. */
static bool create_sizes(pio_snapshot *s, pio_h5_log *log)
{
    hid_t group = pio_h5_group(log, s->steps, "FieldDataSizes");
    bool ok = group >= 0;
    for (size_t i = 0; i < s->n_columns && ok; i++) {
        const pio_snapshot_column *c = &s->columns[i];
        if (c->location == PIO_SNAPSHOT_INTEGRATION)
            ok = create_step(s, log, group, (step_array){c->name, false, 2, c->stored, 0, c->rows}) >= 0;
    }
    return group >= 0 && pio_h5_ok(log, H5Gclose(group)) && ok;
}

static bool create_steps(pio_snapshot *s, pio_h5_log *log)
{
    const step_array offsets[] = {{"PointOffsets", false, 0, 0, s->static_points ? 0 : s->n, 0},
                                  {"PartOffsets", false, 0, 0, 0, 0},
                                  {"NumberOfParts", false, 0, 1, 0, 0},
                                  {"CellOffsets", false, 1, 0, 0, 0},
                                  {"ConnectivityIdOffsets", false, 1, 0, 0, 0}};
    bool ok = pio_h5_attr_int(log, s->steps, "NSteps", 0);
    s->times = ok ? create_step(s, log, s->steps, (step_array){"Values", true, 0, 0, 0, 0}) : -1;
    ok = s->times >= 0;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets && ok; i++)
        ok = create_step(s, log, s->steps, offsets[i]) >= 0;
    ok = ok && create_offsets(s, log, "PointDataOffsets", PIO_SNAPSHOT_POINT) &&
         create_offsets(s, log, "CellDataOffsets", PIO_SNAPSHOT_CELL) &&
         create_offsets(s, log, "FieldDataOffsets", PIO_SNAPSHOT_INTEGRATION);
    return ok && (!s->n_integration || create_sizes(s, log));
}

/* Creates the dataset of the points or of a field: rows [..] or [.., stored] per frame, with one frame per chunk.
 * Values not yet written are NaN, or the least int64. */
static hid_t create_column(const pio_snapshot *s, pio_h5_log *log, hid_t group, const pio_snapshot_column *c)
{
    static const double nan64 = NAN;
    static const float nan32 = NAN;
    static const int64_t none = INT64_MIN;
    const void *fill = c->integer ? (const void *)&none : s->f64 ? (const void *)&nan64 : (const void *)&nan32;
    hsize_t n = (hsize_t)c->rows, width = (hsize_t)c->stored;
    bool fixed = c->when == PIO_SNAPSHOT_STATIC;
    pio_h5_shape shape = {.type = c->integer ? H5T_STD_I64LE
                                  : s->f64   ? H5T_IEEE_F64LE
                                             : H5T_IEEE_F32LE,
                          .rank = c->stored > 1 ? 2 : 1,
                          .dims = {fixed ? n : 0, width},
                          .chunk = {fixed ? 0 : n, width},
                          .grows = !fixed,
                          .fill = fixed ? fill : NULL};
    return pio_h5_dataset(log, group, c->name, &shape);
}

static bool create_field(pio_snapshot *s, const pio_snapshot_def *def, pio_h5_log *log, hid_t group, size_t i)
{
    pio_snapshot_column *c = &s->columns[i];
    const pio_snapshot_field *f = &def->fields[i];
    c->id = create_column(s, log, group, c);
    bool ok = c->id >= 0 && pio_h5_attr_text(log, c->id, "units", f->units) &&
              pio_h5_attr_text(log, c->id, "meaning", f->meaning) &&
              pio_h5_attr_text(log, c->id, "when", pio_snapshot_when_words[c->when]) &&
              pio_h5_attr_int(log, c->id, "components", c->components) &&
              (!f->of || (pio_h5_attr_text(log, c->id, "of", f->of) &&
                          pio_h5_attr_text(log, c->id, "objective", def->objective)));
    if (ok && c->when != PIO_SNAPSHOT_STATIC) add_column(s, c->id, c->rows);
    return ok && (c->when != PIO_SNAPSHOT_STATIC || pio_h5_attr_sum(log, c->id, NULL, 0));
}

static bool create_fields(pio_snapshot *s, const pio_snapshot_def *def, pio_h5_log *log, hid_t vtk)
{
    static const char *const names[] = {"PointData", "CellData", "FieldData"}; /* by location */
    bool ok = true;
    for (int g = 0; g < 3 && ok; g++) {
        hid_t group = pio_h5_group(log, vtk, names[g]);
        ok = group >= 0;
        for (size_t i = 0; i < s->n_columns && ok; i++)
            if ((int)s->columns[i].location == g) ok = create_field(s, def, log, group, i);
        ok = group >= 0 && pio_h5_ok(log, H5Gclose(group)) && ok;
    }
    return ok;
}

/* Writes `Type` as VTK requires it, as an ASCII string of fixed length. */
static bool write_type(pio_h5_log *log, hid_t vtk)
{
    static const char name[] = "UnstructuredGrid";
    static const int64_t version[2] = {2, 0};
    const hsize_t two = 2;
    hid_t type = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR), pair = H5Screate_simple(1, &two, NULL);
    bool ok = pio_h5_ok(log, type) && pio_h5_ok(log, one) && pio_h5_ok(log, pair) &&
              pio_h5_ok(log, H5Tset_size(type, sizeof name - 1)) &&
              pio_h5_ok(log, H5Tset_strpad(type, H5T_STR_NULLPAD));
    hid_t a = ok ? H5Acreate2(vtk, "Type", type, one, H5P_DEFAULT, H5P_DEFAULT) : -1;
    hid_t b = ok ? H5Acreate2(vtk, "Version", H5T_STD_I64LE, pair, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = ok && pio_h5_ok(log, a) && pio_h5_ok(log, b) && pio_h5_ok(log, H5Awrite(a, type, name)) &&
         pio_h5_ok(log, H5Awrite(b, H5T_NATIVE_INT64, version));
    if (a >= 0) (void)H5Aclose(a);
    if (b >= 0) (void)H5Aclose(b);
    if (type >= 0) (void)H5Tclose(type);
    if (one >= 0) (void)H5Sclose(one);
    if (pair >= 0) (void)H5Sclose(pair);
    return ok;
}

static bool create_vtk(pio_snapshot *s, const pio_snapshot_def *def, pio_h5_log *log)
{
    hid_t vtk = pio_h5_group(log, s->file, "VTKHDF");
    s->steps = vtk >= 0 ? pio_h5_group(log, vtk, "Steps") : -1;
    bool ok = s->steps >= 0 && create_steps(s, log) && write_type(log, vtk) &&
              pio_snapshot_write_cells(log, vtk, def->mesh, s->n);
    const pio_snapshot_column points = pio_snapshot_points(s);
    s->points = ok ? create_column(s, log, vtk, &points) : -1;
    ok = s->points >= 0 && pio_h5_attr_text(log, s->points, "units", "m");
    if (ok && !s->static_points) add_column(s, s->points, s->n);
    ok = ok && (!s->static_points || pio_h5_attr_sum(log, s->points, NULL, 0));
    ok = ok && create_fields(s, def, log, vtk);
    return vtk >= 0 && pio_h5_ok(log, H5Gclose(vtk)) && ok;
}

/* Creates /piola/checksums/frames, [T, 2 + fields] checksums, and the list of its columns. */
static bool create_sums(pio_snapshot *s, pio_h5_log *log)
{
    const hsize_t columns = s->n_columns + 2;
    pio_h5_shape shape = {
        .type = H5T_STD_I64LE, .rank = 2, .dims = {0, columns}, .chunk = {STEP_CHUNK, columns}, .grows = true};
    char *names = malloc(16 + s->n_columns * (PIO_SNAPSHOT_NAME + 1)), *end = names;
    hid_t group = names ? pio_h5_group(log, s->root_piola, "checksums") : -1;
    s->sums = group >= 0 ? pio_h5_dataset(log, group, "frames", &shape) : -1;
    if (names) end = stpcpy(names, "Values Points");
    for (size_t i = 0; names && i < s->n_columns; i++) {
        *end++ = ' ';
        end = stpcpy(end, s->columns[i].name);
    }
    const bool ok = s->sums >= 0 && pio_h5_attr_text(log, s->sums, "columns", names);
    if (ok) add_column(s, s->sums, 1);
    free(names);
    return group >= 0 && pio_h5_ok(log, H5Gclose(group)) && ok;
}

static bool create_piola(pio_snapshot *s, const pio_snapshot_def *def, pio_h5_log *log)
{
    hid_t root = s->root_piola = pio_h5_group(log, s->file, "piola");
    bool ok = root >= 0 && pio_h5_attr_text(log, root, "layout", PIO_SNAPSHOT_LAYOUT) &&
              pio_h5_attr_text(log, root, "kind", pio_snapshot_kind_words[def->kind]) &&
              pio_h5_attr_int(log, root, "complete", 0) &&
              pio_h5_attr_text(log, root, "checksums", PIO_SNAPSHOT_CHECKSUMS) &&
              pio_h5_attr_int(log, root, "dimension", s->dimension) && pio_h5_attr_int(log, root, "n_points", s->n) &&
              (!def->mesh || pio_h5_attr_int(log, root, "n_cells", s->n_cells)) &&
              (!s->n_integration || pio_h5_attr_int(log, root, "n_integration_points", s->n_integration)) &&
              pio_h5_attr_text(log, root, "precision",
                               pio_snapshot_precision_words[s->f64 ? PIO_SNAPSHOT_F64 : PIO_SNAPSHOT_F32]);
    hid_t scene = ok ? pio_h5_group(log, root, "scene") : -1, manifest = ok ? pio_h5_group(log, root, "manifest") : -1;
    ok = scene >= 0 && manifest >= 0 && pio_h5_text(log, scene, "verbatim", def->scene_text) &&
         pio_h5_text(log, scene, "resolved", def->scene_resolved) && pio_h5_text(log, manifest, "json", def->manifest);
    for (size_t i = 0; i < def->n_pairs && ok; i++)
        ok = pio_h5_attr_text(log, manifest, def->pairs[i].key, def->pairs[i].value);
    if (scene >= 0) (void)H5Gclose(scene);
    if (manifest >= 0) (void)H5Gclose(manifest);
    s->gradients = ok ? pio_h5_group(log, root, "gradient") : -1;
    s->objective = ok ? pio_h5_group(log, root, "objective") : -1;
    s->terms = s->objective >= 0 ? pio_h5_group(log, s->objective, "terms") : -1;
    s->certificate = ok ? pio_h5_group(log, root, "certificate") : -1;
    return ok && create_sums(s, log) && s->gradients >= 0 && s->terms >= 0 && s->certificate >= 0 &&
           pio_h5_attr_text(log, s->objective, "name", s->objective_name);
}

/* Returns the bytes to reserve for a frame: its values and, generously, the index nodes that may be added. */
static int64_t frame_bytes(const pio_snapshot *s, unsigned k)
{
    const int64_t real = s->f64 ? 8 : 4;
    int64_t bytes = s->static_points ? 0 : s->n * 3 * real;
    for (size_t i = 0; i < s->n_columns; i++) {
        const pio_snapshot_column *c = &s->columns[i];
        if (c->when != PIO_SNAPSHOT_STATIC) bytes += c->rows * c->stored * (c->integer ? 8 : real);
    }
    return bytes + (int64_t)s->n_tracks * (96 * (int64_t)k + 4096) + 65536;
}

static piola_status create(pio_snapshot *s, const pio_snapshot_def *def, piola_error *error)
{
    pio_h5_log log = {.cause = ""};
    s->fd = open_partial(s, def);
    if (s->fd < 0) return pio_fail(error, PIOLA_CANNOT_CREATE, "%s: cannot create: %s", s->partial, strerror(errno));
    if (!create_file(s, def, &log)) {
        if (s->file < 0) (void)unlink(s->partial);
        return pio_fail(error, PIOLA_CANNOT_CREATE, "%s: cannot create: %s", s->partial, log.cause);
    }
    if (!is_that_file(s->file, s->fd))
        return pio_fail(error, PIOLA_CANNOT_CREATE, "%s: another program put a file in its place", s->partial);
    if (!create_vtk(s, def, &log) || !create_piola(s, def, &log) || !pio_h5_flush(&log, s->file))
        return pio_snapshot_io(s, &log, "creating the file", error);
    s->frame_bytes = frame_bytes(s, index_k(def));
    return PIOLA_OK;
}

piola_status pio_snapshot_create(pio_snapshot **out, const pio_snapshot_def *def, piola_error *error)
{
    if (!out) return pio_fail(error, PIOLA_INTERNAL, "snapshot: no place for the result");
    *out = NULL;
    piola_status status = check_def(def, error);
    if (status != PIOLA_OK) return status;
    pio_snapshot *s = allocate(def, error);
    if (!s) return PIOLA_NO_MEMORY;
    pio_h5_handler handler = pio_h5_silence();
    s->file = -1;
    status = create(s, def, error);
    if (status != PIOLA_OK) {
        if (s->file >= 0) {
            if (!s->broken) pio_snapshot_break(s);
            (void)H5Fclose(s->file);
        }
        pio_snapshot_release(s);
    } else {
        *out = s;
    }
    pio_h5_restore(handler);
    return status;
}
