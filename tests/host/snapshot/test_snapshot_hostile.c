/* test_snapshot_hostile.c -- the reader survives files that are cut or damaged, when nobody compares them with their
 * checksums. `--all` tries six times as many. */
#include "tests/sanitized.h"
#include "tests/host/snapshot/snapshot_spoiled.h"

#include <signal.h>
#include <sys/wait.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A damaged file may request absurd memory: malloc must fail, and the program must not end. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static bool verify; /* compare the bytes with their checksums */

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
    const int64_t rows = info->n_cells > info->n_points ? info->n_cells : info->n_points;
    double *out = malloc((size_t)rows * 9 * sizeof *out);
    for (int64_t k = 0; k < info->n_frames && out && ok; k++) {
        ok = typed(pio_snapshot_read_points(f, k, out, &error));
        for (size_t i = 0; i < info->n_fields && ok; i++)
            ok = typed(pio_snapshot_read_field(f, info->fields[i].name, k, out, &error));
    }
    free(out);
    return ok;
}

static bool read_cells(pio_snapshot_file *f)
{
    const pio_snapshot_info *info = pio_snapshot_describe(f);
    piola_error error;
    if (!info->n_cells) return true;
    uint8_t *types = malloc((size_t)info->n_cells);
    int64_t *offsets = malloc(((size_t)info->n_cells + 1) * sizeof *offsets),
            *connectivity = malloc((size_t)info->n_connectivity * sizeof *connectivity);
    bool ok = true;
    if (types && offsets && connectivity) {
        const piola_status status = pio_snapshot_read_mesh(f, types, offsets, connectivity, &error);
        ok = typed(status);
        for (int64_t c = 0; ok && status == PIOLA_OK && c < info->n_cells; c++) /* every node can be used */
            for (int64_t k = offsets[c]; k < offsets[c + 1]; k++)
                ok = ok && k < info->n_connectivity && connectivity[k] >= 0 && connectivity[k] < info->n_points;
    }
    free(types);
    free(offsets);
    free(connectivity);
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
    piola_status status = pio_snapshot_open(&f, bad_path, verify, &error);
    if (status != PIOLA_OK) return typed(status) && strstr(error.message, bad_path) ? 'r' : 'x';
    bool ok = read_arrays(f) && read_cells(f) && read_results(f);
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

enum { CUT_BY = 997 }; /* bytes between two lengths */

static bool cut(char *data, size_t *size, uint32_t number)
{
    (void)data;
    *size = number < 64 ? good_size - 1 - number : (size_t)(number - 64) * CUT_BY;
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

static void damaged(damage *spoil, int count, const char *what, int least_opened, int least_refused)
{
    tally t = {0, 0, 0};
    uint32_t cases = (uint32_t)count;
    if (TEST_SANITIZED && least_opened) cases /= 10, least_opened /= 20, least_refused /= 20;
    for (uint32_t i = 0; i < cases; i += 500) try_batch(spoil, i, i + 500 < cases ? i + 500 : cases, &t);
    print_message("%u files %s: %d opened, %d rejected, %d ended the reader (threshold 0)\n", cases, what, t.opened,
                  t.refused, t.crashed);
    assert_int_equal(t.crashed, 0);
    assert_true(t.opened >= least_opened && t.refused >= least_refused);
}

static bool all; /* --all */

/* A sixth of them in the normal check: each file is read by a process of its own. */
static int cases_of(int cases)
{
    return all ? cases : cases / 6;
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    verify = true; /* of a few bytes fewer HDF5 knows nothing: only the checksums are missing */
    for (int mesh = 0; mesh < 2; mesh++) {
        take(mesh);
        const int cases = 64 + (int)((good_size + CUT_BY - 1) / CUT_BY);
        damaged(cut, cases, mesh ? "of a mesh cut short" : "cut short", 0, cases);
    }
    verify = false;
}

static void a_file_with_a_flipped_bit_does_no_harm(void **state)
{
    (void)state;
    take(false);
    damaged(flip, cases_of(1500), "with a flipped bit", cases_of(500), cases_of(50));
    take(true);
    damaged(flip, cases_of(1500), "of a mesh with a flipped bit", cases_of(500), cases_of(50));
}

static void a_file_with_smeared_bytes_does_no_harm(void **state)
{
    (void)state;
    take(false);
    damaged(smear, cases_of(1500), "with smeared bytes", cases_of(500), cases_of(50));
    take(true);
    damaged(smear, cases_of(1500), "of a mesh with smeared bytes", cases_of(500), cases_of(50));
}

int main(int argc, char **argv)
{
    all = argc > 1 && !strcmp(argv[1], "--all");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_file_with_a_flipped_bit_does_no_harm),
        cmocka_unit_test(a_file_with_smeared_bytes_does_no_harm),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
