/* test_snapshot_hostile.c -- the reader survives files that are cut, damaged, or made to deceive. */
#include "tests/snapshot_sample.h"

#include <hdf5.h>

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A damaged file may ask for absurd memory: that must be an answer of malloc, not the end of the program. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static char folder[] = "/tmp/piola_hostile_XXXXXX";
static char good_path[64], bad_path[64];
static char *good; /* bytes of a file as it should be */
static size_t good_size;
static const sample_case sample = {"good.vtkhdf", PIO_SNAPSHOT_HISTORY, 2, PIO_SNAPSHOT_F64, false, 12, 3, true};

static int make_folder(void **state)
{
    (void)state;
    piola_error error;
    if (!mkdtemp(folder)) return -1;
    snprintf(good_path, sizeof good_path, "%s/good.vtkhdf", folder);
    snprintf(bad_path, sizeof bad_path, "%s/bad.vtkhdf", folder);
    if (sample_write(&sample, folder, &error) != PIOLA_OK) return -1;
    FILE *file = fopen(good_path, "rb");
    if (!file) return -1;
    good = malloc(1 << 20);
    good_size = good ? fread(good, 1, 1 << 20, file) : 0;
    fclose(file);
    return good_size > 0 && good_size < 1 << 20 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    free(good);
    (void)unlink(good_path);
    (void)unlink(bad_path);
    return rmdir(folder);
}

static bool put(const char *data, size_t size)
{
    FILE *file = fopen(bad_path, "wb");
    if (!file) return false;
    bool ok = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && ok;
}

/* ---- read everything ----------------------------------------------------------------------------------- */

static bool typed(piola_status status)
{
    return status == PIOLA_OK || status == PIOLA_BAD_DATA || status == PIOLA_NO_INPUT || status == PIOLA_NO_MEMORY;
}

static bool read_arrays(pio_snapshot_file *f)
{
    const pio_snapshot_info *info = pio_snapshot_describe(f);
    piola_error error;
    bool ok = true;
    double *out = malloc((size_t)info->n_points * 9 * sizeof *out);
    for (int64_t k = 0; k < info->n_frames && out && ok; k++) {
        ok = typed(pio_snapshot_read_points(f, k, out, &error));
        for (size_t i = 0; i < info->n_fields && ok; i++)
            ok = typed(pio_snapshot_read_field(f, info->fields[i].name, k, out, &error));
    }
    free(out);
    return ok;
}

static bool read_results(pio_snapshot_file *f)
{
    const pio_snapshot_info *info = pio_snapshot_describe(f);
    piola_error error;
    bool ok = true;
    for (size_t i = 0; i < info->n_gradients; i++) {
        const pio_snapshot_gradient_info *g = &info->gradients[i];
        double *value = malloc((size_t)g->size * sizeof *value), *grad = malloc((size_t)g->size * sizeof *grad);
        for (int64_t k = 0; k < g->iterations && value && grad && ok; k++)
            ok = typed(pio_snapshot_read_gradient(f, g->path, k, value, grad, &error));
        free(value);
        free(grad);
    }
    for (int64_t k = 0; k < info->n_objectives && ok; k++) {
        double value;
        ok = typed(pio_snapshot_read_objective(f, k, NULL, &value, &error));
        for (size_t t = 0; t < info->n_terms && ok; t++)
            ok = typed(pio_snapshot_read_objective(f, k, info->terms[t], &value, &error));
    }
    for (int d = 0; d < 4 && ok; d++) {
        char *text = NULL;
        ok = typed(pio_snapshot_read_document(f, (pio_snapshot_document)d, &text, &error));
        free(text);
    }
    return ok;
}

/* 'o' it opened, 'r' it was refused, 'x' an untyped answer. */
static char read_everything(void)
{
    piola_error error;
    pio_snapshot_file *f = NULL;
    piola_status status = pio_snapshot_open(&f, bad_path, &error);
    if (status != PIOLA_OK) return typed(status) && strstr(error.message, bad_path) ? 'r' : 'x';
    bool ok = read_arrays(f) && read_results(f);
    pio_snapshot_close(f);
    return ok ? 'o' : 'x';
}

/* ---- damage -------------------------------------------------------------------------------------------- */

typedef struct {
    int opened, refused, crashed;
} tally;

typedef bool damage(char *data, size_t *size, uint32_t number);

/* A batch in a child: a crash of the library or a case of more than a minute is counted, and named. */
static void try_batch(damage *spoil, uint32_t first, uint32_t last, tally *t)
{
    int pipes[2], status = 0;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char *data = malloc(good_size);
        (void)signal(SIGSEGV, SIG_DFL); /* cmocka's handler would go on with the parent's tests */
        for (uint32_t i = first; i < last && data; i++) {
            size_t size = good_size;
            memcpy(data, good, good_size);
            (void)alarm(60);
            char answer = spoil(data, &size, i) && put(data, size) ? read_everything() : 'x';
            if (write(pipes[1], &answer, 1) != 1) _exit(3);
        }
        _exit(0);
    }
    close(pipes[1]);
    uint32_t i = first;
    for (char answer; read(pipes[0], &answer, 1) == 1; i++) {
        if (answer == 'x') fail_msg("case %u: an answer without type or file name", i);
        *(answer == 'o' ? &t->opened : &t->refused) += 1;
    }
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0) print_message("case %u ended the reader: wait status %x\n", i, (unsigned)status);
    t->crashed += status != 0;
    if (status != 0 && i + 1 < last) try_batch(spoil, i + 1, last, t);
}

static bool cut(char *data, size_t *size, uint32_t number)
{
    (void)data;
    *size = number < 64 ? good_size - 1 - number : (size_t)(number - 64) * 97;
    return *size < good_size;
}

static uint32_t mix(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

static bool flip(char *data, size_t *size, uint32_t number)
{
    data[mix(number) % *size] ^= (char)(1u << (mix(number + 0x10000000u) % 8));
    return true;
}

/* 1 to 8 bytes become 0xff, 0 or noise. */
static bool smear(char *data, size_t *size, uint32_t number)
{
    size_t at = mix(number + 0x20000000u) % (*size - 8), n = 1 + mix(number + 0x30000000u) % 8;
    for (size_t i = 0; i < n; i++)
        data[at + i] = (char)(number % 3 == 0 ? 0xff : number % 3 == 1 ? 0 : (int)(mix(number + (uint32_t)i) & 0xff));
    return true;
}

static void damaged(damage *spoil, uint32_t cases, const char *what, int least_opened, int least_refused)
{
    tally t = {0, 0, 0};
    for (uint32_t i = 0; i < cases; i += 500) try_batch(spoil, i, i + 500 < cases ? i + 500 : cases, &t);
    print_message("%u files %s: %d opened, %d refused, %d ended the reader (threshold 0)\n", cases, what, t.opened,
                  t.refused, t.crashed);
    assert_int_equal(t.crashed, 0);
    assert_true(t.opened >= least_opened && t.refused >= least_refused);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    uint32_t cases = 64 + (uint32_t)((good_size + 96) / 97);
    damaged(cut, cases, "cut short", 0, (int)cases);
}

static void a_file_with_a_flipped_bit_does_no_harm(void **state)
{
    (void)state;
    damaged(flip, 3000, "with a flipped bit", 1000, 100);
}

static void a_file_with_smeared_bytes_does_no_harm(void **state)
{
    (void)state;
    damaged(smear, 3000, "with smeared bytes", 1000, 100);
}

/* ---- deceit -------------------------------------------------------------------------------------------- */

static void set_int(hid_t file, const char *object, const char *key, int64_t value)
{
    hid_t id = H5Oopen(file, object, H5P_DEFAULT), attr = H5Aopen(id, key, H5P_DEFAULT);
    assert_true(attr >= 0);
    assert_true(H5Awrite(attr, H5T_NATIVE_INT64, &value) >= 0);
    H5Aclose(attr);
    H5Oclose(id);
}

static void set_first(hid_t file, const char *dataset, int64_t value)
{
    int64_t values[3] = {value, value, value};
    hid_t id = H5Dopen2(file, dataset, H5P_DEFAULT);
    assert_true(id >= 0 && H5Dwrite(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(id);
}

static void replace(hid_t file, const char *name, hid_t type, int rank, const hsize_t *dims, hid_t plist)
{
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    hid_t space = H5Screate_simple(rank, dims, NULL),
          id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(id >= 0);
    H5Dclose(id);
    H5Sclose(space);
}

static void many_points(hid_t file)
{
    set_int(file, "piola", "n_points", (int64_t)1 << 40);
}
static void many_frames(hid_t file)
{
    set_int(file, "VTKHDF/Steps", "NSteps", (int64_t)1 << 60);
}
static void negative_frames(hid_t file)
{
    set_int(file, "VTKHDF/Steps", "NSteps", -1);
}
static void one_frame_more(hid_t file)
{
    set_int(file, "VTKHDF/Steps", "NSteps", 4);
}
static void odd_dimension(hid_t file)
{
    set_int(file, "piola", "dimension", 4);
}
static void many_components(hid_t file)
{
    set_int(file, "VTKHDF/PointData/F", "components", 10);
}
static void many_iterations(hid_t file)
{
    set_int(file, "piola/gradient/gravity", "iterations", 1 << 20);
}
static void far_offset(hid_t file)
{
    set_first(file, "VTKHDF/Steps/PointOffsets", INT64_MAX - 5);
}
static void negative_offset(hid_t file)
{
    set_first(file, "VTKHDF/Steps/PointDataOffsets/F", -1);
}

static void text_for_numbers(hid_t file)
{
    const hsize_t dims[1] = {36};
    replace(file, "VTKHDF/PointData/J", H5T_C_S1, 1, dims, H5P_DEFAULT);
}

/* 2^36 points that only a fill value stands for. */
static void empty_promise(hid_t file)
{
    const hsize_t dims[2] = {(hsize_t)1 << 36, 3};
    replace(file, "VTKHDF/Points", H5T_IEEE_F64LE, 2, dims, H5P_DEFAULT);
}

static void soft_link(hid_t file)
{
    assert_true(H5Ldelete(file, "VTKHDF/PointData", H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft("/VTKHDF/PointData", file, "VTKHDF/PointData", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void other_file(hid_t file)
{
    assert_true(H5Ldelete(file, "piola/gradient/gravity", H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("good.vtkhdf", "piola/gradient/gravity", file, "piola/gradient/gravity", H5P_DEFAULT,
                                   H5P_DEFAULT) >= 0);
}

/* The scene's text would be the content of another file. */
static void outside_text(hid_t file)
{
    const hsize_t dims[1] = {1};
    hid_t type = H5Tcopy(H5T_C_S1), plist = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Tset_size(type, 32) >= 0 && H5Pset_external(plist, "/etc/hostname", 0, 32) >= 0);
    replace(file, "piola/scene/verbatim", type, 1, dims, plist);
    H5Pclose(plist);
    H5Tclose(type);
}

/* A group within itself. */
static void cycle(hid_t file)
{
    assert_true(H5Lcreate_hard(file, "piola", file, "piola/gradient/again", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

/* A text of variable length, which lies in the heap that has no checksum. */
static void long_text(hid_t file)
{
    const char *text = "m/s";
    hid_t id = H5Oopen(file, "VTKHDF/PointData/velocity", H5P_DEFAULT), type = H5Tcopy(H5T_C_S1),
          space = H5Screate(H5S_SCALAR);
    assert_true(H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Adelete(id, "units") >= 0);
    hid_t attr = H5Acreate2(id, "units", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attr >= 0 && H5Awrite(attr, type, &text) >= 0);
    H5Aclose(attr);
    H5Sclose(space);
    H5Tclose(type);
    H5Oclose(id);
}

/* Opens, and reads all; the message of the first refusal. */
static piola_status first_refusal(piola_error *error)
{
    pio_snapshot_file *f = NULL;
    double out[12 * 9];
    char *text = NULL;
    piola_status status = pio_snapshot_open(&f, bad_path, error);
    for (int64_t k = 0; k < 3 && status == PIOLA_OK; k++) status = pio_snapshot_read_points(f, k, out, error);
    for (int64_t k = 0; k < 3 && status == PIOLA_OK; k++) status = pio_snapshot_read_field(f, "F", k, out, error);
    if (status == PIOLA_OK) status = pio_snapshot_read_document(f, PIO_SNAPSHOT_SCENE, &text, error);
    free(text);
    pio_snapshot_close(f);
    return status;
}

static void a_file_that_lies_is_refused_with_the_lie_named(void **state)
{
    (void)state;
    static const struct {
        void (*lie)(hid_t file);
        const char *named;
    } lies[] = {{many_points, "n_points"},       {many_frames, "NSteps"},
                {negative_frames, "NSteps"},     {one_frame_more, "Values"},
                {odd_dimension, "dimension"},    {many_components, "components"},
                {many_iterations, "iterations"}, {far_offset, "Points"},
                {negative_offset, "F"},          {text_for_numbers, "J"},
                {empty_promise, "Points"},       {soft_link, "PointData"},
                {other_file, "gravity"},         {outside_text, "verbatim"},
                {cycle, "iterations"},           {long_text, "units"}};
    piola_error error;
    assert_true(put(good, good_size));
    assert_int_equal(first_refusal(&error), PIOLA_OK); /* the truth is accepted */
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        assert_true(put(good, good_size));
        hid_t file = H5Fopen(bad_path, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(file >= 0);
        lies[i].lie(file);
        assert_true(H5Fclose(file) >= 0);
        if (first_refusal(&error) != PIOLA_BAD_DATA || !strstr(error.message + strlen(bad_path), lies[i].named))
            fail_msg("lie %zu (%s): '%s'", i, lies[i].named, error.message);
        print_message("%s\n", error.message + strlen(folder) + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_lies_is_refused_with_the_lie_named),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_file_with_a_flipped_bit_does_no_harm),
        cmocka_unit_test(a_file_with_smeared_bytes_does_no_harm),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
