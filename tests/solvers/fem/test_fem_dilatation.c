/* test_fem_dilatation.c -- elements whose dilatation is projected: that they do not lock where the others do, against
 * numbers of other programs; that their adjoint is the derivative for every law, at rest and in motion; and that the
 * solves with pressures, which nearly incompressible ones have, give what elimination gives, in few iterations and in
 * the same bits by any plan and any number of threads. */
#include "tests/solvers/fem/fem_taylor.h"
#include "tests/sanitized.h"

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

enum { D = FEM_DIM, STEPS = 3 };

#define LINEAR (D == 2 ? PIO_QUAD4 : PIO_HEX8)
#define QUADRATIC (D == 2 ? PIO_QUAD9 : PIO_HEX27)

static double z[FEM_VARIABLES], z_bar[2][FEM_VARIABLES];

static void project(fem_case *c)
{
    for (int k = 0; k < 2; k++) c->block[k].dilatation = PIO_DILATATION_PROJECTED;
}

/* ---- Cook's membrane, plane strain, E = 1, a force of 1 on the right side ---------------------------------- */

#if PIO_DIM == 2
static void panel(const double s[3], double x[3])
{
    x[0] = 48 * s[0];
    x[1] = 44 * s[0] + s[1] * (44 - 28 * s[0]);
}

static void cook(pio_element_type type, int projected, double nu, double deflection[2])
{
    static fem_case c;
    const fem_material m = {.law = PIO_HYPER_LINEAR, .parameters = {1, nu}};
    fem_case_begin(&c, 1, 1);
    fem_case_grid(&c, (fem_grid){type, type, {32, 32, 0}, panel, 0});
    if (projected) project(&c);
    fem_case_matter(&c, &m, 1, 1);
    fem_case_clamp(&c, 0, 0);
    fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, 0, 1.0 / 16, 0), 0);
    c.fem.linear = PIO_SOLVE_DIRECT;
    c.fem.direct_memory = 1e9;
    c.fem.newton_tolerance = 1e-10;
    for (int k = 0; k < 2; k++)
        fem_case_observe_node(&c, fem_case_at(&c, c.lines[0] - 1, (c.lines[1] - 1) / (2 - k), 0), 1);
    double y[FEM_SAMPLES];
    pio_sim *sim = fem_case_create(&c, 0, 1);
    fem_case_forward(&c, sim, NULL, y);
    deflection[0] = y[1];
    deflection[1] = y[3];
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* At (48, 52) and at (48, 60). `other` are numbers of a program that shares nothing with this one, of the same element
 * on the same mesh; converged values are those of two mixed elements, of degree 8 in u and continuous or discontinuous
 * in p, on meshes refined towards the corners, which agree to 1e-7. */
static void cooks_membrane_does_not_lock(void **unused)
{
    static const double converged[2][2] = {{21.945019, 23.056729}, {18.511926, 19.428289}};
    static const struct {
        pio_element_type type;
        int projected, incompressible; /* nu is 0.3 or 0.4999 */
        double other[2], limit;        /* of the distance from the converged value at (48, 60), relative; 0: none */
    } table[] = {
        {PIO_QUAD4, 0, 0, {21.78889094, 22.71356837}, 0},     {PIO_QUAD4, 1, 0, {21.87556609, 22.87392793}, 0.015},
        {PIO_QUAD9, 1, 0, {21.94449761, 23.02767916}, 0.004}, {PIO_QUAD4, 0, 1, {7.11300631, 7.08262804}, 0},
        {PIO_QUAD4, 1, 1, {18.41124509, 19.25800520}, 0.015}, {PIO_QUAD9, 0, 1, {18.37840713, 19.16402978}, 0},
        {PIO_QUAD9, 1, 1, {18.50491738, 19.40216955}, 0.004},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const double *known = converged[table[i].incompressible];
        double deflection[2];
        char what[160];
        cook(table[i].type, table[i].projected, table[i].incompressible ? 0.4999 : 0.3, deflection);
        for (int k = 0; k < 2; k++) {
            snprintf(what, sizeof what, "%s, %s, nu %s, at (48, %d): %.8f, of another program %.8f; relative",
                     fem_type_names[table[i].type], table[i].projected ? "projected" : "standard",
                     table[i].incompressible ? "0.4999" : "0.3", k ? 60 : 52, deflection[k], table[i].other[k]);
            fem_case_below(what, deflection[k] / table[i].other[k] - 1, 2e-9, 1);
        }
        if (table[i].limit > 0)
            fem_case_below("distance from the converged value", deflection[1] / known[1] - 1, table[i].limit, 1);
        else if (table[i].incompressible && table[i].type == PIO_QUAD4) /* negative control */
            assert_true(deflection[1] < 0.38 * known[1]);
    }
}
#endif

/* ---- gradients ------------------------------------------------------------------------------------------------ */

static void sheared(const double s[3], double x[3])
{
    x[0] = 1.2 * s[0] + 0.2 * s[1];
    x[1] = 0.7 * s[1] + 0.1 * s[0] * s[0];
    x[2] = 0.6 * s[2] + 0.1 * s[1];
}

/* A body of two laws, clamped, pulled, heavy; what it observes and designs. */
static void structure(fem_case *c, int law, pio_element_type even, pio_element_type odd, pio_integrator integrator)
{
    fem_material m[2] = {fem_material_of((pio_hyper_law)(law % FEM_LAWS), 1000),
                         fem_material_of((pio_hyper_law)((law + 4) % FEM_LAWS), 1500)};
    const int moves = integrator != PIO_STATIC, leaps = integrator == PIO_LEAPFROG;
    m[0].density = m[1].density = 100;
    fem_case_begin(c, leaps ? 0.01 : 0.05, STEPS);
    c->random = 5 + (uint64_t)law;
    const int ramp = fem_case_curve(c, 2, (double[]){0, 0.15}, (double[]){moves ? 0.5 : 0, 1});
    fem_case_grid(c, (fem_grid){even, odd, {D == 2 ? 3 : 2, D == 2 ? 2 : 1, 1}, sheared, 0.15});
    project(c);
    fem_case_matter(c, m, 2, 0.9);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 40, -30, 12), ramp);
    c->desc.gravity[1] = -0.3;
    if (moves) fem_case_motion(c, integrator, leaps, 0.3, leaps ? 0 : 0.02);
    for (int i = 0; i < c->n * D && moves; i++) c->initial_velocity[i] = 0.4 * fem_case_random(c);
    const int u = fem_case_observe(c, PIO_DISPLACEMENT, 1), energy = fem_case_observe(c, PIO_STRAIN_ENERGY, 1);
    const int stress = fem_case_observe(c, PIO_OF_VON_MISES, 1);
    fem_case_sample(c, u, STEPS, 0, 1);
    fem_case_sample(c, energy, STEPS, 0, 0.2);
    fem_case_sample(c, stress, STEPS, 0, 0.001);
    fem_case_design(c, PIO_POSITION, -1, FEM_EACH, fem_linear(0, 0.1), 0);
    fem_case_design(c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(30, 20), 0);
    if (D == 2) fem_case_design(c, PIO_THICKNESS, -1, FEM_EACH, fem_linear(0.9, 0.2), 0);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 5; i++)
            if (fabs(m[k].parameters[i]) > 0)
                fem_case_design(c, (pio_quantity)(PIO_LAW_PARAMETER_0 + i), k, FEM_EACH,
                                fem_linear(m[k].parameters[i], 0.1 * m[k].parameters[i]), 0);
    if (moves && !leaps) fem_case_design(c, PIO_STIFFNESS_DAMPING, -1, FEM_EACH, fem_linear(0.02, 0.01), 0);
}

static void check_gradient(const char *what, int law, pio_element_type even, pio_element_type odd,
                           pio_integrator integrator)
{
    static taylor_run t;
    static fem_case c;
    structure(&c, law, even, odd, integrator);
    taylor_begin(&t, &c, 0.2);
    everything(&t);
    design_by_design(&t);
    taylor_end(&t, what);
    fem_case_free(&c);
}

static const pio_element_type pairs[2][3][2] = {{{PIO_QUAD4, PIO_QUAD9}, {PIO_QUAD9, PIO_QUAD9}, {PIO_TRI6, PIO_TRI6}},
                                                {{PIO_HEX8, PIO_HEX8}, {PIO_HEX27, PIO_HEX27}, {PIO_TET10, PIO_TET10}}};

static void adjoint_is_the_derivative_for_every_law(void **unused)
{
    (void)unused;
    for (int law = 0; law < FEM_LAWS; law += TEST_SANITIZED ? 4 : 1) {
        const pio_element_type *type =
            D == 2 && law % 3 == 0 ? (pio_element_type[]){PIO_QUAD4, PIO_TRI3} : pairs[D - 2][law % 3];
        char what[120];
        snprintf(what, sizeof what, "%s and %s, %s and %s", fem_law_names[law], fem_law_names[(law + 4) % FEM_LAWS],
                 fem_type_names[type[0]], fem_type_names[type[1]]);
        check_gradient(what, law, type[0], type[1], PIO_STATIC);
    }
}

static void adjoint_is_the_derivative_in_motion(void **unused)
{
    static const pio_integrator integrators[] = {PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK, PIO_LEAPFROG};
    static const char *const names[] = {"backward Euler", "BDF2", "Newmark", "leapfrog"};
    (void)unused;
    for (int i = 0; i < 4; i++) check_gradient(names[i], 3 + i, LINEAR, LINEAR, integrators[i]);
}

/* ---- nearly incompressible: pressures in linear solves --------------------------------------------------------- */

/* A block pushed aside. */
typedef struct {
    pio_element_type type;
    int cells;
    pio_hyper_law law;
    double nu, traction;
    int limit; /* of the adjoint's iterations, with pressures */
} block_case;

static void block(fem_case *c, const block_case *b, pio_solve linear, pio_preconditioner_choice by)
{
    const fem_material m = {.law = b->law, .parameters = {1000, b->nu}, .density = 2};
    fem_case_begin(c, 0.5, 2);
    fem_case_grid(c, (fem_grid){b->type, b->type, {b->cells, b->cells, b->cells}, NULL, 0});
    project(c);
    fem_case_matter(c, &m, 1, 1);
    fem_case_clamp(c, 0, 0);
    const int ramp = fem_case_curve(c, 2, (double[]){0, 1}, (double[]){0, 1});
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 0, b->traction, 0), ramp);
    fem_case_observe_node(c, fem_case_at(c, c->lines[0] - 1, 0, 0), 1);
    fem_case_design(c, PIO_LAW_PARAMETER_0, -1, FEM_EACH, fem_linear(1000, 1000), 0);
    c->fem.linear = linear;
    c->fem.direct_memory = 2e9;
    c->fem.preconditioner = by;
    c->fem.newton_tolerance = 1e-9;
    c->fem.adjoint_tolerance = 1e-10;
    memset(z, 0, sizeof z);
}

typedef struct {
    double J;
    pio_step_record last;
} answer;

static answer solve(fem_case *c, double *bar)
{
    answer a;
    pio_sim *sim = fem_case_create(c, c->desc.steps + 1, 1);
    a.J = fem_case_gradient(c, sim, NULL, z, bar);
    assert_true(piola_engine_fem.record(sim, c->desc.steps - 1, &a.last));
    piola_engine_fem.destroy(sim);
    return a;
}

static double difference(const double *a, const double *b, int n)
{
    double off = 0, size = 0;
    for (int i = 0; i < n; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(off / size);
}

/* The limits grow with the mesh for quad4 and hex8, whose pressures are not stable. */
static void solves_with_pressures_are_those_of_elimination(void **unused)
{
    static const block_case cases[] = {
#if PIO_DIM == 2
        {PIO_QUAD9, 8, PIO_HYPER_LINEAR, 0.4999, 1, 120},
        {PIO_QUAD9, 16, PIO_HYPER_LINEAR, 0.4999, 1, 120},
        {PIO_QUAD9, 16, PIO_HYPER_NEO_HOOKEAN, 0.499, 8, 120},
        {PIO_TRI6, 16, PIO_HYPER_LINEAR, 0.4999, 1, 120},
        {PIO_QUAD4, 16, PIO_HYPER_LINEAR, 0.4999, 1, 350},
#else
        {PIO_HEX27, 3, PIO_HYPER_LINEAR, 0.4999, 1, 110},
        {PIO_HEX27, 5, PIO_HYPER_LINEAR, 0.4999, 1, 110},
        {PIO_HEX27, 3, PIO_HYPER_OGDEN, 0.499, 4, 110},
        {PIO_TET10, 4, PIO_HYPER_LINEAR, 0.4999, 1, 260},
        {PIO_HEX8, 8, PIO_HYPER_NEO_HOOKEAN, 0.499, 4, 250},
#endif
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static fem_case c;
        answer a[2];
        int n = 0;
        for (int way = 0; way < 2; way++) {
            block(&c, &cases[i], way ? PIO_SOLVE_PCG : PIO_SOLVE_DIRECT, PIO_PRECONDITIONER_AUTO);
            if (cases[i].law == PIO_HYPER_OGDEN)
                for (int e = 0; e < c.elements; e++)
                    memcpy(c.parameters + 5 * e, (double[]){350, 1.7, -80, -2.1, 2e5}, 5 * sizeof(double));
            if (cases[i].law == PIO_HYPER_OGDEN) z[0] = 0; /* of mu_1: as it is */
            a[way] = solve(&c, z_bar[way]);
            n = c.variables;
            fem_case_free(&c);
        }
        print_message("  %s, %d cells, nu %g: %d Newton iterations, %d of linear solves, %d of the adjoint to %.1e\n",
                      fem_type_names[cases[i].type], cases[i].cells, cases[i].nu, a[1].last.newton_iterations,
                      a[1].last.linear_iterations, a[1].last.adjoint_iterations, a[1].last.adjoint_residual);
        fem_case_below("J over that by elimination, less 1", a[1].J / a[0].J - 1, 1e-8, 1);
        fem_case_below("difference of the gradients, relative", difference(z_bar[1], z_bar[0], n), 1e-7, 0);
        fem_case_below("residual of the adjoint", a[1].last.adjoint_residual, 1e-10, 0);
        fem_case_below("iterations of the adjoint", a[1].last.adjoint_iterations, cases[i].limit, 0);
    }
}

/* Negative control of the limits: without pressures iterations grow with the bulk modulus. */
static void without_pressures_iterations_are_many(void **unused)
{
    static fem_case c;
    (void)unused;
    block(&c, &(block_case){QUADRATIC, D == 2 ? 16 : 4, PIO_HYPER_LINEAR, 0.4999, 1, 0}, PIO_SOLVE_PCG,
          PIO_PRECONDITIONER_JACOBI);
    const answer a = solve(&c, z_bar[0]);
    print_message("  block-Jacobi without pressures: %d iterations of the adjoint\n", a.last.adjoint_iterations);
    assert_true(a.last.adjoint_iterations > 1000);
    fem_case_free(&c);
}

static void bits_depend_on_neither_the_states_that_are_kept_nor_threads(void **unused)
{
    static const int plans[][2] = {{2, 1}, {1, 1}, {1, 3}, {2, 2}};
    uint64_t expected = 0;
    (void)unused;
    for (int k = 0; k < 4; k++) {
        static fem_case c;
        block(&c, &(block_case){QUADRATIC, D == 2 ? 8 : 3, PIO_HYPER_NEO_HOOKEAN, 0.499, 4, 0}, PIO_SOLVE_PCG,
              PIO_PRECONDITIONER_AUTO);
        pio_schedule schedule = pio_schedule_checkpoint(2, plans[k][0], 0, 1);
        pio_sim *sim = fem_case_create(&c, 2, plans[k][1]);
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
#if PIO_DIM == 2
        cmocka_unit_test(cooks_membrane_does_not_lock),
#endif
        cmocka_unit_test(adjoint_is_the_derivative_for_every_law),
        cmocka_unit_test(adjoint_is_the_derivative_in_motion),
        cmocka_unit_test(solves_with_pressures_are_those_of_elimination),
        cmocka_unit_test(without_pressures_iterations_are_many),
        cmocka_unit_test(bits_depend_on_neither_the_states_that_are_kept_nor_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
