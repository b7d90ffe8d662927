/* kernel_cases_plastic.h -- plastic particles: every plastic law among elastic ones; flow after a step. Case text. */
#ifndef PIOLA_TESTS_KERNEL_CASES_PLASTIC_H
#define PIOLA_TESTS_KERNEL_CASES_PLASTIC_H

#include "tests/kernels/base/kernel_plain.h"
#include "tests/kernels/mpm/kernel_cases_sample.h"

static const char *const yield_names[PIO_PLASTIC_CONSTANTS] = {"yield0", "yield1", "yield2"};

/* Constants of item i with this plastic law, of solids with moduli about 1e4 Pa: about half of the strains of the
 * samples flow. */
static void yield_constants(int plastic, int i, double y[PIO_PLASTIC_CONSTANTS])
{
    const double u = case_unit("yield", i), v = case_unit("second", i), w = case_unit("third", i);
    y[0] = 500 + 6000 * u;
    y[1] = 2000 * v;
    y[2] = w;
    if (plastic == PIO_DRUCKER_PRAGER) {
        y[0] = 0.1 + u;
        y[1] = i / 6 % 3 ? 4000 * v : 0; /* every sixth is such */
    }
    if (plastic == PIO_HERSCHEL_BULKLEY) {
        y[1] = 1 + 10 * v;
        y[2] = 0.4 + 1.2 * w;
    }
    if (plastic == PIO_SNOW) {
        y[0] = 0.01 + 0.2 * u;
        y[1] = 0.01 + 0.2 * v;
        y[2] = 4 * w;
    }
}

/* Particles of every plastic law, with the elastic law that it needs, and others; inputs from constant number `first`
 * on. */
static void sample_yield(case_io *io, sample *t, int first)
{
    const int n = t->n;
    int *plastic = HOST(io, int, n);
    case_array *y[PIO_PLASTIC_CONSTANTS];
    real *all = HOST(io, real, field_size(n, PIO_PLASTIC_CONSTANTS));
    for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++)
        y[c] = case_uniform(io, c < first ? CASE_CONSTANT : CASE_INPUT, yield_names[c], 1, n, 0, 1);
    for (int i = 0; i < n; i++) {
        double of[PIO_PLASTIC_CONSTANTS];
        plastic[i] = i % (PIO_PLASTIC_LAWS + 1) % PIO_PLASTIC_LAWS;
        if (plastic[i]) t->law[i] = plastic[i] == PIO_SNOW ? PIO_HYPER_FIXED_COROTATED : PIO_HYPER_HENCKY;
        yield_constants(plastic[i], i, of);
        for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) y[c]->value[i] = of[c];
    }
    for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) {
        const real *one = (const real *)case_pack(io, y[c], CASE_REAL);
        for (int i = 0; i < n; i++) all[field_at(n, PIO_PLASTIC_CONSTANTS, c, i)] = one[i];
    }
    t->matter.law = PUSH(io, int, t->law, n);
    t->matter.plasticity = PUSH(io, int, plastic, n);
    t->matter.yield = PUSH(io, real, all, field_size(n, PIO_PLASTIC_CONSTANTS));
    t->s.hardening = REALS(io, "hardening", 1, n, 0, 0.3);
    t->s.e33 = DIM == 2 ? REALS(io, "e33", 1, n, -0.1, 0.1) : NULL;
}

/* What their adjoints add to. */
static void new_yield_bars(case_io *io, int n, mpm_state *bar, real **yield_bar, case_how how)
{
    bar->hardening = NEW_FIELD(io, 1, n, how);
    bar->e33 = DIM == 2 ? NEW_FIELD(io, 1, n, how) : NULL;
    *yield_bar = NEW_FIELD(io, PIO_PLASTIC_CONSTANTS, n, CASE_ADDED);
}

static void yield_gradients(case_io *io, int n, int first, const mpm_state *bar, const real *yield_bar)
{
    case_gradient(io, "hardening", CASE_FIELD, 1, n, bar->hardening);
    if (DIM == 2) case_gradient(io, "e33", CASE_FIELD, 1, n, bar->e33);
    for (int c = first; c < PIO_PLASTIC_CONSTANTS; c++)
        case_gradient_of(io, yield_names[c], CASE_REAL, 1, n, case_components(yield_bar, PIO_PLASTIC_CONSTANTS, c));
}

/* Two constants of elasticity, 5e3 to 2e4 Pa; masses and volumes for the speed of waves; any order. */
static void sample_plastic(case_io *io, sample *t, int stiff)
{
    const int n = t->n;
    real *all = HOST(io, real, field_size(n, 2));
    memset(&t->matter, 0, sizeof t->matter);
    memset(&t->s, 0, sizeof t->s);
    memset(&t->l, 0, sizeof t->l);
    t->law = HOST(io, int, n);
    t->id = HOST(io, int, n);
    int *order = HOST(io, int, n);
    for (int i = 0; i < n; i++) {
        t->law[i] = PIO_HYPER_NEO_HOOKEAN;
        t->id[i] = (i + n / 3) % n;
        order[i] = n - 1 - i;
    }
    for (int c = 0; c < 2; c++) {
        const real *one =
            (const real *)case_pack(io, case_uniform(io, CASE_INPUT, c ? "k1" : "k0", 1, n, 5e3, 2e4), CASE_REAL);
        for (int i = 0; i < n; i++) all[field_at(n, 2, c, i)] = one[i];
    }
    t->matter.n = n;
    t->matter.constants = 2;
    t->matter.k = PUSH(io, real, all, field_size(n, 2));
    t->matter.volume = CONSTANTS(io, "volume", 1, n, 1e-6, 2e-6);
    t->matter.mass = CONSTANTS(io, "mass", 1, n, stiff ? 1e-8 : 0.1, stiff ? 2e-8 : 0.2);
    t->s.id = PUSH(io, int, t->id, n);
    t->l.order = PUSH(io, int, order, n);
    sample_yield(io, t, 0);
    sample_step(io, t);
}

/* Trial deformations, I + E with |E_ij| < 0.2; `at_rest`: some are I, which is sand's apex where it does not stick. */
static case_array *sample_trial(case_io *io, int n, int at_rest)
{
    case_array *F = case_uniform(io, CASE_INPUT, "F", DIM * DIM, n, -0.2, 0.2);
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < DIM * DIM; c++)
            if (at_rest && i / 6 % 2) F->value[c * n + i] = 0;
        for (int a = 0; a < DIM; a++) F->value[(DIM + 1) * a * n + i] += 1;
    }
    return F;
}

/* Returns the matrix of item i of an array [DIM * DIM][n]. */
static mat matrix_of(const double *x, int n, int i)
{
    mat r;
    for (int c = 0; c < DIM * DIM; c++) r.m[c / DIM][c % DIM] = R(x[c * n + i]);
    return r;
}

/* Sets that matrix. */
static void matrix_put(double *x, int n, int i, mat v)
{
    for (int c = 0; c < DIM * DIM; c++) x[c * n + i] = (double)v.m[c / DIM][c % DIM];
}

/* What mpm_plastic gives, one particle at a time, by principal directions. */
static void plain_plastic(case_io *io, int n, const mpm_plastic_args *a, const case_array *trial)
{
    double *F = HOST(io, double, DIM *DIM *n), *hardening = HOST(io, double, n), *e33 = HOST(io, double, n);
    if (!plain_compares(io)) return;
    for (int i = 0; i < n; i++) {
        const int p = a->order[i], id = a->s.id[p], law = a->matter.plasticity[id];
        const plastic_matter m = plastic_matter_of(&a->matter, id, a->step->h);
        mat of = matrix_of(trial->value, n, i);
        real h = a->s.hardening[p], third = a->s.e33 ? a->s.e33[p] : R(0);
        if (law == PIO_SNOW) snow_map(&of, &h, &m);
        if (law != PIO_SNOW && law != PIO_ELASTIC) hencky_map(law, &of, &third, &h, &m);
        matrix_put(F, n, i, of);
        hardening[i] = (double)h;
        e33[i] = (double)third;
    }
    plain_expect(io, "F", a->next.F, F, DIM * DIM, n);
    plain_expect(io, "hardening", a->next.hardening, hardening, 1, n);
    if (DIM == 2) plain_expect(io, "e33", a->next.e33, e33, 1, n);
}

/* Copies a field of `components` of n items, where a host can read it, to an array [components][n]. */
static double *field_copy(case_io *io, const real *field, int components, int n)
{
    double *copy = HOST(io, double, components *n);
    for (int c = 0; plain_compares(io) && c < components; c++)
        for (int i = 0; i < n; i++) copy[c * n + i] = (double)field[field_at(n, components, c, i)];
    return copy;
}

/* What mpm_plastic_adj gives, likewise. Before its launch next_bar has the cotangent of F, [DIM * DIM][n], and k and y
 * those of constants, [2][n] and [PIO_PLASTIC_CONSTANTS][n]; b is as after it. */
static void plain_plastic_adj(case_io *io, int n, const mpm_plastic_adj_args *b, const case_array *trial,
                              const double *next_bar, double *k, double *y)
{
    const mpm_plastic_args *a = &b->fwd;
    const double bound = 5 * PLAIN_BOUND; /* of strains about 0.2, which have the roundings of 1 */
    double *F = HOST(io, double, DIM *DIM *n), *hardening = HOST(io, double, n), *e33 = HOST(io, double, n);
    if (!plain_compares(io)) return;
    for (int i = 0; i < n; i++) {
        const int p = a->order[i], id = a->s.id[p], law = a->matter.plasticity[id];
        const plastic_matter m = plastic_matter_of(&a->matter, id, a->step->h);
        plastic_matter m_bar = plastic_matter_zero();
        plastic_strain x, x_bar;
        x.F = matrix_of(trial->value, n, i);
        x.a = a->s.hardening[p];
        x.third = a->s.e33 ? a->s.e33[p] : R(0);
        x_bar.F = matrix_of(next_bar, n, i);
        x_bar.a = b->next_bar.hardening[i];
        x_bar.third = b->next_bar.e33 ? b->next_bar.e33[i] : R(0);
        if (law == PIO_SNOW) snow_map_adj(x.F, &m, &x_bar.F, x_bar.a, &m_bar);
        if (law != PIO_SNOW && law != PIO_ELASTIC) hencky_map_adj(law, x, &m, &x_bar, &m_bar);
        matrix_put(F, n, i, x_bar.F);
        hardening[p] = (double)x_bar.a;
        e33[p] = (double)x_bar.third;
        k[id] += (double)m_bar.mu;
        k[n + id] += (double)m_bar.lambda;
        for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++) y[c * n + id] += (double)m_bar.y[c];
    }
    plain_expect_within(io, bound, "cotangents of F", b->next_bar.F, F, DIM * DIM, n);
    plain_expect_within(io, bound, "cotangents of hardening", b->bar.hardening, hardening, 1, n);
    if (DIM == 2) plain_expect_within(io, bound, "cotangents of e33", b->bar.e33, e33, 1, n);
    plain_expect_within(io, bound, "cotangents of mu and lambda", b->k_bar, k, 2, n);
    plain_expect_within(io, bound, "cotangents of plastic constants", b->yield_bar, y, PIO_PLASTIC_CONSTANTS, n);
}

static void plastic_adjoint(case_io *io, const sample *t, const mpm_plastic_args *a, const case_array *F)
{
    mpm_plastic_adj_args b;
    b.fwd = *a;
    b.fwd.next.F = (real *)case_upload(io, F, CASE_FIELD); /* the trial one again */
    memset(&b.next_bar, 0, sizeof b.next_bar);
    memset(&b.bar, 0, sizeof b.bar);
    b.next_bar.F = FIELD_COTANGENT(io, "next F");
    b.next_bar.hardening = FIELD_COTANGENT(io, "next hardening");
    b.next_bar.e33 = DIM == 2 ? FIELD_COTANGENT(io, "next e33") : NULL;
    b.k_bar = NEW_FIELD(io, 2, t->n, CASE_ADDED);
    new_yield_bars(io, t->n, &b.bar, &b.yield_bar, CASE_SET);
    const double *next_bar = field_copy(io, b.next_bar.F, DIM * DIM, t->n);
    double *k = field_copy(io, b.k_bar, 2, t->n), *y = field_copy(io, b.yield_bar, PIO_PLASTIC_CONSTANTS, t->n);
    LAUNCH(io, mpm_plastic_adj, plastic_teams(t->n), NULL, &b);
    plain_plastic_adj(io, t->n, &b, F, next_bar, k, y);
    case_gradient(io, "F", CASE_FIELD, DIM * DIM, t->n, b.next_bar.F);
    for (int c = 0; c < 2; c++)
        case_gradient_of(io, c ? "k1" : "k0", CASE_REAL, 1, t->n, case_components(b.k_bar, 2, c));
    yield_gradients(io, t->n, 0, &b.bar, b.yield_bar);
}

static void case_mpm_plastic(case_io *io)
{
    static const char *const names[] = {"flow", "at rest, and too stiff", NULL};
    const int at_rest = case_variant(io, names);
    sample t;
    memset(&t, 0, sizeof t);
    t.n = case_size(io, 600);
    sample_plastic(io, &t, at_rest);
    const case_array *F = sample_trial(io, t.n, at_rest);
    if (at_rest) {
        t.s.hardening = PUSH(io, real, HOST(io, real, field_size(t.n, 1)), field_size(t.n, 1));
        if (DIM == 2) t.s.e33 = t.s.hardening;
    }
    mpm_plastic_args a;
    a.s = t.s;
    a.matter = t.matter;
    a.order = t.l.order;
    a.step = t.step;
    a.inv_dx = R(1 / 0.0437);
    memset(&a.next, 0, sizeof a.next);
    a.next.F = (real *)case_upload(io, F, CASE_FIELD);
    a.next.hardening = NEW_FIELD(io, 1, t.n, CASE_SET);
    a.next.e33 = DIM == 2 ? NEW_FIELD(io, 1, t.n, CASE_SET) : NULL;
    uint64_t *near = HOST(io, uint64_t, 1);
    a.near = PUSH(io, uint64_t, near, 1);
    LAUNCH(io, mpm_plastic, plastic_teams(t.n), NULL, &a);
    plain_plastic(io, t.n, &a, F);
    case_out(io, "next F", CASE_FIELD, DIM * DIM, t.n, a.next.F);
    case_out(io, "next hardening", CASE_FIELD, 1, t.n, a.next.hardening);
    if (DIM == 2) case_out(io, "next e33", CASE_FIELD, 1, t.n, a.next.e33);
    case_out(io, "near", CASE_INT64, 1, 1, a.near);
    case_out(io, "fault", CASE_INT64, 1, 1, &t.step->fault);
    const double fault = case_find(io, CASE_OUTPUT, "fault")->value[0];
    case_expect(io, at_rest == (case_find(io, CASE_OUTPUT, "near")->value[0] > 0), "what lies on a apex is counted");
    case_expect(io, at_rest ? (int)((int64_t)fault & 15) == FAULT_HARDENED : fault < 0,
                "a fault of its kind where snow is too stiff, and only there");
    if (at_rest || !case_adjoint(io)) return;
    plastic_adjoint(io, &t, &a, F);
}
#define case_mpm_plastic_adj case_mpm_plastic

static void case_mpm_plastic_check(case_io *io)
{
    static const char *const names[] = {"in range", "out of range", NULL};
    const int bad = case_variant(io, names);
    sample t;
    memset(&t, 0, sizeof t);
    t.n = case_size(io, 600);
    sample_plastic(io, &t, 0);
    mpm_plastic_check_args a;
    a.matter = t.matter;
    if (bad) a.matter.yield = CONSTANTS(io, "bad", PIO_PLASTIC_CONSTANTS, t.n, -1, 3);
    a.step = t.step;
    LAUNCH(io, mpm_plastic_check, t.n, NULL, &a);
    case_out(io, "fault", CASE_INT64, 1, 1, &t.step->fault);
    const double fault = case_find(io, CASE_OUTPUT, "fault")->value[0];
    case_expect(io, bad ? (int)((int64_t)fault & 15) == FAULT_PLASTIC_CONSTANT : fault < 0,
                "a fault of its kind where constants are out of range, and only there");
}

#endif
