/* test_snapshot.c -- the writer and the reader of snapshots agree, and refuse what they must.
 *
 * `test_snapshot --write DIR` makes the files that check_snapshot.py reads with h5py and VTK. */
#include "host/base/path.h"
#include "tests/host/snapshot/snapshot_sample.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static char folder[] = "/tmp/piola_snapshot_XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static const char *in_folder(const char *name)
{
    static char path[4][PIO_PATH];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"one.vtkhdf",
                                        "two.vtkhdf",
                                        "one.partial.vtkhdf",
                                        "two.partial.vtkhdf",
                                        "abandoned.partial.vtkhdf",
                                        "unfinished.partial.vtkhdf",
                                        "text"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) (void)unlink(in_folder(names[i]));
    for (int i = 0; i < SAMPLE_CASES; i++) (void)unlink(in_folder(sample_cases[i].name));
    return rmdir(folder);
}

static void ok(piola_status status, const piola_error *error)
{
    if (status != PIOLA_OK) fail_msg("status %d: %s", (int)status, error->message);
}

/* The status and, in the message, every one of up to two texts. */
static void refused(piola_status got, piola_status wanted, const piola_error *error, const char *first,
                    const char *second)
{
    if (got != wanted || error->status != wanted) fail_msg("status %d, not %d", (int)got, (int)wanted);
    if (!strstr(error->message, first) || !strstr(error->message, second))
        fail_msg("message '%s' lacks '%s' or '%s'", error->message, first, second);
}

/* ---- what is written comes back ------------------------------------------------------------------------ */

/* Where component c of the declared ones lies among the stored ones. */
static int place(int components, int stored, int c)
{
    return components == 4 && stored == 9 ? c / 2 * 3 + c % 2 : c;
}

static size_t compare_field(pio_snapshot_file *f, const sample_case *c, const pio_snapshot_field_info *v, int code,
                            int64_t k)
{
    piola_error error;
    double *got = malloc((size_t)(v->rows * v->stored) * sizeof *got);
    assert_non_null(got);
    ok(pio_snapshot_read_field(f, v->name, k, got, &error), &error);
    bool empty = v->when == PIO_SNAPSHOT_ADJOINT && (k % 2 || !c->finished);
    for (int64_t i = 0; i < v->rows; i++) {
        double wanted[9] = {0};
        for (int a = 0; a < v->components; a++)
            wanted[place(v->components, v->stored, a)] = sample_field(code, v->integer, i, a, k);
        for (int a = 0; a < v->stored; a++) {
            double value = got[i * v->stored + a];
            if (empty ? !isnan(value) : memcmp(&value, &wanted[a], sizeof value) != 0)
                fail_msg("%s of row %lld, frame %lld: %g, not %g", v->name, (long long)i, (long long)k, value,
                         wanted[a]);
        }
    }
    free(got);
    return (size_t)(v->rows * v->stored);
}

static size_t compare_points(pio_snapshot_file *f, const sample_case *c, int64_t k)
{
    piola_error error;
    double *got = malloc((size_t)c->n * 3 * sizeof *got);
    assert_non_null(got);
    ok(pio_snapshot_read_points(f, k, got, &error), &error);
    for (int64_t i = 0; i < c->n; i++)
        for (int a = 0; a < 3; a++) {
            double wanted = a < c->dimension ? sample_value(0, i, a, c->static_points ? 0 : k) : 0;
            assert_memory_equal(&got[i * 3 + a], &wanted, sizeof wanted);
        }
    free(got);
    return (size_t)c->n * 3;
}

static size_t compare_fields(pio_snapshot_file *f, const sample_case *c)
{
    pio_snapshot_field fields[SAMPLE_FIELDS];
    const pio_snapshot_info *info = pio_snapshot_describe(f);
    size_t values = 0;
    sample_fields(c, fields);
    assert_int_equal(info->n_fields, SAMPLE_FIELDS);
    for (int i = 0; i < SAMPLE_FIELDS; i++) {
        const pio_snapshot_field_info *v = NULL;
        for (size_t j = 0; j < info->n_fields; j++)
            if (strcmp(info->fields[j].name, fields[i].name) == 0) v = &info->fields[j];
        assert_non_null(v);
        assert_int_equal(v->components, fields[i].components);
        assert_int_equal(v->when, fields[i].when);
        assert_int_equal(v->integer, fields[i].integer);
        assert_int_equal(v->location, fields[i].location);
        assert_int_equal(v->rows, sample_rows(c, &fields[i]));
        assert_string_equal(v->units, fields[i].units);
        assert_string_equal(v->meaning, fields[i].meaning);
        assert_string_equal(v->of, fields[i].of ? fields[i].of : "");
        assert_string_equal(v->objective, fields[i].of ? "miss" : "");
        if (v->when == PIO_SNAPSHOT_STATIC && !c->finished) continue;
        for (int64_t k = 0; k < (v->when == PIO_SNAPSHOT_STATIC ? 1 : c->frames); k++)
            values += compare_field(f, c, v, i + 1, k);
    }
    return values;
}

static size_t compare_mesh(pio_snapshot_file *f, const sample_case *c)
{
    static uint8_t types[SAMPLE_CELLS];
    static int64_t offsets[SAMPLE_CELLS + 1], connectivity[27 * SAMPLE_CELLS];
    const pio_snapshot_info *info = pio_snapshot_describe(f);
    piola_error error;
    assert_int_equal(info->n_cells, c->cells);
    if (!c->cells) {
        refused(pio_snapshot_read_mesh(f, types, offsets, connectivity, &error), PIOLA_USAGE, &error, "particles", "");
        return 0;
    }
    const pio_snapshot_mesh *mesh = sample_mesh(c);
    assert_int_equal(info->n_connectivity, mesh->offsets[c->cells]);
    ok(pio_snapshot_read_mesh(f, NULL, NULL, connectivity, &error), &error);
    ok(pio_snapshot_read_mesh(f, types, offsets, NULL, &error), &error);
    assert_memory_equal(types, mesh->types, (size_t)c->cells);
    assert_memory_equal(offsets, mesh->offsets, ((size_t)c->cells + 1) * sizeof *offsets);
    assert_memory_equal(connectivity, mesh->connectivity, (size_t)info->n_connectivity * sizeof *connectivity);
    return (size_t)(2 * c->cells + 1 + info->n_connectivity);
}

static void compare_texts(pio_snapshot_file *f, bool finished)
{
    static const char *const wanted[] = {sample_scene, sample_resolved, sample_manifest, sample_certificate};
    for (int i = 0; i < 4; i++) {
        piola_error error;
        char *text = NULL;
        ok(pio_snapshot_read_document(f, (pio_snapshot_document)i, &text, &error), &error);
        assert_string_equal(text, finished || i < 3 ? wanted[i] : "");
        free(text);
    }
    const pio_snapshot_info *info = pio_snapshot_describe(f);
    assert_int_equal(info->n_pairs, SAMPLE_PAIRS);
    size_t found = 0;
    for (size_t i = 0; i < SAMPLE_PAIRS; i++)
        for (size_t j = 0; j < info->n_pairs; j++)
            found += strcmp(info->pairs[j].key, sample_pairs[i].key) == 0 &&
                     strcmp(info->pairs[j].value, sample_pairs[i].value) == 0;
    assert_int_equal(found, SAMPLE_PAIRS);
}

static void compare_gradients(pio_snapshot_file *f, int64_t iterations)
{
    static const char *const paths[] = {"control.gait", "gravity", "materials.soft.E"}; /* by name: codes 22, 21, 20 */
    const pio_snapshot_info *info = pio_snapshot_describe(f);
    piola_error error;
    assert_int_equal(info->n_gradients, 3);
    for (int p = 0; p < 3; p++) {
        const pio_snapshot_gradient_info *g = &info->gradients[p];
        double value[12], grad[12], want_value[12], want_grad[12];
        assert_string_equal(g->path, paths[p]);
        assert_string_equal(g->units, "Pa");
        assert_string_equal(g->grad_units, "1/Pa");
        assert_int_equal(g->rank, 2 - p);
        assert_int_equal(g->size, p == 0 ? 12 : p == 1 ? 3 : 1);
        assert_int_equal(g->iterations, iterations);
        for (int64_t k = 0; k < iterations; k++) {
            ok(pio_snapshot_read_gradient(f, paths[p], k, value, grad, &error), &error);
            for (int i = 0; i < 12; i++) want_value[i] = sample_value(22 - p, i, 0, k);
            for (int i = 0; i < 12; i++) want_grad[i] = sample_value(32 - p, i, 0, k);
            assert_memory_equal(value, want_value, (size_t)g->size * sizeof *value);
            assert_memory_equal(grad, want_grad, (size_t)g->size * sizeof *grad);
        }
    }
    static const char *const terms[] = {NULL, "reach", "effort"};
    assert_int_equal(info->n_objectives, iterations);
    assert_int_equal(info->n_terms, 2);
    for (int t = 0; t < 3; t++)
        for (int64_t k = 0; k < iterations; k++) {
            double got = 0, wanted = sample_value(40 + t, 0, 0, k);
            ok(pio_snapshot_read_objective(f, k, terms[t], &got, &error), &error);
            assert_memory_equal(&got, &wanted, sizeof got);
        }
}

static void compare_case(const sample_case *c)
{
    piola_error error;
    pio_snapshot_file *f = NULL;
    char name[64];
    snprintf(name, sizeof name, "%.*s%s", (int)strlen(c->name) - 7, c->name,
             c->finished ? ".vtkhdf" : ".partial.vtkhdf");
    ok(pio_snapshot_open(&f, in_folder(name), true, &error), &error);
    const pio_snapshot_info *info = pio_snapshot_describe(f);
    assert_int_equal(info->kind, c->kind);
    assert_int_equal(info->complete, c->finished);
    assert_int_equal(info->dimension, c->dimension);
    assert_int_equal(info->precision, c->precision);
    assert_int_equal(info->n_points, c->n);
    assert_int_equal(info->n_frames, c->frames);
    assert_string_equal(info->objective, "miss");
    size_t values = compare_fields(f, c) + compare_mesh(f, c);
    for (int64_t k = 0; k < c->frames; k++) {
        double wanted = sample_time(k);
        assert_memory_equal(&info->times[k], &wanted, sizeof wanted);
        values += compare_points(f, c, k);
    }
    compare_texts(f, c->finished);
    if (c->finished) compare_gradients(f, c->kind == PIO_SNAPSHOT_HISTORY ? c->frames : 1);
    pio_snapshot_close(f);
    print_message("%s: %lld frames, %zu values equal to the bit\n", name, (long long)c->frames, values);
}

static void every_value_comes_back_to_the_bit(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLE_CASES; i++) {
        piola_error error;
        ok(sample_write(&sample_cases[i], folder, &error), &error);
        compare_case(&sample_cases[i]);
    }
}

/* ---- files --------------------------------------------------------------------------------------------- */

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat st;
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &st), 0);
    char *data = malloc((size_t)st.st_size + 1);
    assert_non_null(data);
    *size = fread(data, 1, (size_t)st.st_size, file);
    assert_int_equal(*size, st.st_size);
    fclose(file);
    return data;
}

static void equal_input_gives_equal_bytes(void **state)
{
    (void)state;
    sample_case c = sample_cases[0];
    c.frames = 60; /* above 64 HDF5 notes the second of creation beside the index size */
    size_t size[2];
    char *data[2];
    for (int i = 0; i < 2; i++) {
        piola_error error;
        c.name = i ? "two.vtkhdf" : "one.vtkhdf";
        ok(sample_write(&c, folder, &error), &error);
        data[i] = slurp(in_folder(c.name), &size[i]);
        if (i == 0) sleep(1); /* so that a time of day would differ */
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(data[0], data[1], size[0]);
    print_message("two files of %zu bytes, written a second apart, are equal\n", size[0]);
    free(data[0]);
    free(data[1]);
}

static void a_file_has_its_final_name_only_when_finished(void **state)
{
    (void)state;
    piola_error error;
    pio_snapshot *s = NULL;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    const char *path = in_folder("one.vtkhdf"), *partial = in_folder("one.partial.vtkhdf");
    (void)unlink(path);
    pio_snapshot_def def = sample_def(&sample_cases[1], path, fields);
    def.n_fields = 2;
    ok(pio_snapshot_create(&s, &def, &error), &error);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(partial, F_OK), 0);
    ok(pio_snapshot_finish(s, &error), &error);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(access(partial, F_OK), -1);
    pio_snapshot_file *f = NULL;
    ok(pio_snapshot_open(&f, path, true, &error), &error);
    assert_true(pio_snapshot_describe(f)->complete);
    assert_int_equal(pio_snapshot_describe(f)->n_frames, 0);
    pio_snapshot_close(f);
}

static void what_cannot_be_created_is_reported_with_its_reason(void **state)
{
    (void)state;
    piola_error error;
    pio_snapshot *s = NULL;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    pio_snapshot_def def = sample_def(&sample_cases[1], "/nonexistent/folder/a.vtkhdf", fields);
    piola_status status = pio_snapshot_create(&s, &def, &error);
    refused(status, PIOLA_CANNOT_CREATE, &error, "/nonexistent/folder/a.partial.vtkhdf", strerror(ENOENT));
    assert_null(s);
    print_message("%s\n", error.message);
}

static void a_file_that_is_no_snapshot_is_refused(void **state)
{
    (void)state;
    piola_error error;
    pio_snapshot_file *f = NULL;
    refused(pio_snapshot_open(&f, in_folder("absent"), true, &error), PIOLA_NO_INPUT, &error, "absent",
            strerror(ENOENT));
    refused(pio_snapshot_open(&f, folder, true, &error), PIOLA_NO_INPUT, &error, folder, "a folder");
    FILE *file = fopen(in_folder("text"), "w");
    assert_non_null(file);
    fputs("not HDF5 at all\n", file);
    fclose(file);
    refused(pio_snapshot_open(&f, in_folder("text"), true, &error), PIOLA_BAD_DATA, &error, "text", "not an HDF5 file");
    assert_null(f);
}

static void a_file_being_written_is_not_read(void **state)
{
    (void)state;
    piola_error error;
    pio_snapshot *s = NULL;
    pio_snapshot_file *f = NULL;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    pio_snapshot_def def = sample_def(&sample_cases[1], in_folder("one.vtkhdf"), fields);
    ok(pio_snapshot_create(&s, &def, &error), &error);
    piola_status status = pio_snapshot_open(&f, in_folder("one.partial.vtkhdf"), true, &error);
    refused(status, PIOLA_NO_INPUT, &error, "one.partial.vtkhdf", "still writing");
    pio_snapshot_abandon(s);
}

/* ---- wrong calls --------------------------------------------------------------------------------------- */

static void refuse_def(const pio_snapshot_def *def, const char *text)
{
    piola_error error;
    pio_snapshot *s = NULL;
    refused(pio_snapshot_create(&s, def, &error), PIOLA_INTERNAL, &error, text, "");
    assert_null(s);
}

static void a_wrong_definition_is_refused(void **state)
{
    (void)state;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    const char *path = in_folder("one.vtkhdf");
    const pio_snapshot_def good = sample_def(&sample_cases[1], path, fields);
    pio_snapshot_def def = good;
    def.path = "states.h5", refuse_def(&def, ".vtkhdf");
    def = good, def.dimension = 1, refuse_def(&def, "dimension");
    def = good, def.n_points = 0, refuse_def(&def, "one point");
    def = good, def.n_points = INT64_MAX / 8, refuse_def(&def, "too many points");
    def = good, def.expected_frames = -1, refuse_def(&def, "expected_frames");
    def = good, def.objective = NULL, refuse_def(&def, "objective");
    def = good;
    fields[1].name = "velocity", refuse_def(&def, "taken");
    fields[1].name = "a/b", refuse_def(&def, "a name is");
    fields[1].name = "grad_x", refuse_def(&def, "`of`");
    fields[1].name = "J", fields[1].components = 10, refuse_def(&def, "components");
    fields[1].components = 1, fields[6].integer = true, refuse_def(&def, "integer");
    fields[6].integer = false, fields[6].of = NULL, refuse_def(&def, "needs `of`");
}

static void wrong_frames_are_refused_and_leave_the_file_as_it_was(void **state)
{
    (void)state;
    piola_error error;
    pio_snapshot *s = NULL;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    const sample_case *c = &sample_cases[2]; /* one point, 2D, f32 */
    pio_snapshot_def def = sample_def(c, in_folder("one.vtkhdf"), fields);
    ok(pio_snapshot_create(&s, &def, &error), &error);
    ok(sample_frame(s, c, 0, &error), &error);
    double point[2] = {1, 2}, v[2] = {0, 0}, huge[4] = {1, 2, 1e39, 4}, none[2] = {1, NAN}, half = 0.5;
    const double whole[9] = {0}, *values[SAMPLE_FIELDS] = {v, v, huge, NULL, NULL, NULL, NULL, whole};
    refused(pio_snapshot_frame(s, 0, point, values, &error), PIOLA_INTERNAL, &error, "frame 1", "rise");
    refused(pio_snapshot_frame(s, NAN, point, values, &error), PIOLA_INTERNAL, &error, "frame 1", "finite");
    refused(pio_snapshot_frame(s, 1, NULL, values, &error), PIOLA_INTERNAL, &error, "points", "missing");
    refused(pio_snapshot_frame(s, 1, point, values, &error), PIOLA_NUMERICAL, &error, "F of point 0, component 2",
            "1e+39");
    values[2] = NULL;
    refused(pio_snapshot_frame(s, 1, point, values, &error), PIOLA_INTERNAL, &error, "F: ", "missing");
    refused(pio_snapshot_adjoint(s, 1, "adj_velocity", v, &error), PIOLA_INTERNAL, &error, "frame 1 of 1", "");
    refused(pio_snapshot_adjoint(s, 0, "velocity", v, &error), PIOLA_INTERNAL, &error, "velocity", "no adjoint");
    refused(pio_snapshot_adjoint(s, 0, "adj_velocity", none, &error), PIOLA_NUMERICAL, &error, "adj_velocity",
            "finite");
    refused(pio_snapshot_static(s, "body", &half, &error), PIOLA_NUMERICAL, &error, "body", "int64");
    refused(pio_snapshot_static(s, "J", &half, &error), PIOLA_INTERNAL, &error, "J", "no static");
    for (int64_t k = 1; k < c->frames; k++) ok(sample_frame(s, c, k, &error), &error);
    ok(sample_gradients(s, 0, &error), &error);
    refused(sample_gradients(s, 0, &error), PIOLA_INTERNAL, &error, "materials.soft.E", "already");
    refused(pio_snapshot_objective(s, 1, NULL, 0, &error), PIOLA_INTERNAL, &error, "objective", "changed");
    const pio_snapshot_gradient slash = {"a/b", v, v, 0, NULL, "", ""};
    refused(pio_snapshot_put_gradient(s, &slash, &error), PIOLA_INTERNAL, &error, "a/b", "no path");
    ok(sample_end(s, c, &error), &error);
    refused(sample_end(s, c, &error), PIOLA_INTERNAL, &error, "certificate", "once");
    ok(pio_snapshot_finish(s, &error), &error);
    sample_case copy = *c;
    copy.name = "one.vtkhdf";
    compare_case(&copy);
}

static void a_static_field_that_was_never_written_is_an_error(void **state)
{
    (void)state;
    piola_error error;
    pio_snapshot *s = NULL;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    const char *path = in_folder("two.vtkhdf");
    (void)unlink(path);
    pio_snapshot_def def = sample_def(&sample_cases[1], path, fields);
    ok(pio_snapshot_create(&s, &def, &error), &error);
    refused(pio_snapshot_finish(s, &error), PIOLA_INTERNAL, &error, "body", "never written");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(in_folder("two.partial.vtkhdf"), F_OK), 0);
}

static void a_history_keeps_its_shapes(void **state)
{
    (void)state;
    piola_error error;
    pio_snapshot *s = NULL;
    pio_snapshot_field fields[SAMPLE_FIELDS];
    pio_snapshot_def def = sample_def(&sample_cases[3], in_folder("two.vtkhdf"), fields);
    const double v[3] = {1, 2, 3};
    const int64_t two[] = {2}, three[] = {3};
    ok(pio_snapshot_create(&s, &def, &error), &error);
    const pio_snapshot_gradient vector = {"q", v, v, 1, three, "m", "1/m"}, short_one = {"q", v, v, 1, two, "m", "1/m"},
                                scalar = {"q", v, v, 0, NULL, "m", "1/m"};
    ok(pio_snapshot_put_gradient(s, &vector, &error), &error);
    refused(pio_snapshot_put_gradient(s, &short_one, &error), PIOLA_INTERNAL, &error, "q", "shape");
    refused(pio_snapshot_put_gradient(s, &scalar, &error), PIOLA_INTERNAL, &error, "q", "shape");
    ok(pio_snapshot_put_gradient(s, &vector, &error), &error);
    pio_snapshot_abandon(s);
}

static int write_samples(const char *to)
{
    for (int i = 0; i < SAMPLE_CASES; i++) {
        piola_error error;
        if (sample_write(&sample_cases[i], to, &error) == PIOLA_OK) continue;
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_samples(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_comes_back_to_the_bit),
        cmocka_unit_test(equal_input_gives_equal_bytes),
        cmocka_unit_test(a_file_has_its_final_name_only_when_finished),
        cmocka_unit_test(what_cannot_be_created_is_reported_with_its_reason),
        cmocka_unit_test(a_file_that_is_no_snapshot_is_refused),
        cmocka_unit_test(a_file_being_written_is_not_read),
        cmocka_unit_test(a_wrong_definition_is_refused),
        cmocka_unit_test(wrong_frames_are_refused_and_leave_the_file_as_it_was),
        cmocka_unit_test(a_static_field_that_was_never_written_is_an_error),
        cmocka_unit_test(a_history_keeps_its_shapes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
