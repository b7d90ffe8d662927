/* optimizer_squares.c -- Levenberg and Marquardt's method within bounds, for J = |r|^2/2.
 *
 * Its step p minimises |r + A p|^2 + damping |D p|^2 with A = dr/dz (Levenberg 1944, Marquardt 1963). D has the lengths
 * of the columns of A, the greatest so far of each (More 1978, section 6), so that the step does not depend on the
 * units of z. A is reduced to a triangle R once for each iterate, and R below which sqrt(damping) D is, once for each
 * step, both by Householder's reflections: the normal equations, which square the condition, are never formed.
 *
 * A variable at a bound that the gradient presses against it does not move. Where the step of the others would cross
 * bounds, those variables go to their bounds and the others are computed again, until no bound is crossed. With rising
 * damping the step becomes that of a scaled gradient, projected onto the bounds, so that some step lowers J.
 *
 * The damping follows the gain ratio, that of the decrease of J to the one which the linear model predicts: after a
 * step it is multiplied by 1 - (2 ratio - 1)^3, at least by 1/10 (Nielsen 1999, who has 1/3); a step that was not
 * accepted is shortened by raising it. */
#include "host/optimize/householder.h"
#include "host/optimize/optimizer_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Damping relative to D: at first; the least, with which R is still regular in double precision; and the greatest. */
static const double first_damping = 1e-3, least_damping = 1e-14, most_damping = 1e30;
/* How much shorter the next step is after one that could not be computed, and after one that lowered J too little. */
static const double after_failure = 0.5, after_rise = 0.25;

/* The linear model at the iterate, and a step. */
typedef struct squares {
    pio_run *run;
    size_t rows;            /* of R: the least number of residuals and variables */
    double *reduced;        /* [n][m], of which the first `rows` of each column are R */
    double *reduced_r;      /* [m] of which the first `rows` are Q^T r */
    double *lengths;        /* [n] D */
    double *matrix, *right; /* [n][rows + n], [rows + n] working memory of a step */
    double *step, *z;       /* [n] p, and the trial point */
    bool *moves;            /* [n] the variable is not at a bound, or leaves it */
    size_t rejected, since; /* rejected points, and evaluations until the last of them */
    double damping;         /* of the last step */
    double length;          /* |D p| */
    double predicted;       /* decrease of J along p by the model */
    double most_predicted;  /* the same of the longest step from this iterate */
    double *memory;         /* that of all arrays of doubles */
} squares;

static bool allocate(squares *s)
{
    const pio_optimizer_problem *p = s->run->problem;
    const size_t n = p->n, m = p->n_residuals;
    s->rows = m < n ? m : n;
    const size_t deep = s->rows + n;
    s->memory = calloc(n * m + m + n + n * deep + deep + 2 * n, sizeof *s->memory);
    s->moves = calloc(n, sizeof *s->moves);
    if (!s->memory || !s->moves) {
        pio_run_stop(s->run, PIOLA_NO_MEMORY, PIO_STOP_FAILED, "no memory for steps of %zu variables and %zu residuals",
                     n, m);
        return false;
    }
    s->reduced = s->memory;
    s->reduced_r = s->reduced + n * m;
    s->lengths = s->reduced_r + m;
    s->matrix = s->lengths + n;
    s->right = s->matrix + n * deep;
    s->step = s->right + deep;
    s->z = s->step + n;
    return true;
}

/* Makes the model of the iterate. */
static void linearise(squares *s)
{
    const pio_point *at = &s->run->iterate;
    const size_t n = s->run->problem->n, m = s->run->problem->n_residuals;
    memcpy(s->reduced_r, at->c, m * sizeof *s->reduced_r);
    for (size_t i = 0; i < n; i++) {
        double *column = s->reduced + i * m, largest = 0, sum = 0;
        for (size_t j = 0; j < m; j++) {
            column[j] = at->c_gradient[j * n + i];
            largest = fmax(largest, fabs(column[j]));
        }
        for (size_t j = 0; j < m && largest > 0; j++) sum += (column[j] / largest) * (column[j] / largest);
        s->lengths[i] = fmax(s->lengths[i], largest * sqrt(sum));
    }
    pio_householder(s->reduced, m, n, s->reduced_r);
}

/* Computes the step of the variables that move; the steps of the others are given. */
static void solve(squares *s)
{
    const size_t n = s->run->problem->n, m = s->run->problem->n_residuals;
    const double root = sqrt(s->damping);
    size_t free = 0;
    for (size_t i = 0; i < n; i++) free += s->moves[i];
    const size_t deep = s->rows + free;
    for (size_t k = 0; k < deep; k++) s->right[k] = k < s->rows ? -s->reduced_r[k] : 0;
    for (size_t i = 0, column = 0; i < n; i++) {
        const double *of = s->reduced + i * m;
        for (size_t k = 0; k < s->rows && !s->moves[i]; k++) s->right[k] -= of[k] * s->step[i];
        if (!s->moves[i]) continue;
        double *to = s->matrix + column * deep;
        memset(to, 0, deep * sizeof *to);
        memcpy(to, of, s->rows * sizeof *to);
        to[s->rows + column++] = root * (s->lengths[i] > 0 ? s->lengths[i] : 1);
    }
    pio_householder(s->matrix, deep, free, s->right);
    pio_back_substitute(s->matrix, deep, free, s->right);
    for (size_t i = 0, column = 0; i < n; i++)
        if (s->moves[i]) s->step[i] = s->right[column++];
}

/* Computes |D p| and the decrease of J that the model predicts, -r.A p - |A p|^2/2. */
static void predict(squares *s)
{
    const size_t n = s->run->problem->n, m = s->run->problem->n_residuals;
    s->predicted = s->length = 0;
    for (size_t k = 0; k < s->rows; k++) {
        double change = 0;
        for (size_t i = 0; i < n; i++) change += s->reduced[i * m + k] * s->step[i];
        s->predicted -= change * (s->reduced_r[k] + change / 2);
    }
    for (size_t i = 0; i < n; i++) s->length = hypot(s->length, s->lengths[i] * s->step[i]);
}

/* Finds the step for a damping, and the trial point. */
static void find_step(squares *s, double damping)
{
    const pio_optimizer_problem *p = s->run->problem;
    const pio_point *at = &s->run->iterate;
    s->damping = damping;
    for (size_t i = 0; i < p->n; i++) {
        const double g = at->gradient[i];
        s->moves[i] =
            (at->z[i] > p->lower[i] || g <= 0) && (at->z[i] < p->upper[i] || g >= 0) && p->lower[i] < p->upper[i];
        s->step[i] = 0;
        s->z[i] = at->z[i];
    }
    for (bool crosses = true; crosses;) {
        crosses = false;
        solve(s);
        for (size_t i = 0; i < p->n; i++) {
            if (!s->moves[i]) continue;
            const double to = at->z[i] + s->step[i];
            s->z[i] = fmin(fmax(to, p->lower[i]), p->upper[i]);
            if (to >= p->lower[i] && to <= p->upper[i]) continue;
            s->step[i] = s->z[i] - at->z[i];
            s->moves[i] = false;
            crosses = true;
        }
    }
    predict(s);
}

/* Raises the damping until the step is no longer than a fraction of the last one. Returns false if none is. */
static bool shorten(squares *s, double fraction)
{
    const double longest = fraction * s->length;
    while (s->length > longest && s->damping < most_damping) find_step(s, 4 * s->damping);
    return s->length <= longest;
}

/* Stops if nothing is left to gain. Short steps before points that cannot be computed gain little and prove nothing, so
 * that none of the last evaluations may be one. */
static void test_gain(squares *s)
{
    pio_run *run = s->run;
    if (run->stopped) return;
    if (run->result->rejected > s->rejected) s->since = run->result->evaluations;
    s->rejected = run->result->rejected;
    if (run->result->evaluations - s->since >= PIO_NO_GAIN && pio_run_gains_no_more(run)) pio_run_no_gain(run);
}

/* Accepts the trial, and adapts the damping. Returns false if the run has stopped. */
static bool accept(squares *s, bool settled)
{
    pio_run *run = s->run;
    const double ratio = (run->iterate.J - run->trial.J) / s->predicted, twice = 2 * ratio - 1;
    s->damping = fmax(least_damping, s->damping * fmax(0.1, 1 - twice * twice * twice));
    run->result->iterations++;
    if (!pio_run_accept(run, settled)) return false;
    test_gain(s);
    return !run->stopped;
}

/* Makes one iteration. Returns false if the run has stopped or no step lowers J. */
static bool descend(squares *s)
{
    pio_run *run = s->run;
    find_step(s, s->damping);
    do {
        double before, after;
        if (!memcmp(s->z, run->iterate.z, run->problem->n * sizeof *s->z)) return false;
        if (!pio_run_evaluate(run, s->z)) return false;
        pio_run_slopes(run, &before, &after);
        if (!run->trial.failed && pio_run_improves(run, &run->iterate, &run->trial, before))
            return accept(s, fabs(after) <= PIO_SETTLED_SLOPE * fabs(before));
        test_gain(s);
    } while (!run->stopped && shorten(s, run->trial.failed ? after_failure : after_rise));
    return false;
}

/* Returns whether the longest step would lower J by no more than its rounding, or, near 0, than that of the residuals;
 * keeps that decrease, and leaves the damping. */
static bool is_at_minimum(squares *s)
{
    const double damping = s->damping;
    find_step(s, least_damping);
    const pio_run *run = s->run;
    const double rounding = run->definition->rounding;
    s->damping = damping;
    s->most_predicted = s->predicted;
    return s->predicted >= 0 && !(run->definition->stop_gradient > 0) &&
           s->predicted <= fmax(rounding * fabs(run->iterate.J), rounding * rounding * fabs(run->first_J));
}

void pio_run_squares(pio_run *run)
{
    squares s = {.run = run, .damping = first_damping};
    bool lowers = allocate(&s);
    while (lowers) {
        linearise(&s);
        if (is_at_minimum(&s)) {
            pio_run_no_decrease(run, s.predicted);
            break;
        }
        lowers = descend(&s);
    }
    /* Steps that had to be short, as longer ones could not be computed, say too little. */
    if (run->failed_since_step) run->expected_decrease = fmax(run->expected_decrease, s.most_predicted);
    if (!run->stopped) pio_run_no_progress(run);
    free(s.memory);
    free(s.moves);
}
