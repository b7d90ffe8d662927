/* fem_known.c -- see fem_known.h. */
#include "tests/solvers/fem/fem_known.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { D = FEM_DIM, MOST_POINTS = D == 3 ? FEM_GAUSS * FEM_GAUSS * FEM_GAUSS : FEM_GAUSS * FEM_GAUSS };

static const double pi = 3.14159265358979323846;

static void *numbers(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) fail_msg("the test ran out of memory");
    return memory;
}

/* ---- the law ------------------------------------------------------------------------------------------------- */

double fem_known_mu(const fem_known *k)
{
    return k->E / (2 * (1 + k->nu));
}

double fem_known_lambda(const fem_known *k)
{
    return 2 * fem_known_mu(k) * k->nu / (1 - 2 * k->nu);
}

/* C : H of the linear law, or P(I + H) = mu (F - F^-T) + lambda ln J F^-T */
static mat stress(pio_hyper_law law, double mu, double lambda, mat H)
{
    mat P, F = H;
    double trace = 0;
    for (int i = 0; i < D; i++) {
        trace += H.m[i][i];
        F.m[i][i] += 1;
    }
    const mat cof = mat_cofactor(F);
    const double J = mat_det(F, cof);
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++)
            P.m[i][j] = law == PIO_HYPER_LINEAR ? mu * (H.m[i][j] + H.m[j][i]) + (i == j ? lambda * trace : 0)
                                                : mu * F.m[i][j] + (lambda * log(J) - mu) * cof.m[i][j] / J;
    return P;
}

/* ---- quadrature ---------------------------------------------------------------------------------------------- */

/* Gauss-Legendre on [0, 1], by Newton's method on the Legendre polynomial. */
static void gauss(int n, double *x, double *w)
{
    for (int i = 0; i < n; i++) {
        double z = cos(pi * (i + 0.75) / (n + 0.5)), slope = 1;
        for (int k = 0; k < 30; k++) {
            double p = 1, before = 0;
            for (int j = 1; j <= n; j++) {
                const double older = before;
                before = p;
                p = ((2 * j - 1) * z * before - (j - 1) * older) / j;
            }
            slope = n * (z * p - before) / (z * z - 1);
            z -= p / slope;
        }
        x[i] = (1 + z) / 2;
        w[i] = 1 / ((1 - z * z) * slope * slope);
    }
}

typedef struct {
    int type, nodes, points;
    double w[MOST_POINTS];
    fem_shape shape[MOST_POINTS][ELEMENT_NODES];
} rule;

static void make_rule(rule *r, pio_element_type type, int per_axis)
{
    double x[FEM_GAUSS], w[FEM_GAUSS];
    gauss(per_axis, x, w);
    r->type = (int)type;
    r->nodes = mesh_nodes_of[type];
    r->points = per_axis * per_axis * (D == 3 ? per_axis : 1);
    for (int q = 0; q < r->points; q++) {
        double xi[3] = {0}, left = 1;
        r->w[q] = 1;
        for (int c = 0, at = q; c < D; c++, at /= per_axis) {
            r->w[q] *= w[at % per_axis] * (mesh_is_simplex(type) ? left : 2);
            xi[c] = mesh_is_simplex(type) ? left * x[at % per_axis] : 2 * x[at % per_axis] - 1;
            left -= mesh_is_simplex(type) ? xi[c] : 0;
        }
        for (int a = 0; a < r->nodes; a++) r->shape[q][a] = element_shape((int)type, a, xi);
    }
}

typedef struct {
    double X[D], volume;
    double g[ELEMENT_NODES][D]; /* grad_X N_a */
} place;

static void place_at(const rule *r, int q, const int32_t *node, const double *rest, place *p)
{
    mat J = mat_diag(0);
    memset(p, 0, sizeof *p);
    for (int a = 0; a < r->nodes; a++)
        for (int i = 0; i < D; i++) {
            p->X[i] += r->shape[q][a].N * rest[D * node[a] + i];
            for (int j = 0; j < D; j++) J.m[i][j] += rest[D * node[a] + i] * r->shape[q][a].d[j];
        }
    const mat cof = mat_cofactor(J);
    const double det = mat_det(J, cof);
    p->volume = r->w[q] * det;
    for (int a = 0; a < r->nodes; a++)
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++) p->g[a][i] += cof.m[i][j] * r->shape[q][a].d[j] / det;
}

int fem_known_points(pio_element_type type)
{
    return type == PIO_TET4 ? 3 : FEM_GAUSS;
}

/* ---- integrals ----------------------------------------------------------------------------------------------- */

static void forces(const fem_known *k, const fem_case *c, int points, double *f)
{
    static rule r;
    make_rule(&r, c->block[0].type, points);
    memset(f, 0, sizeof *f * (size_t)(c->n * D));
    for (int e = 0; e < c->elements; e++)
        for (int q = 0; q < r.points; q++) {
            const int32_t *node = c->block[0].nodes + e * r.nodes;
            double u[D];
            place p;
            mat H;
            place_at(&r, q, node, c->rest, &p);
            k->at(k, p.X, u, &H);
            const mat P = stress(k->law, fem_known_mu(k), k->lambda_factor * fem_known_lambda(k), H);
            for (int a = 0; a < r.nodes; a++)
                for (int i = 0; i < D; i++)
                    for (int j = 0; j < D; j++) f[D * node[a] + i] += p.volume * P.m[i][j] * p.g[a][j];
        }
}

static void interpolate(const fem_known *k, const fem_case *c, double *u)
{
    for (int i = 0; i < c->n; i++) {
        mat H;
        k->at(k, c->rest + D * i, u + D * i, &H);
    }
}

static fem_norms distance(const fem_known *k, const fem_case *c, const double *v)
{
    static rule r;
    fem_norms n = {0};
    make_rule(&r, c->block[0].type, fem_known_points(c->block[0].type));
    for (int e = 0; e < c->elements; e++)
        for (int q = 0; q < r.points; q++) {
            const int32_t *node = c->block[0].nodes + e * r.nodes;
            double u[D];
            place p;
            mat H;
            place_at(&r, q, node, c->rest, &p);
            k->at(k, p.X, u, &H);
            for (int a = 0; a < r.nodes; a++)
                for (int i = 0; i < D; i++) {
                    u[i] -= r.shape[q][a].N * v[D * node[a] + i];
                    for (int j = 0; j < D; j++) H.m[i][j] -= p.g[a][j] * v[D * node[a] + i];
                }
            for (int i = 0; i < D; i++) n.l2 += p.volume * u[i] * u[i];
            n.h1 += p.volume * mat_ddot(H, H);
            n.energy += p.volume * mat_ddot(H, stress(PIO_HYPER_LINEAR, fem_known_mu(k), fem_known_lambda(k), H));
        }
    return (fem_norms){sqrt(n.l2), sqrt(n.h1), sqrt(n.energy)};
}

/* ---- the engine ---------------------------------------------------------------------------------------------- */

static void hold(const fem_known *k, fem_case *c)
{
    for (int l = 0; l < c->lines[0] * c->lines[1] * c->lines[2]; l++) {
        const int at[3] = {l % c->lines[0], l / c->lines[0] % c->lines[1], l / (c->lines[0] * c->lines[1])};
        const int node = c->node_at[l];
        int border = at[0] == 0;
        if (node < 0) continue;
        for (int a = 1; a < D; a++) border = border || at[a] == 0 || at[a] == c->lines[a] - 1;
        if (!border) continue;
        double u[D];
        mat H;
        k->at(k, c->rest + D * node, u, &H);
        for (int i = 0; i < D; i++) fem_case_hold(c, node, i, fem_case_support(c, u[i], 1));
    }
}

static void solve(fem_case *c, const double *f, double *u)
{
    pio_load_desc *load = numbers((size_t)c->n, sizeof *load);
    int32_t *node = numbers((size_t)c->n, sizeof *node), owner = 0;
    double(*value)[3] = numbers((size_t)c->n, sizeof *value);
    piola_error error;
    pio_sim *sim = NULL;
    fem_case_describe(c, 0, 1);
    for (int i = 0; i < c->n; i++) {
        node[i] = i;
        memcpy(value[i], f + D * i, sizeof *f * D);
        load[i] = (pio_load_desc){.kind = PIO_TRACTION, .type = PIO_POINT1, .n = 1, .scale = 1};
        load[i].vertices = node + i;
        load[i].owner = &owner;
        load[i].value = i;
        load[i].curve = 1;
    }
    c->fem.loads = load;
    c->fem.values = value[0];
    c->fem.n_loads = c->fem.n_values = c->n;
    if (piola_engine_fem.create(&c->desc, &sim, NULL, &error)) fail_msg("create: %s", error.message);
    fem_case_forward(c, sim, NULL, NULL);
    double *read = fem_case_read(sim, "displacement");
    memcpy(u, read, sizeof *u * (size_t)(c->n * D));
    free(read);
    piola_engine_fem.destroy(sim);
    free(load);
    free(node);
    free(value);
}

fem_distance fem_known_run(const fem_known *k, fem_grid grid, int points)
{
    static fem_case c;
    const fem_material m = {.law = k->law, .parameters = {k->E, k->nu}, .density = 1};
    fem_distance d;
    fem_case_begin(&c, 1.0 / k->steps, k->steps);
    c.fem.linear = k->linear;
    if (k->tolerance > 0) c.fem.newton_tolerance = k->tolerance;
    c.fem.direct_memory = 1e9;
    assert_int_equal(fem_case_curve(&c, 2, (double[]){0, 1}, (double[]){0, 1}), 1);
    fem_case_grid(&c, grid);
    fem_case_matter(&c, &m, 1, 1);
    c.block[0].dilatation = k->dilatation;
    hold(k, &c);
    const size_t n = (size_t)(c.n * D);
    double *f = numbers(n, sizeof *f), *u = numbers(n, sizeof *u), *zero = numbers(n, sizeof *zero);
    forces(k, &c, points, f);
    solve(&c, f, u);
    const double all = distance(k, &c, zero).energy;
    d.lost = all * all;
    for (size_t i = 0; i < n; i++) d.lost -= f[i] * u[i];
    d.error = distance(k, &c, u);
    interpolate(k, &c, u);
    d.interpolant = distance(k, &c, u);
    free(f);
    free(u);
    free(zero);
    fem_case_free(&c);
    return d;
}
