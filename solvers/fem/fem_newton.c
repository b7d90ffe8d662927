/* fem_newton.c -- one implicit step: u such that all forces balance at every free unknown. A quasi-static one has no
 * inertia.
 *
 *     r(u) = f_ext - f_int(u) - M a(u) - C v(u) = 0 where free,   u = value where constrained
 *
 * where f_ext may depend on u, and springs are part of f_int.
 * Newton's method with a backtracking line search on the potential Pi(u) = energy(u) - f_ext . u + a . M a/(2 da/du) +
 * v . C v/(2 dv/du) (Nocedal and Wright 2006, algorithm 3.1 and section 6.1). The first iteration carries the move of
 * the constrained unknowns: K du = r - K du_constrained. Linear solves are inexact, their tolerance tightens with the
 * residual (Eisenstat and Walker 1996), so that convergence stays superlinear. Where K is not positive definite, its
 * solution need not descend: there the tangents' negative part is left out (kernels/material/hyperelastic_project.h)
 * and the direction solved for anew. The equilibrium that is found, and its adjoint, do not depend on it. Follower
 * loads have no potential: along a step from u to y they do the work (f(u) + f(y)) . (y - u)/2, the trapezoidal rule,
 * whose error is of the third order; Pi(y) - Pi(u) counts that instead. Friction has one while its normal forces are
 * held as they are where a search begins (Li et al. 2020, section 5.3), and its matrix a part that has no negative
 * eigenvalue: that is solved with where the whole one leads uphill. */
#include "solvers/fem/fem_friction.h"
#include "solvers/fem/fem_newton.h"
#include "solvers/fem/fem_control.h"
#include "solvers/fem/fem_pairs.h"
#include "solvers/fem/fem_vary.h"

#include <math.h>

enum { BACKTRACKS = 12, MOST_SETTLING = 6 };
static const double SETTLED = 0.1; /* residual at which a move goes on that contact has shortened */
static const double UNIT_ROUNDOFF = sizeof(real) == 4 ? 6e-8 : 1.1e-16;
static const double LOOSEST = 0.1; /* tolerance of a direction: far from the solution more is lost than won */
static const double TIGHTEST =
    sizeof(real) == 4 ? 1e-4 : 1e-10; /* a second direction is cheaper than more digits of one */

/* clang-format off */
static void dot(fem_sim *f, int slot, const real *x, const real *y)
{
    pio_sum(&f->base.queue, point_dot, f->mesh.nodes, NULL, f->newton.scalars + slot, .x = x, .y = y);
}

/* Energy and the work of dead forces at u, into scalars; inertia and drag, and what is like a potential of theirs.
 * forces.external is that of u afterwards. */
static void potential(fem_sim *f, fem_span span, const real *u)
{
    pio_queue *q = &f->base.queue;
    pio_queue_zero(q, f->newton.scalars + SUM_ENERGY, sizeof *f->newton.scalars);
    for (const fem_element_block *p = f->mesh.block; p < f->mesh.block + f->mesh.n_blocks; p++) {
        pio_sum(q, fem_energy, p->n, NULL, f->base.scalar,
                .b = fem_block_of(f, p, RULE_STIFFNESS), .m = fem_matter_of(f), .u = u);
        pio_map(q, add_scalar, 1, NULL, .term = f->base.scalar, .total = f->newton.scalars + SUM_ENERGY);
    }
    fem_fibre_energies(f, u, f->newton.scalars + SUM_ENERGY);
    fem_contact_potential(f, u, f->newton.scalars + SUM_BARRIER);
    fem_follow(f, u);
    dot(f, SUM_WORK, f->loads.has_followers ? f->forces.dead : f->forces.external, u);
    if (f->loads.has_springs) {
        pio_queue_zero(q, f->forces.spring, sizeof(real) * DIM * (size_t)f->mesh.nodes);
        fem_springs(f, u, f->forces.spring);
        dot(f, SUM_SPRINGS, f->forces.spring, u);
    }
    if (f->motion.integrator == PIO_STATIC) {
        fem_friction_potential(f, span, u, f->newton.scalars + SUM_SLID);
        return;
    }
    const real *a = f->motion.rate + DIM * (size_t)f->mesh.nodes;
    fem_inertial(f, span, u);
    dot(f, SUM_INERTIA, f->motion.inertia, f->motion.inertia);
    dot(f, SUM_KINETIC, a, f->motion.inertia);
    dot(f, SUM_DRAG, f->motion.rate, f->motion.drag);
    fem_friction_potential(f, span, u, f->newton.scalars + SUM_SLID);
}
/* clang-format on */

/* Downloads the sums; errors of the device and of fem_pairs_check(). */
static piola_status download(newton *n)
{
    pio_queue_download(&n->f->base.queue, n->sums, n->f->newton.scalars, sizeof n->sums);
    return n->f->base.queue.error.code ? sim_failed(&n->f->base, n->error) : fem_pairs_check(n->f, n->error);
}

static double potential_of(const newton *n)
{
    const double *sums = n->sums, statics = sums[SUM_ENERGY] + 0.5 * sums[SUM_SPRINGS] + sums[SUM_BARRIER] +
                                            sums[SUM_SLID] - sums[SUM_WORK];
    return n->ca > 0 ? statics + 0.5 * sums[SUM_KINETIC] / n->ca + 0.5 * sums[SUM_DRAG] / n->cv : statics;
}

/* out = r(u), the potential's forces being those of u already */
static void unbalanced(fem_sim *f, const real *u, real *out)
{
    fem_internal(f, u, f->forces.internal);
    fem_combine(f, 1, f->forces.external, -1, f->forces.internal, out);
    if (f->motion.integrator != PIO_STATIC) {
        fem_combine(f, 1, out, -1, f->motion.inertia, out);
        fem_combine(f, 1, out, -1, f->motion.drag, out);
    }
    fem_condense(f, out);
}

/* out = r(u), and what evaluate() wants to know of it, into scalars; the last potential was of u. */
static void residual_at(fem_sim *f, const real *u, real *out)
{
    unbalanced(f, u, out);
    dot(f, SUM_RESIDUAL, out, out);
    dot(f, SUM_INTERNAL, f->forces.internal, f->forces.internal);
    dot(f, SUM_EXTERNAL, f->forces.external, f->forces.external);
    dot(f, SUM_MOVE, f->newton.du, f->newton.du);
    if (!f->contact.points) return;
    fem_zero_points(f, f->contact.force);
    fem_pairs_pressed(f, f->contact.force);
    fem_contact_forces(f, u, f->contact.force);
    dot(f, SUM_PRESSED, f->contact.force, f->contact.force);
    fem_contact_rounding(f, u, f->contact.force);
    dot(f, SUM_THIN, f->contact.force, f->contact.force);
}

/* rhs = r(trial); its norm, and relative to the forces. `searched`: the last potential was of this very point. */
static piola_status evaluate(newton *n, int searched)
{
    fem_sim *f = n->f;
    if (searched && n->evaluated) {
        pio_queue_copy(&f->base.queue, f->newton.rhs, f->newton.lambda, sizeof(real) * DIM * (size_t)f->mesh.nodes);
        if (f->base.queue.error.code) return sim_failed(&f->base, n->error);
    } else {
        if (!searched) potential(f, n->span, f->newton.trial);
        residual_at(f, f->newton.trial, f->newton.rhs);
        const piola_status rc = download(n);
        if (rc) return rc;
    }
    const double bodies = fmax(n->sums[SUM_INTERNAL], n->sums[SUM_PRESSED]);
    const double forces = fmax(fmax(bodies, n->sums[SUM_EXTERNAL]), n->sums[SUM_INERTIA]);
    n->forces = fmax(fmax(sqrt(forces), n->momentum), n->thermal);
    n->thin = f->contact.points ? UNIT_ROUNDOFF * sqrt(n->sums[SUM_THIN]) : 0;
    n->unbalanced = sqrt(n->sums[SUM_RESIDUAL]);
    n->residual = n->forces > 0 ? n->unbalanced / n->forces : 0;
    if (!isfinite(n->sums[SUM_RESIDUAL] + n->sums[SUM_MOVE] + n->residual)) /* fmax hides a NaN */
        return fem_newton_not_finite(n);
    return PIOLA_OK;
}

/* |K| |u|, entry by entry, into scalars: where displacements are large and elements small, as in slender bodies, u
 * rounded to eps u unbalances more than the rounding of F does. */
static void magnitude(fem_sim *f)
{
    pio_bsr_magnitude(&f->matrix.bsr, f->newton.trial, f->newton.y);
    fem_mask_constrained(f, 0, f->newton.y);
    dot(f, SUM_ROUNDED, f->newton.y, f->newton.y);
}

/* lambda = solution of K x = rhs with the assembled matrix */
static piola_status solve_direction(newton *n, double tolerance)
{
    fem_sim *f = n->f;
    int32_t iterations = 0;
    pio_queue_zero(&f->base.queue, f->newton.lambda, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    const piola_status rc =
        fem_solve_newton(f, f->newton.rhs, f->newton.lambda, tolerance, &iterations, &n->record->indefinite, n->error);
    n->record->linear_iterations += iterations;
    fem_tie_nodes(f, f->newton.lambda);
    return rc;
}

/* Returns whether the direction lambda of a matrix with friction, which is not symmetric, leads uphill. */
static int climbs(newton *n, int first)
{
    double slope = 1;
    if (!fem_has_friction(n->f) || first) return 0;
    dot(n->f, SUM_SLOPE, n->f->newton.rhs, n->f->newton.lambda);
    pio_queue_download(&n->f->base.queue, &slope, n->f->newton.scalars + SUM_SLOPE, sizeof slope);
    return !(slope > 0);
}

/* du += solution of K x = rhs: the direction, constrained unknowns included. */
static piola_status direction(newton *n, int first)
{
    fem_sim *f = n->f;
    pio_queue *q = &f->base.queue;
    const size_t bytes = sizeof(real) * DIM * (size_t)f->mesh.nodes;
    const int always = f->newton.projection == PIO_PROJECT_ALWAYS;
    if (always)
        fem_projected_jacobian(f, n->span, f->newton.trial);
    else
        fem_jacobian(f, n->span, f->newton.trial);
    piola_status rc = fem_newton_interrupted(n);
    if (rc) return rc;
    magnitude(f);
    if (first) { /* rhs -= (K + ca M + cv C) du_constrained, ca and cv of the constrained */
        pio_queue_zero(q, f->newton.lambda, bytes);
        fem_internal_adj(f, f->newton.trial, f->newton.du, f->newton.lambda, NULL, 0);
        if (n->ca > 0) {
            fem_combine(f, n->constrained_ca, f->newton.du, 0, f->newton.du, f->newton.y);
            fem_mass_force(f, f->newton.y, f->newton.lambda);
            fem_combine(f, n->constrained_cv, f->newton.du, 0, f->newton.du, f->newton.y);
            fem_damping_force(f, f->newton.y, f->newton.lambda);
        }
        fem_follow_times(f, f->newton.trial, f->newton.du, f->newton.lambda);
        fem_combine(f, 1, f->newton.rhs, -1, f->newton.lambda, f->newton.rhs);
        fem_contact_carries(f, f->newton.trial, f->newton.rhs);
        fem_condense(f, f->newton.rhs);
    }
    /* no tighter than what is left to do; and all of it where what a looser one leaves would pass for rounding */
    const double left = fmax(fmin(0.1 * f->newton.goal / fmax(n->residual, f->newton.goal), LOOSEST), TIGHTEST);
    double tolerance = fmax(fmin(LOOSEST, n->residual), left);
    if (tolerance * n->unbalanced <= fem_newton_dust(n)) tolerance = left;
    rc = fem_newton_interrupted(n);
    if (!rc) rc = solve_direction(n, tolerance);
    const int again = !rc && f->newton.projection == PIO_PROJECT_AUTO && (f->linear.indefinite || climbs(n, first));
    if (again) {
        fem_projected_jacobian(f, n->span, f->newton.trial);
        rc = solve_direction(n, tolerance);
    }
    n->record->projected += always || again;
    if (first)
        fem_combine(f, 1, f->newton.du, 1, f->newton.lambda, f->newton.du);
    else
        pio_queue_copy(q, f->newton.du, f->newton.lambda, bytes);
    return rc;
}

/* Returns 1 if |r| at y, a full step away, is at most half of |r| before; where that is rounding already, if it is no
 * more than rounding. */
static int halves_residual(const newton *n)
{
    const double rounding = fem_newton_dust(n), half = 0.5 * n->unbalanced;
    return sqrt(n->sums[SUM_RESIDUAL]) <= (n->unbalanced <= rounding ? rounding : half);
}

/* The work of follower loads along the search from external_before to here, per step length: (p0 + p1) . du/2, p =
 * external - dead. */
static void follow_work(fem_sim *f)
{
    if (!f->loads.has_followers) return;
    fem_combine(f, 0.5, f->newton.external_before, 0.5, f->forces.external, f->newton.lambda);
    fem_combine(f, 1, f->newton.lambda, -1, f->forces.dead, f->newton.lambda);
    dot(f, SUM_FOLLOW, f->newton.lambda, f->newton.du);
}

/* The potentials of ever shorter steps come to that before, but for their rounding. Where that is what hides a descent,
 * sets t to the longest step whose potential is within it, and returns 1. */
static int above_noise(const double *tried, double before, double slope, double *t)
{
    double noise = 0;
    for (int k = BACKTRACKS / 2; k <= BACKTRACKS; k++) noise = fmax(noise, fabs(tried[k] - before));
    if (!(noise > 4 * ldexp(fabs(slope), -BACKTRACKS / 2)) || !(noise < 1e299)) return 0;
    for (int k = 0; k <= BACKTRACKS; k++) {
        *t = ldexp(1, -k);
        if (tried[k] <= before + noise) return 1;
    }
    return 0;
}

/* Shortens du, and with `moves` the way of obstacles, so that no point of contact passes one. */
static piola_status shorten(newton *n, int moves)
{
    fem_sim *f = n->f;
    const piola_status rc = moves ? fem_contact_advance(f, f->newton.trial, f->newton.du, &n->reach, n->error)
                                  : fem_contact_limit(f, f->newton.trial, f->newton.du, 1, &n->reach, n->error);
    if (!rc && n->reach < 1) fem_combine(f, n->reach, f->newton.du, 0, f->newton.du, f->newton.du);
    return rc;
}

/* The potential where a search begins, with normal forces of friction that are those there from now on. */
static void hold_normal_forces(newton *n)
{
    fem_sim *f = n->f;
    if (!fem_has_friction(f)) return;
    fem_friction_potential(f, n->span, f->newton.trial, f->newton.scalars + SUM_SLID);
    pio_queue_download(&f->base.queue, n->sums + SUM_SLID, f->newton.scalars + SUM_SLID, sizeof *n->sums);
}

/* trial = trial + t du with the largest t = 1, 1/2, ... that lowers the potential enough. Near the solution the
 * potential falls by less than its rounding, the more so as energies of small strains are differences of numbers of the
 * size of the moduli: there a full step that halves the residual is as good a sign. (A direction of negative curvature
 * does not halve it.) It is the only one where the Jacobian is general and the direction goes uphill.
 * The iteration that moves constrained unknowns changes the potential by the supports' work: there the law must be
 * defined, no more. */
static piola_status search(newton *n, int moves)
{
    fem_sim *f = n->f;
    double tried[BACKTRACKS + 1];
    hold_normal_forces(n);
    const double before = potential_of(n);
    const double size = fabs(n->sums[SUM_ENERGY]) + fabs(n->sums[SUM_BARRIER]) + fabs(n->sums[SUM_WORK]) + fabs(before);
    piola_status rc = shorten(n, moves);
    if (rc) return rc;
    dot(f, SUM_SLOPE, f->newton.rhs, f->newton.du);
    if (f->loads.has_followers)
        pio_queue_copy(&f->base.queue, f->newton.external_before, f->forces.external,
                       sizeof(real) * DIM * (size_t)f->mesh.nodes);
    double t = 1;
    fem_combine(f, 1, f->newton.trial, 1, f->newton.du, f->newton.y);
    for (int k = 0; k <= BACKTRACKS; k++, t /= 2) {
        if (k) fem_combine(f, 1, f->newton.trial, t, f->newton.du, f->newton.y);
        potential(f, n->span, f->newton.y);
        follow_work(f);
        if (k == 0) residual_at(f, f->newton.y, f->newton.lambda); /* where it ends most often */
        rc = download(n);
        if (rc) return rc;
        const double slope = n->sums[SUM_SLOPE], rounding = (sizeof(real) == 4 ? 1e-5 : 1e-12) * (size + fabs(slope));
        const int downhill = f->matrix.kind != PIO_GENERAL || slope > 0;
        n->evaluated = k == 0;
        const double after = potential_of(n) - t * n->sums[SUM_FOLLOW];
        const int defined = isfinite(after) && after < 1e299;
        if (moves && defined && k == 0) break;
        if (!moves && defined && downhill && after <= before - 1e-4 * t * slope + rounding) break;
        if (!moves && defined && k == 0 && halves_residual(n)) break;
        if (moves) return fem_newton_inside_out(n);
        tried[k] = after;
        if (k < BACKTRACKS) continue;
        if (!downhill || !above_noise(tried, before, slope, &t))
            return fem_newton_at_node(n, PIOLA_FAILED_LINE_SEARCH, "the line search found no lower potential");
        fem_combine(f, 1, f->newton.trial, t, f->newton.du, f->newton.y);
        potential(f, n->span, f->newton.y);
        break;
    }
    pio_queue_copy(&f->base.queue, f->newton.trial, f->newton.y, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    return PIOLA_OK;
}

/* du = what is left of the move of the constrained unknowns, the others being 0; returns 1. */
static int prescribe(newton *n)
{
    fem_sim *f = n->f;
    fem_zero_points(f, f->newton.du);
    if (f->supports.n_constrained)
        pio_map(&f->base.queue, fem_prescribe, f->supports.n_constrained, NULL, .node = f->supports.node,
                .axis = f->supports.axis, .support = f->supports.support, .value = f->supports.value,
                .curve = f->supports.curve, .factor = f->curves.factor, .u = f->newton.trial, .du = f->newton.du);
    fem_tie_nodes(f, f->newton.du);
    return 1;
}

static int is_zero(fem_sim *f, const real *x)
{
    double square = 1;
    dot(f, SUM_SLOPE, x, x);
    pio_queue_download(&f->base.queue, &square, f->newton.scalars + SUM_SLOPE, sizeof square);
    return !(square > 0);
}

/* Returns 1 if, before a direction was taken, nothing acts or moves and all is in the reference configuration. The
 * residual is then what rounding leaves of the law. */
static int idle(newton *n)
{
    const double acting = n->sums[SUM_EXTERNAL] + n->sums[SUM_INERTIA] + n->sums[SUM_PRESSED];
    if (acting > 0 || n->momentum > 0) return 0;
    if (n->f->control.channel || !is_zero(n->f, n->f->newton.trial)) return 0;
    n->residual = 0; /* there is nothing that it is relative to */
    return 1;
}

/* Returns 1 if, before a direction was taken, the loads at this span's end equal those that the state balances. */
static int same_loads(newton *n)
{
    fem_sim *f = n->f;
    const fem_span s = n->span, before = s.part > 0 ? (fem_span){s.step, s.part - 1, s.parts} : fem_whole(s.step - 1);
    if (f->motion.integrator != PIO_STATIC || before.step < 0 || f->control.channel) return 0;
    pio_queue_copy(&f->base.queue, f->newton.lambda, f->forces.external, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    fem_external(f, before, f->state.u);
    fem_combine(f, 1, f->forces.external, -1, f->newton.lambda, f->newton.lambda);
    fem_external(f, s, f->state.u);
    return is_zero(f, f->newton.lambda);
}

/* Returns 1 if the forces are in equilibrium: to the tolerance, or to rounding once a direction was taken. Loads may be
 * smaller than the rounding of stresses of the size of the moduli, and move bodies all the same: as far as a direction
 * that is solved for says. */
static int balanced(newton *n)
{
    if (n->residual <= fem_goal_after(n->f, n->iterations)) return 1;
    if (n->iterations > 0 && n->f->linear.stagnated) return 0;
    return n->unbalanced <= fem_newton_dust(n) && (n->iterations > 0 || idle(n) || same_loads(n));
}

static piola_status evaluate_again(void *context, double *residual)
{
    newton *n = context;
    const piola_status rc = evaluate(n, 0);
    *residual = n->unbalanced;
    return rc;
}

/* Where contact has shortened a move of supports or obstacles, the bodies come to rest before it goes on, if not to
 * the tolerance: what is near a barrier gives way by factors, not by differences, and several shortened moves in a row
 * would leave all too far from equilibrium. Returns whether the next iteration moves. */
static int goes_on(newton *n)
{
    if (!n->left) return 0;
    if (n->residual > SETTLED && n->settling < MOST_SETTLING) {
        n->settling++;
        return 0;
    }
    n->settling = 0;
    return prescribe(n);
}

/* Returns whether the method has taken as many iterations as it may: `most` behind the moves that contact shortened,
 * and with them ten times as many. */
static int is_over(const newton *n, int most)
{
    return n->iterations - n->moved >= most || n->iterations >= 10 * most || (n->left && n->moved >= 8 * most);
}

static piola_status iterate(newton *n)
{
    fem_sim *f = n->f;
    /* a run that must take the same parts as one of another design may need more */
    const int most = f->stepping.repeat ? 2 * f->newton.iterations + 8 : f->newton.iterations;
    piola_status rc = evaluate(n, 0);
    int moves = n->sums[SUM_MOVE] > 0 || n->carried;
    while (!rc && (moves || n->left || !balanced(n))) {
        const double before = n->residual;
        moves = moves || goes_on(n);
        const int waits = moves || n->left;
        const int enough =
            !waits && before <= f->newton.tolerance; /* and on to the goal, as far as that can be reached */
        if (is_over(n, most)) {
            if (enough) break;
            return fem_newton_at_node(n, PIOLA_FAILED_NEWTON, "Newton's method has not converged");
        }
        rc = fem_newton_interrupted(n);
        n->exact = !(n->sums[SUM_INTERNAL] > 0);
        n->evaluated = 0;
        if (!rc) rc = direction(n, moves);
        if (!rc) rc = search(n, moves);
        n->rounded = fmax(n->rounded, UNIT_ROUNDOFF * sqrt(n->sums[SUM_ROUNDED])); /* u and du cancel when loads go */
        n->record->newton_iterations++;
        n->iterations++;
        if (moves) n->left = n->reach < 1;
        if (n->left) n->moved = n->iterations;
        moves = 0;
        const int last = rc == PIOLA_NUMERICAL && enough;
        if (last && n->error) *n->error = (piola_error){0};
        if (!rc || last) rc = evaluate(n, !last);
        if (last || (enough && n->residual <= f->newton.tolerance && n->residual > 0.5 * before)) break;
    }
    if (!rc && n->residual > f->newton.tolerance && n->iterations > 0 && !n->exact) {
        const double allowed = n->unbalanced > f->newton.rounding ? 2 * fmax(n->unbalanced, fem_newton_dust(n)) : 0;
        rc = fem_find_hidden_error(f, n->span, n->record, allowed, evaluate_again, n, n->error);
    }
    n->record->residual = fmax(n->record->residual, n->residual);
    n->record->forces = fmax(n->record->forces, n->forces);
    return rc;
}

/* Sets the forces of thermal strains and fibres that all of the residual is measured by. */
static piola_status heat(newton *n)
{
    fem_sim *f = n->f;
    if (!f->materials.has_heat && !f->control.channel) return PIOLA_OK;
    fem_zero_points(f, f->newton.lambda);
    fem_elastic(f, f->newton.lambda, f->newton.y);
    dot(f, SUM_INTERNAL, f->newton.y, f->newton.y);
    const piola_status rc = download(n);
    n->thermal = sqrt(n->sums[SUM_INTERNAL]);
    return rc;
}

/* trial = u0 + h v0; the coefficients and the scale of what moves. */
static piola_status predict(newton *n)
{
    fem_sim *f = n->f;
    const fem_rate_set r = fem_rates_at(f, n->span);
    const double h = f->stepping.dt / n->span.parts;
    n->ca = r.a.d;
    n->cv = r.v.d;
    n->constrained_ca = r.constrained_a.d;
    n->constrained_cv = r.constrained_v.d;
    piola_status rc = fem_contact_limit(f, f->newton.trial, fem_state(f, f->state.u, STATE_V), h, &n->reach, n->error);
    if (rc) return rc;
    fem_combine(f, 1, f->newton.trial, n->reach * h, fem_state(f, f->state.u, STATE_V), f->newton.trial);
    pio_queue_zero(&f->base.queue, f->motion.inertia, sizeof(real) * DIM * (size_t)f->mesh.nodes);
    fem_mass_force(f, fem_state(f, f->state.u, STATE_V), f->motion.inertia);
    dot(f, SUM_INERTIA, f->motion.inertia, f->motion.inertia);
    rc = download(n);
    if (rc) return rc;
    n->momentum = sqrt(n->sums[SUM_INERTIA]) / h;
    return f->lattice.recording && n->sums[SUM_RESIDUAL_LOG] < 0 ? fem_euler_check(f, n->error) : PIOLA_OK;
}

piola_status fem_solve(fem_sim *f, fem_span span, pio_step_record *record, piola_error *error)
{
    pio_queue *q = &f->base.queue;
    const size_t bytes = sizeof(real) * DIM * (size_t)f->mesh.nodes;
    newton n = {.f = f, .span = span, .record = record, .error = error};
    fem_multigrid_expire(f);
    fem_external(f, span, f->state.u);
    pio_queue_copy(q, f->newton.trial, f->state.u, bytes);
    n.carried = fem_contact_rewind(f, span);
    piola_status rc = heat(&n);
    if (!rc && f->motion.integrator != PIO_STATIC) rc = predict(&n);
    if (rc) return rc;
    prescribe(&n);
    rc = iterate(&n);
    if (rc) return rc;
    fem_accept(f);
    return sim_failed(&f->base, error);
}
