/* test_fem_multigrid.c -- the multilevel preconditioner of a mesh: how many iterations an adjoint takes on meshes that
 * grow, on slender and on uneven bodies and on quadratic elements; that the gradient is that of another preconditioner,
 * in the same bits by any plan and any number of threads; and that it serves unstable states and follower loads. */
#include "tests/solvers/fem/fem_case.h"

#include "solvers/fem/fem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, C = PIO_LAW_CONSTANTS };
static double z[FEM_VARIABLES], z_bar[2][FEM_VARIABLES];

static double length; /* m, of a body 1 m wide and high */
static void stretched(const double s[3], double x[3])
{
    x[0] = length * s[0];
    x[1] = s[1];
    x[2] = s[2];
}

/* What a body is. */
typedef struct {
    const char *name;
    pio_element_type even, odd;
    int cells[3];
    double length, jitter, traction; /* m; of a cell; Pa */
    double contrast; /* of 27 stiff inclusions, of the linear law; below 0: moduli are random, over so many decades */
} body;

#define LINEAR (PIO_DIM == 2 ? PIO_QUAD4 : PIO_HEX8)
static const body cube_of_8 = {"cube, 8 cells", LINEAR, LINEAR, {8, 8, 8}, 1, 0, 60, 0};
enum { STEPS = 4 };

static const int nodes_of[PIO_ELEMENT_TYPES] = {[PIO_QUAD4] = 4, [PIO_QUAD8] = 8,  [PIO_QUAD9] = 9, [PIO_TET10] = 10,
                                                [PIO_HEX8] = 8,  [PIO_HEX20] = 20, [PIO_HEX27] = 27};

/* Where an element is, in the unit cube of the grid. */
static void place(const fem_case *c, int block, int element, const body *b, double x[3])
{
    const int nodes = nodes_of[c->block[block].type];
    for (int d = 0; d < D; d++) {
        x[d] = 0;
        for (int a = 0; a < nodes; a++)
            x[d] += c->rest[(ptrdiff_t)c->block[block].nodes[(ptrdiff_t)element * nodes + a] * D + d] / nodes;
    }
    x[0] /= b->length;
}

static void set_moduli(fem_case *c, const body *b)
{
    for (int k = 0, e = 0; k < c->fem.n_blocks; k++)
        for (int i = 0; i < c->block[k].n; i++, e++) {
            double x[3], factor = 1;
            place(c, k, i, b, x);
            if (b->contrast < 0) factor = pow(10, b->contrast / 2 * fem_case_random(c));
            int inside = b->contrast > 0;
            for (int d = 0; d < D; d++) { /* the middle half of each third */
                const double third = 3 * x[d] - floor(3 * x[d]);
                inside = inside && third > 0.2 && third < 0.8;
            }
            c->parameters[(ptrdiff_t)e * C] *= inside ? b->contrast : factor;
        }
}

/* Clamped at one end and pushed aside at the other. */
static void build(fem_case *c, const body *b, pio_preconditioner_choice by, int steps)
{
    const int uneven = fabs(b->contrast) > 0; /* stresses of stiff parts would be rounding of their moduli */
    const fem_material m = {
        .law = uneven ? PIO_HYPER_LINEAR : PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 2};
    length = b->length;
    fem_case_begin(c, 0.05, steps);
    fem_case_grid(c, (fem_grid){b->even, b->odd, {b->cells[0], b->cells[1], b->cells[2]}, stretched, b->jitter});
    fem_case_matter(c, &m, 1, 1);
    set_moduli(c, b);
    fem_case_clamp(c, 0, 0);
    const int ramp = fem_case_curve(c, 2, (double[]){0, 0.05 * steps}, (double[]){0, 1});
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 0, b->traction, 0), ramp);
    fem_case_observe_node(c, fem_case_at(c, c->lines[0] - 1, 0, 0), 1);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(0, 1), 0);
    c->fem.linear = PIO_SOLVE_PCG;
    c->fem.linear_iterations = 20000;
    c->fem.preconditioner = by;
    c->fem.newton_tolerance = c->fem.adjoint_tolerance = 1e-10;
    memset(z, 0, sizeof z);
    memcpy(z + fem_case_design_first(c, 0), c->value[0], sizeof *z * D);
}

static pio_step_record solve(const body *b, pio_preconditioner_choice by, double *bar)
{
    static fem_case c;
    pio_step_record r;
    build(&c, b, by, 1);
    pio_sim *sim = fem_case_create(&c, 2, 1);
    fem_case_gradient(&c, sim, NULL, z, bar);
    assert_true(piola_engine_fem.record(sim, 0, &r));
    print_message("  %-28s %6d unknowns: %d Newton iterations, %d of linear solves, %d of the adjoint to %.1e\n",
                  b->name, c.n * D, r.newton_iterations, r.linear_iterations, r.adjoint_iterations, r.adjoint_residual);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    return r;
}

static void iterations_of_an_adjoint_stay_within_their_limit(void **unused)
{
    static const struct {
        body of;
        int limit;
    } cases[] = {
#if PIO_DIM == 2
        {{"square, 32 cells", PIO_QUAD4, PIO_QUAD4, {32, 32, 0}, 1, 0, 20, 0}, 25},
        {{"square, 100 cells", PIO_QUAD4, PIO_QUAD4, {100, 100, 0}, 1, 0, 20, 0}, 25},
        {{"irregular square, 64 cells", PIO_QUAD4, PIO_QUAD4, {64, 64, 0}, 1, 0.2, 20, 0}, 25},
        {{"beam, 40 : 1", PIO_QUAD4, PIO_QUAD4, {320, 8, 0}, 40, 0, 1e-3, 0}, 45},
        {{"beam, 40 : 1, linear", PIO_QUAD4, PIO_QUAD4, {320, 8, 0}, 40, 0, 1e-3, 1}, 45},
        {{"9 inclusions, contrast 1e6", PIO_QUAD4, PIO_QUAD4, {48, 48, 0}, 1, 0, 1, 1e6}, 25},
        {{"squares of 8 nodes", PIO_QUAD8, PIO_QUAD8, {32, 32, 0}, 1, 0, 20, 0}, 30},
        {{"squares of 9 nodes", PIO_QUAD9, PIO_QUAD9, {32, 32, 0}, 1, 0, 20, 0}, 25},
#else
        {{"cube, 8 cells", PIO_HEX8, PIO_HEX8, {8, 8, 8}, 1, 0, 60, 0}, 25},
        {{"cube, 16 cells", PIO_HEX8, PIO_HEX8, {16, 16, 16}, 1, 0, 60, 0}, 25},
        {{"cube, 31 cells", PIO_HEX8, PIO_HEX8, {31, 31, 31}, 1, 0, 60, 0}, 25},
        {{"irregular cube, 16 cells", PIO_HEX8, PIO_HEX8, {16, 16, 16}, 1, 0.2, 60, 0}, 25},
        {{"beam, 40 : 1", PIO_HEX8, PIO_HEX8, {160, 4, 4}, 40, 0, 1e-3, 0}, 45},
        {{"beam, 40 : 1, linear", PIO_HEX8, PIO_HEX8, {160, 4, 4}, 40, 0, 1e-3, 1}, 45},
        {{"beam, 40 : 1, 20 nodes", PIO_HEX20, PIO_HEX20, {80, 2, 2}, 40, 0, 1e-3, 1}, 45},
        {{"27 inclusions, contrast 1e2", PIO_HEX8, PIO_HEX8, {16, 16, 16}, 1, 0, 1, 1e2}, 25},
        {{"27 inclusions, contrast 1e6", PIO_HEX8, PIO_HEX8, {16, 16, 16}, 1, 0, 1, 1e6}, 25},
        {{"random moduli, six decades", PIO_HEX8, PIO_HEX8, {16, 16, 16}, 1, 0, 1, -6}, 60},
        {{"tetrahedra of 10 nodes", PIO_TET10, PIO_TET10, {7, 7, 7}, 1, 0.1, 60, 0}, 30},
        {{"bricks of 20 nodes", PIO_HEX20, PIO_HEX20, {8, 8, 8}, 1, 0, 60, 0}, 30},
        {{"bricks of 27 nodes", PIO_HEX27, PIO_HEX27, {8, 8, 8}, 1, 0, 60, 0}, 25},
#endif
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pio_step_record r = solve(&cases[i].of, PIO_PRECONDITIONER_MULTIGRID, z_bar[0]);
        fem_case_below("iterations", r.adjoint_iterations, cases[i].limit, 0);
        fem_case_below("residual", r.adjoint_residual, 1e-10, 0);
    }
    const size_t beam = D == 2 ? 3 : 4; /* negative control */
    const pio_step_record r = solve(&cases[beam].of, PIO_PRECONDITIONER_JACOBI, z_bar[0]);
    assert_true(r.adjoint_iterations > 20 * cases[beam].limit);
}

/* |a - b|/|b| of gradients */
static double difference(const double *a, const double *b, int n)
{
    double off = 0, size = 0;
    for (int i = 0; i < n; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(off / size);
}

typedef void builder(fem_case *c, pio_preconditioner_choice by);

static pio_step_record last; /* of the last step of `compare`, by multigrid */

/* J and its gradient by both preconditioners. */
static void compare(const char *what, builder *build_case)
{
    double J[2];
    int n = 0;
    print_message("  %s\n", what);
    for (int way = 0; way < 2; way++) {
        static fem_case c;
        build_case(&c, way ? PIO_PRECONDITIONER_MULTIGRID : PIO_PRECONDITIONER_JACOBI);
        pio_sim *sim = fem_case_create(&c, c.desc.steps + 1, 1);
        J[way] = fem_case_gradient(&c, sim, NULL, z, z_bar[way]);
        n = c.variables;
        for (int64_t k = 0; k < c.desc.steps; k++) {
            pio_step_record r;
            assert_true(piola_engine_fem.record(sim, k, &r));
            last = r;
            print_message(
                "  %s, step %lld: %d Newton iterations (%d projected), %d of linear solves, %d of the adjoint to "
                "%.1e\n",
                way ? "multigrid" : "block-Jacobi", (long long)k, r.newton_iterations, r.projected, r.linear_iterations,
                r.adjoint_iterations, r.adjoint_residual);
        }
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    fem_case_below("J by multigrid over that by block-Jacobi, less 1", J[1] / J[0] - 1, 1e-9, 0);
    fem_case_below("difference of the gradients, relative", difference(z_bar[1], z_bar[0], n), 1e-7, 0);
    z_bar[1][0] += 1e-5 * fabs(z_bar[1][0]) + 1e-3 * fabs(z_bar[1][1]); /* negative control */
    assert_true(difference(z_bar[1], z_bar[0], n) > 1e-7);
}

static void steps_of_a_cube(fem_case *c, pio_preconditioner_choice by)
{
    build(c, &cube_of_8, by, STEPS);
    fem_case_design(c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_linear(1000, 1000), 0);
}

static void motion_of_a_cube(fem_case *c, pio_preconditioner_choice by)
{
    steps_of_a_cube(c, by);
    fem_case_motion(c, PIO_NEWMARK, 0, 0, 0);
}

/* A follower pressure: the Jacobian is not symmetric. */
static void pressure_on_a_cube(fem_case *c, pio_preconditioner_choice by)
{
    build(c, &cube_of_8, by, 2);
    fem_case_load(c, PIO_FOLLOWER, 1, 1, fem_case_value(c, 30, 0, 0), 0);
}

#if PIO_DIM == 2
/* In the lower half of a square of quad4, four cells become one quad9: nodes on its upper edges' middles are corners of
 * the cells above. */
static void half_of_nine_nodes(fem_case *c, pio_preconditioner_choice by)
{
    enum { CELLS = 32 };
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN, .parameters = {1000, 0.3}, .density = 2};
    static const int place9[9][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}, {1, 0}, {2, 1}, {1, 2}, {0, 1}, {1, 1}};
    static int32_t nine[CELLS * CELLS / 8 * 9], four[CELLS * CELLS / 2 * 4];
    length = 1;
    fem_case_begin(c, 0.05, 1);
    fem_case_grid(c, (fem_grid){PIO_QUAD4, PIO_QUAD4, {CELLS, CELLS, 0}, stretched, 0});
    c->block[0] = (pio_block_desc){.type = PIO_QUAD9, .nodes = nine};
    c->block[1] = (pio_block_desc){.type = PIO_QUAD4, .nodes = four};
    for (int j = 0; j < CELLS / 2; j += 2)
        for (int i = 0; i < CELLS; i += 2, c->block[0].n++)
            for (int a = 0; a < 9; a++)
                nine[c->block[0].n * 9 + a] = fem_case_at(c, i + place9[a][0], j + place9[a][1], 0);
    for (int j = CELLS / 2; j < CELLS; j++)
        for (int i = 0; i < CELLS; i++, c->block[1].n++)
            for (int a = 0; a < 4; a++)
                four[c->block[1].n * 4 + a] = fem_case_at(c, i + place9[a][0] / 2, j + place9[a][1] / 2, 0);
    c->fem.n_blocks = 2;
    c->elements = c->block[0].n + c->block[1].n;
    fem_case_matter(c, &m, 1, 1);
    fem_case_clamp(c, 0, 0);
    fem_case_body_force(c, 1, fem_case_value(c, 0, 60, 0), 0);
    fem_case_observe_node(c, fem_case_at(c, CELLS, CELLS / 2 - 1, 0), 1);
    fem_case_design(c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_linear(1000, 1000), 0);
    c->fem.linear = PIO_SOLVE_PCG;
    c->fem.linear_iterations = 20000;
    c->fem.preconditioner = by;
    c->fem.newton_tolerance = c->fem.adjoint_tolerance = 1e-10;
    memset(z, 0, sizeof z);
}

static void corners_may_be_middles_of_other_elements(void **unused)
{
    (void)unused;
    compare("quad9 below quad4", half_of_nine_nodes);
    fem_case_below("iterations of the adjoint by multigrid", last.adjoint_iterations, 30, 0);
}
#endif

static void gradients_are_those_of_block_jacobi(void **unused)
{
    (void)unused;
    compare("load steps", steps_of_a_cube);
    compare("motion", motion_of_a_cube);
    compare("a follower pressure", pressure_on_a_cube);
}

/* The solution of an adjoint's equation with the matrix of a column that is pressed together by a tenth, for some
 * right-hand side, and how long it is. */
static double adjoint_of_a_column(pio_preconditioner_choice by, real *lambda, int *iterations)
{
    static const body thin = {"column", LINEAR, LINEAR, {48, 6, 6}, 8, 0, 0, 0};
    static fem_case c;
    double residual, curvature = 0;
    int32_t taken;
    piola_error error;
    build(&c, &thin, by, 1);
    pio_sim *sim = fem_case_create(&c, 1, 1);
    fem_sim *f = fem_of(sim);
    const size_t n = (size_t)c.n * D;
    assert_int_equal(piola_engine_fem.start(sim, z, &error), PIOLA_OK);
    for (size_t i = 0; i < n; i++) lambda[i] = i % D ? 0 : (real)(-0.1 * c.rest[i]);
    pio_queue_upload(&sim->queue, f->newton.trial, lambda, sizeof *lambda * n);
    fem_jacobian(f, fem_whole(0), f->newton.trial);
    for (size_t i = 0; i < n; i++) lambda[i] = (real)sin(1 + (double)i);
    pio_queue_upload(&sim->queue, f->newton.rhs, lambda, sizeof *lambda * n);
    fem_mask_constrained(f, 0, f->newton.rhs);
    pio_queue_zero(&sim->queue, f->newton.lambda, sizeof *lambda * n);
    fem_multigrid_expire(f);
    if (fem_solve_adjoint(f, f->newton.rhs, f->newton.lambda, f->linear.adjoint_tolerance, &taken, &residual, &error))
        fail_msg("%s", error.message);
    pio_queue_download(&sim->queue, lambda, f->newton.lambda, sizeof *lambda * n);
    real *rhs = malloc(sizeof *rhs * n);
    assert_non_null(rhs);
    pio_queue_download(&sim->queue, rhs, f->newton.rhs, sizeof *rhs * n);
    for (size_t i = 0; i < n; i++) curvature += (double)(rhs[i] * lambda[i]);
    print_message("  %s: %d iterations to %.1e, b . K^-1 b = %.3g\n",
                  by == PIO_PRECONDITIONER_JACOBI ? "block-Jacobi" : "multigrid", taken, residual, curvature);
    fem_case_below("residual", residual, 1e-10, 0);
    *iterations = taken;
    free(rhs);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    return (double)n;
}

static void an_adjoint_of_an_unstable_state_is_solved_too(void **unused)
{
    static real lambda[2][1 << 14];
    int iterations[2];
    double off = 0, size = 0;
    (void)unused;
    const int n = (int)adjoint_of_a_column(PIO_PRECONDITIONER_JACOBI, lambda[0], iterations);
    adjoint_of_a_column(PIO_PRECONDITIONER_MULTIGRID, lambda[1], iterations + 1);
    for (int i = 0; i < n; i++) {
        const double d = (double)(lambda[0][i] - lambda[1][i]);
        off += d * d;
        size += (double)(lambda[0][i] * lambda[0][i]);
    }
    fem_case_below("difference of the solutions, relative", sqrt(off / size), 1e-6, 0);
    assert_true(size > 0);
    fem_case_below("iterations over those of block-Jacobi", (double)iterations[1] / iterations[0], 0.5, 0);
}

/* Steps are taken again from states that were kept, by which no rule of the preconditioner may be misled. */
static void bits_depend_on_neither_the_states_that_are_kept_nor_threads(void **unused)
{
    static const int plans[][2] = {{STEPS, 1}, {1, 1}, {2, 1}, {2, 3}, {STEPS, 2}};
    uint64_t expected = 0;
    (void)unused;
    for (int k = 0; k < 5; k++) {
        static fem_case c;
        pio_schedule schedule = pio_schedule_checkpoint(STEPS, plans[k][0], 0, 1);
        steps_of_a_cube(&c, PIO_PRECONDITIONER_MULTIGRID);
        pio_sim *sim = fem_case_create(&c, STEPS, plans[k][1]);
        const double J = fem_case_gradient(&c, sim, &schedule, z, z_bar[0]);
        const uint64_t hash =
            fem_case_hash(fem_case_hash(fem_case_hash_gradients(sim), z_bar[0], sizeof z_bar[0]), &J, sizeof J);
        print_message("  %d states, %d threads: %016llx\n", plans[k][0], plans[k][1], (unsigned long long)hash);
        if (k == 0) expected = hash;
        assert_true(hash == expected);
        piola_engine_fem.destroy(sim);
        pio_schedule_end(&schedule);
        fem_case_free(&c);
    }
    z_bar[0][3] += 1e-9; /* negative control */
    assert_true(fem_case_hash(FEM_HASH_START, z_bar[0], sizeof z_bar[0]) != expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_of_an_adjoint_stay_within_their_limit),
#if PIO_DIM == 2
        cmocka_unit_test(corners_may_be_middles_of_other_elements),
#endif
        cmocka_unit_test(gradients_are_those_of_block_jacobi),
        cmocka_unit_test(an_adjoint_of_an_unstable_state_is_solved_too),
        cmocka_unit_test(bits_depend_on_neither_the_states_that_are_kept_nor_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
