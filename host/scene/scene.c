/* scene.c -- a scene file from disk to a pio_scene and back to text. */
#include "host/scene/scene.h"
#include "host/base/fail.h"
#include "host/scene/law.h"
#include "host/scene/scene_leave.h"
#include "host/scene/scene_names.h"
#include "host/scene/scene_private.h"
#include "host/scene/scene_surface.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Scenes that have a table of their own. */
static const cfg_case fem_case = {"method", "type", "fem", &pio_fem_scene_table};

static double given(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static void complete_material(scene_material *m)
{
    m->lame = !isnan(m->mu);
    bool solid = LAW_BIT(m->model) & LAWS_HYPERELASTIC & ~LAWS_OWN;
    if (solid && m->lame) {
        m->E = m->mu * (3 * m->lambda + 2 * m->mu) / (m->lambda + m->mu);
        m->nu = m->lambda / (2 * (m->lambda + m->mu));
    } else if (solid) {
        m->mu = m->E / (2 * (1 + m->nu));
        m->lambda = m->E * m->nu / ((1 + m->nu) * (1 - 2 * m->nu));
    } else {
        m->E = m->nu = m->mu = m->lambda = 0;
    }
    m->bulk = given(m->bulk, 0);
}

static void complete_observe(const pio_scene *scene, cfg_doc *doc, scene_observe *o)
{
    static const scene_observable types[] = {
        SCENE_DISPLACEMENT,   SCENE_REACTION, SCENE_DISTANCE, SCENE_COMPLIANCE,    SCENE_MEAN_VELOCITY,
        SCENE_KINETIC_ENERGY, SCENE_VOLUME,   SCENE_MASS,     SCENE_STRAIN_ENERGY, SCENE_STRESS};
    bool over = o->over[1] > 0;
    double n = 1, step = scene->duration;
    if (scene->method == SCENE_FEM) o->type = types[o->seen];
    o->every = given(o->every, 0);
    o->sharpness = given(o->sharpness, 4 / scene->grid.spacing);
    if (!over) o->over[0] = o->over[1] = -1;
    if (o->type == SCENE_CONTROL_EFFORT || o->type == SCENE_CONTROL_SMOOTHNESS) return;
    if (o->at.n || over || o->type == SCENE_DISTANCE) return;
    if (o->every > 0) {
        n = floor(scene->duration / o->every + 1e-9);
        step = o->every;
    }
    if (n > SCENE_MOST_SAMPLES || n < 1) return; /* refused by pio_scene_validate */
    o->at.v = pio_arena_take(&doc->arena, (size_t)n * sizeof(double));
    if (!o->at.v) {
        doc->no_memory = true;
        return;
    }
    o->at.n = (size_t)n;
    for (size_t k = 0; k < o->at.n; k++) o->at.v[k] = fmin((double)(k + 1) * step, scene->duration);
}

/* A part of a body that is not told is no box. */
static void complete_box(cfg_doc *doc, const char *list, size_t i, scene_where *on)
{
    PATH(path, "%s[%zu].on.min", list, i);
    const bool found = pio_scene_given(doc, path);
    for (int a = 0; !found && a < 3; a++) on->min[a] = on->max[a] = NAN;
}

/* Axes that are not told are all; nodes inside follow a surface that is designed. */
static void complete_places(pio_scene *scene, cfg_doc *doc)
{
    static char *const axes[] = {"x", "y", "z"};
    for (size_t i = 0; i < scene->n_boundary; i++) {
        scene_strings *own = &scene->boundary[i].axes;
        if (own->n) continue;
        own->n = (size_t)scene->dimension;
        own->v = pio_arena_take(&doc->arena, sizeof axes);
        if (own->v)
            memcpy(own->v, axes, sizeof axes);
        else
            doc->no_memory = true;
    }
    for (size_t i = 0; i < scene->n_observe; i++) complete_box(doc, "observe", i, &scene->observe[i].on);
    for (size_t i = 0; i < scene->n_loads; i++) complete_box(doc, "loads", i, &scene->loads[i].on);
    for (size_t i = 0; i < scene->n_design; i++) {
        scene_design *d = &scene->design[i];
        complete_box(doc, "design", i, &d->on);
        PATH(path, "design[%zu].mesh_update", i);
        if (!pio_scene_given(doc, path) && (d->on.group || !isnan(d->on.min[0]))) d->mesh_update = SCENE_MESH_ELASTIC;
    }
}

static void default_folder(const char *name, char *out, size_t size)
{
    snprintf(out, size, "out/%.64s", name);
}

static void complete_output(pio_scene *scene, cfg_doc *doc)
{
    scene_output *o = &scene->output;
    o->states_every = given(o->states_every, scene->duration / 50);
    o->adjoint_every = given(o->adjoint_every, 0);
    if (!o->directory && scene->name) {
        char text[80];
        default_folder(scene->name, text, sizeof text);
        o->directory = pio_arena_text(&doc->arena, text, strlen(text));
        doc->no_memory |= !o->directory;
    }
    if (o->state_fields.n == 0 && scene->method == SCENE_MPM) {
        static const char *const usual[] = {"velocity", "J"};
        o->state_fields.v = pio_arena_take(&doc->arena, sizeof usual);
        doc->no_memory |= !o->state_fields.v;
        for (size_t i = 0; i < 2 && o->state_fields.v; i++)
            o->state_fields.v[i] = pio_arena_text(&doc->arena, usual[i], strlen(usual[i]));
        o->state_fields.n = 2;
        doc->no_memory |= o->state_fields.v && (!o->state_fields.v[0] || !o->state_fields.v[1]);
    }
}

/* A static scene has load steps, a motion a time step; which masses. */
static void complete_steps(pio_scene *scene, cfg_doc *doc)
{
    const bool lumps = scene_leaps(scene->integrator) || scene->integrator == SCENE_REVERSIBLE_EULER;
    if (lumps && !pio_scene_given(doc, "solver.mass")) scene->mass = SCENE_LUMPED;
    if (!pio_scene_given(doc, "time.dt"))
        scene->dt = scene->duration / scene->load_steps; /* a motion without dt is refused by pio_scene_validate */
}

void pio_scene_complete(pio_scene *scene, cfg_doc *doc)
{
    for (size_t i = 0; i < scene->n_materials; i++) complete_material(&scene->materials[i]);
    for (size_t i = 0; i < scene->n_geometry; i++) {
        scene->geometry[i].radius = given(scene->geometry[i].radius, 0);
        scene->geometry[i].height = given(scene->geometry[i].height, 0);
    }
    for (size_t i = 0; i < scene->n_bodies; i++) {
        scene_body *b = &scene->bodies[i];
        if (!b->particles_per_cell) b->particles_per_cell = scene->dimension == 2 ? 4 : 8;
        const scene_geometry *g = pio_scene_geometry(scene, b->geometry);
        b->of_points = g && g->shape == SCENE_POINTS;
    }
    for (size_t i = 0; i < scene->n_observe; i++) complete_observe(scene, doc, &scene->observe[i]);
    for (size_t i = 0; i < scene->n_design; i++) {
        scene_design *d = &scene->design[i];
        if (d->bounds[0] >= d->bounds[1]) { /* both 0: not given, a given pair increases */
            d->bounds[0] = -INFINITY;
            d->bounds[1] = INFINITY;
        }
    }
    for (size_t i = 0; i < scene->n_actuators; i++) complete_box(doc, "actuators", i, &scene->actuators[i].on);
    pio_scene_complete_control(scene, doc);
    if (scene->method == SCENE_FEM) complete_places(scene, doc);
    if (scene->method == SCENE_FEM) complete_steps(scene, doc);
    for (size_t i = 0; i < scene->n_constraints; i++) {
        scene->constraints[i].min = given(scene->constraints[i].min, -INFINITY);
        scene->constraints[i].max = given(scene->constraints[i].max, INFINITY);
    }
    if (scene->method == SCENE_MPM) scene->onset = given(scene->onset, 0.1 * scene->grid.spacing / scene->duration);
    scene->grid.wall_stiffness = given(scene->grid.wall_stiffness, 0);
    scene->has_optimizer = pio_cfg_get(doc->root, "optimizer", NULL) != NULL;
    scene->optimizer.stop_objective = given(scene->optimizer.stop_objective, -INFINITY);
    scene->memory_budget = given(scene->memory_budget, 0);
    scene->memory_disk = given(scene->memory_disk, 0);
    scene->window = given(scene->window, 0);
    complete_output(scene, doc);
    pio_scene_complete_obstacles(scene, doc);
}

/* Vectors are as long as method.dimension says; without a good one they may have 2 or 3 entries. */
static int peek_dimension(const cfg_doc *doc)
{
    bool found;
    const cfg_node *node = pio_cfg_find(doc->root, "method.dimension", &found);
    if (!found || node->kind != CFG_SCALAR) return 0;
    return strcmp(node->text, "2") == 0 ? 2 : strcmp(node->text, "3") == 0 ? 3 : 0;
}

/* The table of the scene's method: what its `method.type` says, if it says anything. */
static const cfg_table *table_of(const cfg_doc *doc)
{
    bool found;
    const cfg_node *node = pio_cfg_find(doc->root, fem_case.mapping, &found);
    node = found ? pio_cfg_get(node, fem_case.key, NULL) : NULL;
    return node && node->kind == CFG_SCALAR && !strcmp(node->text, fem_case.value) ? fem_case.table : &pio_scene_table;
}

/* Decode what was loaded by the table of its method; a key of the other one is told as that. */
static bool decode(cfg_doc *doc, pio_scene *scene)
{
    const cfg_table *table = table_of(doc);
    const bool fem = table == fem_case.table;
    doc->dimension = peek_dimension(doc);
    doc->other = fem ? &pio_scene_table : fem_case.table;
    doc->other_kind = fem ? "scenes of `method: {type: mpm}`" : "scenes of `method: {type: fem}`";
    return pio_cfg_decode(doc, table, scene);
}

/* What is allowed is there. */
static void check_allowed(cfg_doc *doc)
{
    for (size_t i = 0; i < doc->allowed.n; i++) {
        const int why = access(doc->allowed.paths[i], F_OK) ? errno : 0;
        cfg_file *file = why ? pio_cfg_file(doc, "--allow", "", 0) : NULL;
        if (file)
            pio_cfg_report(doc, PIOLA_NO_INPUT, (cfg_mark){file, 0, 0}, "", "--allow %s: %s", doc->allowed.paths[i],
                           strerror(why));
    }
}

/* May results go where the scene says? Below the current folder, where the name of theirs begins, or below the scene's own; and
 * where the user says. */
static bool may_write(const cfg_doc *doc, const char *directory, bool set)
{
    const char *own[] = {".", doc->folder};
    return set || pio_path_allowed(directory, &(pio_allowed){own, 2}) || pio_path_allowed(directory, &doc->allowed);
}

static const cfg_node *directory_of(const cfg_doc *doc)
{
    bool found;
    return pio_cfg_find(doc->root, "output.directory", &found);
}

static void check_directory(const pio_scene *scene, cfg_doc *doc)
{
    const cfg_node *node = directory_of(doc);
    const char *directory = scene->output.directory;
    if (!directory || may_write(doc, directory, node->mark.file->set)) return;
    pio_cfg_report(doc, PIOLA_REFUSED, node->mark, "output.directory",
                   "'%s' is neither below the scene's folder nor below the current one; name the folder by -o, or "
                   "allow it with --allow PATH",
                   pio_cfg_clean(doc, directory));
}

static void load(pio_scene *scene, cfg_doc *doc, const char *path, const pio_scene_leave *leave,
                 const char *const *sets, size_t n_sets)
{
    doc->allowed = leave->allowed;
    check_allowed(doc);
    if (!pio_cfg_load(doc, path, sets, n_sets)) return;
    if (!decode(doc, scene)) return;
    pio_scene_complete(scene, doc);
    scene->path = pio_arena_text(&doc->arena, path, strlen(path));
    scene->text = doc->text;
    doc->no_memory |= !scene->path || !scene->text;
    if (!doc->no_memory && leave->writes) check_directory(scene, doc);
    if (!doc->no_memory) pio_scene_validate(scene, doc);
}

static piola_status load_or_parse(pio_scene **out, const char *path, const char *text, size_t size,
                                  const pio_scene_leave *leave, const char *const *sets, size_t n_sets, FILE *errors,
                                  piola_error *error)
{
    *out = NULL;
    pio_scene *scene = calloc(1, sizeof *scene);
    struct scene_source *source = calloc(1, sizeof *source);
    if (!scene || !source) {
        free(scene);
        free(source);
        if (errors) fprintf(errors, "piola: error: no memory to read the scene\n");
        return pio_fail(error, PIOLA_NO_MEMORY, "no memory to read the scene");
    }
    scene->source = source;
    source->doc.given = text;
    source->doc.given_size = size;
    pio_locale old = pio_locale_begin();
    load(scene, &source->doc, path, leave, sets, n_sets);
    piola_status status = pio_cfg_show(&source->doc, errors, error);
    pio_locale_end(old);
    if (status)
        pio_scene_free(scene);
    else
        *out = scene;
    return status;
}

piola_status pio_scene_load(pio_scene **out, const char *path, const char *const *sets, size_t n_sets, FILE *errors,
                            piola_error *error)
{
    return load_or_parse(out, path, NULL, 0, &(pio_scene_leave){.writes = false}, sets, n_sets, errors, error);
}

piola_status pio_scene_parse(pio_scene **out, const char *path, const char *text, size_t size, const char *const *sets,
                             size_t n_sets, FILE *errors, piola_error *error)
{
    return load_or_parse(out, path, text, size, &(pio_scene_leave){.writes = false}, sets, n_sets, errors, error);
}

piola_status pio_scene_load_with(pio_scene **out, const char *path, const pio_scene_leave *leave,
                                 const char *const *sets, size_t n_sets, FILE *errors, piola_error *error)
{
    return load_or_parse(out, path, NULL, 0, leave, sets, n_sets, errors, error);
}

bool pio_scene_folder(const char *path, const pio_allowed *allowed, const char *const *sets, size_t n_sets, char *out,
                      size_t size)
{
    pio_scene scene = {0};
    cfg_doc doc = {.allowed = *allowed};
    const pio_locale old = pio_locale_begin();
    if (pio_cfg_load(&doc, path, sets, n_sets))
        decode(&doc, &scene); /* what is legal of it is there, whatever is not */
    pio_locale_end(old);
    bool known = scene.output.directory || scene.name;
    if (scene.output.directory)
        known = (size_t)snprintf(out, size, "%s", scene.output.directory) < size;
    else if (known)
        default_folder(scene.name, out, size);
    known = known && may_write(&doc, out, directory_of(&doc)->mark.file->set);
    pio_cfg_free(&doc);
    return known;
}

void pio_scene_free(pio_scene *scene)
{
    if (!scene) return;
    pio_scene_drop_surfaces(scene);
    pio_cfg_free(&scene->source->doc);
    free(scene->source);
    free(scene);
}

piola_status pio_scene_fault(const pio_scene *scene, piola_error *error, const char *path, const char *format, ...)
{
    bool found;
    if (!error) return PIOLA_BAD_DATA;
    const cfg_node *node = pio_cfg_find(scene->source->doc.root, path, &found);
    char what[800], excerpt[600];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    pio_cfg_excerpt(node->mark, excerpt, sizeof excerpt);
    return pio_fail(error, PIOLA_BAD_DATA, "%s:%d:%d: error: %.200s%s%s\n%s", node->mark.file->name, node->mark.line,
                    node->mark.column, path, *path ? ": " : "", what, excerpt);
}

piola_status pio_scene_blame(const pio_scene *scene, piola_status rc, piola_error *error, const char *path)
{
    if (rc != PIOLA_BAD_DATA || !error) return rc;
    const piola_error said = *error;
    pio_scene_fault(scene, error, path, "%s", said.message);
    error->failure = said.failure;
    return rc;
}

void pio_scene_schema(FILE *to)
{
    pio_cfg_schema(&pio_scene_table, &fem_case, "Piola scene", to);
}

void pio_scene_reference(FILE *to)
{
    fputs("Scenes of `method: {type: mpm}`:\n\n", to);
    pio_cfg_reference(&pio_scene_table, to);
    fputs("\nScenes of `method: {type: fem}`:\n\n", to);
    pio_cfg_reference(&pio_fem_scene_table, to);
}

void pio_scene_resolved(const pio_scene *scene, FILE *to)
{
    pio_cfg_resolved(scene->method == SCENE_FEM ? &pio_fem_scene_table : &pio_scene_table, scene, scene->dimension, to);
}

piola_status pio_scene_file(const pio_scene *scene, const char *relative, char *out, size_t size, piola_error *error)
{
    const cfg_doc *doc = &scene->source->doc;
    return pio_path_beneath(doc->folder, relative, &doc->allowed, out, size, error);
}

const char *pio_scene_input(const pio_scene *scene, size_t i, const char **sha256)
{
    const cfg_input *input = scene->source->doc.inputs;
    while (input && i--) input = input->next;
    if (input) *sha256 = input->sha256;
    return input ? input->path : NULL;
}
