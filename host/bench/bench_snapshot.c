/* bench_snapshot.c -- see bench_snapshot.h. The file is written and read by the functions that runs and commands use;
 * the writer itself times its checksums. */
#include "host/bench/bench_snapshot.h"

#include "solvers/engine/clock.h"
#include "host/base/fail.h"
#include "host/base/path.h"
#include "host/base/signals.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VELOCITY, VOLUME_RATIO, BODY, MATERIAL, FIELDS };

typedef struct {
    pio_snapshot_bench *b;
    pio_bench_case bench_case;
    /* [n][dimension] m; [n] volume ratios; [n] integers; [n][3] values that were read */
    double *points, *ratio, *numbers, *got;
    char folder[PIO_PATH], path[PIO_PATH], partial[PIO_PATH];
} runner;

static piola_status check_interruption(piola_error *error)
{
    const char *why = pio_interruption();
    return why ? pio_fail(error, PIOLA_INTERRUPTED, "interrupted by %s; the file that was measured is removed", why)
               : PIOLA_OK;
}

/* ---- the frames ----------------------------------------------------------------------------------------- */

static double time_of(int64_t frame)
{
    return 0.01 * (double)frame;
}

/* Computes a frame of the free flight; the volume ratios are arbitrary numbers near 1. */
static void make_frame(runner *r, int64_t frame)
{
    const int64_t n = r->b->particles, dim = r->b->options.dimension;
    const double time = time_of(frame);
    for (int64_t i = 0; i < n * dim; i++) r->points[i] = r->bench_case.position[i] + time * r->bench_case.speed[i];
    for (int64_t i = 0; i < n; i++) r->ratio[i] = 1 + time * (r->bench_case.speed[i * dim] - r->bench_case.velocity[0]);
}

static const double *values_of(const runner *r, int field)
{
    return field == VELOCITY ? r->bench_case.speed : field == VOLUME_RATIO ? r->ratio : r->numbers;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static piola_status write_frames(runner *r, pio_snapshot *file, double *seconds, piola_error *error)
{
    const double *const values[FIELDS] = {values_of(r, VELOCITY), values_of(r, VOLUME_RATIO)};
    piola_status rc = PIOLA_OK;
    *seconds = 0;
    for (int64_t k = 0; !rc && k < r->b->frames; k++) {
        make_frame(r, k);
        const double begun = pio_clock();
        rc = pio_snapshot_frame(file, time_of(k), r->points, values, error);
        *seconds += pio_clock() - begun;
        if (!rc) rc = check_interruption(error);
    }
    return rc;
}

/* Creates the file with the default fields of output.states and the static numbers that every run writes. */
static piola_status create(const runner *r, pio_snapshot **file, pio_snapshot_costs *costs, piola_error *error)
{
    const pio_snapshot_bench *b = r->b;
    const pio_snapshot_field fields[FIELDS] = {
        [VELOCITY] = {"velocity", b->options.dimension, "m/s", "velocity", .when = PIO_SNAPSHOT_FRAME},
        [VOLUME_RATIO] = {"J", 1, "1", "volume ratio", .when = PIO_SNAPSHOT_FRAME},
        [BODY] = {"body", 1, "1", "number of the body", .when = PIO_SNAPSHOT_STATIC, .integer = true},
        [MATERIAL] = {"material", 1, "1", "number of the material", .when = PIO_SNAPSHOT_STATIC, .integer = true}};
    const pio_snapshot_def def = {.path = r->path,
                                  .partial = r->partial,
                                  .kind = PIO_SNAPSHOT_STATES,
                                  .n_points = b->particles,
                                  .dimension = b->options.dimension,
                                  .precision = b->precision,
                                  .expected_frames = b->frames,
                                  .fields = fields,
                                  .n_fields = FIELDS,
                                  .costs = costs};
    piola_status rc = pio_snapshot_create(file, &def, error);
    if (!rc) rc = pio_snapshot_static(*file, "body", r->numbers, error);
    if (!rc) rc = pio_snapshot_static(*file, "material", r->numbers, error);
    return rc;
}

static piola_status write_file(runner *r, pio_snapshot_writing *w, piola_error *error)
{
    pio_snapshot_bench *b = r->b;
    pio_snapshot_costs costs = {0};
    pio_snapshot *file = NULL;
    struct stat st;
    const double begun = pio_clock();
    piola_status rc = create(r, &file, &costs, error);
    w->begin = pio_clock() - begun;
    const pio_snapshot_costs once = costs;
    if (!rc) rc = write_frames(r, file, &w->frames, error);
    if (rc) {
        pio_snapshot_abandon(file);
        return rc;
    }
    const double ending = pio_clock();
    rc = pio_snapshot_finish(file, error);
    w->finish = pio_clock() - ending;
    w->all = w->begin + w->frames + w->finish;
    w->frame_sums = costs.arrays - once.arrays;
    w->array_sums = costs.arrays;
    w->file_sums = costs.file;
    b->array_bytes = costs.array_bytes;
    b->frame_bytes = (costs.array_bytes - once.array_bytes) / b->frames;
    if (!rc && stat(r->path, &st) != 0) rc = pio_fail(error, PIOLA_IO, "%s: %s", r->path, strerror(errno));
    if (!rc) b->file_bytes = (int64_t)st.st_size;
    return rc;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* Compares r->got, [n][stored], with the values that were written, [n][components]. PIOLA_INTERNAL if they differ. */
static piola_status compare(const runner *r, const double *written, int components, int stored, const char *name,
                            piola_error *error)
{
    for (int64_t i = 0; i < r->b->particles; i++)
        for (int c = 0; c < components; c++) {
            double value = written[i * components + c];
            if (r->b->precision == PIO_SNAPSHOT_F32) value = (double)(float)value;
            if (memcmp(&value, &r->got[i * stored + c], sizeof value))
                return pio_fail(error, PIOLA_INTERNAL,
                                "%s: %s of particle %lld is read as %.17g and was written as %.17g", r->path, name,
                                (long long)i, r->got[i * stored + c], value);
        }
    return PIOLA_OK;
}

static int number_of(const char *name)
{
    static const char *const names[FIELDS] = {
        [VELOCITY] = "velocity", [VOLUME_RATIO] = "J", [BODY] = "body", [MATERIAL] = "material"};
    int field = 0;
    while (field < FIELDS && strcmp(names[field], name)) field++;
    return field;
}

/* Reads the points and fields of a frame, with the first frame also the static fields. */
static piola_status read_frame(runner *r, pio_snapshot_file *file, int64_t frame, bool check, piola_error *error)
{
    const pio_snapshot_info *info = pio_snapshot_describe(file);
    if (check) make_frame(r, frame);
    piola_status rc = pio_snapshot_read_points(file, frame, r->got, error);
    if (!rc && check) rc = compare(r, r->points, info->dimension, 3, "the position", error);
    for (size_t i = 0; !rc && i < info->n_fields; i++) {
        const pio_snapshot_field_info *f = &info->fields[i];
        if (f->when == PIO_SNAPSHOT_STATIC && frame > 0) continue;
        rc = check_interruption(error);
        if (!rc) rc = pio_snapshot_read_field(file, f->name, frame, r->got, error);
        if (!rc && check) rc = compare(r, values_of(r, number_of(f->name)), f->components, f->stored, f->name, error);
    }
    return rc ? rc : check_interruption(error);
}

static piola_status read_file(runner *r, bool verify, bool check, pio_snapshot_reading *t, piola_error *error)
{
    pio_snapshot_file *file = NULL;
    const double begun = pio_clock();
    piola_status rc = pio_snapshot_open(&file, r->path, verify, error);
    t->open = pio_clock() - begun;
    if (rc) return rc;
    const pio_snapshot_info *info = pio_snapshot_describe(file);
    if (info->integrity != (verify ? PIO_SNAPSHOT_VERIFIED : PIO_SNAPSHOT_SKIPPED) || info->n_frames != r->b->frames ||
        info->n_fields != FIELDS)
        rc = pio_fail(error, PIOLA_INTERNAL, "%s: %lld frames of %zu fields; checksums: %s", r->path,
                      (long long)info->n_frames, info->n_fields, pio_snapshot_integrity_text(info->integrity));
    for (int64_t k = 0; !rc && k < r->b->frames; k++) rc = read_frame(r, file, k, check, error);
    pio_snapshot_close(file);
    t->all = pio_clock() - begun;
    return rc;
}

/* ---- repetitions ---------------------------------------------------------------------------------------- */

static void keep_best(pio_snapshot_bench *b, const pio_snapshot_writing *w, const pio_snapshot_reading t[2])
{
    pio_snapshot_writing *best = &b->writing;
    best->begin = fmin(best->begin, w->begin);
    best->frames = fmin(best->frames, w->frames);
    best->finish = fmin(best->finish, w->finish);
    best->all = fmin(best->all, w->all);
    best->frame_sums = fmin(best->frame_sums, w->frame_sums);
    best->array_sums = fmin(best->array_sums, w->array_sums);
    best->file_sums = fmin(best->file_sums, w->file_sums);
    for (int verify = 0; verify < 2; verify++) {
        b->reading[verify].open = fmin(b->reading[verify].open, t[verify].open);
        b->reading[verify].all = fmin(b->reading[verify].all, t[verify].all);
    }
}

static void remove_file(const runner *r)
{
    (void)unlink(r->partial);
    (void)unlink(r->path);
}

static piola_status repeat(runner *r, piola_error *error)
{
    const double none = HUGE_VAL;
    pio_snapshot_bench *b = r->b;
    pio_snapshot_writing w = {0};
    pio_snapshot_reading t[2];
    piola_status rc = PIOLA_OK;
    b->writing = (pio_snapshot_writing){none, none, none, none, none, none, none};
    b->reading[0] = b->reading[1] = (pio_snapshot_reading){none, none};
    for (int i = 0; !rc && i <= PIO_SNAPSHOT_REPETITIONS; i++) {
        rc = write_file(r, &w, error);
        for (int verify = 0; !rc && verify < 2; verify++) rc = read_file(r, verify, i == 0, &t[verify], error);
        if (!rc && i > 0) keep_best(b, &w, t);
        remove_file(r);
    }
    return rc;
}

/* Measures in a new folder within the given one, so that no existing file is replaced. */
static piola_status with_folder(runner *r, piola_error *error)
{
    const char *folder = r->b->folder;
    piola_status rc = pio_path_folder(folder, error);
    if (rc) return rc;
    if (!pio_path_join(r->folder, sizeof r->folder, folder, "piola-bench-XXXXXX") || !mkdtemp(r->folder)) {
        const bool full = errno == ENOSPC || errno == EDQUOT || errno == EIO;
        return pio_fail(error, full ? PIOLA_IO : PIOLA_CANNOT_CREATE, "%s: a folder in it cannot be created: %s",
                        folder, strerror(errno));
    }
    (void)pio_path_join(r->path, sizeof r->path, r->folder,
                        "states.vtkhdf"); /* it fits, as pio_path_folder() checked */
    (void)pio_path_join(r->partial, sizeof r->partial, r->folder, "states.partial.vtkhdf");
    rc = repeat(r, error);
    (void)rmdir(r->folder);
    return rc;
}

piola_status pio_snapshot_bench_measure(pio_snapshot_bench *b, piola_error *error)
{
    runner r = {.b = b};
    piola_status rc = pio_bench_case_create(&r.bench_case, &b->options, error);
    if (rc) return rc;
    const size_t n = (size_t)r.bench_case.desc.particles.n, dim = (size_t)b->options.dimension;
    b->particles = (int64_t)n;
    r.points = malloc(n * dim * sizeof *r.points);
    r.ratio = malloc(n * sizeof *r.ratio);
    r.numbers = calloc(n, sizeof *r.numbers);
    r.got = malloc(3 * n * sizeof *r.got);
    rc = r.points && r.ratio && r.numbers && r.got ? with_folder(&r, error)
                                                   : pio_fail_memory(error, (dim + 5) * n * sizeof(double), "a frame");
    free(r.points);
    free(r.ratio);
    free(r.numbers);
    free(r.got);
    pio_bench_case_free(&r.bench_case);
    return rc;
}
