/* result.c -- see result.h. */
#include "host/results/result.h"

#include "solvers/engine/clock.h"
#include "host/base/fail.h"
#include "host/base/new_file.h"
#include "host/results/modes.h"
#include "host/run/output_folder.h"
#include "host/scene/words.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The result.json that reports success of this process, or "". */
static char claimed[PIO_PATH];

void piola_disown_result(void)
{
    if (claimed[0]) unlink(claimed);
    claimed[0] = '\0';
}

void pio_failure_json(const piola_failure *f, pio_json *json)
{
    static const char *const items[] = {
        [PIOLA_FAILED_ELEMENT] = "element", [PIOLA_FAILED_NODE] = "node", [PIOLA_FAILED_PARTICLE] = "particle"};
    if (!f || f->kind == PIOLA_FAILED_NOT) {
        pio_json_null(json, "failure");
        return;
    }
    pio_json_begin_object(json, "failure");
    pio_json_string(json, "kind", piola_failure_name(f->kind));
    pio_json_string(json, "cause", piola_failure_name(f->cause));
    if (f->step >= 0)
        pio_json_integer(json, "step", f->step);
    else
        pio_json_null(json, "step");
    if (f->of != PIOLA_FAILED_NOWHERE) pio_json_integer(json, items[f->of], f->item);
    pio_json_double(json, "residual", f->residual);
    pio_json_end_object(json);
}

/* Writes what the command took until now: all of it, the steps, and each part around them. */
static void write_seconds(pio_json *json, const pio_session *s)
{
    const pio_session_seconds *t = &s->call.seconds;
    const double now = pio_clock(), first = t->first > 0 ? t->first : now;
    pio_json_begin_object(json, "seconds");
    pio_json_double(json, "total", now - s->call.opened);
    pio_json_double(json, "scene", t->scene);
    pio_json_double(json, "engine", t->engine);
    pio_json_double(json, "plan", t->plan);
    pio_json_double(json, "files", fmax(0, first - s->call.opened - t->scene - t->engine - t->plan));
    pio_json_double(json, "forward", s->evaluation.sweep.forward_seconds);
    pio_json_double(json, "backward", s->evaluation.sweep.adjoint_seconds);
    pio_json_double(json, "finish", t->last > 0 ? now - t->last : 0);
    pio_json_end_object(json);
}

void pio_result_begin(pio_session *s, pio_json *json, piola_status exit, const char *message,
                      const piola_failure *failure)
{
    const pio_engine *e = s->engine.table;
    piola_error lost;
    if ((exit == PIOLA_OK || exit == PIOLA_NO) && pio_log_failed(s->call.log, &lost)) {
        exit = lost.status;
        message = lost.message;
    }
    pio_json_to_memory(json, 2);
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "command", s->call.command);
    pio_json_string(json, "program", "piola " PIOLA_VERSION);
    pio_json_string(json, "scene", s->call.options->scene);
    pio_json_begin_object(json, "engine");
    pio_json_string(json, "device", e->device);
    pio_json_string(json, "precision", e->precision);
    pio_json_integer(json, "dimension", e->dimension);
    pio_json_string(json, "isa", e->isa);
    pio_json_string(json, "device_name", s->engine.device);
    pio_json_string(json, "driver", s->engine.driver);
    pio_json_string(json, "why", s->engine.why);
    pio_json_integer(json, "threads", s->call.options->threads > 0 ? s->call.options->threads : omp_get_max_threads());
    pio_json_end_object(json);
    if (s->memory.bytes.solver[0]) {
        pio_json_begin_object(json, "solver");
        pio_json_string(json, "linear", s->memory.bytes.solver);
        pio_json_string(json, "why", s->memory.bytes.solver_why);
        pio_json_string(json, "product", s->memory.bytes.product);
        pio_json_integer(json, "library_bytes", (int64_t)(s->memory.bytes.library + s->evaluation.change.bytes));
        pio_json_string(json, "changed", s->evaluation.change.why[0] ? s->evaluation.change.why : NULL);
        pio_json_end_object(json);
    }
    pio_json_integer(json, "exit", exit);
    s->folder.claims_success = exit == PIOLA_OK || exit == PIOLA_NO;
    pio_json_string(json, "message", message);
    pio_failure_json(failure, json);
    pio_json_begin_object(json, "memory");
    if (pio_session_budget(s) > 0)
        pio_json_integer(json, "budget_bytes", (int64_t)pio_session_budget(s));
    else
        pio_json_null(json, "budget_bytes");
    pio_json_integer(json, "peak_bytes", (int64_t)(s->memory.bytes.total + s->evaluation.change.bytes));
    pio_json_integer(json, "disk_bytes", (int64_t)s->memory.plan.disk_bytes);
    pio_json_integer(json, "state_bytes", (int64_t)s->memory.bytes.state);
    pio_json_integer(json, "node_sums_bytes", (int64_t)s->memory.bytes.beside_state);
    pio_json_string(json, "state_form", s->memory.bytes.slot_nodes ? "cut after the grid update" : "whole");
    if (s->memory.bytes.slot_nodes) pio_json_integer(json, "state_nodes", s->memory.bytes.slot_nodes);
    pio_json_integer(json, "driver_bytes", (int64_t)s->memory.bytes.context);
    pio_json_begin_object(json, "plan");
    pio_json_string(json, "strategy", s->memory.schedule.name);
    pio_json_integer(json, "states_kept", s->model->desc.slots);
    pio_json_integer(json, "states_on_disk", s->memory.plan.kept);
    pio_json_integer(json, "residual_log_bytes", (int64_t)s->memory.plan.residual_log);
    pio_json_integer(json, "forward_steps", s->memory.plan.forward_steps);
    pio_json_integer(json, "inverse_steps", s->memory.plan.inverse_steps);
    pio_json_end_object(json);
    pio_json_end_object(json);
    write_seconds(json, s);
}

static void parameter(pio_json *json, const pio_session *s, const pio_parameter *p, const double *values, bool gradient)
{
    const size_t n = (size_t)(p->groups * p->components);
    const bool field = p->groups > 1;
    pio_json_begin_object(json, p->path);
    pio_json_string(json, "design", p->design->name);
    pio_json_string(json, "unit", p->unit);
    if (field) {
        char dataset[300];
        pio_json_integer(json, "values", (int64_t)n);
        if (gradient) pio_json_string(json, "file", "states.vtkhdf");
        snprintf(dataset, sizeof dataset, "/piola/gradient/%.256s", p->path);
        if (gradient) pio_json_string(json, "dataset", dataset);
    } else if (n == 1) {
        pio_json_double(json, "value", values[p->first]);
        pio_json_double(json, "initial", p->initial[0]);
        if (gradient) pio_json_double(json, "gradient", s->adjoint.value_bar[p->first]);
    } else {
        pio_json_doubles(json, "value", values + p->first, n);
        pio_json_doubles(json, "initial", p->initial, n);
        if (gradient) pio_json_doubles(json, "gradient", s->adjoint.value_bar + p->first, n);
    }
    pio_json_end_object(json);
}

/* Writes what was measured where: the data of each term that has some. */
static void write_data(pio_json *json, const pio_session *s)
{
    pio_json_begin_object(json, "data");
    for (size_t i = 0; i < s->objective.n; i++) {
        const pio_term *t = &s->objective.terms[i];
        if (!t->data) continue;
        const int components = t->component < 0 ? t->output->components : 1;
        pio_json_begin_object(json, t->name);
        pio_json_string(json, "observation", t->output->name);
        if (t->component < 0)
            pio_json_null(json, "component");
        else
            pio_json_integer(json, "component", t->component);
        pio_json_double(json, "sigma", t->term->sigma);
        pio_json_begin_array(json, "value");
        for (int k = 0; k < t->output->samples; k++)
            pio_json_doubles(json, NULL, t->data + k * components, (size_t)components);
        pio_json_end_array(json);
        pio_json_end_object(json);
    }
    pio_json_end_object(json);
}

void pio_result_evaluation(pio_session *s, pio_json *json, const double *z, bool gradient, const double *multipliers)
{
    pio_model_values(s->model, z, s->evaluation.values);
    if (s->objective.n)
        pio_json_double(json, "objective", s->evaluation.J);
    else
        pio_json_null(json, "objective");
    pio_json_begin_object(json, "terms");
    for (size_t i = 0; i < s->objective.n; i++)
        pio_json_double(json, s->objective.terms[i].name, s->evaluation.terms[i]);
    pio_json_end_object(json);
    pio_json_begin_array(json, "constraints");
    for (int i = 0; i < s->constraints.n; i++) {
        const pio_constraint *c = &s->constraints.list[i];
        pio_json_begin_object(json, NULL);
        pio_json_string(json, "constraint", c->name);
        pio_json_double(json, "value", s->evaluation.samples[c->at]);
        pio_json_string(json, "must_be", c->symbol);
        pio_json_double(json, "bound", c->bound);
        pio_json_double(json, "violation", s->evaluation.c[i] > 0 ? s->evaluation.c[i] : 0);
        if (multipliers) pio_json_double(json, "multiplier", multipliers[i]);
        pio_json_end_object(json);
    }
    pio_json_end_array(json);
    pio_json_begin_object(json, "observations");
    for (int o = 0; o < s->model->n_outputs; o++) {
        const pio_output *out = &s->model->outputs[o];
        pio_json_begin_object(json, out->name);
        pio_json_string(json, "unit", pio_observable_units[s->scene->goal.observe[o].type]);
        pio_json_doubles(json, "time", out->time, (size_t)out->samples);
        pio_json_begin_array(json, "value");
        for (int k = 0; k < out->samples; k++)
            pio_json_doubles(json, NULL, s->evaluation.samples + out->first + k * out->components,
                             (size_t)out->components);
        pio_json_end_array(json);
        pio_json_end_object(json);
    }
    pio_json_end_object(json);
    write_data(json, s);
    pio_modes_json(s, json);
    pio_json_begin_object(json, "parameters");
    for (int k = 0; k < s->model->n_parameters; k++)
        parameter(json, s, &s->model->parameters[k], s->evaluation.values, gradient);
    pio_json_end_object(json);
}

void pio_result_optimizer(pio_json *json, pio_optimizer_type type, const pio_optimizer_result *r, double beta)
{
    pio_json_begin_object(json, "optimizer");
    pio_json_string(json, "type", pio_optimizer_name(type));
    pio_json_bool(json, "converged", r->converged);
    pio_json_string(json, "stopped_by", pio_stop_name(r->reason));
    pio_json_integer(json, "iterations", r->iterations);
    pio_json_integer(json, "evaluations", (int64_t)r->evaluations);
    pio_json_integer(json, "replayed", (int64_t)r->replayed);
    pio_json_integer(json, "rejected", (int64_t)r->rejected);
    pio_json_begin_object(json, "stages");
    pio_json_integer(json, "start", 1);
    pio_json_integer(json, "steps", (int64_t)r->accepted - 1);
    pio_json_integer(json, "end", (int64_t)(r->evaluations - r->accepted));
    pio_json_integer(json, "best", 1); /* pio_write_best() */
    pio_json_end_object(json);
    pio_json_double(json, "projected_gradient", r->projected_gradient);
    pio_json_double(json, "violation", r->violation);
    if (beta > 0) pio_json_double(json, "beta", beta);
    pio_json_end_object(json);
}

piola_status pio_result_end(pio_session *s, pio_json *json, const char *const *files, piola_error *error)
{
    char path[PIO_PATH];
    pio_json_begin_array(json, "files");
    for (size_t i = 0; files[i]; i++) {
        pio_session_path(s, files[i], path, sizeof path);
        if (!access(path, F_OK)) pio_json_string(json, NULL, path);
    }
    pio_session_path(s, "result.json", path, sizeof path);
    pio_json_string(json, NULL, path);
    pio_json_end_array(json);
    pio_json_end_object(json);
    return pio_result_write(json, path, s->folder.claims_success, s->call.options->json, error);
}

piola_status pio_result_write(pio_json *json, const char *path, bool success, bool prints, piola_error *error)
{
    piola_status rc = pio_json_finish(json, error);
    if (!rc) {
        if (success) snprintf(claimed, sizeof claimed, "%s", path);
        rc = pio_write_file_atomically(path, json->text, json->size, error);
        if (!rc && !success) claimed[0] = '\0';
    }
    if (!rc && prints &&
        (fwrite(json->text, 1, json->size, stdout) != json->size || putchar('\n') == EOF || fflush(stdout)))
        rc = pio_fail(error, PIOLA_IO, "cannot write the result to standard output: %s",
                      errno ? strerror(errno) : "output was lost");
    pio_json_free(json);
    return rc;
}
