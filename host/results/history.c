/* history.c -- see history.h. Everything in the file follows from an evaluation on record, so that a replayed iteration
 * writes the same bits. */
#include "host/results/history.h"

#include "host/base/fail.h"
#include "host/model/design_map.h"
#include "host/model/model_fem.h"
#include "host/results/model_cells.h"
#include "host/results/gradient_fields.h"
#include "host/results/manifest.h"
#include "host/run/output_folder.h"
#include "host/scene/design_path.h"
#include "host/snapshot/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEASURES = 5 }; /* numbers of an iteration beside J, without its constraints and the terms of J */

struct pio_history {
    pio_session *session;
    pio_snapshot *file;
    pio_snapshot_field *field;
    char (*name)[2][80]; /* [n_pairs] names of the fields of value and derivative */
    int *parameter;      /* [n_pairs] number of each pair's parameter */
    size_t n_pairs;
    double **values;              /* [2 n_pairs][n][components] values of the fields */
    double *value, *value_bar;    /* [n_variables] values of the parameters, and derivatives with respect to them */
    pio_snapshot_number *numbers; /* what is written beside J: counts and measures, then constraints */
    char (*constraint)[140];      /* [constraints.n] names of the constraints there */
    char (*term)[90];             /* [objective.n] names of the terms of J */
    pio_snapshot_mesh mesh;       /* cells of finite elements; n_cells = 0 for particles */
};

/* Returns whether the items of parameter k are points of the file. */
static bool is_nodal(const pio_history *h, int k)
{
    const pio_model *m = h->session->model;
    return !m->fem || pio_nodal(m->designs[k].quantity);
}

/* Adds the fields of a parameter per item: the path materials.soft.E becomes materials_soft_E and
 * grad_materials_soft_E. No two paths have the same name, because the first part is one of two words and the last has
 * no underscore. If that is longer than the name of a field may be, the fields are design_k and grad_design_k, with the
 * number k of the parameter. The path itself is the meaning of the field. */
static void add_pair(pio_history *h, int k)
{
    enum { LONGEST = 63 - (int)sizeof "grad_" + 1 };
    const pio_parameter *p = &h->session->model->parameters[k];
    char flat[LONGEST + 1];
    if (snprintf(flat, sizeof flat, "%s", p->path) > LONGEST) snprintf(flat, sizeof flat, "design_%d", k);
    for (char *c = flat; *c; c++)
        if (*c == '.') *c = '_';
    snprintf(h->name[h->n_pairs][0], sizeof h->name[0][0], "%s", flat);
    snprintf(h->name[h->n_pairs][1], sizeof h->name[0][1], "grad_%s", flat);
    for (size_t g = 0; g < 2; g++)
        h->field[2 * h->n_pairs + g] =
            (pio_snapshot_field){.name = h->name[h->n_pairs][g],
                                 .components = p->components,
                                 .units = g ? "" : p->unit,
                                 .meaning = p->path,
                                 .of = g ? p->path : NULL,
                                 .when = PIO_SNAPSHOT_FRAME,
                                 .location = is_nodal(h, k) ? PIO_SNAPSHOT_POINT : PIO_SNAPSHOT_CELL};
    h->parameter[h->n_pairs++] = k;
}

static piola_status allocate(pio_history *h, piola_error *error)
{
    const pio_model *m = h->session->model;
    const size_t k = (size_t)m->n_parameters + 1, v = (size_t)m->n_variables + 1;
    h->field = calloc(2 * k, sizeof *h->field);
    h->name = calloc(k, sizeof *h->name);
    h->parameter = calloc(k, sizeof *h->parameter);
    h->values = calloc(2 * k, sizeof *h->values);
    h->value = calloc(v, sizeof(double));
    h->value_bar = calloc(v, sizeof(double));
    const size_t c = (size_t)h->session->constraints.n;
    h->numbers = calloc(MEASURES + c + h->session->objective.n, sizeof *h->numbers);
    h->constraint = calloc(c + 1, sizeof *h->constraint);
    h->term = calloc(h->session->objective.n + 1, sizeof *h->term);
    if (!h->numbers || !h->constraint || !h->term)
        return pio_fail_memory(error, c * sizeof *h->constraint, "the history");
    if (!h->field || !h->name || !h->parameter || !h->values || !h->value || !h->value_bar)
        return pio_fail_memory(error, 2 * v * sizeof(double), "the history");
    for (int p = 0; p < m->n_parameters; p++)
        if (m->designs[p].each && !m->parameters[p].lattice) add_pair(h, p);
    for (size_t i = 0; i < 2 * h->n_pairs; i++) {
        const size_t components = (size_t)h->field[i].components;
        const size_t n = (size_t)pio_model_items(m, is_nodal(h, h->parameter[i / 2])) * components;
        h->values[i] = calloc(n, sizeof(double));
        if (!h->values[i]) return pio_fail_memory(error, n * sizeof(double), "the history");
    }
    return PIOLA_OK;
}

/* Sets the values of elements that are fixed; elements that no parameter governs, and derivatives of both, stay 0. */
static piola_status set_fixed(pio_history *h, piola_error *error)
{
    const pio_model *m = h->session->model;
    piola_status rc = PIOLA_OK;
    for (size_t i = 0; !rc && i < h->n_pairs; i++) {
        const int k = h->parameter[i];
        if (!is_nodal(h, k) && pio_design_is_mapped(m->parameters[k].design))
            rc = pio_design_map_kept(m, k, h->values[2 * i], error);
    }
    return rc;
}

static void release(pio_history *h)
{
    for (size_t i = 0; h->values && i < 2 * h->n_pairs; i++) free(h->values[i]);
    free(h->field);
    free(h->name);
    free(h->parameter);
    free(h->values);
    free(h->value);
    free(h->value_bar);
    free(h->numbers);
    free(h->constraint);
    free(h->term);
    pio_model_cells_free(&h->mesh);
    free(h);
}

static piola_status open_file(pio_history *h, piola_error *error)
{
    pio_session *s = h->session;
    char path[PIO_PATH];
    pio_manifest manifest;
    piola_status rc = pio_manifest_create(&manifest, s, error);
    if (rc) return rc;
    pio_session_path(s, "history.vtkhdf", path, sizeof path);
    const pio_snapshot_def def = {.path = path,
                                  .kind = PIO_SNAPSHOT_HISTORY,
                                  .n_points = pio_model_items(s->model, true),
                                  .mesh = s->model->fem ? &h->mesh : NULL,
                                  .dimension = s->scene->method.dimension,
                                  .precision = PIO_SNAPSHOT_F64,
                                  .static_points = true,
                                  .expected_frames = s->scene->optimizer.max_iterations + 1,
                                  .fields = h->field,
                                  .n_fields = 2 * h->n_pairs,
                                  .scene_text = s->scene->input.text,
                                  .scene_resolved = manifest.resolved,
                                  .manifest = manifest.json,
                                  .pairs = manifest.pair,
                                  .n_pairs = manifest.n,
                                  .objective = s->scene->input.name};
    rc = pio_snapshot_create(&h->file, &def, error);
    pio_manifest_free(&manifest);
    return rc;
}

piola_status pio_history_create(pio_history **out, pio_session *s, piola_error *error)
{
    pio_history *h = calloc(1, sizeof *h);
    *out = NULL;
    if (!h) return pio_fail_memory(error, sizeof *h, "the history");
    h->session = s;
    piola_status rc = allocate(h, error);
    if (!rc) rc = set_fixed(h, error);
    if (!rc && s->model->fem) rc = pio_model_cells(s->model, &h->mesh, error);
    if (!rc) rc = open_file(h, error);
    if (rc)
        release(h);
    else
        *out = h;
    return rc;
}

/* Copies the variables of parameter k to a field of items; the other items keep what they have. */
static void spread(const pio_history *h, int k, const double *variables, double *out)
{
    const pio_design_desc *d = &h->session->model->designs[k];
    for (int64_t p = 0; p < pio_model_items(h->session->model, is_nodal(h, k)); p++)
        for (int c = 0; d->index[p] >= 0 && c < d->components; c++)
            out[p * d->components + c] = variables[d->index[p] * d->components + c];
}

/* Collects what is known of an iteration beside J, and returns how many numbers that are. */
static size_t collect_numbers(pio_history *h, const pio_iteration *at, const double *terms)
{
    const pio_constraints *list = &h->session->constraints;
    const pio_objective *objective = &h->session->objective;
    const double beta = pio_session_sharpness(h->session);
    size_t n = 0;
    h->numbers[n++] = (pio_snapshot_number){"evaluations", (double)at->evaluations};
    h->numbers[n++] = (pio_snapshot_number){"rejected", (double)at->rejected};
    h->numbers[n++] = (pio_snapshot_number){"projected_gradient", at->projected_gradient};
    if (list->n) h->numbers[n++] = (pio_snapshot_number){"violation", at->violation};
    if (beta > 0) h->numbers[n++] = (pio_snapshot_number){"beta", beta};
    for (int i = 0; i < list->n; i++) {
        snprintf(h->constraint[i], sizeof h->constraint[i], "constraint %s", list->list[i].name);
        h->numbers[n++] = (pio_snapshot_number){h->constraint[i], at->at.c[i]};
    }
    for (size_t i = 0; terms && objective->n > 1 && i < objective->n; i++) { /* the only term is J */
        snprintf(h->term[i], sizeof h->term[i], "term %s", objective->terms[i].name);
        h->numbers[n++] = (pio_snapshot_number){h->term[i], terms[i]};
    }
    return n;
}

piola_status pio_history_add(pio_history *h, const pio_iteration *at, const double *terms, piola_error *error)
{
    const pio_model *m = h->session->model;
    pio_model_values(m, at->at.z, h->value);
    for (int k = 0; k < m->n_parameters; k++) {
        const pio_design_desc *d = &m->designs[k];
        const pio_parameter *p = &m->parameters[k];
        for (int v = p->first; v < p->first + p->groups * p->components; v++)
            h->value_bar[v] = at->at.gradient[v] / (d->b * (d->logarithmic ? h->value[v] : 1));
    }
    for (size_t i = 0; i < h->n_pairs; i++) {
        const int k = h->parameter[i], first = m->parameters[k].first;
        spread(h, k, h->value + first, h->values[2 * i]);
        spread(h, k, h->value_bar + first, h->values[2 * i + 1]);
    }
    piola_status rc = pio_write_parameters(h->file, m, h->value, h->value_bar, error);
    const size_t n = collect_numbers(h, at, terms);
    if (!rc) rc = pio_snapshot_objective(h->file, at->at.J, h->numbers, n, error);
    return rc ? rc
              : pio_snapshot_frame(h->file, at->number,
                                   at->number > 0 ? NULL
                                   : m->fem       ? m->fem->rest
                                                  : m->position,
                                   (const double *const *)h->values, error);
}

piola_status pio_history_finish(pio_history *h, const char *certificate, piola_error *error)
{
    piola_status rc = pio_snapshot_certificate(h->file, certificate, NULL, 0, error);
    if (rc)
        pio_snapshot_abandon(h->file);
    else
        rc = pio_snapshot_finish(h->file, error);
    release(h);
    return rc;
}

void pio_history_abandon(pio_history *h)
{
    if (!h) return;
    pio_snapshot_abandon(h->file);
    release(h);
}
