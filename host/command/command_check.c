/* command_check.c -- piola check: compares the adjoint with finite differences, by Taylor remainders along directions
 * of z.
 *
 * Directions: random ones, the gradient itself, and for every parameter its variable with the largest derivative; a
 * single variable has one direction only. All are scaled so that their largest entry is 1: a step e changes no
 * normalised variable by more than e. In each of them the objective and every constraint are checked.
 *
 * Steps begin at 1e-3, or at 3/4 of the distance to the nearest end of a quantity's own range, and are halved ten
 * times. They begin shorter where a law is not defined for the constants there. If that leaves a direction undecided,
 * because the rounding of J is too large relative to its change, or because its curvature is too large, other first
 * steps are tried as long as they reduce the uncertainty of the derivative; where an end of a range is too near for
 * longer ones, they go to the other side alone. */
#include "host/run/equilibrium.h"
#include "host/results/check_record.h"
#include "host/command/command.h"
#include "host/command/command_check.h"
#include "host/command/command_study.h"
#include "host/results/result.h"
#include "host/run/output_folder.h"
#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/base/signals.h"
#include "host/scene/scene_query.h"
#include "host/scene/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 10, STEPS = HALVINGS + 1 };
static const double first_step = 1e-3; /* change of a normalised variable */
static const double longer[] = {8, 64, 256},
                    shorter[] = {1 / 16.0, 1 / 256.0}; /* other first steps, in units of the first one */
static const double part_of_range = 0.75;              /* of the distance to an end of a quantity's own range */
static const double rounding = 1e-12;                  /* rounding of a gradient, relative to its largest entry */
static const double tighter = 1e-3;                    /* Newton's tolerance of the compared runs over the scene's */

enum { LONGER = sizeof longer / sizeof *longer, SHORTER = sizeof shorter / sizeof *shorter };

/* A function of the design: number 0 is the objective, the others are the constraints. */
typedef struct {
    const char *name;        /* name of the constraint; NULL: the objective */
    double start, *gradient; /* value at z0; [n_variables] gradient there */
    double plus[STEPS], minus[STEPS];
    double error_bound; /* upper bound of the error of J from unconverged equilibria, see equilibrium.h */
    int64_t sweep;      /* number of the adjoint sweep that computes its gradient */
} function;

typedef struct {
    pio_session *s;
    double *z, *direction;
    function *functions;
    int n_functions;
    pio_taylor_row *rows;
    double first, most; /* along the direction: first step; longest step that leaves no value's own range */
    int side;           /* of the steps along the direction: 1 or -1; 0: both */
    size_t n, space;    /* rows that are done; rows in all */
    int64_t runs, most_runs;
} check;

static bool implicit(const pio_session *s)
{
    return s->engine.table->goal && !scene_leaps(s->scene->fem.integrator);
}

/* Returns Newton's tolerance of the compared runs. It is smaller than the scene's, because a difference divides the
 * error of their residual forces by the step. Rounding is accepted as in every run. */
static double compared_tolerance(const pio_session *s)
{
    return tighter * s->model->fem->desc.newton_tolerance;
}

/* Prints a line of the table through the log, which separates it from the progress bar. */
static void print_line(check *c, const pio_taylor_row *row)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return;
    if (row)
        pio_taylor_print_row(to, row);
    else
        pio_taylor_print_header(to);
    if (fclose(to) == 0)
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            pio_log_message(c->s->call.log, PIO_INFO, "%s", line);
    free(text);
}

/* Adds to the message of a run that failed that the check moved the design there. */
static void explain_failure(double step, const char *name, piola_error *error)
{
    const size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used,
             "; piola check moved the design there, by %.2g of its normalised variables along '%s'", step, name);
}

/* Evaluates all functions at z0 + step times the direction. */
static piola_status evaluate(check *c, double step, int k, piola_error *error)
{
    const int n = c->s->model->n_variables;
    for (int v = 0; v < n; v++) c->z[v] = c->s->model->z0[v] + step * c->direction[v];
    const piola_status rc = pio_session_forward(c->s, c->z, NULL, error);
    for (int f = 0; !rc && f < c->n_functions; f++) {
        function *of = &c->functions[f];
        *(step > 0 ? &of->plus[k] : &of->minus[k]) = f ? c->s->evaluation.c[f - 1] : c->s->evaluation.J;
        of->error_bound = fmax(of->error_bound, pio_equilibrium_error_bound(c->s, of->sweep));
    }
    pio_log_progress(c->s->call.log, "check", ++c->runs, c->most_runs, "runs");
    return rc;
}

/* Appends to the reason of an undecided row what would decide it. */
static void advise(const check *c, const function *f, pio_taylor_row *row)
{
    const pio_session *s = c->s;
    const size_t used = strlen(row->reason);
    const bool f32 = !strcmp(s->engine.table->precision, "f32");
    const double loose = implicit(s) ? s->model->fem->desc.newton_tolerance : 0,
                 known = row->remainder + row->uncertainty;
    const double change = fabs(f->plus[0] - f->start);
    char objective[120] = "", solver[80] = "", tolerance[80] = "";
    if (strstr(row->reason, "would decide")) return; /* residual forces: the reason has the advice already */
    if (change < 1e-3 * fabs(f->start))
        snprintf(objective, sizeof objective,
                 ", or one nearer to 0 at the start, where it is %.3g and the largest step changes %.1g", f->start,
                 change);
    if (loose > 2 * pio_fem_tolerance(false))
        snprintf(solver, sizeof solver, ", or a solver.tolerance below %g", loose);
    if (isfinite(known)) snprintf(tolerance, sizeof tolerance, "a gradient.check.tolerance of %.1g, ", 1.5 * known);
    snprintf(row->reason + used, sizeof row->reason - used, "; would decide it: %s%s%s%s", tolerance,
             f32 ? "f64, or an objective that changes more" : "an objective that changes more or is smoother here",
             objective, solver);
}

static void judge(check *c, const function *f, const char *direction, const double *step, pio_taylor_row *row)
{
    double slope = 0, scale = 0, largest = 0;
    char name[400];
    for (int v = 0; v < c->s->model->n_variables; v++) {
        slope += f->gradient[v] * c->direction[v];
        scale += fabs(f->gradient[v] * c->direction[v]);
        largest = fmax(largest, fabs(f->gradient[v]));
    }
    /* A derivative is compared relative to the largest one, or to J if the largest one is rounding of J. */
    const double J = fabs(f->start), weight = largest > rounding * J ? largest : J;
    scale = fmax(scale, rounding * largest); /* the gradient's own rounding is the least scale */
    snprintf(name, sizeof name, "%s%s%s", f->name ? f->name : "", f->name ? ": " : "", direction);
    const pio_taylor_direction d = {.name = name,
                                    .J0 = f->start,
                                    .adjoint = c->side < 0 ? -slope : slope,
                                    .n = STEPS,
                                    .step = step,
                                    .plus = c->side < 0 ? f->minus : f->plus,
                                    .minus = c->side ? NULL : f->minus,
                                    .tolerance = c->s->scene->gradient.check_tolerance,
                                    .error_bound = f->error_bound,
                                    .weight = weight,
                                    .scale = scale > 0 ? scale : fabs(f->start)};
    pio_taylor_check(&d, row);
    if (c->side < 0) { /* of -h */
        row->adjoint = -row->adjoint;
        row->difference = -row->difference;
        row->fitted = -row->fitted;
    }
    if (row->verdict == PIO_TAYLOR_INCONCLUSIVE) advise(c, f, row);
}

/* Evaluates the functions along the direction, at steps that begin with `first`. */
static piola_status measure(check *c, const char *name, double first, double *step, piola_error *error)
{
    for (int f = 0; f < c->n_functions; f++) c->functions[f].error_bound = 0;
    for (int k = 0; k < STEPS; k++) {
        step[k] = ldexp(first, -k);
        piola_status rc = c->side < 0 ? PIOLA_OK : evaluate(c, step[k], k, error);
        if (!rc && c->side <= 0) rc = evaluate(c, -step[k], k, error);
        if (rc == PIOLA_NUMERICAL) explain_failure(step[k], name, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

/* As measure(), at steps that begin with the longest of the usual first steps with admissible constants, which becomes
 * c->first. */
static piola_status measure_first(check *c, const char *name, double *step, piola_error *error)
{
    const double longest = fmin(first_step, c->most);
    c->first = longest;
    piola_status rc = measure(c, name, c->first, step, error);
    for (int i = 0; rc == PIOLA_NUMERICAL && error->failure.kind == PIOLA_FAILED_CONSTANTS && i < SHORTER; i++) {
        memset(error, 0, sizeof *error);
        c->first = shorter[i] * longest;
        c->most_runs += 2 * STEPS;
        rc = measure(c, name, c->first, step, error);
    }
    return rc;
}

/* Returns whether steps from `first` on stay within the bounds of the design and its own range; longer steps than usual
 * must do so. */
static bool within_bounds(const check *c, double first)
{
    const pio_model *m = c->s->model;
    bool within = first <= c->most;
    for (int v = 0; v < m->n_variables; v++)
        for (int side = -1; side <= 1 && fabs(c->direction[v]) > 0; side += 2) {
            const double z = m->z0[v] + side * first * c->direction[v];
            if (side != -c->side) within &= z >= m->lower[v] && z <= m->upper[v];
        }
    return within;
}

/* Returns whether a row with another first step replaces the undecided one: it decides, and not by values far from
 * z0. */
static bool decides(const pio_taylor_row *next)
{
    return next->verdict == PIO_TAYLOR_PASSED ||
           (next->verdict == PIO_TAYLOR_FAILED && next->remainder - next->uncertainty > next->tolerance);
}

/* Tries steps that begin with `first` for the undecided rows. *better: one of them is decided, or has a smaller
 * uncertainty. A run that fails there decides nothing. */
static piola_status try_again(check *c, const char *name, int from, int to, double first, bool *better,
                              piola_error *error)
{
    double step[STEPS];
    *better = false;
    if (first > c->first && !within_bounds(c, first)) return PIOLA_OK;
    c->most_runs += (c->side ? 1 : 2) * STEPS;
    const piola_status rc = measure(c, name, first, step, error);
    if (rc == PIOLA_NUMERICAL) memset(error, 0, sizeof *error);
    if (rc) return rc == PIOLA_NUMERICAL ? PIOLA_OK : rc;
    for (int f = from; f < to; f++) {
        pio_taylor_row next, *row = &c->rows[c->n + (size_t)(f - from)];
        if (row->verdict != PIO_TAYLOR_INCONCLUSIVE) continue;
        judge(c, &c->functions[f], name, step, &next);
        const bool known = next.verdict == PIO_TAYLOR_INCONCLUSIVE && next.uncertainty < 0.5 * row->uncertainty;
        if (!decides(&next) && !known) continue;
        *row = next;
        *better = true;
    }
    return PIOLA_OK;
}

static bool is_undecided(const check *c, int rows)
{
    for (int i = 0; i < rows; i++)
        if (c->rows[c->n + (size_t)i].verdict == PIO_TAYLOR_INCONCLUSIVE) return true;
    return false;
}

/* Tries longer steps on the side with more distance to the ends of ranges, where those keep the others short. */
static piola_status try_one_side(check *c, const char *name, int from, int to, piola_error *error)
{
    const double below = pio_model_distance_to_end(c->s->model, c->direction, -1),
                 above = pio_model_distance_to_end(c->s->model, c->direction, 1);
    piola_status rc = PIOLA_OK;
    bool better = c->most < longer[LONGER - 1] * first_step;
    c->side = above > below ? 1 : -1;
    c->most = part_of_range * fmax(below, above);
    for (int i = 0; !rc && i < LONGER && better && is_undecided(c, to - from); i++)
        rc = try_again(c, name, from, to, longer[i] * first_step, &better, error);
    c->side = 0;
    return rc;
}

/* Checks the functions first .. last - 1 along the direction. */
static piola_status try_direction(check *c, const char *name, int first, int last, piola_error *error)
{
    double step[STEPS], largest = 0;
    const int n = c->s->model->n_variables;
    bool better = true;
    for (int v = 0; v < n; v++) largest = fmax(largest, fabs(c->direction[v]));
    for (int v = 0; v < n && largest > 0; v++) c->direction[v] /= largest;
    c->most = part_of_range * fmin(pio_model_distance_to_end(c->s->model, c->direction, -1),
                                   pio_model_distance_to_end(c->s->model, c->direction, 1));
    piola_status rc = measure_first(c, name, step, error);
    if (rc) return rc;
    for (int f = first; f < last; f++) judge(c, &c->functions[f], name, step, &c->rows[c->n + (size_t)(f - first)]);
    for (int i = 0; !rc && i < LONGER && better && is_undecided(c, last - first); i++)
        rc = try_again(c, name, first, last, longer[i] * c->first, &better, error);
    better = true;
    for (int i = 0; !rc && i < SHORTER && better && is_undecided(c, last - first); i++)
        rc = try_again(c, name, first, last, shorter[i] * c->first, &better, error);
    if (!rc) rc = try_one_side(c, name, first, last, error);
    for (int f = first; !rc && f < last; f++) print_line(c, &c->rows[c->n++]);
    return rc;
}

/* Returns a number that is uniform in [-1, 1), by Knuth's linear congruential generator for MMIX; the scene has the
 * seed. */
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static piola_status random_directions(check *c, piola_error *error)
{
    uint64_t state = (uint64_t)c->s->scene->common.seed + 1;
    for (int d = 0; d < c->s->scene->gradient.check_directions; d++) {
        char name[32];
        snprintf(name, sizeof name, "random %d", d + 1);
        for (int v = 0; v < c->s->model->n_variables; v++) c->direction[v] = next_random(&state);
        const piola_status rc = try_direction(c, name, 0, c->n_functions, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

static piola_status parameter_directions(check *c, piola_error *error)
{
    const pio_model *m = c->s->model;
    const double *gradient = c->functions[0].gradient;
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_parameter *p = &m->parameters[k];
        int best = p->first;
        char name[256];
        if (p->tied) continue;
        for (int v = p->first; v < p->first + p->groups * p->components; v++)
            if (fabs(gradient[v]) > fabs(gradient[best])) best = v;
        memset(c->direction, 0, sizeof(double) * (size_t)m->n_variables);
        c->direction[best] = 1;
        pio_model_variable_name(m, best, name, sizeof name);
        const piola_status rc = try_direction(c, name, 0, c->n_functions, error);
        if (rc) return rc;
    }
    return PIOLA_OK;
}

/* Returns whether the design has one variable, and so one direction. */
static bool has_one_direction(const pio_session *s)
{
    return s->model->n_variables == 1;
}

static piola_status all_directions(check *c, piola_error *error)
{
    const size_t n = (size_t)c->s->model->n_variables;
    pio_log_message(c->s->call.log, PIO_INFO, "check: %zu variables, tolerance %g, %d halvings from %g", n,
                    c->s->scene->gradient.check_tolerance, HALVINGS, first_step);
    print_line(c, NULL);
    if (has_one_direction(c->s)) return parameter_directions(c, error);
    piola_status rc = random_directions(c, error);
    for (int f = 0; !rc && f < c->n_functions; f++) {
        memcpy(c->direction, c->functions[f].gradient, sizeof(double) * n);
        rc = try_direction(c, "the gradient", f, f + 1, error);
    }
    return rc ? rc : parameter_directions(c, error);
}

/* Evaluates the functions and their gradients at z0. */
static piola_status begin(check *c, piola_error *error)
{
    pio_session *s = c->s;
    const size_t n = (size_t)s->model->n_variables;
    const piola_status rc = pio_session_gradient(s, s->model->z0, NULL, error);
    for (int f = 0; !rc && f < c->n_functions; f++) {
        function *of = &c->functions[f];
        of->name = f ? s->constraints.list[f - 1].name : NULL;
        of->sweep = f ? f - 1 : s->memory.schedule.sweeps - 1;
        memcpy(of->gradient, f ? s->adjoint.c_bar + (size_t)(f - 1) * n : s->adjoint.z_bar, sizeof(double) * n);
    }
    return rc;
}

/* Begins the runs that are compared: from z0, with load steps divided as in the gradient's run, and with smaller
 * residuals. */
static piola_status begin_runs(check *c, piola_error *error)
{
    pio_session *s = c->s;
    if (s->engine.table->repeat) s->engine.table->repeat(s->sim, 1);
    if (implicit(s)) {
        s->engine.table->goal(s->sim, compared_tolerance(s));
        pio_log_message(s->call.log, PIO_INFO,
                        "check: the runs that are compared are solved to %g of the forces, or to rounding",
                        compared_tolerance(s));
    }
    const piola_status rc = pio_session_forward(s, s->model->z0, NULL, error);
    for (int f = 0; !rc && f < c->n_functions; f++)
        c->functions[f].start = f ? s->evaluation.c[f - 1] : s->evaluation.J;
    return rc;
}

static piola_status run_directions(check *c, piola_error *error)
{
    pio_session *s = c->s;
    piola_status rc = begin(c, error);
    const pio_sweep_result sweep = s->evaluation.sweep; /* that of the gradient */
    if (!rc) rc = begin_runs(c, error);
    if (!rc) {
        rc = all_directions(c, error);
        pio_log_progress_end(s->call.log);
    }
    if (implicit(s)) s->engine.table->goal(s->sim, s->model->fem->desc.newton_tolerance);
    if (!rc) { /* the report has the state at z0, not at the last step away from it */
        memcpy(s->adjoint.z_bar, c->functions[0].gradient, sizeof(double) * (size_t)s->model->n_variables);
        rc = pio_session_forward(s, s->model->z0, NULL, error);
        s->evaluation.sweep = sweep;
    }
    return rc ? rc : pio_check_report(s, c->rows, c->n, implicit(s) ? compared_tolerance(s) : 0, error);
}

static piola_status run_check(pio_session *s, piola_error *error)
{
    const size_t n = (size_t)s->model->n_variables, functions = (size_t)s->constraints.n + 1;
    /* The numbers of directions for one function and for all functions. */
    size_t own = functions, shared = (size_t)s->scene->gradient.check_directions;
    if (has_one_direction(s)) own = shared = 0;
    shared += (size_t)s->model->n_parameters;
    const size_t space = functions * shared + own;
    check c = {.s = s,
               .space = space,
               .most_runs = (int64_t)(2 * STEPS * (shared + own)),
               .n_functions = (int)functions,
               .z = malloc(sizeof(double) * n),
               .direction = malloc(sizeof(double) * n),
               .functions = calloc(functions, sizeof(function)),
               .rows = calloc(space, sizeof(pio_taylor_row))};
    double *gradients = malloc(sizeof(double) * functions * n);
    for (size_t f = 0; c.functions && gradients && f < functions; f++) c.functions[f].gradient = gradients + f * n;
    const piola_status rc = c.z && c.direction && c.functions && c.rows && gradients
                                ? run_directions(&c, error)
                                : pio_fail_memory(error, (functions + 2) * sizeof(double) * n, "a check");
    free(gradients);
    free(c.functions);
    free(c.z);
    free(c.direction);
    free(c.rows);
    return rc;
}

piola_status piola_check(const piola_options *options, piola_error *error)
{
    pio_session *s = NULL;
    piola_error own = {0};
    if (!error) error = &own;
    if (options->scene && pio_study_is(options->scene)) return pio_command_study(options, "check", error);
    piola_status rc = pio_command_no_study(options, "check", error);
    if (!rc) rc = pio_command_begin(options, error);
    if (rc) return rc;
    rc = pio_command_open(&s, options, "check", PIO_ALL_GRADIENTS, "f64", error);
    if (!rc && s->objective.n == 0)
        rc = pio_scene_fault(s->scene, error, "objective", "a check needs an objective");
    else if (!rc && s->model->n_variables == 0)
        rc = pio_scene_fault(s->scene, error, "design",
                             "a check needs design variables to differentiate with respect to");
    else if (!rc && s->model->desc.first > 0)
        rc = pio_fail(
            error, PIOLA_USAGE,
            "gradient.window: the gradient of the last %.9g s of %.9g s is not the derivative of the objective, "
            "which a check would report; remove it to check the whole gradient",
            s->scene->gradient.window, s->scene->time.duration);
    if (!rc && !options->dry_run) rc = pio_session_make_directory(s, error);
    if (!rc && !options->dry_run) {
        pio_check_record_forget(s);
        rc = run_check(s, error);
        if (rc && rc != PIOLA_NO) pio_command_failed(s, rc, error);
    }
    rc = pio_session_end(s, rc, error);
    pio_signals_restore();
    return rc;
}
