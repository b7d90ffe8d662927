/* test_fem_transfers.c -- what travels between host and device within a step: scalars that show how far a solve is, and
 * nothing that grows with the mesh. A backend that counts stands in for the CPU's. */
#include "solvers/fem/fem.h"
#include "tests/solvers/fem/fem_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SCALARS = 512 }; /* bytes: the state of a Krylov method, sums of Newton's */
static const pio_element_type box = FEM_DIM == 2 ? PIO_QUAD4 : PIO_HEX8;

static struct {
    int64_t up, down;
    size_t largest, bytes;
} seen;

static void count(size_t bytes)
{
    seen.bytes += bytes;
    if (bytes > seen.largest) seen.largest = bytes;
}

static int counted_upload(pio_stream stream, void *target, const void *source, size_t bytes)
{
    seen.up++;
    count(bytes);
    return pio_backend_cpu.upload(stream, target, source, bytes);
}

static int counted_download(pio_stream stream, void *target, const void *source, size_t bytes)
{
    seen.down++;
    count(bytes);
    return pio_backend_cpu.download(stream, target, source, bytes);
}

static void print_transfers(const char *what)
{
    print_message("  %-44s %5lld up, %5lld down, the largest %zu bytes (limit %d)\n", what, (long long)seen.up,
                  (long long)seen.down, seen.largest, SCALARS);
}

/* The largest transfer of a step forward and of one back. */
static void steps(pio_solve linear, pio_integrator integrator, int cells, size_t largest[2])
{
    static fem_case c;
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 2};
    pio_backend counting = pio_backend_cpu;
    pio_sim *sim = NULL;
    pio_engine_bytes bytes;
    piola_error error = {0};
    double bar[FEM_SAMPLES] = {0}, zero = 0;
    counting.upload = counted_upload;
    counting.download = counted_download;
    fem_case_begin(&c, 0.5, 2);
    fem_case_grid(&c, (fem_grid){box, box, {cells, cells, cells}, NULL, 0.1});
    fem_case_matter(&c, &m, 1, 1);
    fem_case_clamp(&c, 0, 0);
    const int ramp = fem_case_curve(&c, 2, (double[]){0, 1}, (double[]){0, 1});
    fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, 1, 5, 0), ramp);
    const int reversed = integrator == PIO_REVERSIBLE_EULER;
    if (integrator != PIO_STATIC) fem_case_motion(&c, integrator, reversed, 0, 0);
    c.desc.residual_log = reversed ? 1 << 20 : 0;
    fem_case_observe_node(&c, fem_case_at(&c, cells, 0, 0), 1);
    bar[1] = 1;
    c.fem.linear = linear;
    c.fem.direct_memory = 1e12;
    fem_case_describe(&c, 2, 1);
    if (fem_create(&counting, &c.desc, &sim, &bytes, &error)) fail_msg("%s", error.message);
    const pio_engine *e = &piola_engine_fem;
    if (e->start(sim, &zero, &error) || e->save(sim, 0, &error) || e->advance(sim, 1, &error) ||
        e->save(sim, 1, &error))
        fail_msg("%s", error.message);
    memset(&seen, 0, sizeof seen);
    if (e->advance(sim, 1, &error)) fail_msg("%s", error.message);
    print_transfers(linear == PIO_SOLVE_PCG ? "pcg, a step forward" : "direct, a step forward");
    largest[0] = seen.largest;
    assert_true(seen.down > 0);
    if (e->adjoint_begin(sim, bar, &error)) fail_msg("%s", error.message);
    memset(&seen, 0, sizeof seen);
    if (reversed ? e->inverse_step(sim, &error) : e->load(sim, 1, &error)) fail_msg("%s", error.message);
    if (e->adjoint_step(sim, &error)) fail_msg("%s", error.message);
    print_transfers(linear == PIO_SOLVE_PCG ? "pcg, its adjoint" : "direct, its adjoint");
    largest[1] = seen.largest;
    assert_true(seen.down > 0);
    memset(&seen, 0, sizeof seen); /* negative control: reading a field is seen */
    free(fem_case_read(sim, "displacement"));
    assert_true(seen.largest >= sizeof(double) * (size_t)c.n);
    e->destroy(sim);
    fem_case_free(&c);
}

static void only_scalars_travel_within_a_step_however_large_the_mesh(void **unused)
{
    static const pio_integrator list[] = {PIO_STATIC, PIO_NEWMARK, PIO_REVERSIBLE_EULER};
    (void)unused;
    for (int k = 0; k < 3; k++)
        for (int direct = 0; direct < 2; direct++) {
            const pio_solve linear = direct ? PIO_SOLVE_DIRECT : PIO_SOLVE_PCG;
            size_t small[2], large[2];
            steps(linear, list[k], 2, small);
            steps(linear, list[k], FEM_DIM == 2 ? 24 : 8, large);
            for (int back = 0; back < 2; back++) {
                assert_true(large[back] <= SCALARS);
                assert_int_equal(large[back], small[back]);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_scalars_travel_within_a_step_however_large_the_mesh)};
    return cmocka_run_group_tests_name("fem_transfers", tests, NULL, NULL);
}
