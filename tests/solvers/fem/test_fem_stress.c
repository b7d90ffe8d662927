/* test_fem_stress.c -- fields of stress and strain that frames show, and reactions: a patch that is stretched along one
 * axis against the laws written out, shear and plane stress against closed forms, integrals against observations, means
 * around nodes against sums made here, reactions against the loads. */
#include "solvers/fem/fem.h"
#include "tests/solvers/fem/fem_case.h"
#include "tests/sanitized.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    D = FEM_DIM,
    STEPS = 4,
    PLANE_STRESS = 2,
    EVERYWHERE = PIO_STRESS_AT_ELEMENTS | PIO_STRESS_AT_NODES | PIO_STRESS_AT_POINTS
};
static const double modulus = 1000, depth = 0.9; /* Pa; m, of what is 2D */
static const char *const places[] = {"", "_nodal", "_points"};

/* ---- a patch whose outer nodes are moved by u = A X ------------------------------------------------------------ */

static int outside(const fem_case *c, int node)
{
    int on = 0;
    for (int a = 0; a < D; a++) on |= fem_case_on_side(c, node, a, 0) || fem_case_on_side(c, node, a, 1);
    return on;
}

/* In parts, which laws with ln J need. Elements that are hex27 are regular: the quadrature of others with curved sides
 * is not exact, and a patch of them not in equilibrium. */
static pio_sim *patch(fem_case *c, const fem_material *m, int type, double A[3][3])
{
    const int other = fem_types[(type + 1) % FEM_TYPES], even = fem_types[type];
    const int both = D == 2 && mesh_is_quadratic(even) == mesh_is_quadratic(other);
    fem_case_begin(c, 1.0 / STEPS, STEPS);
    fem_case_grid(c, (fem_grid){(pio_element_type)even,
                                (pio_element_type)(both ? other : even),
                                {3, 2, 2},
                                NULL,
                                even == PIO_HEX27 ? 0 : 0.15});
    fem_case_matter(c, m, 1, depth);
    const int ramp = fem_case_curve(c, 2, (double[]){0, 1}, (double[]){0, 1});
    for (int i = 0; i < c->n; i++)
        for (int a = 0; a < D && outside(c, i); a++) {
            double u = 0;
            for (int b = 0; b < D; b++) u += A[a][b] * c->rest[i * D + b];
            fem_case_hold(c, i, a, fem_case_support(c, u, ramp));
        }
    c->fem.stress_places = EVERYWHERE;
    return fem_case_solve(c);
}

/* The largest |value - want| over all items of a field at one place. */
static double off(pio_sim *sim, const char *name, int place, const double *want)
{
    char field[64];
    snprintf(field, sizeof field, "%s%s", name, places[place]);
    double *values = fem_case_read(sim, field), most = 0;
    const int n = piola_engine_fem.components(sim, field);
    const int64_t items = piola_engine_fem.items(sim, field);
    assert_true(items > 0);
    for (int64_t i = 0; i < items; i++)
        for (int k = 0; k < n; k++) {
            const double d = fabs(values[i * n + k] - want[k]);
            most = d > most || isnan(d) ? d : most;
        }
    free(values);
    return most;
}

static double off_anywhere(pio_sim *sim, const char *name, const double *want)
{
    double most = 0;
    for (int p = 0; p < 3; p++) most = fmax(most, off(sim, name, p, want));
    return most;
}

/* ---- uniaxial stretch: F = diag(s, 1, 1), which plane strain and space share ----------------------------------- */

typedef struct {
    double along, across, psi, strain, J; /* Pa, Pa, J/m^3 */
} uniaxial;

/* Cauchy's stresses (1/J) s_i dW/ds_i and the energy W, by the formulas of the laws' authors. */
static uniaxial written_out(const fem_material *m, double s)
{
    const double E = m->parameters[0], nu = m->parameters[1], mu = E / (2 * (1 + nu)), kappa = E / (3 * (1 - 2 * nu)),
                 lambda = kappa - 2 * mu / 3, e = s - 1, l = log(s), G = (s * s - 1) / 2, I1 = s * s + 2,
                 I2 = 2 * s * s + 1, dev1 = pow(s, -2.0 / 3), dev2 = pow(s, -4.0 / 3);
    const int own = (int)m->law & ~PIO_VOLUME_QUADRATIC, quadratic = own != (int)m->law;
    const double bulk = quadratic ? e * e / 2 : (s * s - 1 - 2 * l) / 4; /* per kappa */
    const double pressure = quadratic ? e : (s * s - 1) / (2 * s);
    const double *k = m->parameters;
    if (quadratic && own == PIO_HYPER_NEO_HOOKEAN)
        return (uniaxial){mu * (s * s - 1) / s + lambda * e, lambda * e, mu * (G - l) + lambda / 2 * e * e, G, s};
    switch (own) {
    case PIO_HYPER_LINEAR:
        return (uniaxial){(2 * mu + lambda) * e, lambda * e, (mu + lambda / 2) * e * e, e, s};
    case PIO_HYPER_ST_VENANT:
        return (uniaxial){s * (2 * mu + lambda) * G, lambda * G / s, (mu + lambda / 2) * G * G, G, s};
    case PIO_HYPER_FIXED_COROTATED:
        return (uniaxial){(2 * mu + lambda) * e, lambda * e, (mu + lambda / 2) * e * e, G, s};
    case PIO_HYPER_NEO_HOOKEAN:
        return (uniaxial){(mu * (s * s - 1) + lambda * l) / s, lambda * l / s, mu * (G - l) + lambda / 2 * l * l, G, s};
    case PIO_HYPER_NEO_HOOKEAN_ISO:
        return (uniaxial){mu * dev1 / s * (s * s - I1 / 3) + kappa * pressure,
                          mu * dev1 / s * (1 - I1 / 3) + kappa * pressure, mu / 2 * (dev1 * I1 - 3) + kappa * bulk, G,
                          s};
    case PIO_HYPER_STABLE_NEO_HOOKEAN: {
        const double shear = 4 * mu / 3 * I1 / (I1 + 1), p = (lambda + 5 * mu / 6) * e - mu;
        return (uniaxial){shear * s + p, shear / s + p,
                          2 * mu / 3 * (I1 - 3 - log((I1 + 1) / 4)) - mu * e + (lambda + 5 * mu / 6) / 2 * e * e, G, s};
    }
    case PIO_HYPER_MOONEY_RIVLIN:
        return (uniaxial){
            2 / s * (k[0] * dev1 * (s * s - I1 / 3) + k[1] * dev2 * (I1 * s * s - s * s * s * s - 2 * I2 / 3)) +
                k[2] * pressure,
            2 / s * (k[0] * dev1 * (1 - I1 / 3) + k[1] * dev2 * (I1 - 1 - 2 * I2 / 3)) + k[2] * pressure,
            k[0] * (dev1 * I1 - 3) + k[1] * (dev2 * I2 - 3) + k[2] * bulk, G, s};
    case PIO_HYPER_OGDEN: {
        uniaxial r = {k[4] * pressure, k[4] * pressure, k[4] * bulk, G, s};
        for (int p = 0; p < 2; p++) {
            const double x = pow(s, 2 * k[2 * p + 1] / 3), y = pow(s, -k[2 * p + 1] / 3), mean = (x + 2 * y) / 3;
            r.along += k[2 * p] * (x - mean) / s;
            r.across += k[2 * p] * (y - mean) / s;
            r.psi += k[2 * p] / k[2 * p + 1] * (x + 2 * y - 3);
        }
        return r;
    }
    default:
        return (uniaxial){(2 * mu + lambda) * l / s, lambda * l / s, (mu + lambda / 2) * l * l, G, s};
    }
}

/* Bounds are relative to the law's stiffness, the modulus. */
static void check_stretch(int law, int type, double s)
{
    static fem_case c;
    const fem_material m = fem_material_of((pio_hyper_law)law, modulus);
    double A[3][3] = {{s - 1, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const uniaxial w = written_out(&m, s);
    const double sigma[9] = {w.along, 0, 0, 0, w.across, 0, 0, 0, w.across}, strain[9] = {w.strain};
    const double mises = fabs(w.along - w.across);
    pio_sim *sim = patch(&c, &m, type, A);
    char what[120];
    snprintf(what, sizeof what, "%s, %s, stretched by %g: Cauchy's stress / modulus", fem_law_names[law],
             fem_type_names[fem_types[type]], s);
    fem_case_below(what, off_anywhere(sim, "cauchy_stress", sigma) / modulus, 2e-12, 5e-4);
    fem_case_below("  von Mises' stress / modulus", off_anywhere(sim, "von_mises", &mises) / modulus, 2e-12, 5e-4);
    fem_case_below("  energy density / modulus", off_anywhere(sim, "energy_density", &w.psi) / modulus, 2e-12, 5e-4);
    fem_case_below("  Green's strain, or that of small displacements", off_anywhere(sim, "green_strain", strain), 2e-12,
                   2e-4);
    fem_case_below("  volume ratio", off_anywhere(sim, "J", &w.J), 2e-12, 2e-4);
    /* negative controls: the nominal stress across, and no stress out of the plane, are seen */
    const double flat[9] = {w.along, 0, 0, 0, w.across, 0, 0, 0, 0}, nominal[9] = {w.along, 0, 0, 0, w.across * s};
    assert_true(off_anywhere(sim, "cauchy_stress", flat) > 0.05 * modulus);
    assert_true(off_anywhere(sim, "cauchy_stress", nominal) > 0.01 * modulus);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

static void a_stretched_patch_has_the_stress_of_its_law_written_out(void **unused)
{
    (void)unused;
    for (int law = 0; law < 2 * PIO_VOLUME_QUADRATIC; law = fem_next_law(law))
        for (int type = 0; type < FEM_TYPES; type++) check_stretch(law, type, law % 2 ? 1.3 : 0.8);
}

/* ---- shear, plane stress ----------------------------------------------------------------------------------------- */

/* u_x = gamma y: of the linear law sigma_xy = mu gamma alone, and von Mises' measure is sqrt 3 times that. Of a
 * neo-Hookean body sigma_xx = mu gamma^2 too, and the measure sqrt(3 + gamma^2) mu gamma. */
static void von_mises_measure_of_shear_is_the_closed_form(void **unused)
{
    const double gamma = 0.2, mu = modulus / 2.6;
    (void)unused;
    for (int large = 0; large < 2; large++) {
        static fem_case c;
        const fem_material m = fem_material_of(large ? PIO_HYPER_NEO_HOOKEAN : PIO_HYPER_LINEAR, modulus);
        double A[3][3] = {{0, gamma, 0}};
        const double mises = mu * gamma * sqrt(3 + (large ? gamma * gamma : 0)), one = 1;
        const double sigma[9] = {large ? mu * gamma * gamma : 0, mu * gamma, 0, mu * gamma};
        const double strain[9] = {0, gamma / 2, 0, gamma / 2, large ? gamma * gamma / 2 : 0};
        pio_sim *sim = patch(&c, &m, 1, A);
        fem_case_below(large ? "neo-Hookean shear: von Mises' stress / modulus" : "shear: von Mises' stress / modulus",
                       off_anywhere(sim, "von_mises", &mises) / modulus, 2e-12, 5e-4);
        fem_case_below("  Cauchy's stress / modulus", off_anywhere(sim, "cauchy_stress", sigma) / modulus, 2e-12, 5e-4);
        fem_case_below("  strain", off_anywhere(sim, "green_strain", strain), 2e-12, 2e-4);
        fem_case_below("  volume ratio", off_anywhere(sim, "J", &one), 2e-12, 2e-4);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

static void to_bar(const double s[3], double x[3])
{
    x[0] = 2 * s[0];
    x[1] = s[1];
    x[2] = 0.5 * s[2];
}

/* A bar that is pulled by `pull` Pa, free to contract, its symmetry planes held. */
static void bar(fem_case *c, const fem_material *m, double pull)
{
    fem_case_begin(c, 1, 1);
    fem_case_grid(c, (fem_grid){D == 2 ? PIO_QUAD9 : PIO_HEX8, D == 2 ? PIO_TRI6 : PIO_HEX8, {3, 2, 2}, to_bar, 0.15});
    fem_case_matter(c, m, 1, depth);
    const int zero = fem_case_support(c, 0, -1);
    for (int a = 0; a < D; a++) fem_case_hold_side(c, a, 0, a, zero);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, pull, 0, 0), 0);
    c->fem.stress_places = EVERYWHERE;
}

/* Tension: in space and in plane stress the other stresses are 0 and both lateral strains -nu sigma/E; in plane strain
 * sigma_33 = nu sigma. */
static void a_bar_in_tension_has_its_stress_alone(void **unused)
{
    const double nu = 0.3, pull = 2;
    (void)unused;
    for (int stress = 0; stress < (D == 2 ? 2 : 1); stress++) {
        static fem_case c;
        fem_material m = fem_material_of(PIO_HYPER_LINEAR, modulus);
        const int strained = D == 2 && !stress;
        if (stress) m.parameter_form = PLANE_STRESS;
        bar(&c, &m, pull);
        pio_sim *sim = fem_case_solve(&c);
        const double e = pull / modulus, lateral = strained ? -nu * (1 + nu) * e : -nu * e;
        const double along = strained ? (1 - nu * nu) * e : e, third = strained ? 0 : -nu * e;
        const double sigma[9] = {pull, 0, 0, 0, 0, 0, 0, 0, strained ? nu * pull : 0};
        const double strain[9] = {along, 0, 0, 0, lateral, 0, 0, 0, third}, J = 1 + along + lateral + third;
        const double mises = pull * (strained ? sqrt(1 - nu + nu * nu) : 1), psi = pull * along / 2;
        fem_case_below(strained ? "tension in plane strain: Cauchy's stress / pull"
                       : stress ? "tension in plane stress: Cauchy's stress / pull"
                                : "tension: Cauchy's stress / pull",
                       off_anywhere(sim, "cauchy_stress", sigma) / pull, 1e-11, 5e-3);
        fem_case_below("  von Mises' stress / pull", off_anywhere(sim, "von_mises", &mises) / pull, 1e-11, 5e-3);
        fem_case_below("  strain / (pull/E)", off_anywhere(sim, "green_strain", strain) / e, 1e-11, 5e-3);
        fem_case_below("  (volume ratio - 1)/(pull/E)", off_anywhere(sim, "J", &J) / e, 1e-11, 5e-3);
        fem_case_below("  energy density / (pull^2/E)", off_anywhere(sim, "energy_density", &psi) / (pull * e), 1e-11,
                       5e-3);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- what is not uniform: a block that is clamped at one end and pulled at the other ---------------------------- */

static void clamped(fem_case *c)
{
    const fem_material m[2] = {fem_material_of(PIO_HYPER_NEO_HOOKEAN, modulus),
                               fem_material_of(PIO_HYPER_HENCKY, 3 * modulus)};
    fem_case_begin(c, 1, 2);
    fem_case_grid(c, (fem_grid){D == 2 ? PIO_QUAD9 : PIO_HEX8, D == 2 ? PIO_TRI6 : PIO_HEX8, {4, 3, 2}, to_bar, 0.1});
    fem_case_matter(c, m, 2, depth);
    fem_case_clamp(c, 0, 0);
    fem_case_load(c, PIO_TRACTION, 0, 1, fem_case_value(c, 40, 25, 0), 0);
    fem_case_load(c, PIO_PRESSURE, 1, 1, fem_case_value(c, 12, 0, 0), 0);
    c->desc.gravity[1] = -0.01;
    c->fem.stress_places = EVERYWHERE;
}

/* Downloads numbers of the engine as doubles. */
static double *engine_numbers(const fem_sim *f, const real *from, int n)
{
    real *own = malloc(sizeof *own * (size_t)n);
    double *out = malloc(sizeof *out * (size_t)n);
    pio_queue_download((pio_queue *)(uintptr_t)&f->base.queue, own, from, sizeof *own * (size_t)n);
    for (int i = 0; i < n; i++) out[i] = (double)own[i];
    free(own);
    return out;
}

static void energy_density(int projected)
{
    static fem_case c;
    double y[FEM_SAMPLES];
    clamped(&c);
    for (int k = 0; k < 2 && projected; k++) c.block[k].dilatation = PIO_DILATATION_PROJECTED;
    const int energy = fem_case_observe(&c, PIO_STRAIN_ENERGY, 1);
    double *w = (double *)(uintptr_t)c.observation[energy].weight;
    for (int e = 0; e < c.elements; e++) w[e] = 1;
    fem_case_sample(&c, energy, 2, 0, 1);
    pio_sim *sim = fem_case_create(&c, 0, 1);
    fem_case_forward(&c, sim, NULL, y);
    double *psi = fem_case_read(sim, "energy_density");
    double *V = engine_numbers(fem_of(sim), fem_of(sim)->stress.volume, c.elements), sum = 0, plain = 0, all = 0;
    for (int e = 0; e < c.elements; e++) {
        sum += V[e] * psi[e];
        plain += psi[e] / c.elements;
        all += V[e];
    }
    fem_case_below("integral of the energy density over the strain energy, less 1", sum / y[0] - 1, 1e-13, 1e-5);
    fem_case_below("volumes of elements over that of the body, less 1", all / (D == 2 ? 2 * depth : 1) - 1, 1e-13,
                   1e-5);
    assert_true(fabs(plain * all / y[0] - 1) > 1e-3); /* weights matter */
    free(psi);
    free(V);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

static void the_energy_density_integrates_to_the_strain_energy(void **unused)
{
    (void)unused;
    energy_density(0);
    energy_density(1);
}

/* By the elements' own nodes, in another order of sums. */
static void means_around_nodes_are_those_of_their_elements(void **unused)
{
    static const char *const fields[] = {"cauchy_stress", "green_strain", "von_mises", "J", "energy_density"};
    static fem_case c;
    (void)unused;
    clamped(&c);
    pio_sim *sim = fem_case_solve(&c);
    for (int k = 0; k < 5; k++) {
        char name[96];
        snprintf(name, sizeof name, "%s_nodal", fields[k]);
        double *mean = fem_case_read(sim, fields[k]), *node = fem_case_read(sim, name);
        double *V = engine_numbers(fem_of(sim), fem_of(sim)->stress.volume, c.elements);
        const int n = piola_engine_fem.components(sim, name);
        double *sum = calloc((size_t)(c.n * (n + 1)), sizeof *sum), most = 0, size = 0, plain = 0;
        int e = 0;
        for (int b = 0; b < c.fem.n_blocks; b++)
            for (int i = 0; i < c.block[b].n; i++, e++)
                for (int a = 0; a < element_nodes[c.block[b].type]; a++) {
                    double *to = sum + c.block[b].nodes[i * element_nodes[c.block[b].type] + a] * (n + 1);
                    for (int j = 0; j < n; j++) to[j] += V[e] * mean[e * n + j];
                    to[n] += V[e];
                }
        for (int i = 0; i < c.n * n; i++) {
            const double *from = sum + i / n * (n + 1);
            most = fmax(most, fabs(node[i] - from[i % n] / from[n]));
            plain = fmax(plain, fabs(node[i] - mean[i % n]));
            size = fmax(size, fabs(node[i]));
        }
        snprintf(name, sizeof name, "%s around nodes - mean of the elements, of the largest", fields[k]);
        fem_case_below(name, most / size, 1e-14, 1e-6);
        assert_true(plain > 1e-3 * size); /* it is not uniform */
        free(mean);
        free(node);
        free(V);
        free(sum);
    }
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

static void reactions_are_the_loads_with_the_other_sign(void **unused)
{
    static fem_case c;
    (void)unused;
    clamped(&c);
    pio_sim *sim = fem_case_solve(&c);
    double *reaction = fem_case_read(sim, "reaction"), *load = fem_case_read(sim, "external_force");
    double R[3] = {0}, F[3] = {0}, size = 0;
    for (int i = 0; i < c.n; i++)
        for (int a = 0; a < D; a++) {
            const int held = fem_case_on_side(&c, i, 0, 0);
            R[a] += reaction[i * D + a];
            F[a] += load[i * D + a];
            size = fmax(size, fabs(F[a]));
            assert_true(held || !(fabs(reaction[i * D + a]) > 0));
        }
    for (int a = 0; a < D; a++) {
        char what[64];
        snprintf(what, sizeof what, "sum of reactions + loads along %c, of the loads", "xyz"[a]);
        fem_case_below(what, (R[a] + F[a]) / size, 1e-9, 1e-3);
    }
    assert_true(fabs(R[0]) > 0.5 * size);
    free(reaction);
    free(load);
    piola_engine_fem.destroy(sim);
    fem_case_free(&c);
}

/* Reactions of a motion have the inertia and the damping of the constrained nodes; the observation sums them too. */
static void reactions_of_a_motion_are_those_that_are_observed(void **unused)
{
    static const pio_integrator integrators[] = {PIO_BACKWARD_EULER, PIO_BDF2, PIO_NEWMARK};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        static fem_case c;
        double y[FEM_SAMPLES], sum[3] = {0};
        const fem_material m = fem_material_of(PIO_HYPER_NEO_HOOKEAN, modulus);
        fem_case_begin(&c, 0.05, 3);
        fem_case_grid(&c,
                      (fem_grid){D == 2 ? PIO_QUAD4 : PIO_HEX8, D == 2 ? PIO_QUAD4 : PIO_HEX8, {4, 2, 2}, to_bar, 0.1});
        fem_case_matter(&c, &m, 1, depth);
        fem_case_motion(&c, integrators[k], 0, 0.3, 0.01);
        fem_case_clamp(&c, 0, 0);
        fem_case_load(&c, PIO_TRACTION, 0, 1, fem_case_value(&c, 40, 25, 0), 0);
        const int seen = fem_case_observe(&c, PIO_REACTION, 1);
        double *w = (double *)(uintptr_t)c.observation[seen].weight;
        for (int i = 0; i < c.n; i++)
            for (int a = 0; a < D; a++) w[i * D + a] = fem_case_on_side(&c, i, 0, 0);
        fem_case_sample(&c, seen, 3, 0, 1);
        pio_sim *sim = fem_case_create(&c, 0, 1);
        fem_case_forward(&c, sim, NULL, y);
        double *reaction = fem_case_read(sim, "reaction");
        for (int i = 0; i < c.n * D; i++) sum[i % D] += reaction[i];
        for (int a = 0; a < D; a++)
            fem_case_below("reaction of a motion - its observation, of the largest", (sum[a] - y[a]) / fabs(y[0]),
                           1e-12, 1e-5);
        free(reaction);
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
}

/* ---- what there is, and what it takes ---------------------------------------------------------------------------- */

static void fields_are_there_where_they_are_wanted_and_nowhere_else(void **unused)
{
    size_t total[8];
    (void)unused;
    for (int wanted = 0; wanted < 8; wanted++) {
        static fem_case c;
        pio_engine_bytes bytes;
        piola_error error;
        clamped(&c);
        c.fem.stress_places = wanted;
        pio_sim *sim = fem_case_solve(&c);
        for (int p = 0; p < 3; p++) {
            char name[96];
            snprintf(name, sizeof name, "von_mises%s", places[p]);
            assert_int_equal(piola_engine_fem.components(sim, name), wanted >> p & 1);
            snprintf(name, sizeof name, "green_strain%s", places[p]);
            assert_int_equal(piola_engine_fem.components(sim, name), 9 * (wanted >> p & 1));
        }
        assert_int_equal(piola_engine_fem.components(sim, "von_mises_"), 0);
        assert_int_equal(piola_engine_fem.components(sim, "reaction"), D);
        if (piola_engine_fem.measure(&c.desc, &bytes, &error)) fail_msg("measure: %s", error.message);
        total[wanted] = bytes.total;
        piola_engine_fem.destroy(sim);
        fem_case_free(&c);
    }
    for (int wanted = 1; wanted < 8; wanted++) assert_true(total[wanted] > total[0]);
    assert_true(total[3] > total[1] && total[5] > total[1] && total[7] > total[3] && total[7] > total[5]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stretched_patch_has_the_stress_of_its_law_written_out),
        cmocka_unit_test(von_mises_measure_of_shear_is_the_closed_form),
        cmocka_unit_test(a_bar_in_tension_has_its_stress_alone),
        cmocka_unit_test(the_energy_density_integrates_to_the_strain_energy),
        cmocka_unit_test(means_around_nodes_are_those_of_their_elements),
        cmocka_unit_test(reactions_are_the_loads_with_the_other_sign),
        cmocka_unit_test(reactions_of_a_motion_are_those_that_are_observed),
        cmocka_unit_test(fields_are_there_where_they_are_wanted_and_nowhere_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
