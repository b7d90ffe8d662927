/* test_fem_physics.c -- does a mesh do what is known? Patch test, Cook's membrane, a pulled bar, and identities of
 * gradients that need no differences: scaling of moduli and loads, translation and rotation of the body at rest. */
#include "tests/solvers/fem/fem_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM };

static double z_none[FEM_VARIABLES], z_bar[FEM_VARIABLES];

/* ---- patch test ------------------------------------------------------------------------------------------ */

static double affine(const double *X, int axis)
{
    static const double A[3][3] = {{0.05, 0.02, 0.01}, {0.03, -0.03, 0.02}, {0.01, 0.02, 0.04}};
    double u = 0;
    for (int a = 0; a < D; a++) u += A[axis][a] * X[a];
    return u;
}

/* Moves the nodes between vertices: edges and faces are no longer straight. */
static void bend(fem_case *c, double most)
{
    for (int i = 0; i < c->lines[0] * c->lines[1] * c->lines[2]; i++) {
        const int at[3] = {i % c->lines[0], i / c->lines[0] % c->lines[1], i / (c->lines[0] * c->lines[1])};
        if (at[0] % c->order + at[1] % c->order + at[2] % c->order == 0 || c->node_at[i] < 0) continue;
        for (int a = 0; a < D; a++) c->rest[D * c->node_at[i] + a] += most * fem_case_random(c);
    }
}

/* Largest error of interior nodes relative to the largest displacement; every unknown of the border has a support of
 * its own. */
static double patch(pio_element_type even, pio_element_type odd, pio_hyper_law law, double bent, int *interior)
{
    static fem_case c;
    const fem_material m = fem_material_of(law, 1000);
    double worst = 0, largest = 0;
    fem_case_begin(&c, 1, 1);
    c.random = 5 + (uint64_t)even;
    c.fem.newton_tolerance = fem_case_is_f32() ? 2e-5 : 1e-13;
    fem_case_grid(&c, (fem_grid){even, odd, {4, 3, 3}, NULL, 0.25});
    if (bent > 0) bend(&c, bent);
    fem_case_matter(&c, &m, 1, 1);
    int *border = calloc((size_t)c.n, sizeof *border);
    *interior = 0;
    for (int i = 0; i < c.n; i++) {
        for (int side = 0; side < 2 * D; side++) border[i] = border[i] || fem_case_on_side(&c, i, side / 2, side % 2);
        for (int a = 0; a < D && border[i]; a++)
            fem_case_hold(&c, i, a, fem_case_support(&c, affine(c.rest + D * i, a), -1));
        *interior += !border[i];
    }
    pio_sim *sim = fem_case_create(&c, 0, 1);
    fem_case_forward(&c, sim, NULL, NULL);
    double *u = fem_case_read(sim, "displacement");
    for (int i = 0; i < c.n * D; i++) {
        const double exact = affine(c.rest + i / D * D, i % D);
        largest = fmax(largest, fabs(exact));
        assert_true(isfinite(u[i]));
        if (!border[i / D]) worst = fmax(worst, fabs(u[i] - exact));
    }
    free(u);
    free(border);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    return worst / largest;
}

static void an_affine_border_gives_an_affine_inside_for_every_element_and_law(void **unused)
{
    (void)unused;
    for (int t = 0; t < FEM_TYPES; t++)
        for (int law = 0; law < FEM_LAWS; law++) {
            char what[96];
            int interior;
            const double error = patch(fem_types[t], fem_types[t], (pio_hyper_law)law, 0, &interior);
            assert_true(interior >= 6);
            snprintf(what, sizeof what, "patch test, %s, %s, %d nodes inside", fem_type_names[fem_types[t]],
                     fem_law_names[law], interior);
            fem_case_below(what, error, 1e-12, 2e-5);
        }
}

/* The border's midside nodes move too; the affine displacement is a sum of shape functions all the same, as the places
 * are
 * (Zienkiewicz, Taylor and Zhu 2013, section 9.5), and constant stress balances where det(dX/dxi) grad N is integrated
 * exactly. */
static void an_affine_border_gives_an_affine_inside_of_curved_elements(void **unused)
{
    (void)unused;
    for (int t = 2; t < FEM_TYPES; t++)
        for (int law = 0; law < FEM_LAWS; law++) {
            char what[96];
            int interior;
            const double error = patch(fem_types[t], fem_types[t], (pio_hyper_law)law, 0.015, &interior);
            snprintf(what, sizeof what, "patch test, curved %s, %s", fem_type_names[fem_types[t]], fem_law_names[law]);
            fem_case_below(what, error, 1e-12, 2e-5);
        }
}

#if PIO_DIM == 2
static void an_affine_border_gives_an_affine_inside_where_types_meet(void **unused)
{
    int interior;
    (void)unused;
    fem_case_below("patch test, tri3 and quad4, neo-Hookean",
                   patch(PIO_TRI3, PIO_QUAD4, PIO_HYPER_NEO_HOOKEAN, 0, &interior), 1e-12, 2e-5);
    fem_case_below("patch test, curved quad9 and tri6, neo-Hookean",
                   patch(PIO_QUAD9, PIO_TRI6, PIO_HYPER_NEO_HOOKEAN, 0.015, &interior), 1e-12, 2e-5);
    fem_case_below("patch test, curved quad8 and quad9, neo-Hookean",
                   patch(PIO_QUAD8, PIO_QUAD9, PIO_HYPER_NEO_HOOKEAN, 0.015, &interior), 1e-12, 2e-5);
}

/* ---- Cook's membrane --------------------------------------------------------------------------------------- */

static void to_membrane(const double s[3], double x[3])
{
    x[0] = 48 * s[0];
    x[1] = (1 - s[0]) * 44 * s[1] + s[0] * (44 + 16 * s[1]);
}

/* Vertical displacement at (48, 52); a total force of 1 spread on the right side, 16 long. */
static double cook(pio_element_type type, int n)
{
    static fem_case c;
    const double mu = 0.4225, nu = 0.3, lambda = 2 * mu * nu / (1 - 2 * nu);
    const fem_material m = {.law = PIO_HYPER_NEO_HOOKEAN_ISO, .parameter_form = 1, .parameters = {mu, lambda}};
    double y[FEM_SAMPLES];
    fem_case_begin(&c, 1, 1);
    fem_case_grid(&c, (fem_grid){type, type, {n, n, 1}, to_membrane, 0});
    fem_case_matter(&c, &m, 1, 1);
    fem_case_clamp(&c, 0, 0);
    fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, 0, 1.0 / 16, 0), 0);
    fem_case_observe_node(&c, fem_case_at(&c, c.lines[0] - 1, (c.lines[1] - 1) / 2, 0), 1);
    pio_sim *sim = fem_case_create(&c, 0, 2);
    fem_case_forward(&c, sim, NULL, y);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    return y[1];
}

static void cooks_membrane_at_finite_strain_gives_the_published_numbers(void **unused)
{
    static const struct {
        pio_element_type type;
        int n;
        double deflection;
    } table[] = {{PIO_QUAD4, 2, 8.638375},   {PIO_QUAD4, 4, 12.071227},  {PIO_QUAD4, 8, 13.863196},
                 {PIO_QUAD4, 16, 14.485259}, {PIO_QUAD4, 32, 14.667272}, {PIO_QUAD9, 2, 14.301764},
                 {PIO_QUAD9, 4, 14.649374},  {PIO_QUAD9, 8, 14.713912}};
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char what[96];
        const double deflection = cook(table[i].type, table[i].n);
        snprintf(what, sizeof what, "Cook, %s, n = %d: %.8f, published %.6f", fem_type_names[table[i].type], table[i].n,
                 deflection, table[i].deflection);
        fem_case_below(what, deflection - table[i].deflection, 5.1e-7, 5e-3);
    }
}
#endif

/* ---- loads add up ---------------------------------------------------------------------------------------- */

enum { LOADS = 6 };

/* External forces of the loads whose bits are set: tractions and pressures on different sides, faces of one type. */
static double *forces_of(fem_case *c, pio_element_type type, int loads)
{
    const fem_material m = fem_material_of(PIO_HYPER_LINEAR, 1000);
    piola_error error;
    fem_case_begin(c, 1, 0); /* nothing is solved, nothing holds it */
    fem_case_grid(c, (fem_grid){type, type, {2, 2, 2}, NULL, 0.2});
    fem_case_matter(c, &m, 1, 0.7);
    for (int l = 0; l < LOADS; l++) {
        const int axis = l % D, side = l / D % 2, value = fem_case_value(c, 3 + l, 2 - l, 0.5 * l);
        if (loads >> l & 1) fem_case_load(c, l % 2 ? PIO_PRESSURE : PIO_TRACTION, axis, side, value, 0);
    }
    pio_sim *sim = fem_case_create(c, 0, 1);
    assert_int_equal(piola_engine_fem.start(sim, NULL, &error), PIOLA_OK);
    double *f = fem_case_read(sim, "external_force");
    piola_engine_fem.destroy(sim);
    return f;
}

static void loads_on_faces_of_one_type_add_up(void **unused)
{
    (void)unused;
    for (int t = 0; t < FEM_TYPES; t++) {
        static fem_case c;
        char what[96];
        double *all = forces_of(&c, fem_types[t], (1 << LOADS) - 1), worst = 0, size = 0;
        const int n = c.n * D;
        fem_case_free(&c);
        for (int l = 0; l < LOADS; l++) {
            double *one = forces_of(&c, fem_types[t], 1 << l), own = 0;
            for (int i = 0; i < n; i++) {
                all[i] -= one[i];
                own = fmax(own, fabs(one[i]));
            }
            assert_true(own > 1e-3);
            size = fmax(size, own);
            free(one);
            fem_case_free(&c);
        }
        for (int i = 0; i < n; i++) worst = fmax(worst, fabs(all[i]));
        snprintf(what, sizeof what, "%s: forces of %d loads at once - their sum", fem_type_names[fem_types[t]], LOADS);
        fem_case_below(what, worst / size, 1e-14, 1e-6);
        free(all);
    }
}

/* ---- a pulled bar ---------------------------------------------------------------------------------------- */

static void to_bar(const double s[3], double x[3])
{
    x[0] = 2 * s[0];
    x[1] = 0.5 * s[1];
    x[2] = 0.4 * s[2];
}

/* u = t L/E in uniaxial stress (3D), t L (1 - nu^2)/E in plane strain; du/dE = -u/E. */
static void a_pulled_bar_gets_longer_by_FL_over_EA(void **unused)
{
    const double E = 1000, nu = 0.3, t = 20, L = 2, exact = t * L / E * (D == 2 ? 1 - nu * nu : 1);
    (void)unused;
    for (int type = 0; type < FEM_TYPES; type++) {
        static fem_case c;
        const fem_material m = fem_material_of(PIO_HYPER_LINEAR, E);
        char what[96];
        double y[FEM_SAMPLES];
        fem_case_begin(&c, 1, 1);
        fem_case_grid(&c, (fem_grid){fem_types[type], fem_types[type], {3, 2, 2}, to_bar, 0.2});
        fem_case_matter(&c, &m, 1, 0.7);
        const int zero = fem_case_support(&c, 0, -1);
        for (int a = 0; a < D; a++) fem_case_hold_side(&c, a, 0, a, zero);
        fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, t, 0, 0), 0);
        fem_case_observe_node(&c, fem_case_at(&c, c.lines[0] - 1, 0, 0), 0);
        fem_case_design(&c, PIO_LAW_PARAMETER_0, -1, FEM_SCALAR, fem_linear(E, 1), 0);
        fem_case_design(&c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(t, 1), 0);
        pio_sim *sim = fem_case_create(&c, 1, 1);
        double z[8] = {0, 0, -t, -t}; /* value = t + z: the traction's other components are zero */
        fem_case_gradient(&c, sim, NULL, z, z_bar);
        fem_case_forward(&c, sim, z, y);
        snprintf(what, sizeof what, "bar, %s: u E/(t L) - exact", fem_type_names[fem_types[type]]);
        fem_case_below(what, y[0] / exact - 1, 1e-10, 1e-4);
        snprintf(what, sizeof what, "bar, %s: du/dE E/u + 1", fem_type_names[fem_types[type]]);
        fem_case_below(what, z_bar[0] * E / exact + 1, 1e-10, 1e-3);
        snprintf(what, sizeof what, "bar, %s: du/dt t/u - 1", fem_type_names[fem_types[type]]);
        fem_case_below(what, z_bar[1] * t / exact - 1, 1e-10, 1e-3);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- small loads ------------------------------------------------------------------------------------------- */

/* Displacement of a corner per load, and Newton's iterations. */
static double compliance_of(pio_element_type type, pio_hyper_law law, double load, int *iterations)
{
    static fem_case c;
    const fem_material m = fem_material_of(law, 1000);
    pio_step_record record;
    double y[FEM_SAMPLES];
    fem_case_begin(&c, 1, 1);
    c.fem.newton_tolerance = fem_case_is_f32() ? 5e-3 : 1e-9;
    fem_case_grid(&c, (fem_grid){type, type, {3, 2, 2}, to_bar, 0.2});
    fem_case_matter(&c, &m, 1, 0.7);
    fem_case_clamp(&c, 0, 0);
    fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, load, -0.3 * load, 0), 0);
    fem_case_observe_node(&c, fem_case_at(&c, c.lines[0] - 1, 0, 0), 1);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    fem_case_forward(&c, sim, NULL, y);
    assert_true(piola_engine_fem.record(sim, 0, &record));
    *iterations = record.newton_iterations;
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
    return y[1] / load;
}

/* Energies of small strains are lost in rounding; the solve must not depend on them. Mooney-Rivlin and Ogden have other
 * moduli. */
static void a_small_load_is_solved_and_every_law_is_linear_there(void **unused)
{
    (void)unused;
    for (int t = 0; t < FEM_TYPES; t++)
        for (int k = 0; k < 2; k++) {
            const double load = fem_case_is_f32() ? (k ? 1 : 5) : (k ? 1e-3 : 0.1);
            char what[96];
            int iterations, most = 0;
            const double exact = compliance_of(fem_types[t], PIO_HYPER_LINEAR, load, &iterations);
            double worst = 0;
            for (int law = 0; law < FEM_LAWS; law++) {
                const double c = compliance_of(fem_types[t], (pio_hyper_law)law, load, &iterations);
                most = iterations > most ? iterations : most;
                if (law != PIO_HYPER_MOONEY_RIVLIN && law != PIO_HYPER_OGDEN) worst = fmax(worst, fabs(c / exact - 1));
            }
            snprintf(what, sizeof what, "%s, load %.0e Pa: at most %d iterations; off the linear law by",
                     fem_type_names[fem_types[t]], load, most);
            fem_case_below(what, worst, k ? 1e-4 : 1e-2, k ? 0.1 : 0.5);
            assert_true(most <= 5);
        }
}

/* ---- identities of gradients ------------------------------------------------------------------------------- */

/* Two laws in irregular elements of two types, clamped at one side. */
static void body(fem_case *c, int number)
{
    static const pio_element_type even[2][5] = {{PIO_TRI3, PIO_TRI6, PIO_QUAD4, PIO_QUAD9, PIO_QUAD8},
                                                {PIO_TET4, PIO_TET10, PIO_HEX8, PIO_HEX27, PIO_HEX20}};
    static const pio_element_type odd[2][5] = {{PIO_QUAD4, PIO_QUAD9, PIO_QUAD4, PIO_QUAD9, PIO_TRI6},
                                               {PIO_TET4, PIO_TET10, PIO_HEX8, PIO_HEX27, PIO_HEX20}};
    const fem_material m[2] = {fem_material_of((pio_hyper_law)(number % FEM_LAWS), 1000),
                               fem_material_of((pio_hyper_law)((number + 4) % FEM_LAWS), 1500)};
    fem_case_begin(c, 1, 1);
    c->random = 3 + (uint64_t)number;
    fem_case_grid(c, (fem_grid){even[D - 2][number % 5], odd[D - 2][number % 5], {3, 2, 1}, to_bar, 0.2});
    fem_case_matter(c, m, 2, 0.9);
    fem_case_clamp(c, 0, 0);
}

static int is_modulus(pio_hyper_law law, int k)
{
    if (law == PIO_HYPER_MOONEY_RIVLIN) return k < 3;
    if (law == PIO_HYPER_OGDEN) return k == 0 || k == 2 || k == 4;
    return k == 0; /* E; nu has no unit */
}

/* Moduli and loads times a number: the same displacement. */
static void moduli_and_dead_loads_scale_together(void **unused)
{
    (void)unused;
    for (int number = 0; number < FEM_LAWS; number++) {
        static fem_case c;
        char what[128];
        double sum = 0, size = 0;
        body(&c, number);
        c.desc.gravity[0] = 0.004;
        c.desc.gravity[1] = -0.01;
        fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, 9, -5, 3), 0);
        fem_case_load(&c, PIO_PRESSURE, 1, 1, fem_case_value(&c, 12, 0, 0), 0);
        fem_case_sample(&c, fem_case_observe(&c, PIO_DISPLACEMENT, 1), 1, 0, 1);
        fem_case_sample(&c, fem_case_observe(&c, PIO_DISTANCE, 1), 1, 0, 1);
        const int traction = fem_case_design(&c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(0, 1), 0);
        const int pressure = fem_case_design(&c, PIO_LOAD, -1, FEM_SCALAR, fem_linear(0, 1), 1);
        double z[D + 1] = {9, -5};
        if (D == 3) z[2] = 3;
        z[D] = 12;
        pio_sim *sim = fem_case_create(&c, 1, 1);
        fem_case_gradient(&c, sim, NULL, z, z_bar);
        for (int k = 0; k < 5; k++) {
            char field[32];
            snprintf(field, sizeof field, "grad_parameter_%d", k);
            double *g = fem_case_read(sim, field);
            for (int e = 0; e < c.elements; e++) {
                if (!is_modulus((pio_hyper_law)c.law[e], k)) continue;
                sum += g[e] * c.parameters[5 * e + k];
                size += fabs(g[e] * c.parameters[5 * e + k]);
            }
            free(g);
        }
        double *g = fem_case_read(sim, "grad_density");
        for (int e = 0; e < c.elements; e++) sum += g[e] * c.density[e];
        free(g);
        const double moduli = sum;
        for (int i = 0; i < fem_case_design_count(&c, traction) + fem_case_design_count(&c, pressure); i++)
            sum += z[i] * z_bar[i];
        snprintf(what, sizeof what, "%s and %s: (sum c dJ/dc + F dJ/dF)/sum |c dJ/dc|", fem_law_names[c.law[0]],
                 fem_law_names[(number + 4) % FEM_LAWS]);
        fem_case_below(what, sum / size, 1e-9, 1e-3);
        assert_true(fabs(moduli) > 1e-4 * size); /* not vacuous: either part alone is not zero */
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

typedef struct {
    double translation, rotation, half; /* of dJ/dX, relative; half: of every second node alone */
} moved;

static moved move_of(const fem_case *c, const double *gradient)
{
    moved m = {0};
    double size = 0, arm = 0;
    for (int i = 0; i < c->n * D; i++) size += fabs(gradient[i]), arm += fabs(gradient[i] * c->rest[i]);
    for (int a = 0; a < D; a++) {
        const int b = (a + 1) % D;
        double sum = 0, turn = 0, half = 0;
        for (int i = 0; i < c->n; i++) {
            sum += gradient[i * D + a];
            half += i % 2 ? gradient[i * D + a] : 0;
            turn += gradient[i * D + a] * c->rest[i * D + b] - gradient[i * D + b] * c->rest[i * D + a];
        }
        m.translation += fabs(sum) / size; /* NaN stays */
        m.rotation += fabs(turn) / arm;
        m.half += fabs(half) / size;
    }
    return m;
}

/* Compliance under pressure turns with the body; displacement, reaction and every load go with it when it is
 * shifted. */
static void gradients_by_shape_know_translation_and_rotation(void **unused)
{
    (void)unused;
    for (int number = 0; number < FEM_LAWS; number++)
        for (int turned = 0; turned < 2; turned++) {
            static fem_case c;
            char what[128];
            body(&c, number);
            fem_case_load(&c, PIO_PRESSURE, 1, 1, fem_case_value(&c, 15, 0, 0), 0);
            fem_case_sample(&c, fem_case_observe(&c, PIO_COMPLIANCE, 1), 1, 0, 1);
            if (!turned) {
                c.desc.gravity[0] = 0.004;
                fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, 9, -5, 3), 0);
                fem_case_sample(&c, fem_case_observe(&c, PIO_DISPLACEMENT, 1), 1, 0, 1);
                fem_case_sample(&c, fem_case_observe(&c, PIO_REACTION, 1), 1, 0, 1);
            }
            pio_sim *sim = fem_case_create(&c, 1, 1);
            fem_case_gradient(&c, sim, NULL, z_none, z_bar);
            double *g = fem_case_read(sim, "grad_rest_position");
            const moved m = move_of(&c, g);
            snprintf(what, sizeof what, "%s and %s: %s of dJ/dX", fem_law_names[c.law[0]],
                     fem_law_names[(number + 4) % FEM_LAWS], turned ? "turn" : "sum");
            fem_case_below(what, turned ? m.rotation : m.translation, 1e-10, 1e-3);
            if (turned) fem_case_below("  and its sum", m.translation, 1e-10, 1e-3);
            if (!turned) assert_true(m.rotation > 1e-4); /* not vacuous: with a fixed traction it does not turn */
            assert_true(m.half > 1e-3);
            free(g);
            piola_engine_fem.destroy(sim);
            fem_case_free(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_affine_border_gives_an_affine_inside_for_every_element_and_law),
        cmocka_unit_test(an_affine_border_gives_an_affine_inside_of_curved_elements),
#if PIO_DIM == 2
        cmocka_unit_test(an_affine_border_gives_an_affine_inside_where_types_meet),
        cmocka_unit_test(cooks_membrane_at_finite_strain_gives_the_published_numbers),
#endif
        cmocka_unit_test(loads_on_faces_of_one_type_add_up),
        cmocka_unit_test(a_pulled_bar_gets_longer_by_FL_over_EA),
        cmocka_unit_test(a_small_load_is_solved_and_every_law_is_linear_there),
        cmocka_unit_test(moduli_and_dead_loads_scale_together),
        cmocka_unit_test(gradients_by_shape_know_translation_and_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
