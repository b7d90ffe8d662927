/* plasticity.h -- plastic flow of particles in the invariants of Hencky's strain, and its adjoint.
 *
 * The trial strain of a step, e_i = ln sigma_i of F = U diag(sigma) V^T, is isotropically elastic up to a limit of
 *     n = |dev e| [-],   l = e_1 + e_2 + e_3 [-]   and a [-], the internal variable,
 * and what exceeds the limit flows: (n, l, a) becomes (n', l', a'), and e' = (n'/n) dev e + l'/3 (1, 1, 1). The stress
 * is Hencky's, tau = 2 mu e + lambda l (1, 1, 1), so |dev tau| = 2 mu n, sqrt(3/2) |dev tau| = sqrt(6) mu n and
 * tr tau = 3 K l with K = lambda + 2/3 mu. The laws are those of three dimensions, in plane strain too.
 *
 *   von Mises          sqrt(6) mu n <= Y + H a,  a = equivalent plastic strain   (Simo and Hughes 1998, box 3.1;
 *                      Simo 1992)
 *                      y = (yield stress Y [Pa] > 0, hardening H [Pa] >= 0)
 *   Drucker-Prager     2 mu n <= A (3 c cot phi - tr tau), flow without change of volume (Drucker and Prager 1952).
 *                      It is the Mohr-Coulomb law in plane strain, in 2D, A = sqrt(2)/3 sin phi; and in 3D in triaxial
 *                      compression, the outer fit, A = sqrt(2/3) 2 sin phi/(3 - sin phi). No tension beyond the apex,
 *                      tr tau = 3 c cot phi (Klar et al. 2016). The volume that opens there is a >= 0, and closes first
 *                      (Tampubolon et al. 2017).
 *                      y = (friction angle phi [rad] in (0, pi/2), cohesion c [Pa] >= 0)
 *   Herschel-Bulkley   sqrt(6) mu n - Y = k (rate of a)^m, a = equivalent plastic strain, implicit   (Yue et al. 2015)
 *                      y = (yield stress Y [Pa] > 0, consistency k [Pa s^m] > 0, exponent m [-] > 0)
 *   snow               is in plasticity_map.h. a = ln Jp.
 *                      y = (critical compression [-] in [0, 1), critical stretch [-] >= 0, hardening [-] >= 0) */
#ifndef PIOLA_KERNELS_PLASTICITY_H
#define PIOLA_KERNELS_PLASTICITY_H

#include "kernels/base/series.h"
#include "kernels/material/hyperelastic_tools.h"

/* What a law depends on; or, with the same names, the cotangents of mu, lambda and y. */
typedef struct {
    real mu, lambda;               /* Pa */
    real y[PIO_PLASTIC_CONSTANTS]; /* the law's own */
    real h;                        /* time step s; no cotangent */
} plastic_matter;

/* The state that a law changes, or the cotangents of it. */
typedef struct {
    real n, l, a; /* as above */
} plastic_point;

/* Where a trial strain lies: in the elastic domain, beyond the yield surface, or beyond Drucker-Prager's apex. */
enum { FLOW_ELASTIC, FLOW_LIMIT, FLOW_APEX };

/* The branch that a trial strain takes, and its distance from the nearest change of branch, as a strain. */
typedef struct {
    int branch;  /* FLOW_... */
    real margin; /* >= 0 */
} plastic_outcome;

#define PLASTIC_ROOT_6 R(2.449489742783178)
#define PLASTIC_ROOT_3_2 R(1.224744871391589)
#define PLASTIC_ROOT_2 R(1.4142135623730951)
#define PLASTIC_ROOT_2_3 R(0.816496580927726)

/* Returns the outcome FLOW_... with the margin |margin| as a strain. */
PIO_FN plastic_outcome plastic_outcome_of(int branch, real margin)
{
    plastic_outcome w;
    w.branch = branch;
    w.margin = fabs(margin);
    return w;
}

/* ---- von Mises: the excess f = sqrt(6) mu n - Y - H a flows by d = f/(3 mu + H): n' = n - sqrt(3/2) d, a' = a + d */

/* Replaces the trial state by the one after the flow, of linear hardening (Simo and Hughes 1998, box 3.1), and returns
 * the outcome with the margin |d|. A state with f <= 0 stays. */
PIO_FN plastic_outcome von_mises(plastic_point *x, const plastic_matter *m)
{
    const real f = PLASTIC_ROOT_6 * m->mu * x->n - m->y[0] - m->y[1] * x->a;
    const real d = f / (R(3) * m->mu + m->y[1]);
    const plastic_outcome w = plastic_outcome_of(f > R(0) ? FLOW_LIMIT : FLOW_ELASTIC, d);
    if (w.branch == FLOW_ELASTIC) return w;
    x->n -= PLASTIC_ROOT_3_2 * d;
    x->a += d;
    return w;
}

/* Adjoint of von_mises at the trial state x, which flows: the cotangents bar of (n', l', a') become those of
 * (n, l, a), and those of mu, Y and H are added to m_bar. */
PIO_FN void von_mises_adj(plastic_point x, const plastic_matter *m, plastic_point *bar, plastic_matter *m_bar)
{
    const real D = R(3) * m->mu + m->y[1], f = PLASTIC_ROOT_6 * m->mu * x.n - m->y[0] - m->y[1] * x.a;
    const real f_bar = (bar->a - PLASTIC_ROOT_3_2 * bar->n) / D, D_bar = -f_bar * f / D;
    bar->n += PLASTIC_ROOT_6 * m->mu * f_bar;
    bar->a -= m->y[1] * f_bar;
    m_bar->mu += PLASTIC_ROOT_6 * x.n * f_bar + R(3) * D_bar;
    m_bar->y[0] -= f_bar;
    m_bar->y[1] += D_bar - x.a * f_bar;
}

/* ---- Herschel-Bulkley: with f = sqrt(6) mu n - Y the flow d of the step solves  f = 3 mu d + k (d/h)^m.
 *
 * For t = 3 mu d/f in (0, 1] that is  t + b t^m = 1,  b = k (f/(3 mu h))^m / f. With z = t^min(m, 1) it reads
 * A z + B z^p = 1 with p = max(m, 1/m) >= 1, where Newton's method falls to the root from z_0 = min(1/A, B^(-1/p)). In
 * y = z/z_0 both factors, A z_0 and B z_0^p, are at most 1, and so no power overflows. */

/* The flow of a step. */
typedef struct {
    real f, t, s;  /* Pa; t; s = b t^m, which is 1 - t */
    real log_rate; /* ln (d/h) */
} bulkley_flow;

/* The equation A y + B y^p = 1 of a step. */
typedef struct {
    real f;          /* Pa */
    real A, B, p;    /* A <= 1, B <= 1, p >= 1 */
    real most;       /* ln (d/h) where nothing is viscous */
    real start;      /* ln z_0 */
    int flows, thin; /* f > 0; m < 1, of shear thinning */
} bulkley_equation;

/* Returns the equation at the trial strain n; where nothing flows its numbers but f mean nothing. */
PIO_FN bulkley_equation bulkley_equation_of(real n, const plastic_matter *m)
{
    const real e = m->y[2];
    bulkley_equation q;
    q.f = PLASTIC_ROOT_6 * m->mu * n - m->y[0];
    q.flows = q.f > R(0);
    q.thin = e < R(1);
    const real f = q.flows ? q.f : R(1);
    q.most = real_log(f / (R(3) * m->mu * m->h));
    q.p = q.thin ? R(1) / e : e;
    const real log_b = real_log(m->y[1]) + e * q.most - real_log(f), over = log_b > R(0) ? log_b : R(0);
    q.start = q.thin ? -over : -over / q.p;
    const real one = real_exp(log_b - over), other = real_exp(q.thin ? q.p * q.start : q.start);
    q.A = q.thin ? one : other;
    q.B = q.thin ? other : one;
    return q;
}

/* How many of Newton's steps are made at most. */
enum { BULKLEY_STEPS = 80 };

/* Returns y after one of Newton's steps, which begin at y = 1 with *more = 2: that stays 2 until a step is small, and
 * then one more is made, after which dual numbers are right to rounding too. With *more = 0, y stays. */
PIO_FN real bulkley_step(real A, real B, real p, real y, int *more)
{
    const real small = sizeof(real) == 4 ? R(1e-3) : R(1e-8);
    const real power = B * real_exp(p * real_log(y)), step = (A * y + power - R(1)) / (A + p * power / y);
    const real to = y - step;
    const int going = *more, near = fabs(step) <= small * to;
    *more = going == 2 ? 2 - near : 0;
    return going ? to : y;
}

/* Returns the flow by the solution y; 0 but for f where nothing flows. */
PIO_FN bulkley_flow bulkley_flow_of(const bulkley_equation *q, real y)
{
    const real power = q->B * real_exp(q->p * real_log(y)), t = q->thin ? power : q->A * y;
    const real s = q->thin ? q->A * y : power, log_z = q->start + real_log(y);
    const real log_rate = q->most + (q->thin ? q->p : R(1)) * log_z;
    bulkley_flow r;
    r.f = q->f;
    r.t = q->flows ? t : R(0);
    r.s = q->flows ? s : R(0);
    r.log_rate = q->flows ? log_rate : R(0);
    return r;
}

/* Returns the solution t = 3 mu d/f in (0, 1] of t + b t^m = 1 at the trial strain n, with f and ln(d/h). Where f <= 0
 * nothing flows: all but f is 0. */
PIO_FN bulkley_flow bulkley_solve(real n, const plastic_matter *m)
{
    const bulkley_equation q = bulkley_equation_of(n, m);
    real y = R(1);
    int more = q.flows ? 2 : 0;
    for (int k = 0; k < BULKLEY_STEPS && more; k++) y = bulkley_step(q.A, q.B, q.p, y, &more);
    return bulkley_flow_of(&q, y);
}

/* Replaces the trial state by the one after the flow d of the step, n' = n - sqrt(3/2) d and a' = a + d (Yue et al.
 * 2015), and returns the outcome with the margin |f|/(3 mu). A state with f <= 0 stays. `r` is the solution at x. */
PIO_FN plastic_outcome bulkley(const bulkley_flow *r, plastic_point *x, const plastic_matter *m)
{
    const real most = r->f / (R(3) * m->mu), d = r->t * most;
    const plastic_outcome w = plastic_outcome_of(r->f > R(0) ? FLOW_LIMIT : FLOW_ELASTIC, most);
    x->n -= PLASTIC_ROOT_3_2 * d;
    x->a += d;
    return w;
}

/* Adjoint of bulkley at the trial state x, which flows, with the solution r: the cotangents bar of (n', l', a') become
 * those of (n, l, a), and those of mu, Y, k and m are added to m_bar, by
 *     dd = (sqrt(6) mu dn + (sqrt(6) n - 3 d) dmu - dY - f s dk/k - f s ln(d/h) dm)/(3 mu (t + m s)/t). */
PIO_FN void bulkley_adj(const bulkley_flow *r, plastic_point x, const plastic_matter *m, plastic_point *bar,
                        plastic_matter *m_bar)
{
    const real d = r->t * r->f / (R(3) * m->mu);
    const real g = (bar->a - PLASTIC_ROOT_3_2 * bar->n) * r->t / (R(3) * m->mu * (r->t + m->y[2] * r->s));
    bar->n += PLASTIC_ROOT_6 * m->mu * g;
    m_bar->mu += (PLASTIC_ROOT_6 * x.n - R(3) * d) * g;
    m_bar->y[0] -= g;
    m_bar->y[1] -= r->f * r->s / m->y[1] * g;
    m_bar->y[2] -= r->f * r->s * r->log_rate * g;
}

/* ---- Drucker-Prager: with k = l + a, apex = c cot phi/K and slope = 3 A K/(2 mu)
 *
 *     k >= apex            n' = 0,                          l' = apex,  a' = k - apex
 *     else                n' = min(n, slope (apex - k)),    l' = k,    a' = 0 */

/* What the law's constants make of the moduli. */
typedef struct {
    real sine, cosine, K, A, A_rise, apex, slope; /* -, -, Pa, -, dA/dphi, -, - */
} drucker_cone;

/* Returns the cone of the law: sin phi, cos phi, K = lambda + 2/3 mu, the factor A of the head of this file with
 * dA/dphi, apex and slope. phi is in (0, pi/2), and mu and K are above 0. */
PIO_FN drucker_cone drucker_cone_of(const plastic_matter *m)
{
    drucker_cone r;
    r.sine = real_sin(m->y[0]);
    r.cosine = real_cos(m->y[0]);
    r.K = m->lambda + R(2.0 / 3) * m->mu;
    const real turn = R(3) - r.sine;
    r.A = HYPER_THIRD ? PLASTIC_ROOT_2 / R(3) * r.sine : PLASTIC_ROOT_2_3 * R(2) * r.sine / turn;
    r.A_rise = HYPER_THIRD ? PLASTIC_ROOT_2 / R(3) * r.cosine : PLASTIC_ROOT_2_3 * R(6) * r.cosine / (turn * turn);
    r.apex = m->y[1] * r.cosine / (r.K * r.sine);
    r.slope = R(1.5) * r.A * r.K / m->mu;
    return r;
}

/* Replaces the trial state by the one after the flow (Klar et al. 2016; Tampubolon et al. 2017), and returns the
 * outcome; the margin is the distance of k from the apex, or that of n from the cone where it is nearer. */
PIO_FN plastic_outcome drucker(plastic_point *x, const plastic_matter *m)
{
    const drucker_cone c = drucker_cone_of(m);
    const real k = x->l + x->a, most = c.slope * (c.apex - k), over = x->n - most;
    const real to_apex = fabs(k - c.apex);
    x->l = k;
    x->a = R(0);
    if (k >= c.apex) {
        x->n = R(0);
        x->l = c.apex;
        x->a = k - c.apex;
        return plastic_outcome_of(FLOW_APEX, to_apex);
    }
    const plastic_outcome w =
        plastic_outcome_of(over > R(0) ? FLOW_LIMIT : FLOW_ELASTIC, fabs(over) < to_apex ? fabs(over) : to_apex);
    if (w.branch == FLOW_LIMIT) x->n = most;
    return w;
}

/* Adjoint of drucker at the trial state x, which took `branch`: the cotangents bar of (n', l', a') become those of (n,
 * l, a), and those of mu, lambda, phi and c are added to m_bar. FLOW_ELASTIC has l' = l + a and a' = 0 too. */
PIO_FN void drucker_adj(int branch, plastic_point x, const plastic_matter *m, plastic_point *bar, plastic_matter *m_bar)
{
    const drucker_cone c = drucker_cone_of(m);
    const real k = x.l + x.a;
    real apex_bar = R(0), slope_bar = R(0), k_bar;
    if (branch == FLOW_APEX) {
        k_bar = bar->a;
        apex_bar = bar->l - bar->a;
        bar->n = R(0);
    } else {
        k_bar = bar->l;
        if (branch == FLOW_LIMIT) {
            slope_bar = bar->n * (c.apex - k);
            apex_bar = bar->n * c.slope;
            k_bar -= apex_bar;
            bar->n = R(0);
        }
    }
    bar->l = bar->a = k_bar;
    const real K_bar = (slope_bar * c.slope - apex_bar * c.apex) / c.K;
    const real A_bar = slope_bar * R(1.5) * c.K / m->mu;
    m_bar->mu += R(2.0 / 3) * K_bar - slope_bar * c.slope / m->mu;
    m_bar->lambda += K_bar;
    m_bar->y[0] += A_bar * c.A_rise - apex_bar * m->y[1] / (c.K * c.sine * c.sine);
    m_bar->y[1] += apex_bar * c.cosine / (c.K * c.sine);
}

/* ---- any of the three --------------------------------------------------------------------------------------- */

/* Replaces the trial state by the one after the flow of the von Mises, Herschel-Bulkley or Drucker-Prager law, `law` a
 * pio_plastic_law, and returns the outcome. */
PIO_FN plastic_outcome plastic_flow(int law, plastic_point *x, const plastic_matter *m)
{
    if (law == PIO_VON_MISES) return von_mises(x, m);
    if (law == PIO_DRUCKER_PRAGER) return drucker(x, m);
    const bulkley_flow r = bulkley_solve(x->n, m);
    return bulkley(&r, x, m);
}

/* Adjoint of plastic_flow at the trial state x, which took `branch`: bar becomes the cotangent of x, and m_bar is added
 * to. */
PIO_FN void plastic_flow_adj(int law, int branch, plastic_point x, const plastic_matter *m, plastic_point *bar,
                             plastic_matter *m_bar)
{
    if (law == PIO_DRUCKER_PRAGER) {
        drucker_adj(branch, x, m, bar, m_bar);
    } else if (branch == FLOW_LIMIT && law == PIO_VON_MISES) {
        von_mises_adj(x, m, bar, m_bar);
    } else if (branch == FLOW_LIMIT) {
        const bulkley_flow r = bulkley_solve(x.n, m);
        bulkley_adj(&r, x, m, bar, m_bar);
    }
}

/* Returns 1 where the constants y are finite and in the ranges of the head of this file, which a pio_plastic_law
 * allows. */
PIO_FN int plastic_constants_hold(int law, const real y[PIO_PLASTIC_CONSTANTS])
{
    for (int c = 0; c < PIO_PLASTIC_CONSTANTS; c++)
        if (!is_finite(y[c])) return 0;
    if (law == PIO_VON_MISES) return y[0] > R(0) && y[1] >= R(0);
    if (law == PIO_DRUCKER_PRAGER) return y[0] > R(0) && y[0] < R(1.5707963267948966) && y[1] >= R(0);
    if (law == PIO_HERSCHEL_BULKLEY) return y[0] > R(0) && y[1] > R(0) && y[2] > R(0);
    if (law == PIO_SNOW) return y[0] >= R(0) && y[0] < R(1) && y[1] >= R(0) && y[2] >= R(0);
    return 1;
}

#endif
