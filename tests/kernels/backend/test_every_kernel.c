/* test_every_kernel.c -- the harness: adjoints against the dual build, equal bits for any number of threads, no
 * dependence on the former content of memory, and the list itself. See kernel_cases.h for what a case is.
 * Built for each precision and dimension; dot products are made in f64 (TEST_DUAL). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/backend/table.h"
#include "tests/kernels/backend/kernel_dots.h"
#include "tests/kernels/backend/kernel_wrong_adjoints.h"
#include "tests/sanitized.h"

#ifndef TEST_FEW_THREADS /* under an emulator each of them takes minutes */
#define TEST_FEW_THREADS TEST_SANITIZED
#endif

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { ADJOINT_HAS, ADJOINT_IS, ADJOINT_BY, ADJOINT_NONE } adjoint_kind;
typedef struct {
    const char *name;
    adjoint_kind kind;
    const char *reason;
} listed;

#define HAS ADJOINT_HAS, ""
#define IS ADJOINT_IS, ""
#define BY(how) ADJOINT_BY, how
#define NONE(why) ADJOINT_NONE, why
#define TEAM MAP
#define SUM MAP
#define SCAN MAP
#define MAP(name, adjoint) {#name, adjoint},
static const listed list[CASE_KERNELS] = {
#include "kernels/kernels.def"
};
#undef MAP
/* HAS: the next kernel of the list is name_adj, or this does not compile. */
#define ADJ_HAS(name) _Static_assert((int)CASE_OF_##name##_adj == (int)CASE_OF_##name + 1, #name "_adj must follow");
#define ADJ_NOTHING(name)
#define ADJ_IS ADJ_NOTHING
#define ADJ_BY(how) ADJ_NOTHING
#define ADJ_NONE(why) ADJ_NOTHING
#undef HAS
#undef IS
#undef BY
#undef NONE
#define MAP(name, adjoint) ADJ_##adjoint(name)
#include "kernels/kernels.def"
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN

/* A case may serve several kernels; it is run for the first of them. */
static int case_owner(int kernel)
{
    int owner = 0;
    while (case_build_real.cases[owner] != case_build_real.cases[kernel]) owner++;
    return owner;
}

static case_io *io_new(int variant)
{
    case_io *io = calloc(1, sizeof *io);
    assert_non_null(io);
    io->build = &case_build_real;
    io->variant = variant;
    io->only_output = -1;
    return io;
}

static void io_delete(case_io *io)
{
    case_free(io);
    free(io);
}

/* One run on the CPU backend; fails the test if the case complains. */
static case_io *run_sized(int kernel, int variant, int prefill, const case_io *weights, int large)
{
    case_machine machine = case_host_machine;
    machine.kernels = &pio_backend_cpu.kernels;
    case_io *io = io_new(variant);
    io->machine = &machine;
    io->prefill = prefill;
    io->large = large;
    io->weights = weights;
    case_run(io, kernel);
    io->machine = NULL;
    if (io->error[0]) fail_msg("%s (%s): %s", list[kernel].name, io->variant_name, io->error);
    return io;
}

static case_io *run(int kernel, int variant, int prefill, const case_io *weights)
{
    return run_sized(kernel, variant, prefill, weights, 0);
}

/* ---- the list -------------------------------------------------------------------------------------------- */

static void every_kernel_says_where_its_derivative_is(void **state)
{
    (void)state;
    const char *of = NULL; /* the kernel whose adjoints follow */
    for (int k = 0; k < CASE_KERNELS; k++) {
        const listed *l = &list[k];
        if (l->kind == ADJOINT_IS)
            assert_true(of && !strncmp(l->name, of, strlen(of)) && !strcmp(strrchr(l->name, '_'), "_adj"));
        else
            of = l->kind == ADJOINT_HAS ? l->name : NULL;
        if (l->kind == ADJOINT_BY || l->kind == ADJOINT_NONE) {
            printf("%-20s %s %s\n", l->name, l->kind == ADJOINT_BY ? "derivative by:" : "no derivative:", l->reason);
            if (strlen(l->reason) < 4) fail_msg("%s gives no reason", l->name);
        }
    }
}

static void every_kernel_is_run_by_its_case(void **state)
{
    static int launched[CASE_KERNELS], outputs[CASE_KERNELS]; /* outputs: of the owner of a case */
    (void)state;
    for (int k = 0; k < CASE_KERNELS; k++)
        for (int variant = 0, variants = case_owner(k) == k; variant < variants; variant++) {
            case_io *io = run(k, variant, 0, NULL);
            variants = io->variants;
            for (int j = 0; j < CASE_KERNELS; j++) launched[j] += case_owner(j) == k ? io->launched[j] : 0;
            for (int i = 0; i < io->n_arrays; i++) outputs[k] += io->arrays[i].role == CASE_OUTPUT;
            io_delete(io);
        }
    for (int k = 0; k < CASE_KERNELS; k++)
        if (!launched[k] || !outputs[case_owner(k)])
            fail_msg("the case of %s launches it %d times, or has no outputs", list[k].name, launched[k]);
}

/* ---- equal bits ------------------------------------------------------------------------------------------ */

/* Bytes that differ between two runs of a case. */
static size_t bytes_that_differ(const case_io *a, const case_io *b, size_t *compared)
{
    size_t differ = 0;
    assert_int_equal(a->n_arrays, b->n_arrays);
    for (int i = 0; i < a->n_arrays; i++) {
        const case_array *x = &a->arrays[i], *y = &b->arrays[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->size, y->size);
        for (size_t j = 0; j < x->size; j++) differ += x->bytes[j] != y->bytes[j];
        *compared += x->size;
    }
    return differ;
}

static void set_threads(int threads)
{
    pio_device_info info;
    pio_stream stream;
    assert_int_equal(pio_backend_cpu.open(0, threads, &info, &stream), 0);
}

/* Threads of this process, those of the OpenMP pool included. */
static int threads_alive(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;
    assert_non_null(tasks);
    for (const struct dirent *e; (e = readdir(tasks));) n += e->d_name[0] != '.';
    closedir(tasks);
    return n;
}

/* Where the CPU backend begins to use its threads (SERIAL_ITEMS, SERIAL_TEAMS of cpu.c); with fewer items the test
 * below would compare one thread with one thread. Kernels of one item have nothing to distribute. */
static int uses_threads(const case_io *io, int k)
{
    static const int enough[] = {
#define MAP(name, adjoint) 4096,
#define TEAM(name, adjoint) 32,
#define SUM MAP
#define SCAN MAP
#include "kernels/kernels.def"
#undef MAP
#undef TEAM
#undef SUM
#undef SCAN
    };
    return io->items[k] <= 1 || io->items[k] > enough[k];
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    static const int threads[] = {8, 2, 3};
    const size_t counts = TEST_FEW_THREADS ? 1 : sizeof threads / sizeof *threads; /* the release build compares bits */
    const int most_variants = TEST_FEW_THREADS ? 3 : INT_MAX; /* laws and elements divide work alike */
    int most = 0;
    (void)state;
    for (int k = 0; k < CASE_KERNELS; k++) {
        size_t compared = 0;
        for (int variant = 0, variants = case_owner(k) == k; variant < variants; variant++) {
            set_threads(1);
            case_io *one = run_sized(k, variant, 0, NULL, 1);
            variants = one->variants < most_variants ? one->variants : most_variants;
            for (int j = 0; j < CASE_KERNELS; j++)
                if (case_owner(j) == k && !uses_threads(one, j))
                    fail_msg("%s: %d items are run by one thread", list[j].name, one->items[j]);
            for (size_t i = 0; i < counts; i++) {
                set_threads(threads[i]);
                case_io *many = run_sized(k, variant, 0, one, 1);
                const size_t differ = bytes_that_differ(one, many, &compared);
                if (differ) fail_msg("%s (%s): %zu bytes differ", list[k].name, one->variant_name, differ);
                io_delete(many);
                most = most > threads_alive() ? most : threads_alive();
            }
            io_delete(one);
        }
        const char *beside = counts > 1 ? ", 2, 3, 8" : " and 8";
        if (case_owner(k) == k) printf("%-20s %9zu bytes equal with 1%s threads\n", list[k].name, compared, beside);
        if (case_owner(k) == k) assert_true(compared > 0);
    }
    assert_true(most >= 8);
    set_threads(1);
}

static void one_other_bit_is_noticed(void **state)
{
    (void)state;
    size_t compared = 0;
    case_io *a = run(CASE_OF_mpm_p2g, 0, 0, NULL), *b = run(CASE_OF_mpm_p2g, 0, 0, NULL);
    assert_int_equal(bytes_that_differ(a, b, &compared), 0);
    case_array *y = &b->arrays[b->n_arrays - 1];
    y->bytes[y->size / 2] ^= 1;
    assert_int_equal(bytes_that_differ(a, b, &compared), 1);
    io_delete(a);
    io_delete(b);
}

/* ---- the former content of memory ---------------------------------------------------------------------------- */

/* `clean` started from zeros, `dirty` from `before`: what is set must be the same, or not touched in both; what is
 * added to must be the sum of both, to rounding. */
static int depends_on_before(const case_array *clean, const case_array *dirty)
{
    const double eps = sizeof(real) == 4 ? 0x1p-23 : 0x1p-52;
    const int n = clean->parts * clean->count;
    double rms = 0;
    if (!dirty->before) return memcmp(clean->bytes, dirty->bytes, clean->size) != 0;
    const ptrdiff_t size = (ptrdiff_t)clean->size / n;
    for (int i = 0; i < n; i++) {
        const double x = clean->value[i], y = dirty->value[i], b = dirty->before[i];
        if (dirty->how == CASE_ADDED) {
            const double *part = clean->value + i / clean->count * clean->count;
            if (i % clean->count == 0) rms = case_rms(part, clean->count);
            if (!(fabs(y - (x + b)) <= 4 * eps * (rms + fabs(x) + fabs(b)))) return 1;
        } else if (memcmp(clean->bytes + i * size, dirty->bytes + i * size, (size_t)size)) {
            const int untouched = fabs(x) <= 0 && (isnan(b) ? isnan(y) : fabs(y - b) <= 0);
            if (!untouched) return 1;
        }
    }
    return 0;
}

static void results_do_not_depend_on_what_memory_held(void **state)
{
    (void)state;
    for (int k = 0; k < CASE_KERNELS; k++)
        for (int variant = 0, variants = case_owner(k) == k; variant < variants; variant++) {
            case_io *clean = run(k, variant, 0, NULL), *dirty = run(k, variant, 1, clean);
            variants = clean->variants;
            for (int i = 0; i < clean->n_arrays; i++) {
                const case_array *a = &clean->arrays[i];
                if (a->role != CASE_OUTPUT && a->role != CASE_GRADIENT) continue;
                if (depends_on_before(a, &dirty->arrays[i]))
                    fail_msg("%s (%s): '%s' depends on what was there", list[k].name, clean->variant_name, a->name);
            }
            io_delete(clean);
            io_delete(dirty);
        }
}

/* ---- dot products ----------------------------------------------------------------------------------------- */
#if TEST_DUAL

enum { MAX_VARIANTS = 40 };
static const dot_control as_it_is = {DOT_AS_IT_IS, -1, 0};
static dot_table *tables[CASE_KERNELS][MAX_VARIANTS]; /* of the owner of a case; NULL where there is no adjoint */

static int measure_all(void **state)
{
    (void)state;
    set_threads(1);
    for (int k = 0; k < CASE_KERNELS; k++)
        for (int variant = 0, variants = case_owner(k) == k; variant < variants; variant++) {
            dot_table *t = calloc(1, sizeof *t);
            if (!t || variant == MAX_VARIANTS) return fprintf(stderr, "%s: variant %d\n", list[k].name, variant);
            dot_measure(t, k, variant, &pio_backend_cpu.kernels);
            variants = t->base.variants;
            tables[k][variant] = t;
        }
    return 0;
}

static int free_all(void **state)
{
    (void)state;
    for (int k = 0; k < CASE_KERNELS; k++)
        for (int variant = 0; variant < MAX_VARIANTS && tables[k][variant]; variant++) {
            dot_free(tables[k][variant]);
            free(tables[k][variant]);
        }
    return 0;
}

static void adjoints_are_transposed_derivatives(void **state)
{
    int failed = 0;
    (void)state;
    printf("relative error of <w, J v> = <J^T w, v>, bound %.0e; products that are not zero, of those made\n",
           DOT_BOUND);
    for (int k = 0; k < CASE_KERNELS; k++)
        for (int variant = 0; variant < MAX_VARIANTS && tables[k][variant]; variant++) {
            const dot_table *t = tables[k][variant];
            dot_result r[CASE_MAX_ARRAYS];
            failed += dot_check(t, &as_it_is, r);
            for (int i = 0; i < t->n_inputs; i++)
                printf("%-16s %-22s %-14s %8.1e  %4d of %4d\n", list[k].name, t->base.variant_name, t->input[i]->name,
                       r[i].worst, r[i].products - r[i].zero, r[i].products);
        }
    assert_int_equal(failed, 0);
}

static void the_dual_build_computes_the_same_values(void **state)
{
    (void)state;
    for (int k = 0; k < CASE_KERNELS; k++)
        for (int variant = 0; variant < MAX_VARIANTS && tables[k][variant]; variant++) {
            const dot_table *t = tables[k][variant];
            if (!t->n_directions) continue;
            printf("%-16s %-22s %8.1e  bound %.0e\n", list[k].name, t->base.variant_name, t->largest_difference,
                   DOT_BOUND);
            assert_true(t->largest_difference <= DOT_BOUND);
        }
}

/* Products with this input that are not zero, over the variants of a case. */
static int products_with(int k, const char *input)
{
    int products = 0;
    for (int variant = 0; variant < MAX_VARIANTS && tables[k][variant]; variant++) {
        const dot_table *t = tables[k][variant];
        dot_result r[CASE_MAX_ARRAYS];
        dot_check(t, &as_it_is, r);
        for (int i = 0; i < t->n_inputs; i++)
            if (!strcmp(t->input[i]->name, input)) products += r[i].products - r[i].zero;
    }
    return products;
}

static void every_input_of_an_adjoint_had_its_dot_product(void **state)
{
    (void)state;
    int inputs = 0;
    for (int k = 0; k < CASE_KERNELS; k++)
        for (int variant = 0; variant < MAX_VARIANTS && tables[k][variant]; variant++) {
            const case_io *io = &tables[k][variant]->base;
            for (int i = 0; i < io->n_arrays && io->differentiable; i++) {
                const case_array *x = &io->arrays[i];
                if (x->role != CASE_INPUT) continue;
                inputs++;
                if (!case_find(io, CASE_GRADIENT, x->name)) fail_msg("%s: no gradient of '%s'", list[k].name, x->name);
                const int products = products_with(k, x->name);
                if ((products == 0) != x->no_influence)
                    fail_msg("%s: %d products with '%s' are not zero", list[k].name, products, x->name);
            }
        }
    assert_true(inputs > 20);
}

/* A kernel with an adjoint: its case launches both, and products were made. */
static void every_kernel_with_an_adjoint_had_its_dot_product(void **state)
{
    (void)state;
    int with_adjoint = 0;
    for (int k = 0; k < CASE_KERNELS; k++) {
        if (list[k].kind != ADJOINT_HAS) continue;
        const dot_table *t = tables[case_owner(k)][0];
        if (!t || !t->base.launched[k] || !t->base.launched[k + 1] || !t->n_directions || !t->n_blocks)
            fail_msg("%s: its case makes no product with its adjoint", list[k].name);
        with_adjoint++;
    }
    printf("%d kernels with an adjoint\n", with_adjoint);
    assert_true(with_adjoint > 0);
}

/* ---- negative controls ------------------------------------------------------------------------------------ */

static void a_damaged_gradient_fails(void **state)
{
    int controls = 0;
    (void)state;
    for (int k = 0; k < CASE_KERNELS; k++)
        for (int variant = 0; variant < MAX_VARIANTS && tables[k][variant]; variant++) {
            const dot_table *t = tables[k][variant];
            dot_result r[CASE_MAX_ARRAYS];
            for (int i = 0; i < t->n_inputs; i++) {
                const int middle = dot_middle_entry(t, i);
                if (middle < 0) continue; /* this gradient is zero */
                const dot_control damage[] = {{DOT_SCALED, i, 0},
                                              {DOT_ONE_ENTRY, i, middle},
                                              {DOT_NOT_FINITE, i, middle},
                                              {DOT_LOST_PART, i, middle / t->input[i]->count}};
                for (size_t d = 0; d < sizeof damage / sizeof *damage; d++, controls++)
                    if (!dot_check(t, &damage[d], r))
                        fail_msg("%s, '%s': damage %zu is not noticed", list[k].name, t->input[i]->name, d);
            }
        }
    printf("%d damaged gradients noticed: scaled by 1 + 1e-6, one sign, one NaN, one part lost\n", controls);
    assert_true(controls > 100);
}

static int expect_no(const char *what, int kernel, const pio_kernels *kernels)
{
    dot_table t;
    dot_result r[CASE_MAX_ARRAYS];
    dot_measure(&t, kernel, 0, kernels);
    const int failed = dot_check(&t, &as_it_is, r);
    double worst = 0;
    int made = 0;
    for (int i = 0; i < t.n_inputs; i++) {
        worst = fmax(worst, r[i].worst);
        made += r[i].products;
    }
    printf("%-36s %4d of %4d products fail, worst %.1e\n", what, failed, made, worst);
    dot_free(&t);
    return failed > 0;
}

static void a_wrong_adjoint_fails(void **state)
{
    (void)state;
    pio_kernels wrong = pio_backend_cpu.kernels;
    assert_false(expect_no("the right adjoint", CASE_OF_mpm_grid, &wrong));
    wrong.mpm_grid_adj = grid_adj_without_walls, wrong.mpm_p2g_adj = p2g_adj_with_another_volume;
    wrong.mpm_g2p_adj = g2p_adj_without_fluids;
    wrong.mpm_observe_adj = observe_adj_with_the_wrong_mass;
    assert_true(expect_no("mpm_grid_adj without walls", CASE_OF_mpm_grid, &wrong));
    wrong.mpm_grid_adj = grid_adj_without_ghosts;
    assert_true(expect_no("mpm_grid_adj, ghosts forgotten", CASE_OF_mpm_grid, &wrong));
    assert_true(expect_no("mpm_p2g_adj, stress wrong by 1e-6", CASE_OF_mpm_p2g, &wrong));
    assert_true(expect_no("mpm_g2p_adj, J of fluids forgotten", CASE_OF_mpm_g2p, &wrong));
    assert_true(expect_no("mpm_observe_adj, contribution of M forgotten", CASE_OF_mpm_observe, &wrong));
    assert_false(expect_no("the right adjoint", CASE_OF_mpm_contact, &wrong));
    wrong.mpm_contact_volume_adj = contact_volume_adj_forgotten;
    wrong.mpm_quotient_adj = quotient_adj_with_fixed_mass;
    assert_true(expect_no("mpm_contact_volume_adj forgotten", CASE_OF_mpm_contact, &wrong));
    assert_true(expect_no("mpm_quotient_adj, mass taken as fixed", CASE_OF_mpm_flip, &wrong));
    wrong.mpm_kick_adj = kick_adj_without_walls;
    wrong.mpm_node_mean_adj = node_mean_adj_with_fixed_mass;
    assert_true(expect_no("mpm_kick_adj, slope of walls forgotten", CASE_OF_mpm_kick, &wrong));
    assert_true(expect_no("mpm_node_mean_adj, mass taken as fixed", CASE_OF_mpm_node_mean, &wrong));
    assert_false(expect_no("the right adjoint", CASE_OF_fem_force, &wrong));
    wrong.fem_force_adj = force_adj_without_a_term;
    wrong.fem_face_adj = face_adj_with_a_fixed_area;
    wrong.fem_weight_adj = weight_adj_without_density, wrong.fem_vary_adj = vary_adj_of_another_time;
    assert_true(expect_no("fem_vary_adj of another time", CASE_OF_fem_vary, &wrong));
    assert_true(expect_no("fem_force_adj, one term of M forgotten", CASE_OF_fem_force, &wrong));
    assert_true(expect_no("fem_face_adj, area taken as fixed", CASE_OF_fem_face, &wrong));
    assert_true(expect_no("fem_weight_adj without density", CASE_OF_fem_weight, &wrong));
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_says_where_its_derivative_is),
        cmocka_unit_test(every_kernel_is_run_by_its_case),
#if TEST_DUAL
        cmocka_unit_test(adjoints_are_transposed_derivatives),
        cmocka_unit_test(the_dual_build_computes_the_same_values),
        cmocka_unit_test(every_kernel_with_an_adjoint_had_its_dot_product),
        cmocka_unit_test(every_input_of_an_adjoint_had_its_dot_product),
        cmocka_unit_test(a_damaged_gradient_fails),
        cmocka_unit_test(a_wrong_adjoint_fails),
#endif
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(one_other_bit_is_noticed),
        cmocka_unit_test(results_do_not_depend_on_what_memory_held),
    };
#if TEST_DUAL
    return cmocka_run_group_tests(tests, measure_all, free_all);
#else
    return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
