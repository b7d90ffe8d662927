/* test_fem_product.c -- meshes solved with the products of a library (product_sample.c): the same solutions and
 * gradients, a gradient check that finds a wrong one, and a refusal where there is no library. */
#include "solvers/fem/fem.h"
#include "tests/solvers/fem/fem_taylor.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM };
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

static void slender(const double s[3], double x[3])
{
    x[0] = 2 * s[0];
    x[1] = s[1];
    x[2] = s[2];
}

/* A block clamped on the left and pulled on the right; `follower`: pressed from above, which makes the matrix
 * unsymmetric. */
static void block(fem_case *c, int follower, pio_product_choice product)
{
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 2};
    fem_case_begin(c, 0.5, 2);
    fem_case_grid(c, (fem_grid){box, box, {6, 3, 2}, slender, 0});
    fem_case_matter(c, &m, 1, 1);
    fem_case_clamp(c, 0, 0);
    const int ramp = fem_case_curve(c, 2, (double[]){0, 1}, (double[]){0, 1});
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 10, 10, 0), ramp);
    if (follower) fem_case_load(c, PIO_FOLLOWER, 1, 1, fem_case_value(c, 60, 0, 0), ramp);
    fem_case_observe_node(c, fem_case_at(c, c->lines[0] - 1, 0, 0), 1);
    fem_case_design(c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_linear(1000, 1000), 0);
    c->fem.linear = PIO_SOLVE_PCG;
    c->fem.product = product;
    c->desc.timing = 1;
}

static pio_backend with_library(const char *name)
{
    pio_backend backend = pio_backend_cpu;
    backend.product = name;
    return backend;
}

typedef struct {
    pio_engine_bytes bytes;
    double J, z_bar[FEM_VARIABLES];
    int64_t own, turned, library; /* products */
    uint64_t bits;
    pio_taylor_verdict verdict; /* of Taylor remainders along a random direction; in f64 */
} outcome;

static int64_t calls_of(const pio_sim *sim, const char *name)
{
    const char *timer;
    int64_t calls;
    double seconds;
    for (int i = 0; piola_engine_fem.timer(sim, i, &timer, &calls, &seconds); i++)
        if (!strcmp(timer, name)) return calls;
    fail_msg("there is no timer %s", name);
    return 0;
}

/* `name` NULL: Piola's own products. */
static void run(const char *name, int follower, outcome *o)
{
    static fem_case c;
    static taylor_run t;
    static pio_backend backend;
    piola_error error;
    backend = with_library(name);
    block(&c, follower, name ? PIO_CUSPARSE : PIO_OWN_PRODUCT);
    fem_case_describe(&c, c.desc.steps, 1);
    t = (taylor_run){.c = &c, .tolerance = 1e-7, .quiet = 1};
    if (fem_create(&backend, &c.desc, &t.sim, &o->bytes, &error)) fail_msg("%s", error.message);
    o->J = t.J0 = fem_case_gradient(&c, t.sim, NULL, t.z, t.z_bar);
    memcpy(o->z_bar, t.z_bar, sizeof o->z_bar);
    o->bits = fem_case_hash(fem_case_hash_gradients(t.sim), o->z_bar, sizeof o->z_bar);
    o->own = calls_of(t.sim, "bsr_apply");
    o->turned = calls_of(t.sim, "bsr_apply_transposed");
    o->library = calls_of(t.sim, "product by a library");
    if (!fem_case_is_f32()) o->verdict = random_direction(&t, "a random direction", 0, c.variables);
    print_message("  %-15s J %.12g; products: own %lld and %lld transposed, of %s %lld; gradient check: %s\n",
                  name ? name : "own", o->J, (long long)o->own, (long long)o->turned, o->bytes.product,
                  (long long)o->library, fem_case_is_f32() ? "-" : pio_taylor_verdict_name(o->verdict));
    fem_destroy(t.sim);
    fem_case_free(&c);
}

static double apart(const outcome *a, const outcome *b)
{
    double off = 0, size = 0;
    for (int i = 0; i < FEM_VARIABLES; i++) {
        off += (a->z_bar[i] - b->z_bar[i]) * (a->z_bar[i] - b->z_bar[i]);
        size += b->z_bar[i] * b->z_bar[i];
    }
    return sqrt(off / size);
}

static outcome own, other;

static void newton_and_the_adjoint_come_to_the_same_with_a_library(void **unused)
{
    (void)unused;
    run(NULL, 0, &own);
    run("sample_right", 0, &other);
    fem_case_below("relative difference of J", other.J / own.J - 1, 1e-10, 1e-3);
    fem_case_below("relative difference of the gradient", apart(&other, &own), 1e-9, 2e-3);
    assert_true(own.own > 0 && own.library == 0 && other.own == 0 && other.library > 0);
    assert_true(own.turned == 0 && other.turned == 0);
    assert_string_equal(own.bytes.product, "own");
    assert_string_equal(other.bytes.product, "sample 1.0");
}

static void bytes_of_a_library_are_counted_before_anything_is_taken(void **unused)
{
    static fem_case c;
    static pio_backend backend;
    pio_engine_bytes without, with;
    piola_error error;
    (void)unused;
    block(&c, 0, PIO_OWN_PRODUCT);
    fem_case_describe(&c, 0, 1);
    if (piola_engine_fem.measure(&c.desc, &without, &error)) fail_msg("%s", error.message);
    backend = with_library("sample_right");
    c.fem.product = PIO_CUSPARSE;
    if (fem_measure(&backend, &c.desc, &with, &error)) fail_msg("%s", error.message);
    print_message("  %zu bytes of libraries, %zu without; %zu and %zu in all\n", with.library, without.library,
                  with.total, without.total);
    assert_true(without.library == 0 && with.library > 0);
    assert_int_equal(with.total - without.total, with.library);
    fem_case_free(&c);
}

/* A device with so much memory, of which the library takes its own as soon as it has seen the mesh. */
static size_t device_has, library_takes;
static int predicted_before;

static int predictions(void)
{
    char message[PIO_DIRECT_TEXT];
    Dl_info module;
    const pio_product_table *table = pio_product_open("sample_right", message);
    if (!table || !dladdr(table, &module)) fail_msg("%s", message);
    const int *count = dlsym(dlopen(module.dli_fname, RTLD_NOW), "sample_predictions");
    assert_non_null(count);
    return *count;
}

static int open_small(int ordinal, int threads, pio_device_info *info, pio_stream *stream)
{
    const int rc = pio_backend_cpu.open(ordinal, threads, info, stream);
    info->kept_bytes = 1000;
    info->free_bytes = device_has - (predictions() > predicted_before ? library_takes : 0);
    return rc;
}

static void bytes_of_a_library_are_counted_once(void **unused)
{
    static fem_case c;
    static pio_backend backend;
    pio_engine_bytes bytes;
    piola_error error = {0};
    pio_sim *sim = NULL;
    (void)unused;
    block(&c, 0, PIO_CUSPARSE);
    fem_case_describe(&c, 0, 1);
    backend = with_library("sample_right");
    if (fem_measure(&backend, &c.desc, &bytes, &error)) fail_msg("%s", error.message);
    backend.open = open_small;
    device_has = bytes.total;
    library_takes = bytes.library;
    assert_true(library_takes > 0);
    predicted_before = predictions();
    if (fem_create(&backend, &c.desc, &sim, &bytes, &error)) fail_msg("%s", error.message);
    assert_true(predictions() > predicted_before);
    assert_int_equal(bytes.free, device_has);
    assert_int_equal(bytes.kept, 1000);
    fem_destroy(sim);
    device_has--;
    predicted_before = predictions();
    assert_int_equal(fem_create(&backend, &c.desc, &sim, &bytes, &error), PIOLA_NO_MEMORY);
    print_message("  %s\n", error.message);
    assert_non_null(strstr(error.message, ", beside 1000 that are kept for its driver"));
    assert_null(sim);
    fem_case_free(&c);
}

static void a_library_gives_the_same_bits_every_time(void **unused)
{
    (void)unused;
    run("sample_right", 0, &own);
    run("sample_right", 0, &other);
    assert_true(own.bits == other.bits);
    run(NULL, 1, &other); /* negative control */
    assert_true(own.bits != other.bits);
}

static void with_loads_that_follow_a_wrong_transposed_product_fails_the_gradient_check(void **unused)
{
    static const char *const names[] = {"sample_right", "sample_forward", "sample_unturned"};
    const int f64 = !fem_case_is_f32(); /* differences of numbers of seven digits show nothing */
    (void)unused;
    run(NULL, 1, &own);
    assert_true(own.own > 0 && own.turned > 0);
    if (f64) assert_int_equal(own.verdict, PIO_TAYLOR_PASSED);
    for (int n = 0; n < 3; n++) {
        run(names[n], 1, &other);
        const double far = apart(&other, &own);
        fem_case_below("relative difference of J", other.J / own.J - 1, 1e-9, 1e-3);
        assert_true(other.library > 0 && other.own == 0);
        assert_int_equal(other.turned > 0, n == 1);
        if (n == 2) { /* negative control */
            print_message("  a wrong transposed product: the gradient is off by %.2g (more than 0.01)\n", far);
            assert_true(far > 0.01);
            if (f64) assert_int_equal(other.verdict, PIO_TAYLOR_FAILED);
            continue;
        }
        fem_case_below("relative difference of the gradient", far, 1e-8, 1e-2);
        if (f64) assert_int_equal(other.verdict, PIO_TAYLOR_PASSED);
    }
}

static void where_there_is_no_library_cusparse_is_refused_and_never_replaced(void **unused)
{
    static const struct {
        const char *name, *says, *right;
    } cases[] = {{NULL, "the device has none", "'product: own', or the device cuda, would be right"},
                 {"nowhere", "there is no ", "'product: own' would be right"},
                 {"sample_old", "another build", "'product: own' would be right"},
                 {"sample_absent", "this sample does not run", "'product: own' would be right"}};
    static fem_case c;
    static pio_backend backend;
    pio_engine_bytes bytes;
    piola_error error = {0};
    pio_sim *sim = NULL;
    char name[128];
    (void)unused;
    block(&c, 0, PIO_CUSPARSE);
    fem_case_describe(&c, 0, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        backend = with_library(cases[k].name);
        assert_int_equal(fem_create(&backend, &c.desc, &sim, &bytes, &error), PIOLA_UNAVAILABLE);
        print_message("  %s\n", error.message);
        assert_null(sim);
        assert_non_null(strstr(error.message, "solver.product is cusparse: no library of products for cpu"));
        assert_non_null(strstr(error.message, cases[k].says));
        assert_non_null(strstr(error.message, cases[k].right));
        assert_int_equal(fem_measure(&backend, &c.desc, &bytes, &error), PIOLA_UNAVAILABLE);
    }
    assert_int_equal(piola_engine_fem.create(&c.desc, &sim, &bytes, &error), PIOLA_UNAVAILABLE);
    assert_int_equal(piola_engine_fem.product(0, name, &error), PIOLA_UNAVAILABLE);
    fem_case_free(&c);
}

static void a_library_that_fails_within_a_step_is_an_error_of_that_step(void **unused)
{
    static fem_case c;
    static pio_backend backend;
    static double z[FEM_VARIABLES];
    pio_engine_bytes bytes;
    piola_error error = {0};
    pio_sim *sim = NULL;
    (void)unused;
    backend = with_library("sample_failing");
    block(&c, 0, PIO_CUSPARSE);
    fem_case_describe(&c, 0, 1);
    if (fem_create(&backend, &c.desc, &sim, &bytes, &error)) fail_msg("%s", error.message);
    if (piola_engine_fem.start(sim, z, &error)) fail_msg("%s", error.message);
    const piola_status rc = piola_engine_fem.advance(sim, 1, &error);
    print_message("  status %d: %s\n", (int)rc, error.message);
    assert_int_equal(rc, PIOLA_UNAVAILABLE);
    assert_non_null(strstr(error.message, "step 0"));
    assert_non_null(strstr(error.message, "the sample is tired"));
    fem_destroy(sim);
    fem_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_and_the_adjoint_come_to_the_same_with_a_library),
        cmocka_unit_test(bytes_of_a_library_are_counted_before_anything_is_taken),
        cmocka_unit_test(bytes_of_a_library_are_counted_once),
        cmocka_unit_test(a_library_gives_the_same_bits_every_time),
        cmocka_unit_test(with_loads_that_follow_a_wrong_transposed_product_fails_the_gradient_check),
        cmocka_unit_test(where_there_is_no_library_cusparse_is_refused_and_never_replaced),
        cmocka_unit_test(a_library_that_fails_within_a_step_is_an_error_of_that_step),
    };
    return cmocka_run_group_tests_name("fem_product", tests, NULL, NULL);
}
