/* certificate.c -- see certificate.h. */
#include "host/results/certificate.h"

#include "host/results/check_record.h"
#include "host/results/modes.h"

#include <math.h>
#include <stdio.h>

void pio_check_rows_json(const pio_taylor_row *rows, size_t n, pio_json *json, const char *key)
{
    pio_json_begin_array(json, key);
    for (size_t i = 0; i < n; i++) {
        const pio_taylor_row *r = &rows[i];
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "direction", r->name);
        pio_json_string(json, "verdict", pio_taylor_verdict_name(r->verdict));
        pio_json_double(json, "adjoint", r->adjoint);
        pio_json_double(json, "difference", r->difference);
        pio_json_double(json, "remainder", r->remainder);
        pio_json_double(json, "uncertainty", r->uncertainty);
        pio_json_double(json, "first_step", r->first_step);
        pio_json_double(json, "first_order", r->first_order);
        pio_json_double(json, "second_order", r->second_order);
        pio_json_string(json, "reason", r->reason);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

/* Writes for each constraint the sum of the linear iterations of its adjoint sweep and their largest residual. */
static void constraints_json(const pio_session *s, pio_json *json)
{
    if (!s->adjoint.of_constraints || !s->constraints.n || !s->model->fem) return;
    pio_json_begin_array(json, "constraints");
    for (int i = 0; i < s->constraints.n; i++) {
        int64_t iterations = 0;
        double residual = 0;
        for (int64_t k = 0; k < s->adjoint.n_records; k++) {
            const pio_step_record *r = &s->adjoint.records[i * s->model->steps + k];
            iterations += r->adjoint_iterations;
            residual = fmax(residual, r->adjoint_residual);
        }
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "constraint", s->constraints.list[i].name);
        pio_json_integer(json, "adjoint_iterations", iterations);
        pio_json_double(json, "adjoint_residual", residual);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

/* Writes what the implicit steps took in the objective's gradient, the last one: an entry per step, from step 0. */
static void solves_json(const pio_session *s, pio_json *json)
{
    if (!s->model->fem) {
        pio_json_string(json, "linear_solves", "none: the scheme is explicit");
        return;
    }
    if (s->memory.bytes.solver[0]) {
        pio_json_string(json, "linear_solver", s->memory.bytes.solver);
        pio_json_string(json, "linear_solver_why", s->memory.bytes.solver_why);
        pio_json_string(json, "linear_solver_changed", s->evaluation.change.why[0] ? s->evaluation.change.why : NULL);
        pio_json_string(json, "matrix_product", s->memory.bytes.product);
    }
    if (s->scene->fem.integrator == PIO_MODAL) {
        pio_json_string(json, "linear_solves", "none: eigenvalues are differentiated by their shapes");
        pio_modes_json(s, json);
        return;
    }
    pio_json_begin_array(json, "linear_solves");
    for (int64_t k = 0; k < s->adjoint.n_records; k++) {
        const pio_step_record *r = &s->adjoint.records[(s->memory.schedule.sweeps - 1) * s->model->steps + k];
        pio_json_begin_object(json, NULL);
        pio_json_integer(json, "parts", r->parts);
        pio_json_integer(json, "newton_iterations", r->newton_iterations);
        pio_json_integer(json, "projected", r->projected);
        pio_json_integer(json, "linear_iterations", r->linear_iterations);
        pio_json_integer(json, "indefinite", r->indefinite);
        pio_json_integer(json, "changed", r->takeover.solves);
        pio_json_double(json, "residual", r->residual);
        pio_json_double(json, "forces", r->forces);
        pio_json_integer(json, "adjoint_iterations", r->adjoint_iterations);
        pio_json_double(json, "adjoint_residual", r->adjoint_residual);
        pio_json_integer(json, "adjoint_changed", r->adjoint_takeover.solves);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

/* Writes the kinks of the motion near which the last gradient was computed; there finite differences may disagree with
 * it. */
static void kinks_json(const pio_session *s, pio_json *json)
{
    const pio_engine *e = s->engine.table;
    pio_kinks kinks = {0};
    char text[500];
    int64_t count = e->kinks ? e->kinks(s->sim, 0, &kinks) : -1;
    pio_json_string(json, "kink_warning", pio_kink_warning(e, s->sim, text, sizeof text) ? text : NULL);
    if (count < 0) return;
    pio_json_begin_array(json, "kinks");
    for (int32_t i = 1; count >= 0; count = e->kinks(s->sim, i++, &kinks)) {
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "what", kinks.what);
        pio_json_double(json, "tolerance", kinks.tolerance);
        pio_json_string(json, "unit", kinks.unit);
        pio_json_integer(json, "near", count);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
}

/* Writes how surfaces met each other in the last run. */
static void surfaces_json(const pio_contact_report *report, pio_json *json)
{
    pio_json_begin_object(json, "surfaces");
    pio_json_integer(json, "points", report->points);
    pio_json_integer(json, "met", report->met);
    pio_json_integer(json, "parted", report->parted);
    pio_json_integer(json, "pairs", report->pairs);
    pio_json_integer(json, "room", report->room);
    pio_json_double(json, "distance", report->nearest);
    if (report->rubs) {
        pio_json_integer(json, "stuck", report->rub_stuck);
        pio_json_integer(json, "between", report->rub_between);
        pio_json_integer(json, "slid", report->rub_slid);
    }
    pio_json_end_object(json);
}

/* Writes how bodies and obstacles, and bodies and bodies, met in the last run, where they can. */
static void contact_json(const pio_session *s, pio_json *json)
{
    pio_contact_report report;
    if (!s->model->fem || !s->engine.table->contact) return;
    if (s->engine.table->contact(s->sim, &report, NULL)) return;
    if (report.room) surfaces_json(&report, json);
    if (!s->model->desc.n_obstacles) return;
    pio_json_begin_object(json, "contact");
    pio_json_integer(json, "points", report.points);
    pio_json_integer(json, "began", report.began);
    pio_json_integer(json, "ended", report.ended);
    pio_json_double(json, "gap", report.gap);
    if (report.rough) {
        pio_json_integer(json, "stuck", report.stuck);
        pio_json_integer(json, "between", report.between);
        pio_json_integer(json, "slid", report.slid);
    }
    pio_json_end_object(json);
}

void pio_certificate_json(const pio_session *s, const pio_taylor_row *rows, size_t n, pio_json *json, const char *key)
{
    char engine[80];
    snprintf(engine, sizeof engine, "%s_%s_%dd", s->engine.table->device, s->engine.table->precision,
             s->scene->method.dimension);
    pio_json_begin_object(json, key);
    pio_json_string(
        json, "method",
        !s->model->fem ? "discrete adjoint of explicit MLS-MPM"
        : s->scene->fem.integrator == PIO_STATIC
            ? "adjoint of quasi-static finite elements: one solve with the Jacobian at the solution"
        : s->scene->fem.integrator == PIO_MODAL
            ? "derivatives of eigenvalues: phi^T (dK - lambda dM) phi, shapes normalised by the masses"
        : s->scene->fem.integrator == PIO_LEAPFROG ? "discrete adjoint of the leapfrog of finite elements"
        : s->scene->fem.integrator == PIO_REVERSIBLE_LEAPFROG
            ? "discrete adjoint of the leapfrog of finite elements on a lattice, rounding counted as the identity"
            : "adjoint of finite elements in motion: one solve a step with the Jacobian at its solution");
    pio_json_string(json, "engine", engine);
    pio_json_string(json, "schedule", s->memory.schedule.name);
    pio_json_integer(json, "states_kept", s->model->desc.slots);
    pio_json_integer(json, "states_on_disk", s->memory.plan.kept);
    pio_json_integer(json, "disk_bytes", (int64_t)s->memory.plan.disk_bytes);
    pio_json_integer(json, "state_bytes", (int64_t)s->memory.bytes.state);
    pio_json_integer(json, "node_sums_bytes", (int64_t)s->memory.bytes.beside_state);
    pio_json_string(json, "state_form", s->memory.bytes.slot_nodes ? "cut after the grid update" : "whole");
    if (s->memory.bytes.slot_nodes) pio_json_integer(json, "state_nodes", s->memory.bytes.slot_nodes);
    pio_json_integer(json, "peak_bytes", (int64_t)(s->memory.bytes.total + s->evaluation.change.bytes));
    if (s->scene->gradient.memory_budget > 0)
        pio_json_integer(json, "budget_bytes", (int64_t)s->scene->gradient.memory_budget);
    pio_json_integer(json, "steps", s->model->steps);
    pio_json_integer(json, "forward_steps_run", s->evaluation.sweep.forward_steps);
    pio_json_integer(json, "inverse_steps_run", s->evaluation.sweep.inverse_steps);
    pio_json_integer(json, "residual_log_bytes", (int64_t)s->memory.plan.residual_log);
    pio_json_integer(json, "residual_log_bytes_used", s->evaluation.sweep.residual_log_bytes);
    pio_json_integer(json, "adjoint_steps_run", s->evaluation.sweep.adjoint_steps);
    pio_json_integer(json, "steps_left_out", s->model->desc.first);
    pio_growth_json(&s->adjoint.growth, s->adjoint.norms, s->scene->time.dt, json);
    solves_json(s, json);
    constraints_json(s, json);
    contact_json(s, json);
    kinks_json(s, json);
    if (n)
        pio_check_rows_json(rows, n, json, "check");
    else if (!pio_check_record_json(s, json, "check"))
        pio_json_string(json, "check", "not checked");
    pio_json_end_object(json);
}

char *pio_certificate_text(const pio_session *s, const pio_taylor_row *rows, size_t n)
{
    pio_json json;
    pio_json_to_memory(&json, 2);
    pio_certificate_json(s, rows, n, &json, NULL);
    if (pio_json_finish(&json, NULL) == PIOLA_OK) return json.text;
    pio_json_free(&json);
    return NULL;
}
