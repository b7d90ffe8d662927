/* session_log.c -- see session_log.h. */
#include "host/run/session_log.h"

void pio_session_note_change(pio_session *s)
{
    pio_solver_change *c = &s->evaluation.change;
    *c = (pio_solver_change){0};
    if (!s->sim || !s->engine.table->solver_change) return;
    s->engine.table->solver_change(s->sim, c);
    if (!c->why[0] || s->evaluation.change_logged) return;
    pio_log_message(s->call.log, PIO_INFO,
                    "solver: auto: %s (linear solves that changed: %lld of steps, %lld of adjoints)", c->why,
                    (long long)c->forward, (long long)c->adjoint);
    s->evaluation.change_logged = true;
}

/* Logs what each of `steps` steps gave the device to do. */
static void log_calls(const pio_session *s, const char *direction, const pio_device_calls *c, int64_t steps)
{
    const double n = (double)steps;
    if (steps == 0) return;
    pio_log_message(s->call.log, PIO_DETAIL,
                    "device: %s: %.1f launches, %.1f copies and %.1f waits per step; %.2f graphs", direction,
                    (double)c->launches / n, (double)c->copies / n, (double)c->waits / n, (double)c->graphs / n);
}

void pio_session_log_calls(const pio_session *s)
{
    const pio_sweep_result *r = &s->evaluation.sweep;
    log_calls(s, "forward", &r->forward_calls, s->model->steps);
    log_calls(s, "adjoint", &r->adjoint_calls, r->adjoint_steps);
}
