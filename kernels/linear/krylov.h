/* krylov.h -- what PCG, MINRES and GMRES do besides applying the operator and the preconditioner.
 *
 * Vectors are plain arrays of `unknowns` numbers. Every scalar lives in a krylov_state on the device: sums put their
 * results there, kernels of one item turn them into coefficients, the other kernels read these. The host launches
 * iterations ahead and reads the state now and then: state->active, the limit of every launch, drops to 0 where the
 * method stops, and what is launched after changes nothing. So no bit depends on how often the host reads it.
 *
 * A sum may change the vectors of its own item before it returns its term: each item is run once. */
#ifndef PIOLA_KERNELS_KRYLOV_H
#define PIOLA_KERNELS_KRYLOV_H

#include "kernels/linear/krylov_args.h"
#include "kernels/base/base.h"

/* Returns 1 where x is neither infinite nor NaN. */
PIO_FN int krylov_finite(wide x)
{
    const wide y = x - x;
    return y >= W(0) && y <= W(0);
}

/* Stops the method, for a reason KRYLOV_... and with a number that shows it: launches after this change nothing. */
PIO_FN void krylov_stop(krylov_state *s, int why, wide value)
{
    s->stop = why;
    s->active = s->active_rows = 0;
    s->value = value;
}

/* Decides after the residual of an iteration is known: the method stops where that is not finite, is at most the
 * target, or the iterations are as many as are allowed. */
PIO_FN void krylov_judge(krylov_state *s)
{
    if (!krylov_finite(s->residual))
        krylov_stop(s, KRYLOV_NOT_FINITE, s->residual);
    else if (s->residual <= s->target)
        krylov_stop(s, KRYLOV_CONVERGED, W(0));
    else if (s->iterations >= s->max_iterations)
        krylov_stop(s, KRYLOV_LIMIT, W(0));
}

/* ---- all methods ----------------------------------------------------------------------------------------- */

/* Returns the product a_i b_i, a term of a . b. */
PIO_FN wide krylov_dot(int i, const krylov_dot_args *a)
{
    return W(a->a[i]) * W(a->b[i]);
}

/* Sets number i of the residual, b - A x in place of A x, and returns its square. */
PIO_FN wide krylov_residual(int i, const krylov_residual_args *a)
{
    const real r = a->b[i] - a->r[i];
    a->r[i] = r;
    return W(r) * W(r);
}

/* Sets the whole state; the one item is 0. A right-hand side of 0 and a residual below the target need no iteration. */
PIO_FN void krylov_begin(int i, const krylov_begin_args *a)
{
    krylov_state *s = a->state;
    (void)i;
    s->unknowns = s->active = a->unknowns;
    s->active_rows = a->unknowns / DIM;
    s->started = 0;
    s->stop = KRYLOV_RUNNING;
    s->max_iterations = a->max_iterations;
    s->iterations = s->restarts = s->columns = 0;
    s->rhs = s->dot_b;
    s->target = W(a->tolerance * a->tolerance) * s->dot_b;
    s->residual = s->checked = s->dot_r;
    s->value = W(0);
    if (!krylov_finite(s->rhs))
        krylov_stop(s, KRYLOV_NOT_FINITE, s->rhs);
    else if (s->rhs <= W(0)) /* b = 0, hence x = 0, whatever it was */
        krylov_stop(s, KRYLOV_CONVERGED, W(0));
    else
        krylov_judge(s);
}

/* Confirms the end of a method, or lets it begin again; the one item is 0. */
PIO_FN void krylov_verify(int i, const krylov_verify_args *a)
{
    krylov_state *s = a->state;
    const wide before = s->checked;
    (void)i;
    s->residual = s->checked = s->dot_r;
    if (s->stop >= KRYLOV_NEGATIVE_CURVATURE && s->stop != KRYLOV_BREAKDOWN) return;
    if (!krylov_finite(s->residual) || s->residual <= s->target) {
        krylov_judge(s);
    } else if (s->stop <= KRYLOV_CONVERGED) {
        s->stop = KRYLOV_RUNNING;
        krylov_judge(s);
        if (s->stop) return;
        if (s->residual > W(a->stagnation * a->stagnation) * before) {
            krylov_stop(s, KRYLOV_STAGNATED, W(0));
        } else {
            s->active = s->unknowns;
            s->active_rows = s->unknowns / DIM;
            s->restarts++;
        }
    }
}

/* ---- PCG (Hestenes and Stiefel 1952; preconditioned: Saad 2003, algorithm 9.1) ---------------------------- */

/* Sets beta = (r . M^-1 r)/(that before), 0 at a start, and the new r . M^-1 r, or stops where that is not positive;
 * after an iteration it first judges the residual. The one item is 0. */
PIO_FN void pcg_beta(int i, const pcg_beta_args *a)
{
    krylov_state *s = a->state;
    const wide before = s->rz;
    (void)i;
    if (!a->first) {
        s->residual = s->dot_r;
        krylov_judge(s);
        if (s->stop) return;
    }
    s->rz = s->dot_z;
    s->beta = a->first ? W(0) : s->rz / before;
    if (!krylov_finite(s->rz) || !krylov_finite(s->beta))
        krylov_stop(s, KRYLOV_NOT_FINITE, s->rz);
    else if (!(s->rz > W(0)))
        krylov_stop(s, KRYLOV_PRECONDITIONER, s->rz);
}

/* Counts the iteration and sets alpha = (r . M^-1 r)/(p . A p), or stops where p . A p is not positive; the one item
 * is 0. */
PIO_FN void pcg_alpha(int i, const pcg_alpha_args *a)
{
    krylov_state *s = a->state;
    (void)i;
    s->iterations++;
    if (s->dot_a > W(0)) s->alpha = s->rz / s->dot_a;
    if (!krylov_finite(s->dot_a))
        krylov_stop(s, KRYLOV_NOT_FINITE, s->dot_a);
    else if (!(s->dot_a > W(0)))
        krylov_stop(s, KRYLOV_NEGATIVE_CURVATURE, s->dot_a);
}

/* Adds alpha p to number i of x, subtracts alpha q from that of r, and returns the square of the latter. */
PIO_FN wide pcg_update(int i, const pcg_update_args *a)
{
    const real alpha = R(a->state->alpha), r = a->r[i] - alpha * a->q[i];
    a->x[i] += alpha * a->p[i];
    a->r[i] = r;
    return W(r) * W(r);
}

/* Sets number i of the direction, z + beta p. */
PIO_FN void pcg_direction(int i, const pcg_direction_args *a)
{
    a->p[i] = a->z[i] + R(a->state->beta) * a->p[i];
}

/* ---- PCG in four launches an iteration -------------------------------------------------------------------- *
 *
 *     q = A p    dot_a = p . q    pcg_advance: x, r, z, dot_z = r . z    pcg_conjugate: p, dot_r = r . r
 *
 * The scalars are computed by every item that needs them. What an iteration decides is decided by pcg_advance of the
 * next one, or by pcg_verify; two states take turns, of which one is read while the other is set. Every number is
 * computed as above, and the method stops with the same x. */

/* Judges the residual that the last iteration left, and r . M^-1 r, from dot_r and dot_z. */
PIO_FN void pcg_judge(krylov_state *s)
{
    s->residual = s->dot_r;
    krylov_judge(s);
    if (s->stop) return;
    s->beta = s->started ? s->dot_z / s->rz : W(0);
    if (!krylov_finite(s->dot_z) || !krylov_finite(s->beta))
        krylov_stop(s, KRYLOV_NOT_FINITE, s->dot_z);
    else if (!(s->dot_z > W(0)))
        krylov_stop(s, KRYLOV_PRECONDITIONER, s->dot_z);
}

/* Sets numbers i of x, r and z = M^-1 r by a step along p, and returns the term of r . z. Item 0 sets the new state. */
PIO_FN wide pcg_advance(int i, const pcg_advance_args *a)
{
    krylov_state s = *a->from;
    if (s.active) pcg_judge(&s);
    if (s.active) {
        pcg_alpha_args step;
        step.state = &s;
        s.rz = s.dot_z;
        s.started = 1;
        pcg_alpha(0, &step);
    }
    if (i == 0) *a->to = s;
    if (!s.active) return W(0);
    const real alpha = R(s.alpha), r = a->r[i] - alpha * a->q[i];
    real z = r;
    if (a->inverse) {
        const ptrdiff_t first = (ptrdiff_t)(i / DIM) * DIM;
        const real *row = a->inverse + (ptrdiff_t)i * DIM;
        z = row[0] * (a->r[first] - alpha * a->q[first]);
        PIO_UNROLL
        for (int d = 1; d < DIM; d++) z += row[d] * (a->r[first + d] - alpha * a->q[first + d]);
    }
    a->x[i] += alpha * a->p[i];
    a->next_r[i] = r;
    a->z[i] = z;
    return W(r) * W(z);
}

/* Sets number i of the next direction, z + beta p, and returns the square of that of r. */
PIO_FN wide pcg_conjugate(int i, const pcg_conjugate_args *a)
{
    a->p[i] = a->z[i] + R(a->state->dot_z / a->state->rz) * a->p[i];
    return W(a->r[i]) * W(a->r[i]);
}

/* Judges the last iteration, and, where the method has stopped, confirms that, or lets it begin again; the one item is
 * 0. With b = 0 there is nothing to confirm. */
PIO_FN void pcg_verify(int i, const pcg_verify_args *a)
{
    krylov_state *s = a->state;
    krylov_verify_args verify;
    if (a->fault) s->fault = *a->fault;
    if (s->active) pcg_judge(s);
    if (s->active || s->rhs <= W(0)) return;
    verify.state = s;
    verify.stagnation = a->stagnation;
    s->dot_r = s->dot_v;
    s->started = 0;
    krylov_verify(i, &verify);
}

/* ---- MINRES (Paige and Saunders 1975) --------------------------------------------------------------------- *
 *
 * Lanczos vectors v = z/beta, z = M^-1 y, beta^2 = y . z; the tridiagonal matrix is made triangular by reflections
 * [c s; s -c]; w are the columns of V R^-1. The residual b - A x itself is carried along, because the tolerance is one
 * of its length and not of its length in M^-1:  r_k = s_k^2 r_{k-1} - phibar_k c_k y_{k+1}/beta_{k+1}  (r_k is phibar_k
 * times the last column of the orthogonal factor; Choi, Paige and Saunders 2011, lemma 3.3). */

/* Sets the scalars of a start, phibar = sqrt(r . M^-1 r) among them, or stops where that product is not positive; the
 * one item is 0. */
PIO_FN void minres_open(int i, const minres_open_args *a)
{
    krylov_state *s = a->state;
    (void)i;
    s->c = W(-1);
    s->s = s->dbar = s->epsilon = s->ratio = W(0);
    s->phibar = s->inv_beta = W(0);
    if (!krylov_finite(s->dot_z)) {
        krylov_stop(s, KRYLOV_NOT_FINITE, s->dot_z);
    } else if (!(s->dot_z > W(0))) {
        krylov_stop(s, KRYLOV_PRECONDITIONER, s->dot_z);
    } else {
        s->phibar = sqrt(s->dot_z);
        s->inv_beta = W(1) / s->phibar;
    }
}

/* Sets number i of the next Lanczos vector before it is orthogonal to this one, A z/beta - (beta/beta_old) y_old, and
 * returns its term of v . p. */
PIO_FN wide minres_project(int i, const minres_project_args *a)
{
    const real inv_beta = R(a->state->inv_beta), ratio = R(a->state->ratio);
    real p = inv_beta * a->p[i];
    if (ratio > R(0)) p -= ratio * a->older[i];
    a->p[i] = p;
    return W(inv_beta * a->z[i]) * W(p);
}

/* Subtracts (alpha/beta) y from number i of the next Lanczos vector, which makes it orthogonal to this one. */
PIO_FN void minres_orthogonalise(int i, const minres_orthogonalise_args *a)
{
    a->p[i] -= R(a->state->dot_a * a->state->inv_beta) * a->y[i];
}

/* Counts the iteration, applies the old reflections to the new column and makes the next (Paige and Saunders 1975); the
 * one item is 0. */
PIO_FN void minres_rotate(int i, const minres_rotate_args *a)
{
    krylov_state *s = a->state;
    const wide alpha = s->dot_a, next = sqrt(s->dot_z > W(0) ? s->dot_z : W(0));
    (void)i;
    s->iterations++;
    if (!krylov_finite(alpha) || !krylov_finite(s->dot_z)) {
        krylov_stop(s, KRYLOV_NOT_FINITE, krylov_finite(alpha) ? s->dot_z : alpha);
        return;
    }
    const wide older = s->epsilon, delta = s->c * s->dbar + s->s * alpha, gbar = s->s * s->dbar - s->c * alpha;
    const wide gamma = sqrt(gbar * gbar + next * next);
    if (s->dot_z < W(0) || !(gamma > W(0))) {
        krylov_stop(s, s->dot_z < W(0) ? KRYLOV_PRECONDITIONER : KRYLOV_BREAKDOWN, s->dot_z < W(0) ? s->dot_z : gamma);
        return;
    }
    const wide inv_next = next > W(0) ? W(1) / next : W(0);
    s->epsilon = s->s * next;
    s->dbar = -s->c * next;
    s->c = gbar / gamma;
    s->s = next / gamma;
    s->phi = s->c * s->phibar;
    s->phibar = s->s * s->phibar;
    s->by_v = s->inv_beta / gamma;
    s->by_w = delta / gamma;
    s->by_older = older / gamma;
    s->by_r = s->s * s->s;
    s->by_next = s->phibar * s->c * inv_next;
    s->ratio = next * s->inv_beta;
    s->inv_beta = inv_next;
}

/* Sets number i of the direction, w = (v - delta w_1 - epsilon w_2)/gamma, adds phi w to x, updates r by the
 * recurrence above, and returns the square of the latter. */
PIO_FN wide minres_update(int i, const minres_update_args *a)
{
    const krylov_state *s = a->state;
    const real w = R(s->by_v) * a->z[i] - R(s->by_older) * a->older[i] - R(s->by_w) * a->w[i];
    const real r = R(s->by_r) * a->r[i] - R(s->by_next) * a->next[i];
    a->older[i] = w;
    a->x[i] += R(s->phi) * w;
    a->r[i] = r;
    return W(r) * W(r);
}

/* Takes over the new residual and decides whether the method goes on; the one item is 0. */
PIO_FN void minres_judge(int i, const minres_judge_args *a)
{
    (void)i;
    a->state->residual = a->state->dot_r;
    krylov_judge(a->state);
}

/* ---- GMRES (Saad and Schultz 1986), preconditioned from the right, by modified Gram-Schmidt ---------------- */

/* Sets the right-hand side |r| e_1 of the small problem and the scale 1/|r| of the first basis vector; the one item is
 * 0. */
PIO_FN void gmres_open(int i, const gmres_open_args *a)
{
    (void)i;
    a->state->columns = 0;
    a->t.g[0] = sqrt(a->state->residual);
    a->state->scale = W(1) / a->t.g[0];
}

/* Scales number i of a basis vector, so that its length is 1. */
PIO_FN void gmres_normalise(int i, const gmres_normalise_args *a)
{
    a->v[i] *= R(a->state->scale);
}

/* Orthogonalises number i of w against v (modified Gram-Schmidt), and returns its term of the next product. */
PIO_FN wide gmres_project(int i, const gmres_project_args *a)
{
    real w = a->w[i];
    if (a->v) {
        w -= R(*a->h) * a->v[i];
        a->w[i] = w;
    }
    return W(w) * W(a->u ? a->u[i] : w);
}

/* Extends the triangular matrix by a column, and with it the residual (Saad and Schultz 1986); the one item is 0. */
PIO_FN void gmres_rotate(int i, const gmres_rotate_args *a)
{
    krylov_state *s = a->state;
    const gmres_small *t = &a->t;
    const int k = a->k;
    wide *h = t->h + (ptrdiff_t)k * (t->m + 1);
    const wide next = sqrt(s->dot_z);
    (void)i;
    s->iterations++;
    for (int j = 0; j < k; j++) {
        const wide upper = h[j], lower = h[j + 1];
        h[j] = t->c[j] * upper + t->s[j] * lower;
        h[j + 1] = t->c[j] * lower - t->s[j] * upper;
    }
    const wide d = sqrt(h[k] * h[k] + next * next);
    if (!krylov_finite(d) || !(d > W(0))) {
        krylov_stop(s, krylov_finite(d) ? KRYLOV_BREAKDOWN : KRYLOV_NOT_FINITE, d);
        return;
    }
    t->c[k] = h[k] / d;
    t->s[k] = next / d;
    h[k] = d;
    t->g[k + 1] = -t->s[k] * t->g[k];
    t->g[k] = t->c[k] * t->g[k];
    s->columns = k + 1;
    s->scale = next > W(0) ? W(1) / next : W(0);
    s->residual = t->g[k + 1] * t->g[k + 1];
    krylov_judge(s);
}

/* Solves the triangular system R y = g of this cycle's columns by back substitution; the one item is 0. */
PIO_FN void gmres_solve(int i, const gmres_solve_args *a)
{
    const gmres_small *t = &a->t;
    (void)i;
    for (int k = a->state->columns - 1; k >= 0; k--) {
        wide sum = t->g[k];
        for (int j = k + 1; j < a->state->columns; j++) sum -= t->h[(ptrdiff_t)j * (t->m + 1) + k] * t->y[j];
        t->y[k] = sum / t->h[(ptrdiff_t)k * (t->m + 1) + k];
    }
}

/* Sets number i of the combination of basis vectors, u = sum_j y_j v_j. */
PIO_FN void gmres_combine(int i, const gmres_combine_args *a)
{
    real u = R(0);
    for (int j = 0; j < a->state->columns; j++) u += R(a->y[j]) * a->v[(ptrdiff_t)j * a->n + i];
    a->u[i] = u;
}

/* Adds number i of z to x. */
PIO_FN void krylov_add(int i, const krylov_add_args *a)
{
    a->x[i] += a->z[i];
}

#endif
