/* fem_inertia.h -- inertia and Rayleigh damping of elements, and the rates that follow from displacements, each with
 * its adjoint.
 *
 *     consistent  M_ab = sum_q V rho N_a N_b
 *     lumped      m_a = rho V_e S_a/sum_b S_b,  S_a = sum_q V N_a^2,  V_e = sum_q V
 *     damping     C v = alpha M v + beta K0 v,  K0 the stiffness at rest: that of linear elasticity, whatever the law
 *
 * Lumping is that of Hinton, Rock and Zienkiewicz (1976). */
#ifndef PIOLA_KERNELS_FEM_INERTIA_H
#define PIOLA_KERNELS_FEM_INERTIA_H

#include "kernels/fem/fem_dilatation.h"
#include "kernels/fem/fem_inertia_args.h"
#include "kernels/fem/fem_load.h"
#include "kernels/material/hyperelastic_rest.h"

/* ---- masses ------------------------------------------------------------------------------------------------ */

/* What lumping needs of an element, for density 1. */
typedef struct {
    real S[ELEMENT_NODES], sum, volume; /* S_a, sum_b S_b, V_e; m^3 */
} fem_lump;

/* Returns S_a, their sum and V_e of element i of the block, what its lumped masses m_a = rho V_e S_a/sum_b S_b are
 * made of (Hinton, Rock and Zienkiewicz 1976). */
PIO_FN fem_lump fem_lump_of(const fem_block *b, int i)
{
    const int nodes = b->rule.nodes;
    fem_lump l;
    l.sum = l.volume = R(0);
    for (int n = 0; n < nodes; n++) l.S[n] = R(0);
    for (int q = 0; q < b->rule.points; q++) {
        const real V = fem_point_at(b, i, q).volume;
        l.volume += V;
        for (int n = 0; n < nodes; n++) {
            const real N = b->rule.N[q * nodes + n];
            l.S[n] += V * N * N;
            l.sum += V * N * N;
        }
    }
    return l;
}

/* Sets the nodal forces of element i of the block: M x by quadrature, or with the lumped masses. */
PIO_FN void fem_inertia(int i, const fem_inertia_args *a)
{
    const int nodes = a->b.rule.nodes, e = a->b.first + i, *node = a->b.node + (ptrdiff_t)i * nodes;
    const real rho = a->density[e] * (a->factor ? a->factor[e] : R(1));
    real *f = a->out + ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    if (a->lumped) {
        const fem_lump l = fem_lump_of(&a->b, i);
        for (int n = 0; n < nodes; n++) {
            const vec x = point_load(a->x, node[n]);
            for (int c = 0; c < DIM; c++) f[n * DIM + c] = rho * l.volume * (l.S[n] / l.sum) * x.x[c];
        }
        return;
    }
    for (int c = 0; c < nodes * DIM; c++) f[c] = R(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        const vec X = vec_scale(rho * fem_point_at(&a->b, i, q).volume, fem_value(&a->b, i, q, a->x));
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++) f[n * DIM + c] += a->b.rule.N[q * nodes + n] * X.x[c];
    }
}

/* Returns dL/dV_q of quadrature point q of element i, for L = y . M x of density 1, by the formulas of
 * fem_inertia_adj_args. The lumping l is read where masses are lumped. */
PIO_FN real fem_inertia_slope(const fem_inertia_adj_args *s, int i, int q, const fem_lump *l)
{
    const fem_block *b = &s->fwd.b;
    const int nodes = b->rule.nodes, *node = b->node + (ptrdiff_t)i * nodes;
    if (!s->fwd.lumped) return vec_dot(fem_value(b, i, q, s->y), fem_value(b, i, q, s->fwd.x));
    real squares = R(0), slope = R(0);
    for (int n = 0; n < nodes; n++) squares += b->rule.N[q * nodes + n] * b->rule.N[q * nodes + n];
    for (int n = 0; n < nodes; n++) {
        const real N = b->rule.N[q * nodes + n], fraction = l->S[n] / l->sum;
        slope += vec_dot(point_load(s->y, node[n]), point_load(s->fwd.x, node[n])) *
                 (fraction + l->volume / l->sum * (N * N - fraction * squares));
    }
    return slope;
}

/* Sets the cotangents of x and of the rest positions at element i's nodes, and adds those of its parameters. M is
 * symmetric, so that x_bar is fem_inertia of y. */
PIO_FN void fem_inertia_adj(int i, const fem_inertia_adj_args *s)
{
    const fem_inertia_args *a = &s->fwd;
    const int nodes = a->b.rule.nodes, e = a->b.first + i;
    const ptrdiff_t at = ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    const real factor = a->factor ? a->factor[e] : R(1), rho = a->density[e] * factor;
    fem_inertia_args transposed = *a;
    transposed.x = s->y;
    transposed.out = s->x_bar;
    fem_inertia(i, &transposed);
    if (!s->rest_bar) return;
    fem_lump l;
    real L = R(0);
    l.sum = l.volume = R(0);
    if (a->lumped) l = fem_lump_of(&a->b, i);
    for (int c = 0; c < nodes * DIM; c++) s->rest_bar[at + c] = R(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const real contribution = p.volume * fem_inertia_slope(s, i, q, &l);
        L += contribution;
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++)
                s->rest_bar[at + n * DIM + c] += rho * contribution * fem_volume_slope(&p, n, c);
    }
    s->density_bar[e] += factor * L;
    if (s->factor_bar) s->factor_bar[e] += a->density[e] * L;
    if (s->thick_bar) s->thick_bar[e] += rho * L / a->b.thick[e];
}

/* ---- the matrix: node pairs += (ca + cv alpha) M_ab I + cv beta K0_ab -------------------------------- */

/* Adds to the element matrix of element i the mass and the damping that is proportional to mass. */
PIO_FN void fem_mass_matrix(int i, const fem_mass_matrix_args *a)
{
    const int nodes = a->b.rule.nodes, e = a->b.first + i;
    const real scale = a->density[e] * (R(a->ca) + R(a->cv) * (a->alpha ? a->alpha[e] : R(0)));
    real *out = a->out + ((ptrdiff_t)a->first_node_pair + (ptrdiff_t)i * a->node_pairs) * (DIM * DIM);
    fem_lump l;
    if (a->lumped) l = fem_lump_of(&a->b, i);
    for (int j = 0; j < a->node_pairs; j++) {
        const int n = a->node_pair[j] >> 8, o = a->node_pair[j] & 255;
        if (a->lumped && n == o)
            for (int c = 0; c < DIM; c++)
                out[(ptrdiff_t)j * DIM * DIM + c * DIM + c] += scale * l.volume * (l.S[n] / l.sum);
    }
    for (int q = 0; q < a->b.rule.points && !a->lumped; q++) {
        const real V = scale * fem_point_at(&a->b, i, q).volume;
        const real *N = a->b.rule.N + q * nodes;
        for (int j = 0; j < a->node_pairs; j++)
            for (int c = 0; c < DIM; c++)
                out[(ptrdiff_t)j * DIM * DIM + c * DIM + c] += V * N[a->node_pair[j] >> 8] * N[a->node_pair[j] & 255];
    }
}

/* Adds to the element matrix of element i what its projected dilatation resists, of stiffness lambda + 2 mu/DIM, or
 * where its difference from that of F is held (dilatation.h), of stiffness lambda: with B_ma = (1/d_m) sum_q V phi_m
 * g_a,   K_ab += stiffness sum_m d_m B_ma B_mb^T. */
PIO_FN void fem_damping_dilatation(int i, const fem_damping_matrix_args *a, real mu, real lambda, real *out)
{
    const int nodes = a->b.rule.nodes;
    const fem_dilatation t = fem_dilatation_of(&a->b, i, PIO_HYPER_LINEAR, a->b.rest); /* its functions */
    const real stiffness = element_is_held[a->b.rule.type] ? lambda : lambda + R(2) * mu / R(DIM);
    real B[ELEMENT_NODES][DIM];
    for (int m = 0; m < a->b.dilatations; m++) {
        pack d = t.gram.d[m];
        for (int n = 0; n < nodes; n++)
            for (int c = 0; c < DIM; c++) B[n][c] = R(0);
        for (int q = 0; q < a->b.rule.points; q++) {
            const fem_point p = fem_point_at(&a->b, i, q);
            pack phi[DILATATION_FUNCTIONS];
            fem_gram_functions(&t.gram, &a->b.rule, q, phi);
            for (int n = 0; n < nodes; n++)
                for (int c = 0; c < DIM; c++) B[n][c] += p.volume * pack_lanes(&phi[m])[0] * p.g[n][c];
        }
        const real K = stiffness / pack_lanes(&d)[0];
        for (int j = 0; j < a->node_pairs; j++)
            for (int c = 0; c < DIM * DIM; c++)
                out[(ptrdiff_t)j * DIM * DIM + c] +=
                    K * B[a->node_pair[j] >> 8][c / DIM] * B[a->node_pair[j] & 255][c % DIM];
    }
}

/* Adds to the element matrix of element i the damping that is proportional to the stiffness at rest. Where the
 * dilatation is projected, the strain is that without its trace, and the dilatation comes with what it is projected
 * to. */
PIO_FN void fem_damping_matrix(int i, const fem_damping_matrix_args *a)
{
    const hyper_constants k = fem_constants_of(&a->m, a->b.first + i);
    real *out = a->out + ((ptrdiff_t)a->first_node_pair + (ptrdiff_t)i * a->node_pairs) * (DIM * DIM);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        const real mu = R(a->cv) * p.volume * k.k[0];
        const real lambda = !a->b.dilatations                 ? R(a->cv) * p.volume * k.k[1]
                            : element_is_held[a->b.rule.type] ? R(0)
                                                              : R(-2) * mu / R(DIM);
        for (int j = 0; j < a->node_pairs; j++) {
            const int n = a->node_pair[j] >> 8, o = a->node_pair[j] & 255;
            const real *ga = p.g[n], *gb = p.g[o];
            real *K = out + (ptrdiff_t)j * DIM * DIM, along = R(0);
            for (int c = 0; c < DIM; c++) along += ga[c] * gb[c];
            for (int c = 0; c < DIM; c++)
                for (int d = 0; d < DIM; d++)
                    K[c * DIM + d] += mu * ((c == d ? along : R(0)) + gb[c] * ga[d]) +
                                      lambda * fem_volume_slope(&p, n, c) * fem_volume_slope(&p, o, d);
            if (DIM == 2) K[0] += R(2) * mu * fem_third_slope(&p, n) * fem_third_slope(&p, o);
        }
    }
    if (a->b.dilatations) fem_damping_dilatation(i, a, R(a->cv) * k.k[0], R(a->cv) * k.k[1], out);
}

/* ---- moduli of damping: beta times those at rest ----------------------------------------------------------- */

/* Sets at the nodes of element i the force of a strain of 1 in every direction, sum_q V (2 mu + |lambda|) |g_a| with
 * the moduli at rest, in N and the same for all components; 0 of the linear law (hyper_diagonal). */
PIO_FN void fem_rigidity(int i, const fem_rigidity_args *a)
{
    const int nodes = a->b.rule.nodes, e = a->b.first + i;
    real *f = a->out + ((ptrdiff_t)a->b.first_element_node + (ptrdiff_t)i * nodes) * DIM;
    real mu, lambda;
    hyper_rest_moduli(a->m.law[e], fem_constants_of(&a->m, e), &mu, &lambda);
    const real size = hyper_diagonal(a->m.law[e]) * (R(2) * mu + (lambda > R(0) ? lambda : -lambda));
    for (int c = 0; c < nodes * DIM; c++) f[c] = R(0);
    for (int q = 0; q < a->b.rule.points; q++) {
        const fem_point p = fem_point_at(&a->b, i, q);
        for (int n = 0; n < nodes; n++) {
            real square = R(0);
            for (int d = 0; d < DIM; d++) square += p.g[n][d] * p.g[n][d];
            if (DIM == 2) square += fem_third_slope(&p, n) * fem_third_slope(&p, n);
            for (int c = 0; c < DIM; c++) f[n * DIM + c] += p.volume * size * sqrt(square);
        }
    }
}

/* Sets mu and lambda at rest of element e; of sheets lambda is lambda* = 2 mu lambda/(lambda + 2 mu), which the linear
 * law has among its constants (plane_stress_lambda). */
PIO_FN void fem_damping_moduli(const fem_damping_args *a, int e, real *mu, real *lambda)
{
    hyper_rest_moduli(a->m.law[e], fem_constants_of(&a->m, e), mu, lambda);
    if (DIM == 2 && a->plane == PIO_PLANE_STRESS && a->m.law[e] != PIO_HYPER_LINEAR)
        *lambda = R(2) * *mu * *lambda / (*lambda + R(2) * *mu);
}

/* Sets the moduli of damping of element e, beta mu and beta lambda with the moduli at rest, Pa s. */
PIO_FN void fem_damping(int e, const fem_damping_args *a)
{
    real mu, lambda;
    fem_damping_moduli(a, e, &mu, &lambda);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++)
        a->out[field_at(a->m.elements, PIO_LAW_CONSTANTS, c, e)] = a->beta[e] * (c == 0 ? mu : c == 1 ? lambda : R(0));
}

/* Adds the cotangents of beta and of the constants of element e. */
PIO_FN void fem_damping_adj(int e, const fem_damping_adj_args *s)
{
    const fem_damping_args *a = &s->fwd;
    const int n = a->m.elements;
    real mu_bar = s->out_bar[field_at(n, PIO_LAW_CONSTANTS, 0, e)];
    real lambda_bar = s->out_bar[field_at(n, PIO_LAW_CONSTANTS, 1, e)];
    const hyper_constants k = fem_constants_of(&a->m, e);
    hyper_constants k_bar;
    real mu, lambda;
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) k_bar.k[c] = R(0);
    fem_damping_moduli(a, e, &mu, &lambda);
    s->beta_bar[e] += mu * mu_bar + lambda * lambda_bar;
    if (DIM == 2 && a->plane == PIO_PLANE_STRESS && a->m.law[e] != PIO_HYPER_LINEAR) {
        const real s_ = lambda / mu; /* lambda* by mu: 2 lambda^2/(lambda + 2 mu)^2; by lambda: 4 mu^2/(...)^2 */
        const real by_mu = R(0.5) * s_ * s_, by_lambda = (R(1) - R(0.5) * s_) * (R(1) - R(0.5) * s_);
        mu_bar += by_mu * lambda_bar;
        lambda_bar *= by_lambda;
    }
    hyper_rest_moduli_adj(a->m.law[e], k, a->beta[e] * mu_bar, a->beta[e] * lambda_bar, &k_bar);
    for (int c = 0; c < PIO_LAW_CONSTANTS; c++) s->k_bar[field_at(n, PIO_LAW_CONSTANTS, c, e)] += k_bar.k[c];
}

/* ---- rates at the end of a span, linear in its displacement and in the history -----------------------------
 *
 * Where an unknown is constrained, Newmark's recurrence would receive its own rates again: with u1 = u0 it gives
 * v1 = -v0 and a1 = -a0 - 4 v0/h, a double root of -1, so that they oscillate and grow without bound. Constrained
 * unknowns have rates of their own, which backward Euler's formula gives for the prescribed displacement:
 * v1 = (u1 - u0)/h, a1 = (v1 - v0)/h (Hairer, Norsett and Wanner 1993, III.1, the formula of one step). For a path that
 * is linear between instants at which spans end, v1 is exact, and the sum of h a1 is the jump of the velocity at such
 * an instant, all of it in the span that follows; without motion v1 is 0 after one span and a1 after two. For a smooth
 * path they are late, v1 by h/2 and a1 by h. */

/* Returns the rate of one component: the sum of coefficients times terms. */
PIO_FN real fem_rate_of(const fem_rate *r, real d, real p, real v, real a, real w)
{
    return R(r->d) * d + R(r->p) * p + R(r->v) * v + R(r->a) * a + R(r->w) * w;
}

/* Sets velocity and acceleration of a node at the end of a span, each by fem_rate_of, with the coefficients of
 * constrained components where they are constrained. */
PIO_FN void fem_rates(int i, const fem_rates_args *s)
{
    const vec u = point_load(s->u, i), d = vec_axpby(R(1), point_load(s->u1, i), R(-1), u);
    const vec p = s->past ? vec_axpby(R(1), u, R(-1), point_load(s->past, i)) : vec_zero();
    const vec v = point_load(s->vel, i), a = s->acc ? point_load(s->acc, i) : vec_zero();
    const vec w = s->rate ? point_load(s->rate, i) : vec_zero();
    vec v1, a1;
    for (int c = 0; c < DIM; c++) {
        const int constrained = s->constrained[i] >> c & 1;
        v1.x[c] = fem_rate_of(constrained ? &s->r.constrained_v : &s->r.v, d.x[c], p.x[c], v.x[c], a.x[c], w.x[c]);
        a1.x[c] = fem_rate_of(constrained ? &s->r.constrained_a : &s->r.a, d.x[c], p.x[c], v.x[c], a.x[c], w.x[c]);
    }
    point_store(s->v1, i, v1);
    point_store(s->a1, i, a1);
}

/* Adds x to out[at], where there is such an array: out may be NULL. */
PIO_FN void fem_add(real *out, ptrdiff_t at, real x)
{
    if (out) out[at] += x;
}

/* Adds the cotangents of a node's displacements and rates: the transpose of fem_rates, which is linear. */
PIO_FN void fem_rates_adj(int i, const fem_rates_adj_args *s)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        const int constrained = s->constrained[i] >> c & 1;
        const fem_rate *rv = constrained ? &s->r.constrained_v : &s->r.v,
                       *ra = constrained ? &s->r.constrained_a : &s->r.a;
        const real v = s->v1_bar[at], a = s->a1_bar ? s->a1_bar[at] : R(0);
        fem_add(s->u1_bar, at, R(rv->d) * v + R(ra->d) * a);
        fem_add(s->u_bar, at, R(rv->p - rv->d) * v + R(ra->p - ra->d) * a);
        fem_add(s->vel_bar, at, R(rv->v) * v + R(ra->v) * a);
        fem_add(s->acc_bar, at, R(rv->a) * v + R(ra->a) * a);
        fem_add(s->past_bar, at, R(-rv->p) * v + R(-ra->p) * a);
        fem_add(s->rate_bar, at, R(rv->w) * v + R(ra->w) * a);
    }
}

/* ---- the explicit step -------------------------------------------------------------------------------------
 *
 *     v1 = v0 + kick f/m,  u1 = u0 + h v1  where free;    u1 = target,  v1 = (u1 - u0)/h  where constrained */

/* Moves a node by one explicit step; a result that is not finite is a fault. */
PIO_FN void fem_leap(int i, const fem_leap_args *a)
{
    const vec u = point_load(a->u, i), v = point_load(a->v, i), m = point_load(a->mass, i);
    const vec f = point_load(a->force, i), target = point_load(a->target, i);
    const real h = R(a->h), kick = R(a->kick);
    vec u1, v1;
    for (int c = 0; c < DIM; c++) {
        const int constrained = a->constrained[i] >> c & 1;
        v1.x[c] = constrained ? (target.x[c] - u.x[c]) / h : v.x[c] + kick * (f.x[c] / m.x[c]);
        u1.x[c] = constrained ? target.x[c] : u.x[c] + h * v1.x[c];
    }
    if (!is_finite(vec_dot(v1, v1)) || !is_finite(vec_dot(u1, u1)))
        atomic_min_u64(&a->step->fault, fem_fault_at(a->step->index, i, FEM_NOT_FINITE));
    point_store(a->u1, i, u1);
    point_store(a->v1, i, v1);
}

/* Sets the cotangents of a node's state, force and target, with v1_bar + h u1_bar the whole cotangent of v1 where
 * the node is free. */
PIO_FN void fem_leap_adj(int i, const fem_leap_adj_args *s)
{
    const fem_leap_args *a = &s->fwd;
    const vec u1_bar = point_load(s->u1_bar, i), v1_bar = point_load(s->v1_bar, i), m = point_load(a->mass, i);
    const real h = R(a->h), kick = R(a->kick);
    vec u_bar, v_bar, f_bar, t_bar;
    for (int c = 0; c < DIM; c++) {
        const int constrained = a->constrained[i] >> c & 1;
        const real total = v1_bar.x[c] + h * u1_bar.x[c]; /* of v1, where free */
        u_bar.x[c] = constrained ? -v1_bar.x[c] / h : u1_bar.x[c];
        v_bar.x[c] = constrained ? R(0) : total;
        t_bar.x[c] = constrained ? u1_bar.x[c] + v1_bar.x[c] / h : R(0);
        f_bar.x[c] = constrained ? R(0) : kick * total / m.x[c];
    }
    point_store(s->u_bar, i, u_bar);
    point_store(s->v_bar, i, v_bar);
    point_store(s->target_bar, i, t_bar);
    point_store(s->force_bar, i, f_bar);
}

/* Adds -force_bar . force/mass of a node to the cotangent of its mass, component by component. */
PIO_FN void fem_leap_mass(int i, const fem_leap_mass_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        a->mass_bar[at] -= a->force_bar[at] * a->force[at] / a->mass[at];
    }
}

/* Sets the weight m g of a node, N. */
PIO_FN void fem_node_weight(int i, const fem_node_weight_args *a)
{
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        a->out[at] = a->mass[at] * R(a->step->gravity[c]);
    }
}

/* Adds the cotangent of a node's mass, and sets its contribution to that of gravity. */
PIO_FN void fem_node_weight_adj(int i, const fem_node_weight_adj_args *s)
{
    const fem_node_weight_args *a = &s->fwd;
    for (int c = 0; c < DIM; c++) {
        const ptrdiff_t at = (ptrdiff_t)i * DIM + c;
        s->mass_bar[at] += s->out_bar[at] * R(a->step->gravity[c]);
        s->gravity_contribution[at] = s->out_bar[at] * a->mass[at];
    }
}

/* ---- the start: constrained unknowns have the values of their curves, and the rate of the first step -------- */

/* Sets displacement and velocity of constrained unknown i at time 0: its support's value times the curve's factor
 * `first`, and that value times (next - first)/h, the rate over the first step. Without a curve it stays at its
 * value. */
PIO_FN void fem_start_constrained(int i, const fem_start_constrained_args *a)
{
    const int s = a->support[i], curve = a->curve[s];
    const ptrdiff_t at = (ptrdiff_t)a->node[i] * DIM + a->axis[i];
    a->u[at] = R(a->value[s] * (curve < 0 ? W(1) : a->first[curve]));
    a->v[at] = curve < 0 ? R(0) : R(a->value[s] * (a->next[curve] - a->first[curve]) / a->h);
    if (a->next_value)
        a->v[at] = R((a->next_value[s] * (curve < 0 ? W(1) : a->next[curve]) -
                      a->value[s] * (curve < 0 ? W(1) : a->first[curve])) /
                     a->h);
}

/* Sets the contribution of constrained unknown i to the cotangent of its support's value, `first` times u_bar and
 * (next - first)/h times v_bar, and clears the cotangents of its state, which nothing else determines. */
PIO_FN void fem_start_constrained_adj(int i, const fem_start_constrained_adj_args *s)
{
    const fem_start_constrained_args *a = &s->fwd;
    const int curve = a->curve[a->support[i]];
    const ptrdiff_t at = (ptrdiff_t)a->node[i] * DIM + a->axis[i];
    const wide rate = curve < 0 ? W(0) : (a->next[curve] - a->first[curve]) / a->h;
    const real first = R(curve < 0 ? W(1) : a->first[curve]), next = R(curve < 0 ? W(1) : a->next[curve]);
    if (a->next_value) {
        s->contribution[i] = first * (s->u_bar[at] - s->v_bar[at] / R(a->h));
        s->next_contribution[i] = next * s->v_bar[at] / R(a->h);
    } else {
        s->contribution[i] = first * s->u_bar[at] + R(rate) * s->v_bar[at];
    }
    s->u_bar[at] = s->v_bar[at] = R(0);
}

#endif
