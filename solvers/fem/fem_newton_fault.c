/* fem_newton_fault.c -- what is said where Newton's method fails (fem_newton.c). */
#include "solvers/fem/fem_newton.h"
#include "solvers/fem/fem_vary.h"

#include <stdio.h>

piola_status fem_newton_inside_out(newton *n)
{
    const piola_failure what = fem_failed_inside_out(n->f, n->f->newton.y);
    char element[32] = "an element";
    if (what.of == PIOLA_FAILED_ELEMENT) snprintf(element, sizeof element, "element %lld", (long long)what.item);
    return sim_fail_as(n->error, PIOLA_NUMERICAL, what,
                       "step %lld: the move of the supports in one step turns %s inside out; smaller load steps would "
                       "be right",
                       (long long)what.step, element);
}

piola_status fem_newton_at_node(newton *n, piola_failure_kind kind, const char *how)
{
    const piola_failure what = fem_failed_at_node(n->f, kind, n->f->newton.rhs, n->residual);
    const int digits = sizeof(real) == 4 && (n->residual < 1e-3 || n->unbalanced < 10 * fem_newton_dust(n));
    return sim_fail_as(
        n->error, PIOLA_NUMERICAL, what,
        "step %lld: %s after %d iterations: the relative residual is %.3g, solver.tolerance %.3g, the largest "
        "unbalanced force at node %lld; %s would be right",
        (long long)what.step, how, n->iterations, n->residual, n->f->newton.tolerance, (long long)what.item,
        n->f->linear.stagnated && !n->f->linear.standby.automatic ? "'solver.linear: auto', as this solver stagnates,"
        : digits ? "numbers of 7 digits may allow no less: a larger tolerance, or f64,"
                 : "smaller load steps");
}

piola_status fem_newton_not_finite(newton *n)
{
    fem_sim *f = n->f;
    const real *wrong = isfinite(n->sums[SUM_RESIDUAL]) ? f->newton.du : f->newton.rhs;
    const piola_failure what = fem_failed_at_node(f, PIOLA_FAILED_NOT_FINITE, wrong, (double)NAN);
    char value[48];
    if (!fem_vary_is_finite(f, value))
        return sim_fail_as(n->error, PIOLA_NUMERICAL, what,
                           "step %lld: the value of %s is not finite somewhere: its expression divides by 0, is too "
                           "large, or has a root or logarithm of what is below 0",
                           (long long)what.step, value);
    return sim_fail_as(n->error, PIOLA_NUMERICAL, what,
                       "step %lld: the residual is not finite after %d iterations, at node %lld", (long long)what.step,
                       n->iterations, (long long)what.item);
}

piola_status fem_newton_interrupted(const newton *n)
{
    const pio_sim *s = &n->f->base;
    const char *why = s->interrupted ? s->interrupted() : NULL;
    if (!why) return PIOLA_OK;
    return sim_fail(n->error, PIOLA_INTERRUPTED, "step %lld: interrupted by %s after %d iterations of Newton's method",
                    (long long)n->span.step, why, n->iterations);
}
