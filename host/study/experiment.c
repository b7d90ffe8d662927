/* experiment.c -- see experiment.h. */
#include "host/study/experiment.h"

#include "host/base/fail.h"
#include "host/render/image.h"
#include "host/results/certificate.h"
#include "host/results/fit.h"
#include "host/results/identity.h"
#include "host/results/residual_file.h"
#include "host/results/result.h"
#include "host/run/output_folder.h"
#include "host/run/session_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pio_study_slot {
    piola_options options; /* of the session, which reads them as long as it lives */
    char folder[PIO_PATH];
    pio_session *session; /* NULL: none in this process */
    int64_t *map;         /* [n_variables] their numbers among those of the study */
    double *z;            /* [n_variables] */
};
typedef struct pio_study_slot slot;

struct pio_study_slot *pio_study_slots(const pio_study *study)
{
    return calloc(study->n, sizeof(slot));
}

void pio_study_end(void *call)
{
    pio_study_call *c = call;
    for (size_t e = 0; c->slots && e < c->study->n; e++) {
        pio_session_close(c->slots[e].session);
        free(c->slots[e].map);
        free(c->slots[e].z);
    }
    free(c->slots);
    c->slots = NULL;
}

/* ---- opening --------------------------------------------------------------------------------------------- */

/* Checks that the experiment's folder has no files of others in the places of its own. */
static piola_status check_files(const slot *s, piola_error *error)
{
    char picture[PIO_PATH];
    pio_session_path(s->session, "picture.png", picture, sizeof picture);
    const piola_status rc = pio_image_replaces(picture, error);
    return rc || s->session->residuals.n == 0 ? rc : pio_residual_file_replaces(s->folder, error);
}

static piola_status open_session(const pio_study_call *c, size_t number, slot *s, piola_error *error)
{
    const study_experiment *e = &c->study->experiments[number];
    char name[100];
    bool printed;
    snprintf(name, sizeof name, "experiments/%.64s", e->name);
    if (!pio_path_join(s->folder, sizeof s->folder, c->folder, name))
        return pio_fail(error, PIOLA_CANNOT_CREATE, "the name of the folder of experiment '%s' is too long", e->name);
    s->options = *c->options;
    s->options.scene = e->path;
    s->options.directory = s->folder;
    s->options.sets = NULL;
    s->options.n_sets = 0;
    s->options.threads = c->threads;
    s->options.memory = c->memory;
    s->options.json = false;
    s->options.log_json = NULL;
    s->options.quiet += !c->options->dry_run; /* the study has messages of its own */
    const pio_session_use use = {.command = c->command,
                                 .gradients = PIO_ALL_GRADIENTS,
                                 .precision = strcmp(c->command, "check") ? NULL : "f64",
                                 .over = &e->over};
    const piola_status rc = pio_session_open_for(&s->session, &s->options, &use, &printed, error);
    if (rc) {
        if (printed) error->message[0] = '\0';
        return rc;
    }
    if (s->session->objective.n == 0)
        return pio_scene_fault(s->session->scene, error, "objective",
                               "experiment '%s' needs an `objective:`, of which the study has the sum", e->name);
    const bool writes = !c->options->dry_run && strcmp(c->command, "check") != 0;
    const piola_status files = writes ? check_files(s, error) : PIOLA_OK; /* found before the evaluations */
    if (files) return files;
    s->z = calloc((size_t)s->session->model->n_variables + 1, sizeof *s->z);
    s->map = calloc((size_t)s->session->model->n_variables + 1, sizeof *s->map);
    if (!s->z || !s->map) return pio_fail_memory(error, 1 << 16, "the variables of an experiment");
    return PIOLA_OK;
}

static void describe_parameter(const pio_session *s, int k, pio_blob *to)
{
    const pio_parameter *p = &s->model->parameters[k];
    const pio_design_desc *d = &s->model->designs[k];
    const size_t n = (size_t)(p->groups * p->components), first = (size_t)p->first;
    const double scale[] = {d->a, d->b, d->logarithmic, p->filter != NULL};
    pio_blob_put_text(to, p->design->name);
    pio_blob_put_text(to, p->path);
    pio_blob_put_text(to, p->unit);
    pio_blob_put_integer(to, (int64_t)n);
    pio_blob_put_integer(to, (int64_t)first);
    pio_blob_put_integer(to, p->design->targets.n > 0);
    pio_blob_put(to, scale, sizeof scale);
    pio_blob_put_doubles(to, p->initial, n);
    pio_blob_put_doubles(to, s->model->z0 + first, n);
    pio_blob_put_doubles(to, s->model->lower + first, n);
    pio_blob_put_doubles(to, s->model->upper + first, n);
    pio_blob_put_doubles(to, s->model->unit + first, n);
}

/* Describes the session, as pio_study_problem_open() reads it. */
static void describe(const pio_session *s, pio_blob *to)
{
    int evaluations;
    const int stages = pio_session_stages(s, &evaluations);
    char *identity = pio_identity_of_run(s, true, "");
    pio_blob_put_integer(to, !strcmp(s->engine.table->precision, "f32"));
    pio_blob_put_integer(to, (int64_t)s->memory.bytes.total);
    pio_blob_put_integer(to, stages);
    pio_blob_put_integer(to, evaluations);
    pio_blob_put_text(to, identity);
    pio_blob_put_integer(to, s->residuals.n);
    pio_blob_put_integer(to, s->model->n_variables);
    pio_blob_put_integer(to, s->constraints.n);
    for (int i = 0; i < s->constraints.n; i++) pio_blob_put_text(to, s->constraints.list[i].name);
    pio_blob_put_integer(to, s->model->n_parameters);
    for (int k = 0; k < s->model->n_parameters; k++) describe_parameter(s, k, to);
    for (int v = 0; v < s->model->n_variables && s->residuals.n; v++) {
        char name[256];
        pio_model_variable_name(s->model, v, name, sizeof name);
        pio_blob_put_text(to, name);
    }
    to->failed |= !identity;
    free(identity);
}

/* ---- evaluations ----------------------------------------------------------------------------------------- */

static void read_map(const pio_study_call *c, size_t number, pio_blob *from)
{
    for (size_t e = 0; e < c->study->n; e++) {
        const int64_t n = pio_blob_get_integer(from);
        for (int64_t v = 0; v < n; v++) {
            const int64_t at = pio_blob_get_integer(from);
            if (e == number) c->slots[e].map[v] = at;
        }
    }
}

/* Writes what the errors of a fit need besides the residuals. */
static void put_fit(const pio_session *s, pio_blob *to)
{
    pio_blob_put_integer(to, s->memory.schedule.sweeps);
    pio_blob_put_integer(to, s->adjoint.runs);
    pio_blob_put_integer(to, s->residuals.by_columns);
    pio_blob_put_double(to, s->residuals.by_columns ? s->adjoint.columns_error : 0);
    pio_blob_put_double(to, pio_session_rows_error(s));
    for (int v = 0; v < s->model->n_variables; v++)
        pio_blob_put_double(to, pio_variable_slope(s->model, v, s->evaluation.filtered));
}

/* Writes the last gradient. J and its gradient are times the weight, residuals times its root, each rounded once. */
static void put_evaluation(const pio_session *s, double weight, pio_blob *to)
{
    const size_t n = (size_t)s->model->n_variables, m = (size_t)s->constraints.n, rows = (size_t)s->residuals.n;
    pio_blob_put_double(to, s->evaluation.J);
    pio_blob_put_double(to, weight * s->evaluation.J);
    pio_blob_put_scaled(to, weight, s->adjoint.z_bar, n);
    pio_blob_put_scaled(to, weight, s->adjoint.value_bar, n);
    pio_blob_put_doubles(to, s->evaluation.values, n);
    pio_blob_put_doubles(to, s->evaluation.c, m);
    pio_blob_put_doubles(to, s->adjoint.c_bar, m * n);
    pio_blob_put_scaled(to, sqrt(weight), s->evaluation.r, rows);
    pio_blob_put_scaled(to, sqrt(weight), s->adjoint.r_bar, rows * n);
    if (rows) put_fit(s, to);
}

/* Reads z of the study, of which it keeps the experiment's. */
static piola_status read_variables(slot *s, pio_blob *from, piola_error *error)
{
    const int64_t all = pio_blob_get_integer(from);
    double *z = malloc(((size_t)all + 1) * sizeof *z);
    if (!z) return pio_fail_memory(error, (size_t)all * sizeof *z, "the variables of a study");
    pio_blob_get(from, z, (size_t)all * sizeof *z);
    for (int v = 0; v < s->session->model->n_variables; v++) s->z[v] = z[s->map[v]];
    free(z);
    return PIOLA_OK;
}

/* Writes states, picture and result.json of the experiment of this name. */
static piola_status finish(const pio_study_call *c, slot *s, const char *name, piola_error *error)
{
    static const char *const files[] = {PIO_RESIDUAL_FILE, "states.vtkhdf", "picture.png", NULL};
    const bool fits = s->session->residuals.n > 0;
    pio_json json;
    piola_status rc = pio_session_make_directory(s->session, error);
    if (!rc) rc = check_files(s, error);
    if (!rc) rc = c->write_best(s->session, s->z, error);
    if (!rc && fits) rc = pio_residual_file_write(s->session, error);
    if (rc) return rc;
    pio_result_begin(s->session, &json, PIOLA_OK, "an experiment of a study", NULL);
    pio_json_string(&json, "experiment", name);
    pio_result_evaluation(s->session, &json, s->z, true, NULL);
    pio_certificate_json(s->session, NULL, 0, &json, "certificate");
    return pio_result_end(s->session, &json, files + !fits, error);
}

void pio_study_work(void *call, size_t number, pio_blob *request, pio_blob *answer)
{
    const pio_study_call *c = call;
    slot *s = &c->slots[number];
    piola_error error = {0};
    piola_status rc = PIOLA_OK;
    const pio_study_request what = (pio_study_request)pio_blob_get_integer(request);
    if (what == PIO_STUDY_OPEN) rc = open_session(c, number, s, &error);
    if (what == PIO_STUDY_MAP) read_map(c, number, request);
    if (what == PIO_STUDY_STAGE) pio_session_begin_stage(s->session, (int)pio_blob_get_integer(request));
    if (what == PIO_STUDY_EVALUATE || what == PIO_STUDY_FINISH) rc = read_variables(s, request, &error);
    if (!rc && what == PIO_STUDY_EVALUATE) rc = pio_session_jacobian(s->session, s->z, NULL, &error);
    if (!rc && what == PIO_STUDY_FINISH) rc = finish(c, s, c->study->experiments[number].name, &error);
    pio_blob_put_integer(answer, rc);
    if (rc)
        pio_blob_put(answer, &error, sizeof error);
    else if (what == PIO_STUDY_OPEN)
        describe(s->session, answer);
    else if (what == PIO_STUDY_EVALUATE || what == PIO_STUDY_FINISH)
        put_evaluation(s->session, c->study->experiments[number].weight, answer);
}
