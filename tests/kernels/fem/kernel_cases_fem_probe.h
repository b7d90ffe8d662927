/* kernel_cases_fem_probe.h -- cases of fields of stress and strain over elements and at points: means, norms, largest
 * values. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_FEM_PROBE_H
#define PIOLA_TESTS_KERNEL_CASES_FEM_PROBE_H

#include "tests/kernels/fem/kernel_cases_fem_integral.h"

/* In 2D every second linear element is in plane stress, but where the dilatation is projected. */
static const int *probe_forms(case_io *io, const mesh_body *body, int projected)
{
    const int n = body->m.elements;
    int *form = HOST(io, int, n);
    for (int e = 0; e < n; e++)
        form[e] = DIM == 2 && !projected && body->law[e] == PIO_HYPER_LINEAR && e % 2 ? HYPER_PLANE_STRESS : 0;
    return PUSH(io, int, form, n);
}

/* A body of every law in elements of every type, some of them with weight 0. Von Mises' stress does not depend on bulk
 * moduli, nor strain in 3D on any constant, and what rounding leaves of that is no derivative: constants have none
 * then. Those of von Mises' stress are those of Cauchy's, and are tested by differences in test_fem_field.c. */
static fem_probe_at probe_of(case_io *io, mesh_body *body, int field, int projected, int by_constants)
{
    fem_probe_at s;
    if (projected) mesh_dilate(body);
    mesh_matter(io, body, by_constants && field != PIO_VON_MISES_STRESS ? CASE_INPUT : CASE_CONSTANT);
    s.b = body->block[0];
    s.m = body->matter;
    s.form = probe_forms(io, body, projected);
    s.u = mesh_stretched(io, &body->m);
    s.field = field;
    s.at = s.b.rule;
    s.xi = NULL;
    s.weight = integral_weights(io, body->m.elements);
    return s;
}

/* Cotangents of a body: u, rest and k, and in 2D the thickness. */
typedef struct {
    real *u, *rest;
} probe_nodes;

static probe_nodes probe_bars(case_io *io, const mesh_body *body, fem_probe_adj_args *b)
{
    const int points = body->m.points * DIM;
    probe_nodes n;
    n.u = NEW(io, real, points, CASE_ADDED);
    n.rest = NEW(io, real, points, CASE_ADDED);
    b->k_bar = NEW_FIELD(io, PIO_LAW_CONSTANTS, body->m.elements, CASE_ADDED);
    b->thick_bar = DIM == 2 ? NEW_FIELD(io, 1, body->m.elements, CASE_ADDED) : NULL;
    b->heat_bar = body->matter.heat ? NEW_FIELD(io, 1, body->m.elements, CASE_ADDED) : NULL;
    b->relative_bar = b->fwd.s.m.relative ? NEW_FIELD(io, 1, body->m.elements, CASE_ADDED) : NULL;
    b->choice_bar = b->fwd.s.m.choice ? NEW_FIELD(io, 1, body->m.elements, CASE_ADDED) : NULL;
    b->which = NULL;
    b->best = NULL;
    return n;
}

static void probe_gradients(case_io *io, const mesh_body *body, const fem_probe_adj_args *b, probe_nodes n, int field)
{
    case_gradient(io, "u", CASE_REAL, 1, body->m.points * DIM, n.u);
    case_gradient(io, "rest", CASE_REAL, 1, body->m.points * DIM, n.rest);
    if (field == PIO_VON_MISES_STRESS) return;
    case_gradient(io, "k", CASE_FIELD, PIO_LAW_CONSTANTS, body->m.elements, b->k_bar);
}

/* Sums of all numbers of the field and of the volume over elements of type t, times `scale`. */
static void probe_sums(case_io *io, const mesh_body *body, int t, fem_probe_args a, const char *name, double scale)
{
    const int count = fem_field_numbers(a.s.field);
    wide *sums = NEW(io, wide, count + 1, CASE_ADDED);
    fem_observe_add_args add;
    a.s.b = body->block[t];
    a.s.at = a.s.b.rule;
    for (int c = 0; c <= count; c++) {
        wide *sum = NEW(io, wide, 1, CASE_SET);
        a.component = c < count ? c : -1;
        LAUNCH_SUM(io, fem_probe, a.s.b.n, NULL, &a, sum);
        add.sum = sum;
        add.weight = scale;
        add.sample = sums + c;
        LAUNCH(io, fem_observe_add, 1, NULL, &add);
    }
    case_out(io, mesh_name(name, body->m.part[t].type), CASE_WIDE, 1, count + 1, sums);
}

/* The adjoint of these sums. */
static void probe_sums_adj(case_io *io, const mesh_body *body, int t, fem_probe_adj_args *b, probe_nodes n)
{
    b->fwd.s.b = body->block[t];
    b->fwd.s.at = b->fwd.s.b.rule;
    b->first = 0;
    b->count = fem_field_numbers(b->fwd.s.field);
    LAUNCH(io, fem_probe_adj, b->fwd.s.b.n, NULL, b);
    mesh_add(io, &body->m, t, b->u_bar, 1, n.u);
    mesh_add(io, &body->m, t, b->rest_bar, 1, n.rest);
}

/* The fields over elements, with a projected dilatation from 7 on, with thermal strains from 12 on, those of relative
 * densities 15 to 17, the last with a choice, of rings from 18, of sheets from 24, of both with thermal strains from 29
 * on. */
static const char *const probe_names[] = {"Cauchy's stress",
                                          "strain",
                                          "von Mises, norm",
                                          "J",
                                          "energy, norm",
                                          "principal stress, norm",
                                          "rotation",
                                          "projected stress",
                                          "projected von Mises",
                                          "projected energy",
                                          "projected principal",
                                          "projected J",
                                          "heated, Cauchy's stress",
                                          "heated, projected von Mises",
                                          "heated, projected energy",
                                          "relative density",
                                          "greyness, norm",
                                          "own fraction",
                                          DIM == 3 ? NULL : "Cauchy's stress of rings",
                                          "strain of rings",
                                          "von Mises of rings, norm",
                                          "J of rings",
                                          "energy of rings",
                                          "principal stress of rings",
                                          "Cauchy's stress of sheets",
                                          "strain of sheets",
                                          "von Mises of sheets",
                                          "J of sheets",
                                          "energy of sheets",
                                          "heated, stress of rings",
                                          "heated, energy of rings",
                                          "heated, stress of sheets",
                                          "heated, strain of sheets",
                                          "heated, energy of sheets",
                                          "heated, J of sheets",
                                          NULL};
static const int probe_fields[] = {
    PIO_CAUCHY_STRESS,          PIO_GREEN_STRAIN,     PIO_VON_MISES_STRESS, PIO_VOLUME_RATIO,     PIO_ENERGY_DENSITY,
    PIO_PRINCIPAL_STRESS,       PIO_ROTATION,         PIO_CAUCHY_STRESS,    PIO_VON_MISES_STRESS, PIO_ENERGY_DENSITY,
    PIO_PRINCIPAL_STRESS,       PIO_VOLUME_RATIO,     PIO_CAUCHY_STRESS,    PIO_VON_MISES_STRESS, PIO_ENERGY_DENSITY,
    PIO_RELATIVE_DENSITY_FIELD, PIO_GREYNESS,         PIO_OWN_FRACTION,     PIO_CAUCHY_STRESS,    PIO_GREEN_STRAIN,
    PIO_VON_MISES_STRESS,       PIO_VOLUME_RATIO,     PIO_ENERGY_DENSITY,   PIO_PRINCIPAL_STRESS, PIO_CAUCHY_STRESS,
    PIO_GREEN_STRAIN,           PIO_VON_MISES_STRESS, PIO_VOLUME_RATIO,     PIO_ENERGY_DENSITY,   PIO_CAUCHY_STRESS,
    PIO_ENERGY_DENSITY,         PIO_CAUCHY_STRESS,    PIO_GREEN_STRAIN,     PIO_ENERGY_DENSITY,   PIO_VOLUME_RATIO};

/* Every field, as a mean and as a norm. A little energy comes with it: on some constants, or on all of them, a field
 * alone does not depend, and rounding is no derivative. */
static void case_fem_probe(case_io *io)
{
    const int variant = case_variant(io, probe_names), field = probe_fields[variant];
    const int heated = (variant > 11 && variant < 15) || variant > 28, filled = variant > 14 && variant < 18;
    const int projected = variant > 6 && variant < 15 && variant != 12;
    const int sheets = (variant > 23 && variant < 29) || variant > 30;
    const int small = field == PIO_GREEN_STRAIN || field == PIO_VOLUME_RATIO || field == PIO_ROTATION || filled;
    const int norm = variant == 2 || variant == 4 || variant == 5 || variant == 16 || variant == 20;
    const double scale = small ? 1e-4 : norm ? 1e-2 : 1;
    mesh_body body = mesh_of(io, RULE_STIFFNESS, CASE_INPUT, CASE_INPUT);
    const mesh_lattice *m = &body.m;
    if (variant > 17) mesh_plane(&body, sheets ? PIO_PLANE_STRESS : PIO_AXISYMMETRIC);
    fem_probe_args a, energy;
    a.s = probe_of(io, &body, field, projected, 1);
    if (heated) mesh_heat(io, &body, CASE_INPUT);
    a.s.m.heat = body.matter.heat;
    if (filled) a.s.m.relative = REALS(io, "relative", 1, m->elements, 0.1, 0.9);
    if (field == PIO_OWN_FRACTION) a.s.m.choice = REALS(io, "choice", 1, m->elements, 0.1, 0.9);
    a.component = 0;
    a.power = norm ? 5 : 0;
    a.size = norm && !filled ? field == PIO_ENERGY_DENSITY ? 300 : 9000 : 1;
    energy = a;
    energy.s.field = PIO_ENERGY_DENSITY;
    energy.power = 0;
    for (int t = 0; t < MESH_TYPES; t++) {
        probe_sums(io, &body, t, a, "sums", 1);
        probe_sums(io, &body, t, energy, "energy", scale);
    }
    if (!case_adjoint(io)) return;
    fem_probe_adj_args b;
    b.fwd = a;
    const probe_nodes n = probe_bars(io, &body, &b);
    b.u_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.rest_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd = a;
        b.scale = 1;
        b.sums_bar = COTANGENT(io, wide, mesh_name("sums", m->part[t].type));
        probe_sums_adj(io, &body, t, &b, n);
        b.fwd = energy;
        b.scale = scale;
        b.sums_bar = COTANGENT(io, wide, mesh_name("energy", m->part[t].type));
        probe_sums_adj(io, &body, t, &b, n);
    }
    probe_gradients(io, &body, &b, n, field);
    if (b.thick_bar) case_gradient(io, "thickness", CASE_FIELD, 1, m->elements, b.thick_bar);
    if (heated) case_gradient(io, "heat", CASE_FIELD, 1, m->elements, b.heat_bar);
    if (filled) case_gradient(io, "relative", CASE_FIELD, 1, m->elements, b.relative_bar);
    if (b.choice_bar) case_gradient(io, "choice", CASE_FIELD, 1, m->elements, b.choice_bar);
}
#define case_fem_probe_adj case_fem_probe

/* The largest value of a number of each field. Thickness has no part in it. */
static void case_fem_probe_top(case_io *io)
{
    static const char *const names[] = {"Cauchy's stress",  "von Mises",           "energy",
                                        "principal stress", "projected von Mises", NULL};
    static const int fields[] = {PIO_CAUCHY_STRESS, PIO_VON_MISES_STRESS, PIO_ENERGY_DENSITY, PIO_PRINCIPAL_STRESS,
                                 PIO_VON_MISES_STRESS};
    const int variant = case_variant(io, names);
    mesh_body body = mesh_of(io, RULE_STIFFNESS, CASE_INPUT, CASE_CONSTANT);
    const mesh_lattice *m = &body.m;
    uint64_t *none = HOST(io, uint64_t, 2);
    none[0] = none[1] = UINT64_MAX;
    uint64_t *found = PUSH(io, uint64_t, none, 2);
    fem_probe_top_args a;
    a.s = probe_of(io, &body, fields[variant], variant == 4, 1);
    a.component = 0;
    a.top = NEW(io, wide, m->elements, CASE_ADDED);
    a.best = PUSH(io, int, HOST(io, int, m->elements), m->elements);
    a.key = found;
    for (int t = 0; t < MESH_TYPES; t++) {
        a.s.b = body.block[t];
        a.s.at = a.s.b.rule;
        LAUNCH(io, fem_probe_top, a.s.b.n, NULL, &a);
    }
    fem_probe_which_args which;
    which.weight = a.s.weight;
    which.top = a.top;
    which.key = found;
    which.which = found + 1;
    LAUNCH(io, fem_probe_which, m->elements, NULL, &which);
    fem_probe_top_add_args add;
    add.top = a.top;
    add.which = found + 1;
    add.weight = 0.7;
    add.sample = NEW(io, wide, 1, CASE_ADDED);
    LAUNCH(io, fem_probe_top_add, 1, NULL, &add);
    case_out(io, "element", CASE_INT64, 1, 1, found + 1);
    case_out(io, "largest", CASE_WIDE, 1, 1, add.sample);
    if (!case_adjoint(io)) return;
    fem_probe_adj_args b;
    const probe_nodes n = probe_bars(io, &body, &b);
    b.u_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.rest_bar = NEW(io, real, m->element_dofs * DIM, CASE_SET);
    b.fwd.s = a.s;
    b.fwd.component = 0;
    b.fwd.power = 0;
    b.fwd.size = 1;
    b.first = a.component;
    b.count = 1;
    b.sums_bar = COTANGENT(io, wide, "largest");
    b.scale = 0.7;
    b.which = found + 1;
    b.best = a.best;
    b.thick_bar = NULL;
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd.s.b = body.block[t];
        b.fwd.s.at = b.fwd.s.b.rule;
        LAUNCH(io, fem_probe_adj, b.fwd.s.b.n, NULL, &b);
        mesh_add(io, m, t, b.u_bar, 1, n.u);
        mesh_add(io, m, t, b.rest_bar, 1, n.rest);
    }
    probe_gradients(io, &body, &b, n, fields[variant]);
}
#define case_fem_probe_which case_fem_probe_top
#define case_fem_probe_top_add case_fem_probe_top

/* The block of one element, and the rule of one point in it. */
static void probe_one(case_io *io, const mesh_body *body, int t, int i, fem_probe_at *s)
{
    const int type = body->m.part[t].type, nodes = element_nodes[type], rdim = element_rdim[type];
    case_array *xi = case_uniform(io, CASE_CONSTANT, mesh_name("xi", type), 1, 3, 0.1, 0.3);
    fem_probe_rule_args r;
    s->b = body->block[t];
    s->b.n = 1;
    s->b.first += i;
    s->b.node += (ptrdiff_t)i * nodes;
    s->b.first_element_node += i * nodes;
    s->xi = r.xi = (real *)case_upload(io, xi, CASE_REAL);
    r.type = type;
    r.w = NEW(io, real, 1, CASE_SET);
    r.N = NEW(io, real, nodes, CASE_SET);
    r.dN = NEW(io, real, nodes * rdim, CASE_SET);
    LAUNCH(io, fem_probe_rule, 1, NULL, &r);
    s->at = s->b.rule;
    s->at.points = 1;
    s->at.w = r.w;
    s->at.N = r.N;
    s->at.dN = r.dN;
    s->weight = NULL;
}

/* Rules of many points of one type. */
static void probe_rules(case_io *io, int type)
{
    const int n = io->large ? 4500 : 12, nodes = element_nodes[type], rdim = element_rdim[type];
    fem_probe_rule_args r;
    r.type = type;
    r.xi = (real *)case_upload(io, case_uniform(io, CASE_CONSTANT, "points", 1, 3 * n, 0.05, 0.3), CASE_REAL);
    r.w = NEW(io, real, n, CASE_SET);
    r.N = NEW(io, real, n * nodes, CASE_SET);
    r.dN = NEW(io, real, n * nodes * rdim, CASE_SET);
    LAUNCH(io, fem_probe_rule, n, NULL, &r);
    case_out(io, "w", CASE_REAL, 1, n, r.w);
    case_out(io, "N", CASE_REAL, 1, n * nodes, r.N);
    case_out(io, "dN", CASE_REAL, 1, n * nodes * rdim, r.dN);
    const double *N = case_find(io, CASE_OUTPUT, "N")->value;
    double worst = 0;
    for (int q = 0; q < n; q++) {
        double sum = -1;
        for (int k = 0; k < nodes; k++) sum += N[q * nodes + k];
        worst = fmax(worst, fabs(sum));
    }
    case_expect(io, worst < 1e-6, "shape functions sum to one");
}

/* The fields at points, of 7 and 8 with a projected dilatation, of rings from 9, of sheets 11. */
static const char *const point_names[] = {"Cauchy's stress",
                                          "strain",
                                          "von Mises",
                                          "J",
                                          "energy",
                                          "principal stress",
                                          "rotation",
                                          "projected stress",
                                          "projected energy",
                                          DIM == 3 ? NULL : "Cauchy's stress of rings",
                                          "strain of rings",
                                          "Cauchy's stress of sheets",
                                          NULL};
static const int point_fields[] = {PIO_CAUCHY_STRESS,  PIO_GREEN_STRAIN,     PIO_VON_MISES_STRESS, PIO_VOLUME_RATIO,
                                   PIO_ENERGY_DENSITY, PIO_PRINCIPAL_STRESS, PIO_ROTATION,         PIO_CAUCHY_STRESS,
                                   PIO_ENERGY_DENSITY, PIO_CAUCHY_STRESS,    PIO_GREEN_STRAIN,     PIO_CAUCHY_STRESS};

/* Every field at a point of an element of every type; the elements have different laws. */
static void case_fem_probe_rule(case_io *io)
{
    const int variant = case_variant(io, point_names), projected = variant == 7 || variant == 8,
              field = point_fields[variant];
    const int count = fem_field_numbers(field);
    const int kinematic = field == PIO_GREEN_STRAIN || field == PIO_VOLUME_RATIO || field == PIO_ROTATION;
    mesh_body body = mesh_of(io, RULE_STIFFNESS, CASE_INPUT, CASE_CONSTANT);
    const mesh_lattice *m = &body.m;
    if (variant > 8) mesh_plane(&body, variant > 10 ? PIO_PLANE_STRESS : PIO_AXISYMMETRIC);
    fem_probe_args a[MESH_TYPES];
    const fem_probe_at s = probe_of(io, &body, field, projected, !kinematic || DIM == 2);
    probe_rules(io, mesh_types[DIM][variant % MESH_TYPES]);
    for (int t = 0; t < MESH_TYPES; t++) {
        wide *sums = NEW(io, wide, count, CASE_ADDED);
        fem_observe_add_args add;
        a[t].s = s;
        a[t].power = 0;
        a[t].size = 1;
        probe_one(io, &body, t, (4 * t + 1) % m->part[t].n, &a[t].s);
        for (a[t].component = 0; a[t].component < count; a[t].component++) {
            wide *sum = NEW(io, wide, 1, CASE_SET);
            LAUNCH_SUM(io, fem_probe, 1, NULL, &a[t], sum);
            add.sum = sum;
            add.weight = 1;
            add.sample = sums + a[t].component;
            LAUNCH(io, fem_observe_add, 1, NULL, &add);
        }
        case_out(io, mesh_name("at point", m->part[t].type), CASE_WIDE, 1, count, sums);
    }
    if (!case_adjoint(io)) return;
    fem_probe_adj_args b;
    const probe_nodes n = probe_bars(io, &body, &b);
    b.thick_bar = NULL;
    b.scale = 1;
    b.first = 0;
    b.count = count;
    for (int t = 0; t < MESH_TYPES; t++) {
        b.fwd = a[t];
        b.u_bar = NEW(io, real, m->element_dofs * DIM, CASE_ZERO);
        b.rest_bar = NEW(io, real, m->element_dofs * DIM, CASE_ZERO);
        b.sums_bar = COTANGENT(io, wide, mesh_name("at point", m->part[t].type));
        LAUNCH(io, fem_probe_adj, 1, NULL, &b);
        mesh_add(io, m, t, b.u_bar, 1, n.u);
        mesh_add(io, m, t, b.rest_bar, 1, n.rest);
    }
    case_gradient(io, "u", CASE_REAL, 1, m->points * DIM, n.u);
    case_gradient(io, "rest", CASE_REAL, 1, m->points * DIM, n.rest);
    if (field == PIO_VON_MISES_STRESS) return;
    if (!kinematic || DIM == 2) case_gradient(io, "k", CASE_FIELD, PIO_LAW_CONSTANTS, m->elements, b.k_bar);
}

/* Three numbers, as means and as norms. */
static void case_fem_probe_mean(case_io *io)
{
    static const char *const names[] = {"means", "norms", NULL};
    fem_probe_mean_args a;
    a.power = case_variant(io, names) ? 6 : 0;
    a.size = 40;
    a.count = 3;
    a.sums = WIDES(io, "sums", 1, a.count + 1, 0.2, 3);
    a.weight = 0.7;
    a.sample = NEW(io, wide, a.count, CASE_ADDED);
    LAUNCH(io, fem_probe_mean, 1, NULL, &a);
    case_out(io, "sample", CASE_WIDE, 1, a.count, a.sample);
    if (!case_adjoint(io)) return;
    fem_probe_mean_adj_args b;
    b.fwd = a;
    b.sample_bar = COTANGENT(io, wide, "sample");
    b.sums_bar = NEW(io, wide, a.count + 1, CASE_SET);
    LAUNCH(io, fem_probe_mean_adj, 1, NULL, &b);
    case_gradient(io, "sums", CASE_WIDE, 1, a.count + 1, b.sums_bar);
}
#define case_fem_probe_mean_adj case_fem_probe_mean

#endif
