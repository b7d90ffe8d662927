/* problem_steps.c -- a problem step by step, for loops of the caller's own; see problem.h. */
#include "host/command/problem.h"

#include "host/base/fail.h"

size_t piola_steps(const piola_problem *p)
{
    return (size_t)p->session->model->steps;
}

piola_status piola_begin(piola_problem *p, const double *values, piola_error *error)
{
    piola_error own = {0};
    if (!error) error = &own;
    piola_status rc = pio_problem_design(p, values, error);
    if (rc) return rc;
    pio_problem_begin(p);
    rc = pio_session_begin_steps(p->session, p->z, error);
    p->stepping = rc == PIOLA_OK;
    p->evaluated = p->at_end = p->stepping && piola_steps(p) == 0;
    return pio_problem_end(p, rc);
}

piola_status piola_step(piola_problem *p, size_t n, piola_error *error)
{
    const size_t at = piola_step_number(p), steps = piola_steps(p);
    piola_error own = {0};
    if (!error) error = &own;
    if (!p->stepping)
        return pio_fail(error, PIOLA_USAGE,
                        "there is no state to step from: piola_begin comes first, also after another evaluation and "
                        "after a step that failed");
    if (n > steps - at)
        return pio_fail(error, PIOLA_USAGE, "%zu steps from state %zu lead beyond the last one, %zu", n, at, steps);
    if (n == 0) return PIOLA_OK;
    pio_problem_begin(p);
    const piola_status rc = pio_session_steps(p->session, (int64_t)n, pio_problem_check_every(p), error);
    p->stepping = rc == PIOLA_OK;
    p->evaluated = p->at_end = p->stepping && at + n == steps;
    return pio_problem_end(p, rc);
}

size_t piola_step_number(const piola_problem *p)
{
    if (p->stepping) return (size_t)p->session->engine.table->step(p->session->sim);
    return p->evaluated ? piola_steps(p) : 0;
}

double piola_time(const piola_problem *p)
{
    return (double)piola_step_number(p) * p->session->scene->time.dt;
}
