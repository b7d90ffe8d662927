/* states.c -- see states.h. */
#include "host/results/states.h"

#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/results/manifest.h"
#include "host/results/model_cells.h"
#include "host/results/state_fields.h"
#include "host/results/stress_fields.h"
#include "host/run/output_folder.h"
#include "host/snapshot/snapshot.h"
#include "host/scene/scene_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pio_states {
    pio_session *session;     /* the run; not owned */
    pio_snapshot *file;       /* the file that is written */
    bool gradient, adjoint;   /* with gradient fields; with adjoint frames */
    pio_state_fields list;    /* fields of the file */
    double *points, **values; /* [n][dimension] m; [list.n] those of frames: [n][components], NULL: others */
    double *scratch;          /* [n][9] values of one field */
    pio_snapshot_mesh mesh;   /* cells of finite elements; n_cells = 0 for particles */
};

/* Returns the rows of field i. */
static size_t field_rows(const pio_states *f, size_t i)
{
    const pio_session *s = f->session;
    if (f->list.field[i].location == PIO_SNAPSHOT_INTEGRATION) return (size_t)s->memory.bytes.stress_points;
    return (size_t)pio_model_items(s->model, f->list.field[i].location != PIO_SNAPSHOT_CELL);
}

static piola_status allocate_buffers(pio_states *f, piola_error *error)
{
    const size_t nodes = (size_t)pio_model_items(f->session->model, true);
    size_t most = nodes;
    for (size_t i = 0; i < f->list.n; i++)
        if (field_rows(f, i) > most) most = field_rows(f, i);
    f->points = malloc(sizeof(double) * 3 * nodes);
    f->scratch = malloc(sizeof(double) * 9 * most);
    f->values = calloc(f->list.n + 1, sizeof *f->values); /* what frames do not have is NULL */
    bool ok = f->points && f->scratch && f->values;
    for (size_t i = 0; f->values && i < f->list.n_frame; i++) {
        f->values[i] = malloc(sizeof(double) * (size_t)f->list.field[i].components * field_rows(f, i));
        ok = ok && f->values[i];
    }
    return ok ? PIOLA_OK : pio_fail_memory(error, sizeof(double) * 12 * most, "output frames");
}

static piola_status write_numbers(pio_states *f, piola_error *error)
{
    const pio_session *s = f->session;
    const int64_t n = pio_model_items(s->model, false);
    for (int64_t i = 0; i < n; i++) f->scratch[i] = pio_model_body(s->model, i);
    piola_status rc = pio_snapshot_static(f->file, "body", f->scratch, error);
    for (int64_t i = 0; i < n; i++) f->scratch[i] = (double)(pio_model_material(s->model, i) - s->scene->materials.v);
    return rc ? rc : pio_snapshot_static(f->file, "material", f->scratch, error);
}

void pio_states_log_size(pio_session *s, bool gradient)
{
    pio_states *f = calloc(1, sizeof *f);
    if (!f) return;
    f->session = s;
    f->adjoint = gradient && s->scene->output.adjoint_every > 0;
    if (!pio_state_fields_create(&f->list, s, false, f->adjoint)) {
        free(f);
        return;
    }
    int64_t nodes = 0;
    const pio_fem_desc *d = s->model->fem ? &s->model->fem->desc : NULL;
    for (int b = 0; d && b < d->n_blocks; b++) nodes += (int64_t)d->blocks[b].n * pio_elements[d->blocks[b].type].nodes;
    const pio_snapshot_def def = {.n_points = pio_model_items(s->model, true),
                                  .dimension = s->scene->method.dimension,
                                  .precision =
                                      strcmp(s->engine.table->precision, "f64") ? PIO_SNAPSHOT_F32 : PIO_SNAPSHOT_F64,
                                  .n_integration = s->memory.bytes.stress_points,
                                  .static_points = s->model->fem != NULL,
                                  .expected_frames = s->model->n_frames,
                                  .fields = f->list.field,
                                  .n_fields = f->list.n};
    const double bytes = pio_snapshot_expected_bytes(&def, d ? pio_model_items(s->model, false) : 0, nodes);
    pio_log_message(s->call.log, s->call.options->dry_run ? PIO_INFO : PIO_DETAIL,
                    "plan: states.vtkhdf takes about %.3g MiB (%.0f bytes) of disk: %lld frames%s", bytes / 1048576,
                    bytes, (long long)s->model->n_frames, gradient ? ", and what the gradient adds to it once" : "");
    pio_state_fields_free(&f->list);
    free(f);
}

static piola_status open_file(pio_states *f, piola_error *error)
{
    pio_session *s = f->session;
    char path[PIO_PATH];
    pio_manifest manifest;
    piola_status rc = pio_manifest_create(&manifest, s, error);
    if (rc) return rc;
    pio_session_path(s, "states.vtkhdf", path, sizeof path);
    const pio_snapshot_def def = {.path = path,
                                  .kind = PIO_SNAPSHOT_STATES,
                                  .n_points = pio_model_items(s->model, true),
                                  .dimension = s->scene->method.dimension,
                                  .precision =
                                      strcmp(s->engine.table->precision, "f64") ? PIO_SNAPSHOT_F32 : PIO_SNAPSHOT_F64,
                                  .mesh = s->model->fem ? &f->mesh : NULL,
                                  .n_integration = s->memory.bytes.stress_points,
                                  .static_points = s->model->fem != NULL,
                                  .expected_frames = s->model->n_frames,
                                  .fields = f->list.field,
                                  .n_fields = f->list.n,
                                  .scene_text = s->scene->input.text,
                                  .scene_resolved = manifest.resolved,
                                  .manifest = manifest.json,
                                  .pairs = manifest.pair,
                                  .n_pairs = manifest.n,
                                  .objective = s->scene->input.name};
    rc = pio_snapshot_create(&f->file, &def, error);
    pio_manifest_free(&manifest);
    return rc;
}

piola_status pio_states_create(pio_states **out, pio_session *s, bool gradient, piola_error *error)
{
    pio_states *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f) return pio_fail_memory(error, sizeof *f, "an output file");
    f->session = s;
    f->gradient = gradient;
    f->adjoint = gradient && s->scene->output.adjoint_every > 0;
    const bool enough = pio_state_fields_create(&f->list, s, gradient, f->adjoint);
    piola_status rc = enough ? allocate_buffers(f, error) : pio_fail_memory(error, sizeof *f, "an output file");
    if (!rc && s->model->fem) rc = pio_model_cells(s->model, &f->mesh, error);
    if (!rc) rc = open_file(f, error);
    if (!rc) rc = write_numbers(f, error);
    if (rc)
        pio_states_abandon(f);
    else
        *out = f;
    return rc;
}

static piola_status on_state(void *context, int64_t frame, int64_t step, piola_error *error)
{
    pio_session *s = context;
    pio_states *f = s->folder.states;
    const pio_engine *e = s->engine.table;
    const bool again = s->model->fem && frame > 0; /* the points of a mesh are written once */
    piola_status rc =
        again ? PIOLA_OK : e->read(s->sim, s->model->fem ? "rest_position" : "position", f->points, error);
    for (size_t i = 0; !rc && i < f->list.n_frame; i++)
        rc = e->read(s->sim, f->list.field[i].name, f->values[i], error);
    return rc ? rc
              : pio_snapshot_frame(f->file, (double)step * s->scene->time.dt, again ? NULL : f->points,
                                   (const double *const *)f->values, error);
}

/* Returns whether a frame has adjoint fields: the first frame in each interval of output.adjoint.every, and the last.
 */
static bool wants_adjoint(const pio_states *f, int64_t frame)
{
    const pio_model *m = f->session->model;
    const double every = f->session->scene->output.adjoint_every / f->session->scene->time.dt;
    if (frame == 0 || frame == m->n_frames - 1) return true;
    /* Frames are times rounded to steps; half a step later none of them lies before its own time. */
    return floor(((double)m->frames[frame] + 0.5) / every) > floor(((double)m->frames[frame - 1] + 0.5) / every);
}

static piola_status write_adjoint(pio_session *s, int64_t frame, bool passed, piola_error *error)
{
    pio_states *f = s->folder.states;
    piola_status rc = PIOLA_OK;
    if (!f->adjoint || !wants_adjoint(f, frame)) return PIOLA_OK;
    for (size_t i = f->list.n_frame; !rc && i < f->list.n; i++) {
        if (f->list.field[i].when != PIO_SNAPSHOT_ADJOINT || f->list.passed[i] != passed) continue;
        rc = s->engine.table->read(s->sim, f->list.field[i].name, f->scratch, error);
        if (!rc) rc = pio_snapshot_adjoint(f->file, frame, f->list.field[i].name, f->scratch, error);
    }
    return rc;
}

static piola_status on_adjoint(void *context, int64_t frame, int64_t step, piola_error *error)
{
    (void)step;
    return write_adjoint(context, frame, false, error);
}

static piola_status on_passed(void *context, int64_t frame, int64_t step, piola_error *error)
{
    (void)step;
    return write_adjoint(context, frame, true, error);
}

/* ---- frames for storage elsewhere ----------------------------------------------------------------------- */

static size_t number_size(const pio_states *f)
{
    return strcmp(f->session->engine.table->precision, "f64") ? sizeof(float) : sizeof(double);
}

static size_t field_numbers(const pio_states *f, size_t i)
{
    return (size_t)f->list.field[i].components * field_rows(f, i);
}

/* Returns the numbers of a frame's points; those of a mesh belong to the first frame only. */
static size_t point_numbers(const pio_states *f, int64_t frame)
{
    const pio_model *m = f->session->model;
    return m->fem && frame > 0 ? 0 : (size_t)f->session->scene->method.dimension * (size_t)pio_model_items(m, true);
}

static bool is_adjoint(const pio_states *f, size_t i)
{
    return i >= f->list.n_frame && f->list.field[i].when == PIO_SNAPSHOT_ADJOINT;
}

size_t pio_states_bytes(const pio_states *f, int64_t frame, bool adjoint)
{
    size_t numbers = adjoint ? 0 : point_numbers(f, frame);
    if (adjoint && !(f->adjoint && wants_adjoint(f, frame))) return 0;
    for (size_t i = 0; i < f->list.n; i++)
        if (adjoint ? is_adjoint(f, i) : i < f->list.n_frame) numbers += field_numbers(f, i);
    return numbers * number_size(f);
}

/* Copies n numbers to *bytes in the file's precision; *bytes moves behind them. */
static void pack(const pio_states *f, const double *values, size_t n, char **bytes)
{
    const size_t size = number_size(f);
    for (size_t i = 0; i < n; i++, *bytes += size) {
        const float single = (float)values[i];
        memcpy(*bytes, size == sizeof single ? (const void *)&single : (const void *)&values[i], size);
    }
}

static void unpack(const pio_states *f, double *values, size_t n, const char **bytes)
{
    const size_t size = number_size(f);
    for (size_t i = 0; i < n; i++, *bytes += size) {
        float single;
        if (size == sizeof single) memcpy(&single, *bytes, size);
        if (size == sizeof single)
            values[i] = (double)single;
        else
            memcpy(&values[i], *bytes, size);
    }
}

piola_status pio_states_out(pio_states *f, int64_t frame, bool adjoint, void *bytes, piola_error *error)
{
    const size_t points = point_numbers(f, frame);
    char *at = bytes;
    piola_status rc = PIOLA_OK;
    if (!adjoint && points) {
        rc = pio_snapshot_reread(f->file, NULL, frame, f->points, error);
        pack(f, f->points, points, &at);
    }
    for (size_t i = 0; !rc && i < f->list.n; i++) {
        if (adjoint ? !is_adjoint(f, i) : i >= f->list.n_frame) continue;
        rc = pio_snapshot_reread(f->file, f->list.field[i].name, frame, f->scratch, error);
        if (!rc) pack(f, f->scratch, field_numbers(f, i), &at);
    }
    return rc;
}

static piola_status adjoint_in(pio_states *f, int64_t frame, const char *bytes, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    for (size_t i = f->list.n_frame; !rc && i < f->list.n; i++) {
        if (!is_adjoint(f, i)) continue;
        unpack(f, f->scratch, field_numbers(f, i), &bytes);
        if (!isnan(f->scratch[0])) rc = pio_snapshot_adjoint(f->file, frame, f->list.field[i].name, f->scratch, error);
    }
    return rc;
}

piola_status pio_states_in(pio_states *f, int64_t frame, bool adjoint, const void *bytes, piola_error *error)
{
    const pio_model *m = f->session->model;
    const size_t points = point_numbers(f, frame);
    const char *at = bytes;
    if (adjoint) return adjoint_in(f, frame, bytes, error);
    unpack(f, f->points, points, &at);
    for (size_t i = 0; i < f->list.n_frame; i++) unpack(f, f->values[i], field_numbers(f, i), &at);
    return pio_snapshot_frame(f->file, (double)m->frames[frame] * f->session->scene->time.dt, points ? f->points : NULL,
                              (const double *const *)f->values, error);
}

void pio_states_sweep(pio_states *f, pio_sweep *sweep)
{
    f->session->folder.states = f;
    sweep->frames = f->session->model->frames;
    sweep->n_frames = f->session->model->n_frames;
    sweep->on_state = on_state;
    sweep->on_adjoint = on_adjoint;
    sweep->on_passed = on_passed;
}

piola_status pio_states_objective(pio_states *f, piola_error *error)
{
    const pio_session *s = f->session;
    pio_snapshot_number *terms = calloc(s->objective.n + 1, sizeof *terms);
    if (!terms) return pio_fail_memory(error, sizeof *terms, "terms");
    for (size_t i = 0; i < s->objective.n; i++)
        terms[i] = (pio_snapshot_number){s->objective.terms[i].name, s->evaluation.terms[i]};
    const piola_status rc =
        s->objective.n ? pio_snapshot_objective(f->file, s->evaluation.J, terms, s->objective.n, error) : PIOLA_OK;
    free(terms);
    return rc;
}

piola_status pio_states_gradient(pio_states *f, const char *certificate, piola_error *error)
{
    piola_status rc = PIOLA_OK;
    for (int i = 0; !rc && i < f->list.n_gradient; i++) {
        const pio_gradient_field *g = &f->list.gradient[i];
        rc = pio_gradient_field_read(f->session, g, f->scratch, error);
        for (int64_t v = 0; !rc && v < pio_model_items(f->session->model, g->nodal) * g->components; v++)
            if (!isfinite(f->scratch[v]))
                rc = pio_fail_result(error, PIOLA_FAILED_GRADIENT,
                                     "%s of %s %lld is %g: the adjoint overflowed; a shorter "
                                     "time.duration or gradient.window, a smaller weight or f64 would be right",
                                     g->name, f->session->model->fem ? g->nodal ? "node" : "element" : "particle",
                                     (long long)(v / g->components), f->scratch[v]);
        if (!rc) rc = pio_snapshot_static(f->file, g->name, f->scratch, error);
    }
    for (int i = 0; !rc && i < f->list.n_design; i++) {
        const pio_design_field *d = &f->list.design[i];
        if (d->in_frames) continue;
        rc = pio_design_field_read(f->session, d, f->scratch, error);
        if (!rc) rc = pio_snapshot_static(f->file, d->name, f->scratch, error);
    }
    if (!rc)
        rc = pio_write_parameters(f->file, f->session->model, f->session->evaluation.values,
                                  f->session->adjoint.value_bar, error);
    if (!rc) rc = pio_states_objective(f, error);
    return rc ? rc : pio_snapshot_certificate(f->file, certificate, NULL, 0, error);
}

static void release(pio_states *f)
{
    f->session->folder.states = NULL;
    free(f->points);
    free(f->scratch);
    pio_model_cells_free(&f->mesh);
    for (size_t i = 0; f->values && i < f->list.n_frame; i++) free(f->values[i]);
    free(f->values);
    pio_state_fields_free(&f->list);
    free(f);
}

/* Writes what does not change at integration points, which the simulation knows when its shape is. */
static piola_status write_integration(pio_states *f, piola_error *error)
{
    pio_session *s = f->session;
    piola_status rc = PIOLA_OK;
    pio_snapshot_field field;
    for (int i = 0; !rc && s->model->fem && pio_integration_field_of(s->scene, i, &field); i++) {
        rc = s->engine.table->read(s->sim, field.name, f->scratch, error);
        if (!rc) rc = pio_snapshot_static(f->file, field.name, f->scratch, error);
    }
    return rc;
}

piola_status pio_states_finish(pio_states *f, piola_error *error)
{
    piola_status rc = write_integration(f, error);
    if (rc) {
        pio_states_abandon(f);
        return rc;
    }
    rc = pio_snapshot_finish(f->file, error);
    release(f);
    return rc;
}

void pio_states_abandon(pio_states *f)
{
    if (!f) return;
    pio_snapshot_abandon(f->file);
    release(f);
}
