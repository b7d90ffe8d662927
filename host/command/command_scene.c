/* command_scene.c -- piola validate and piola params: checks and lists of a scene, without a simulation. */
#include "host/base/fail.h"
#include "host/command/command.h"
#include "host/command/command_study.h"
#include "host/run/first_step.h"
#include "host/base/json.h"
#include "host/model/objective.h"
#include "host/base/output.h"
#include "host/model/room.h"
#include "host/scene/design_path.h"
#include "host/scene/scene_leave.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_query.h"
#include "host/scene/study.h"
#include "host/base/signals.h"
#include "host/scene/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

piola_options piola_options_default(void)
{
    return (piola_options){.device = "auto", .resume = true};
}

/* ---- the scene and its model ----------------------------------------------------------------------------- */

typedef struct {
    pio_scene *scene;
    pio_model *model;
    pio_objective objective;
    scene_path *paths; /* [n_paths] what a design may change; NULL except in piola_params() */
    size_t n_paths;
} built;

static void release(built *b)
{
    free(b->paths);
    pio_objective_free(&b->objective);
    pio_model_free(b->model);
    pio_scene_free(b->scene);
}

/* Loads the scene; with `writes` also checks the output folder. */
static piola_status load(built *b, const piola_options *options, bool writes, piola_error *error)
{
    memset(b, 0, sizeof *b);
    if (!options->scene) return pio_fail(error, PIOLA_USAGE, "options->scene names no file");
    const pio_scene_leave leave = {{options->allow, options->n_allow}, .writes = writes};
    const piola_status rc = pio_scene_load(&b->scene, &(pio_scene_text){.path = options->scene}, &leave, options->sets,
                                           options->n_sets, stderr, error);
    if (rc && error) error->message[0] = '\0'; /* all messages were printed */
    return rc;
}

/* Builds the model with particles, samples, designs and data, to find every error before the first step. */
static piola_status build(built *b, piola_error *error)
{
    piola_status rc = pio_model_create(&b->model, b->scene, error);
    char text[400];
    for (int i = 0; !rc && pio_model_warning(b->model, i, text, sizeof text); i++)
        fprintf(stderr, "piola: warning: %s\n", text);
    return rc ? rc : pio_objective_create(&b->objective, b->model, error);
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static const char *items_name(const pio_model *m)
{
    return m->fem ? "elements" : "particles";
}

static void print_counts(const built *b)
{
    const pio_scene *s = b->scene;
    const pio_model *m = b->model;
    const int32_t *nodes = m->desc.grid.nodes;
    printf("%s: no errors (%dD, %zu bod%s, %lld %s, ", s->input.path, s->method.dimension, s->matter.n_bodies,
           s->matter.n_bodies == 1 ? "y" : "ies", (long long)pio_model_items(m, false), items_name(m));
    if (m->fem)
        printf("%lld nodes, ", (long long)pio_model_items(m, true));
    else
        printf(s->method.dimension == 3 ? "%d x %d x %d nodes, " : "%d x %d nodes, ", nodes[0], nodes[1], nodes[2]);
    printf("%lld steps, %lld frames, %zu observation%s, %d design variable%s, %zu objective term%s)\n",
           (long long)m->steps, (long long)m->n_frames, s->goal.n_observe, plural(s->goal.n_observe), m->n_variables,
           plural((size_t)m->n_variables), s->goal.n_objective, plural(s->goal.n_objective));
}

/* Checks what a run would check at step 0. If no engine can do so, that is a warning and no error of the scene. */
static piola_status check_first_step(const built *b, piola_error *error)
{
    piola_error why = {0};
    const piola_status rc = pio_first_step(b->model, pio_precision_words[b->scene->method.precision], &why);
    if (rc == PIOLA_UNAVAILABLE || rc == PIOLA_NO_MEMORY) {
        fprintf(stderr, "piola: warning: time.dt and the start of the design were not checked: %s\n", why.message);
        return PIOLA_OK;
    }
    return rc ? pio_fail(error, rc, "%s", why.message) : PIOLA_OK;
}

/* The model is built up to so many particles or elements, which takes a second or two. */
#define MOST_ITEMS 1e6

/* Counts more items than that without building the model. PIOLA_NO_MEMORY if the machine has not the memory for them.
 */
static piola_status count_only(const built *b, const pio_counts *c, bool quiet, piola_error *error)
{
    const pio_scene *s = b->scene;
    char what[80];
    snprintf(what, sizeof what, "bodies: about %.4g %s", c->items,
             s->method.type == SCENE_FEM ? "elements" : "particles");
    const piola_status rc = pio_room(c->bytes, what, error);
    if (rc || quiet) return rc;
    printf("%s: no errors in the scene (%dD, %zu bod%s, about %.4g %s, %.4g nodes)\n", s->input.path,
           s->method.dimension, s->matter.n_bodies, s->matter.n_bodies == 1 ? "y" : "ies", c->items,
           s->method.type == SCENE_FEM ? "elements" : "particles", c->nodes);
    fprintf(stderr,
            "piola: warning: of more than %.0f particles or elements, places, groups, data of points and the first "
            "step are not "
            "checked; `piola run --dry-run` does so\n",
            MOST_ITEMS);
    return rc;
}

/* Installs signal handlers and a time limit for reading only. */
static piola_status begin(const piola_options *options, piola_error *error)
{
    piola_status rc = pio_command_no_text(options, error);
    if (!rc) rc = pio_signals_install(error);
    if (!rc) pio_signals_deadline(options->max_walltime);
    return rc;
}

/* Checks the study, and the scene and the model of each experiment. */
static piola_status validate_study(const piola_options *options, piola_error *error)
{
    const pio_scene_leave leave = {.allowed = {options->allow, options->n_allow}, .writes = !options->directory};
    pio_study *study;
    piola_status rc =
        options->json
            ? pio_fail(error, PIOLA_USAGE, "--json prints a resolved scene; a study has the scenes of its experiments")
            : pio_study_load(&study, options->scene, &leave, options->sets, options->n_sets, stderr, error);
    if (options->json) study = NULL;
    if (rc && !options->json && error) error->message[0] = '\0'; /* all messages were printed */
    for (size_t e = 0; !rc && e < study->n; e++) {
        built b = {0};
        const pio_scene_text text = {.path = study->experiments[e].path, .over = &study->experiments[e].over};
        rc = pio_scene_load(&b.scene, &text, &(pio_scene_leave){.allowed = leave.allowed}, NULL, 0, stderr, error);
        if (rc && error) error->message[0] = '\0';
        if (!rc) rc = build(&b, error);
        if (!rc) rc = check_first_step(&b, error);
        if (!rc && !options->quiet) print_counts(&b);
        release(&b);
    }
    if (!rc && !options->quiet)
        printf("%s: no errors (%zu experiment%s)\n", options->scene, study->n, plural(study->n));
    pio_study_free(study);
    pio_signals_restore();
    return rc ? rc : pio_output_flush(error);
}

piola_status piola_validate(const piola_options *options, piola_error *error)
{
    built b;
    piola_status rc = begin(options, error);
    if (rc) return rc;
    if (options->scene && pio_study_is(options->scene)) return validate_study(options, error);
    rc = load(&b, options, !options->directory, error);
    const pio_counts counts = rc ? (pio_counts){0} : pio_count(b.scene);
    const bool many = counts.items > MOST_ITEMS;
    if (!rc && many) rc = count_only(&b, &counts, options->quiet || options->json, error);
    if (!rc && !many) rc = build(&b, error);
    if (!rc && !many) rc = check_first_step(&b, error);
    if (!rc && options->json)
        pio_scene_resolved(b.scene, stdout);
    else if (!rc && !many && !options->quiet)
        print_counts(&b);
    release(&b);
    pio_signals_restore();
    return rc ? rc : pio_output_flush(error);
}

/* ---- quantities that can be differentiated --------------------------------------------------------------- */

/* A quantity that a design may name, and the design entry that names it, or NULL. */
typedef struct {
    char path[200];
    scene_target target;
    const pio_parameter *parameter;
    const pio_scene *scene;
} quantity;

typedef void (*visitor)(void *context, const quantity *q);

static void visit(const built *b, const scene_path *path, visitor f, void *context)
{
    quantity q = {.scene = b->scene};
    pio_design_path_text(b->scene, path, q.path, sizeof q.path);
    pio_design_path_target(b->scene, path, &q.target);
    for (int p = 0; p < b->model->n_parameters; p++)
        if (pio_design_path_same(b->model->parameters[p].target, path)) q.parameter = &b->model->parameters[p];
    f(context, &q);
}

/* Visits all quantities, and components that a design names after what they are of; those of the whole scene come
 * last. */
static void visit_all(const built *b, visitor f, void *context)
{
    for (int whole = 0; whole < 2; whole++)
        for (size_t i = 0; i < b->n_paths; i++) {
            if ((b->paths[i].owner == SCENE_OWNER_ALL) != whole) continue;
            visit(b, &b->paths[i], f, context);
            for (int p = 0; p < b->model->n_parameters; p++) {
                const scene_path *own = b->model->parameters[p].target;
                if (own->part >= 0 && pio_design_path_overlaps(own, &b->paths[i]) &&
                    !pio_design_path_same(own, &b->paths[i]))
                    visit(b, own, f, context);
            }
        }
}

static piola_status find_paths(built *b, piola_error *error)
{
    b->n_paths = pio_design_paths(b->scene, NULL, 0);
    b->paths = malloc((b->n_paths + 1) * sizeof *b->paths);
    if (!b->paths) return pio_fail_memory(error, b->n_paths * sizeof *b->paths, "design paths");
    pio_design_paths(b->scene, b->paths, b->n_paths);
    return PIOLA_OK;
}

static const char *per_name(const pio_scene *s, scene_per per)
{
    return (s->method.type == SCENE_FEM ? pio_mesh_per_words : pio_per_words)[per];
}

static void shape_text(const quantity *q, char *out, size_t size)
{
    const int groups = q->parameter ? q->parameter->groups : 1, components = q->target.components;
    if (groups > 1 && components > 1)
        snprintf(out, size, "[%d][%d]", groups, components);
    else if (groups > 1 || components > 1)
        snprintf(out, size, "[%d]", groups > 1 ? groups : components);
    else
        snprintf(out, size, "scalar");
}

static void print_row(void *context, const quantity *q)
{
    char shape[40], range[80], value[100], line[700];
    size_t used = 0;
    for (int c = 0; c < q->target.components && c < 3; c++)
        used += (size_t)snprintf(value + used, sizeof value - used, "%s%.9g", c ? ", " : "",
                                 pio_target_value(&q->target, (size_t)c));
    if (q->target.components > 3) snprintf(value + used, sizeof value - used, ", ...");
    shape_text(q, shape, sizeof shape);
    snprintf(line, sizeof line, "%-*s  %-10s  %-6s  %-24s  %-24s  ", *(const int *)context, q->path, shape,
             pio_quantity_unit(q->target.quantity), value, pio_range_text(&q->target.range, range, sizeof range));
    if (q->parameter) {
        const scene_design *d = q->parameter->design;
        printf("%s%s (%s, per %s)\n", line, d->name, pio_transform_words[d->transform], per_name(q->scene, d->per));
        return;
    }
    used = strlen(line);
    while (used && line[used - 1] == ' ') used--;
    printf("%.*s\n", (int)used, line);
}

static void json_design(pio_json *json, const quantity *q)
{
    const pio_parameter *p = q->parameter;
    if (!p) {
        pio_json_null(json, "design");
        return;
    }
    pio_json_begin_object(json, "design");
    pio_json_string(json, "name", p->design->name);
    pio_json_string(json, "transform", pio_transform_words[p->design->transform]);
    pio_json_string(json, "per", per_name(q->scene, p->design->per));
    pio_json_integer(json, "variables", (int64_t)p->groups * p->components);
    pio_json_double(json, "lower", p->lower);
    pio_json_double(json, "upper", p->upper);
    pio_json_end_object(json);
}

static void json_row(void *context, const quantity *q)
{
    pio_json *json = context;
    char range[80];
    const cfg_range *r = &q->target.range;
    pio_json_begin_object(json, NULL);
    pio_json_string(json, "path", q->path);
    pio_json_begin_array(json, "shape");
    if (q->parameter && q->parameter->groups > 1) pio_json_integer(json, NULL, q->parameter->groups);
    if (q->target.components > 1) pio_json_integer(json, NULL, q->target.components);
    pio_json_end_array(json);
    pio_json_string(json, "quantity", pio_quantity_name(q->target.quantity));
    pio_json_string(json, "unit", pio_quantity_unit(q->target.quantity));
    if (q->target.components > 1)
        pio_json_doubles(json, "value", q->target.all ? q->target.all : q->target.value, (size_t)q->target.components);
    else
        pio_json_double(json, "value", pio_target_value(&q->target, 0));
    pio_json_string(json, "range", pio_range_text(r, range, sizeof range));
    pio_json_double(json, "least", r->ends & (CFG_FROM | CFG_OVER) ? r->lo : (double)-INFINITY);
    pio_json_double(json, "most", r->ends & (CFG_UP_TO | CFG_BELOW) ? r->hi : (double)INFINITY);
    json_design(json, q);
    pio_json_end_object(json);
}

static void longest_path(void *context, const quantity *q)
{
    int *longest = context;
    const int length = (int)strlen(q->path);
    if (length > *longest) *longest = length;
}

static piola_status params_json(const built *b, piola_error *error)
{
    pio_json json;
    pio_json_to_file(&json, stdout, 2);
    pio_json_begin_object(&json, NULL);
    pio_json_string(&json, "scene", b->scene->input.path);
    pio_json_integer(&json, items_name(b->model), pio_model_items(b->model, false));
    pio_json_integer(&json, "design_variables", b->model->n_variables);
    pio_json_begin_array(&json, "parameters");
    visit_all(b, json_row, &json);
    pio_json_end_array(&json);
    pio_json_end_object(&json);
    return pio_json_finish(&json, error);
}

static void params_table(const built *b)
{
    int width = 4;
    visit_all(b, longest_path, &width);
    printf("%-*s  %-10s  %-6s  %-24s  %-24s  %s\n", width, "path", "shape", "unit", "value", "range", "design");
    visit_all(b, print_row, &width);
    printf("\n%lld %s, %d design variables. A bodies.NAME path is that body's own copy; %s.\n",
           (long long)pio_model_items(b->model, false), items_name(b->model), b->model->n_variables,
           b->model->fem ? "constants can be designed per body or\nper element, rest positions per body or per node"
                         : "all paths of bodies and materials\ncan be designed per body or per particle");
}

piola_status piola_params(const piola_options *options, piola_error *error)
{
    built b;
    piola_status rc = pio_command_no_study(options, "params", error);
    if (!rc) rc = begin(options, error);
    if (rc) return rc;
    rc = load(&b, options, false, error);
    if (!rc) rc = build(&b, error);
    if (!rc) rc = find_paths(&b, error);
    if (!rc && options->json)
        rc = params_json(&b, error);
    else if (!rc)
        params_table(&b);
    release(&b);
    pio_signals_restore();
    return rc ? rc : pio_output_flush(error);
}
